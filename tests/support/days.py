"""Small days with all that may be asked of a tour, drawn at random, and brute force."""

from __future__ import annotations

import csv
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from nestor.problems import TSPTW


def random_day(rng: random.Random, most: int = 8) -> TSPTW:
    """Return a day of 1 to `most` stops with some of what can be asked for."""
    n = 1 + rng.randint(1, most)
    points = [(rng.randint(0, 40), rng.randint(0, 40)) for _ in range(n)]
    whole = rng.random() < 0.5

    def distance(i: int, j: int) -> float:
        far = math.dist(points[i], points[j]) + rng.random() * 3
        return float(round(far)) if whole else far

    matrix = [[distance(i, j) for j in range(n)] for i in range(n)]
    length = rng.choice([30, 60, 120, 300])
    windows: list[Any] = [(rng.randint(0, 20), rng.randint(100, 400))]
    several = rng.random() < 0.3
    for _ in range(1, n):
        opens = rng.randint(0, 150)
        closes = opens + rng.randint(1, length)
        if several and rng.random() < 0.5:
            again = closes + rng.randint(5, 60)
            windows.append([(opens, closes), (again, again + rng.randint(1, length))])
        else:
            windows.append((opens, closes))
    asked: dict[str, Any] = {
        "late": rng.choice(["count", "time", "time", rng.choice([0.5, 2, 20])]),
        "objective": rng.choice(["cost", "cost", "makespan", "return", "duration"]),
        "selective": rng.random() < 0.5,
    }
    if rng.random() < 0.5:
        asked["service"] = [rng.randint(0, 9) for _ in range(n)]
    stops = rng.sample(range(1, n), n - 1)
    if n > 3:
        for name in rng.sample(["first", "last", "end"], rng.choice([0, 0, 0, 1, 1, 2])):
            asked[name] = stops.pop()
    if rng.random() < 0.15 and "end" not in asked:
        asked["end"] = "open"
    if {"last", "end"} <= asked.keys() and asked["end"] != "open":
        del asked["last"]
    if len(stops) > 3 and rng.random() < 0.2 and "first" not in asked:
        asked["pinned"] = [stops.pop() for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.5:
            asked["now"] = rng.randint(20, 120)
    elif rng.random() < 0.2:
        for _ in range(n):
            i, j = rng.sample(range(n), 2)
            matrix[i][j] = math.inf
    if rng.random() < 0.25:
        asked["previous"] = rng.sample(range(1, n), rng.randint(1, n - 1))
        asked["change_cost"] = rng.choice([0.5, 5, 50])
    if len(stops) > 2 and rng.random() < 0.2:
        asked["before"] = [(stops[0], stops[1]), (stops[1], stops[2])][: rng.randint(1, 2)]
        del stops[:3]
    if stops and rng.random() < 0.25:
        asked["penalty"] = [
            rng.choice([None, 3, 30, 300]) if k in stops else None for k in range(n)
        ]
    return TSPTW(matrix, windows, label="day", **asked)


Hours = list[list[tuple[float | None, float | None]]]
"""The windows of each node, as people give them."""


def hours_of(problem: TSPTW) -> Hours:
    """Return the windows of a problem in which all have limits."""
    found: Hours = []
    for node, (opens, closes) in enumerate(problem.windows.tolist()):
        pauses = problem.closed[node] if problem.closed else ()
        times = [opens, *(time for pause in pauses for time in pause), closes]
        found.append(list(zip(times[::2], times[1::2], strict=True)))
    return found


def with_less_limits(problem: TSPTW, rng: random.Random) -> tuple[TSPTW, Hours]:
    """Return a problem with limits taken away, perhaps before time 0, and its hours."""
    shift = rng.choice([0, 0, 60, 150, 1000])
    hours: Hours = []
    for node, row in enumerate(hours_of(problem)):
        kept: Any = [tuple(time - shift for time in window if time is not None) for window in row]
        taken = rng.choice(["", "ready", "due", "both"] if node else ["", "due", "both", "both"])
        if taken in ("ready", "both"):
            kept[0] = (None, kept[0][1])
        if taken in ("due", "both"):
            kept[-1] = (kept[-1][0], None)
        hours.append(kept)
    windows: list[Any] = [row if len(row) > 1 else row[0] for row in hours]
    now = None if problem.now is None else problem.now - shift
    return replace(problem, windows=windows, closed=None, now=now), hours


def through_files(problem: TSPTW, hours: Hours, folder: Path) -> tuple[TSPTW, TSPTW]:
    """Return a problem with names, and what is read of it from a table with all columns."""
    names = ["Depot", *(f"Stop, {k}" for k in range(1, problem.nodes))]
    served = problem.service is not None and problem.service.any()
    named = replace(problem, names=names, service=problem.service if served else None)
    rows = [["name", "service", "penalty", "before", "after", "position"]]
    most = max(map(len, problem.closed or ((),)))
    rows[0] += [f"{word}{k or ''}" for k in (0, *range(2, 2 + most)) for word in ("open", "close")]
    fixed = {problem.first: "first", problem.last: "last"}
    if not isinstance(problem.end, str):
        fixed[problem.end] = "end"
    for node, name in enumerate(names):
        later = [names[b] for a, b in problem.before or () if a == node and a % 2]
        sooner = [names[a] for a, b in problem.before or () if b == node and a % 2 == 0]
        times = ["" if time is None else repr(time) for window in hours[node] for time in window]
        cost = (problem.penalty or (None,) * problem.nodes)[node]
        row = [
            name,
            repr(float(problem.service[node])) if served and problem.service is not None else "",
            "" if cost is None else repr(cost),
            "; ".join(later),
            "; ".join(sooner),
            fixed.get(node, ""),
            *times,
        ]
        rows.append([*row, *[""] * (len(rows[0]) - len(row))])
    table = folder / "stops.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    matrix = folder / "matrix.csv"
    with matrix.open("w", newline="") as file:
        csv.writer(file).writerows(problem.matrix.tolist())
    asked = ("pinned", "now", "previous", "change_cost", "objective", "late", "selective")
    more = {name: getattr(problem, name) for name in asked}
    if problem.end == "open":
        more["end"] = "open"
    return named, TSPTW.read(table, matrix=matrix, **more)


class Plain:
    """The price of tours, worked out in the plainest way from what a problem was given."""

    def __init__(self, problem: TSPTW, hours: Hours | None = None) -> None:
        self.asked = problem
        self.hours = hours_of(problem) if hours is None else hours
        self.start = float(problem.windows[0, 0])
        free = problem.objective == "cost" or (
            problem.objective == "duration" and problem.now is None
        )
        if self.hours[0][0][0] is None and free:
            # The depot opens at 0, or at the first time before; or at any, if a window closes then.
            times = [time for row in self.hours for window in row for time in window]
            self.start = min(time for time in (*times, 0.0) if time is not None)
            limits = [row[-1][1] for row in self.hours]
            if min(time for time in (*limits, problem.now, 0.0) if time is not None) < 0:
                self.start = -1e4
        self.n = problem.nodes
        self.goal = problem.last if problem.end in (None, "open") else problem.end
        self.penalty = problem.penalty or (None,) * self.n
        self.pinned = problem.pinned or ()
        self.previous = problem.previous or ()
        self.best: tuple[int, ...] | None = None
        self.limit = math.inf
        self.over = 0.0
        # What a leg without a way counts as.
        self.far = float(problem.costs.max())

    def better(self, score: float) -> tuple[int, ...] | None:
        """Return a tour that costs less than this, if there is one."""
        self.best, self.limit = None, score - 1e-7 * (1 + abs(score))
        self.search((), self.start, 0.0, 0.0, 0.0)
        return self.best

    def search(
        self, path: tuple[int, ...], time: float, total: float, late: float, other: float
    ) -> None:
        """Try all tours that begin like this."""
        bound = late + other
        if self.asked.objective == "cost":
            bound += total
        elif self.asked.objective != "duration":
            bound += time
        if bound >= self.limit:
            return
        left = [city for city in range(1, self.n) if city not in path]
        if all(self.penalty[city] is not None for city in left):
            self.end(path, time, total, late, other + sum(self.penalty[c] or 0 for c in left))
        for city in left:
            self.search((*path, city), *self.leg(path, city, time, total, late, other))

    def end(
        self, path: tuple[int, ...], time: float, total: float, late: float, other: float
    ) -> None:
        """Return to where the tour ends."""
        _, total, late, other, back = self.arrive(path, 0, time, total, late, other)
        value = total if self.asked.objective == "cost" else back
        if self.asked.objective == "duration":
            value = back - self.latest_start(path)
        if self.asked.objective in ("return", "duration"):
            value += 1e-6 * total
        if value + late + other < self.limit:
            self.best, self.limit = path, value + late + other

    def leg(self, path: tuple[int, ...], city: int, *sums: float) -> tuple[float, ...]:
        """Return the sums after going to a city."""
        return self.arrive(path, city, *sums)[:4]

    def arrive(
        self,
        path: tuple[int, ...],
        node: int,
        time: float,
        total: float,
        late: float,
        other: float,
    ) -> tuple[float, float, float, float, float]:
        """Return the sums after going to a node, and when the tour comes there."""
        asked, here = self.asked, path[-1] if path else 0
        distance = float(asked.matrix[here, node])
        gone = math.isinf(distance)
        if node == 0 and asked.end is not None:
            distance, gone = 0.0, False
        gone |= here == 0 and node != 0 and asked.first not in (None, node)
        gone |= self.goal is not None and ((here == self.goal) != (node == 0))
        served = 0.0 if asked.service is None else float(asked.service[here])
        if here == node or (asked.now is not None and path == self.pinned):
            served = 0.0
        distance = self.far if gone else distance
        arrival = time + distance + served
        freed = asked.now if (*path, node) == self.pinned else None
        if freed is not None:
            arrival = min(arrival, freed)
        hours = self.hours[node]
        closes = hours[-1][1]
        over = 0.0 if closes is None else max(0.0, arrival - closes)
        self.over += over
        if asked.late == "count":
            late += 1e6 * (over > 0)
        else:
            late += (1e6 if asked.late == "time" else float(asked.late)) * over
        if node and len(path) < len(self.pinned) and self.pinned[len(path)] != node:
            other += 1e13
        if node in self.previous:
            place = self.previous.index(node)
            other += asked.change_cost * (here != (0, *self.previous)[place])
        other += 1e12 * gone
        other += 1e13 * any(b == node and a not in path for a, b in asked.before or ())
        leaves = arrival
        before = -math.inf
        for opens, until in hours:
            if opens is not None and before < arrival < opens:
                leaves = opens
            before = math.inf if until is None else until
        if freed is not None:
            leaves = freed
        return leaves, total + distance, late, other, arrival

    def latest_start(self, path: tuple[int, ...]) -> float:
        """Return the latest start by which the end and nobody is later, by halving."""
        low = self.start
        if self.asked.now is not None:
            # It has left.
            return low
        back, late = self.drive(path, low)
        high = back
        for _ in range(60):
            middle = (low + high) / 2
            end, more = self.drive(path, middle)
            fine = end <= back + 1e-9 and more <= late + 1e-9
            low, high = (middle, high) if fine else (low, middle)
        return low

    def drive(self, path: tuple[int, ...], start: float) -> tuple[float, float]:
        """Return when a tour is over that leaves at this time, and how late it is in all."""
        self.over = 0.0
        sums: tuple[float, ...] = (start, 0.0, 0.0, 0.0)
        for place, city in enumerate(path):
            sums = self.leg(path[:place], city, *sums)
        return self.arrive(path, 0, *sums)[4], self.over
