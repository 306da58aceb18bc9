"""Golomb rulers: marks at whole numbers, no two of which are as far apart as another two.

    python examples/models/golomb.py 10

The shortest lengths are those of https://oeis.org/A003022; the argument is the seconds for each.
"""

import sys
from collections.abc import Sequence

import nestor

BEST = {8: 34, 9: 44}


class Ruler:
    """Each move adds a mark to a ruler of a given length, which has its two ends already.

    Any subset of the marks of a Golomb ruler is one, so this is a set.
    """

    change = "set"

    def __init__(self, marks: int = 8, length: int = 34) -> None:
        self.length = length
        self.optimum = marks  # the length is too short for more

    def initial(self) -> frozenset[int]:
        return frozenset((0, self.length))

    def moves(self, marks: frozenset[int]) -> list[int]:
        used = {abs(a - b) for a in marks for b in marks}
        return [
            place
            for place in range(1, self.length)
            if len({abs(place - mark) for mark in marks} - used) == len(marks)
        ]

    def play(self, marks: frozenset[int], place: int) -> frozenset[int]:
        return marks | {place}

    def undo(self, marks: frozenset[int], place: int) -> frozenset[int]:
        return marks - {place}

    def score(self, marks: frozenset[int]) -> int:
        return len(marks)


def check(length: int, inner: Sequence[int]) -> int:
    """Return the number of marks of a ruler with these and its ends, if distances differ."""
    ruler = sorted([0, length, *inner])
    distances = [b - a for i, a in enumerate(ruler) for b in ruler[i + 1 :]]
    assert 0 not in distances, "a mark comes twice"
    assert len({*distances}) == len(distances), "a distance comes twice"
    assert ruler[-1] - ruler[0] == length
    return len(ruler)


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    for marks, length in BEST.items():
        result = nestor.solve(Ruler(marks, length), seconds=seconds, seed=1)
        found = check(length, result.moves)
        print(f"{found} marks on a ruler of length {length}; {marks} are the most")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
