"""Table 1 of beam-nrpa-2012: the 30 instances of SolomonPotvinBengio, all with one setting.

    python papers/beam-nrpa-2012/table1.py [--seconds 10] [--threads 2] [--seed 1]

It uses GNRPA with the distance bias and selective moves, and one job per thread. A search ends when
it reaches the best known cost. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import csv

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, data, solve
from nestor.problems import TSPTW

SET = "tsptw/SolomonPotvinBengio"
ROUNDING = 0.006
"""Best known costs have two decimals."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--temperature", type=float, default=1.4)
    arguments = parser.parse_args()
    algorithm = GNRPA(arguments.level, temperature=arguments.temperature)
    with data.find(f"{SET}_best_known.csv").open(newline="") as file:
        instances = list(csv.DictReader(line for line in file if not line.startswith("#")))
    table = Table(title=f"GNRPA level {algorithm.level}, tau {algorithm.temperature:g}")
    for column in ("instance", "best known", "found", "seconds", "playouts", "paper's beam"):
        table.add_column(column, justify="left" if column == "instance" else "right")
    found = late = 0
    for row in instances:
        known = float(row["best_known_cost"])
        result = solve(
            TSPTW.read(data.find(f"{SET}/{row['instance']}")),
            algorithm,
            seconds=arguments.seconds,
            target=known + ROUNDING,
            threads=arguments.threads,
            jobs=arguments.threads,
            seed=arguments.seed,
        )
        found += result.stop_reason == "target"
        late += not result.solution.solved
        table.add_row(
            row["instance"].removesuffix(".txt"),
            f"{known:.2f}",
            f"{result.score:.2f}" + ("" if result.stop_reason == "target" else " *"),
            f"{result.seconds:.2f}",
            f"{result.playouts:,}",
            row["seed000_beam_NRPA"],
        )
    console = Console(width=100)
    console.print(table)
    console.print(
        f"{found} of {len(instances)} best known costs found, {late} tours late (* missed)"
    )


if __name__ == "__main__":
    main()
