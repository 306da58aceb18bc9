"""How moves are written: a new dot, the direction of its line, and its place in the line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from nestor.checks import check_choice, index_of, shown
from nestor.errors import InputError

VARIANTS = ("5T", "5D", "4T", "4D")
"""Dots of a line, and whether lines may touch (T) or are disjoint (D)."""

DIRECTIONS = ("H", "V", "DP", "DN")
"""Names of the directions."""

STEPS = ((1, 0), (0, 1), (1, -1), (1, 1))
"""The unit step of each direction."""

FARTHEST = 500
"""No legal game reaches larger coordinates: a game of 5T has at most 485 moves."""

Dot = tuple[int, int]


class Move(NamedTuple):
    """A line placed.

    Attributes
    ----------
    x, y : int
        The new dot. The starting cross is at 0 to 9, in games of 4 at 0 to 6; y grows downwards.
    dir : int
        Direction of the line: 0 to 3 are H (1, 0), V (0, 1), DP (1, -1) and DN (1, 1).
    pos : int
        Place of the new dot in the line, 0 to n - 1: the line starts at (x, y) - pos * step.
    coded : int
        Place of the new dot in the line that the policy's code of the move stands for. It differs
        from `pos` if the move is dominated.
    """

    x: int
    y: int
    dir: int
    pos: int
    coded: int

    @property
    def dot(self) -> Dot:
        """The new dot."""
        return self.x, self.y

    def at(self, place: int) -> Dot:
        """Return the dot at a place of the line; places before and after the line are allowed."""
        dx, dy = STEPS[self.dir]
        return self.x + (place - self.pos) * dx, self.y + (place - self.pos) * dy

    def line(self, length: int) -> list[Dot]:
        """Return the dots of a line of `length` dots, from the first one."""
        return [self.at(place) for place in range(length)]

    def __str__(self) -> str:
        return f"({self.x}, {self.y}) {DIRECTIONS[self.dir]}{self.pos}"


Unit = tuple[int, int, int]


class State(NamedTuple):
    """A position of the game.

    Attributes
    ----------
    dots : frozenset of (x, y)
    units : frozenset of (x, y, dir)
        What lines may not share: in T the segment from (x, y) to the next dot in the direction
        `dir`, in D the dot (x, y) as part of lines of this direction.
    legal : tuple of Move
        The legal lines in their order, dominated or not.
    played : int
        Moves so far.
    last : (x, y) or None
        The last dot played.
    fresh : int
        How many moves at the end of `legal` the last move has made available.
    """

    dots: frozenset[Dot]
    units: frozenset[Unit]
    legal: tuple[Move, ...]
    played: int
    last: Dot | None = None
    fresh: int = 0


def parse_move(move: Any, variant: str, number: int) -> Move:
    """Read a move.

    Parameters
    ----------
    move : sequence or mapping
        (x, y, dir, pos), with or without `coded`, or a mapping with these keys; `dir` is a number
        or a name of `DIRECTIONS`.
    variant : str
    number : int
        Which move of the game it is, from 1, for errors.

    Raises
    ------
    InputError
        If the move has the wrong form; the message names it. Whether it is legal is not checked.
    """
    where = f"move {number}"
    if isinstance(move, Mapping):
        missing = [key for key in ("x", "y", "dir", "pos") if key not in move]
        if missing:
            raise InputError(f"{where}: no {', '.join(map(repr, missing))} in {shown(move)}")
        x, y, direction, pos = (move[key] for key in ("x", "y", "dir", "pos"))
        coded = move.get("coded", pos)
    else:
        try:
            x, y, direction, pos, *rest = move
            (coded,) = rest or (pos,)
        except (TypeError, ValueError):
            raise InputError(f"{where} must be (x, y, dir, pos), not {shown(move)}") from None
    if isinstance(direction, str):
        check_choice(f"{where}: dir", direction, DIRECTIONS)
        direction = DIRECTIONS.index(direction)
    last = int(variant[0]) - 1
    return Move(
        _integer(x, f"{where}: x", -FARTHEST, FARTHEST),
        _integer(y, f"{where}: y", -FARTHEST, FARTHEST),
        _integer(direction, f"{where}: dir", 0, 3),
        _integer(pos, f"{where}: pos", 0, last),
        _integer(coded, f"{where}: coded", 0, last),
    )


def _integer(value: Any, what: str, low: int, high: int) -> int:
    number = index_of(value, low, high)
    if number is None:
        raise InputError(f"{what} must be an integer from {low} to {high}, not {shown(value)}")
    return number
