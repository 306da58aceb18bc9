"""The problem: a board, the options of the search, and the twin of the core's rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, reduce
from itertools import islice
from operator import index, xor
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from nestor.checks import as_integer, as_list, shown
from nestor.errors import InputError
from nestor.files import read_text
from nestor.problems.fields import Checked, Given, extra_setting, given, title
from nestor.problems.native import NativeProblem
from nestor.problems.samegame import reading, rules
from nestor.problems.samegame.rules import Cell, Position
from nestor.problems.samegame.solution import Game
from nestor.settings import Flag, Kind, described, setting

TABU_MOVES = 10
"""How many moves come before groups of two of the tabu colour are legal."""
MAX_BIAS = 8
"""The largest bias by size."""
WEIGHTS = {"none": 0.0, "mild": 0.2, "size": 1.0}
"""The biases, as parts of the bias by size."""
PER_CELL = 50
"""What each cell that is left takes off the bonus of shaping."""
MANY = 60
"""So many cells of a colour make it the tabu colour for certain."""


class Tabu(Kind):
    """The commonest colour (True), none (False), or the number of a colour."""

    type, range, metavar = "bool or int", "A colour is 0 to 8", "COLOUR"

    def check(self, name: str, value: Any) -> bool | int:
        """Return the value."""
        if isinstance(value, bool):
            return value
        try:
            return as_integer(name, value, 0, 8)
        except InputError as error:
            raise InputError(f"{error}: a colour, True (the commonest) or False (none)") from None

    def read(self, text: str) -> bool | int:
        """Read a colour, "commonest" or "none"."""
        words = {"commonest": True, "none": False}
        if text not in words and not text.isdecimal():
            raise ValueError(f"{text!r} is not a colour, commonest or none")
        return words[text] if text in words else int(text)


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
@dataclass(frozen=True, eq=False, repr=False)
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
    moves are legal. They are also all legal when at most one block of the tabu colour is left,
    where a single cell counts as a block.

    A colour other than the commonest can be named, which often pays: ``tabu=3``. `variants` are the
    board with each of its colours, which a race or `Auto` tries; if one colour has 60 cells or
    more, it is that one.

    With shaping a game that leaves cells is worth max(0, 1000 - 50 cells) points more to the
    search, so that it learns to clear the board. The reported score is still the points, and the
    game with the most points is kept.

    The bias "size" is min(n - 2 - tabu, 8), where tabu is 1 for groups of two of the tabu colour
    and 0 otherwise: GNRPA.beta of the same section. Without the policy there is no tabu colour. The
    bias "mild" is a fifth of it, which is better; with shaping it is the default.

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
    biases = tuple(WEIGHTS)
    default_bias = "size"
    improver = True

    board: Given[str | Sequence[str | Sequence[int]], tuple[str, ...]] = given(
        lambda _, board: _rows(board)
    )
    _: KW_ONLY
    tabu: bool | int = setting(
        True,
        Tabu(),
        "The colour kept for large groups at the end. True is the commonest one, False none.",
        none="commonest",
    )
    shaping: bool = extra_setting(
        False, Flag(), "Let the number of cells that are left also steer the search."
    )
    title: str = title()

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.tabu) is int and self.tabu not in self.colours:
            colours = ", ".join(map(str, self.colours)) or "none"
            raise InputError(f"tabu must be a colour of the board ({colours}), not {self.tabu}")

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
        return cls(Checked(rows), **{"title": f"{Path(path).name} board {board}", **settings})

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
            cls(Checked(rows), **{"title": f"{name} board {number}", **settings})
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
        """The tabu colour, if the policy is on."""
        if self.tabu is not True:
            return None if self.tabu is False else self.tabu
        return min(self.colours, key=lambda colour: (-self.colours[colour], colour))

    @cached_property
    def colours(self) -> dict[int, int]:
        """How many cells of each colour there are."""
        count = Counter(int(cell) for row in self.board for cell in row if cell != ".")
        return dict(sorted(count.items()))

    def variants(self) -> dict[str, SameGame]:
        """Return the board with shaping and each tabu colour; none if a colour is named.

        Of a colour with 60 cells or more there is also the board without shaping.
        """
        if self.tabu is not True or len(self.colours) < 2:
            return {}
        most = max(self.colours.values())
        colours = [each for each, count in self.colours.items() if count == most or most < MANY]
        found = {
            f"tabu {colour}, shaping": replace(self, tabu=colour, shaping=True)
            for colour in colours
        }
        if len(colours) == 1:
            found[f"tabu {colours[0]}"] = replace(self, tabu=colours[0])
        return found

    @property
    def unpruned(self) -> SameGame:
        """The board without a tabu colour, so that any group may be removed."""
        return self if self.tabu is False else replace(self, tabu=False)

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"{self.width}x{self.height} board"

    @property
    def farthest(self) -> int:
        """The most groups: half of the cells."""
        return sum(len(row) - row.count(".") for row in self.board) // 2

    def default_biases(self, learned: bool) -> tuple[str, ...]:
        """Return the bias of the paper; with shaping, which is not from there, the mild one."""
        return ("mild" if self.shaping else self.default_bias,)

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

    def shaped(self, state: State) -> float:
        """Return what steers the search at the end of a game."""
        left = sum(map(len, state.position))
        bonus = max(0, rules.CLEARED - PER_CELL * left) if self.shaping and left else 0
        return float(state.points + bonus)

    def code(self, state: State, move: Cell) -> int:
        """Return the exclusive or of the random numbers of the group's cells, as the core does.

        Each cell has one for each colour.
        """
        colour = state.position[move[0]][move[1]]
        cells = rules.group_of(state.position, move)
        return reduce(xor, (rules.number(colour, cell) for cell in cells))

    def bias(self, state: State, move: Cell) -> float:
        """Return beta of the move under the bias in force."""
        if self.bias_name == "none":
            return 0.0
        size = len(rules.group_of(state.position, move))
        is_tabu = size == 2 and state.position[move[0]][move[1]] == self.tabu_colour
        return WEIGHTS[self.bias_name] * min(size - 2 - is_tabu, MAX_BIAS)

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
                    f"move {number}, {shown(tuple(move))}: no group of two or more cells is there"
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
            f"move {number} must be a pair of integers (column, row), not {shown(move)}"
        ) from None


def _rows(board: str | Sequence[str | Sequence[int]]) -> tuple[str, ...]:
    """Return a board as rows of characters, after checking it."""
    if not isinstance(board, str):
        try:
            rows = [_characters(row, f"board:{line}") for line, row in enumerate(board, start=1)]
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            raise InputError(f"board must be rows of digits or integers: {error}") from None
        if not all(row.strip() for row in rows):
            raise InputError("board must not have an empty row")
        board = "\n".join(rows)
    found = list(islice(reading.boards(board, "board"), 2))
    if len(found) > 1:
        raise InputError("board must be one board; an empty line begins another")
    return found[0]


def _characters(row: str | Sequence[int], where: str) -> str:
    """Return a row as a file has it; its integers are checked here, where they are still apart."""
    if isinstance(row, str):
        return row
    cells = ["." if cell == -1 else str(index(cell)) for cell in row]
    for number, cell in enumerate(cells, start=1):
        reading.check_cell(cell, number, where)
    return " ".join(cells)
