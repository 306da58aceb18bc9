"""TSPTW, from beam-nrpa-2012 (section 2.1) and the format of Lopez-Ibanez and Blum."""

from __future__ import annotations

import math
from typing import Any

from verifiers import integer, need, number


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Drive the tour: wait for windows that are not open, count those that are closed."""
    # A float on the diagonal counts for nothing, not even if it is infinite.
    matrix = [
        [0.0 if i == j and isinstance(value, float) else leg(value) for j, value in enumerate(row)]
        for i, row in enumerate(data["matrix"])
    ]
    driven = [value for row in matrix for value in row if value < math.inf]
    # None is no limit, and so is the empty cell of a table.
    limits = [(None, None) if window is None else window for window in data["windows"]]
    windows = [
        (0.0 if empty(start) else number(start), math.inf if empty(end) else number(end))
        for start, end in limits
    ]
    n = len(matrix)
    service = [0.0 if empty(time) else number(time) for time in data.get("service", [0] * n)]
    need(len(service) == n and all(0 <= time <= 1e15 for time in service), "times of service")
    need(2 <= n <= 2000 and all(len(row) == n for row in matrix), "a square matrix")
    need(all(0 <= value <= 1e15 for value in driven), "distances")
    need(len(windows) == n, "a window for each node")
    need(all(-1e15 <= earliest <= latest for earliest, latest in windows), "windows")
    need(data["objective"] in ("cost", "makespan", "return"), "an objective")
    late_as = data.get("late", "count")
    if late_as not in ("count", "time"):
        need(1e-9 <= number(late_as) <= 1e9, "what lateness costs")

    order = [integer(move) for move in moves]
    need(sorted(order) == list(range(1, n)), "every city once")
    here, time, cost, over, gaps = 0, windows[0][0], 0.0, 0.0, 0
    late, arrivals = [], []
    for node in [*order, 0]:
        gaps += matrix[here][node] == math.inf
        way = min(matrix[here][node], max(driven))
        cost += way
        time += service[here] + way
        arrivals.append(time)
        earliest, latest = windows[node]
        if time > latest:
            late.append(node)
            over += time - latest
        time, here = max(time, earliest), node
    value = cost if data["objective"] == "cost" else arrivals[-1]
    if data["objective"] == "return":
        value += 1e-6 * cost
    amount = len(late) if late_as == "count" else over
    score = value + (1e6 if isinstance(late_as, str) else late_as) * amount
    return score + 1e12 * gaps, {
        "order": order,
        "cost": cost,
        "makespan": arrivals[-1],
        "arrivals": arrivals,
        "violations": late,
        "feasible": not late and not gaps,
    }


def empty(value: Any) -> bool:
    """Whether it is None or the empty cell of a table."""
    return value is None or value != value


def leg(value: Any) -> float:
    """Return a distance, or infinity where no way is."""
    return math.inf if value == math.inf else number(value)
