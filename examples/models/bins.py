"""Bins: things of different sizes go into as few bins as possible.

    python examples/models/bins.py 10

No fewer bins can do than all sizes together fill; the argument is the seconds.
"""

import random
import sys
from collections.abc import Sequence

import nestor

draw = random.Random(1)
CAPACITY = 150
SIZES = [draw.randint(20, 100) for _ in range(80)]
BOUND = -(-sum(SIZES) // CAPACITY)


def pack(order: Sequence[int]) -> list[int]:
    """Return how full each bin is, if each thing goes into the first that has room."""
    full: list[int] = []
    for thing in order:
        room = (i for i, level in enumerate(full) if level + SIZES[thing] <= CAPACITY)
        if (number := next(room, None)) is None:
            full.append(SIZES[thing])
        else:
            full[number] += SIZES[thing]
    return full


def cost(order: Sequence[int]) -> float:
    """Return the number of bins, and a fraction that is less the more uneven they are."""
    full = pack(order)
    return len(full) + 1 - sum(level**2 for level in full) / (CAPACITY**2 * len(full))


BINS = nestor.Order(len(SIZES), cost)
LARGEST_FIRST = sorted(range(len(SIZES)), key=SIZES.__getitem__, reverse=True)


def check(order: Sequence[int]) -> int:
    """Return the number of bins, from what each of them holds."""
    assert sorted(order) == [*range(len(SIZES))]
    bins: list[list[int]] = [[] for _ in order]
    for thing in order:
        next(b for b in bins if sum(b) + SIZES[thing] <= CAPACITY).append(SIZES[thing])
    return sum(bool(b) for b in bins)


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    result = nestor.solve(
        BINS, seconds=seconds, initial=LARGEST_FIRST, target=BOUND + 0.999, seed=1
    )
    print(f"{check(result.moves)} bins; {BOUND} is a bound")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
