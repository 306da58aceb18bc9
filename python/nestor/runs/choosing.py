"""What `Auto` chooses for a run: the budget in playouts, if need be by measuring the speed."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import NamedTuple

from nestor import algorithms
from nestor.algorithms.auto import FEW, Choice, choose
from nestor.pareto import ParetoLocalSearch, ParetoNRPA
from nestor.problems.base import BaseProblem
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.elsewhere.segments import SLICE, Assignment
from nestor.runs.limits import Budget, Resources
from nestor.runs.session import AGES, Limits, Session

EXTREMES = (1, 10**15)
"""Playouts of the slowest and of the fastest machine."""

SHARE, MOST = 1 / 20, 0.5
"""The share of the time, and the seconds, that measuring the speed may take; a playout may take
longer."""


class Chosen(NamedTuple):
    """What is chosen for a run.

    Attributes
    ----------
    choice : Choice
    measured : bool
        Whether another speed could have led to another choice.
    search : object or None
        The search whose speed was measured, if that took the time of the run: it is the run.
    searched : float
        Seconds in which it has advanced.
    """

    choice: Choice
    measured: bool = False
    search: Session | None = None
    searched: float = 0.0


def chosen(
    problem: BaseProblem,
    budget: Budget,
    used: Resources,
    width: int,
    saved: Checkpoint | None = None,
) -> Chosen:
    """Return what is chosen for a run. A run that is resumed has what was chosen before.

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
        choice = Choice(algorithm.with_priors(saved.asked["prior"]), reason)
        return Chosen(choice, saved.asked.get("measured") is True)
    if problem.front:
        return Chosen(_for_front(problem))
    jobs, race = used.jobs or 1, used.exchange is None
    playouts = None if budget.playouts is None else max(1, budget.playouts // jobs)
    if playouts is not None or budget.seconds is None:
        return Chosen(choose(problem, playouts, race))
    slowest, fastest = (choose(problem, each, race, exact=False) for each in EXTREMES)
    if slowest == fastest:
        return Chosen(slowest)
    left = max(budget.seconds - problem.answer_seconds, budget.seconds / 2)
    if (playout := problem.answer_seconds) > 0:
        return Chosen(choose(problem, max(1, int(left / playout)), race, exact=False), True)
    likely = choose(problem)
    search, taken, rate = _measured(
        Assignment(problem, likely.algorithm, used.seed), left, budget.longest
    )
    if search.playouts and rate * (left - taken) < 1 and jobs == 1:
        return Chosen(likely, True, search, taken)
    playouts = max(1, int(rate * left * min(1, width / jobs)))
    return Chosen(choose(problem, playouts, race, exact=False), True)


def _for_front(problem: BaseProblem) -> Choice:
    """Choose for a problem whose answer is a front."""
    alike = not (hasattr(problem.original, "item") or hasattr(problem.original, "task"))
    if problem.change in ("order", "set") and alike:
        reason = "a front is asked for, and orders and sets may be changed"
        return Choice(ParetoLocalSearch(), reason)
    return Choice(ParetoNRPA(), "a front is asked for, so several policies share one")


def _measured(asked: Assignment, seconds: float, longest: int) -> tuple[Session, float, float]:
    """Return a search after a moment, the seconds that it took, and the playouts a second.

    It has at least one playout. The first ones can be far slower than those that follow, so if
    there is time for more, the speed is that of what follows, for longer if there are few.
    """
    search, early, share = asked.search(1), 0, SHARE * seconds
    limits = Limits(min(SLICE, share / 2), 1, longest=longest)
    begun = middle = time.monotonic()
    # If the rules fail, they fail again in the run, which says so.
    with suppress(Exception):
        search.advance(limits)
        if not search.playouts:
            search.advance(limits._replace(seconds=AGES, playouts=1))
        if (left := min(share - (time.monotonic() - begun), MOST)) > 0:
            early, middle = search.playouts, time.monotonic()
            search.advance(limits._replace(seconds=left, playouts=early + FEW))
    end = time.monotonic()
    if search.playouts == early:
        early, middle = 0, begun
    taken = max(end - begun, 1e-6)
    return search, taken, (search.playouts - early) / max(end - middle, 1e-6)
