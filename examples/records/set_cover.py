"""Set cover: the cheapest sets that have all elements.

    python examples/records/set_cover.py --seconds 60

A move is an element and a set that it is in, so any subset of a game is one; a set costs once,
however many elements have it. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial

import numpy as np
from proof import Case, prove

import nestor


@nestor.compiled
class Cover:
    """A move gives an element a set that has it. A set costs once; the bias likes those in use."""

    sense, change = "min", "set"

    def __init__(self, costs, has):
        self.costs = np.array(costs)
        self.element, self.set = np.nonzero(has.T)  # of each move
        self.ends = np.append(0, np.cumsum(has.sum(axis=0)))  # of the moves of each element
        sets, elements = has.shape
        self.state = np.dtype([("cost", "i4"), ("has", "u1", elements), ("uses", "i2", sets)])

    def initial(self, s): ...

    def moves(self, s, out):
        for element in range(len(s.has)):
            if not s.has[element]:
                for move in range(self.ends[element], self.ends[element + 1]):
                    new = s.uses[self.set[move]] == 0
                    out.add(move, bias=-0.1 * new * self.costs[self.set[move]])

    def play(self, s, move):
        s.has[self.element[move]] = 1
        s.uses[self.set[move]] += 1
        s.cost += self.costs[self.set[move]] * (s.uses[self.set[move]] == 1)

    def undo(self, s, move):
        s.has[self.element[move]] = 0
        s.cost -= self.costs[self.set[move]] * (s.uses[self.set[move]] == 1)
        s.uses[self.set[move]] -= 1

    def score(self, s):
        return s.cost


def instance(elements: int, sets: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what sets cost, 1 to 100, and which elements they have; two at least have each."""
    rng = np.random.default_rng(seed)
    has = rng.random((sets, elements)) < share
    for element in range(elements):
        has[rng.choice(sets, 2, replace=False), element] = True
    return rng.integers(1, 101, sets), has


def cost(costs: np.ndarray, has: np.ndarray, moves: Sequence[int]) -> float:
    """Return what the sets cost in which the elements are."""
    pairs = [(e, s) for e in range(has.shape[1]) for s in range(len(costs)) if has[s, e]]
    set_of = dict(pairs[move] for move in moves)
    assert sorted(set_of) == sorted(pairs[move][0] for move in moves) == [*range(has.shape[1])]
    return sum(int(costs[one]) for one in {*set_of.values()})


def case(elements: int, sets: int, share: float, known: float) -> Case:
    """Return an instance drawn at random."""
    costs, has = instance(elements, sets, share, 1)
    check = partial(cost, costs, has)
    return Case(Cover(costs, has), check, known, "the optimum, proved by CP-SAT")


SIZE = 200, 1000, 0.02
CASES = {"200x1000": partial(case, *SIZE, 504)}

if __name__ == "__main__":
    prove(__doc__, CASES)
