"""Few playouts: what `Auto` chooses beside one level, and beside what it chooses for more playouts.

    python benchmarks/few_levels.py [--playouts 200 400 600 1000 2000 3000] [--seeds 13]

Five kinds of problem that are no orders or sets; each seed is another instance. It prints for each
budget on how many instances forced exploration at the levels of the budget is better and worse
than one level of it, and than a beam or a race.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from typing import Any

from few_evaluations import Chain, Landscape, Quadratic, Subset

import nestor
from nestor import GNRPA
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
    parser.add_argument(
        "--playouts", type=int, nargs="+", default=[200, 400, 600, 1000, 2000, 3000]
    )
    parser.add_argument("--seeds", type=int, default=13)
    arguments = parser.parse_args()
    for playouts in arguments.playouts:
        better = {"one level": [0, 0], "a beam or a race": [0, 0]}
        for make in PROBLEMS:
            for seed in range(arguments.seeds):
                few, more = (searched(make(seed), None, playouts, seed, at) for at in (10**9, 0))
                one = GNRPA(1, playouts, force_explore=True)
                others = (searched(make(seed), one, playouts, seed), more)
                for counts, other in zip(better.values(), others, strict=True):
                    counts[0] += few > other
                    counts[1] += few < other
        told = (f"better than {n} on {up}, worse on {down}" for n, (up, down) in better.items())
        print(f"{playouts:5} playouts:", "; ".join(told))


def searched(
    problem: Any, algorithm: GNRPA | None, playouts: int, seed: int, few: int = auto.FEW
) -> float:
    """Return what is found, higher is better; `few` playouts are few for the default."""
    auto.FEW = few
    found = nestor.solve(problem, algorithm, playouts=playouts, seed=seed, jobs=1).score
    return found if problem.sense == "max" else -found


if __name__ == "__main__":
    main()
