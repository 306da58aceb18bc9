"""The knapsack of 200 things, by the class of ``examples/own_problem.py``, in plain Python.

    python examples/records/knapsack.py --seconds 60

The checker knows the optimum, by dynamic programming.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from proof import Case, prove

sys.path.append(str(Path(__file__).resolve().parent.parent))
from own_problem import THINGS, Knapsack


def value(packed: Sequence[int]) -> float:
    """Return the value of things that are not too heavy."""
    assert len({*packed}) == len(packed)
    assert sum(THINGS[thing][0] for thing in packed) <= Knapsack.limit
    return sum(THINGS[thing][1] for thing in packed)


def optimum() -> int:
    """Return the most that fits, by dynamic programming over the weight."""
    most = [0] * (Knapsack.limit + 1)
    for weight, worth in THINGS:
        for room in range(Knapsack.limit, weight - 1, -1):
            most[room] = max(most[room], most[room - weight] + worth)
    return most[-1]


def case() -> Case:
    """Return the knapsack."""
    return Case(Knapsack(), value, optimum(), "the optimum, by dynamic programming")


CASES = {"200": case}

if __name__ == "__main__":
    prove(__doc__, CASES)
