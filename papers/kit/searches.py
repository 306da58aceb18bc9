"""The searches of an item as data: known, and what they cost, before any of them is made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, TypeAlias

from nestor import Algorithm, Result, solve
from nestor.errors import InputError

TRIED = 0.25
"""Seconds of processor time that a search is tried at least, to see how fast it is here."""

Trial = Callable[[str, Callable[[], Any], Algorithm, int], float]
"""Seconds that a core takes for the playouts of a problem, named and made, with an algorithm."""


@dataclass(frozen=True)
class Searches:
    """Runs of each algorithm on each problem.

    Attributes
    ----------
    name : str
        Of the file that keeps them.
    problems : mapping of str to callable
        Makes the problem of that name; only called when it is searched.
    algorithms : mapping of str to Algorithm
    runs : int
        Of each algorithm on each problem; they have the seeds from 1 up.
    playouts : int, optional
        Of a run.
    seconds : float, optional
        Of a run.
    jobs, threads : int
        Of a run.
    target : float, optional
        The score at which a run ends.
    alone : bool
        Whether runs are made one after the other, for they take the time.
    """

    name: str
    problems: Mapping[str, Callable[[], Any]]
    algorithms: Mapping[str, Algorithm]
    runs: int
    playouts: int | None = None
    seconds: float | None = None
    jobs: int = 1
    threads: int = 1
    target: float | None = None
    alone: bool = False

    def hours(self, trial: Trial) -> float:
        """Return the core hours that it takes; a few problems speak for all."""
        some = [*self.problems.items()][:: -(-len(self.problems) // 3)]
        each = [
            (self.seconds or 0.0) * self.threads
            if self.playouts is None
            else fmean(trial(name, make, algorithm, self.playouts) for name, make in some)
            for algorithm in self.algorithms.values()
        ]
        return self.runs * len(self.problems) * sum(each) / 3600

    @property
    def cores(self) -> int:
        """Return how many cores one of its runs uses at once."""
        return self.threads

    def changed(self, changes: Mapping[str, float]) -> Searches:
        """Return it with other limits, where it has such."""
        known: dict[str, Any] = {
            key: value for key, value in changes.items() if getattr(self, key) is not None
        }
        return replace(self, **known)

    def less_than(self, other: Any) -> Iterator[str]:
        """Tell what differs from the same searches at another scale."""
        if self.seconds is None and other.seconds is not None:
            yield "playouts for time"
        yield from _fewer("problems", len(self.problems), len(other.problems))
        for name in ("runs", "seconds", "jobs", "threads"):
            yield from _fewer(name, getattr(self, name), getattr(other, name))
        both = [name for name in self.algorithms if name in other.algorithms]
        if self.playouts is not None and other.playouts is not None:
            yield from _share(self.playouts, other.playouts)
        for name in both:
            ours, theirs = (asdict(each.algorithms[name]) for each in (self, other))
            for key in ours:
                if ours[key] != theirs.get(key):
                    yield f"{key} {_told(ours[key])} for {_told(theirs.get(key))}"
        yield from _fewer("algorithms", len(both), len(other.algorithms))


@dataclass(frozen=True)
class Measured:
    """Something that is measured with searches of its own, as plain data.

    Attributes
    ----------
    name : str
        Of the file that keeps it.
    make : callable
        Called without arguments, returns what can be kept as JSON.
    searches : int
        How many it makes.
    playouts : mapping of str to int
        Of all of them, by problem.
    problems : mapping of str to callable
        Makes the problem of that name.
    algorithm : Algorithm
        As fast as its searches.
    """

    name: str
    make: Callable[[], Any]
    searches: int
    playouts: Mapping[str, int]
    problems: Mapping[str, Callable[[], Any]]
    algorithm: Algorithm

    def hours(self, trial: Trial) -> float:
        """Return the core hours that it takes."""
        return (
            sum(
                trial(name, self.problems[name], self.algorithm, playouts)
                for name, playouts in self.playouts.items()
            )
            / 3600
        )

    @property
    def cores(self) -> int:
        """Return how many cores it uses at once."""
        return 1

    def changed(self, changes: Mapping[str, float]) -> Measured:
        """Return itself: it has no limits that can be changed."""
        return self

    def less_than(self, other: Any) -> Iterator[str]:
        """Tell what differs from the same at another scale."""
        yield from _share(sum(self.playouts.values()), sum(other.playouts.values()))


Effort: TypeAlias = Searches | Measured
"""What costs processor time."""


def _fewer(name: str, here: float | None, there: float | None) -> Iterator[str]:
    """Tell how many of something there are, if there are as many elsewhere."""
    if here is not None and there is not None and here != there:
        yield (
            f"{here:,g} of {there:,g} {name}"
            if here < there
            else f"{here:,g} {name} for {there:,g}"
        )


def _share(playouts: float, of: float) -> Iterator[str]:
    """Tell how many playouts there are of those at another scale."""
    if of / playouts > 1.005:
        yield f"1/{float(f'{of / playouts:.2g}'):,.9g} of the playouts"


def _told(setting: Any) -> str:
    return ", ".join(map(str, setting)) if isinstance(setting, tuple) else str(setting)


CHANGEABLE = ("runs", "playouts", "seconds", "threads")


def read_changes(given: list[str]) -> dict[str, float]:
    """Return limits from the command line, such as runs=3.

    Raises
    ------
    InputError
        If it is not one of the limits, or not a number above 0.
    """
    changes: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        whole = name == "seconds" or number == number // 1
        if name not in CHANGEABLE or not 0 < number < float("inf") or not whole:
            raise InputError(
                f"--set must be NAME=NUMBER with one of {', '.join(CHANGEABLE)}, not {text!r}"
            )
        changes[name] = number if name == "seconds" else int(number)
    return changes


def tried_here() -> Trial:
    """Return a function that tries each search once, for a short time, on one core."""
    known: dict[tuple[Any, ...], float] = {}

    def trial(name: str, make: Callable[[], Any], algorithm: Algorithm, playouts: int) -> float:
        """Return the seconds of a run: those that it took, if it ended by itself."""
        if (key := (name, algorithm, playouts)) not in known:
            problem = make()
            # Much of a beginning is reading a prior, now faster, now slower.
            begun = min(_spent(problem, algorithm, playouts=1)[0] for _ in range(2))
            tried, spent, ended = 4, 0.0, False
            while tried < playouts and spent < max(TRIED, 2 * begun) and not ended:
                tried = min(4 * tried, playouts)
                whole, result = _spent(problem, algorithm, playouts=tried)
                spent, ended = max(whole - begun, 0.0), result.stop_reason != "playouts"
            known[key] = begun + spent * (1.0 if ended else playouts / tried)
        return known[key]

    return trial


def _spent(problem: Any, algorithm: Algorithm, **limits: Any) -> tuple[float, Result]:
    """Return the processor time of a search, and what it found."""
    begun = time.process_time()
    result = solve(problem, algorithm, threads=1, **limits)
    return time.process_time() - begun, result
