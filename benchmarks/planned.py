"""Planned cycles of local search beside doubling ones and NRPA of one level, at equal playouts.

    python benchmarks/planned.py [NAME ...] [--playouts 60000] [--seeds 5]

The problems are the sets of `examples/records`, those of `dozen.py` (extra `compiled`), and sets of
functions of which each seed has another instance. A line has the means of doubling cycles and of
planned ones, on how many seeds these found more and less, the mean of NRPA, and the same counts.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from functools import partial
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
    """Return a set of functions: at most 12 of 60 things, or a knapsack of them."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
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


KINDS = ["quadratic", "pairs", "median", "knapsack"]


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
