"""Tardiness: the order of jobs on one machine whose delays cost least.

    python examples/models/tardy.py 10

The least cost is known by dynamic programming; the argument is the seconds.
"""

import random
import sys
from collections.abc import Sequence

import nestor

draw = random.Random(12)
LENGTHS = [draw.randint(1, 100) for _ in range(12)]
DUE = [draw.randint(1, sum(LENGTHS) * 2 // 3) for _ in LENGTHS]
WEIGHTS = [draw.randint(1, 10) for _ in LENGTHS]


def cost(order: Sequence[int]) -> int:
    """Return what the delays cost."""
    time = total = 0
    for job in order:
        time += LENGTHS[job]
        total += WEIGHTS[job] * max(0, time - DUE[job])
    return total


TARDY = nestor.Order(len(LENGTHS), cost)


def check(order: Sequence[int]) -> int:
    """Return the cost of an order, from the jobs that come before each one."""
    assert sorted(order) == [*range(len(LENGTHS))]
    ends = {job: sum(LENGTHS[k] for k in order[: i + 1]) for i, job in enumerate(order)}
    return sum(w * max(0, ends[job] - DUE[job]) for job, w in enumerate(WEIGHTS))


def least() -> int:
    """Return the least cost, by dynamic programming over the sets of jobs that come first."""
    best = [0] * (1 << len(LENGTHS))
    for first in range(1, len(best)):
        inside = [job for job in range(len(LENGTHS)) if first >> job & 1]
        end = sum(LENGTHS[job] for job in inside)
        best[first] = min(
            best[first - (1 << job)] + WEIGHTS[job] * max(0, end - DUE[job]) for job in inside
        )
    return best[-1]


def main(seconds: float = 10) -> None:
    """Search, check and print."""
    best = least()
    result = nestor.solve(TARDY, seconds=seconds, target=best, seed=1)
    print(f"the delays cost {check(result.moves)}; {best} is the least")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
