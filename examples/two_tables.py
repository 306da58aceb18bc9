"""Tours that are short by two tables at once: the road's length and its climbs.

It finds the front, the tours that no other beats in both, checks and draws it:

    python examples/two_tables.py [PLACES] [PLAYOUTS]
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence

import nestor

Order = tuple[int, ...]


class TwoTables:
    """Orders of places; a score is (length, climbs)."""

    objectives = ("min", "min")
    change = "order"  # any order of the places is a tour, so local search may change it

    def __init__(self, places: int, seed: int = 0) -> None:
        rng = random.Random(seed)
        points = [(rng.random(), rng.random()) for _ in range(places)]
        heights = [rng.random() for _ in range(places)]
        self.lengths = [[math.dist(a, b) for b in points] for a in points]
        self.climbs = [[max(0.0, b - a) for b in heights] for a in heights]

    def initial(self) -> Order:
        """Return the order of no places."""
        return ()

    def moves(self, state: Order) -> list[int]:
        """Return the places that are not in the order yet."""
        return [place for place in range(len(self.lengths)) if place not in state]

    def play(self, state: Order, place: int) -> Order:
        """Return the order with one more place."""
        return (*state, place)

    def score(self, state: Order) -> tuple[float, float]:
        """Return length and climbs of the closed tour."""
        return self.cost_of(state)

    def cost_of(self, order: Sequence[int]) -> tuple[float, float]:
        """Return the same at once, which saves local search from playing each order."""
        length = climbs = 0.0
        here = order[-1]
        for place in order:
            length += self.lengths[here][place]
            climbs += self.climbs[here][place]
            here = place
        return length, climbs


def main() -> None:
    """Search, and show the front."""
    places, playouts = (int(word) for word in [*sys.argv[1:], "30", "100000"][:2])
    result = nestor.solve(TwoTables(places), playouts=playouts, seed=1)
    front = result.front
    assert front is not None
    print(result)
    print(f"\n{len(front)} tours, hypervolume {front.hypervolume((places, places)):.4f}:")
    for point in front[:: max(1, len(front) // 10)]:
        print(f"  length {point.scores[0]:.3f}, climbs {point.scores[1]:.3f}")
    result.save("two_tables.json")
    front.plot("two_tables.svg")


if __name__ == "__main__":
    main()
