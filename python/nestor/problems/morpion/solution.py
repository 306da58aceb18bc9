"""A game, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from os import PathLike
from typing import Any

from nestor.errors import InputError, VerificationError
from nestor.files import as_path, write_file
from nestor.problems.base import Solution
from nestor.problems.morpion.formats import compact, pentasol
from nestor.problems.morpion.lines import DIRECTIONS, STEPS, Dot, Move, parse_move
from nestor.text import WIDTH, counted

FORMAT = "0.1"
"""The version of the record format."""

CROSSES = {
    "5": (
        "   oooo   ",
        "   o  o   ",
        "   o  o   ",
        "oooo  oooo",
        "o        o",
        "o        o",
        "oooo  oooo",
        "   o  o   ",
        "   o  o   ",
        "   oooo   ",
    ),
    "4": (
        "  ooo  ",
        "  o o  ",
        "ooo ooo",
        "o     o",
        "ooo ooo",
        "  o o  ",
        "  ooo  ",
    ),
}
"""The starting dots, by the length of lines."""


@dataclass(frozen=True, repr=False)
class Game(Solution):
    """A game of Morpion Solitaire.

    Attributes
    ----------
    variant : {"5T", "5D", "4T", "4D"}
    moves : tuple of Move
        The lines placed, in order of play.
    finished : bool
        Whether the game claims to have no legal move left.
    description, author, source : str
        Where the game comes from.
    """

    variant: str
    moves: tuple[Move, ...]
    finished: bool = True
    description: str = field(default="", compare=False)
    author: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    @property
    def score(self) -> float:
        """Number of moves."""
        return float(len(self.moves))

    @property
    def start(self) -> list[Dot]:
        """The dots of the starting cross."""
        rows = CROSSES[self.variant[0]]
        return [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "o"]

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """The smallest x and y and the largest x and y of all dots, and of lines that miss some."""
        dots = [*self.start, *(dot for line in self.lines() for dot in line)]
        xs, ys = zip(*dots, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def lines(self) -> list[list[Dot]]:
        """Return the dots of each line placed, from the first dot."""
        return [move.line(int(self.variant[0])) for move in self.moves]

    @property
    def parts(self) -> frozenset[Any]:
        """The lines, whichever of their dots is the new one."""
        return frozenset(map(tuple, self.lines()))

    def verify(self) -> None:
        """Check every line against all earlier dots and lines, starting from the cross.

        Raises
        ------
        VerificationError
            If a move is illegal, or if a game that claims to be finished has a legal move left; the
            message names the move.
        """
        for number, move in enumerate(self.moves, 1):
            try:  # a place outside the line would leave the new dot out of it
                parse_move(move, self.variant, number)
            except InputError as error:
                raise VerificationError(str(error)) from None
        if fault := self.fault():
            number, reason = fault
            raise VerificationError(f"move {number}, {self.moves[number - 1]}: {reason}")
        if self.finished:
            for line, direction in self._board().open_lines():
                name = DIRECTIONS[direction]
                raise VerificationError(
                    f"the game is not over after move {len(self.moves)}: the {name} line from "
                    f"{line[0]} to {line[-1]} can still be placed"
                )

    def fault(self, place: Callable[[Dot], str] = str) -> tuple[int, str] | None:
        """Return the number of the first illegal move and what is wrong with it, if there is one.

        Parameters
        ----------
        place : callable, optional
            How dots are shown.
        """
        board = _Board(self.variant, self.start)
        for number, (move, line) in enumerate(zip(self.moves, self.lines(), strict=True), 1):
            if reason := board.fault(line, move.dir, move.dot, place):
                return number, reason
            board.add(line, move.dir)
        return None

    def is_over(self) -> bool:
        """Whether no legal move is left."""
        return next(self._board().open_lines(), None) is None

    def _board(self) -> _Board:
        """Return the dots and lines after the last move."""
        board = _Board(self.variant, self.start)
        for move, line in zip(self.moves, self.lines(), strict=True):
            board.add(line, move.dir)
        return board

    def to_dict(self) -> dict[str, Any]:
        """Return the game in the record format "MSR 0.1", as JSON-able data."""
        left = sum(1 for _ in self._board().open_lines())
        texts = {"author": self.author, "source": self.source}
        return {
            "version": FORMAT,
            "variant": self.variant,
            "score": len(self.moves),
            "available_moves": left,
            "terminal": left == 0,
            "bbox": list(self.bounds),
            "description": self.description or f"{self.variant}, {self._count()}",
            **{key: text for key, text in texts.items() if text},
            "moves": [
                {"x": move.x, "y": move.y, "dir": DIRECTIONS[move.dir], "pos": move.pos}
                for move in self.moves
            ],
        }

    def record(self, path: str | PathLike[str] = "game.json") -> str:
        """Return the text of a record file of this name; see `save`."""
        suffix = as_path("path", path).suffix.lower()
        if suffix in (".psol", ".txt"):
            return pentasol(self.variant, self.moves)
        if suffix == ".msr":
            return compact(self.to_dict()) + "\n"
        if suffix not in (".json", ""):
            raise InputError(f"{path}: a record is a file in .json, .msr, .psol or .txt")
        return json.dumps(self.to_dict(), indent=2) + "\n"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the game to a file in a public record format; `load_record` reads all of them.

        Parameters
        ----------
        path : path
            Its suffix says which: ``.psol`` and ``.txt`` for Pentasol, the text of the record site
            (5T and 5D), ``.msr`` for the compact form of "MSR 0.1", ``.json`` or none for its JSON.

        Raises
        ------
        InputError
            If the file cannot be written, it has another suffix, or lines of four dots are to be
            written as Pentasol.
        """
        text = self.record(path)
        write_file(path, text)

    def headline(self) -> str:
        """Return the result in one line."""
        return f"Morpion Solitaire {self.variant}: {self._count()}"

    def _count(self) -> str:
        return counted(len(self.moves), "move")

    def text(self) -> str:
        """Return a text picture."""
        return "\n".join([self.headline(), "", *_drawing(self)])


class _Board:
    """Dots, and the lines of each direction that go through them."""

    def __init__(self, variant: str, start: list[Dot]) -> None:
        self.length = int(variant[0])
        self.sharing = {"T": 1, "D": 0}[variant[1]]
        self.dots = set(start)
        self.count = 0
        self.through: defaultdict[tuple[Dot, int], list[int]] = defaultdict(list)

    def fault(
        self, line: list[Dot], direction: int, new: Dot, place: Callable[[Dot], str]
    ) -> str | None:
        """Return why a line with this new dot is illegal; None if it is legal."""
        if new in self.dots:
            return "there is a dot already"
        missing = [dot for dot in line if dot not in self.dots and dot != new]
        if missing:
            return f"its line has no dot at {', '.join(map(place, missing))}"
        shared = Counter(other for dot in line for other in self.through.get((dot, direction), ()))
        other, count = max(shared.items(), key=lambda item: item[1], default=(0, 0))
        if count > self.sharing:
            return (
                f"its line shares {counted(count, 'dot')} with that of move {other}"
                f" ({'at most 1 is' if self.sharing else 'none is'} allowed)"
            )
        return None

    def add(self, line: list[Dot], direction: int) -> None:
        """Place a line."""
        self.count += 1
        self.dots.update(line)
        for dot in line:
            self.through[dot, direction].append(self.count)

    def open_lines(self) -> Iterator[tuple[list[Dot], int]]:
        """Yield the legal lines and their directions."""
        for direction, (dx, dy) in enumerate(STEPS):
            firsts = {(x - k * dx, y - k * dy) for x, y in self.dots for k in range(self.length)}
            for x, y in sorted(firsts):
                line = [(x + k * dx, y + k * dy) for k in range(self.length)]
                new = [dot for dot in line if dot not in self.dots]
                if len(new) == 1 and self.fault(line, direction, new[0], str) is None:
                    yield line, direction


def _drawing(game: Game) -> list[str]:
    """Draw a game in characters: O for starting dots, numbers for new dots, and the lines."""
    x0, y0, x1, y1 = game.bounds
    digits = len(str(len(game.moves)))
    pitch = max(2, digits, min(digits + 1, (WIDTH - digits) // (x1 - x0)))
    canvas = [[" "] * (pitch * (x1 - x0) + digits) for _ in range(2 * (y1 - y0) + 1)]

    def place(dot: Dot) -> tuple[int, int]:
        return 2 * (dot[1] - y0), pitch * (dot[0] - x0) + digits - 1

    for move, line in zip(game.moves, game.lines(), strict=True):
        for dot, following in pairwise(line):
            (row, column), (end_row, end_column) = place(dot), place(following)
            if row == end_row:
                canvas[row][column + 1 : end_column] = "-" * (end_column - column - 1)
                continue
            between = max(row, end_row) - 1, column + (end_column - column) // 2
            mark = " |/\\"[move.dir]
            crossed = canvas[between[0]][between[1]] not in (" ", mark)
            canvas[between[0]][between[1]] = "X" if crossed else mark
    labels = [(dot, "O") for dot in game.start]
    labels += [(move.dot, str(number)) for number, move in enumerate(game.moves, 1)]
    for dot, label in labels:
        row, column = place(dot)
        canvas[row][column + 1 - len(label) : column + 1] = label
    return ["".join(row).rstrip() for row in canvas]
