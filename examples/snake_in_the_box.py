"""Snake in the box: the longest path through a cube of many dimensions that does not touch itself.

    python examples/snake_in_the_box.py 8 --seconds 60

A snake goes along the edges of the cube. Vertices of it that do not follow each other must not be
neighbours. The rules are compiled (extra ``compiled``). Beside the length stand that of Meta-NRPA
and the longest known snake.
"""

import argparse
from typing import Any

import numpy as np

import nestor

# What Meta-NRPA found, and the longest known.
KNOWN = {6: (None, 26), 7: (None, 50), 8: (97, 98), 9: (188, 190), 10: (373, 373)}


@nestor.compiled
class Snake:
    """Grow a snake from vertex 0. A move is the dimension to go along; the score is the length."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.code_count = dimensions << dimensions
        self.state = np.dtype(
            [("head", "i4"), ("used", "i4"), ("length", "i4"), ("closed", "u1", 1 << dimensions)]
        )

    def initial(self, s):  # type: ignore[no-untyped-def]
        """Begin at vertex 0, which is closed from then on."""
        s.closed[0] = True

    def moves(self, s, out):  # type: ignore[no-untyped-def]
        """Go along any dimension that is open; new dimensions come in their order."""
        for dimension in range(min(s.used + 1, self.dimensions)):
            if not s.closed[s.head ^ (1 << dimension)]:
                out.add(dimension, s.head * self.dimensions + dimension)

    def play(self, s, dimension):  # type: ignore[no-untyped-def]
        """Go there; all neighbours of the vertex before are closed."""
        for other in range(self.dimensions):
            s.closed[s.head ^ (1 << other)] = True
        s.head ^= 1 << dimension
        s.used = max(s.used, dimension + 1)
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
    parser.add_argument("--level", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    algorithm = nestor.NRPA(level=asked.level, iterations=100)
    for dimensions in asked.dimensions:
        meta, record = KNOWN.get(dimensions, (None, None))
        problem: Any = Snake(dimensions)
        result = nestor.solve(
            problem, algorithm, seconds=asked.seconds, target=record, seed=asked.seed
        )
        assert length(dimensions, result.moves) == result.score
        print(
            f"{dimensions} dimensions: {result.score:.0f} (Meta-NRPA {meta}, longest {record}), "
            f"{result.seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
