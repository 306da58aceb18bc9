"""Snake in the box: the longest path through a cube of many dimensions that does not touch itself.

    python examples/snake_in_the_box.py 8 --seconds 60

A snake goes along the edges of the cube. Vertices of it that do not follow each other must not be
neighbours. The rules are compiled (extra ``compiled``). Beside the length stand that of Meta-NRPA
and the longest known snake.
"""

import argparse

import numpy as np

import nestor

META_NRPA = {8: 97, 9: 188, 10: 373}
RECORDS = {6: 26, 7: 50, 8: 98, 9: 190, 10: 373}


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
    """Search cubes and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dimensions", nargs="*", type=int, default=[8, 9, 10])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--level", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print("| dimensions | length | Meta-NRPA | longest known | seconds | playouts |")
    print("|---|---|---|---|---|---|")
    for dimensions in chosen.dimensions:
        result = nestor.solve(
            Snake(dimensions),  # type: ignore[arg-type]
            nestor.NRPA(level=chosen.level, iterations=100),
            seconds=chosen.seconds,
            target=RECORDS.get(dimensions),
            seed=chosen.seed,
            threads=1,
            jobs=1,
        )
        found = length(dimensions, result.moves)
        assert found == result.score
        known = f"{META_NRPA.get(dimensions, '')} | {RECORDS.get(dimensions, '')}"
        spent = f"{result.seconds:.1f} | {result.playouts:,}"
        print(f"| {dimensions} | {found} | {known} | {spent} |", flush=True)


if __name__ == "__main__":
    main()
