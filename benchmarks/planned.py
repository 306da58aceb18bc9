"""Planned cycles of local search beside doubling ones and NRPA of one level, at equal playouts.

    python benchmarks/planned.py [NAME ...] [--playouts 60000] [--seeds 5]

The problems are the sets of `examples/records` and those of `dozen.py` (extra `compiled`). A line
has the means of doubling cycles and of planned ones, on how many seeds these found more and less,
the mean of NRPA, and the same counts.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import dozen

import nestor

RECORDS = Path(__file__).resolve().parent.parent / "examples" / "records"
sys.path.append(str(RECORDS))


def problems() -> dict[str, Any]:
    """Return what makes each problem, by name."""
    found: dict[str, Any] = {}
    for path in sorted(RECORDS.glob("*.py")):
        for name, case in getattr(importlib.import_module(path.stem), "CASES", {}).items():
            found[f"{path.stem}-{name}"] = lambda case=case: case().problem
    for name, rules in dozen.DOZEN.items():
        found[name] = lambda rules=rules: dozen.made(rules, rules.change)
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
        problem = known[name]()
        if problem.change not in ("order", "set"):
            continue
        ways = [nestor.LocalSearch(evaluations=asked.playouts), nestor.LocalSearch()]
        planned, *others = (
            [
                nestor.solve(problem, way, playouts=asked.playouts, seed=seed, jobs=1).score
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
