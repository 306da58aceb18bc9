"""Fronts of Nestor and of NSGA-II (pymoo): generated tours and knapsacks, equal processor time.

    pip install pymoo
    python benchmarks/fronts.py [--seconds 2] [--seeds 20] [--problems tours,knapsacks]

Both have the same tables, and for tours the same plain Python for a score. NSGA-II has a population
of 100 and pymoo's operators for permutations (order crossover, inversion) and for bits (two points,
bit flip); for knapsacks it scores a generation at once with NumPy, and a repair takes things out at
random. All that it found counts, not its last population alone. The volume is that of what a front
beats, as a share of the box from the best of each objective that either found to the worst of 200
random solutions.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nestor
from nestor.archive import Archive, hypervolume

Losses = tuple[float, ...]


class Tours:
    """Tours with two tables of distances."""

    objectives = ("min", "min")
    change = "order"

    def __init__(self, size: int, seed: int) -> None:
        rng = random.Random(seed)
        self.size = size
        self.one, self.other = (self._table(rng) for _ in range(2))

    def _table(self, rng: random.Random) -> list[list[float]]:
        points = [(rng.random(), rng.random()) for _ in range(self.size)]
        return [[math.dist(a, b) for b in points] for a in points]

    def initial(self) -> tuple[int, ...]:
        """Return the order of no places."""
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        """Return the places that are left."""
        return [place for place in range(self.size) if place not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Return the order with one more place."""
        return (*state, move)

    def score(self, state: Sequence[int]) -> Losses:
        """Return both lengths."""
        return self.cost_of(state)

    def cost_of(self, order: Sequence[int]) -> Losses:
        """Return both lengths of the closed tour."""
        one, other = self.one, self.other
        first = second = 0.0
        here = order[-1]
        for place in order:
            first += one[here][place]
            second += other[here][place]
            here = place
        return first, second

    def random(self, rng: random.Random) -> Losses:
        """Return the losses of a random solution."""
        return self.cost_of(rng.sample(range(self.size), self.size))


class Knapsacks:
    """Things with two values, and room for half of their weight; a state has its sums."""

    objectives = ("max", "max")
    change = "set"

    def __init__(self, size: int, seed: int) -> None:
        rng = random.Random(seed)
        self.size = size
        self.weights, self.one, self.other = (
            [rng.randint(10, 100) for _ in range(size)] for _ in range(3)
        )
        self.room = sum(self.weights) // 2

    def initial(self) -> tuple[frozenset[int], int, int, int]:
        """Return the empty bag: things, weight and both values."""
        return frozenset(), 0, 0, 0

    def moves(self, state: Any) -> list[int]:
        """Return the things that still fit."""
        inside, weight, _, _ = state
        room, weights = self.room - weight, self.weights
        return [i for i in range(self.size) if weights[i] <= room and i not in inside]

    def play(self, state: Any, move: int) -> Any:
        """Return the bag with one more thing."""
        inside, weight, one, other = state
        return (
            inside | {move}, weight + self.weights[move], one + self.one[move],
            other + self.other[move],
        )  # fmt: skip

    def undo(self, state: Any, move: int) -> Any:
        """Return the bag without a thing."""
        inside, weight, one, other = state
        return (
            inside - {move}, weight - self.weights[move], one - self.one[move],
            other - self.other[move],
        )  # fmt: skip

    def score(self, state: Any) -> tuple[int, int]:
        """Return both values."""
        return state[2], state[3]

    def random(self, rng: random.Random) -> Losses:
        """Return the losses of a random solution."""
        state = self.initial()
        while legal := self.moves(state):
            state = self.play(state, rng.choice(legal))
        return -float(state[2]), -float(state[3])


def nestor_front(problem: Any, seed: int, seconds: float) -> tuple[list[Losses], int]:
    """Return the losses that Nestor finds, and how many solutions it looked at."""
    end = time.process_time() + seconds

    def over(progress: Any) -> bool:
        return time.process_time() < end

    result = nestor.solve(problem, seed=seed, threads=1, callback=over, seconds=10_000)
    assert result.front is not None
    sign = -1.0 if problem.objectives[0] == "max" else 1.0
    return [
        tuple(sign * part for part in scores) for scores in result.front.scores
    ], result.playouts


def pymoo_front(problem: Any, seed: int, seconds: float) -> tuple[list[Losses], int]:
    """Return the losses that NSGA-II finds, all that it ever looked at, and how many these were."""
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import ElementwiseProblem, Problem
    from pymoo.core.repair import Repair
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.crossover.pntx import TwoPointCrossover
    from pymoo.operators.mutation.bitflip import BitflipMutation
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import BinaryRandomSampling, PermutationRandomSampling
    from pymoo.termination import get_termination

    class TourProblem(ElementwiseProblem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=problem.size, n_obj=2, xl=0, xu=problem.size - 1, vtype=int)

        def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            out["F"] = problem.cost_of(x.tolist())

    class BagProblem(Problem):  # type: ignore[misc]
        """With NumPy, all of a generation at once."""

        def __init__(self) -> None:
            super().__init__(n_var=problem.size, n_obj=2, xl=0, xu=1, vtype=bool)
            self.values = np.array([problem.one, problem.other])

        def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            out["F"] = -(x.astype(float) @ self.values.T)

    class Fitting(Repair):  # type: ignore[misc]
        def _do(self, _: Any, bags: Any, **kwargs: Any) -> Any:
            weights, rng = np.array(problem.weights), np.random.default_rng(seed)
            for bag in bags:
                over = weights[bag.astype(bool)].sum() - problem.room
                for thing in rng.permutation(np.flatnonzero(bag)):
                    if over <= 0:
                        break
                    bag[thing], over = False, over - weights[thing]
            return bags

    if isinstance(problem, Tours):
        asked, settings = TourProblem(), {
            "sampling": PermutationRandomSampling(),
            "crossover": OrderCrossover(),
            "mutation": InversionMutation(),
        }  # fmt: skip
    else:
        asked, settings = BagProblem(), {
            "sampling": BinaryRandomSampling(),
            "crossover": TwoPointCrossover(),
            "mutation": BitflipMutation(),
            "repair": Fitting(),
        }  # fmt: skip
    archive, end = Archive[None](), time.process_time() + seconds
    algorithm = NSGA2(pop_size=100, eliminate_duplicates=True, **settings)
    algorithm.setup(asked, termination=get_termination("n_gen", 10**9), seed=seed, verbose=False)
    while algorithm.has_next() and time.process_time() < end:
        algorithm.next()
        for losses in algorithm.opt.get("F"):
            archive.add(tuple(map(float, losses)), None)
    return [*archive], algorithm.evaluator.n_eval


FINDERS: dict[str, Callable[[Any, int, float], tuple[list[Losses], int]]] = {
    "nestor": nestor_front,
    "nsga2": pymoo_front,
}
KINDS: dict[str, Callable[[int, int], Any]] = {"tours": Tours, "knapsacks": Knapsacks}


def main() -> None:
    """Measure, and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of processor time")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sizes", default="30,60")
    parser.add_argument("--problems", default="tours,knapsacks")
    parser.add_argument("--csv")
    given = parser.parse_args()
    rows = []
    for kind in given.problems.split(","):
        for size in map(int, given.sizes.split(",")):
            for seed in range(given.seeds):
                problem, rng = KINDS[kind](size, seed), random.Random(seed)
                fronts = {
                    name: find(problem, seed, given.seconds) for name, find in FINDERS.items()
                }
                drawn = [problem.random(rng) for _ in range(200)]
                every = [losses for front, _ in fronts.values() for losses in front]
                best = [min(part) for part in zip(*every, strict=True)]
                worst = tuple(max(part) for part in zip(*drawn, strict=True))
                box = math.prod(w - b for w, b in zip(worst, best, strict=True))
                for name, (front, looked) in fronts.items():
                    share = hypervolume(front, worst) / box
                    rows.append((kind, size, seed, name, share, len(front), looked))
            _tell(kind, size, [row for row in rows if row[:2] == (kind, size)])
    if given.csv:
        with Path(given.csv).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["problem", "size", "seed", "search", "volume", "points", "solutions"])
            writer.writerows(rows)


def _tell(kind: str, size: int, rows: list[Any]) -> None:
    volumes = {name: [row[4] for row in rows if row[3] == name] for name in FINDERS}
    looked = {name: statistics.median(row[6] for row in rows if row[3] == name) for name in FINDERS}
    pairs = zip(volumes["nestor"], volumes["nsga2"], strict=True)
    better = sum(ours >= theirs for ours, theirs in pairs)
    told = ", ".join(
        f"{name} {statistics.median(volumes[name]):.4f} ({looked[name]:,.0f} solutions)"
        for name in FINDERS
    )
    print(f"{kind} {size}: {told}; nestor at least as good in {better} of {len(rows) // 2}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
