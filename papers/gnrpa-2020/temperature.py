"""TSPTW rc_204.1 with a temperature of 1.4 and of 1.0 (gnrpa-2020, section 5.4), run by run.

    python papers/gnrpa-2020/temperature.py [--playouts 300000] [--runs 100] [--write runs.csv]

Each run is a GNRPA search of level 3, N = 100, with the distance bias and its own seed. Both
temperatures have the same number of playouts. p is from a two-sided Mann-Whitney U test of the
final costs. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import csv
import math
import statistics
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import mannwhitneyu

from nestor import GNRPA, data, solve
from nestor.problems import TSPTW

INSTANCE = "tsptw/SolomonPotvinBengio/rc_204.1.txt"
TEMPERATURES = (1.0, 1.4)
COLUMNS = ("moves", "temperature", "playouts", "seed", "cost")


def run(selective: bool, temperature: float, playouts: int, seed: int) -> dict[str, Any]:
    """Return a row of the results."""
    problem = TSPTW.read(data.find(INSTANCE), selective=selective)
    algorithm = GNRPA(3, temperature=temperature, bias="distance")
    result = solve(problem, algorithm, playouts=playouts, threads=1, seed=seed)
    moves = "selective" if selective else "all"
    return dict(zip(COLUMNS, (moves, temperature, playouts, seed, result.score), strict=True))


def main() -> None:
    """Run, print the comparison and write the runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--playouts", type=int, default=300_000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    table = Table(title=f"rc_204.1, {arguments.runs} runs of {arguments.playouts:,} playouts")
    for column in ("moves", "temperature", "mean cost", "2 s.e.", "best", "p"):
        table.add_column(column, justify="left" if column == "moves" else "right")
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(arguments.processes) as pool:
        for selective in (False, True):
            costs = []
            for temperature in TEMPERATURES:
                jobs = [
                    pool.submit(run, selective, temperature, arguments.playouts, seed)
                    for seed in range(1, arguments.runs + 1)
                ]
                rows += [job.result() for job in jobs]
                costs.append([row["cost"] for row in rows[-arguments.runs :]])
            p = mannwhitneyu(*costs).pvalue
            for temperature, found in zip(TEMPERATURES, costs, strict=True):
                table.add_row(
                    "selective" if selective else "all",
                    f"{temperature:g}",
                    f"{statistics.mean(found):,.2f}",
                    f"{2 * statistics.stdev(found) / math.sqrt(len(found)):.2f}",
                    f"{min(found):.2f}",
                    f"{p:.2g}" if temperature == TEMPERATURES[0] else "",
                )
    Console(width=100).print(table)
    if arguments.write is not None:
        with arguments.write.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
