"""Snake in the box: the longest path through a cube of many dimensions that does not touch itself.

    python examples/snake_in_the_box.py 8 --seconds 60

A snake goes along the edges of the cube. Vertices of it that do not follow each other must not be
neighbours. The rules are compiled (extra ``compiled``), and beam search keeps the snakes with the
most room ahead. Beside the length stand that of Meta-NRPA and the longest known snake.

In 9 and 10 dimensions it looks for a coil, which is a closed snake: without two of its edges it is
a snake. A symmetry of the cube must map the coil onto itself, so only a quarter of it is searched.
The symmetry is a fact from outside: of all that small beams tried, it had the longest coils.
"""

# mypy: allow-untyped-calls
import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import nestor

# What Meta-NRPA found, and the longest known.
KNOWN = {6: (None, 26), 7: (None, 50), 8: (97, 98), 9: (188, 190), 10: (373, 373)}
# The symmetry: where each dimension goes, and which ones are flipped then.
TURN = [1, 2, 3, 0, 5, 4, 6, 7, 8, 9]
FLIPS = {9: 0b111010101, 10: 0b0011010101}


@nestor.compiled
class Snake:
    """Grow a snake from vertex 0. A move is the dimension to go along; the score is the length.

    With a turn (and a flip), grow a coil that they map onto itself: all images of the snake grow
    with it. The goal, where the next image begins, ends it.

    Sets of vertices are words of 64 bits. The bias is by how much a move changes the room ahead.
    """

    def __init__(self, dimensions: int, turn: Sequence[int] = (), flip: int = 0) -> None:
        self.dimensions, self.code_count = dimensions, dimensions << dimensions
        self.words = 1 << dimensions - 6
        self.state = np.dtype(
            [("head", "i4"), ("used", "i4"), ("length", "i4"), ("closed", "u8", self.words)]
        )
        self.shifts = np.array([1, 2, 4, 8, 16, 32], "u8")
        self.halves = np.array([(2**64 - 1) // (2**k + 1) for k in (1, 2, 4, 8, 16, 32)], "u8")
        self.bits = np.array([2**bit for bit in range(64)], "u8")
        every = np.arange(1 << dimensions)
        turned = np.full_like(every, flip)
        for d, to in enumerate(turn):
            turned ^= (every >> d & 1) << to
        images = [every]
        while turn and (turned[images[-1]] != every).any():
            images.append(turned[images[-1]])
        self.images, self.order = np.array(images), len(images)
        self.goal, self.used = (int(turned[0]), dimensions) if turn else (-1, 0)
        # No vertex of a coil is beside an image of its own.
        crowded = np.zeros(len(every), bool)
        for image in images[1:]:
            crowded |= (every ^ image) & (every ^ image) - 1 == 0
        if crowded[0]:
            raise ValueError("turn and flip must take vertex 0 two edges away or more")
        self.crowded = np.packbits(crowded, bitorder="little").view("u8")

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at vertex 0, which is closed from then on."""
        s.used = self.used
        s.closed[:] = self.crowded
        self.enter(s.closed, 0)

    def coiled(self, s):  # type: ignore[no-untyped-def]
        """Say whether the goal is a neighbour; -1 never is."""
        step = s.head ^ self.goal
        return step & step - 1 == 0

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
        """Count what can be reached and is no dead end, or return -1 if the goal cannot be."""
        reached = np.zeros(self.words, np.uint64)
        reached[head >> 6] = self.bits[head & 63]
        grows = True
        while grows:
            grows = False
            for w in range(self.words):
                old = reached[w]
                for d in range(self.dimensions):
                    other = self.along(reached, w, d)
                    reached[w] |= other ^ (other & closed[w])
                grows |= old != reached[w]
        if self.order > 1 and not reached[self.goal >> 6] & self.bits[self.goal & 63]:
            return -1
        room = 0
        for w in range(self.words):
            one = two = three = closed[w] ^ closed[w]
            for d in range(self.dimensions):
                other = self.along(reached, w, d)
                three |= two & other
                two |= one & other
                one |= other
            # Three ways on count more.
            room += 2 * self.count(two & reached[w]) + self.count(three & reached[w])
        return room

    def close(self, closed, vertex):  # type: ignore[no-untyped-def]
        """Close all neighbours of a vertex but the goal."""
        for d in range(self.dimensions):
            other = vertex ^ (1 << d)
            if other != self.goal:
                closed[other >> 6] |= self.bits[other & 63]

    def enter(self, closed, vertex):  # type: ignore[no-untyped-def]
        """Close a vertex, its images and all around them, but not the goal."""
        closed[vertex >> 6] |= self.bits[vertex & 63]
        for k in range(1, self.order):
            image = self.images[k, vertex]
            if image != self.goal:
                closed[image >> 6] |= self.bits[image & 63]
                self.close(closed, image)

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Go along any dimension that is open; without a turn, new ones come in their order."""
        if self.coiled(s):
            return
        before, left = self.room(s.closed, s.head), s.closed.copy()
        self.close(left, s.head)
        for d in range(min(s.used + 1, self.dimensions)):
            to = s.head ^ (1 << d)
            if not s.closed[to >> 6] & self.bits[to & 63]:
                closed = left.copy()
                self.enter(closed, to)
                room = self.room(closed, to)
                if room >= 0:
                    out.add(d, s.head * self.dimensions + d, float(room - before))

    def play(self, s, d):  # type: ignore[no-untyped-def]
        """Go there; all neighbours of the vertex before are closed."""
        self.close(s.closed, s.head)
        s.head ^= 1 << d
        self.enter(s.closed, s.head)
        s.used = max(s.used, d + 1)
        s.length += 1

    def score(self, s):  # type: ignore[no-untyped-def]
        """Count the edges."""
        if self.coiled(s):
            return (s.length + 1) * self.order - 2
        return s.length


def length(problem: Any, path: list[int]) -> int:
    """Return the length of a snake, which is checked vertex by vertex."""
    vertices = [0]
    for dimension in path:
        assert 0 <= dimension < problem.dimensions
        vertices.append(vertices[-1] ^ 1 << dimension)
    if problem.order > 1 and (vertices[-1] ^ problem.goal).bit_count() == 1:
        vertices = [int(v) for image in problem.images for v in image[vertices]][:-1]
    for i, one in enumerate(vertices):
        assert i == 0 or (one ^ vertices[i - 1]).bit_count() == 1
        for other in vertices[i + 2 :]:
            assert (one ^ other).bit_count() > 1
    return len(vertices) - 1


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
        flip = FLIPS.get(dimensions)
        problem: Any = Snake(dimensions, TURN[:dimensions], flip) if flip else Snake(dimensions)
        result = nestor.solve(
            problem,
            nestor.BeamSearch(),
            seconds=asked.seconds,
            target=record,
            jobs=asked.jobs,
            seed=asked.seed,
        )
        assert length(problem, result.moves) == result.score
        print(
            f"{dimensions} dimensions: {result.score:.0f} (Meta-NRPA {meta}, longest {record}), "
            f"{result.seconds:.1f} s, {time.process_time() - begun:.1f} s of processor time"
        )


if __name__ == "__main__":
    main()
