"""Local search for a front: tries from games of the front, each in a direction drawn at random."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Sequence
from functools import partial
from operator import mul
from typing import Annotated, Any

from nestor.algorithms.own import algorithm
from nestor.errors import InputError
from nestor.objectives import parts_of
from nestor.pareto.keeper import Keeper
from nestor.problem import state_after
from nestor.problems.base import BaseProblem
from nestor.research import Playout, Policy, playout
from nestor.research.bound import NewBest, bind, meter_for
from nestor.settings import Integer

SLICE = 50
"""Tries between looks at whether to go on."""

PIECE = 3
"""The most items of a piece that is put elsewhere in an order, and of moves taken out of a set."""

HALF = 0.5
"""The share of the tries of each of two kinds."""


@algorithm
def ParetoLocalSearch(  # noqa: N802
    search: Any,
    problem: Any,
    policy: Policy,
    level: int = 1,
    key: Any = None,
    *,
    turns: Annotated[int, Integer(1, 10**9), "Turns of a search, each with new weights."] = 500,
    tries: Annotated[int, Integer(1, 10**9), "Tries of a turn."] = 200,
) -> Generator[Any, None, Playout]:
    """Local search for a front of several objectives, of orders, sets and covers.

    Each turn draws random weights for the objectives, and starts from the game of the front that is
    best by them, or every second turn from any game of the front. It makes some tries from there: a
    part of an order is reversed or put elsewhere; moves of a set are taken back and others played;
    every second try at a cover then takes back what the others make needless, one by one.
    If a try is no worse by the weights, the next one starts from it; the front takes every game
    that nothing on it beats. The weights are those of a sum of the objectives, each as a share of
    what the front spans. It is genetic local search with random weights (Jaszkiewicz 2002) as we
    read it, without its crossover.

    A search has `turns` turns of `tries` tries each; `level` has no effect.
    """
    if not can_change(problem):
        raise InputError(
            "ParetoLocalSearch changes orders, sets and covers whose moves are the same wherever "
            "they are played (change = 'order', 'set' or 'cover', no methods item and task); use "
            "ParetoNRPA"
        )
    keeper = Keeper(search, bind(problem).adapted)
    if not keeper.archive:
        game = playout(problem, policy, key=key.child(0))
        keeper.offer(keeper.last(), lambda: game.moves, search.playouts)
        keeper.record()
    for turn in range(search.state or 0, turns):
        rng = random.Random(key.child(turn + 1).value)
        weights = _weights(keeper, rng)
        front = [*keeper.archive]
        start = front[int(rng.random() * len(front))] if turn % 2 else min(front, key=weights)
        moves = keeper.archive.entries[start][1]
        changed = CHANGES[problem.change](keeper.adapted, moves)
        tally, parts, loss = _Tally(search, problem, keeper), len(start), weights(start)
        for _ in range(tries):
            tally.one()
            found = changed.propose(rng)
            losses = keeper.objectives.losses(parts_of(found, parts, changed.judge))
            tally.improved(losses[0], changed.proposed)
            keeper.offer(losses, partial(list, changed.proposed), tally.playouts)
            if (now := weights(losses)) <= loss:
                loss = now
                changed.take()
        tally.tell()
        yield turn + 1
    return search.best  # type: ignore[no-any-return]


# Its games are changed, not played.
ParetoLocalSearch.plays = False  # type: ignore[attr-defined]


def can_change(problem: object) -> bool:
    """Whether a problem has moves that this search can change."""
    alike = not (hasattr(problem, "item") or hasattr(problem, "task"))
    return getattr(problem, "change", "none") in CHANGES and alike


def _weights(keeper: Keeper, rng: random.Random) -> Callable[[Sequence[float]], float]:
    """Return a sum of losses with weights drawn at random, each a share of what the front spans."""
    spans = [max(part) - min(part) or 1.0 for part in zip(*keeper.archive, strict=True)]
    drawn = [rng.expovariate(1.0) / span for span in spans]
    return lambda losses: sum(map(mul, drawn, losses))


class _Tally:
    """Counts tries, slice by slice, and tells of new bests of the first objective."""

    def __init__(self, search: Any, problem: Any, keeper: Keeper) -> None:
        self._bound = bind(problem)
        self._search, self._meter, self._keeper = search, meter_for(self._bound), keeper
        self._left, self._done, self._best = 0, 0, -math.inf
        self._improved: list[NewBest] = []
        self._moves: list[Any] = []

    @property
    def playouts(self) -> int:
        """The playouts of the job, with those of this slice."""
        return self._search.playouts + self._done  # type: ignore[no-any-return]

    def one(self) -> None:
        """Wait until one more try is allowed."""
        if self._done == self._left:
            self.tell()
            if self._meter is not None:
                left, _, best = self._meter.allow()
                self._left = min(left, SLICE)
                self._best = -math.inf if best is None else best
        self._done += 1

    def improved(self, first: float, moves: Sequence[Any]) -> None:
        """Take a new best of the first objective, which less is better of, if it is one."""
        if -first > self._best:
            self._best, self._moves = -first, [*moves]
            self._improved.append((self._done, -first, 0))

    def tell(self) -> None:
        """Count the tries of this slice."""
        if self._done and self._meter is not None:
            moves = self._bound.adapted.core_moves(self._moves, "moves") if self._improved else []
            self._meter.count(self._done, {"evaluated": self._done}, self._improved, moves)
        self._keeper.record()
        self._left = self._done = 0
        self._improved = []


class _Order:
    """An order of moves, and a change of it."""

    def __init__(self, problem: BaseProblem, moves: Sequence[Any]) -> None:
        self._moves = [*moves]
        self._cost_of: Callable[[list[Any]], Any] = problem.scores_after
        self.judge = "score()"
        if hasattr(problem.original, "cost_of"):
            self._cost_of = (problem.remembered or problem.original).cost_of
            self.judge = "cost_of()"
        self.proposed = self._moves

    def propose(self, rng: random.Random) -> Any:
        """Change the order at random, and return the score."""
        new, n = self._moves[:], len(self._moves)
        first = int(rng.random() * n)
        if rng.random() < HALF:
            last = int(rng.random() * n)
            first, last = min(first, last), max(first, last) + 1
            new[first:last] = new[first:last][::-1]
        else:
            piece = new[first : first + 1 + int(rng.random() * PIECE)]
            del new[first : first + len(piece)]
            place = int(rng.random() * (len(new) + 1))
            new[place:place] = piece if rng.random() < HALF else piece[::-1]
        self.proposed = new
        return self._cost_of(new[:])

    def take(self) -> None:
        """Go on from what was proposed."""
        self._moves = self.proposed


class _Set:
    """A set of moves, and a change of it."""

    judge = "score()"

    def __init__(self, problem: BaseProblem, moves: Sequence[Any]) -> None:
        self._scores_at, self._rules = problem.bare.scores_at, problem.bare.original
        self._undo, self._moves = getattr(self._rules, "undo", None), [*moves]
        self._state = state_after(self._rules, self._moves)
        self._next = self._state
        self.proposed = self._moves

    def propose(self, rng: random.Random) -> Any:
        """Take back some moves, play others at random, and return the score."""
        moves, state = self._moves[:], self._state
        for _ in range(min(1 + int(rng.random() * PIECE), len(moves))):
            gone = moves.pop(int(rng.random() * len(moves)))
            if self._undo is not None:
                state = self._undo(state, gone)
        if self._undo is None:
            state = state_after(self._rules, moves)
        while len(legal := self._rules.moves(state)):
            moves.append(legal[int(rng.random() * len(legal))])
            state = self._rules.play(state, moves[-1])
        self.proposed, self._next = self._ended(moves, state, rng)
        return self._scores_at(self._next, frozenset(self.proposed))

    def _ended(self, moves: list[Any], state: Any, rng: random.Random) -> tuple[list[Any], Any]:
        """Return the moves of a try, and the state that they lead to."""
        return moves, state

    def take(self) -> None:
        """Go on from what was proposed."""
        self._moves, self._state = self.proposed, self._next


class _Cover(_Set):
    """A cover, and a change of it."""

    def _ended(self, moves: list[Any], state: Any, rng: random.Random) -> tuple[list[Any], Any]:
        """Half the time, take back what the others make needless."""
        if rng.random() < HALF:
            return moves, state
        for gone in rng.sample(moves, len(moves)):
            rest = [move for move in moves if move != gone]
            undo = self._undo
            without = state_after(self._rules, rest) if undo is None else undo(state, gone)
            if not len(self._rules.moves(without)):
                moves, state = rest, without
        return moves, state


CHANGES: dict[str, type[_Order] | type[_Set]] = {"order": _Order, "set": _Set, "cover": _Cover}
"""What makes the tries, by what may be changed."""
