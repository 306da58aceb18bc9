"""What `Auto` chooses for a run: the budget in playouts, if need be by measuring the speed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, NamedTuple

from nestor import _core, algorithms
from nestor.algorithms.auto import FEW, Choice, choose
from nestor.pareto import ParetoLocalSearch, ParetoNRPA
from nestor.pareto.local_search import can_change
from nestor.problems.base import BaseProblem
from nestor.runs.adopting import Initial
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.elsewhere.segments import SLICE, Setup
from nestor.runs.limits import Budget, Resources
from nestor.runs.lookout import Lookout, calls_of, runs_code
from nestor.runs.session import AGES, Limits, Session
from nestor.runs.stopping import Stop, is_cancelled

EXTREMES = (1, 10**15)
"""Playouts of the slowest and of the fastest machine."""

SHARE, MOST = 1 / 20, 0.5
"""The share of the time, and the seconds, that measuring the speed may take; a playout may take
longer."""


_RATES: ContextVar[dict[int, tuple[Any, float]] | None] = ContextVar("_RATES", default=None)
"""The problems whose speed need not be measured again, and their playouts a second, by ids."""


@contextmanager
def measuring_once() -> Iterator[None]:
    """Measure the speed of a problem at the first of several searches only."""
    token = _RATES.set({})
    try:
        yield
    finally:
        _RATES.reset(token)


class Chosen(NamedTuple):
    """What is chosen for a run.

    Attributes
    ----------
    choice : Choice
    measured : bool
        Whether another speed could have led to another choice.
    search : Session or None
        The search whose speed was measured, if it is the run: it is what was chosen, or there is no
        time for another. It has one job.
    searched : float
        Seconds in which it has advanced.
    stopped : BaseException or None
        What has ended the run already: Ctrl-C, or an exception of the problem's.
    early : Chosen or None
        What the run is if Ctrl-C ends it before another search has played: the one measured.
    few : bool
        Whether there are so few playouts that the best of `early` is worth one of them.
    """

    choice: Choice
    measured: bool = False
    search: Session | None = None
    searched: float = 0.0
    stopped: BaseException | None = None
    early: Chosen | None = None
    few: bool = False


def chosen(
    problem: BaseProblem,
    budget: Budget,
    used: Resources,
    width: int,
    saved: Checkpoint | None = None,
    start: Initial | None = None,
    stop: Stop | None = None,
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
    start : Initial, optional
        The sequence to begin with.
    stop : Stop, optional
        If it is cancelled after the first playout, the search that was measured is the run.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C comes before the first playout.
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
    left = budget.searching(problem.playout_seconds) or 0.0
    if (playout := problem.playout_seconds) > 0:
        return Chosen(choose(problem, max(1, int(left / playout)), race, exact=False), True)
    share, rates = min(1, width / jobs), _RATES.get()
    if rates is not None and id(problem.original) in rates:
        playouts = max(1, int(rates[id(problem.original)][1] * left * share))
        return Chosen(choose(problem, playouts, race, exact=False), True)
    likely = choose(problem)
    asked = Setup(problem, likely.algorithm, used.seed)
    goal = problem.core_goal(budget.target)
    search, taken, rate, stopped = _measured(asked, left, budget.longest, goal, start, stop)
    if rates is not None:
        rates[id(problem.original)] = problem.original, rate
    found = Chosen(likely, True, search, taken, stopped)
    solved = goal is not None and search.score is not None and search.score >= goal
    is_over = solved or is_cancelled(stop) or rate * (left - taken) < 1
    if stopped is not None or (search.playouts and is_over):
        return found
    early = found if search.playouts else None
    playouts = max(1, int(rate * left * share))
    choice = choose(problem, playouts, race, exact=False)
    if early is not None and jobs == 1 and choice.algorithm == likely.algorithm:
        return early._replace(choice=choice)
    early = early and early._replace(stopped=KeyboardInterrupt())
    return Chosen(choice, True, early=early, few=playouts <= FEW)


def _for_front(problem: BaseProblem) -> Choice:
    """Choose for a problem whose answer is a front."""
    if can_change(problem.original):
        reason = "a front is asked for, and orders, sets and covers may be changed"
        return Choice(ParetoLocalSearch(), reason)
    return Choice(ParetoNRPA(), "a front is asked for, so several policies share one")


def _measured(
    asked: Setup,
    seconds: float,
    longest: int,
    goal: float | None,
    start: Initial | None,
    stop: Stop | None,
) -> tuple[Session, float, float, BaseException | None]:
    """Return a search after a moment, its seconds, the playouts a second, and what stopped it.

    It has at least one playout, and ends at the goal. The first ones can be far slower than those
    that follow, so if there is time for more, the speed is that of what follows, for longer if
    there are few.
    """
    search, early, share, stopped = asked.search(1), 0, SHARE * seconds, None
    begun = middle = time.monotonic()

    def limits(length: float, playouts: int | None = None) -> Limits:
        """Return those of a call that ends after so many seconds; games end with the time."""
        cut = max(0.0, seconds - (time.monotonic() - begun)) + SLICE
        return Limits(length, 1, playouts, goal, cut=cut, longest=longest, first=AGES)

    lookout = Lookout(calls_of(asked.problem, asked.algorithm), lambda: None)
    lookout.end = begun + seconds
    looking = runs_code(asked.problem, asked.algorithm)
    if start is not None:
        start.adopt(search)
    try:
        with lookout.looking() if looking else nullcontext(), lookout.waiting():
            if time.monotonic() - begun < share:
                search.advance(limits(min(SLICE, share / 2)))
            if not search.playouts:
                search.advance(limits(AGES, 1))
            spent = time.monotonic() - begun
            # A playout that used up more may have compiled or loaded something.
            left = min(share - spent, MOST) if spent < share or 2 * spent > seconds else SLICE
            if left > 0 and not is_cancelled(stop):
                early, middle = search.playouts, time.monotonic()
                search.advance(limits(left, early + FEW)._replace(first=None))
    except _core.CutOffError:  # The run cuts such a game off as well.
        pass
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) and not search.playouts:
            raise
        stopped = error
    end = time.monotonic()
    if search.playouts == early:
        early, middle = 0, begun
    taken = max(end - begun, 1e-6)
    return search, taken, (search.playouts - early) / max(end - middle, 1e-6), stopped
