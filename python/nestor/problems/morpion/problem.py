"""The problem: a variant, and the twin of the core's rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from nestor.checks import as_list
from nestor.problems.morpion.lines import (
    FARTHEST,
    STEPS,
    VARIANTS,
    Dot,
    Move,
    State,
    Unit,
    parse_move,
)
from nestor.problems.morpion.reading import is_record, load_record
from nestor.problems.morpion.solution import Game
from nestor.problems.morpion.tuned import choose
from nestor.problems.native import NativeProblem
from nestor.settings import Choice, Flag, described, setting

SIDE = 64
"""The side of the grid of the search. The cross is near its centre."""
MARGIN = 4
"""Dots as near as this to the edge of the grid are never placed."""


@described
@dataclass(frozen=True, eq=False, repr=False)
class Morpion(NativeProblem):
    """Morpion Solitaire from the usual cross (Rosin 2011, section 3.2).

    A move adds one dot to the grid that completes a line of n dots (n = 5 or 4) and draws the line.
    Two lines of one direction on one track may share one dot in the touching game (T), and none in
    the disjoint game (D). The score is the number of moves.

    The policy's code of a move stands for the end points of its line. At first the moves are in the
    order of their directions, then of the line's first dot, row by row. After each move, those that
    are still legal keep their order, and the new ones follow by direction and first dot.

    Dominated moves: lines of one direction with the same new dot exclude each other. Such a line A
    is dominated by B if B reaches further into room that is lost after A anyway (no later line fits
    ahead of A), and leaves room on the other side that A would take from a later line (one fits
    behind B). A dominated move stays in the list with its own code, but the line placed is that of
    the dominating move furthest from it.

    Dots stay on a grid of 64x64, at least four dots from its edge. No game comes near the edge.

    Raises
    ------
    InputError
        If an argument is none of these.

    Examples
    --------
    >>> game = Morpion("5T")
    >>> len(game.moves(game.initial()))
    28
    """

    name = "morpion"
    policies = ("tuned",)

    variant: str = setting(
        "5D",
        Choice(VARIANTS),
        "Dots of a line; whether lines of one direction may touch (T) or not (D).",
    )
    dominated: bool = setting(True, Flag(), "A dominated move places the line that dominates it.")

    @staticmethod
    def read(path: str | PathLike[str], variant: str | None = None) -> Game:
        """Read a game, as `load_record` does; the problem itself needs no file."""
        return load_record(path, variant)

    def moves_in(self, path: Path) -> Sequence[Move] | None:
        """Return the moves of a record, in any of the formats that `load_record` reads."""
        return load_record(path, self.variant).moves if is_record(path) else None

    @property
    def unpruned(self) -> Morpion:
        """The game in which each move places its own line."""
        return replace(self, dominated=False) if self.dominated else self

    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return moves as the core takes them: the lines placed, whatever they were coded as."""
        lines = [parse_move(move, self.variant, number) for number, move in enumerate(moves, 1)]
        return super().core_moves([line._replace(coded=line.pos) for line in lines], where)

    @property
    def length(self) -> int:
        """Dots of a line."""
        return int(self.variant[0])

    @property
    def reach(self) -> int:
        """Units of a line (see `State`): its dots in D, its segments in T."""
        return self.length if self.variant.endswith("D") else self.length - 1

    @property
    def extent(self) -> str:
        """Name of the variant."""
        return self.variant

    @property
    def farthest(self) -> int:
        """A number of lines that no game has."""
        return FARTHEST

    def initial(self) -> State:
        """Return the cross and its legal lines."""
        return self.position(cross(self.length))

    def position(self, dots: Iterable[Dot]) -> State:
        """Return the position with these dots and no line yet."""
        state = State(frozenset(dots), frozenset(), (), 0)
        firsts = sorted(
            {
                (direction, y - back * dy, x - back * dx)
                for x, y in state.dots
                for direction, (dx, dy) in enumerate(STEPS)
                for back in range(self.length)
            }
        )
        lines = ((x, y, direction) for direction, y, x in firsts)
        return state._replace(legal=tuple(self._legal(state, lines)))

    def moves(self, state: State) -> list[Move]:
        """Return the legal moves in order; each is the line that it places."""
        if not self.dominated:
            return list(state.legal)
        return [move._replace(pos=self._dominating(state, move)) for move in state.legal]

    def play(self, state: State, move: Sequence[int]) -> State:
        """Return the state after a move, given as (x, y, dir, pos) or more."""
        x, y, direction, pos = move[:4]
        placed = Move(x, y, direction, pos, pos)
        taken = self._units(placed)
        after = State(state.dots | {(x, y)}, state.units | taken, (), state.played + 1)
        kept = [
            other
            for other in state.legal
            if other.dot != (x, y) and taken.isdisjoint(self._units(other))
        ]
        through = [
            (x - back * dx, y - back * dy, direction)
            for direction, (dx, dy) in enumerate(STEPS)
            for back in reversed(range(self.length))
        ]
        fresh = self._legal(after, through)
        return after._replace(legal=(*kept, *fresh), last=(x, y), fresh=len(fresh))

    def score(self, state: State) -> float:
        """Return the number of moves."""
        return float(state.played)

    def code(self, state: State, move: Move) -> Unit:
        """Return the first dot and the direction of the line that the move stands for."""
        dx, dy = STEPS[move[2]]
        return move[0] - move[4] * dx, move[1] - move[4] * dy, move[2]

    def prior_code(self, state: State, move: Move) -> int:
        """Return the number of the line: its lane on a grid of 64 x 64, and its place there."""
        x, y, direction = self.code(state, move)
        x, y = x + self._origin, y + self._origin
        lane, place = ((y, x), (64 + x, y), (128 + x + y, x), (255 + x - y + 63, x))[direction]
        return 64 * lane + place

    def choose(self, state: State, random: Iterator[float]) -> Move:
        """Return the next move of a playout with the tuned policy of nrpa-2011, figure 6."""
        return choose(state, self.moves(state), partial(self.play, state), random)

    def solution(self, moves: Sequence[Any]) -> Game:
        """Return the game of a complete sequence of moves.

        Parameters
        ----------
        moves : sequence
            Moves as `moves` gives them, (x, y, dir, pos) or mappings with these keys.

        Raises
        ------
        InputError
            If a move has the wrong form. The verifier checks whether it is legal.
        """
        given = enumerate(as_list("moves", moves), 1)
        lines = [parse_move(move, self.variant, number) for number, move in given]
        return Game(self.variant, tuple(line._replace(coded=line.pos) for line in lines))

    def _units(self, move: Move) -> frozenset[Unit]:
        return frozenset((*move.at(place), move.dir) for place in range(self.reach))

    def _legal(self, state: State, lines: Iterable[Unit]) -> list[Move]:
        """Return the legal ones of these lines (first dot and direction)."""
        found = []
        for x, y, direction in lines:
            line = Move(x, y, direction, 0, 0)
            missing = [k for k, dot in enumerate(line.line(self.length)) if dot not in state.dots]
            if len(missing) == 1 and self._on_grid(line.at(missing[0])):
                pos = missing[0]
                move = Move(*line.at(pos), direction, pos, pos)
                if state.units.isdisjoint(self._units(move)):
                    found.append(move)
        return found

    def _on_grid(self, dot: Dot) -> bool:
        return all(MARGIN <= c + self._origin < SIDE - MARGIN for c in dot)

    @property
    def _origin(self) -> int:
        """The row and the column of the grid in which the corner of the cross lies."""
        return 27 if self.length == 5 else 28

    def _dominating(self, state: State, move: Move) -> int:
        """Return `pos` of the line that dominates a legal one; its own if there is none."""
        rivals = [m.pos for m in state.legal if m[:3] == move[:3]]
        front, back = min(rivals), max(rivals)
        ahead = self._room(state, move, range(self.reach, 2 * self.reach))
        behind = self._room(state, move, range(-1, -self.reach - 1, -1))
        if front < move.pos and ahead < self.reach and behind + move.pos - front >= self.reach:
            return front
        if back > move.pos and behind < self.reach and ahead + back - move.pos >= self.reach:
            return back
        return move.pos

    def _room(self, state: State, move: Move, places: range) -> int:
        """Count the free units from the first of these places to the first used one."""
        used = ((*move.at(place), move.dir) in state.units for place in places)
        return next((count for count, is_used in enumerate(used) if is_used), len(places))


def cross(length: int) -> list[Dot]:
    """Return the dots of the starting cross, row by row.

    Parameters
    ----------
    length : int
        Dots of a line, 5 or 4: the cross has 36 or 24 dots and sides of 10 or 7.
    """
    arm = length - 2
    ends, inner, middle = (0, 3 * arm), (arm, 2 * arm), range(arm, 2 * arm + 1)

    def outline(a: int, b: int) -> bool:
        return (a in ends and b in middle) or (a in inner and (b <= arm or b >= 2 * arm))

    side = range(3 * arm + 1)
    return [(x, y) for y in side for x in side if outline(x, y) or outline(y, x)]
