"""NRPA against NMCS at equal time (nrpa-2011, table 2), run by run.

    python papers/nrpa-2011/compare.py [--seconds 20] [--runs 15] [--write comparison.csv]

Each run has its own seed and one thread, and restarts until its time is up. Medians are the upper
middle element, as in the paper; p is from a two-sided Mann-Whitney U test.
"""

from __future__ import annotations

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import mannwhitneyu

from nestor import NMCS, NRPA, Algorithm, solve
from nestor.problems import Crossword, Morpion

PROBLEMS: dict[str, tuple[Any, NRPA, NMCS]] = {
    "Morpion 5D": (Morpion("5D"), NRPA(3), NMCS(3)),
    "Morpion 5T": (Morpion("5T"), NRPA(3), NMCS(3)),
    "CrossC": (Crossword.crossc(), NRPA(3), NMCS(2)),
}
COLUMNS = ("problem", "algorithm", "level", "seconds", "seed", "score", "playouts")


def run(name: str, algorithm: Algorithm, seconds: float, seed: int) -> dict[str, Any]:
    """Return a row of the results."""
    result = solve(PROBLEMS[name][0], algorithm, seconds=seconds, threads=1, seed=seed)
    level = algorithm.to_dict()["level"]
    values = (name, algorithm.name, level, seconds, seed, result.score, result.playouts)
    return dict(zip(COLUMNS, values, strict=True))


def upper_median(scores: list[float]) -> float:
    """Return the upper middle element."""
    return sorted(scores)[len(scores) // 2]


def main() -> None:
    """Run, print the comparison and write the runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    table = Table(title=f"{arguments.runs} runs of {arguments.seconds:g} s, one thread each")
    for column in ("problem", "algorithm", "median", "best", "playouts/s", "p"):
        table.add_column(column, justify="left" if column in ("problem", "algorithm") else "right")
    with ProcessPoolExecutor(arguments.processes) as pool:
        for name, (problem, *algorithms) in PROBLEMS.items():
            jobs = [
                pool.submit(run, name, algorithm, arguments.seconds, seed)
                for seed in range(1, arguments.runs + 1)
                for algorithm in algorithms
            ]
            found = [job.result() for job in jobs]
            rows += found
            scores = [[row["score"] for row in found[kind::2]] for kind in (0, 1)]
            p = mannwhitneyu(*scores).pvalue
            for kind, algorithm in enumerate(algorithms):
                speed = sum(row["playouts"] for row in found[kind::2])
                table.add_row(
                    name,
                    f"{algorithm.name} {len(algorithm.levels())}",
                    problem.show_score(upper_median(scores[kind])),
                    problem.show_score(max(scores[kind])),
                    f"{speed / arguments.runs / arguments.seconds:,.0f}",
                    f"{p:.2g}" if kind == 0 else "",
                )
    Console(width=100).print(table)
    if arguments.write is not None:
        with arguments.write.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
