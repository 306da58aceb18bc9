"""A check of a tour that shares nothing with the rules of the search."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from nestor.arrays import np
from nestor.errors import VerificationError
from nestor.problems.tsptw.checks import Floats

if TYPE_CHECKING:
    from nestor.problems.tsptw.problem import TSPTW
    from nestor.problems.tsptw.solution import Tour


def verify(tour: Tour) -> None:
    """Recompute a tour from what its problem was given, and compare to the bit.

    Raises
    ------
    VerificationError
        If something is not what the tour claims, or what the problem asks for.
    """
    asked = tour.instance
    n = asked.nodes
    penalty = asked.penalty or (None,) * n
    missing = sorted(set(range(1, n)).difference(tour.order))
    known = len(set(tour.order)) == len(tour.order) and set(tour.order) <= set(range(1, n))
    _check(
        known and all(penalty[city] is not None for city in missing),
        f"not each of the stops 1 to {n - 1} once"
        + (", but for those that may be left out" if asked.penalty else ""),
    )
    path = [0, *tour.order, 0]
    count = len(path) - 1
    _check(
        len(tour.arrivals) == len(tour.waiting) == count,
        f"{count} arrivals and waiting times are needed, one for each stop",
    )
    pinned = asked.pinned or ()
    wrong = [city for city, stop in zip(tour.order, pinned, strict=False) if city != stop]
    wrong += [city for city in tour.order if _comes_too_early(asked, tour.order, city)]
    _check(list(tour.misplaced) == wrong, f"not in order are {wrong}, not {list(tour.misplaced)}")

    distances, missed = _distances(asked, path)
    claimed = [] if asked.gaps is None else list(tour.blocked)
    _check(claimed == missed, f"the legs without a way are {missed}, not {claimed}")
    # Numpy's sum would take them in another order, and Python's may compensate for rounding.
    cost = float(np.add.accumulate(distances)[-1])
    _compare("cost", tour.cost, cost)
    arrivals, waiting = _times(asked, path, distances, tour.departure)
    _compare("makespan", tour.makespan, arrivals[-1])
    for node, said, arrival in zip(path[1:], tour.arrivals, arrivals, strict=True):
        _compare(f"arrival at stop {node}", said, arrival)
    for node, said, wait in zip(path[1:], tour.waiting, waiting, strict=True):
        _compare(f"waiting at stop {node}", said, wait)
    over = np.array(arrivals) - asked.windows[path[1:], 1]
    late = [node for node, delay in zip(path[1:], over, strict=True) if delay > 0.0]
    _check(
        list(tour.violations) == late,
        f"the nodes reached too late are {late}, not {list(tour.violations)}",
    )
    _check_departure(tour, path, distances, arrivals[-1], float(over[over > 0.0].sum()))
    amount = float(len(late)) if asked.late == "count" else _total(over[over > 0.0])
    ends = {
        "cost": cost,
        "makespan": arrivals[-1],
        "return": arrivals[-1] + cost * 1e-6,
        "duration": (arrivals[-1] - tour.departure) + cost * 1e-6,
    }
    price = asked.late if isinstance(asked.late, float) else 1e6
    score = ends[asked.objective] + price * amount
    score += asked.change_cost * _changes(asked, path)
    score += _total(np.array([penalty[city] or 0.0 for city in missing]))
    _compare("score", tour.score, score + 1e12 * (len(missed) + len(wrong)))


def _comes_too_early(asked: TSPTW, order: tuple[int, ...], city: int) -> bool:
    """Whether a stop that must come before a city, also by way of others, comes after it."""
    found, left = set[int](), [city]
    while left:
        stop = left.pop()
        new = {one for one, other in asked.before or () if other == stop} - found
        found |= new
        left += new
    return any(order.index(stop) > order.index(city) for stop in found)


def _distances(asked: TSPTW, path: list[int]) -> tuple[Floats, list[tuple[int, int]]]:
    """Return the distance of each leg, and the legs without a way."""
    legs = list(pairwise(path))
    distances = asked.matrix[path[:-1], path[1:]].copy()
    gone = np.isinf(distances)
    first, last = path[1], path[-2]
    if asked.end is not None:
        distances[-1], gone[-1] = 0.0, False
    goals = [asked.last, None if asked.end == "open" else asked.end]
    if any(goal not in (None, last) for goal in goals):
        gone[-1] = True
    for goal in goals:
        if goal in path[1:-2]:
            # It has no way on.
            gone[path.index(goal)] = True
    if asked.first not in (None, first):
        gone[0] = True
    if gone.any():
        distances[gone] = _farthest(asked)
    return distances, [leg for leg, missing in zip(legs, gone, strict=True) if missing]


def _farthest(asked: TSPTW) -> float:
    """Return the longest leg that there is, which a missing one counts as."""
    goal = asked.last if asked.end in (None, "open") else asked.end
    far = 0.0
    for i in range(asked.nodes):
        for j in range(asked.nodes):
            if i == j or (i == 0 and asked.first not in (None, j)):
                continue
            if goal is not None and ((j == 0 and i != goal) or (j != 0 and i == goal)):
                continue
            distance = 0.0 if j == 0 and asked.end is not None else float(asked.matrix[i, j])
            far = max(far, distance if distance < math.inf else 0.0)
    return far


def _times(
    asked: TSPTW, path: list[int], distances: Floats, start: float
) -> tuple[list[float], list[float]]:
    """Return when a tour that leaves at this time comes to each stop, and its waits there."""
    arrivals: list[float] = []
    waiting: list[float] = []
    time = start
    freed = asked.pinned[-1] if asked.pinned and asked.now is not None else None
    for (here, node), distance in zip(pairwise(path), distances.tolist(), strict=True):
        served = 0.0 if asked.service is None else float(asked.service[here])
        if here in (node, freed):
            served = 0.0
        arrival = time + (distance + served)
        begins = max(arrival, float(asked.windows[node, 0]))
        for closes, opens in asked.closed[node] if asked.closed else ():
            if closes < begins < opens:
                begins = opens
        leaves = begins
        if node == freed and asked.now is not None:
            leaves = asked.now
            arrival, begins = min(arrival, leaves), min(begins, leaves)
        arrivals.append(arrival)
        waiting.append(begins - arrival if node else 0.0)
        time = leaves
    return arrivals, waiting


def _check_departure(
    tour: Tour, path: list[int], distances: Floats, back: float, late: float
) -> None:
    """Check when a tour leaves: when the depot opens, or as late as it can if it has not left."""
    opens = float(tour.instance.windows[0, 0])
    if tour.instance.objective != "duration" or tour.instance.now is not None:
        _compare("departure", tour.departure, opens)
        return

    def ends(start: float) -> tuple[float, float]:
        arrivals, _ = _times(tour.instance, path, distances, start)
        over = np.array(arrivals) - tour.instance.windows[path[1:], 1]
        return arrivals[-1], float(over[over > 0.0].sum())

    usual = ends(opens)
    # Rounding aside, neither the return nor anybody is later.
    small = 1e-9 * (1.0 + abs(usual[0]))
    good = tour.departure >= opens and back <= usual[0] and late <= usual[1] + small
    _check(good, f"leaving at {tour.departure!r} makes the tour later than leaving at {opens!r}")
    step = 1e-5 + small
    later = ends(tour.departure + step)
    _check(
        later[0] > usual[0] or later[1] > usual[1],
        f"the tour could leave later than at {tour.departure!r}",
    )


def _changes(asked: TSPTW, path: list[int]) -> int:
    """Return how many stops come after another one than in the earlier tour."""
    previous = list(asked.previous or ())
    kept = set(pairwise([0, *previous]))
    return sum(node in previous and (here, node) not in kept for here, node in pairwise(path))


def _total(numbers: Floats) -> float:
    """Return the sum in order."""
    return float(np.add.accumulate(numbers)[-1]) if len(numbers) else 0.0


def _compare(what: str, claimed: float, found: float) -> None:
    _check(claimed == found, f"{what} is {float(found)!r}, not {claimed!r}")


def _check(good: bool | np.bool_, message: str) -> None:
    if not good:
        raise VerificationError(message)
