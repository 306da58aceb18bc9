"""Snake in the box: the longest path through a cube of many dimensions that does not touch itself.

    python examples/snake_in_the_box.py 8 --seconds 60

A snake goes along the edges of the cube. Vertices of it that do not follow each other must not be
neighbours. The rules are compiled (extra ``compiled``), and beam search keeps the snakes with the
most room ahead. Beside the length stand that of Meta-NRPA and the longest known snake.
"""

# mypy: allow-untyped-calls
import argparse
import time
from typing import Any

import numpy as np

import nestor

# What Meta-NRPA found, and the longest known.
KNOWN = {6: (None, 26), 7: (None, 50), 8: (97, 98), 9: (188, 190), 10: (373, 373)}


@nestor.compiled
class Snake:
    """Grow a snake from vertex 0. A move is the dimension to go along; the score is the length.

    Sets of vertices are words of 64 bits. The bias is by how much a move changes the room ahead.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions, self.code_count = dimensions, dimensions << dimensions
        self.words = 1 << dimensions - 6
        self.state = np.dtype(
            [("head", "i4"), ("used", "i4"), ("length", "i4"), ("closed", "u8", self.words)]
        )
        self.shifts = np.array([1, 2, 4, 8, 16, 32], "u8")
        self.halves = np.array([(2**64 - 1) // (2**k + 1) for k in (1, 2, 4, 8, 16, 32)], "u8")
        self.bits = np.array([2**bit for bit in range(64)], "u8")

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at vertex 0, which is closed from then on."""
        s.closed[0] = self.bits[0]

    def along(self, vertices, w, d):  # type: ignore[no-untyped-def]
        """Return word w of the neighbours along a dimension."""
        if d >= 6:
            return vertices[w ^ (1 << (d - 6))]
        low = vertices[w] & self.halves[d]
        return (low << self.shifts[d]) | ((vertices[w] >> self.shifts[d]) & self.halves[d])

    def count(self, x):  # type: ignore[no-untyped-def]
        """Return how many vertices are in a word."""
        for d in range(6):
            x = (x & self.halves[d]) + ((x >> self.shifts[d]) & self.halves[d])
        return np.int64(x)

    def room(self, closed, head):  # type: ignore[no-untyped-def]
        """Count what can be reached from here and is no dead end; three ways on count more."""
        reached = np.zeros(self.words, np.uint64)
        reached[head >> 6] = self.bits[head & 63]
        grows = True
        while grows:
            grows = False
            for d in range(self.dimensions):
                for w in range(self.words):
                    other = self.along(reached, w, d)
                    more = reached[w] | (other ^ (other & closed[w]))
                    grows |= more != reached[w]
                    reached[w] = more
        room = 0
        for w in range(self.words):
            one = two = three = closed[w] ^ closed[w]
            for d in range(self.dimensions):
                other = self.along(reached, w, d)
                three |= two & other
                two |= one & other
                one |= other
            room += 2 * self.count(two & reached[w]) + self.count(three & reached[w])
        return room

    def close(self, closed, vertex):  # type: ignore[no-untyped-def]
        """Close all neighbours of a vertex."""
        for d in range(self.dimensions):
            other = vertex ^ (1 << d)
            closed[other >> 6] |= self.bits[other & 63]

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Go along any dimension that is open; new dimensions come in their order."""
        before, closed = self.room(s.closed, s.head), s.closed.copy()
        self.close(closed, s.head)
        for d in range(min(s.used + 1, self.dimensions)):
            to = s.head ^ (1 << d)
            if not s.closed[to >> 6] & self.bits[to & 63]:
                gain = float(self.room(closed, to) - before)
                out.add(d, s.head * self.dimensions + d, gain)

    def play(self, s, d):  # type: ignore[no-untyped-def]
        """Go there; all neighbours of the vertex before are closed."""
        self.close(s.closed, s.head)
        s.head ^= 1 << d
        s.used = max(s.used, d + 1)
        s.length += 1

    def score(self, s):  # type: ignore[no-untyped-def]
        """Count the edges."""
        return s.length


def length(dimensions: int, path: list[int]) -> int:
    """Return the length of a snake, which is checked vertex by vertex."""
    vertices = [0]
    for dimension in path:
        assert 0 <= dimension < dimensions
        vertices.append(vertices[-1] ^ 1 << dimension)
    for i, one in enumerate(vertices):
        for other in vertices[i + 2 :]:
            assert (one ^ other).bit_count() > 1
    return len(path)


def main() -> None:
    """Search each cube."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dimensions", nargs="*", type=int, default=[8, 9, 10])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for dimensions in asked.dimensions:
        meta, record = KNOWN.get(dimensions, (None, None))
        begun = time.process_time()
        problem: Any = Snake(dimensions)
        result = nestor.solve(
            problem,
            nestor.BeamSearch(),
            seconds=asked.seconds,
            target=record,
            jobs=asked.jobs,
            seed=asked.seed,
        )
        assert length(dimensions, result.moves) == result.score
        print(
            f"{dimensions} dimensions: {result.score:.0f} (Meta-NRPA {meta}, longest {record}), "
            f"{result.seconds:.1f} s, {time.process_time() - begun:.1f} s of processor time"
        )


if __name__ == "__main__":
    main()
