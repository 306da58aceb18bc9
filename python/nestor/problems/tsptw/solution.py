"""A tour, as numbers and as people read it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from nestor.arrays import frame
from nestor.problems.base import Solution
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.checks import NEVER
from nestor.problems.tsptw.clock import clock_text
from nestor.problems.tsptw.feasibility import Impossible
from nestor.problems.tsptw.verification import verify
from nestor.text import WIDTH, counted, format_score

if TYPE_CHECKING:
    from nestor.problems.tsptw.problem import TSPTW

PENALTY = 1e6
"""What each missed window costs, or a unit of lateness if that comes before all else."""

GAP = 1e12
"""What a leg without a way costs."""

TIE = 1e-6
"""What a unit of cost counts where the time comes first."""

EARLIER = 1e-6
"""How much earlier a tour leaves if rounding would make it later."""

MUCH = 0.25
"""Which part of a tour is waited if the text says what would make it shorter."""

MOST_LATE = 12
"""How many of those that are late are named in the text."""

MOST_REASONS = 5
"""How many of the windows that no tour can meet are named in the text."""


class Visit(NamedTuple):
    """A stop of a tour.

    Attributes
    ----------
    arrival : float
        When the tour comes.
    wait : float
        How long it waits there for the window to open.
    start : float
        When service begins.
    leave : float
        When the tour goes on.
    """

    arrival: float
    wait: float
    start: float
    leave: float


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
    departure : float
        When the tour leaves the depot; where service there comes first, such as loading, when that
        begins.
    complete : bool
        Whether it has visited all that must be visited, and has come to its end.
    """

    solved_word = "feasible"

    instance: TSPTW
    order: tuple[int, ...]
    cost: float
    makespan: float
    arrivals: tuple[float, ...]
    waiting: tuple[float, ...]
    violations: tuple[int, ...]
    departure: float
    complete: bool

    @property
    def feasible(self) -> bool:
        """Whether every node is reached in time, and there is a way along every leg."""
        return not (self.violations or self.blocked or self.misplaced)

    solved = feasible

    @property
    def impossible(self) -> tuple[Impossible, ...]:
        """The windows that no tour can meet; not looked for if this one meets all."""
        return () if self.feasible else self.instance.impossible

    @property
    def objective(self) -> float:
        """What is minimised, before what else costs."""
        return self.instance.objective_of(self.cost, self.departure, self.makespan)

    @property
    def duration(self) -> float:
        """The time from `departure`, and so with the service at the depot, to the end."""
        return self.makespan - self.departure

    @property
    def delays(self) -> dict[int, float]:
        """How late each of `violations` is."""
        latest = self.instance.windows[:, 1].tolist()
        times = zip(self.stops, self.arrivals, strict=True)
        return {node: time - latest[node] for node, time in times if time > latest[node]}

    @property
    def lateness(self) -> float:
        """How late the tour is in all: the sum of the delays."""
        return total(self.delays.values())

    @property
    def blocked(self) -> tuple[tuple[int, int], ...]:
        """The legs without a way."""
        gaps = self.instance.gaps
        if gaps is None:
            return ()
        return tuple((i, j) for i, j in pairwise((0, *self.stops)) if gaps[i, j])

    @property
    def misplaced(self) -> tuple[int, ...]:
        """The stops that are not in the order that is asked for, twice if in two ways."""
        return tuple(self.instance.misplaced(self.order)) if self.complete else ()

    @property
    def changes(self) -> tuple[int, ...]:
        """The stops that do not come after the one before them in the earlier tour."""
        earlier = self.instance.earlier
        return tuple(j for i, j in pairwise((0, *self.stops)) if earlier.get(j, i) != i)

    @property
    def left_out(self) -> tuple[int, ...]:
        """The cities that the tour leaves out; none if it is not complete."""
        missing = set(range(1, self.instance.nodes)) - set(self.order)
        return tuple(sorted(missing)) if self.complete else ()

    @property
    def distance(self) -> float | None:
        """The kilometres of the tour; None unless times are great-circle distances at a speed."""
        return None if self.instance.speed is None else self.cost * self.instance.speed

    @property
    def score(self) -> float:
        """The objective and what else costs: lateness, changes, what is left out, missing ways."""
        return self._price + GAP * (len(self.blocked) + len(self.misplaced))

    @property
    def _price(self) -> float:
        """The score without the rules that are broken."""
        late = len(self.violations) if self.instance.counts else self.lateness
        price = self.objective + self.instance.weight * late
        price += self.instance.change_cost * len(self.changes)
        return price + total(self.instance.left_out[city] for city in self.left_out)

    @property
    def shown_score(self) -> str:
        """The score as people write it: rules that are broken, lateness, or else the price."""
        parts = []
        if self.blocked:
            parts.append(f"{counted(len(self.blocked), 'leg')} without a way")
        if self.misplaced:
            parts.append(f"{counted(len({*self.misplaced}), 'stop')} out of order")
        if self.instance.late == "time" and self.violations:
            parts.append(f"{self._delay(self.lateness)} late")
        elif not self.blocked:
            parts.append(self.instance.show_price(self._price, named=bool(parts)))
        return ", ".join(parts)

    @property
    def stops(self) -> tuple[int, ...]:
        """The nodes reached: the cities in order, then the depot if the tour is complete."""
        return (*self.order, 0) if self.complete else self.order

    @property
    def places(self) -> tuple[int, ...]:
        """The nodes in the order of the visits, the depot at the end if it returns there."""
        home = self.complete and self.instance.end is None
        return (0, *self.order, 0) if home else (0, *self.order)

    @property
    def latest_departure(self) -> float:
        """The latest `departure` with which it ends no later and misses no window by more."""
        return self.instance.leaving_late(self.order)[0] if self.complete else self.departure

    @property
    def legs(self) -> tuple[tuple[int, int, float], ...]:
        """The legs in order: from, to, distance."""
        pairs = pairwise(self.places)
        return tuple((i, j, float(self.instance.matrix[i, j])) for i, j in pairs)

    @property
    def parts(self) -> frozenset[Any]:
        """The legs, each in its direction."""
        return frozenset(pairwise((0, *self.stops)))

    @property
    def played(self) -> tuple[int, ...]:
        """The cities, in order, and 0 if some are left out."""
        return (*self.order, 0) if self.left_out else self.order

    @property
    def visits(self) -> tuple[Visit, ...]:
        """The times of all stops, from the start at the depot to the return."""
        start = self.departure
        service = self.instance.service
        served = [0.0] * self.instance.nodes if service is None else service.tolist()
        found = [Visit(start, 0.0, start, start if self._stays else start + served[0])]
        served[0] = 0.0
        now, pinned = self.instance.now, self.instance.pinned or (None,)
        for node, arrival, wait in zip(self.stops, self.arrivals, self.waiting, strict=True):
            start = arrival + wait
            # The last that was driven already is left now, whenever its service was.
            leave = start + served[node] if now is None or node != pinned[-1] else now
            found.append(Visit(arrival, wait, start, leave))
        return tuple(found)

    def frame(self) -> Any:
        """Return the schedule: a row for each stop, from the start at the depot to the return.

        Returns
        -------
        pandas.DataFrame, or list of dict without pandas
            The columns are ``order``, from 0; ``stop``, its number; ``name``; ``arrival``; ``wait``
            before the window opens; ``start`` of the service; ``leave``; ``slack``, how much later
            service can begin with no window missed by more, here or later, infinite without a limit
            (at the start how much later the tour can leave; see `latest_departure`);
            and ``late``, from the latest time to the arrival; that of the last stop of a tour that
            does not return also has by how much it ends after the depot closes. If the instance has
            times of day, ``arrival``, ``start`` and ``leave`` are texts such as "08:15", or
            "08:15:30" unless all are whole minutes, and the others are minutes.
        """
        return frame(schedule.rows(self))

    def verify(self) -> None:
        """Recompute the tour from distances, times of service and windows, and compare to the bit.

        The cost is the sum of the distances in the order of the tour. The arrival at a stop is the
        time when the tour leaves the stop before, which is its arrival there or, if it has to wait,
        when the window opens, plus the sum of the distance and the service before it.

        What else is asked of the tour is checked as well: see `TSPTW`.

        Raises
        ------
        VerificationError
            If a city is missing or visited twice, or if a number or a violation is not what the
            tour claims.
        """
        verify(self)

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
        if not self.instance.counts:
            data["late"] = self.lateness
        if self.instance.objective == "duration":
            data["departure"] = self.departure
        if self.instance.previous:
            data["changes"] = list(self.changes)
        if self.instance.penalty:
            data["left_out"] = list(self.left_out)
        if self.instance.names is not None:
            data["names"] = list(map(self.instance.name_of, self.order))
            if self.left_out:
                data["names_left_out"] = list(map(self.instance.name_of, self.left_out))
        if self.impossible:
            data["impossible"] = list(map(str, self.impossible))
        return data

    def headline(self) -> str:
        """Return the result in one line, what is late first."""
        met = f"cost {self._amount(self.cost)}{self._way()}, {self._end()}"
        late = len(self.violations)
        if self.blocked:
            met = f"not possible, as a way is missing; {met}"
        limits = int((self.instance.windows[list(self.stops), 1] < NEVER).sum())
        windows = f"{late} of {counted(limits, 'window')} missed" if late else "all windows met"
        if not limits:
            windows = "no limits"
        if not self.complete:
            of = f"{len(self.order)} of {self.instance.nodes - 1} stops"
            return f"{self.instance.label}: {of}, {met}, {windows}"
        more = []
        if self.misplaced:
            more.append(f"{counted(len({*self.misplaced}), 'stop')} out of order")
        if self.left_out:
            penalty = _short(total(self.instance.left_out[city] for city in self.left_out))
            more.append(
                f"{counted(len(self.left_out), 'stop')} left out (penalties or prizes {penalty})"
            )
        if self.instance.previous:
            more.append(f"{counted(len(self.changes), 'change')}")
        met = ", ".join([met, *more])
        if self.instance.counts or not late:
            return f"{self.instance.label}: {met}, {windows}"
        length = f"{self._delay(self.lateness)} late in all"
        return f"{self.instance.label}: {windows}, {length}; {met}"

    def _way(self) -> str:
        """Return the kilometres and the speed, if they are known."""
        speed = self.instance.speed
        if self.distance is None or speed is None:
            return ""
        pace = f"{60.0 * speed:.4g} km/h" if self.instance.clock else f"a speed of {speed:.4g}"
        return f" for {self.distance:.1f} km at {pace}"

    def _leaving(self, departure: float) -> tuple[str, str]:
        """Return when service at the depot begins, if there is any, and when the tour leaves."""
        service = 0.0 if self.instance.service is None else float(self.instance.service[0])
        return self._time(departure) if service else "", self._time(departure + service)

    def _time(self, time: float) -> str:
        """Return a time; one of day without its seconds."""
        return clock_text(time) if self.instance.clock else _short(time)

    def _stop(self, node: int) -> str:
        """Return a stop by its name; a tour that does not return ends away from the depot."""
        if node == 0 and self.instance.end is not None:
            return "the end"
        return self.instance.name_of(node)

    def _amount(self, time: float) -> str:
        """Return a length of time or a cost."""
        return f"{time:.1f} min" if self.instance.clock else _short(time)

    def _delay(self, time: float) -> str:
        """Return how late somebody is."""
        return self._amount(time) if self.instance.clock else f"{time:.6g}"

    @property
    def _stays(self) -> bool:
        """Whether nobody leaves the depot, as all stops are left out."""
        return self.complete and set(self.places) == {0}

    def _end(self) -> str:
        """Return when the tour is over; and when it leaves, if that counts."""
        if self._stays:
            return "nobody leaves"
        over = f"{'back' if self.instance.end is None else 'over'} at {self._time(self.makespan)}"
        if not self.complete or self.instance.objective != "duration":
            return over
        begins, leaves = self._leaving(self.departure)
        before = f"begins service at {begins}, " if begins else ""
        return f"{before}leaves at {leaves}, {over} after {self._amount(self.duration)}"

    def _lateness(self) -> list[str]:
        """Return who is late and by how much, the latest first."""
        delays = sorted(self.delays.items(), key=lambda item: -item[1])
        if not delays or not self.complete:
            return []
        shown = [f"{self._stop(node)} {self._delay(delay)}" for node, delay in delays[:MOST_LATE]]
        if len(delays) > MOST_LATE:
            shown.append(f"and {len(delays) - MOST_LATE} more")
        return [_filled(f"Late: {', '.join(shown)}.")]

    def text(self) -> str:
        """Return a text picture."""
        tour = " ".join(map(str, self.places))
        wrapped = textwrap.fill(tour, WIDTH, initial_indent="  ", subsequent_indent="  ")
        impossible = self.impossible[:MOST_REASONS]
        reasons = [_filled(f"No tour can meet this: {each}.") for each in impossible]
        if len(self.impossible) > MOST_REASONS:
            reasons.append(f"And {len(self.impossible) - MOST_REASONS} more like these.")
        show = self.instance.show_node
        reasons += [f"There is no way from {show(i)} to {show(j)}." for i, j in self.blocked]
        if self.blocked:
            stand_in = self._amount(float(self.instance.costs[self.blocked[0]]))
            place = "its place" if len(self.blocked) == 1 else "place of each"
            reasons.append(f"Cost and times have the longest leg, {stand_in}, in {place}.")
        if self.misplaced:
            reasons.append(f"Not in order: {', '.join(map(show, self.misplaced))}.")
        if self.left_out:
            reasons.append(_filled(f"Left out: {', '.join(map(show, self.left_out))}."))
            reasons += [
                _filled(f"Out of reach: {each}.")
                for each in self.instance.out_of_reach
                if each.nodes[0] in self.left_out
            ]
        if self.instance.now is not None and self.instance.pinned:
            driven = ", ".join(map(show, self.instance.pinned))
            reasons.append(_filled(f"Driven already: {driven}."))
        timed = self.complete and (self.instance.clock or not self.instance.counts)
        gained = self.latest_departure - self.departure if timed else 0.0
        latest = self._leaving(self.latest_departure if timed else self.departure)
        if gained > EARLIER and latest != self._leaving(self.departure):
            begins, leaves = latest
            service = f"begin service as late as {begins}, and leave at {leaves}"
            can = service if begins else f"leave as late as {leaves}"
            later = "that adds no lateness, and the tour ends no later"
            reasons.append(_filled(f"It can {can}: {later}."))
        waits = total(self.waiting) - gained
        if (
            timed
            and self.feasible
            and self.instance.now is None
            and self.instance.objective != "duration"
            and waits > MUCH * (self.duration - gained)
        ):
            waiting = f"It waits {self._amount(waits)}{' even then' if gained > EARLIER else ''}"
            hint = f"{waiting}: the objective duration looks for a shorter day."
            reasons.append(_filled(hint))
        parts = [
            _filled(self.headline()),
            *self._lateness(),
            *reasons,
            "",
            "Tour:" if self.instance.names is None else "Tour, by the numbers in column stop:",
            wrapped,
            "",
            *schedule.table(self),
        ]
        return "\n".join(parts)


def _filled(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="  ")


def _short(number: float) -> str:
    return format_score(float(f"{number:.10g}")) if number < 1e9 else f"{number:.6g}"


def total(numbers: Iterable[float]) -> float:
    """Return the sum in order; that of Python may compensate for rounding."""
    return reduce(add, numbers, 0.0)
