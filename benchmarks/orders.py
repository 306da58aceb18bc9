"""Orders of jobs, rows and facilities: the default beside plain NRPA and a dedicated heuristic.

    python benchmarks/orders.py [ta051 ...] [--seconds 10] [--seeds 5] [--playouts 100000]

Flow shops of 50 jobs and 20 machines (three of Taillard's), single machines with weighted
tardiness, without and with setup times, linear orderings, a quadratic assignment, and the job shop
of 10 jobs and 10 machines of Fisher and Thompson (1963). All are classes of our own, compiled
(extra `compiled`). The first table compares what `nestor.solve` finds by default with the iterated
greedy of `iterated_greedy.py`, where that knows the problem, both in CPU seconds of one thread. The
second compares the default with plain NRPA of level 3 at equal playouts, with as many iterations as
it can use, and with p of the two-sided Mann-Whitney U test. Both show medians; lower is better
except for linear orderings.
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

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples" / "records"))
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


class Joined(Permutation):
    """One whose cost is known from a beginning and a rest."""

    def joined(self, s, rest):  # type: ignore[no-untyped-def]
        """Return what they come to."""
        return s.total + rest.total


def state(count: int) -> np.dtype[Any]:
    """Return the dtype of a state of so many items."""
    return np.dtype([("placed", "i8"), ("time", "i8"), ("total", "i8"), ("used", "u1", count)])


@nestor.compiled
class Tardiness(Joined):
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
class Ordering(Joined):
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


@nestor.compiled
class Setups(Permutation):
    """`Tardiness` with a setup time before each job, which depends on the one before it."""

    sense = "min"

    def __init__(self, count: int, late: float, spread: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.count, self.code_count = count, count * count
        self.lengths, self.weights = rng.integers(1, 101, count), rng.integers(1, 11, count)
        self.setups = rng.integers(0, 51, (count + 1, count))
        first, last = (int(self.lengths.sum() * (1 - late + side * spread / 2)) for side in (-1, 1))
        self.dues = rng.integers(max(first, 0), last + 1, count)
        fields = [("placed", "i8"), ("time", "i8"), ("total", "i8"), ("last", "i8")]
        self.state = np.dtype([*fields, ("used", "u1", count)])

    def play(self, s, job):  # type: ignore[no-untyped-def]
        """Run a job after the others."""
        s.time += self.setups[s.last, job] + self.lengths[job]
        s.total += self.weights[job] * max(0, s.time - self.dues[job])
        s.last = job + 1
        s.used[job] = True
        s.placed += 1

    def bound(self, s):  # type: ignore[no-untyped-def]
        """Return the cost so far."""
        return s.total


@nestor.compiled
class Assignment(Permutation):
    """Facilities at places: each pair costs its flow times the distance of its places."""

    sense = "min"

    def __init__(self, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.count, self.code_count = count, count * count
        self.flows, self.far = rng.integers(0, 100, (2, count, count))
        fields = [("placed", "i8"), ("total", "i8"), ("who", "i4", count)]
        self.state = np.dtype([*fields, ("used", "u1", count)])

    def play(self, s, facility):  # type: ignore[no-untyped-def]
        """Put a facility at the next place."""
        place = s.placed
        for other in range(place):
            who = s.who[other]
            s.total += self.flows[facility, who] * self.far[place, other]
            s.total += self.flows[who, facility] * self.far[other, place]
        s.who[place] = facility
        s.used[facility] = True
        s.placed += 1

    def bound(self, s):  # type: ignore[no-untyped-def]
        """Return the cost so far."""
        return s.total


FT10 = """
0 29 1 78 2 9 3 36 4 49 5 11 6 62 7 56 8 44 9 21
0 43 2 90 4 75 9 11 3 69 1 28 6 46 5 46 7 72 8 30
1 91 0 85 3 39 2 74 8 90 5 10 7 12 6 89 9 45 4 33
1 81 2 95 0 71 4 99 6 9 8 52 7 85 3 98 9 22 5 43
2 14 0 6 1 22 5 61 3 26 4 69 8 21 7 49 9 72 6 53
2 84 1 2 5 52 3 95 8 48 9 72 0 47 6 65 4 6 7 25
1 46 0 37 3 61 2 13 6 32 5 21 9 32 8 89 7 30 4 55
2 31 0 86 1 46 5 74 4 32 6 88 8 19 9 48 7 36 3 79
0 76 1 69 3 76 5 51 2 85 9 11 6 40 7 89 4 26 8 74
1 85 0 13 2 61 6 7 8 64 9 76 5 47 3 52 4 90 7 45
"""
"""The machine and the time of each operation; a row for each job."""


@nestor.compiled
class JobShop:
    """A move is a job, whose next operation begins as soon as it can."""

    sense = "min"
    change = "order"

    def __init__(self, text: str) -> None:
        rows = np.array([line.split() for line in text.split("\n") if line], dtype=np.int64)
        self.machines, self.times = rows[:, ::2].copy(), rows[:, 1::2].copy()
        jobs, machines = self.times.shape
        self.code_count = jobs * machines
        self.loads = np.bincount(self.machines.flat, self.times.flat).astype(np.int64)
        self.rest = self.times[:, ::-1].cumsum(axis=1)[:, ::-1] - self.times
        fields = [("free", "i8", machines), ("ready", "i8", jobs), ("done", "i8", jobs)]
        self.state = np.dtype([*fields, ("end", "i8"), ("least", "i8"), ("load", "i8", machines)])

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at time 0, with all work before the machines."""
        s.load[:] = self.loads

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Any job that is not done."""
        jobs, machines = self.times.shape
        for job in range(jobs):
            if s.done[job] < machines:
                out.add(job, job * machines + s.done[job])

    def play(self, s, job):  # type: ignore[no-untyped-def]
        """Run the next operation of a job."""
        machine = self.machines[job, s.done[job]]
        end = max(s.free[machine], s.ready[job]) + self.times[job, s.done[job]]
        s.free[machine] = end
        s.ready[job] = end
        s.end = max(s.end, end)
        s.load[machine] -= self.times[job, s.done[job]]
        s.least = max(s.least, end + max(self.rest[job, s.done[job]], s.load[machine]))
        s.done[job] += 1

    def score(self, s):  # type: ignore[no-untyped-def]
        """Return the time when all is done."""
        return s.end

    def bound(self, s):  # type: ignore[no-untyped-def]
        """Return when all is done if no job waits any more, and no machine."""
        return s.least


def instances() -> dict[str, Any]:
    """Return the problems by name."""
    shops = {name: FlowShop(processing_times(*INSTANCES[name][:3])) for name in SHOPS}
    tardiness = {
        f"tardiness-{late:.0%}": Tardiness(100, late, spread, seed)
        for seed, (late, spread) in enumerate([(0.6, 0.4), (0.8, 0.6)], 1)
    }
    orderings = {f"ordering-{count}": Ordering(count, count) for count in (75, 150)}
    others = {
        "setups-60": Setups(60, 0.6, 0.4, 1),
        "qap-25": Assignment(25, 1),
        "ft10": JobShop(FT10),
    }
    return shops | tardiness | orderings | others


def greedy(problem: Any, seconds: float, seed: int) -> float:
    """Return what iterated greedy finds; infinity if it does not know the problem."""
    if not isinstance(problem, FlowShop | Tardiness | Ordering):
        return float("inf")
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
        beside = (f"{theirs:,.0f}", f"{worse:.2%}") if np.isfinite(theirs) else ()
        table.add_row(name, known, f"{ours:,.0f}", *beside)
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
    parser.add_argument(
        "names", nargs="*", default=list(problems), help=", ".join(problems).replace("%", "%%")
    )
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
