"""Jobs that exchange sequences against independent jobs, at equal playouts.

    python benchmarks/exchange.py [--seeds 10] [--jobs 8] [--playouts 1728] [--iterations 12]
        [--every 144] [--save exchange.csv] [--threads 1]

NRPA of level 3 on SameGame boards 1 and 3 and on Morpion 5D: so many jobs of so many playouts each,
independent, and with each `exchange` and topology. Prints the mean score with its 95 % bootstrap
interval, the median, and p of the two-sided Mann-Whitney U test against independent jobs. All
searches take turns, and each finished one is appended to the file; a second call goes on from
there. Needs the benchmark data (`NESTOR_DATA`) and scipy.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

from nestor import NRPA, data, solve
from nestor.problems import Morpion, SameGame

FIELDS = ("problem", "exchange", "topology", "seed", "score")

Row = dict[str, str]


def instances() -> dict[str, Any]:
    """Return what is searched, by name."""
    boards = data.find("samegame/problems.txt")
    games = {f"SameGame {number}": SameGame.read(boards, board=number) for number in (1, 3)}
    return {**games, "Morpion 5D": Morpion("5D")}


def searches(every: list[int]) -> list[tuple[int | None, Any]]:
    """Return the settings to compare: playouts between exchanges, and the topology."""
    exchanging = [(count, topology) for count in every for topology in ("all", "ring")]
    return [(None, "all"), *exchanging]


def runs(given: argparse.Namespace, known: list[Row]) -> Iterator[Row]:
    """Run what is not known yet, and yield it."""
    done = {(r["problem"], r["exchange"], r["topology"], r["seed"]) for r in known}
    for seed in range(1, given.seeds + 1):
        for name, problem in instances().items():
            for every, topology in searches(given.every):
                key = (name, str(every or ""), topology, str(seed))
                if key in done:
                    continue
                result = solve(
                    problem,
                    NRPA(3, given.iterations),
                    playouts=given.jobs * given.playouts,
                    jobs=given.jobs,
                    exchange=every,
                    topology=topology,
                    seed=seed,
                    threads=given.threads,
                )
                yield dict(zip(FIELDS, (*key, f"{result.score:g}"), strict=True))


def saved(path: Path | None) -> list[Row]:
    """Return the rows of a file, if it exists."""
    if path is None or not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def append(path: Path, row: Row) -> None:
    """Append a row to a file; a new one begins with the command that makes it."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        if new:
            file.write(f"# python benchmarks/{Path(__file__).name} {' '.join(sys.argv[1:])}\n")
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def interval(scores: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean."""
    if len(set(scores)) < 2:
        return scores[0], scores[0]
    found = stats.bootstrap((scores,), np.mean, method="percentile", rng=np.random.default_rng(0))
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def table(rows: list[Row]) -> Table:
    """Return means, intervals, medians and tests."""
    scores: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        scores[row["problem"], row["exchange"], row["topology"]].append(float(row["score"]))
    shown = Table()
    for column in ("problem", "exchange", "runs", "mean", "95 %", "median", "p"):
        shown.add_column(column, justify="left" if column in ("problem", "exchange") else "right")
    for (problem, every, topology), found in sorted(
        scores.items(), key=lambda item: (item[0][0], int(item[0][1] or 0), item[0][2])
    ):
        alone = scores[problem, "", "all"]
        p = f"{stats.mannwhitneyu(found, alone).pvalue:.2f}" if every else ""
        low, high = interval(found)
        name = f"{int(every):,}, {topology}" if every else "none"
        mean, median = statistics.mean(found), statistics.median_high(found)
        ends = f"{low:,.1f} to {high:,.1f}"
        shown.add_row(problem, name, str(len(found)), f"{mean:,.1f}", ends, f"{median:,g}", p)
    return shown


def main() -> None:
    """Run the searches and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--playouts", type=int, default=1_728, help="of each job")
    parser.add_argument("--iterations", type=int, default=12, help="N")
    parser.add_argument("--every", type=int, nargs="+", default=[144])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    rows = saved(given.save)
    for row in runs(given, list(rows)):
        rows.append(row)
        if given.save is not None:
            append(given.save, row)
    Console(width=100).print(table(rows))


if __name__ == "__main__":
    main()
