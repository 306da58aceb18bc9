"""A problem of your own: pack a knapsack, then draw how the best score improved.

    python examples/own_problem.py

The same class runs from the command line: nestor solve examples.own_problem:Knapsack --level 2
"""

import random

import nestor

State = tuple[tuple[int, ...], int]
"""The items packed and the room left."""

rng = random.Random(0)
ITEMS = [(rng.randint(5, 60), rng.randint(10, 90)) for _ in range(30)]  # (weight, value)
LIMIT = 250


class Knapsack:
    """Choose items in the order of their numbers; the total value counts."""

    def initial(self) -> State:
        """Return the empty knapsack."""
        return (), LIMIT

    def moves(self, state: State) -> list[int]:
        """Return the items that may be packed next."""
        packed, room = state
        first = packed[-1] + 1 if packed else 0
        return [i for i in range(first, len(ITEMS)) if ITEMS[i][0] <= room]

    def play(self, state: State, item: int) -> State:
        """Return the state with one more item."""
        packed, room = state
        return (*packed, item), room - ITEMS[item][0]

    def score(self, state: State) -> float:
        """Return the value packed."""
        return sum(ITEMS[i][1] for i in state[0])

    def bias(self, state: State, item: int) -> float:
        """Prefer items with much value for their weight, and skipping few items."""
        weight, value = ITEMS[item]
        first = state[0][-1] + 1 if state[0] else 0
        return value / weight - (item - first)


if __name__ == "__main__":
    nestor.testing.check_problem(Knapsack())
    for algorithm in (nestor.Sampling(), nestor.NRPA(level=2), nestor.GNRPA(level=2)):
        result = nestor.solve(Knapsack(), algorithm, playouts=10_000, seed=1)
        print(f"{algorithm.name:10} {result.score:6.0f}   items {list(result.moves)}")
