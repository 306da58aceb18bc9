"""Windows that no tour can meet, found before the search.

All times are worked out as a tour's are, leg by leg. Rounding is monotone, so what is named here is
beyond every tour, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from nestor.arrays import np, npt
from nestor.problems.tsptw.checks import Floats

Integers: TypeAlias = "npt.NDArray[np.intp]"

MOST = 20
"""The most pairs that are looked for: each takes a search for the fastest ways from its cities."""


class Impossible(NamedTuple):
    """Windows that no tour can meet together.

    Attributes
    ----------
    nodes : tuple of int
        Whose windows: one node, or two.
    reason : str
        Why not, in a sentence.
    """

    nodes: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        return self.reason


def impossible_windows(
    matrix: Floats,
    windows: Floats,
    node: Callable[[int], str] = str,
    time: Callable[[float], str] = "{:g}".format,
    optional: Collection[int] = (),
    ahead: Mapping[int, Collection[int]] | None = None,
    end: int | str | None = None,
) -> list[Impossible]:
    """Return the windows, and pairs of windows, that no tour can meet.

    A city is named if the fastest way from the depot, or from a city that must come before it,
    comes too late for it, or if there is none, the depot if it has closed before the fastest way
    back from some city, and two cities if each is served too late for the other. An instance of
    which nothing is named may still have no feasible tour.

    Parameters
    ----------
    matrix : array of shape (n, n)
        Distances.
    windows : array of shape (n, 2)
        Earliest and latest time of each node.
    node, time : callable
        Return a node and a time as reasons show them.
    optional : collection of int
        Cities that may be left out: each is named for what holds of it alone.
    ahead : mapping of int to collection of int, optional
        The cities that must come before each one.
    end : int or "open", optional
        Where tours end in place of the depot, to which it then takes no time.

    Returns
    -------
    list of Impossible
    """
    earliest, latest = windows.T
    arrivals = _fastest(matrix, earliest, 0, earliest[0])
    beyond = arrivals > latest
    beyond[0] = False

    def too_late(city: int, arrival: float, after: int = 0) -> Impossible:
        start = f"stop {node(after)}" if after else "the depot"
        if arrival == np.inf:
            return Impossible((city,), f"there is no way from {start} to stop {node(city)}")
        there = f"there after {start}" if after else "there"
        closes = f"stop {node(city)} closes at {time(latest[city])}"
        reason = f"{closes}, the earliest possible arrival {there} is {time(arrival)}"
        return Impossible((city,), reason)

    found = [too_late(city, arrivals[city]) for city in np.flatnonzero(beyond).tolist()]
    departures = np.maximum(arrivals, earliest)
    asked = [(one, city) for city, others in (ahead or {}).items() for one in sorted(others)]
    direct = [pair for pair in asked if departures[pair[0]] + matrix[pair] > latest[pair[1]]]
    for one, city in direct[:MOST]:
        if not (beyond[one] or beyond[city]):
            arrival = float(_fastest(matrix, earliest, one, departures[one])[city])
            if arrival > latest[city]:
                found.append(too_late(city, arrival, one))
                beyond[city] = True
    # A way back without waiting, leg by leg from its end, can be off by rounding: allow for that.
    home = _fastest(matrix.T, np.zeros_like(earliest), 0, 0.0)
    returns = np.where(np.isinf(arrivals), -np.inf, (departures + home) * (1.0 - 1e-12))
    returns[0] = -np.inf
    places = np.arange(len(matrix))
    may = np.isin(places, list(optional))
    worst = int(np.where(may, -np.inf, returns).argmax())
    late = (returns > latest[0]) & np.where(may, ~beyond, places == worst)
    for city in np.flatnonzero(late).tolist():
        last = isinstance(end, int) and end != city
        goal = f"stop {node(end)}" if isinstance(end, int) else "the depot"
        over = "return from" if end is None else f"end at {goal} after" if last else "end at"
        reason = (
            f"the depot closes at {time(latest[0])}, the earliest possible {over} stop "
            f"{node(city)} is {time(departures[city] + home[city])}"
            if home[city] < np.inf
            else f"there is no way from stop {node(city)} to {goal}"
        )
        found.append(Impossible((city if may[city] else 0,), reason))
    cities = np.flatnonzero(~(beyond | may))[1:]
    for one, other, there, back in _pairs(matrix, earliest, latest, departures, cities):
        first, second = node(one), node(other)

        def reached(before: str, after: str, arrival: float, closes: float) -> str:
            if arrival == np.inf:
                return f"{before} first, there is no way to {after}"
            when = f"{after} is reached at {time(arrival)}"
            return f"{before} first, {when} and closes at {time(closes)}"

        reason = (
            f"stops {first} and {second} exclude each other: "
            f"{reached(first, second, there, latest[other])}; "
            f"{reached(second, first, back, latest[one])}"
        )
        found.append(Impossible((one, other), reason))
    return found


def _pairs(
    matrix: Floats, earliest: Floats, latest: Floats, departures: Floats, cities: Integers
) -> Iterator[tuple[int, int, float, float]]:
    """Yield the pairs of these cities of which either makes the other late, and when."""
    late = departures[:, None] + matrix > latest[None, :]
    inside = np.zeros(len(matrix), dtype=bool)
    inside[cities] = True
    # Directly; that there is no faster way around is tested next.
    direct = late & late.T & inside[:, None] & inside[None, :]
    np.fill_diagonal(direct, False)
    fastest: dict[int, Floats] = {}
    for one, other in np.argwhere(np.triu(direct))[:MOST].tolist():
        for city in (one, other):
            if city not in fastest:
                fastest[city] = _fastest(matrix, earliest, city, departures[city])
        there, back = fastest[one][other], fastest[other][one]
        if there > latest[other] and back > latest[one]:
            yield one, other, there, back


def _fastest(matrix: Floats, earliest: Floats, start: int, time: float) -> Floats:
    """Return when each node can be reached at the soonest, leaving `start` at `time`."""
    arrivals = np.full(len(matrix), np.inf)
    open_ = np.ones(len(matrix), dtype=bool)
    open_[0] = start == 0  # A tour does not come by the depot in between.
    arrivals[start] = time
    for _ in range(len(matrix)):
        node = int(np.where(open_, arrivals, np.inf).argmin())
        if not open_[node]:
            break
        open_[node] = False
        departure = time if node == start else max(arrivals[node], earliest[node])
        np.minimum(arrivals, departure + matrix[node], out=arrivals)
    return arrivals
