"""The p-median: which 10 of 100 places to open, so that all are near to an open one.

    python examples/records/p_median.py --seconds 60

The score is the sum of the distances of all places to the nearest open one. The rules are compiled
(extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from proof import Case, prove

import nestor
from nestor.plot import Circle, Line, Picture


@nestor.compiled
class Median:
    """A move opens a place."""

    sense, change = "min", "set"

    def __init__(self, points, number):
        self.points, self.number = np.array(points), number
        self.far = distances(points)
        self.state = np.dtype([("count", "i4"), ("open", "u1", len(points))])

    def initial(self, s): ...

    def moves(self, s, out):
        if s.count < self.number:
            for place in range(len(s.open)):
                if not s.open[place]:
                    out.add(place)

    def play(self, s, place):
        s.open[place] = 1
        s.count += 1

    def undo(self, s, place):
        s.open[place] = 0
        s.count -= 1

    def score(self, s):
        nearest = np.full(len(s.open), 1 << 40)
        for place in range(len(s.open)):
            if s.open[place]:
                nearest = np.minimum(nearest, self.far[place])
        return sum(nearest)  # of floats, nearest.sum() would round differently

    def picture(self, moves):
        return spokes(self.points, self.far, moves)


def distances(points: np.ndarray) -> Any:
    """Return the distances between points, rounded."""
    steps = points[:, None] - points
    return np.rint(np.sqrt((steps**2).sum(axis=2))).astype(int)


def spokes(points, far, chosen):
    """Return the picture of all places, each with a line to the nearest open one."""
    lines = []
    for (x, y), ways in zip(points.tolist(), far, strict=True):
        if chosen:
            u, v = points[min(chosen, key=lambda place: ways[place])].tolist()
            lines.append(Line(x, y, u, v, "#999999"))
    discs = [Circle(x, y, 6, "#999999", None) for x, y in points.tolist()]
    opened = [Circle(x, y, 14, "#0072B2", None) for x, y in points[list(chosen)].tolist()]
    return Picture((*lines, *discs, *opened), (-20, -20, 1020, 1020), unit=0.006)


def cost(points: np.ndarray, number: int, chosen: Sequence[int]) -> float:
    """Return the sum of the distances to the nearest place that is open."""
    assert len({*chosen}) == len(chosen) == number
    ways = ([round(float(np.hypot(*(a - points[b])))) for b in chosen] for a in points)
    return sum(min(way) for way in ways)


def instance(places: int, seed: int) -> np.ndarray:
    """Return places at random in a square of 1,000 by 1,000."""
    return np.random.default_rng(seed).integers(0, 1001, (places, 2))


def case(places: int, number: int, known: float) -> Case:
    """Return some places."""
    points = instance(places, 1)
    check = partial(cost, points, number)
    return Case(Median(points, number), check, known, "the optimum, proved by CP-SAT")


CASES = {"100-10": partial(case, 100, 10, 10338)}

if __name__ == "__main__":
    prove(__doc__, CASES)
