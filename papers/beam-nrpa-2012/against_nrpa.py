"""Beam NRPA against the best of as many runs of NRPA (beam-nrpa-2012, figures 3 to 5).

    python papers/beam-nrpa-2012/against_nrpa.py [--problems NAME...] [--runs 30] [--write FILE.csv]

The searches have level 2, B at level 1, no bias, and all moves legal. NRPA has B N^2 playouts and
restarts until they are used up. Beam NRPA plays as many or a few less. `better` counts the seeds
for which the beam ends above NRPA and those for which it ends below; p is from a two-sided
Mann-Whitney U test of all runs. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import csv
import statistics
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import mannwhitneyu

from nestor import NRPA, BeamNRPA, data, solve
from nestor.problems import TSPTW, Morpion

ITERATIONS = {"rc_203.1": 50, "rc_202.3": 50, "Morpion 5D": 100}
SIZES = (4, 8)
RULES: dict[str, dict[str, Any]] = {
    "as printed": {"adapt_all": False, "diversity": 0},
    "adapt_all": {"diversity": 0},
    "default": {},
}
COLUMNS = ("problem", "beam", "rule", "seed", "score", "playouts")


@cache
def problem(name: str) -> Any:
    """Return a problem of the comparison."""
    if name == "Morpion 5D":
        return Morpion("5D")
    path = data.find(f"tsptw/SolomonPotvinBengio/{name}.txt")
    return TSPTW.read(path, selective=False)


def run(name: str, size: int, rule: str, seed: int) -> dict[str, Any]:
    """Return a row of the results; the rule "NRPA" is the best of `size` runs of it."""
    n = ITERATIONS[name]
    if rule == "NRPA":
        result = solve(problem(name), NRPA(2, n), playouts=size * n * n, threads=1, seed=seed)
    else:
        beam = BeamNRPA(2, n, beam=size, **RULES[rule])
        result = solve(problem(name), beam, threads=1, seed=seed)
    values = (name, size, rule, seed, result.score, result.playouts)
    return dict(zip(COLUMNS, values, strict=True))


def main() -> None:
    """Run, print the comparison and write the runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--problems", nargs="+", choices=ITERATIONS, default=list(ITERATIONS))
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1001, help="seed of the first run")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.runs)
    rows: list[dict[str, Any]] = []
    table = Table(title=f"{arguments.runs} runs of level 2")
    for column in ("problem", "B", "", "mean", "median", "better", "p"):
        table.add_column(column, justify="left" if column in ("problem", "") else "right")
    with ProcessPoolExecutor(arguments.processes) as pool:
        for name in arguments.problems:
            sign = 1.0 if problem(name).sense == "max" else -1.0
            for size in SIZES:
                nrpa: list[float] = []
                for rule in ("NRPA", *RULES):
                    jobs = [pool.submit(run, name, size, rule, seed) for seed in seeds]
                    found = [job.result() for job in jobs]
                    rows += found
                    scores = [row["score"] for row in found]
                    nrpa = nrpa or scores
                    gains = [sign * (a - b) for a, b in zip(scores, nrpa, strict=True)]
                    won, lost = sum(g > 0 for g in gains), sum(g < 0 for g in gains)
                    p = mannwhitneyu(scores, nrpa).pvalue
                    table.add_row(
                        name,
                        str(size),
                        f"best of {size} NRPA" if rule == "NRPA" else f"beam, {rule}",
                        f"{statistics.mean(scores):,.1f}",
                        f"{statistics.median(scores):,.1f}",
                        "" if rule == "NRPA" else f"{won}:{lost}",
                        "" if rule == "NRPA" else f"{p:.1g}",
                    )
    Console(width=100).print(table)
    if arguments.write is not None:
        with arguments.write.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
