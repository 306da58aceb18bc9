"""What `Auto` chooses for a run: the budget in playouts, if need be by measuring the speed."""

from __future__ import annotations

import time
from contextlib import suppress

from nestor import algorithms
from nestor.algorithms.auto import Choice, choose
from nestor.problems.base import BaseProblem
from nestor.runs.checkpoint import Checkpoint, with_priors
from nestor.runs.limits import Budget, Resources
from nestor.runs.segments import SLICE, Asked

TURNS = 4
"""The turns of an improver if the playouts are only about known: the last may not come."""

EXTREMES = (1, 10**15)
"""Playouts of the slowest and of the fastest machine."""

SHARE = 1 / 20
"""The most of the time that measuring the speed may take; a playout may take longer."""


def chosen(
    problem: BaseProblem,
    budget: Budget,
    used: Resources,
    width: int,
    saved: Checkpoint | None = None,
) -> tuple[Choice, float, bool]:
    """Return what is chosen for a run, and the seconds that measuring its speed took.

    Also returns whether another speed could have led to another choice. A run that is resumed has
    what was chosen before.

    Parameters
    ----------
    problem : BaseProblem
    budget : Budget
    used : Resources
        With all defaults filled in.
    width : int
        How many jobs run at once.
    saved : Checkpoint, optional
        The run that is resumed.
    """
    if saved is not None and isinstance(reason := saved.asked.get("auto"), str):
        algorithm = algorithms.from_dict(saved.asked["algorithm"])
        choice = Choice(with_priors(algorithm, saved.asked["prior"]), reason)
        return choice, 0.0, saved.asked.get("measured") is True
    jobs, race = used.jobs or 1, used.exchange is None
    playouts = None if budget.playouts is None else max(1, budget.playouts // jobs)
    if playouts is not None or budget.seconds is None:
        return choose(problem, playouts, race), 0.0, False
    slowest, fastest = (choose(problem, each, race) for each in EXTREMES)
    if slowest == fastest:
        return slowest, 0.0, False
    left = budget.seconds - problem.answer_seconds
    rate, taken = _speed(problem, max(left, budget.seconds / 2), budget.longest)
    playouts = max(1, int(rate * left * min(1, width / jobs)))
    return choose(problem, playouts, race, TURNS), taken, True


def _speed(problem: BaseProblem, seconds: float, longest: int) -> tuple[float, float]:
    """Return about how many playouts of the likely choice there are in a second.

    Also returns the seconds that it took, without those in which the problem was compiled.
    """
    search = Asked(problem, choose(problem).algorithm, 0).search(1)
    begun = time.monotonic()
    # If the rules fail, they fail again in the run, which says so.
    with suppress(Exception):
        search.advance(min(SLICE, SHARE * seconds), 1, None, None, True, seconds / 2, longest)
    taken = max(time.monotonic() - begun, 1e-6)
    return search.playouts / taken, taken
