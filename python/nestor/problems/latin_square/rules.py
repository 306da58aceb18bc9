"""The rules of the core in readable Python."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from nestor.problems.cells import bits
from nestor.problems.latin_square.reading import Rows

Cell = tuple[int, int]


@dataclass(eq=False)
class Board:
    """A square that is not complete yet.

    Sets of values, columns or rows are masks; bit v stands for the value v, a column or a row.
    Lines are numbered: rows first, then columns.

    Attributes
    ----------
    order : int
    square : list of list of int
        The cells, row by row; 0 is a hole.
    domains : dict
        The values that each hole can take, by (row, column) in order.
    places : list of list of int
        The cells that can take each value in each line, as columns of a row or rows of a column; no
        cell once the value is placed.
    dead : bool
        Whether there is a hole that cannot take any value.
    """

    order: int
    square: list[list[int]]
    domains: dict[Cell, int]
    places: list[list[int]]
    dead: bool

    @classmethod
    def root(cls, rows: Rows, hidden_singles: bool) -> Board:
        """Return the board of a partial square with its hidden singles filled in.

        It is dead if that shows that the square cannot be completed.
        """
        n = len(rows)
        lines = [*rows, *zip(*rows, strict=True)]
        missing = [sum(1 << v for v in range(1, n + 1) if v not in line) for line in lines]
        domains = {
            (row, column): missing[row] & missing[n + column]
            for row in range(n)
            for column in range(n)
            if not rows[row][column]
        }
        places = [[0] * (n + 1) for _ in lines]
        for (row, column), domain in domains.items():
            for value in bits(domain):
                places[row][value] |= 1 << column
                places[n + column][value] |= 1 << row
        possible = all(domains.values()) and all(
            places[line][value] for line in range(2 * n) for value in bits(missing[line])
        )
        board = cls(n, [list(row) for row in rows], domains, places, not possible)
        singles = [
            (line, v) for line in range(2 * n) for v in range(n + 1) if board.single(line, v)
        ]
        if hidden_singles:
            board.settle(deque(singles))
        return board

    @property
    def fault(self) -> str:
        """Which hole or value of a dead board has no place left, in words."""
        for (row, column), domain in self.domains.items():
            if not domain:
                return f"no value is left for the hole in row {row + 1}, column {column + 1}"
        lines = [*self.square, *zip(*self.square, strict=True)]
        line, value = next(
            (line, value)
            for line, cells in enumerate(lines)
            for value in range(1, self.order + 1)
            if value not in cells and not self.places[line][value]
        )
        kind = "row" if line < self.order else "column"
        return f"no place is left for {value} in {kind} {line % self.order + 1}"

    def copy(self) -> Board:
        """Return a copy that can change without changing this one."""
        square = [row[:] for row in self.square]
        places = [line[:] for line in self.places]
        return Board(self.order, square, self.domains.copy(), places, self.dead)

    def single(self, line: int, value: int) -> bool:
        """Whether only one cell of a line can take a value."""
        return self.places[line][value].bit_count() == 1

    def play(self, cell: Cell, value: int, hidden_singles: bool) -> None:
        """Fill a hole, and all cells that follow from it."""
        singles: deque[tuple[int, int]] = deque()
        self.assign(cell, value, singles)
        if hidden_singles:
            self.settle(singles)

    def settle(self, singles: deque[tuple[int, int]]) -> None:
        """Fill in hidden singles in the order in which they arise, until a domain is empty."""
        while singles and not self.dead:
            line, value = singles.popleft()
            if self.single(line, value):
                (place,) = bits(self.places[line][value])
                cell = (line, place) if line < self.order else (place, line - self.order)
                self.assign(cell, value, singles)

    def assign(self, cell: Cell, value: int, singles: deque[tuple[int, int]]) -> None:
        """Fill a hole by forward checking; new hidden singles join the queue."""
        row, column = cell
        column_line = self.order + column
        self.square[row][column] = value
        for other in bits(self.domains.pop(cell) & ~(1 << value)):
            self._lose_place(row, other, column, singles)
            self._lose_place(column_line, other, row, singles)
        columns = self.places[row][value] & ~(1 << column)
        rows = self.places[column_line][value] & ~(1 << row)
        self.places[row][value] = self.places[column_line][value] = 0
        for other in bits(columns):
            self._lose_value((row, other), value)
            self._lose_place(self.order + other, value, row, singles)
        for other in bits(rows):
            self._lose_value((other, column), value)
            self._lose_place(other, value, column, singles)

    def _lose_value(self, cell: Cell, value: int) -> None:
        self.domains[cell] &= ~(1 << value)
        self.dead |= not self.domains[cell]

    def _lose_place(
        self, line: int, value: int, place: int, singles: deque[tuple[int, int]]
    ) -> None:
        self.places[line][value] &= ~(1 << place)
        if self.single(line, value):
            singles.append((line, value))
