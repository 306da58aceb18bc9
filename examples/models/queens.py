"""Guards: as few queens as possible that guard every square of a board.

    python examples/models/queens.py 10

The fewest are those of https://oeis.org/A075458; the argument is the seconds for each board.
"""

import sys
from collections.abc import Sequence

import nestor

BEST = {11: 5, 13: 7}


Square = tuple[int, int]


class Guards:
    """Each move takes a queen off a board that is full of them at first; the state has the rest.

    Not any subset of a cover is one, but any subset of what can be left out can be left out.
    """

    change = "set"

    def __init__(self, size: int = 11) -> None:
        self.optimum = size * size - BEST[size]
        squares = [(row, column) for row in range(size) for column in range(size)]
        self.guarded = dict.fromkeys(squares, 0)  # a bit for each square
        for a, b in squares:
            for number, (c, d) in enumerate(squares):
                if a == c or b == d or abs(a - c) == abs(b - d):
                    self.guarded[a, b] |= 1 << number

    def initial(self) -> frozenset[Square]:
        return frozenset(self.guarded)

    def moves(self, queens: frozenset[Square]) -> list[Square]:
        once = twice = 0
        for queen in queens:
            twice |= once & self.guarded[queen]
            once |= self.guarded[queen]
        return [queen for queen in sorted(queens) if not self.guarded[queen] & ~twice]

    def play(self, queens: frozenset[Square], queen: Square) -> frozenset[Square]:
        return queens - {queen}

    def undo(self, queens: frozenset[Square], queen: Square) -> frozenset[Square]:
        return queens | {queen}

    def score(self, queens: frozenset[Square]) -> int:
        return len(self.guarded) - len(queens)


def check(size: int, out: Sequence[Square]) -> int:
    """Return the number of queens, on all squares but these; they must guard the board."""
    squares = [complex(row, column) for row in range(size) for column in range(size)]
    queens = [square for square in squares if (square.real, square.imag) not in out]
    for square in squares:
        # A way along a row, a column or a diagonal is real or imaginary if it is squared.
        ways = ((queen - square) ** 2 for queen in queens)
        assert any(way.real * way.imag == 0 for way in ways), "a square has no guard"
    assert len(queens) + len(out) == len(squares)
    return len(queens)


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    for size, best in BEST.items():
        result = nestor.solve(Guards(size), seconds=seconds, seed=1)
        queens = check(size, result.moves)
        print(f"{queens} queens guard {size} x {size} squares; {best} are the fewest")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
