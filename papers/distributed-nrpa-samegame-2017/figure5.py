"""Figure 5 of distributed-nrpa-samegame-2017 on a small scale: SameGame boards 1 and 3.

    python papers/distributed-nrpa-samegame-2017/figure5.py [--runs 10] [--jobs 1 2 4 8 16]
        [--playouts 4096] [--iterations 16] [--width 4] [--threads 1] [--save figure5.csv]
        [--plot figure5.svg]

It compares root parallelisation, K independent jobs of sequential NRPA, with hybrids: K jobs of
NRPA whose level 1 has M children side by side, with a shared policy or with local policies. All
searches have level 3 and the same number of playouts, which the jobs divide among themselves.
Prints the mean score of the best job over K, with its 95 % bootstrap interval. The runs have seeds
1, 2, ... and all searches take turns. Each finished run is appended to the file; a second call goes
on from there. Needs the benchmark data (`NESTOR_DATA`) and scipy.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import bootstrap

from nestor import NRPA, data, solve
from nestor.problems import SameGame

BOARDS = (1, 3)

Scores = defaultdict[tuple[int, str, int], list[float]]
"""The scores of all runs by board, search and number of jobs."""


def searches(iterations: int, width: int) -> dict[str, NRPA]:
    """Return what each job runs, by name."""
    return {
        "root": NRPA(3, iterations),
        "hybrid, shared policy": NRPA(3, iterations, width=width),
        "hybrid, local policies": NRPA(3, iterations, width=width, policies="local"),
    }


def interval(scores: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean."""
    if len(set(scores)) < 2:
        return scores[0], scores[0]
    found = bootstrap((scores,), np.mean, method="percentile", rng=np.random.default_rng(0))
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def print_table(scores: Scores, board: int, jobs: list[int]) -> None:
    """Print means and intervals of a board."""
    table = Table(title=f"Mean score on board {board} over the number of jobs")
    table.add_column("search")
    for count in jobs:
        table.add_column(f"{count}", justify="right")
    for name in dict.fromkeys(search for _, search, _ in scores):
        cells = []
        for count in jobs:
            found = scores[board, name, count]
            low, high = interval(found)
            cells.append(f"{statistics.mean(found):,.0f} ({low:,.0f} to {high:,.0f})")
        table.add_row(name, *cells)
    Console(width=150).print(table)


def plot(scores: Scores, jobs: list[int], path: Path) -> None:
    """Draw a panel for each board."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    for axes, board in zip(figure.subplots(1, len(BOARDS)), BOARDS, strict=True):
        for name in dict.fromkeys(search for _, search, _ in scores):
            columns = [scores[board, name, count] for count in jobs]
            means = [statistics.mean(found) for found in columns]
            ends = np.array([interval(found) for found in columns]).T
            axes.errorbar(jobs, means, np.abs(ends - means), label=name, capsize=3)
        axes.set_xscale("log", base=2)
        axes.set(xlabel="jobs", ylabel=f"score, SameGame board {board}", xticks=jobs)
        axes.set_xticklabels([str(count) for count in jobs])
        axes.legend(fontsize="small")
    figure.savefig(path)


class Store:
    """The scores found so far, in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.rows = path, dict[tuple[str, ...], float]()
        if path is not None and path.exists():
            with path.open() as file:
                lines = csv.reader(line for line in file if not line.startswith("#"))
                self.rows = {tuple(row[:4]): float(row[4]) for row in [*lines][1:]}

    def add(self, key: tuple[str, ...], score: float) -> None:
        """Keep the score of a run; a new file begins with the command that makes it."""
        self.rows[key] = score
        if self.path is None:
            return
        new = not self.path.exists()
        with self.path.open("a") as file:
            if new:
                command = " ".join([Path(__file__).name, *sys.argv[1:]])
                file.write(f"# python papers/{Path(__file__).parent.name}/{command}\n")
                file.write("board,search,jobs,seed,score\n")
            csv.writer(file, lineterminator="\n").writerow([*key, f"{score:g}"])


def main() -> None:
    """Run the searches and print, save and draw what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2, 4, 8, 16], help="K")
    parser.add_argument("--playouts", type=int, default=4_096, help="of all jobs together")
    parser.add_argument("--iterations", type=int, default=16, help="N")
    parser.add_argument("--width", type=int, default=4, help="M")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    path = data.find("samegame/problems.txt")
    boards = {number: SameGame.read(path, board=number) for number in BOARDS}
    store, compared = Store(given.save), searches(given.iterations, given.width)
    keys: list[Any] = [
        (board, name, count, seed)
        for seed in range(1, given.runs + 1)
        for count in given.jobs
        for name in compared
        for board in BOARDS
    ]
    scores: Scores = defaultdict(list)
    for board, name, count, seed in keys:
        key = (str(board), name, str(count), str(seed))
        if key not in store.rows:
            options = {"jobs": count, "threads": given.threads, "playouts": given.playouts}
            store.add(key, solve(boards[board], compared[name], seed=seed, **options).score)
        scores[board, name, count].append(store.rows[key])
    for board in BOARDS:
        print_table(scores, board, given.jobs)
    if given.plot:
        plot(scores, given.jobs, given.plot)


if __name__ == "__main__":
    main()
