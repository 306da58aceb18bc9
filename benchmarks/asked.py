"""Told scores: what `nestor.Search` finds with 200 of them, asked one by one or several at once.

    python benchmarks/asked.py [--instances 20] [--told 200]

Orders of 40 jobs with setups between families and due dates, and sets of at most 12 of 40 things
of which pairs are worth something. It prints for each search the mean of what it found, divided by
what local search found one by one: less is better for orders, more for sets.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

import nestor

JOBS, FAMILIES = 40, 5
THINGS, MOST = 40, 12


def order(seed: int) -> nestor.Order:
    """Return jobs to put in order; the cost is what they are late in all."""
    rng = random.Random(seed)
    lengths = [rng.randint(1, 20) for _ in range(JOBS)]
    kinds = [rng.randrange(FAMILIES) for _ in range(JOBS)]
    dues = [rng.uniform(0.2, 1.0) * sum(lengths) for _ in range(JOBS)]
    setups = [[rng.randint(5, 30) for _ in range(FAMILIES)] for _ in range(FAMILIES)]

    def late(jobs: Any) -> float:
        now, total, before = 0.0, 0.0, kinds[jobs[0]]
        for job in jobs:
            now += lengths[job] + (setups[before][kinds[job]] if kinds[job] != before else 0)
            before = kinds[job]
            total += max(0.0, now - dues[job])
        return total

    return nestor.Order(JOBS, late)


def subset(seed: int) -> nestor.Subset:
    """Return things of which some may be chosen; the value is that of all pairs."""
    rng = random.Random(seed)
    worth = {pair: rng.random() ** 4 for pair in combinations(range(THINGS), 2)}

    def value(chosen: Any) -> float:
        return sum(worth[pair] for pair in combinations(chosen, 2))

    return nestor.Subset(THINGS, lambda chosen: len(chosen) <= MOST, value)


def found(problem: Any, algorithm: nestor.Algorithm, most: int, told: int, seed: int) -> float:
    """Return the best score after so many were told, asked for `most` at once."""
    search = nestor.Search(problem, algorithm, seed=seed)
    while search.told < told and (games := search.ask(min(most, told - search.told))):
        for game in games:
            search.tell(game, problem.score(game.state))
    return search.result().score


def main() -> None:
    """Search and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--told", type=int, default=200)
    asked = parser.parse_args()
    local = nestor.LocalSearch(evaluations=asked.told)
    nested = nestor.GNRPA(1, 10_000, width=8, width_rate="once", force_explore=True)
    searches: dict[str, tuple[nestor.Algorithm, int]] = {
        f"local search, {most} at once": (local, most) for most in (1, 2, 4, 8, 16)
    }
    searches["GNRPA of width 8"] = nested, 8
    kinds: dict[str, Callable[[int], Any]] = {"orders": order, "sets": subset}
    scores = {
        name: [
            [found(kind(seed), *search, asked.told, seed) for seed in range(asked.instances)]
            for kind in kinds.values()
        ]
        for name, search in searches.items()
    }
    one = np.array(next(iter(scores.values())))
    print(f"{'':28}", *(f"{kind:>16}" for kind in kinds))
    for name, each in scores.items():
        shares = np.array(each) / one
        errors = shares.std(axis=1, ddof=1) / np.sqrt(asked.instances)
        told = zip(shares.mean(axis=1), errors, strict=True)
        print(f"{name:28}", *(f"{mean:8.3f} ± {error:5.3f}" for mean, error in told))


if __name__ == "__main__":
    main()
