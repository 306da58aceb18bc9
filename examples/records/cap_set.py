"""Cap sets: as many vectors of numbers modulo 3 as possible, of which no three are on a line.

    python examples/records/cap_set.py 5 6 6-negated --seconds 60

Three are on a line if they sum to zero. With `negated` a move is a vector and its negative. The
rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from proof import Case, prove

import nestor

Vector = tuple[int, ...]


@nestor.compiled
class CapSet:
    """A move is a row of `vectors`; `closed` counts what forbids each row, the last is no row."""

    change = "set"

    def __init__(self, vectors, third):
        self.vectors, self.third, rows = np.array(vectors), np.array(third), len(vectors)
        self.row_of = np.full(len(third), rows)
        self.row_of[self.vectors] = np.arange(rows)[:, None]
        self.apart = apart(self.vectors, self.third)
        self.state = np.dtype([("chosen", "u1", rows), ("closed", "i4", rows + 1)])

    def initial(self, s): ...

    def moves(self, s, out):
        for row in range(len(self.vectors)):
            if s.closed[row] == 0:
                out.add(row)

    def play(self, s, row):
        s.chosen[row] = 1
        self.close(s, row, 1)

    def undo(self, s, row):
        self.close(s, row, -1)
        s.chosen[row] = 0

    def score(self, s):
        return s.chosen.sum() * self.vectors.shape[1]

    def close(self, s, row, by):
        s.closed[:-1] += by * self.apart[row]
        for other in range(len(self.vectors)):
            if s.chosen[other]:
                for b in self.vectors[other]:
                    s.closed[self.row_of[self.third[self.vectors[row, 0], b]]] += by


def thirds(vectors: list[Vector]) -> Any:
    """Return for each two vectors, by their numbers, the third on their line."""
    every = np.array(vectors)
    sums = -(every[:, None] + every) % 3
    return sums @ 3 ** np.arange(every.shape[1])[::-1]


def apart(rows, third):
    """Return how often two vectors of a row are on a line with one of another row."""
    found = np.zeros((len(rows), len(rows)), np.int32)
    for one, two in combinations(rows.T, 2):
        found += (rows[:, None] == third[one, two][:, None]).any(axis=2)
    return found


def with_images(vectors: list[Vector], negated: bool) -> list[list[int]]:
    """Return the rows: each vector, with its negative if wanted, and then without zero."""
    if not negated:
        return [[number] for number in range(len(vectors))]
    numbers = {vector: number for number, vector in enumerate(vectors)}
    rows = ([numbers[v], numbers[tuple(-x % 3 for x in v)]] for v in vectors)
    return [row for row in rows if row[0] < row[1]]


def count(vectors: list[Vector], rows: list[list[int]], chosen: Sequence[int]) -> float:
    """Return the number of vectors, of which no three have the sum zero."""
    cap = [vectors[number] for row in chosen for number in rows[row]]
    assert len(cap) == len({*cap})
    for three in combinations(cap, 3):
        assert any(sum(numbers) % 3 for numbers in zip(*three, strict=True)), three
    return len(cap)


def case(dimensions: int, known: float, source: str, negated: bool) -> Case:
    """Return the vectors of so many dimensions."""
    vectors = list(product(range(3), repeat=dimensions))
    rows = with_images(vectors, negated)
    problem = CapSet(rows, thirds(vectors))
    return Case(problem, partial(count, vectors, rows), known, source)


FIVE = "the most there can be (Edel, Ferret, Landjev and Storme 2002)"
SIX = "the most there can be (Potechin 2008)"
CASES = {
    "5": partial(case, 5, 45, FIVE, negated=False),
    "6": partial(case, 6, 112, SIX, negated=False),
    "6-negated": partial(case, 6, 112, SIX, negated=True),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
