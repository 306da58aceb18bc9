"""Guards: as few queens as possible that guard every square of a board.

    python examples/models/queens.py 10

The fewest are those of https://oeis.org/A075458; the argument is the seconds for each board.
"""

import sys
from collections.abc import Sequence
from functools import reduce
from operator import or_

import nestor

BEST = {11: 5, 13: 7}


Square = tuple[int, int]


class Guards:
    """Each move places a queen, until every square is guarded; the state has the queens."""

    change, sense = "cover", "min"

    def __init__(self, size: int = 11) -> None:
        self.optimum = BEST[size]
        squares = [(row, column) for row in range(size) for column in range(size)]
        self.guarded = dict.fromkeys(squares, 0)  # a bit for each square
        for a, b in squares:
            for number, (c, d) in enumerate(squares):
                if a == c or b == d or abs(a - c) == abs(b - d):
                    self.guarded[a, b] |= 1 << number

    def initial(self) -> frozenset[Square]:
        return frozenset()

    def moves(self, queens: frozenset[Square]) -> list[Square]:
        left = ~reduce(or_, (self.guarded[queen] for queen in queens), 0)
        return [square for square, guarded in self.guarded.items() if guarded & left]

    def play(self, queens: frozenset[Square], queen: Square) -> frozenset[Square]:
        return queens | {queen}

    def undo(self, queens: frozenset[Square], queen: Square) -> frozenset[Square]:
        return queens - {queen}

    def score(self, queens: frozenset[Square]) -> int:
        return len(queens)


def check(size: int, moves: Sequence[Square]) -> int:
    """Return the number of queens; they must guard the board."""
    squares = [complex(row, column) for row in range(size) for column in range(size)]
    queens = [complex(row, column) for row, column in moves]
    assert {*queens} <= {*squares}
    assert len({*queens}) == len(queens)
    for square in squares:
        # A way along a row, a column or a diagonal is real or imaginary if it is squared.
        ways = ((queen - square) ** 2 for queen in queens)
        assert any(way.real * way.imag == 0 for way in ways), "a square has no guard"
    return len(queens)


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    for size, best in BEST.items():
        result = nestor.solve(Guards(size), seconds=seconds, seed=1)
        queens = check(size, result.moves)
        print(f"{queens} queens guard {size} x {size} squares; {best} are the fewest")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
