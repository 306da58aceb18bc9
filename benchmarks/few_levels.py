"""Few playouts: one level of forced exploration beside a second level, on five kinds of problem.

    python benchmarks/few_levels.py [--playouts 400 1000 2000 4000] [--seeds 13]

Each seed is another instance. It prints for each budget on how many instances the first is better
and worse: from where the second is, `Auto` chooses it.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from typing import Any

from few_evaluations import Chain, Landscape, Quadratic, Subset

import nestor
from nestor.algorithms import auto


class Blocks(Chain):
    """Twelve blocks out of twenty, each with a worth at its place and beside others."""

    def __init__(self, seed: int, length: int = 12, kinds: int = 20) -> None:
        draw = random.Random(f"blocks {seed}")
        self.sizes = [kinds] * length
        ends = [*zip(range(length), range(1, length), strict=False), (0, 6), (3, 9), (2, 11)]
        self.site = [[draw.gauss(0, 0.5) for _ in range(kinds)] for _ in range(length)]
        next_to = [[draw.gauss(0, 1) for _ in range(kinds)] for _ in range(kinds)]
        far = [[[draw.gauss(0, 1) for _ in range(kinds)] for _ in range(kinds)] for _ in "abc"]
        self.pair = dict(zip(ends, [next_to] * (length - 1) + far, strict=True))

    def value(self, chosen: Sequence[int]) -> float:
        return super().value(chosen) + sum(
            worth[kind] for worth, kind in zip(self.site, chosen, strict=True)
        )


class Assigned(Quadratic):
    """The same without a word on changes of the order."""

    change = "none"


PROBLEMS: tuple[Callable[[int], Any], ...] = (Chain, Landscape, Subset, Assigned, Blocks)


def main() -> None:
    """Search and print a line for each budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--playouts", type=int, nargs="+", default=[400, 1000, 2000, 4000])
    parser.add_argument("--seeds", type=int, default=13)
    arguments = parser.parse_args()
    auto.FEW = 0
    for playouts in arguments.playouts:
        better = worse = 0
        for make in PROBLEMS:
            for seed in range(arguments.seeds):
                problem, one = make(seed), nestor.GNRPA(1, playouts, force_explore=True)
                given: dict[str, Any] = {"playouts": playouts, "seed": seed, "jobs": 1}
                scores = [nestor.solve(problem, each, **given).score for each in (one, None)]
                sign = 1.0 if problem.sense == "max" else -1.0
                better += sign * (scores[0] - scores[1]) > 0
                worse += sign * (scores[0] - scores[1]) < 0
        print(f"{playouts:5} playouts: one level is better on {better}, worse on {worse}")


if __name__ == "__main__":
    main()
