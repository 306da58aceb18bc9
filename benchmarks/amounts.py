"""Whole amounts with a given sum: five ways to say it, as blends of wines.

    python benchmarks/amounts.py [--wines 5] [--litres 15] [--playouts 300 1000 5000] [--seeds 20]

Each seed is another blend: four properties should come near a goal, and litres have prices. It
prints for each way how often it finds the best that any way finds, and how much more it costs.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import nestor

MISSING = 1000.0
"""The penalty for each litre too few or too many."""


class Blend:
    """What a blend costs, from the litres of each wine."""

    def __init__(self, seed: int, wines: int, litres: int) -> None:
        draw = random.Random(seed)
        self.wines, self.litres = wines, litres
        self.rows = [[draw.gauss(0, 1) for _ in range(wines)] for _ in range(4)]
        self.goals = [draw.gauss(0, litres / 3) for _ in range(4)]
        self.prices = [3 * draw.random() for _ in range(wines)]

    def cost(self, blend: Sequence[int]) -> float:
        """Return the squared distance from the goals, and the prices."""
        found = (sum(a * x for a, x in zip(row, blend, strict=True)) for row in self.rows)
        far = sum((a - goal) ** 2 for a, goal in zip(found, self.goals, strict=True))
        paid = sum(price * x for price, x in zip(self.prices, blend, strict=True))
        return far + paid + MISSING * abs(sum(blend) - self.litres)


class Litres:
    """Litre after litre."""

    sense = "min"
    change = "decisions"

    def __init__(self, blend: Blend) -> None:
        self.blend = blend

    def initial(self) -> tuple[int, ...]:
        return (0,) * self.blend.wines

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return list(range(self.blend.wines)) if sum(state) < self.blend.litres else []

    def play(self, state: tuple[int, ...], wine: int) -> tuple[int, ...]:
        return (*state[:wine], state[wine] + 1, *state[wine + 1 :])

    def code(self, state: tuple[int, ...], wine: int) -> tuple[int, int]:
        return wine, state[wine]

    def score(self, state: tuple[int, ...]) -> float:
        return self.blend.cost(state)


def a_variable_for_each_wine(blend: Blend) -> Any:
    """Return the problem whose values are amounts."""
    cost = blend.cost
    return nestor.Assignment(blend.wines, blend.litres + 1, lambda of: cost([*of.values()]))


def the_last_is_the_rest(blend: Blend) -> Any:
    """Return the same, with what is left for the last wine."""

    def cost(of: dict[int, int]) -> float:
        left = blend.litres - sum(of.values())
        return blend.cost([*of.values(), max(left, 0)])

    return nestor.Assignment(blend.wines - 1, blend.litres + 1, cost)


def a_variable_for_each_litre(blend: Blend) -> Any:
    """Return the problem whose values are wines."""

    def cost(of: dict[int, int]) -> float:
        poured = [*of.values()]
        return blend.cost([poured.count(wine) for wine in range(blend.wines)])

    return nestor.Assignment(blend.litres, blend.wines, cost)


def bits(blend: Blend) -> Any:
    """Return the problem whose variables are the binary digits of the amounts."""
    powers = [1 << place for place in range(blend.litres.bit_length())]

    def cost(of: dict[tuple[int, int], int]) -> float:
        wines = range(blend.wines)
        return blend.cost([sum(power * of[wine, power] for power in powers) for wine in wines])

    names = [(wine, power) for wine in range(blend.wines) for power in powers]
    return nestor.Assignment(names, 2, cost)


WAYS: tuple[Callable[[Blend], Any], ...] = (
    a_variable_for_each_wine,
    the_last_is_the_rest,
    bits,
    Litres,
    a_variable_for_each_litre,
)


def main() -> None:
    """Search and print a line for each way and budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--wines", type=int, default=5)
    parser.add_argument("--litres", type=int, default=15)
    parser.add_argument("--playouts", type=int, nargs="+", default=[300, 1000, 5000])
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    blends = [Blend(seed, given.wines, given.litres) for seed in range(given.seeds)]
    scores = {
        (playouts, way): [
            nestor.solve(way(blend), playouts=playouts, seed=seed, threads=1).score
            for seed, blend in enumerate(blends)
        ]
        for playouts in given.playouts
        for way in WAYS
    }
    best = [*map(min, zip(*scores.values(), strict=True))]
    for (playouts, way), found in scores.items():
        more = [score - least for score, least in zip(found, best, strict=True)]
        name = way.__name__.replace("_", " ").lower()
        print(
            f"{playouts:,} playouts, {name}: best in {sum(each < 1e-9 for each in more)} of "
            f"{len(more)}, median {statistics.median(more):.3g} more, worst {max(more):.3g}",
            flush=True,
        )


if __name__ == "__main__":
    main()
