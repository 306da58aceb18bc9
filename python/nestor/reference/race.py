"""The race: searches side by side, of which the worse half is dropped after each round.

::

    1 reach = first
    2 FOR each round:
    3   FOR each search that is still in:
    4     go on with it to `reach` playouts of its own
    5   IF there are more than the finalists THEN:
    6     keep the better half, but no fewer than the finalists
    7   reach = 2 * reach, or without end if there is one search left

The order of the playouts is that of line 4, so that a budget may end anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nestor.algorithms import Algorithm, Race
from nestor.errors import InputError
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.problems.base import BaseProblem
from nestor.reference.adoption import Limit, Playouts
from nestor.reference.playout import Playout
from nestor.reference.whole import restarted, twin_of


def race(
    entrants: Sequence[tuple[Problem[Any, Any], Algorithm]],
    first: int,
    finalists: int,
    playouts: int,
    *,
    seed: int = 0,
    job: int = 0,
) -> tuple[list[Playout], list[tuple[int, bool]], Playout]:
    """Run a race of so many playouts.

    Return all playouts in order, for each search how many it had and whether it is still in, and
    the best playout: of equals, that of the first search that is still in.
    """
    searches = [
        Entrant(problem, algorithm, child_key(seed, job + (number << 32)))
        for number, (problem, algorithm) in enumerate(entrants)
    ]
    running, reach, seen = list(searches), first, list[Playout]()
    while True:
        for each in running:
            upto = min(reach, each.done + playouts - len(seen))
            seen += each.played(upto)[each.done :]
            each.done = upto
            if len(seen) == playouts:
                standings = [(each.done, each in running) for each in searches]
                return seen, standings, min(running, key=lambda one: one.rank()[0]).best()
        ranked = sorted(running, key=Entrant.rank)
        kept = ranked[: max(finalists, (len(running) + 1) // 2)]
        running = [each for each in running if each in kept]
        reach = 2 * reach if len(running) > 1 else playouts


def raced(
    problem: BaseProblem, algorithm: Algorithm, limit: Limit, seed: int, job: int
) -> tuple[list[Playout], Playout]:
    """Return the playouts of a race, and the best."""
    assert isinstance(algorithm, Race)
    if algorithm.raced_improver:
        raise InputError("improve_every has no twin in nestor.reference")
    if limit.playouts == math.inf:
        raise InputError("playouts: the twin of a race needs a budget")
    variants = [*problem.variants().values()] or [problem]
    entrants = [(twin_of(each, one), one) for one in algorithm.algorithms for each in variants]
    asked = entrants, algorithm.first, algorithm.finalists
    seen, _, best = race(*asked, int(limit.playouts), seed=seed, job=job)
    met = (number for number, each in enumerate(seen, 1) if each.reported >= limit.target)
    if last := next(met, None):
        seen, _, best = race(*asked, last, seed=seed, job=job)
    return seen, best


class Entrant:
    """A search of a race."""

    def __init__(self, problem: Problem[Any, Any], algorithm: Algorithm, root: int) -> None:
        self._asked, self._root = (problem, algorithm), root
        self._seen: Sequence[Playout] = []
        self.done = 0

    def played(self, number: int) -> Sequence[Playout]:
        """Return the first playouts of the search."""
        if len(self._seen) < number:
            # It begins anew, which costs at most as much again: each round is twice as long.
            seen = Playouts(self._asked[0], limit=Limit(number))
            self._seen = restarted(*self._asked, self._root, seen)
        return self._seen[:number]

    def best(self) -> Playout:
        """Return its best playout so far, the first of equals."""
        return max(self.played(self.done), key=lambda playout: playout.reported)

    def rank(self) -> tuple[float, int]:
        """Return what sorts the better searches first: the score, and when it was found."""
        scores = [playout.reported for playout in self.played(self.done)]
        best = max(scores, default=-math.inf)
        return -best, scores.index(best) if scores else 0
