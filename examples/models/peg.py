"""Peg solitaire: jump until as few pegs as possible are left.

    python examples/models/peg.py 10

One is the fewest (https://en.wikipedia.org/wiki/Peg_solitaire); the argument is the seconds.
"""

import sys
from collections.abc import Iterator, Sequence

import nestor

Hole = tuple[int, int]
Jump = tuple[Hole, Hole, Hole]  # from, over, to

BEST = 1
BITS = {(r, c): 1 << 7 * r + c for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4}


def jumps() -> Iterator[tuple[Jump, int, int]]:
    """Yield each jump with the bits of its two pegs, and those of all its three holes."""
    for r, c in BITS:
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            over, to = (r + down, c + right), (r + 2 * down, c + 2 * right)
            if to in BITS:
                pegs = BITS[r, c] | BITS[over]
                yield ((r, c), over, to), pegs, pegs | BITS[to]


class Peg:
    """Each move jumps with one peg over another, which is taken off. A state is the bits of pegs.

    The code is the jump alone, though a game may repeat it: with the step in it, searches were
    worse.
    """

    sense, optimum = "min", BEST
    jumps = tuple(jumps())

    def initial(self) -> int:
        return sum(BITS.values()) - BITS[3, 3]

    def moves(self, pegs: int) -> list[Jump]:
        return [jump for jump, two, three in self.jumps if pegs & three == two]

    def play(self, pegs: int, jump: Jump) -> int:
        return pegs ^ sum(BITS[hole] for hole in jump)

    def score(self, pegs: int) -> float:
        """Return the number of pegs, and a fraction that says how far apart they are."""
        left = [hole for hole, bit in BITS.items() if pegs & bit]
        apart = sum(abs(a - c) + abs(b - d) for a, b in left for c, d in left)
        return len(left) + apart / 100_000


def check(jumps: Sequence[Jump]) -> int:
    """Replay the jumps on a drawn board and return the number of pegs left."""
    board = "  ooo  |  ooo  |ooooooo|ooo.ooo|ooooooo|  ooo  |  ooo  "
    rows = [list(row) for row in board.split("|")]
    for (r1, c1), (r2, c2), (r3, c3) in jumps:
        assert (r1 + r3, c1 + c3) == (2 * r2, 2 * c2), "the jump is not straight"
        assert sorted((abs(r1 - r3), abs(c1 - c3))) == [0, 2], "the jump has the wrong length"
        assert rows[r1][c1] == rows[r2][c2] == "o", "no peg"
        assert min(r3, c3) >= 0, "the jump leaves the board"
        assert rows[r3][c3] == ".", "no empty hole"
        rows[r1][c1] = rows[r2][c2] = "."
        rows[r3][c3] = "o"
    return sum(row.count("o") for row in rows)


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    # The default ends with one peg less often in so short a time.
    result = nestor.solve(Peg(), nestor.NRPA(3, 46), seconds=seconds, seed=1)
    print(f"pegs left: {check(result.moves)}; {BEST} is the fewest")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
