"""Set cover: the cheapest sets that have all elements.

    python examples/records/set_cover.py --seconds 60

A move takes a set, as long as some element is in none. Sets that no cheapest cover needs are left
out before. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from proof import Case, prove

import nestor


@nestor.compiled
class Cover:
    """A move takes a set; the bias likes what costs little for each element that is new."""

    sense, change = "min", "cover"

    def __init__(self, costs, has):
        self.costs, self.elements = np.array(costs), np.nonzero(has)[1]
        self.ends = np.append(0, np.cumsum(has.sum(axis=1)))  # of the elements of each set
        self.state = np.dtype([("cost", "i4"), ("times", "i2", has.shape[1])])

    def initial(self, s): ...

    def moves(self, s, out):
        for one in range(len(self.costs)):
            new = 0
            for place in range(self.ends[one], self.ends[one + 1]):
                new += s.times[self.elements[place]] == 0
            if new > 0:
                out.add(one, bias=6 * math.log(new / self.costs[one]))

    def play(self, s, one):
        self.take(s, one, 1)

    def undo(self, s, one):
        self.take(s, one, -1)

    def take(self, s, one, by):
        s.cost += by * self.costs[one]
        for place in range(self.ends[one], self.ends[one + 1]):
            s.times[self.elements[place]] += by

    def score(self, s):
        return s.cost


def instance(elements: int, sets: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what sets cost, 1 to 100, and which elements they have; two at least have each."""
    rng = np.random.default_rng(seed)
    has = rng.random((sets, elements)) < share
    for element in range(elements):
        has[rng.choice(sets, 2, replace=False), element] = True
    return rng.integers(1, 101, sets), has


def needed(costs: np.ndarray, has: np.ndarray) -> np.ndarray:
    """Return which sets cost no more than the cheapest ones of their elements do together."""
    cheapest = np.where(has, costs[:, None], costs.max()).min(axis=0)
    return np.asarray(costs <= has @ cheapest)


def cost(costs: np.ndarray, has: np.ndarray, moves: Sequence[int]) -> float:
    """Return what the sets cost that are taken; all elements are in them."""
    assert len({*moves}) == len(moves)
    assert all(any(has[one, element] for one in moves) for element in range(has.shape[1]))
    return sum(int(costs[one]) for one in moves)


def case(elements: int, sets: int, share: float, known: float) -> Case:
    """Return an instance drawn at random."""
    costs, has = instance(elements, sets, share, 1)
    kept = needed(costs, has)
    check = partial(cost, costs[kept], has[kept])
    return Case(Cover(costs[kept], has[kept]), check, known, "the optimum, proved by CP-SAT")


SIZE = 200, 1000, 0.02
CASES = {"200x1000": partial(case, *SIZE, 504)}

if __name__ == "__main__":
    prove(__doc__, CASES)
