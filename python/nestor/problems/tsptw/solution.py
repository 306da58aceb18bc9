"""A tour, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from nestor.arrays import np
from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.feasibility import Impossible
from nestor.problems.tsptw.instance import Instance, Visit
from nestor.text import WIDTH, format_score

PENALTY = 1e6
"""What each missed window costs."""

MOST_REASONS = 5
"""How many of the windows that no tour can meet are named in the text."""


@dataclass(frozen=True, repr=False)
class Tour(Solution):
    """A tour from the depot through all cities and back to the depot.

    Attributes
    ----------
    instance : TSPTW
        The problem that it solves.
    order : tuple of int
        The cities in the order of the visits, without the depot.
    cost : float
        Sum of the distances, including the return.
    makespan : float
        Time of return to the depot.
    arrivals : tuple of float
        When the tour reaches each city, in the order of the visits, and at last the depot.
    waiting : tuple of float
        How long the tour waits there for the window to open, in the same order.
    violations : tuple of int
        The nodes reached after their latest time, in the order of the visits.
    """

    instance: Instance
    order: tuple[int, ...]
    cost: float
    makespan: float
    arrivals: tuple[float, ...]
    waiting: tuple[float, ...]
    violations: tuple[int, ...]

    @property
    def feasible(self) -> bool:
        """Whether every node is reached in time."""
        return not self.violations

    @property
    def solved(self) -> bool:
        """Whether every node is reached in time."""
        return self.feasible

    @property
    def impossible(self) -> tuple[Impossible, ...]:
        """The windows that no tour can meet; not looked for if this one meets all."""
        return () if self.feasible else self.instance.impossible

    @property
    def objective(self) -> float:
        """Cost or makespan, whichever is the objective of the instance."""
        return self.makespan if self.instance.objective == "makespan" else self.cost

    @property
    def score(self) -> float:
        """The objective plus 1e6 for every node reached too late."""
        return self.objective + PENALTY * len(self.violations)

    @property
    def complete(self) -> bool:
        """Whether the tour visits all cities and returns."""
        return len(self.order) == self.instance.nodes - 1

    @property
    def stops(self) -> tuple[int, ...]:
        """The nodes reached: the cities in order, then the depot if the tour is complete."""
        return (*self.order, 0) if self.complete else self.order

    @property
    def legs(self) -> tuple[tuple[int, int, float], ...]:
        """The legs in order: from, to, distance."""
        pairs = pairwise((0, *self.stops))
        return tuple((i, j, float(self.instance.matrix[i, j])) for i, j in pairs)

    @property
    def parts(self) -> frozenset[Any]:
        """The legs, each in its direction."""
        return frozenset(pairwise((0, *self.stops)))

    @property
    def played(self) -> tuple[int, ...]:
        """The cities, in order."""
        return self.order

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The times of all stops, from the start at the depot to the return."""
        opens = float(self.instance.windows[0, 0])
        service = self.instance.service
        served = [0.0] * self.instance.nodes if service is None else service.tolist()
        found = [Visit(opens, 0.0, opens, opens + served[0])]
        served[0] = 0.0
        for node, arrival, wait in zip(self.stops, self.arrivals, self.waiting, strict=True):
            start = arrival + wait
            found.append(Visit(arrival, wait, start, start + served[node]))
        return tuple(found)

    def frame(self) -> Any:
        """Return the schedule: a row for each stop, from the start at the depot to the return.

        Returns
        -------
        pandas.DataFrame, or list of dict without pandas
            The columns are ``order``, from 0; ``node``; ``name``; ``arrival``; ``wait`` before the
            window opens; ``start`` of the service; ``leave``; ``slack``, from the start to the
            latest time; and ``late``, from the latest time to the arrival. If the instance has
            times of day, ``arrival``, ``start`` and ``leave`` are texts such as "08:15", and the
            others are minutes.
        """
        rows = schedule.rows(self)
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    def verify(self) -> None:
        """Recompute the tour from distances, times of service and windows, and compare to the bit.

        The cost is the sum of the distances in the order of the tour. The arrival at a stop is the
        time when the tour leaves the stop before, which is its arrival there or, if it has to wait,
        when the window opens, plus the sum of the distance and the service before it.

        Raises
        ------
        VerificationError
            If a city is missing or visited twice, or if a number or a violation is not what the
            tour claims.
        """
        n = self.instance.nodes
        _check(sorted(self.order) == list(range(1, n)), f"not each of the cities 1 to {n - 1} once")
        _check(
            len(self.arrivals) == len(self.waiting) == n,
            f"{n} arrivals and waiting times are needed, one for each stop",
        )
        path = np.array([0, *self.order, 0])
        earliest, latest = self.instance.windows[path].T
        distances = self.instance.matrix[path[:-1], path[1:]]
        service = self.instance.service
        durations = distances if service is None else distances + service[path[:-1]]
        arrivals = np.maximum([earliest[0], *self.arrivals[:-1]], earliest[:-1]) + durations
        waiting = np.maximum(earliest[1:] - arrivals, 0.0)
        # Numpy's sum would take them in another order, and Python's may compensate for rounding.
        _compare("cost", self.cost, np.add.accumulate(distances)[-1])
        _compare("makespan", self.makespan, arrivals[-1])
        for node, said, arrival in zip(self.stops, self.arrivals, arrivals, strict=True):
            _compare(f"arrival at node {node}", said, arrival)
        for node, said, wait in zip(self.stops, self.waiting, waiting, strict=True):
            _compare(f"waiting at node {node}", said, wait)
        late = [node for node, x, y in zip(self.stops, arrivals, latest[1:], strict=True) if x > y]
        _check(
            list(self.violations) == late,
            f"the nodes reached too late are {late}, not {list(self.violations)}",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tour as JSON-able data."""
        data: dict[str, Any] = {
            "order": list(self.order),
            "cost": self.cost,
            "makespan": self.makespan,
            "arrivals": list(self.arrivals),
            "waiting": list(self.waiting),
            "violations": list(self.violations),
            "feasible": self.feasible,
        }
        if self.instance.names is not None:
            data["names"] = [self.instance.names[node] for node in self.order]
        if self.impossible:
            data["impossible"] = list(map(str, self.impossible))
        return data

    def headline(self) -> str:
        """Return the result in one line."""
        late = len(self.violations)
        windows = f"{late} of {len(self.stops)} windows missed" if late else "all windows met"
        cost, back = _short(self.cost), _short(self.makespan)
        if self.instance.clock:
            cost, back = f"{self.cost:.1f} min", self.instance.show_time(self.makespan)
        if not self.complete:
            of = f"{len(self.order)} of {self.instance.nodes - 1} cities"
            return f"{self.instance.label}: {of}, cost {cost}, at {back}, {windows}"
        return f"{self.instance.label}: cost {cost}, back at {back}, {windows}"

    def text(self) -> str:
        """Return a text picture."""
        tour = " ".join(map(str, (0, *self.stops)))
        wrapped = textwrap.fill(tour, WIDTH, initial_indent="  ", subsequent_indent="  ")
        reasons = [
            textwrap.fill(f"No tour can meet this: {each}.", WIDTH, subsequent_indent="  ")
            for each in self.impossible[:MOST_REASONS]
        ]
        if len(self.impossible) > MOST_REASONS:
            reasons.append(f"And {len(self.impossible) - MOST_REASONS} more like these.")
        parts = [self.headline(), *reasons, "", "Tour:", wrapped, "", *schedule.table(self)]
        return "\n".join(parts)


def _short(number: float) -> str:
    return format_score(float(f"{number:.10g}")) if number < 1e9 else f"{number:.6g}"


def _compare(what: str, claimed: float, found: float) -> None:
    _check(claimed == found, f"{what} is {float(found)!r}, not {claimed!r}")


def _check(good: bool | np.bool_, message: str) -> None:
    if not good:
        raise VerificationError(message)
