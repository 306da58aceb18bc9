"""Assignments with capacities, conflicts and distances, generated: what the default finds of each.

    python benchmarks/exchanges.py [bins ...] [--playouts 20000] [--seeds 4] [--apart]

Each is a class whose moves are tuples (variable, value), so that local search has two variables
exchange their values. With ``--apart`` they are whole numbers, and it does not. Lower is better.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from itertools import combinations
from statistics import fmean

import nestor

State = tuple[int, ...]
Move = int | tuple[int, int]


class Values:
    """A value for each of some variables, at a cost."""

    change, sense = "set", "min"

    def __init__(
        self, count: int, values: int, cost: Callable[[State], float], apart: bool
    ) -> None:
        self.count, self.values, self.cost, self.apart = count, values, cost, apart

    def initial(self) -> State:
        """Return no values."""
        return (-1,) * self.count

    def moves(self, state: State) -> list[Move]:
        """Return the values of all variables without one."""
        free = [variable for variable in range(self.count) if state[variable] < 0]
        moves = [(variable, value) for variable in free for value in range(self.values)]
        return [a * self.values + b for a, b in moves] if self.apart else [*moves]

    def _given(self, state: State, move: Move, given: bool) -> State:
        variable, value = divmod(move, self.values) if isinstance(move, int) else move
        return (*state[:variable], value if given else -1, *state[variable + 1 :])

    def play(self, state: State, move: Move) -> State:
        """Give a variable a value."""
        return self._given(state, move, True)

    def undo(self, state: State, move: Move) -> State:
        """Take it back."""
        return self._given(state, move, False)

    def score(self, state: State) -> float:
        """Return the cost."""
        return self.cost(state)


def bins(rng: random.Random, apart: bool) -> Values:
    """80 things of 20 to 70 in bins of 150, as few as there must be: what is too much."""
    sizes = [rng.randint(20, 70) for _ in range(80)]
    count = -(-sum(sizes) // 150)

    def cost(where: State) -> float:
        load = [0] * count
        for size, place in zip(sizes, where, strict=True):
            load[place] += size
        return sum(max(0, each - 150) for each in load)

    return Values(80, count, cost, apart)


def exams(rng: random.Random, apart: bool) -> Values:
    """30 exams in 6 slots: common students in neighbouring slots, and ten times those in one."""
    pairs = {pair: rng.randint(1, 30) for pair in rng.sample([*combinations(range(30), 2)], 120)}

    def cost(slot: State) -> float:
        weights = {0: 10, 1: 1}
        return sum(weights.get(abs(slot[a] - slot[b]), 0) * n for (a, b), n in pairs.items())

    return Values(30, 6, cost, apart)


def seats(rng: random.Random, apart: bool) -> Values:
    """64 guests at 8 tables of 8: how little they like each other, and 100 for each too many."""
    like = [[rng.randint(-9, 9) for _ in range(64)] for _ in range(64)]

    def cost(where: State) -> float:
        tables: list[list[int]] = [[] for _ in range(8)]
        for guest, table in enumerate(where):
            tables[table].append(guest)
        crowd = sum(max(0, len(table) - 8) for table in tables)
        return 100 * crowd - sum(like[a][b] for table in tables for a in table for b in table)

    return Values(64, 8, cost, apart)


def colours(rng: random.Random, apart: bool) -> Values:
    """Five colours for 60 points, 17 % of whose pairs are neighbours: those of the same colour."""
    edges = [pair for pair in combinations(range(60), 2) if rng.random() < 0.17]
    return Values(60, 5, lambda colour: sum(colour[a] == colour[b] for a, b in edges), apart)


def quadratic(rng: random.Random, apart: bool) -> Values:
    """12 facilities at 12 places: flow times distance, and 500 for each place without one."""
    flow, far = ([[rng.randint(0, 9) for _ in range(12)] for _ in range(12)] for _ in range(2))
    pairs = [(a, b) for a in range(12) for b in range(12)]

    def cost(place: State) -> float:
        empty = 12 - len(set(place))
        return sum(flow[a][b] * far[place[a]][place[b]] for a, b in pairs) + 500 * empty

    return Values(12, 12, cost, apart)


PROBLEMS = {each.__name__: each for each in (bins, exams, seats, colours, quadratic)}


def main() -> None:
    """Print the scores of each problem, and their mean."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=[*PROBLEMS])
    parser.add_argument("--playouts", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--apart", action="store_true")
    given = parser.parse_args()
    for name in given.names:
        scores = [
            nestor.solve(
                PROBLEMS[name](random.Random(seed), given.apart),
                playouts=given.playouts,
                seed=seed,
                jobs=1,
            ).score
            for seed in range(1, given.seeds + 1)
        ]
        print(f"{name}: {', '.join(f'{score:g}' for score in scores)}; mean {fmean(scores):g}")


if __name__ == "__main__":
    main()
