"""Planned cycles of local search beside doubling ones, on sets, at equal playouts.

    python benchmarks/planned.py [NAME ...] [--playouts 60000] [--seeds 5]

The sets are those of `examples/records` and of `dozen.py` (extra `compiled`). A line has the means,
and on how many seeds the planned cycles found more and less.
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
    for rules in (*dozen.SETS, *dozen.ASSIGNMENTS):
        found[rules.__name__] = lambda rules=rules: dozen.made(rules, "set")
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
        if problem.change != "set":
            continue
        ways = (nestor.LocalSearch(), nestor.LocalSearch(evaluations=asked.playouts))
        doubling, planned = (
            [
                nestor.solve(problem, way, playouts=asked.playouts, seed=seed, jobs=1).score
                for seed in range(asked.seeds)
            ]
            for way in ways
        )
        sign = -1 if getattr(problem, "sense", "max") == "min" else 1
        gains = [sign * (new - old) for old, new in zip(doubling, planned, strict=True)]
        up, down = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        print(
            f"| {name} | {mean(doubling):,.1f} | {mean(planned):,.1f} | {up}, {down} |", flush=True
        )


if __name__ == "__main__":
    main()
