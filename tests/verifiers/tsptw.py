"""TSPTW, from beam-nrpa-2012 (section 2.1) and the format of Lopez-Ibanez and Blum."""

from __future__ import annotations

import math
from typing import Any

from verifiers import integer, need, number


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Drive the tour: wait for windows that are not open, count those that are closed."""
    # A float on the diagonal counts for nothing, not even if it is infinite.
    matrix = [
        [
            0.0 if i == j and isinstance(value, float) else number(value)
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(data["matrix"])
    ]
    # None is no limit.
    limits = [(None, None) if window is None else window for window in data["windows"]]
    windows = [
        (0.0 if start is None else number(start), math.inf if end is None else number(end))
        for start, end in limits
    ]
    n = len(matrix)
    service = [number(time) for time in data.get("service", [0] * n)]
    need(len(service) == n and all(0 <= time <= 1e15 for time in service), "times of service")
    need(2 <= n <= 2000 and all(len(row) == n for row in matrix), "a square matrix")
    need(all(0 <= value <= 1e15 for row in matrix for value in row), "distances")
    need(len(windows) == n, "a window for each node")
    need(all(-1e15 <= earliest <= latest for earliest, latest in windows), "windows")
    need(data["objective"] in ("cost", "makespan", "return"), "an objective")
    late_as = data.get("late", "count")
    if late_as not in ("count", "time"):
        need(1e-9 <= number(late_as) <= 1e9, "what lateness costs")

    order = [integer(move) for move in moves]
    need(sorted(order) == list(range(1, n)), "every city once")
    here, time, cost, over = 0, windows[0][0], 0.0, 0.0
    late, arrivals = [], []
    for node in [*order, 0]:
        cost += matrix[here][node]
        time += service[here] + matrix[here][node]
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
    return value + (1e6 if isinstance(late_as, str) else late_as) * amount, {
        "order": order,
        "cost": cost,
        "makespan": arrivals[-1],
        "arrivals": arrivals,
        "violations": late,
        "feasible": not late,
    }
