"""Latin squares and Kakuro by the defaults: which are solved, and in how many CPU seconds.

    python benchmarks/puzzles.py random    [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py hard      [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py published [--seconds 10] [--seeds 5]
    python benchmarks/puzzles.py kakuro    [--seconds 5]  [--seeds 5]
    python benchmarks/puzzles.py crosssums [--seconds 5]  [--seeds 5]
    python benchmarks/puzzles.py unseen    [--seconds 10] [--seeds 5]

The first makes Latin squares of orders 30, 50 and 60 by `LatinSquare.generate`, the second ten of
orders 50 and 60 with 30 % holes, the last two Kakuro with three shares of black cells, 15 to 25
rows and columns, and runs of at most nine cells; nothing was tuned on those unseen. The others
are the published puzzles of the benchmark data (`NESTOR_DATA`) that are known to have a solution.
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
from itertools import cycle, product

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, Algorithm, Auto, Progress, data, solve
from nestor.problems import Kakuro, LatinSquare

SHARES = (0.25, 0.3, 0.35)
SHAPES = ((30, 0.42), (50, 0.4), (60, 0.4), (50, 0.3), (60, 0.3))
POLISHED = GNRPA(2, (20, 100), polish=True)
PLAIN = GNRPA(2, force_explore=True)

Cell = tuple[int, int]


def puzzles(name: str) -> Iterator[LatinSquare | Kakuro]:
    """Yield the puzzles of a set."""
    if name == "random":
        for order, holes in SHAPES:
            yield LatinSquare.generate(order, holes, seed=1)
    elif name == "hard":
        for order, seed in product((50, 60), range(1, 6)):
            yield LatinSquare.generate(order, 0.3, seed)
    elif name == "published":
        folder = data.find("latinsquare")
        with (folder / "index.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["satisfiable"] == "yes":
                    yield LatinSquare.read(folder / row["set"] / f"{row['instance']}.txt")
    elif name == "crosssums":
        for size, share in product((15, 20, 25), SHARES):
            yield black_and_white(size, f"{size} {share}", share)
    elif name == "unseen":
        for size, count in ((20, 20), (25, 10)):
            for number, share in zip(range(1, count + 1), cycle(SHARES), strict=False):
                yield black_and_white(size, f"{size} {share} {number}", share)
    else:
        for path in sorted(data.find("kakuro").glob("[mx]*/*.txt")):
            yield Kakuro.read(path)


def black_and_white(size: int, seed: str, share: float) -> Kakuro:
    """Return a Kakuro with a share of black cells, and with a solution."""
    rng = random.Random(seed)
    cells = {cell for cell in product(range(size), range(size)) if rng.random() >= share}
    for row, column in sorted(cells):
        for step in ((1, 0), (0, 1)):
            if all((row - k * step[0], column - k * step[1]) in cells for k in range(10)):
                cells.discard((row, column))
    across, down = runs(cells, (0, 1)), runs(cells, (1, 0))
    while (values := filled(across, down, rng)) is None:
        pass
    sums = [{head: sum(map(values.__getitem__, run)) for head, run in found.items()}
            for found in (across, down)]  # fmt: skip
    rows = [
        " ".join(
            "." if cell in cells else f"{sums[1].get(cell, '')}\\{sums[0].get(cell, '')}"
            for cell in product([row], range(-1, size))
        )
        for row in range(-1, size)
    ]
    return Kakuro(rows, title=f"{size}x{size}, {share:.0%} black")


def runs(cells: set[Cell], step: Cell) -> dict[Cell, list[Cell]]:
    """Return the runs of one direction, by the black cell before each."""
    found: dict[Cell, list[Cell]] = {}
    for row, column in sorted(cells):
        head = (row, column)
        while head in cells:
            head = (head[0] - step[0], head[1] - step[1])
        found.setdefault(head, []).append((row, column))
    return found


def filled(
    across: dict[Cell, list[Cell]], down: dict[Cell, list[Cell]], rng: random.Random
) -> dict[Cell, int] | None:
    """Return values at random, different in each run; None if a cell is left without one."""
    found = (*across.values(), *down.values())
    peers: dict[Cell, set[Cell]] = {cell: set() for run in found for cell in run}
    for run in found:
        for cell in run:
            peers[cell].update(run)
    domains, values = {cell: set(range(1, 10)) for cell in peers}, {}
    while domains:
        cell = min(domains, key=lambda cell: len(domains[cell]))
        if not domains[cell]:
            return None
        values[cell] = rng.choice(sorted(domains.pop(cell)))
        for peer in peers[cell] & domains.keys():
            domains[peer].discard(values[cell])
    return values


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
        "set", choices=("random", "hard", "published", "kakuro", "crosssums", "unseen")
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
