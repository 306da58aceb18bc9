"""NMCS with uniform and with tuned playouts on Morpion 5T (nrpa-2011, table 4), at equal time.

    python papers/nrpa-2011/tuned.py [--level 2] [--seconds 10] [--runs 15]

Each run has its own seed and one thread, and restarts until its time is up. Medians are the upper
middle element, as in the paper; p is from a two-sided Mann-Whitney U test.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor

from rich.console import Console
from rich.table import Table
from scipy.stats import mannwhitneyu

from nestor import NMCS, Result, solve
from nestor.problems import Morpion


def run(algorithm: NMCS, seconds: float, seed: int) -> Result:
    """Return the result of one run."""
    return solve(Morpion("5T"), algorithm, seconds=seconds, threads=1, seed=seed)


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    table = Table(title=f"NMCS level {arguments.level}, {arguments.runs} runs")
    for column in ("playouts", "median", "least", "most", "playouts/s"):
        table.add_column(column, justify="left" if column == "playouts" else "right")
    samples = []
    with ProcessPoolExecutor(arguments.processes) as pool:
        for policy in (None, "tuned"):
            algorithm = NMCS(arguments.level, playout_policy=policy)
            jobs = [
                pool.submit(run, algorithm, arguments.seconds, seed)
                for seed in range(1, arguments.runs + 1)
            ]
            results = [job.result() for job in jobs]
            scores = sorted(result.score for result in results)
            speed = sum(r.playouts for r in results) / sum(r.seconds for r in results)
            found = (scores[len(scores) // 2], scores[0], scores[-1], round(speed, -2))
            table.add_row(policy or "uniform", *(f"{number:,.0f}" for number in found))
            samples.append(scores)
    console = Console(width=100)
    console.print(table)
    console.print(f"p = {mannwhitneyu(*samples).pvalue:.1g}")


if __name__ == "__main__":
    main()
