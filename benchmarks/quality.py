"""Quality on one thread: what searches find on benchmark instances.

    python benchmarks/quality.py [--seeds 10] [--playouts 1000000] [--seconds 10]

The first table has TSPTW instances; GNRPA level 3 with seed 1 should reach the best known cost of
each within the given seconds. The second table has means over seeds at a fixed number of playouts.
Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import csv
import statistics
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, NRPA, Algorithm, Problem, data, solve
from nestor.problems import TSPTW, Morpion, SameGame

SET = "tsptw/SolomonPotvinBengio"
REACHED = ("rc_201.1", "rc_203.1", "rc_205.1", "rc_202.2", "rc_206.1", "rc_207.4")


def best_known(instance: str) -> float:
    """Return the best known cost of an instance, to two decimals."""
    with data.find(f"{SET}_best_known.csv").open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return next(float(r["best_known_cost"]) for r in rows if r["instance"] == f"{instance}.txt")


def reached(seconds: float) -> Table:
    """Return the table of instances and the time to their best known cost."""
    table = Table(title=f"TSPTW, GNRPA level 3, tau 1.4, seed 1, one thread, at most {seconds} s")
    for column in ("instance", "best known", "found", "seconds", "playouts"):
        table.add_column(column, justify="left" if column == "instance" else "right")
    for instance in REACHED:
        known = best_known(instance)
        result = solve(
            TSPTW.read(data.find(f"{SET}/{instance}.txt")),
            GNRPA(temperature=1.4),
            seconds=seconds,
            target=known + 0.005,
            seed=1,
            threads=1,
        )
        found = f"{result.score:.2f}" + ("" if result.stop_reason == "target" else " (missed)")
        table.add_row(
            instance, f"{known:.2f}", found, f"{result.seconds:.2f}", f"{result.playouts:,}"
        )
    return table


def means(seeds: int, playouts: int) -> Table:
    """Return the table of means over seeds."""
    board = SameGame.read(data.find("samegame/problems.txt"), board=1)
    tour = TSPTW.read(data.find(f"{SET}/rc_204.1.txt"))
    cases: list[tuple[str, Problem[Any, Any], Algorithm]] = [
        ("TSPTW rc_204.1, GNRPA, tau 1.4", tour, GNRPA(temperature=1.4)),
        ("SameGame board 1, GNRPA", board, GNRPA()),
        ("Morpion 5D, NRPA", Morpion("5D"), NRPA()),
    ]
    table = Table(title=f"Means of {seeds} seeds, level 3, {playouts:,} playouts")
    for column in ("problem", "mean", "2 s.e.", "worst", "best"):
        table.add_column(column, justify="left" if column == "problem" else "right")
    for label, problem, algorithm in cases:
        scores = [
            solve(problem, algorithm, playouts=playouts, seed=seed, threads=1).score
            for seed in range(1, seeds + 1)
        ]
        worst, best = min(scores), max(scores)
        if label.startswith("TSPTW"):
            worst, best = best, worst
        error = 2 * statistics.stdev(scores) / seeds**0.5 if seeds > 1 else float("nan")
        numbers = statistics.mean(scores), error, worst, best
        table.add_row(label, *(f"{number:,.2f}" for number in numbers))
    return table


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--playouts", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    arguments = parser.parse_args()
    console = Console(width=100)
    console.print(reached(arguments.seconds))
    console.print(means(arguments.seeds, arguments.playouts))


if __name__ == "__main__":
    main()
