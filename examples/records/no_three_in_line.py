"""No three in line: as many points of a grid as possible, of which no three are on a line.

    python examples/records/no_three_in_line.py 16 24 24-turned --seconds 60

No row has three, so twice the size of the grid is the most. With `turned` a move is a point and its
images when the grid is turned by a quarter. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import gcd

import numpy as np
from proof import Case, dots, prove

import nestor


@nestor.compiled
class NoThreeInLine:
    """A move is a row of `cells`: a cell and its images. `closed` counts what forbids each row."""

    change = "set"

    def __init__(self, size, cells):
        self.size, self.cells, rows = size, np.array(cells), len(cells)
        self.slopes = slopes(size)
        self.first = np.ascontiguousarray(self.slopes[:, self.cells[:, 0]])
        self.apart = apart(self.slopes, self.cells)
        self.state = np.dtype([("chosen", "u1", rows), ("closed", "i2", rows)])

    def initial(self, s): ...

    def moves(self, s, out):
        for row in np.flatnonzero(s.closed == 0):
            out.add(row)

    def play(self, s, row):
        s.chosen[row] = 1
        self.close(s, row, np.int16(1))

    def undo(self, s, row):
        self.close(s, row, np.int16(-1))
        s.chosen[row] = 0

    def score(self, s):
        return s.chosen.sum() * self.cells.shape[1]

    def close(self, s, row, by):
        s.closed += by * self.apart[row]
        for a in self.cells[row]:
            for b in self.cells[s.chosen == 1].flat:
                slope = self.slopes[a, b]
                s.closed += by * ((self.first[a] == slope) & (self.first[b] == slope))

    def picture(self, rows):
        return dots(self.size, self.cells[list(rows)])


def slopes(size):
    """Return for each two cells the number of their slope; the cells themselves have -1."""
    numbers: dict[tuple[int, int], int] = {}
    found = np.full((size**2, size**2), -1, np.int16)
    for a, b in combinations(range(size**2), 2):
        (y, x), (v, u) = divmod(a, size), divmod(b, size)
        step = gcd(u - x, v - y)
        slope = (v - y) // step, (u - x) // step
        found[a, b] = found[b, a] = numbers.setdefault(slope, len(numbers))
    return found


def apart(slopes, cells):
    """Return how often two images of a row are on a line with a cell of another."""
    found = np.eye(len(cells), dtype=np.int16)
    for images in cells[:, 1:].T:
        bad = (slopes[:, cells[:, 0]] == slopes[:, images]) & (slopes[:, images] >= 0)
        found += bad[cells].sum(axis=1, dtype=np.int16)
    return found


def with_images(size: int, turned: bool) -> list[tuple[int, ...]]:
    """Return the rows of cells: each cell, with its images under quarter turns if wanted."""
    if not turned:
        return [(cell,) for cell in range(size * size)]
    corner = (
        (y, x, size - 1 - y, size - 1 - x) for y in range(size // 2) for x in range(size // 2)
    )
    return [(y * size + x, x * size + v, v * size + u, u * size + y) for y, x, v, u in corner]


def count(size: int, cells: list[tuple[int, ...]], rows: Sequence[int]) -> float:
    """Return the number of points, of which no three are on a line."""
    points = [divmod(cell, size) for row in rows for cell in cells[row]]
    assert len(points) == len({*points})
    for (a, b), (c, d), (e, f) in combinations(points, 3):
        assert (c - a) * (f - b) != (e - a) * (d - b)
    return len(points)


def case(size: int, turned: bool) -> Case:
    """Return a grid."""
    cells = with_images(size, turned)
    check = partial(count, size, cells)
    return Case(NoThreeInLine(size, cells), check, 2 * size, "the most there can be")


CASES = {
    "16": partial(case, 16, turned=False),
    "24": partial(case, 24, turned=False),
    "24-turned": partial(case, 24, turned=True),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
