"""Latin squares and Kakuro by the defaults: which are solved, and in how many CPU seconds.

    python benchmarks/puzzles.py random    [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py hard      [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py balanced  [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py published [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py kakuro    [--seconds 5]  [--seeds 5]
    python benchmarks/puzzles.py crosssums [--seconds 5]  [--seeds 5]
    python benchmarks/puzzles.py unseen    [--seconds 10] [--seeds 5]

The first makes Latin squares of orders 30, 50 and 60 by `LatinSquare.generate`, the second ten of
orders 50 and 60 with 30 % holes, the third ten more with equally many holes in each row and column.
The last two make Kakuro with three shares of black cells, 15 to 25 rows and columns, by
`Kakuro.generate`. Nothing was tuned on the balanced squares and on those unseen. The others are
the published puzzles of the benchmark data (`NESTOR_DATA`) that are known to have a solution.
All seconds are CPU seconds of one thread.
`--polish` is GNRPA with polish of single decisions, and `--plain` GNRPA without it.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, product

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, Algorithm, Auto, Progress, data, solve
from nestor.problems import Kakuro, LatinSquare

SHARES = (0.25, 0.3, 0.35)
SHAPES = ((30, 0.42), (50, 0.4), (60, 0.4), (50, 0.3), (60, 0.3))
POLISHED = GNRPA(2, (20, 100), polish=True)
PLAIN = GNRPA(2, force_explore=True)
MIXED = 100
"""Exchanges that mix balanced holes, for each hole."""


def puzzles(name: str) -> Iterator[LatinSquare | Kakuro]:
    """Yield the puzzles of a set."""
    if name == "random":
        for order, holes in SHAPES:
            yield LatinSquare.generate(order, holes, seed=1)
    elif name == "hard":
        for order, seed in product((50, 60), range(1, 6)):
            yield LatinSquare.generate(order, 0.3, seed)
    elif name == "balanced":
        for order, seed in product((50, 60), range(1, 6)):
            yield balanced(order, 0.3, seed)
    elif name == "published":
        folder = data.find("latinsquare")
        with (folder / "index.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["satisfiable"] == "yes":
                    yield LatinSquare.read(folder / row["set"] / f"{row['instance']}.txt")
    elif name == "crosssums":
        for size, share in product((15, 20, 25), SHARES):
            yield Kakuro.generate(size, black=share)
    elif name == "unseen":
        for size, count in ((20, 20), (25, 10)):
            for number, share in zip(range(1, count + 1), cycle(SHARES), strict=False):
                yield Kakuro.generate(size, seed=number, black=share)
    else:
        for path in sorted(data.find("kakuro").glob("[mx]*/*.txt")):
            yield Kakuro.read(path)


def balanced(order: int, share: float, seed: int) -> LatinSquare:
    """Make a square that can be completed, with equally many holes in each row and column."""
    complete = LatinSquare.generate(order, 0.0, seed)
    each, draws = round(share * order), random.Random(seed)
    holes = [(row, (row + shift) % order) for row in range(order) for shift in range(each)]
    known = set(holes)
    for _ in range(MIXED * len(holes)):
        one, other = draws.sample(range(len(holes)), 2)
        (row, column), (row2, column2) = holes[one], holes[other]
        crossed = [(row, column2), (row2, column)]
        if known.isdisjoint(crossed):
            known -= {holes[one], holes[other]}
            known.update(crossed)
            holes[one], holes[other] = crossed
    rows = [
        [0 if (row, column) in known else value for column, value in enumerate(values)]
        for row, values in enumerate(complete.square)
    ]
    return replace(complete, square=rows, title=f"order {order}, balanced, seed {seed}")


def search(
    puzzle: LatinSquare | Kakuro, algorithm: Algorithm, seconds: float, seed: int
) -> tuple[float, float]:
    """Return the score that a search finds within these CPU seconds, and how many it took."""
    begin = time.process_time()

    def goes_on(_: Progress) -> bool:
        return time.process_time() - begin < seconds

    found = solve(puzzle, algorithm, seconds=1000 * seconds, seed=seed, threads=1, callback=goes_on)
    return found.score, time.process_time() - begin


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "set",
        choices=("random", "hard", "balanced", "published", "kakuro", "crosssums", "unseen"),
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="only every so manyth puzzle")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--polish", action="store_true")
    kind.add_argument("--plain", action="store_true")
    asked = parser.parse_args()
    algorithm = POLISHED if asked.polish else PLAIN if asked.plain else Auto()
    console = Console(width=100)
    table = Table("puzzle", "solved", "median score", "median CPU seconds", "most")
    solved = runs = 0
    for puzzle in [*puzzles(asked.set)][:: asked.every]:
        seeds = range(1, asked.seeds + 1)
        scores, times = zip(
            *(search(puzzle, algorithm, asked.seconds, seed) for seed in seeds), strict=True
        )
        solved, runs = solved + scores.count(0.0), runs + len(scores)
        table.add_row(
            puzzle.label, f"{scores.count(0.0)} of {len(scores)}", f"{statistics.median(scores):g}",
            f"{statistics.median(times):.2f}", f"{max(times):.2f}",
        )  # fmt: skip
    console.print(table)
    console.print(f"{solved} of {runs} runs solved")


if __name__ == "__main__":
    main()
