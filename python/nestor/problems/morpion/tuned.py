"""The twin of the core's tuned playout policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nestor.problems.morpion.lines import Dot, Move, State


def choose(
    state: State, moves: Sequence[Move], play: Callable[[Move], State], random: Iterator[float]
) -> Move:
    """Return the next move of a playout with the tuned policy (nrpa-2011, figure 6).

    1. If the last move made new lines available, 4 of them are drawn with replacement.
    2. Otherwise, with probability 0.9, 2 moves are drawn with replacement from those whose new dot
       is 1 or 2 steps from the last one in one of the directions, if there are any.
    3. Otherwise 6 moves are drawn without replacement, or all are taken if there are not more.

    Of the moves drawn, rules 1 and 2 play the one after which the most moves are available. Rule 3
    plays the one that makes the most new lines available and, of several, leaves the most moves. Of
    equal moves the first one is played. Rule 3 also plays the first move of a game. If there is
    only one candidate, nothing is drawn.

    Parameters
    ----------
    state : State
    moves : sequence of Move
        The legal moves, at least one.
    play : callable
        Returns the state after a move.
    random : iterator of float
        The random numbers of the playout, in [0, 1).
    """
    if len(moves) == 1:
        return moves[0]

    def available(move: Move) -> int:
        return len(play(move).legal)

    def new_and_available(move: Move) -> tuple[int, int]:
        after = play(move)
        return after.fresh, len(after.legal)

    if state.last is not None:
        if state.fresh > 0:
            return _best(moves[-state.fresh :], 4, available, random)
        if next(random) < 0.9:
            near = [move for move in moves if _is_near(state.last, move.dot)]
            if near:
                return _best(near, 2, available, random)
    left = list(moves)
    if len(left) > 6:
        left = [left.pop(_below(len(left), random)) for _ in range(6)]
    return max(left, key=new_and_available)


def _best(
    moves: Sequence[Move], samples: int, value: Callable[[Move], Any], random: Iterator[float]
) -> Move:
    """Return the first move of greatest value among some drawn with replacement."""
    if len(moves) == 1:
        return moves[0]
    return max([moves[_below(len(moves), random)] for _ in range(samples)], key=value)


def _below(count: int, random: Iterator[float]) -> int:
    return int(next(random) * count)


def _is_near(dot: Dot, other: Dot) -> bool:
    dx, dy = abs(dot[0] - other[0]), abs(dot[1] - other[1])
    return (dx == 0 or dy == 0 or dx == dy) and 1 <= max(dx, dy) <= 2
