"""No isosceles triangle: as many points of a grid as possible, of which no three are one.

    python examples/records/no_isosceles_triangle.py 16 32 32-mirrored --seconds 60

Three points on a line count, too, if one is in the middle of the others. With `mirrored` a move is
a point and its mirror image. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from proof import Case, dots, prove

import nestor


@nestor.compiled
class NoIsosceles:
    """A move is a row of `cells`: a cell and its images. `closed` counts what forbids each row."""

    change = "set"

    def __init__(self, size, cells):
        self.size, self.sides, self.cells = size, sides(size), np.array(cells)
        self.far = np.ascontiguousarray(self.sides[:, self.cells[:, 0]])
        self.apart = apart(self.sides, self.cells)
        self.state = np.dtype([("chosen", "u1", len(cells)), ("closed", "i2", len(cells))])

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
                if a != b:
                    one, two, side = self.far[a], self.far[b], self.sides[a, b]
                    s.closed += by * ((one == side) | (two == side) | (one == two))

    def picture(self, rows):
        return dots(self.size, self.cells[list(rows)])


def sides(size):
    """Return the squared distances between all cells."""
    y, x = np.divmod(np.arange(size * size, dtype=np.int16), size)
    return np.subtract.outer(x, x) ** 2 + np.subtract.outer(y, y) ** 2


def apart(sides, cells):
    """Return for each two rows whether two images of the second and a cell of the first are bad."""
    found = np.eye(len(cells), dtype=np.int16)
    for images in cells[:, 1:].T:
        one, two, side = sides[:, cells[:, 0]], sides[:, images], sides[cells[:, 0], images]
        bad = (one == two) | (one == side) | (two == side)
        found += bad[cells].any(axis=1)
    return found


def with_images(size: int, mirrored: bool) -> list[tuple[int, ...]]:
    """Return the rows of cells: each cell, with its image across the middle column if wanted."""
    if not mirrored:
        return [(cell,) for cell in range(size * size)]
    left = (y * size + x for y in range(size) for x in range(size // 2))
    return [(cell, cell + size - 1 - 2 * (cell % size)) for cell in left]


def count(size: int, cells: list[tuple[int, ...]], rows: Sequence[int]) -> float:
    """Return the number of points, of which no three are at equal distances."""
    points = [divmod(cell, size) for row in rows for cell in cells[row]]
    assert len(points) == len({*points})
    for three in combinations(points, 3):
        distances = [(a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in combinations(three, 2)]
        assert len({*distances}) == 3, three
    return len(points)


def case(size: int, known: float, mirrored: bool) -> Case:
    """Return a grid."""
    cells = with_images(size, mirrored)
    source = "the largest known (OEIS A271914)"
    return Case(NoIsosceles(size, cells), partial(count, size, cells), known, source)


CASES = {
    "16": partial(case, 16, 28, mirrored=False),
    "32": partial(case, 32, 56, mirrored=False),
    "32-mirrored": partial(case, 32, 56, mirrored=True),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
