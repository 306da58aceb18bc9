"""Independent set: as many vertices of a graph as possible, of which no two are neighbours.

    python examples/records/independent_set.py --seconds 60

Random graphs: of 120 vertices each two are neighbours with a chance of a fifth, of 300 with a
chance of a tenth. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from proof import Case, prove

import nestor


@nestor.compiled
class Independent:
    """Choose vertices; `closed` counts, for each, what keeps it out."""

    change = "set"

    def __init__(self, near):
        self.near = np.array(near, np.int16)  # also each vertex to itself
        self.state = np.dtype([("size", "i4"), ("closed", "i2", len(near))])

    def initial(self, s): ...

    def moves(self, s, out):
        for vertex in range(len(s.closed)):
            if s.closed[vertex] == 0:
                out.add(vertex)

    def play(self, s, vertex):
        s.size += 1
        s.closed += self.near[vertex]

    def undo(self, s, vertex):
        s.size -= 1
        s.closed -= self.near[vertex]

    def score(self, s):
        return s.size


def graph(vertices: int, density: float, seed: int) -> np.ndarray:
    """Return who is near whom."""
    upper = np.triu(np.random.default_rng(seed).random((vertices, vertices)) < density, 1)
    return upper | upper.T | np.eye(vertices, dtype=bool)


def count(near: np.ndarray, vertices: Sequence[int]) -> float:
    """Return the number of vertices, of which no two are neighbours."""
    assert not any(near[a, b] for a, b in combinations(vertices, 2))
    return len({*vertices})


def case(vertices: int, density: float, known: float, source: str) -> Case:
    """Return a random graph."""
    near = graph(vertices, density, 1)
    return Case(Independent(near), partial(count, near), known, source)


PROVED = "the most there can be, proved by CP-SAT"
BEST = "the most that five seeds of 10 seconds have found; CP-SAT finds 43 in 60 CPU seconds"
CASES = {
    "120": partial(case, 120, 0.2, 22, PROVED),
    "300": partial(case, 300, 0.1, 47, BEST),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
