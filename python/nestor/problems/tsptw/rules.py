"""The twin of the core's rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from nestor.arrays import np
from nestor.problems.tsptw.asked import closure, ways
from nestor.problems.tsptw.checks import NEVER, Bools, Floats
from nestor.problems.tsptw.solution import EARLIER, GAP, PENALTY, TIE, total


class State(NamedTuple):
    """A partial tour.

    Attributes
    ----------
    current : int
        The node where the tour is.
    time : float
        When the tour can leave it.
    cost : float
        Sum of the distances so far.
    late : float
        Nodes reached too late so far, or how late in all.
    unvisited : tuple of int
        The cities left, in the order of the moves.
    path : tuple of int
        The cities so far, and 0 at the end if some are left out.
    changes : int
        Stops so far that do not come after the one before them in the earlier tour.
    gaps : int
        Legs so far without a way.
    """

    current: int
    time: float
    cost: float
    late: float
    unvisited: tuple[int, ...]
    path: tuple[int, ...] = ()
    changes: int = 0
    gaps: int = 0


class Leg(NamedTuple):
    """What a leg of a tour comes to.

    Attributes
    ----------
    arrival, leaves : float
        When the tour comes to its end, and when it could leave that if service took no time.
    cost : float
        Its distance.
    late : float
        1, or by how much the tour is late there; 0 if it is in time.
    changed : bool
        Whether its end came after another stop in the earlier tour.
    gap : bool
        Whether there is no way.
    """

    arrival: float
    leaves: float
    cost: float
    late: float
    changed: bool
    gap: bool


class Rules:
    """The rules of `TSPTW`, for its instance."""

    biases: tuple[str, ...] = ("none", "distance", "waiting", "lateness")
    default_bias = "distance"
    bias_name: str
    matrix: Floats
    windows: Floats
    selective: bool
    objective: str
    closed: tuple[tuple[tuple[float, float], ...], ...] | None
    pinned: tuple[int, ...] | None
    now: float | None
    service: Floats | None
    first: int | None
    last: int | None
    end: int | str | None
    previous: tuple[int, ...] | None
    penalty: tuple[float | None, ...] | None
    before: tuple[tuple[int, int], ...] | None
    late: str | float
    change_cost: float

    @property
    def nodes(self) -> int:
        """Number of nodes, including the depot."""
        return len(self.windows)

    @cached_property
    def _ways(self) -> tuple[Floats, Bools | None]:
        fixed = (self.first, self.last, self.end)
        if fixed == (None, None, None) and np.isfinite(self.matrix).all():
            return self.matrix, None
        return ways(self.matrix, *fixed)

    @property
    def costs(self) -> Floats:
        """What each leg costs; the largest distance where there is no way."""
        return self._ways[0]

    @property
    def gaps(self) -> Bools | None:
        """Where there is no way; None if there is one everywhere."""
        return self._ways[1]

    @cached_property
    def durations(self) -> Floats:
        """Times from the start of service at a node to the arrival at another."""
        if self.service is None:
            return self.costs
        service = self.service
        if self.now is not None and self.pinned:
            # The service of the last of them is over.
            service = service.copy()
            service[self.pinned[-1]] = 0.0
        durations: Floats = self.costs + service[:, None]
        np.fill_diagonal(durations, 0.0)
        return durations

    @property
    def weight(self) -> float:
        """What a unit of lateness costs, or a node that is late."""
        return PENALTY if isinstance(self.late, str) else self.late

    @property
    def counts(self) -> bool:
        """Whether nodes that are late are counted, however late they are."""
        return self.late == "count"

    @cached_property
    def earlier(self) -> dict[int, int]:
        """The stop before each one in the earlier tour."""
        return dict(zip(self.previous or (), (0, *(self.previous or ())), strict=False))

    @cached_property
    def left_out(self) -> list[float]:
        """What each node costs that is left out; infinite if it must not be."""
        return [math.inf if cost is None else cost for cost in self.penalty or (None,) * self.nodes]

    @cached_property
    def ahead(self) -> dict[int, frozenset[int]]:
        """The stops that come before each one."""
        return closure(self.before or ())

    def initial(self) -> State:
        """Return the root state."""
        start = self._windows[0][0]
        return State(0, start, 0.0, 0, tuple(range(1, self.nodes)))

    def moves(self, state: State) -> list[int]:
        """Return the legal cities, in order; 0 at last if the tour may end without the others."""
        if not state.unvisited or state.path[-1:] == (0,):
            return []
        pinned = (self.pinned or ())[len(state.path) :]
        cities = list(state.unvisited)
        if self.selective:
            allowed = list(pinned[:1]) or self._allowed(state)
            reachable = [
                city
                for city in cities
                if not self._may_be_left_out(city)
                and not self._too_late(state.current, state.time, city)
            ]
            harmless = [city for city in allowed if self._is_harmless(state, city, reachable)]
            cities = harmless or allowed
        if not pinned and all(map(self._may_be_left_out, state.unvisited)):
            cities.append(0)
        return cities

    def play(self, state: State, move: int) -> State:
        """Return the state after going to a city."""
        leg = self.leg(state.current, state.time, move)
        unvisited = list(state.unvisited)
        if move in unvisited:
            last = unvisited.pop()
            if last != move:
                unvisited[unvisited.index(move)] = last
        return State(
            current=move,
            time=leg.leaves,
            cost=state.cost + leg.cost,
            late=state.late + leg.late,
            unvisited=tuple(unvisited),
            path=(*state.path, move),
            changes=state.changes + leg.changed,
            gaps=state.gaps + leg.gap,
        )

    def score(self, state: State) -> float:
        """Return the engine score of a complete tour: minus objective and penalties."""
        cities = state.path[:-1] if state.path[-1:] == (0,) else state.path
        left = 0.0
        for city in range(1, self.nodes):
            if city not in cities:
                left += self.left_out[city]
        return -self.price(cities, left)

    def price(self, cities: Sequence[int], left: float = 0.0) -> float:
        """Return what the tour through these cities costs, with what it costs to leave out others.

        Other cities are not missed.
        """
        if self.objective == "duration":
            start, legs = self.leaving_late(cities)
        else:
            start = self._windows[0][0]
            legs = self.legs_from(start, (*cities, 0))
        cost, late = total(leg.cost for leg in legs), total(leg.late for leg in legs)
        changes, gaps = sum(leg.changed for leg in legs), sum(leg.gap for leg in legs)
        price = self.objective_of(cost, start, legs[-1].arrival) + self.weight * late
        wrong = gaps + len(self.misplaced(cities))
        return ((price + self.change_cost * changes) + left) + GAP * wrong

    def objective_of(self, cost: float, start: float, end: float) -> float:
        """Return what is minimised, before what else costs, of a tour with these times."""
        return {
            "cost": cost,
            "makespan": end,
            "return": end + TIE * cost,
            "duration": (end - start) + TIE * cost,
        }[self.objective]

    def misplaced(self, cities: Sequence[int]) -> list[int]:
        """Return the stops that are not in the order that is asked for, twice if in two ways."""
        pairs = zip(self.pinned or (), cities, strict=False)
        wrong = [city for asked, city in pairs if asked != city]
        for place, city in enumerate(cities if self.ahead else ()):
            if not {*cities[place:]}.isdisjoint(self.ahead.get(city, ())):
                wrong.append(city)
        return wrong

    def leg(self, here: int, time: float, node: int) -> Leg:
        """Return what a tour that leaves a node at this time comes to at the next one."""
        arrival = time + self.durations.item(here, node)
        leaves = self.opens(node, arrival)
        if self.now is not None and self.pinned and node == self.pinned[-1]:
            # By now it has come.
            arrival, leaves = min(arrival, self.now), self.now
        over = arrival - self._windows[node][1]
        return Leg(
            arrival=arrival,
            leaves=leaves,
            cost=self.costs.item(here, node),
            late=(1 if self.counts else over) if over > 0 else 0,
            changed=self.earlier.get(node, here) != here,
            gap=self.gaps is not None and self.gaps.item(here, node),
        )

    def legs_from(self, start: float, nodes: Sequence[int]) -> list[Leg]:
        """Return the legs of a tour that leaves the depot at this time for these nodes."""
        here, time, legs = 0, start, list[Leg]()
        for node in nodes:
            legs.append(self.leg(here, time, node))
            here, time = node, legs[-1].leaves
        return legs

    def opens(self, node: int, arrival: float) -> float:
        """Return when service begins at a node to which the tour comes at this time."""
        time = max(arrival, self._windows[node][0])
        for start, end in self.closed[node] if self.closed else ():
            if start < time < end:
                return end
        return time

    def leaving_late(self, cities: Sequence[int]) -> tuple[float, list[Leg]]:
        """Return when the tour through these cities and back leaves at the latest, and its legs.

        The end is not later, and the lateness not more, than if it leaves when the depot opens. A
        tour that is on its way by now has left then.
        """
        opens, nodes = self._windows[0][0], (*cities, 0)
        legs = self.legs_from(opens, nodes)
        if self.now is not None:
            return opens, legs
        late, (*arrivals, back) = total(leg.late for leg in legs), (leg.arrival for leg in legs)
        limit = self.latest_starts(cities, arrivals, back)[0]
        for start in (limit, limit - EARLIER):
            if start > opens:
                moved = self.legs_from(start, nodes)
                if moved[-1].arrival <= back and total(leg.late for leg in moved) <= late:
                    return start, moved
        return opens, legs

    def latest_starts(
        self, cities: Sequence[int], arrivals: Sequence[float], end: float
    ) -> list[float]:
        """Return when the tour leaves, and service begins at each city, at the latest.

        Then it is over by `end`, and no window is missed by more than with these arrivals.
        """
        limit, after, found = end, 0, []
        for city, arrival in zip(reversed(cities), reversed(arrivals), strict=True):
            # Rounding must not take it into a pause: service may always begin when it does anyway.
            limit = max(limit - self.durations.item(city, after), self.opens(city, arrival))
            for start, until in self.closed[city] if self.closed else ():
                if start < limit < until:
                    # Who comes in between waits for the end.
                    limit = start
            limit = min(limit, max(self._windows[city][1], arrival))
            found.append(limit)
            after = city
        return [limit - self.durations.item(0, after), *reversed(found)]

    def item(self, state: State, move: int) -> int:
        """Return the city."""
        return move

    def code(self, state: State, move: int) -> tuple[int, int]:
        """Return the leg (from, to)."""
        return state.current, move

    def prior_code(self, state: State, move: int) -> int:
        """Return the number of the leg, n * from + to."""
        return self.nodes * state.current + move

    def bias(self, state: State, move: int) -> float:
        """Return beta of the move under the bias in force."""
        if self.bias_name == "none":
            return 0.0
        duration = self.durations.item(state.current, move)
        if self.bias_name == "distance":
            nearest, farthest = self._extremes
            if state.current == move or duration == nearest:
                return 0.0
            return 10.0 * (nearest - duration) / (farthest - nearest)
        earliest, latest = self._windows[move]
        arrival = state.time + duration
        longest_wait, longest_left = self._longest
        if self.bias_name == "waiting":
            lost, longest = earliest - arrival, longest_wait
        else:
            lost, longest = latest - max(arrival, earliest), longest_left
            if latest >= NEVER:
                return -10.0
        return -10.0 * (lost / longest) if lost > 0 else 0.0

    @cached_property
    def _windows(self) -> list[list[float]]:
        return self.windows.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _extremes(self) -> tuple[float, float]:
        """The smallest and the largest duration off the diagonal."""
        durations = self.durations[~np.eye(self.nodes, dtype=bool)]
        return float(durations.min()), float(durations.max())

    @cached_property
    def _longest(self) -> tuple[float, float]:
        """The longest possible wait at a city, and the longest possible time to a deadline."""
        start = self._windows[0][0]
        earliest, latest = (times[1:] for times in zip(*self._windows, strict=True))
        limits = [time for time in latest if time < NEVER]
        return max(start, *earliest) - start, max([start, *limits]) - start

    def _may_be_left_out(self, city: int) -> bool:
        return self.left_out[city] < math.inf

    def _allowed(self, state: State) -> list[int]:
        """Return the cities that may come next by their order, and by where there are ways."""
        ordered = [c for c in state.unvisited if {*state.path}.issuperset(self.ahead.get(c, ()))]
        gaps = self.gaps
        if gaps is None:
            return ordered
        passing = []
        for city in ordered:
            others = [other for other in state.unvisited if other != city]
            over = all(map(self._may_be_left_out, others))
            if not gaps[state.current, city] and (over or not gaps[city, others].all()):
                passing.append(city)
        return passing or ordered

    def _too_late(self, origin: int, time: float, city: int) -> bool:
        return time + self.durations.item(origin, city) > self._windows[city][1]

    def _is_harmless(self, state: State, city: int, reachable: list[int]) -> bool:
        arrival = state.time + self.durations.item(state.current, city)
        departure = self.opens(city, arrival)
        return not any(
            self._too_late(city, departure, other) for other in reachable if other != city
        )
