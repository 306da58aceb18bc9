"""Orders of jobs and rows: the default beside plain NRPA and beside a dedicated heuristic.

    python benchmarks/orders.py [ta051 ...] [--seconds 10] [--seeds 5] [--playouts 100000]

Flow shops of 50 jobs and 20 machines (three of Taillard's), single machines with weighted tardiness
and linear orderings. All are classes of our own, compiled (extra `compiled`). The first table
compares what `nestor.solve` finds by default with the iterated greedy of `iterated_greedy.py`, both
in CPU seconds of one thread. The second compares the default with plain NRPA of level 3 at equal
playouts, with as many iterations as it can use, and with p of the two-sided Mann-Whitney U test.
Both show medians; lower is better except for linear orderings.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import iterated_greedy
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import nestor

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))
from flow_shop import INSTANCES, FlowShop, processing_times

SHOPS = ("ta051", "ta052", "ta053")


class Permutation:
    """Puts items in an order. A subclass has their number, `count`."""

    change = "order"
    count: int

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin without an item: all is zero."""

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Any item that is left, with its place as the code."""
        for item in range(self.count):
            if not s.used[item]:
                out.add(item, s.placed * self.count + item)

    def score(self, s):  # type: ignore[no-untyped-def]
        """Return what has come together."""
        return s.total

    def joined(self, s, rest):  # type: ignore[no-untyped-def]
        """Return what a beginning and a rest come to."""
        return s.total + rest.total


def state(count: int) -> np.dtype[Any]:
    """Return the dtype of a state of so many items."""
    return np.dtype([("placed", "i8"), ("time", "i8"), ("total", "i8"), ("used", "u1", count)])


@nestor.compiled
class Tardiness(Permutation):
    """Jobs on one machine; each costs its weight for each unit of time after its due date.

    They are drawn as in the OR-Library (Crauwels, Potts and Van Wassenhove 1998): lengths of 1 to
    100, weights of 1 to 10, and due dates within a share `spread` of the total length, so that
    about a share `late` of the jobs must be late.
    """

    sense = "min"

    def __init__(self, count: int, late: float, spread: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.count, self.code_count, self.state = count, count * count, state(count)
        self.lengths, self.weights = rng.integers(1, 101, count), rng.integers(1, 11, count)
        first, last = (int(self.lengths.sum() * (1 - late + side * spread / 2)) for side in (-1, 1))
        self.dues = rng.integers(max(first, 0), last + 1, count)

    def play(self, s, job):  # type: ignore[no-untyped-def]
        """Run a job after the others."""
        s.time += self.lengths[job]
        s.total += self.weights[job] * max(0, s.time - self.dues[job])
        s.used[job] = True
        s.placed += 1

    def before(self, rest, job):  # type: ignore[no-untyped-def]
        """Put a job before the rest, which ends when all jobs are done."""
        end = self.lengths.sum() - rest.time
        rest.total += self.weights[job] * max(0, end - self.dues[job])
        rest.time += self.lengths[job]


@nestor.compiled
class Ordering(Permutation):
    """Rows and columns of a random matrix, so that the sum above the diagonal is large."""

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.code_count, self.state = count, count * count, state(count)
        self.matrix = np.random.default_rng(seed).integers(0, 101, (count, count))

    def play(self, s, row):  # type: ignore[no-untyped-def]
        """Put a row after the others: what it has in columns to come is above the diagonal."""
        s.used[row] = True
        s.placed += 1
        for column in range(self.count):
            if not s.used[column]:
                s.total += self.matrix[row, column]

    def before(self, rest, row):  # type: ignore[no-untyped-def]
        """Put a row before the rest."""
        for column in range(self.count):
            if rest.used[column]:
                rest.total += self.matrix[row, column]
        rest.used[row] = True


def instances() -> dict[str, Any]:
    """Return the problems by name."""
    shops = {name: FlowShop(processing_times(*INSTANCES[name][:3])) for name in SHOPS}
    tardiness = {
        f"tardiness-{late:.0%}": Tardiness(100, late, spread, seed)
        for seed, (late, spread) in enumerate([(0.6, 0.4), (0.8, 0.6)], 1)
    }
    orderings = {f"ordering-{count}": Ordering(count, count) for count in (75, 150)}
    return shops | tardiness | orderings


def greedy(problem: Any, seconds: float, seed: int) -> float:
    """Return what iterated greedy finds."""
    if isinstance(problem, FlowShop):
        return iterated_greedy.search(
            iterated_greedy.in_shop, problem.times, 0.04 * problem.times.mean(), seconds, seed
        )
    if isinstance(problem, Tardiness):
        jobs = np.stack([problem.lengths, problem.weights, problem.dues], axis=1)
        cost = problem.lengths.mean() * problem.weights.mean()
        return iterated_greedy.search(iterated_greedy.on_machine, jobs, 0.04 * cost, seconds, seed)
    return -iterated_greedy.search(
        iterated_greedy.in_matrix, problem.matrix, 0.04 * problem.matrix.mean(), seconds, seed
    )


def default(problem: Any, seconds: float, seed: int) -> float:
    """Return what the default finds within these CPU seconds."""
    begin = time.process_time()

    def goes_on(_: nestor.Progress) -> bool:
        return time.process_time() - begin < seconds

    return nestor.solve(
        problem, seconds=1000 * seconds, seed=seed, threads=1, jobs=1, callback=goes_on
    ).score


def beside_greedy(problems: dict[str, Any], seconds: float, seeds: range) -> Table:
    """Return the first table."""
    table = Table("", "best known", "default", "iterated greedy", "worse by", box=box.MARKDOWN)
    for name, problem in problems.items():
        nestor.solve(problem, playouts=10)  # It compiles now.
        greedy(problem, 0.0, 1)
        ours, theirs = (
            median(search(problem, seconds, seed) for seed in seeds) for search in (default, greedy)
        )
        worse = (ours - theirs) / theirs * (1 if problem.sense == "min" else -1)
        known = str(INSTANCES[name][3]) if name in INSTANCES else ""
        table.add_row(name, known, f"{ours:,.0f}", f"{theirs:,.0f}", f"{worse:.2%}")
    return table


def beside_nrpa(problems: dict[str, Any], playouts: int, seeds: range) -> Table:
    """Return the second table."""
    plain = nestor.NRPA(3, max(1, int(playouts ** (1 / 3))))
    runs = nestor.compare(
        problems, {"default": nestor.Auto(), "plain": plain}, seeds=seeds, playouts=playouts
    )
    table = Table("", "default", f"NRPA 3, N = {plain.iterations}", "p", box=box.MARKDOWN)
    for name in problems:
        found = {row.algorithm: row for row in runs.summary(name)}
        p = min(row.p for row in found.values())
        medians = (f"{found[kind].median:,.0f}" for kind in ("default", "plain"))
        table.add_row(name, *medians, f"{p:.2g}")
    return table


def main() -> None:
    """Print both tables."""
    problems = instances()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(problems), help=", ".join(problems))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--playouts", type=int, default=100_000)
    asked = parser.parse_args()
    problems = {name: problems[name] for name in asked.names}
    seeds, console = range(1, asked.seeds + 1), Console()
    console.print(beside_greedy(problems, asked.seconds, seeds))
    console.print(beside_nrpa(problems, asked.playouts, seeds))


if __name__ == "__main__":
    main()
