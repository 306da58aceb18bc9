"""The problem: a partial square, the options of the search, and the twin of the core's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

from nestor import _core
from nestor.arrays import np, npt
from nestor.checks import as_integer, as_number
from nestor.errors import InputError, errors_of
from nestor.problems.cells import Move, legal_moves, moves_of
from nestor.problems.fields import Checked, Given, given, title
from nestor.problems.latin_square import reading
from nestor.problems.latin_square.reading import MAX_ORDER, Rows
from nestor.problems.latin_square.rules import Board
from nestor.problems.latin_square.solution import Square
from nestor.problems.native import NativeProblem
from nestor.settings import Flag, described, setting


class NoCompletionError(InputError):
    """The rules of the search show at once that a partial square cannot be completed."""


@described
@dataclass(frozen=True, eq=False, repr=False)
class LatinSquare(NativeProblem):
    """Latin square completion, of orders up to 64 (learned-prior-2024, section 4.1).

    The holes of a partial square have to be filled so that every row and every column has each
    value from 1 to n once. The natural score is the number of holes left, 0 for a complete square.

    A move is (row, column, value), with row and column from 0 and value from 1. It fills the hole
    with the fewest values left (forward checking: the values that its row and column do not have
    yet), the first of several by row and column. The values of that hole are the moves, in order,
    even if there is only one. With hidden singles, a value that only one hole of a row or column
    can take is put there at once; that is not a move. The game is over when a hole has no value
    left, or when no hole is left.

    The policy's code of a move is the move. A learned prior counts it by a more general code
    (`prior_code`), that of the paper: how many holes of the column can take the value, and how many
    of the row.

    Hidden singles are the channelling constraints of the paper. They make its test squares (order
    20, 42 % holes) easy: some ten uniform playouts complete one. We get its table 1 without them.

    Parameters
    ----------
    square : array_like of int, shape (n, n)
        The cells, row by row: 1 to n, or 0 for a hole; 1 <= n <= 64.

    Raises
    ------
    NoCompletionError
        If the rules of the search alone show that the square cannot be completed.
    InputError
        If an argument is malformed, or the square has a value twice in a row or column.

    Examples
    --------
    >>> problem = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    >>> problem.moves(problem.initial())
    [(0, 1, 2), (0, 1, 3)]
    >>> print(problem.solution([(0, 1, 2), (1, 0, 2)]))
    3x3 square: completed, 8 holes filled
    <BLANKLINE>
    1 2 3
    2 3 1
    3 1 2
    """

    name = "latin"
    sense = "min"
    change = "decisions"
    optimum = 0.0
    improver = True

    square: Given[npt.ArrayLike, Rows] = given(lambda _, square: _rows(square))
    _: KW_ONLY
    hidden_singles: bool = setting(
        True, Flag(), "Put a value at once where it has only one place left."
    )
    title: str = title()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._root.dead:
            raise NoCompletionError(f"no completion exists: {self._root.fault}")

    @classmethod
    def read(cls, path: str | PathLike[str], **settings: Any) -> Self:
        """Read a partial square.

        Parameters
        ----------
        path : path
            A text file: the order n on the first line, then n lines of n values from 1 to n, 0 for
            a hole. ``#`` starts a comment that ends with the line.
        **settings
            Settings of the class.

        Raises
        ------
        NoCompletionError
            If the rules of the search alone show that the square cannot be completed.
        InputError
            If the file cannot be read or is malformed; the message names the file and the line.
        """
        rows = reading.read(path)
        with errors_of(path, NoCompletionError):
            return cls(Checked(rows), **{"title": Path(path).name, **settings})

    @classmethod
    def generate(cls, order: int = 20, holes: float = 0.42, seed: int = 0, **settings: Any) -> Self:
        """Make a random partial square that can be completed.

        It is a random Latin square with holes at random cells; see `generate_solved`.

        Parameters
        ----------
        order : int
            1 to 64.
        holes : float
            Share of the cells, 0 to 1, rounded to whole cells. Squares are hardest around 0.42.
        seed : int
            0 to 2^64 - 1. The same arguments give the same square.
        **settings
            Settings of the class.

        Raises
        ------
        InputError
            If an argument is out of range.
        """
        return cls.generate_solved(order, holes, seed, **settings)[0]

    @classmethod
    def generate_solved(
        cls, order: int = 20, holes: float = 0.42, seed: int = 0, **settings: Any
    ) -> tuple[Self, list[Move]]:
        """Make the same partial square as `generate`, and the moves that complete it.

        The complete square is made from the cyclic one by n^3 steps of the Markov chain of Jacobson
        and Matthews (1996), whose limit is the uniform distribution of Latin squares.

        Returns
        -------
        problem : LatinSquare
        moves : list of (row, column, value)
            They lead to the square that the holes were made in; there may be other completions.
        """
        order = as_integer("order", order, 1, MAX_ORDER)
        holes = as_number("holes", holes, 0, 1)
        seed = as_integer("seed", seed, 0, 2**64 - 1)
        count = round(holes * order * order)
        complete, cells = _core.latin_square(order, count, seed)
        rows = tuple(tuple(cells[at : at + order]) for at in range(0, len(cells), order))
        title = f"order {order}, {count} holes, seed {seed}"
        problem = cls(Checked(rows), **{"title": title, **settings})
        moves = [(*divmod(cell, order), value) for cell, value in enumerate(complete)]
        return problem, problem.core().follow(moves)

    @property
    def order(self) -> int:
        """Number of rows, columns and values."""
        return len(self.square)

    @property
    def holes(self) -> int:
        """Number of cells to fill."""
        return sum(row.count(0) for row in self.square)

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"{self.order}x{self.order} square"

    @cached_property
    def _root(self) -> Board:
        return Board.root(self.square, self.hidden_singles)

    def initial(self) -> Board:
        """Return the root state: the square with its hidden singles filled in."""
        return self._root

    def moves(self, state: Board) -> list[Move]:
        """Return the values of the hole to fill next, as moves."""
        return moves_of(state)

    def play(self, state: Board, move: Move) -> Board:
        """Return the state after a move."""
        following = state.copy()
        following.play(move[:2], move[2], self.hidden_singles)
        return following

    def score(self, state: Board) -> float:
        """Return minus the number of holes left."""
        return -float(len(state.domains))

    def prior_code(self, state: Board, move: Move) -> int:
        """Return, as one number, how many holes of the column and of the row can take the value."""
        row, column, value = move
        in_column = state.places[self.order + column][value].bit_count()
        return in_column << 8 | state.places[row][value].bit_count()

    @property
    def farthest(self) -> int:
        """The number of holes."""
        return self.holes

    def solution(self, moves: Sequence[Any]) -> Square:
        """Return the square after moves.

        Parameters
        ----------
        moves : sequence of (row, column, value)

        Raises
        ------
        InputError
            If a move has the wrong form or is not legal.
        """
        board = self._root.copy()
        for *cell, value in legal_moves(self.core(), moves, self._root.domains, self.order):
            board.play((cell[0], cell[1]), value, self.hidden_singles)
        cells = tuple(tuple(row) for row in board.square)
        return Square(given=self.square, cells=cells, title=self.label)


def _rows(square: npt.ArrayLike) -> Rows:
    """Return a square as rows of integers, after checking it."""
    try:
        array = np.array(square)
    except ValueError:
        raise InputError("square must have rows of equal length") from None
    n = len(array) if array.ndim else 0
    if array.shape != (n, n) or not 1 <= n <= MAX_ORDER:
        raise InputError(
            f"square must be of shape (n, n), n from 1 to {MAX_ORDER}, not {array.shape}"
        )
    if array.dtype.kind not in "iu" or (wrong := array[(array < 0) | (array > n)]).size:
        found = f"not {wrong[0]}" if array.dtype.kind in "iu" else f"not {array.dtype}"
        raise InputError(f"square must hold integers from 1 to {n}, or 0 for a hole, {found}")
    rows: Rows = tuple(map(tuple, array.tolist()))
    for end in range(1, n + 1):
        if message := reading.fault(rows[:end]):
            raise InputError(f"square: {message}")
    return rows
