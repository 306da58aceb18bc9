"""A problem of your own: pack a knapsack, by several algorithms.

    python examples/own_problem.py

The same class runs from the command line: nestor solve examples.own_problem:Knapsack
"""

import random

import nestor

Packed = frozenset[int]
"""The things that are packed."""

rng = random.Random(0)
THINGS = [(rng.randint(5, 60), rng.randint(10, 90)) for _ in range(200)]


class Knapsack:
    """Which things to pack: any subset of a packing is one, and the order does not matter."""

    change = "set"
    weights = tuple(weight for weight, _ in THINGS)
    values = tuple(value for _, value in THINGS)
    limit = 1600

    def initial(self) -> Packed:
        """Return the empty knapsack."""
        return frozenset()

    def moves(self, packed: Packed) -> list[int]:
        """Return the things that still fit."""
        room = self.limit - sum(self.weights[i] for i in packed)
        return [i for i, weight in enumerate(self.weights) if i not in packed and weight <= room]

    def play(self, packed: Packed, thing: int) -> Packed:
        """Return the knapsack with one more thing."""
        return packed | {thing}

    def undo(self, packed: Packed, thing: int) -> Packed:
        """Return the knapsack without a thing."""
        return packed - {thing}

    def score(self, packed: Packed) -> int:
        """Return the value packed."""
        return sum(self.values[i] for i in packed)


if __name__ == "__main__":
    nestor.testing.check_problem(Knapsack(), playouts=3)
    for algorithm in (nestor.Sampling(), nestor.NRPA(level=2, iterations=30), nestor.Auto()):
        result = nestor.solve(Knapsack(), algorithm, playouts=1000, seed=1)
        print(f"{result.algorithm.name:13} {result.score:6.0f}   {len(result.moves)} things")
    result = nestor.solve(Knapsack(), playouts=100_000, seed=2)
    print(f"{'100,000':13} {result.score:6.0f}   of 5402, which is the most there can be")
