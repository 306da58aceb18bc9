"""Figures 3 and 4 of distributed-nrpa-samegame-2017 on a small scale: SameGame board 1.

    python papers/distributed-nrpa-samegame-2017/figures.py iterations [--runs 20] [--width 4]
    python papers/distributed-nrpa-samegame-2017/figures.py time [--seconds 20] [--threads 2]
        [--every-option]

It compares sequential NRPA with NRPA that is parallel at one level: M children of level L side by
side. The first command runs whole searches and prints the mean score at equal numbers of playouts
(figure 3). The second prints the mean score at equal times, with the parallel searches on several
threads and the sequential one on one thread (figure 4). Local policies are inherited or not; with
--every-option there are also some that share no sequences. The runs have seeds 1, 2, ..., and all
searches take turns. Each mean has its 95 % confidence interval. --save writes a CSV file and --plot
a picture. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import NRPA, data, solve
from nestor.problems import SameGame
from nestor.result import Improvement, Result

POINTS = 6
"""Points of a curve, each at twice the playouts or the time of the one before."""

Curves = dict[str, list[list[float]]]
"""The scores of all runs at each point, by search."""


def searches(level: int, iterations: int, width: int, every_option: bool) -> dict[str, NRPA]:
    """Return the searches to compare, by name."""

    def wide(number: int) -> tuple[int, ...]:
        return tuple(width if other == number else 1 for other in range(1, level + 1))

    found = {"sequential": NRPA(level, iterations)}
    for number in range(1, min(level, 2) + 1):
        found[f"shared policy, L={number}"] = NRPA(level, iterations, width=wide(number))
    local: dict[str, dict[str, Any]] = {"": {}, ", inherited": {"inherit": True}}
    if every_option:
        local[", inherited, not shared"] = {"inherit": True, "share": False}
    for number in range(1, min(level, 2) + 1):
        for label, options in local.items():
            found[f"local policies{label}, L={number}"] = NRPA(
                level,
                iterations,
                width=wide(number),
                policies="local",
                **options,
            )
    return found


def score_at(result: Result, reached: Callable[[Improvement], bool]) -> float:
    """Return the best score of the improvements up to a point."""
    return max((i.score for i in result.improvements if reached(i)), default=0.0)


def at_playouts(algorithm: NRPA, board: SameGame, seed: int, points: list[float]) -> list[float]:
    """Run one whole search and return its scores at these numbers of playouts."""
    result = solve(board, algorithm, seed=seed, jobs=1)
    return [score_at(result, lambda i, at=at: i.playouts <= at) for at in points]  # type: ignore[misc]


def at_seconds(
    algorithm: NRPA, board: SameGame, seed: int, points: list[float], threads: int
) -> list[float]:
    """Run a search for as long as the last point and return its scores at these times."""
    if algorithm.width == 1:
        threads = 1
    result = solve(board, algorithm, seconds=points[-1], seed=seed, jobs=1, threads=threads)
    return [score_at(result, lambda i, at=at: i.seconds <= at) for at in points]  # type: ignore[misc]


def interval(scores: list[float]) -> float:
    """Return half the 95 % confidence interval of the mean."""
    return 1.96 * statistics.stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else float("nan")


def print_table(curves: Curves, points: list[float], title: str) -> None:
    """Print means and intervals."""
    table = Table(title=title)
    table.add_column("search")
    for at in points:
        table.add_column(f"{at:,g}", justify="right")
    for name, columns in curves.items():
        cells = [f"{statistics.mean(c):,.0f} ± {interval(c):.0f}" for c in columns]
        table.add_row(name, *cells)
    Console(width=130).print(table)


def save(curves: Curves, points: list[float], unit: str, path: Path) -> None:
    """Write means and intervals, with the command that made them."""
    with path.open("w", newline="") as file:
        file.write(f"# python papers/{Path(__file__).parent.name}/{' '.join(COMMAND)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["search", unit, "runs", "mean", "interval95"])
        for name, columns in curves.items():
            for at, scores in zip(points, columns, strict=True):
                mean = f"{statistics.mean(scores):.1f}"
                writer.writerow([name, f"{at:g}", len(scores), mean, f"{interval(scores):.1f}"])


def plot(curves: Curves, points: list[float], unit: str, path: Path) -> None:
    """Draw the curves."""
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(7, 4.5), layout="constrained")).subplots()
    for name, columns in curves.items():
        means = [statistics.mean(scores) for scores in columns]
        axes.errorbar(points, means, [interval(scores) for scores in columns], label=name)
    axes.set(xscale="log", xlabel=unit, ylabel="score, SameGame board 1")
    axes.legend(fontsize="small")
    figure.savefig(path)


COMMAND = [Path(__file__).name, *sys.argv[1:]]


def main() -> None:
    """Run the searches and print, save and draw what they found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("figure", choices=["iterations", "time"])
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=100, help="N")
    parser.add_argument("--width", type=int, default=4, help="M")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every-option", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    board = SameGame.read(data.find("samegame/problems.txt"), board=1)
    timed = arguments.figure == "time"
    unit = "seconds" if timed else "playouts"
    last = arguments.seconds if timed else float(arguments.iterations**arguments.level)
    points = [last / 2**k for k in range(POINTS - 1, -1, -1)]
    compared = searches(
        arguments.level, arguments.iterations, arguments.width, arguments.every_option
    )
    curves: Curves = {name: [[] for _ in points] for name in compared}
    for seed in range(1, arguments.runs + 1):
        for name, algorithm in compared.items():
            if timed:
                row = at_seconds(algorithm, board, seed, points, arguments.threads)
            else:
                row = at_playouts(algorithm, board, seed, points)
            for column, score in zip(curves[name], row, strict=True):
                column.append(score)
    title = f"Mean score after {unit}, N={arguments.iterations}, M={arguments.width}"
    print_table(curves, points, title)
    if arguments.save:
        save(curves, points, unit, arguments.save)
    if arguments.plot:
        plot(curves, points, unit, arguments.plot)


if __name__ == "__main__":
    main()
