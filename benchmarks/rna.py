"""Inverse RNA folding: Eterna100-V2 targets solved on one thread, and folding on two.

    python benchmarks/rna.py [--seconds 30] [--longest 100] [--bias nemo] [--seeds 1]

The targets are those with at most --longest bases; the energy model is turner2004-d2. Each search
is GNRPA level 2, N = 100, alpha 1, and restarts until its target is solved or its time is up. Then
one thread and two threads fold random sequences in turn. Needs the benchmark data (`NESTOR_DATA`)
and ViennaRNA.
"""

from __future__ import annotations

import argparse
import csv
import statistics

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, Sampling, data, solve
from nestor.problems import RNA

PUZZLES = "rna/eterna100_puzzles.tsv"
WITHIN = (1, 5, 30, 60, 600, 3600)


def targets(longest: int, model: str, order: str) -> list[RNA]:
    """Return the targets of Eterna100-V2 with at most `longest` bases."""
    with data.find(PUZZLES).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found = [(row["Puzzle #"], row["Secondary Structure V2"]) for row in rows]
    return [
        RNA(target, title=f"Eterna100-V2 {number}", model=model, order=order)
        for number, target in found
        if len(target) <= longest
    ]


def times(problems: list[RNA], bias: str, seconds: float, seed: int) -> dict[str, float | None]:
    """Return how long each target took, in seconds; None if it was not solved."""
    found: dict[str, float | None] = {}
    for problem in problems:
        result = solve(
            problem, GNRPA(2, bias=bias), seconds=seconds, target=1.0, seed=seed, threads=1
        )
        solved = result.stop_reason == "target"
        found[problem.title] = result.improvements[-1].seconds if solved else None
    return found


def folds(threads: int, seconds: float = 2.0) -> float:
    """Return how many random sequences of 80 bases are folded per second."""
    problem = RNA("." * 80)
    result = solve(problem, Sampling(), seconds=seconds, threads=threads, jobs=threads)
    return result.playouts / result.seconds


def main() -> None:
    """Print when each target was solved, and the gain from a second thread."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--longest", type=int, default=100)
    parser.add_argument("--model", default="turner2004-d2")
    parser.add_argument("--order", default="target")
    parser.add_argument("--bias", action="append", help="nemo, ngram or none; may be repeated")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    console = Console(width=100)
    problems = targets(arguments.longest, arguments.model, arguments.order)
    within = [limit for limit in WITHIN if limit <= arguments.seconds]
    table = Table(title=f"Solved of {len(problems)}, {arguments.model}, one thread")
    for column in ("bias", "seed", *(f"{limit} s" for limit in within), "not solved"):
        table.add_column(column, justify="right" if column.endswith("s") else "left")
    for bias in arguments.bias or ["nemo", "ngram"]:
        for seed in range(1, arguments.seeds + 1):
            took = times(problems, bias, arguments.seconds, seed)
            counts = [sum(t is not None and t <= limit for t in took.values()) for limit in within]
            missed = " ".join(title.split()[-1] for title, t in took.items() if t is None)
            table.add_row(bias, str(seed), *map(str, counts), missed)
    console.print(table)
    one, two = [], []
    for _ in range(5):
        one.append(folds(1))
        two.append(folds(2))
    ratios = [b / a for a, b in zip(one, two, strict=True)]
    console.print(
        f"folds of 80 bases per second: one thread {statistics.median(one):,.0f}, "
        f"two {statistics.median(two):,.0f}, gain {statistics.median(ratios):.2f} "
        f"(best {max(ratios):.2f})"
    )


if __name__ == "__main__":
    main()
