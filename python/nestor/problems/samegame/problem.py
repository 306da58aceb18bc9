"""The problem: a board, the options of the search, and the twin of the core's rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import reduce
from itertools import islice
from operator import index, xor
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from nestor.checks import as_integer, as_list
from nestor.errors import InputError
from nestor.files import read_text
from nestor.problems.fields import Checked, Given, given, title
from nestor.problems.native import NativeProblem
from nestor.problems.samegame import reading, rules
from nestor.problems.samegame.rules import Cell, Position
from nestor.problems.samegame.solution import Game
from nestor.settings import Flag, described, setting

TABU_MOVES = 10
"""How many moves come before groups of two of the tabu colour are legal."""
MAX_BIAS = 8
"""The largest bias by size."""


class State(NamedTuple):
    """A position of the game.

    Attributes
    ----------
    position : tuple of tuples of int
        The columns from the left, each with its colours from the bottom.
    points : int
        Points so far.
    played : int
        Moves so far.
    """

    position: Position
    points: int
    played: int


@described
@dataclass(frozen=True, eq=False)
class SameGame(NativeProblem):
    """SameGame on a board of up to 32x32 cells and 9 colours.

    A move removes a group: two or more cells of one colour that are connected by their sides. The
    cells above fall, and empty columns are closed from the right. A group of n cells is worth
    (n-2)^2 points, and an empty board 1000 more. Cells that are left cost nothing (Negrevergne and
    Cazenave 2017, section 1).

    A move is (column, row): the group's leftmost column and its lowest row in that column, from the
    left and from the bottom, both from 0. Moves are in the order of these pairs. `solution` also
    takes any other cell of the group.

    The tabu colour policy (section 6.1 of Cazenave 2020) keeps the commonest colour of the initial
    board (the lowest number of several) together for large groups at the end. Of that colour only
    groups of two are legal, and only after more than ten moves. If that would leave no move, all
    moves are legal. So they are once at most one block of the tabu colour remains; a single cell is
    a block, too.

    The bias "size" is min(n - 2 - tabu, 8), where tabu is 1 for groups of two of the tabu colour
    and 0 otherwise: GNRPA.beta of the same section. Without the policy there is no tabu colour.

    Parameters
    ----------
    board : str or sequence of rows
        Rows from the top. A row is a string of digits (colours 0 to 8) and "." (no cell), or a
        sequence of integers with -1 for no cell. One string is read as a file would be. Cells
        without one below them fall first.

    Raises
    ------
    InputError
        If the board is malformed.

    Examples
    --------
    >>> game = SameGame(["011", "001"])
    >>> game.moves(game.initial())
    [(0, 0), (1, 1)]
    >>> game.solution([(1, 1), (0, 0)]).total
    1002
    """

    name = "samegame"
    sense = "max"
    biases = ("none", "size")
    default_bias = "size"

    board: Given[str | Sequence[str | Sequence[int]], tuple[str, ...]] = given(
        lambda _, board: _rows(board)
    )
    _: KW_ONLY
    tabu: bool = setting(True, Flag(), "Keep the commonest colour for large groups at the end.")
    title: str = title()

    @classmethod
    def read(cls, path: str | PathLike[str], board: int = 1, **settings: Any) -> Self:
        """Read one board of a file.

        Parameters
        ----------
        path : path
            A text file with one row per line, from the top. Cells are digits, or "." for none,
            with or without spaces between them; empty lines separate boards.
        board : int
            Which of its boards, from 1.
        **settings
            Settings of the class.

        Raises
        ------
        InputError
            If there is no such board, or the file is malformed before its end.
        """
        board = as_integer("board", board, 1, 10**6)
        boards = reading.boards(read_text(path, "SameGame boards", reading.LIMIT), str(path))
        before = sum(1 for _ in islice(boards, board - 1))
        rows = next(boards, None)
        if rows is None:
            raise InputError(f"{path}: board {board} is wanted, but the file has {before}")
        return cls(Checked(rows), title=f"{Path(path).name} board {board}", **settings)

    @classmethod
    def read_all(cls, path: str | PathLike[str], **settings: Any) -> list[Self]:
        """Read all boards of a file (see `read`).

        Raises
        ------
        InputError
            If the file is malformed.
        """
        boards = reading.boards(read_text(path, "SameGame boards", reading.LIMIT), str(path))
        name = Path(path).name
        return [
            cls(Checked(rows), title=f"{name} board {number}", **settings)
            for number, rows in enumerate(boards, start=1)
        ]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.board[0])

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.board)

    @property
    def tabu_colour(self) -> int | None:
        """The commonest colour, if the tabu colour policy is on."""
        if not self.tabu:
            return None
        count = Counter(cell for row in self.board for cell in row if cell != ".")
        return min(map(int, count), key=lambda colour: (-count[str(colour)], colour))

    @property
    def label(self) -> str:
        """A short name of the instance."""
        return self.title or f"{self.width}x{self.height} board"

    def initial(self) -> State:
        """Return the root state."""
        return State(rules.start(self.board), 0, 0)

    def moves(self, state: State) -> list[Cell]:
        """Return the legal moves, in order."""
        tabu = self.tabu_colour
        everything, offered, tabu_blocks = [], [], 0
        for block in rules.blocks(state.position):
            column, row = move = block[0]
            is_tabu = state.position[column][row] == tabu
            tabu_blocks += is_tabu
            if len(block) >= 2:
                everything.append(move)
                if not is_tabu or (len(block) == 2 and state.played > TABU_MOVES):
                    offered.append(move)
        return offered if offered and tabu_blocks > 1 else everything

    def play(self, state: State, move: Cell) -> State:
        """Return the state after a move."""
        group = rules.group_of(state.position, move)
        position = rules.without(state.position, group)
        bonus = 0 if position else rules.CLEARED
        return State(position, state.points + rules.points(len(group)) + bonus, state.played + 1)

    def score(self, state: State) -> float:
        """Return the points of a finished game."""
        return float(state.points)

    def code(self, state: State, move: Cell) -> int:
        """Return the exclusive or of the random numbers of the group's cells, as the core does."""
        colour = state.position[move[0]][move[1]]
        cells = rules.group_of(state.position, move)
        return reduce(xor, (rules.number(colour, cell) for cell in cells))

    def bias(self, state: State, move: Cell) -> float:
        """Return beta of the move under the bias in force."""
        if self.bias_name == "none":
            return 0.0
        size = len(rules.group_of(state.position, move))
        is_tabu = size == 2 and state.position[move[0]][move[1]] == self.tabu_colour
        return float(min(size - 2 - is_tabu, MAX_BIAS))

    def solution(self, moves: Sequence[Any]) -> Game:
        """Replay a game and name every group by its leftmost, lowest cell.

        Parameters
        ----------
        moves : sequence of (column, row)
            Any cell of each group, in the position at that moment.

        Raises
        ------
        InputError
            If a move is not a pair of integers, or there is no group there.
        """
        state = self.initial()
        named, earned = [], []
        for number, move in enumerate(as_list("moves", moves), start=1):
            group = rules.group_of(state.position, _cell(move, number))
            if len(group) < 2:
                raise InputError(
                    f"move {number}, {tuple(move)}: no group of two or more cells is there"
                )
            named.append(group[0])
            earned.append(rules.points(len(group)))
            state = self.play(state, group[0])
        return Game(
            board=self.board,
            moves=tuple(named),
            points=tuple(earned),
            total=state.points,
            cleared=not state.position,
            title=self.label,
        )


def _cell(move: Any, number: int) -> Cell:
    try:
        column, row = move
        return index(column), index(row)
    except (TypeError, ValueError):
        raise InputError(
            f"move {number} must be a pair of integers (column, row), not {move!r:.80}"
        ) from None


def _rows(board: str | Sequence[str | Sequence[int]]) -> tuple[str, ...]:
    """Return a board as rows of characters, after checking it."""
    if not isinstance(board, str):
        try:
            rows = [_characters(row) for row in board]
        except (TypeError, ValueError) as error:
            raise InputError(f"board must be rows of digits or integers: {error}") from None
        if not all(row.strip() for row in rows):
            raise InputError("board must not have an empty row")
        board = "\n".join(rows)
    found = list(islice(reading.boards(board, "board"), 2))
    if len(found) > 1:
        raise InputError("board must be one board; an empty line begins another")
    return found[0]


def _characters(row: str | Sequence[int]) -> str:
    """Return a row as a file has it."""
    if isinstance(row, str):
        return row
    return " ".join("." if cell == -1 else str(index(cell)) for cell in row)
