"""`solve_many`: several solutions of one problem that differ from each other."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, overload

from nestor.algorithms import Algorithm, check_kind
from nestor.algorithms.auto import ANEW
from nestor.checks import as_integer, as_positive, check_callable
from nestor.errors import InputError, attach
from nestor.problem import Problem
from nestor.problems.base import BaseProblem
from nestor.problems.own import adapt
from nestor.problems.undecoded import Undecoded
from nestor.result import Result
from nestor.runs.choosing import measuring_once
from nestor.runs.limits import Budget, Resources
from nestor.runs.stopping import Stop, check_stop, is_cancelled, note_interrupted, terminable
from nestor.safe import tell, visible
from nestor.solving import solve

FEW = 1_000_000
"""So many possible solutions may also be found without what the default search goes by.

If it finds nothing new among them, NRPA, which begins with all moves equally likely, has a turn of
as many playouts. Biases and priors can make a few of them so rare that they would never be tried.
"""

STOPPED = ("interrupted", "cancelled", "no_improvement", "first_solved")
"""Ends of a search after which no other begins."""


@dataclass(frozen=True, repr=False)
class Many(Sequence[Result]):
    """Results whose solutions differ from each other.

    Attributes
    ----------
    results : tuple of Result
        In the order in which they were found.
    asked : int
        How many were asked for.
    nearest : tuple of float or None
        The distance of each solution to the nearest other; None if there is no other.
    searches, playouts : int
        Searches run, and playouts of all of them.
    seconds : float
        Seconds that it took.
    other : Result or None
        The best of those that were not good enough; None if there is none.
    refused, near : int
        Good ones that `accept` turned down, and those nearer than `min_distance` to one before.
    stop_reason : str
        "found" if there are as many as asked for; otherwise "seconds", "playouts", "interrupted",
        or that of `stop`, such as "cancelled".
    """

    results: tuple[Result, ...]
    asked: int
    nearest: tuple[float | None, ...]
    searches: int
    playouts: int
    seconds: float
    stop_reason: str
    other: Result | None = None
    refused: int = 0
    near: int = 0

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...

    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        """Return a result, or several."""
        return self.results[index]

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    @property
    def solutions(self) -> list[Any]:
        """The solution of each result."""
        return [result.solution for result in self.results]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-able data."""
        return {
            "asked": self.asked,
            "found": len(self.results),
            "stop_reason": self.stop_reason,
            "searches": self.searches,
            "playouts": self.playouts,
            "seconds": self.seconds,
            "refused": self.refused,
            "near": self.near,
            "other": None if self.other is None else self.other.to_dict(),
            "results": [
                {"nearest": nearest, **result.to_dict()}
                for nearest, result in zip(self.nearest, self.results, strict=True)
            ],
        }

    def __repr__(self) -> str:
        return f"<Many: {self._summary()}>"

    def _summary(self) -> str:
        counts = (self.refused, "by accept"), (self.near, "too near")
        down = ", ".join(f"{count} {why}" for count, why in counts if count)
        told = f"{len(self)} of {self.asked} found in {self.seconds:.1f} s ({self.stop_reason})"
        return told + (f", turned down: {down}" if down else "")

    def __str__(self) -> str:
        lines = [
            f"{number:3}  {_entry(result)}"
            + ("" if nearest is None else f", {nearest} from the nearest other")
            for number, (result, nearest) in enumerate(
                zip(self.results, self.nearest, strict=True), start=1
            )
        ]
        if self.other is not None and len(self) < self.asked:
            lines.append(f"The best of the others:\n     {_entry(self.other)}")
        return visible("\n".join([*lines, self._summary()]))


def _entry(result: Result) -> str:
    """Return what a list shows of a result, below its number."""
    return result.solution.entry().replace("\n", "\n     ")


@terminable()
@measuring_once()
def solve_many(
    problem: Problem[Any, Any],
    algorithm: Algorithm | None = None,
    *,
    distinct: int,
    min_distance: float = 1,
    accept: Callable[[Any], object] | None = None,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | tuple[float, ...] | None = None,
    seed: int = 0,
    threads: int | None = 1,
    jobs: int | None = 1,
    stop: Stop | None = None,
    progress: bool = False,
) -> Many:
    """Find several solutions that differ from each other, each by a search of its own.

    With a playout budget, no time limit and one job the same seed gives the same solutions.

    Parameters
    ----------
    problem : Problem
        All of Nestor's problems have a distance between solutions: the bases, cells, legs, lines,
        words or groups of cells that only one of two solutions has. Your own may have a method
        ``distance(moves, others)``. Without it the distance of different games is 1: they have
        other moves, in any order if these are a set, or another `key` if there is that method.
    algorithm : Algorithm, optional
        As in `solve`. By default NRPA gets a turn after each search that finds nothing new, if at
        most a million solutions are known to be possible.
    distinct : int
        How many, at least 1.
    min_distance : float, default 1
        The least distance between any two, above 0.
    accept : callable, optional
        Called with each solution that is good enough; it is left out if this returns False.
    seconds, playouts : optional
        Limits of all searches together. There must be one.
    target : float, optional
        The natural score that is good enough; the problem's optimum by default.
    seed : int, default 0
    threads, jobs : int, default 1
        Those of each search.
    stop : Stop, optional
        As in `solve`, of each search; after one that it ends no other begins. So a `Cancel` ends
        all, and `NoImprovement` all once a search has not come to the target for so long.
    progress : bool, default False
        Say on standard error how many are found.

    Returns
    -------
    Many
        Verified results; fewer than asked for if a limit came first.

    Raises
    ------
    InputError
        If an argument is out of range, no two solutions or not so many can be that far apart, or
        the problem has no optimum.
    Exception
        An exception in `accept` or in a problem of your own. What was found before is its attribute
        `nestor_many`. Ctrl-C raises nothing once a search is done: it returns what there is.

    Examples
    --------
    >>> from nestor import Counterexamples, solve_many
    >>> from nestor.problems import RNA
    >>> found = solve_many(
    ...     RNA("((((....))))"), Counterexamples(), distinct=3, min_distance=4, playouts=1000
    ... )
    >>> len(found), min(found.nearest) >= 4
    (3, True)
    """
    adapted = adapt(problem)
    if algorithm is not None:
        check_kind(algorithm)
    distinct = as_integer("distinct", distinct, 1, 10**6)
    min_distance = as_positive("min_distance", min_distance, 1e9)
    if accept is not None:
        check_callable("accept", accept)
    if seconds is None and playouts is None:
        raise InputError("seconds or playouts must be given: several solutions need a limit")
    if adapted.front:
        raise InputError("a front is one answer with many solutions: use nestor.solve")
    stop = check_stop(stop)
    good = adapted.goal_of(target)
    if good is None:
        raise InputError(f"{adapted.short_name} has no known optimum: give a target")
    budget, used = Budget(seconds, playouts), Resources(seed, threads, jobs)
    _check_distance(adapted, distinct, min_distance)
    many, turn = Many((), distinct, (), 0, 0, 0.0, "found"), None
    few = (algorithm is None or algorithm.chooses) and (adapted.most or inf) <= FEW
    begun = time.monotonic()
    try:
        while len(many) < distinct and many.stop_reason == "found":
            left = budget.playouts and budget.playouts - many.playouts
            result = solve(
                problem,
                algorithm if turn is None else ANEW,
                seconds=budget.seconds and budget.seconds - many.seconds,
                playouts=left if turn is None else min(turn, left or turn),
                target=adapted.scores_of(good) or good,
                seed=_seed(used.seed, many.searches),
                threads=used.threads,
                jobs=used.jobs,
                stop=stop,
            )
            found, many = len(many), _with(adapted, many, result, good, min_distance, accept)
            again = few and turn is None and len(many) == found
            turn = max(result.playouts, result.jobs) if again else None
            many = replace(many, seconds=time.monotonic() - begun)
            if progress and many and many[-1] is result:
                tell(f"{len(many)} of {distinct} found", error=True)
            if many.stop_reason == "found" and len(many) < distinct:
                ended = _used_up(budget, result, many, stop)
                many = replace(many, stop_reason=ended or "found")
    except KeyboardInterrupt:
        if not many.searches:
            raise
        many = replace(many, stop_reason="interrupted")
    except Exception as error:
        if many.searches:
            attach(error, many, "nestor_many")
            error.add_note("what was found before is this exception's attribute nestor_many")
        raise
    note_interrupted(many.stop_reason)
    return many


def _used_up(budget: Budget, last: Result, many: Many, stop: Stop | None) -> str | None:
    """Return the limit that leaves nothing for another search like the last, if there is one."""
    # A search that came to the target first does not say that it was cancelled.
    if is_cancelled(stop):
        return "cancelled"
    if budget.seconds is not None and many.seconds >= budget.seconds:
        return "seconds"
    least = last.jobs * max(1, len(last.race))
    if budget.playouts is not None and budget.playouts - many.playouts < least:
        return "playouts"
    return None


def _with(
    problem: BaseProblem,
    many: Many,
    result: Result,
    target: float,
    min_distance: float,
    accept: Callable[[Any], object] | None,
) -> Many:
    """Return what is found after one more search."""
    if isinstance(result.solution, Undecoded):
        # Ctrl-C came while it was decoded; it ends the searches, and what it found still counts.
        result = replace(result, solution=result.solution.decoded)
        result.verify()
    many = replace(many, searches=many.searches + 1, playouts=many.playouts + result.playouts)
    if result.stop_reason in STOPPED:
        many = replace(many, stop_reason=result.stop_reason)
    score, other = problem.natural(result.score), many.other
    if score < problem.natural(target):
        best = other is None or score > problem.natural(other.score)
        return replace(many, other=result) if best else many
    one = result.solution
    apart = [problem.distance(one, found) for found in many.solutions]
    nearest = min(apart, default=None)
    if nearest is not None and nearest < min_distance:
        return replace(many, near=many.near + 1)
    if accept is not None and not accept(one):
        return replace(many, refused=many.refused + 1)
    nearer = zip(many.nearest, apart, strict=True)
    others = (new if old is None else min(old, new) for old, new in nearer)
    return replace(many, results=(*many, result), nearest=(*others, nearest))


def _check_distance(problem: BaseProblem, distinct: int, min_distance: float) -> None:
    """Check that several solutions can be so far apart."""
    if problem.most is not None and distinct > problem.most:
        if problem.most == 1:
            raise InputError(f"distinct must be 1 for {problem.label}: it has one solution at most")
        raise InputError(
            f"distinct must be at most {problem.most} for {problem.label}, not {distinct}: no more "
            "solutions are possible"
        )
    if distinct > 1 and min_distance > problem.farthest:
        one = problem.measure is None and problem.farthest == 1
        more = ": more needs a method distance" if one else ""
        name = problem.label or problem.short_name
        raise InputError(
            f"min_distance must be at most {problem.farthest} for {name}, not {min_distance}{more}"
        )
    if (most := problem.most_apart(min_distance)) is not None and distinct > most:
        raise InputError(
            f"distinct must be at most {most} for {problem.label}, not {distinct}: no more "
            f"solutions can be {min_distance} apart"
        )


def _seed(seed: int, number: int) -> int:
    """Return the seed of the search with this number."""
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:8])
