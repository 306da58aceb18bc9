"""Small problems with several objectives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any


def distances(seed: int, n: int) -> list[list[float]]:
    """Return the distances between points drawn at random."""
    rng = Random(seed)
    points = [(rng.random(), rng.random()) for _ in range(n)]
    return [[math.dist(one, other) for other in points] for one in points]


class Tours:
    """Tours through the same places with two tables of distances."""

    objectives: Any = ("min", "min")
    change: Any = "order"
    n = 6

    def __init__(self) -> None:
        self.tables = distances(1, self.n), distances(2, self.n)

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [place for place in range(self.n) if place not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: Sequence[int]) -> Any:
        return tuple(
            sum(table[state[i - 1]][state[i]] for i in range(len(state))) for table in self.tables
        )


class Choice:
    """Things of two values, as many as fit."""

    objectives: tuple[str, ...] = ("max", "max")
    change = "set"
    weights = (5, 9, 4, 7, 6, 8, 3, 5, 6)
    values = ((3, 9, 2, 8, 1, 7, 4, 6, 5), (8, 1, 7, 2, 9, 3, 6, 2, 5))

    def initial(self) -> frozenset[int]:
        return frozenset()

    def moves(self, state: frozenset[int]) -> list[int]:
        room = 25 - sum(self.weights[i] for i in state)
        return [i for i in range(9) if i not in state and self.weights[i] <= room]

    def play(self, state: frozenset[int], move: int) -> frozenset[int]:
        return state | {move}

    def score(self, state: frozenset[int]) -> tuple[int, ...]:
        return tuple(sum(of[i] for i in state) for of in self.values)


class Enough(Choice):
    """Things of two costs until their weight is enough; those without weight do not help."""

    objectives = ("min", "min")
    change = "cover"
    weights = (5, 9, 4, 7, 6, 8, 3, 0, 6)

    def moves(self, state: frozenset[int]) -> list[int]:
        enough = sum(self.weights[i] for i in state) >= 25
        return [i for i in range(9) if self.weights[i] and i not in state and not enough]


class Undone(Enough):
    """The same, where things can be taken back."""

    def undo(self, state: frozenset[int], move: int) -> frozenset[int]:
        return state - {move}


class Coins(Choice):
    """The same with a third objective, few values and no order: many games are alike."""

    objectives = ("max", "max", "min")
    change = "none"

    def score(self, state: frozenset[int]) -> tuple[int, ...]:
        return *(total // 4 for total in super().score(state)), len(state)


class Costed(Tours):
    """`cost_of` forgets the way back in the second table."""

    def cost_of(self, order: Sequence[int]) -> Any:
        one, two = self.score(order)
        return one, two - self.tables[1][order[-1]][order[0]]


class Kept(Choice):
    """The values are counted in the state, and `undo` forgets the second."""

    def initial(self) -> Any:
        return frozenset(), 0, 0

    def moves(self, state: Any) -> list[int]:
        return super().moves(state[0])

    def play(self, state: Any, move: int) -> Any:
        chosen, one, two = state
        return chosen | {move}, one + self.values[0][move], two + self.values[1][move]

    def undo(self, state: Any, move: int) -> Any:
        chosen, one, two = state
        return chosen - {move}, one - self.values[0][move], two

    def score(self, state: Any) -> tuple[int, ...]:
        return state[1:]  # type: ignore[no-any-return]


class Last(Choice):
    """No set: the second part is the thing that was chosen last."""

    def initial(self) -> Any:
        return frozenset(), 0

    def moves(self, state: Any) -> list[int]:
        return super().moves(state[0])

    def play(self, state: Any, move: int) -> Any:
        return state[0] | {move}, move

    def score(self, state: Any) -> tuple[int, ...]:
        return len(state[0]), state[1]
