"""The problem: a puzzle, the options of the search, and the twin of the core's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

from nestor import _core
from nestor.checks import as_integer, as_list, as_number, shown
from nestor.errors import InputError, errors_of
from nestor.problems.cells import Move, legal_moves, moves_of
from nestor.problems.fields import Checked, Given, given, title
from nestor.problems.kakuro import grid as grids
from nestor.problems.kakuro import reading
from nestor.problems.kakuro.drawn import ATTEMPTS, drawn
from nestor.problems.kakuro.grid import MAX_VALUE, OPEN, Cell, CellRun, Tokens
from nestor.problems.kakuro.rules import Board
from nestor.problems.kakuro.solution import Filling
from nestor.problems.native import NativeProblem
from nestor.settings import Flag, Integer, described, setting

FILLING_PLAYOUTS = 100_000
"""How many playouts to try for a random filling."""

DEDUCED = 16
"""The largest value with which the core deduces what each run can hold."""


class NoSolutionError(InputError):
    """The sums of a puzzle show at once that it has no solution."""


@described
@dataclass(frozen=True, eq=False, repr=False)
class Kakuro(NativeProblem):
    r"""Kakuro, with or without black cells (learned-prior-2024, section 4.2).

    The cells of a grid have to be filled with values from 1 to `largest`. Every run of cells,
    across or down, has different values with the sum that its clue gives. The natural score counts
    what is missing: if every cell has a value, the wrong sums; otherwise the empty cells and all
    sums. 0 is a solution. It is the number of all sums less the score of the paper.

    A move is (row, column, value), with row and column of the grid from 0. It fills the cell with
    the fewest values left (forward checking: the values that its runs do not have yet), the first
    of several by row and column. The values of that cell are the moves, in order, even if there is
    only one. The game is over when a cell has no value left, or when every cell has one.

    With pruning, sums count during the game. Values that are too small or too large for the rest of
    the sum of a run are removed from its cells, by the smallest and the largest sum of different
    values that the other cells can have, until nothing changes. The paper does without:
    ``pruning=False`` repeats its results.

    The policy's code of a move is the move. A learned prior counts it by a more general code
    (`prior_code`), that of the paper: the value; how many cells of the run across can take it, and
    the sum of that run; the same two numbers for the run down. The sums are those of whole runs:
    the "remaining" sums that the paper mentions do not give its figure 3 and table 2.

    Parameters
    ----------
    grid : str or sequence of rows
        A row is a string of words or a sequence of them: ``.`` for a cell to fill, ``\`` for a
        black one, ``16\`` for a black one with the sum of the run below it, ``\23`` with the sum of
        the run to its right, ``16\23`` with both. One string is read like a file. At most
        100 rows and columns and 4096 cells. A single cell needs no clue if it has one in the
        other direction.

    Raises
    ------
    NoSolutionError
        If the sums show at once that there is no solution.
    InputError
        If an argument is malformed.

    Examples
    --------
    >>> puzzle = Kakuro(["\\ 3\\ 4\\", "\\4 . .", "\\3 . ."])
    >>> puzzle.moves(puzzle.initial())[:3]
    [(1, 1, 1), (1, 1, 2), (1, 1, 3)]
    >>> puzzle.solution([(1, 1, 1), (1, 2, 3), (2, 1, 2), (2, 2, 1)]).solved
    True
    """

    name = "kakuro"
    sense = "min"
    change = "decisions"
    optimum = 0.0

    grid: Given[str | Sequence[str | Sequence[str]], Tokens] = given(lambda _, grid: _tokens(grid))
    _: KW_ONLY
    largest: int = setting(9, Integer(1, MAX_VALUE), "The largest value.")
    pruning: bool = setting(True, Flag(), "Leave out values that no sum allows.")
    title: str = title()

    def __post_init__(self) -> None:
        super().__post_init__()
        if reason := self._refutation():
            raise NoSolutionError(f"no solution exists: {reason}")

    @classmethod
    def square(
        cls, row_sums: Sequence[int], column_sums: Sequence[int], *, largest: int, **settings: Any
    ) -> Self:
        """Make a puzzle without black cells.

        Parameters
        ----------
        row_sums, column_sums : sequence of int
            From the top and from the left; at most 64 each.
        largest : int
            The largest value, 1 to 64.
        **settings
            Other settings of the class, and the title.

        Raises
        ------
        NoSolutionError
            If the sums show at once that there is no solution.
        InputError
            If an argument is malformed.
        """
        sums = (
            [as_integer(f"a sum of {name}", total, 1, 9999) for total in as_list(name, values)]
            for name, values in (("row_sums", row_sums), ("column_sums", column_sums))
        )
        return cls(reading.framed(*sums), largest=largest, **settings)

    @classmethod
    def read(cls, path: str | PathLike[str], **settings: Any) -> Self:
        r"""Read a puzzle.

        Parameters
        ----------
        path : path
            A text file. For a puzzle with black cells it has one row of the grid per line, as in
            `grid`, and the largest value is 9. For one without it has a line with the number n of
            rows and columns and the largest value, a line with the n row sums, and a line with the
            n column sums. ``#`` starts a comment that ends with the line.
        **settings
            Settings of the class; `largest` takes the place of that of the file.

        Raises
        ------
        NoSolutionError
            If the sums show at once that there is no solution.
        InputError
            If the file cannot be read or is malformed; the message names the file and the line.
        """
        rows, largest = reading.read(path)
        with errors_of(path, NoSolutionError):
            return cls(Checked(rows), **{"largest": largest, "title": Path(path).name, **settings})

    @classmethod
    def generate(
        cls,
        size: int = 10,
        largest: int | None = None,
        seed: int = 0,
        *,
        black: float = 0.0,
        **settings: Any,
    ) -> Self:
        """Make a random puzzle that has a solution; see `generate_solved`.

        Parameters
        ----------
        size : int
            Rows and columns, without those of the clues, 1 to 64.
        largest : int, optional
            The largest value, to 64; without black cells at least `size`. Default: 9 with black
            cells, 11 without. Random fillings of a square are rare if it is `size`.
        seed : int
            0 to 2^64 - 1. The same arguments give the same puzzle.
        black : float
            The share of black cells, 0 to 1. A few more make every run at most `largest` long.
        **settings
            Other settings of the class.

        Raises
        ------
        InputError
            If an argument is out of range, no filling is found, or there is no cell to fill.
        """
        return cls.generate_solved(size, largest, seed, black=black, **settings)[0]

    @classmethod
    def generate_solved(
        cls,
        size: int = 10,
        largest: int | None = None,
        seed: int = 0,
        *,
        black: float = 0.0,
        **settings: Any,
    ) -> tuple[Self, list[Move]]:
        """Make the same puzzle as `generate`, and the moves that solve it.

        Puzzles without black cells are made as in the paper: by uniform playouts that know no sums,
        until one fills the square. Its rows and columns give the sums. With black cells, the cell
        with the fewest values left is filled next.

        Returns
        -------
        problem : Kakuro
        moves : list of (row, column, value)
            They lead to the values that the sums were made from; there may be other solutions.
        """
        size = as_integer("size", size, 1, MAX_VALUE)
        black = float(as_number("black", black, 0, 1))
        if largest is None:
            largest = 9 if black else 11
        largest = as_integer("largest", largest, 1 if black else size, MAX_VALUE)
        seed = as_integer("seed", seed, 0, 2**64 - 1)
        share = f"{100 * black:g}% black, " if black else ""
        about = f"{size}x{size}, {share}values to {largest}, seed {seed}"
        rows, values = drawn(size, largest, black, seed) if black else _square(size, largest, seed)
        if values is None:
            tries = f"{ATTEMPTS} attempts" if black else f"{FILLING_PLAYOUTS:,} playouts"
            raise InputError(
                f"no filling of {size}x{size} cells with values up to {largest} found in {tries}; "
                f"a larger largest value{' or more black cells' if black else ''} makes it easy"
            )
        if not values:
            raise InputError(f"black must leave a cell to fill, {black:g} leaves none")
        problem = cls(rows, **{"largest": largest, "title": about, **settings})
        moves = [(*cell, value) for cell, value in zip(problem.cells, values, strict=True)]
        return problem, problem.core().follow(moves)

    @cached_property
    def across(self) -> list[CellRun]:
        """The runs across, row by row."""
        return grids.runs(self.grid)[0]

    @cached_property
    def down(self) -> list[CellRun]:
        """The runs down, column by column."""
        return grids.runs(self.grid)[1]

    @cached_property
    def cells(self) -> list[Cell]:
        """Row and column of each cell to fill, in order."""
        return [
            (row, column)
            for row, tokens in enumerate(self.grid)
            for column, token in enumerate(tokens)
            if token == OPEN
        ]

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"{len(self.cells)} cells, values to {self.largest}"

    def _kept(self) -> dict[str, Any]:
        return {**super()._kept(), "grid": [" ".join(tokens) for tokens in self.grid]}

    def core_settings(self) -> dict[str, Any]:
        """Return the settings of the core: the cells, and the runs with the numbers of theirs."""
        numbers = {cell: number for number, cell in enumerate(self.cells)}
        across, down = (
            [{"cells": [numbers[cell] for cell in run.cells], "sum": run.sum} for run in runs]
            for runs in (self.across, self.down)
        )
        return {
            "cells": self.cells,
            "largest": self.largest,
            "across": across,
            "down": down,
            "pruning": self.pruning,
        }

    @cached_property
    def _runs_of(self) -> dict[Cell, list[CellRun]]:
        found: dict[Cell, list[CellRun]] = {cell: [] for cell in self.cells}
        for run in (*self.across, *self.down):
            for cell in run.cells:
                found[cell].append(run)
        return found

    def _root(self, pruning: bool) -> Board:
        board = Board(dict.fromkeys(self.cells, (2 << self.largest) - 2), {})
        if pruning:
            board.prune((*self.across, *self.down))
        return board

    def _refutation(self) -> str | None:
        """Return why the puzzle has no solution, if the sums show that."""
        for direction, runs in (("across", self.across), ("down", self.down)):
            for run in runs:
                sums = run.possible(self.largest)
                if run.sum not in sums:
                    can = f"{sums[0]} to {sums[-1]}" if sums else "none"
                    row, column = run.clue
                    return (
                        f"the sum {direction} of row {row + 1}, column {column + 1} is {run.sum}; "
                        f"{len(run.cells)} different values up to {self.largest} have sums of {can}"
                    )
        totals = [sum(run.sum for run in runs) for runs in (self.across, self.down)]
        if all(len(runs) == 2 for runs in self._runs_of.values()) and totals[0] != totals[1]:
            return f"all sums across make {totals[0]}, all sums down {totals[1]}"
        if self._root(pruning=True).dead:
            return "the sums exclude every value of a cell"
        return None

    @property
    def improver(self) -> bool:
        """Whether the core deduces what each run can hold: with pruning, and values up to 16."""
        return self.pruning and self.largest <= DEDUCED

    @property
    def farthest(self) -> int:
        """The number of cells."""
        return len(self.cells)

    def initial(self) -> Board:
        """Return the root state."""
        return self._root(self.pruning)

    def moves(self, state: Board) -> list[Move]:
        """Return the values of the cell to fill next, as moves."""
        return moves_of(state)

    def play(self, state: Board, move: Move) -> Board:
        """Return the state after a move."""
        following = state.copy()
        row, column, value = move
        following.play((row, column), value, self._runs_of)
        if self.pruning:
            following.prune((*self.across, *self.down))
        return following

    def score(self, state: Board) -> float:
        """Return minus the number of wrong sums, or of all sums and empty cells."""
        return -float(self._missing(state))

    def _missing(self, board: Board) -> int:
        runs = (*self.across, *self.down)
        if board.domains:
            return len(runs) + len(board.domains)
        return sum(board.left(run) != 0 for run in runs)

    def prior_code(self, state: Board, move: Move) -> int:
        """Return, as one number: value, cells across that can take it, their sum, the same down.

        A number of cells has 8 bits and a sum 16; both are 0 if there is no run.
        """
        row, column, value = move
        code = value
        for runs in (self.across, self.down):
            own = [run for run in self._runs_of[row, column] if run in runs]
            can = [state.domains.get(cell, 0) >> value & 1 for run in own for cell in run.cells]
            code = (code << 8 | sum(can)) << 16 | sum(run.sum for run in own)
        return code

    def solution(self, moves: Sequence[Any]) -> Filling:
        """Return the puzzle after moves.

        Parameters
        ----------
        moves : sequence of (row, column, value)

        Raises
        ------
        InputError
            If a move has the wrong form or is not legal.
        """
        played = legal_moves(self.core(), moves, self._runs_of, self.largest)
        filled = {(row, column): value for row, column, value in played}
        values = tuple(
            tuple(filled.get((row, column), 0) for column in range(len(tokens)))
            for row, tokens in enumerate(self.grid)
        )
        return Filling(
            grid=self.grid,
            largest=self.largest,
            values=values,
            missing=self._missing(Board(dict.fromkeys(self._runs_of.keys() - filled, 0), filled)),
            title=self.label,
        )


def _tokens(grid: str | Sequence[str | Sequence[str]]) -> Tokens:
    """Return a grid as rows of words, after checking it."""
    try:
        lines = grid.splitlines() if isinstance(grid, str) else grid
        split = (line.split() if isinstance(line, str) else list(line) for line in lines)
        rows = tuple(tuple(words) for words in split if words)
        if not all(isinstance(word, str) for words in rows for word in words):
            raise TypeError
    except TypeError:
        raise InputError(f"grid must be rows of words, not {shown(grid)}") from None
    grids.check_grid(rows, "grid", lambda row: f"grid, row {row + 1}")
    return rows


def _square(size: int, largest: int, seed: int) -> tuple[Tokens, Sequence[int] | None]:
    """Return the grid of a filling by playouts that know no sums, and its values; None without."""
    values = _core.kakuro_filling(size, largest, seed, FILLING_PLAYOUTS)
    if values is None:
        return (), None
    by_row = [sum(values[start : start + size]) for start in range(0, size * size, size)]
    return reading.framed(by_row, [sum(values[start::size]) for start in range(size)]), values
