"""A filling, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.cells import cells_of
from nestor.problems.kakuro.grid import Tokens
from nestor.text import counted

Line = list[tuple[int, int]]


@dataclass(frozen=True, repr=False)
class Filling(Solution):
    r"""A puzzle with values in its cells.

    Attributes
    ----------
    grid : tuple of tuple of str
        The puzzle, row by row: ``.`` is a cell, ``down\across`` a black cell with its sums.
    largest : int
        The largest value.
    values : tuple of tuple of int
        The values, in the form of the grid; 0 is an empty cell, or a black one.
    missing : int
        The number of empty cells and wrong sums. Unless all cells have values, all sums count as
        wrong.
    title : str
        Name of the instance.
    """

    grid: Tokens
    largest: int
    values: tuple[tuple[int, ...], ...]
    missing: int
    title: str = field(default="", compare=False)

    @property
    def score(self) -> float:
        """The number of empty cells and wrong sums."""
        return float(self.missing)

    @property
    def solved(self) -> bool:
        """Whether every cell has a value and every sum is right."""
        return self.missing == 0

    @property
    def left(self) -> int:
        """Number of empty cells."""
        return sum(
            token == "." and not value
            for tokens, values in zip(self.grid, self.values, strict=True)
            for token, value in zip(tokens, values, strict=True)
        )

    @property
    def parts(self) -> frozenset[Any]:
        """The value of each cell."""
        return cells_of(self.values)

    def verify(self) -> None:
        """Check the values and the sums, and that no run has a value twice.

        Raises
        ------
        VerificationError
            If something is wrong; the message says what.
        """
        if [len(row) for row in self.values] != [len(row) for row in self.grid]:
            raise VerificationError("the values do not have the form of the grid")
        for row, (tokens, values) in enumerate(zip(self.grid, self.values, strict=True), start=1):
            for column, (token, value) in enumerate(zip(tokens, values, strict=True), start=1):
                if not 0 <= value <= (self.largest if token == "." else 0):
                    raise VerificationError(f"row {row}, column {column} cannot hold {value}")
        left = self.left
        missing = left
        for total, line in self._runs():
            found = [self.values[row][column] for row, column in line]
            filled = [value for value in found if value]
            if len(filled) != len(set(filled)):
                row, column = line[0]
                raise VerificationError(
                    f"the run from row {row + 1}, column {column + 1} has a value twice: {found}"
                )
            missing += left > 0 or sum(found) != total
        if missing != self.missing:
            raise VerificationError(
                f"{missing} cells and sums are missing or wrong, not {self.missing}"
            )

    def _runs(self) -> list[tuple[int, Line]]:
        """Go from every clue to the end of its cells."""
        height, width = len(self.grid), len(self.grid[0])
        found = []
        for row in range(height):
            for column in range(width):
                down, slash, across = self.grid[row][column].partition("\\")
                for clue, rows, columns in ((down, 1, 0), (across, 0, 1)):
                    if not slash or not clue:
                        continue
                    line: Line = []
                    y, x = row + rows, column + columns
                    while y < height and x < width and self.grid[y][x] == ".":
                        line.append((y, x))
                        y, x = y + rows, x + columns
                    found.append((int(clue), line))
        return found

    def wrong(self) -> set[tuple[int, int]]:
        """Return the cells of full runs with a wrong sum."""
        found = set()
        for total, line in self._runs():
            values = [self.values[row][column] for row, column in line]
            if all(values) and sum(values) != total:
                found.update(line)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the values as JSON-able data; 0 is an empty cell, None a black one."""
        return {
            "values": [
                [value if token == "." else None for token, value in zip(*pair, strict=True)]
                for pair in zip(self.grid, self.values, strict=True)
            ],
            "left": self.left,
            "missing": self.missing,
        }

    def headline(self) -> str:
        """Return the result in one line."""
        if self.solved:
            end = "solved"
        elif self.left:
            end = counted(self.left, "cell") + " left"
        else:
            end = counted(self.missing, "sum") + " not right"
        cells = sum(row.count(".") for row in self.grid)
        return f"{self.title}: {end}, {counted(cells - self.left, 'cell')} filled"

    def text(self) -> str:
        """Return a text picture."""
        words = [
            [str(value) if value else token for token, value in zip(*pair, strict=True)]
            for pair in zip(self.grid, self.values, strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(*words, strict=True)]
        rows = (
            " ".join(word.rjust(width) for word, width in zip(row, widths, strict=True))
            for row in words
        )
        return "\n".join([self.headline(), "", *rows])
