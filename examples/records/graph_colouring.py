"""Graph colouring: as many vertices as possible get a colour that no neighbour has.

    python examples/records/graph_colouring.py queens-10 flat-300-20 --seconds 60

`queens-10` has the cells of a chessboard of 10 x 10, with neighbours where a queen can go, and 11
colours. The flat graph has a colouring that is hidden in it: 20 classes of 15 vertices, and each
vertex has nearly as many neighbours in every other class (Culberson and Luo 1996). The rules are
compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from proof import Case, prove

import nestor

Edges = list[tuple[int, int]]


@nestor.compiled
class Colouring:
    """Move v * colours + c gives vertex v the colour c; `closed` counts what forbids each move."""

    change = "set"

    def __init__(self, vertices, edges, colours):
        self.colours, matrix = colours, np.zeros((vertices, vertices), bool)
        for a, b in edges:
            matrix[a, b] = matrix[b, a] = True
        self.ends = np.cumsum(matrix.sum(axis=1))
        self.neighbours = np.nonzero(matrix)[1]
        self.state = np.dtype([("coloured", "i4"), ("closed", "i2", vertices * colours)])

    def initial(self, s): ...

    def moves(self, s, out):
        for move in range(len(s.closed)):
            if s.closed[move] == 0:
                out.add(move)

    def play(self, s, move):
        self.colour(s, move, 1)

    def undo(self, s, move):
        self.colour(s, move, -1)

    def score(self, s):
        return s.coloured

    def colour(self, s, move, by):
        s.coloured += by
        vertex, colour = divmod(move, self.colours)
        s.closed[vertex * self.colours : (vertex + 1) * self.colours] += np.int16(by)
        for place in range(self.ends[vertex - 1] if vertex else 0, self.ends[vertex]):
            s.closed[self.neighbours[place] * self.colours + colour] += by


def queens(size: int) -> Edges:
    """Return the pairs of cells between which a queen can go."""

    def meet(a: int, b: int) -> bool:
        (y, x), (v, u) = divmod(a, size), divmod(b, size)
        return y == v or x == u or abs(y - v) == abs(x - u)

    return [pair for pair in combinations(range(size * size), 2) if meet(*pair)]


def flat(vertices: int, classes: int, density: float, seed: int) -> Edges:
    """Return edges at random between classes, spread as evenly as possible over their vertices."""
    rng, each = random.Random(seed), vertices // classes
    names = rng.sample(range(vertices), vertices)
    groups = [names[i * each : (i + 1) * each] for i in range(classes)]
    edges = []
    for one, other in combinations(groups, 2):
        degrees = dict.fromkeys((*one, *other), 0)
        made: set[tuple[int, int]] = set()
        while len(made) < round(density * each * each):
            a, b = (min(g, key=lambda v: (degrees[v], rng.random())) for g in (one, other))
            if (a, b) in made:  # Then any two that have no edge yet.
                a, b = rng.choice([(x, y) for x in one for y in other if (x, y) not in made])
            made.add((a, b))
            degrees[a], degrees[b] = degrees[a] + 1, degrees[b] + 1
        edges += sorted(made)
    return edges


def coloured(edges: Edges, colours: int, moves: Sequence[int]) -> float:
    """Return the number of vertices with a colour, which no neighbour has."""
    colour_of = {move // colours: move % colours for move in moves}
    assert len(colour_of) == len(moves)
    for a, b in edges:
        assert a not in colour_of or colour_of[a] != colour_of.get(b), (a, b)
    return len(colour_of)


def case(vertices: int, make: Callable[[], Edges], colours: int, source: str) -> Case:
    """Return a graph."""
    edges = make()
    check = partial(coloured, edges, colours)
    return Case(Colouring(vertices, edges, colours), check, vertices, source)


ELEVEN = "all of them: 11 colours are enough (Vasquez 2004)"
HIDDEN = "all of them: a colouring is hidden in the graph"
CASES = {
    "queens-10": partial(case, 100, partial(queens, 10), 11, ELEVEN),
    "flat-300-20": partial(case, 300, partial(flat, 300, 20, 0.48, 1), 20, HIDDEN),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
