"""Planned cycles of local search beside doubling ones and NRPA of one level, at equal playouts.

    python benchmarks/planned.py [NAME ...] [--playouts 60000] [--seeds 5]

The problems are the sets of `examples/records`, those of `dozen.py` (extra `compiled`), and sets
and assignments of functions of which each seed has another instance. A line has the means of
doubling cycles and of planned ones, on how many seeds these found more and less, the mean of NRPA,
and the same counts.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import dozen
import numpy as np

import nestor

RECORDS = Path(__file__).resolve().parent.parent / "examples" / "records"
sys.path.append(str(RECORDS))


THINGS, CHOSEN = 60, 12


def drawn(kind: str, seed: int) -> Any:
    """Return a set of functions: at most 12 of 60 things, a knapsack of them, or an assignment."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    if kind in ("roster", "timetable"):
        return (roster if kind == "roster" else timetable)(rng)
    if kind == "knapsack":
        weights = rng.integers(5, 51, THINGS).tolist()
        values = [weight + int(rng.integers(26)) for weight in weights]
        return nestor.Subset(
            THINGS,
            lambda some: sum(map(weights.__getitem__, some)) <= 400,
            lambda some: sum(map(values.__getitem__, some)),
        )
    table = rng.normal(size=(THINGS, THINGS))
    if kind == "pairs":
        table = np.where(rng.random(table.shape) < 0.04, 2 * table, 0.0)
        table[np.diag_indices(THINGS)] = 3 * rng.random(THINGS)
    if kind == "median":
        points = rng.random((THINGS, 2))
        table = np.linalg.norm(points[:, None] - points, axis=2)
        cost = lambda some: table[:, some].min(1, initial=2.0).sum()  # noqa: E731
        return nestor.Subset(THINGS, lambda some: len(some) <= CHOSEN, cost, sense="min")
    value = lambda some: table[np.ix_(some, some)].sum()  # noqa: E731
    return nestor.Subset(THINGS, lambda some: len(some) <= CHOSEN, value)


def roster(rng: np.random.Generator) -> nestor.Assignment:
    """Return 42 shifts of a week for 12 people: wishes, and 8 for each broken rule."""
    wish: list[list[int]] = rng.integers(9, size=(42, 12)).tolist()

    def cost(given: Mapping[int, int]) -> int:
        own: list[list[tuple[int, int]]] = [[] for _ in range(12)]
        for shift, who in given.items():
            own[who].append(divmod(shift // 2, 3))
        # One shift a day, and none that is earlier than that of the day before.
        tired = [b[0] - a[0] + (b[1] >= a[1]) < 2 for mine in own for a, b in pairwise(mine)]
        broken = sum(tired) + sum(len(mine) not in (3, 4) for mine in own)
        return 8 * broken + sum(wish[shift][who] for shift, who in given.items())

    return nestor.Assignment(42, 12, cost)


def timetable(rng: np.random.Generator) -> nestor.Assignment:
    """Return 40 lessons for 10 hours: wishes, 10 for each clash of teachers or classes, 5 rooms."""
    wish: list[list[int]] = rng.integers(6, size=(40, 10)).tolist()
    teacher = rng.integers(10, size=40).tolist()
    classes = [(10 + a, 10 + b) for a, b in rng.integers(8, size=(40, 2)).tolist()]
    busy = [{one, *both} for one, both in zip(teacher, classes, strict=True)]

    def cost(hour: Mapping[int, int]) -> int:
        used = Counter((hour[lesson], one) for lesson in hour for one in busy[lesson])
        crowd = sum(max(0, count - 5) for count in Counter(hour.values()).values())
        clashes = used.total() - len(used)
        return 10 * (clashes + crowd) + sum(wish[lesson][at] for lesson, at in hour.items())

    return nestor.Assignment(40, 10, cost)


KINDS = ["quadratic", "pairs", "median", "knapsack", "roster", "timetable"]


def problems() -> dict[str, Any]:
    """Return what makes each problem from a seed, by name."""
    found: dict[str, Any] = {kind: partial(drawn, kind) for kind in KINDS}
    for path in sorted(RECORDS.glob("*.py")):
        for name, case in getattr(importlib.import_module(path.stem), "CASES", {}).items():
            found[f"{path.stem}-{name}"] = lambda _, case=case: case().problem
    for name, rules in dozen.DOZEN.items():
        found[name] = lambda _, rules=rules: dozen.made(rules, rules.change)
    return found


def main() -> None:
    """Print a line for each problem."""
    known = problems()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(known))
    parser.add_argument("--playouts", type=int, default=60_000)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    for name in asked.names:
        made = [known[name](0)]
        if name in KINDS:
            made += [known[name](seed) for seed in range(1, asked.seeds)]
        problem = made[0]
        if problem.change not in ("order", "set"):
            continue
        ways = [nestor.LocalSearch(evaluations=asked.playouts), nestor.LocalSearch()]
        planned, *others = (
            [
                nestor.solve(
                    made[seed % len(made)], way, playouts=asked.playouts, seed=seed, jobs=1
                ).score
                for seed in range(asked.seeds)
            ]
            for way in [*ways, nestor.NRPA(1, asked.playouts)]
        )
        sign = -1 if getattr(problem, "sense", "max") == "min" else 1
        counts = []
        for other in others:
            gains = [sign * (new - old) for old, new in zip(other, planned, strict=True)]
            counts.append(f"{sum(gain > 0 for gain in gains)}, {sum(gain < 0 for gain in gains)}")
        doubling, nrpa = (f"{mean(other):,.1f}" for other in others)
        found = f"{mean(planned):,.1f}"
        row = name, doubling, found, counts[0], nrpa, counts[1]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
