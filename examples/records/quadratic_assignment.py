"""Quadratic assignment: facilities on places of a grid, so that little goes a short way.

    python examples/records/quadratic_assignment.py 5x5 6x6 8x7 --seconds 60

The flows between facilities are drawn at random; distances are along rows and columns. A robust
tabu search (``benchmarks/robust_tabu.py``) is what others would use. The rules are compiled (extra
``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from proof import Case, prove

import nestor
from nestor.plot import Box, Picture, Text


@nestor.compiled
class Assignment:
    """Move f * n + p puts facility f on place p."""

    sense, change = "min", "set"

    def __init__(self, flows, distances):
        self.flows, self.ways, self.n = np.array(flows), np.array(distances), len(flows)
        fields = [("cost", "i8"), ("placed", "i4"), ("at", "i4", self.n), ("used", "u1", self.n)]
        self.state = np.dtype(fields)

    def initial(self, s):
        s.at[:] = -1

    def moves(self, s, out):
        for facility in range(self.n if s.placed < self.n else 0):
            for place in range(self.n if s.at[facility] < 0 else 0):
                if not s.used[place]:
                    out.add(facility * self.n + place)

    def play(self, s, move):
        self.put(s, move, 1)
        s.at[move // self.n] = move % self.n

    def undo(self, s, move):
        s.at[move // self.n] = -1
        self.put(s, move, -1)

    def score(self, s):
        return s.cost

    def put(self, s, move, by):
        s.placed, s.used[move % self.n] = s.placed + by, by > 0
        for other, place in enumerate(s.at):
            if place >= 0:
                s.cost += by * self.flows[move // self.n, other] * self.ways[move % self.n, place]

    def picture(self, moves):
        return board(self.ways, [divmod(move, self.n) for move in moves])


def instance(rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return flows at random, half of them none, and the distances on a grid."""
    rng, cells = np.random.default_rng(seed), list(product(range(rows), range(columns)))
    n = len(cells)
    upper = np.triu(rng.integers(0, 10, (n, n)) * rng.integers(0, 2, (n, n)), 1)
    return upper + upper.T, np.array(
        [[abs(a - c) + abs(b - d) for c, d in cells] for a, b in cells]
    )


def board(distances: np.ndarray, placed: list[tuple[int, int]]) -> Picture:
    """Return the picture of facilities, each on its place."""
    width = int(np.argmax(distances[0] < np.arange(len(distances)))) or len(distances)
    boxes = tuple(Box(p % width, p // width, 0.94, 0.94, "#56B4E9") for _, p in placed)
    names = tuple(Text(p % width + 0.47, p // width + 0.47, str(f), 0.4) for f, p in placed)
    height = -(-len(distances) // width)
    return Picture(boxes + names, (-0.2, -0.2, width + 0.2, height + 0.2), y_down=True)


def cost(flows: np.ndarray, distances: np.ndarray, moves: Sequence[int]) -> float:
    """Return the sum of flows times distances over all pairs of facilities."""
    place = dict(divmod(move, len(flows)) for move in moves)
    assert len(moves) == len({*place}) == len({*place.values()}) == len(flows)
    every = ((flows[a, b], distances[place[a], place[b]]) for a in place for b in place if a < b)
    return int(sum(flow * distance for flow, distance in every))


def case(rows: int, columns: int, known: float) -> Case:
    """Return a grid."""
    flows, distances = instance(rows, columns, 1)
    check = partial(cost, flows, distances)
    source = "the best of five runs of robust tabu search, of 2 CPU seconds each"
    return Case(Assignment(flows, distances), check, known, source)


CASES = {
    "5x5": partial(case, 5, 5, 1493),
    "6x6": partial(case, 6, 6, 4233),
    "8x7": partial(case, 8, 7, 12847),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
