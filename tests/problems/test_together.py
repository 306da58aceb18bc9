"""What a check says of answers for several states at once, and of keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from nestor.testing import check_contract

State = tuple[int, ...]


class Sum:
    """Three digits, and their sum."""

    def initial(self) -> State:
        return ()

    def moves(self, state: State) -> list[int]:
        return [0, 1, 2] if len(state) < 3 else []

    def play(self, state: State, move: int) -> State:
        return (*state, move)

    def bias(self, state: State, move: int) -> float:
        return float(move)

    def score(self, state: State) -> float:
        return float(sum(state))

    def score_batch(self, states: Sequence[State]) -> list[float]:
        return [self.score(state) for state in states]

    def bias_batch(self, states: Sequence[State], moves: Sequence[list[int]]) -> list[float]:
        return [float(move) for legal in moves for move in legal]

    def key(self, state: State) -> State:
        return tuple(sorted(state))


def test_right_ones_are_kept() -> None:
    check_contract(Sum())


@pytest.mark.parametrize(
    ("method", "wrong", "told"),
    [
        ("score_batch", lambda self, states: Sum.score_batch(self, states)[::-1], "where score"),
        ("score_batch", lambda self, states: [0.0] * len(states), r"score_batch\(\) must give"),
        ("score_batch", lambda self, states: [float("nan")] * len(states), "it gave nan"),
        ("score_batch", lambda self, states: [1.0], "each of 20 states, not 1"),
        ("score_batch", lambda self, states: 1.0, "must return a sequence, not <class 'float'>"),
        ("bias_batch", lambda self, states, moves: [[0.0]] * len(states), r"states, not \d+"),
        ("bias_batch", lambda self, states, moves: [0.0] * (3 * len(states)), "where bias"),
        ("bias_batch", lambda self, states, moves: [], r"each of the \d+ moves of its"),
        ("key", lambda self, state: state[0], r"key\(\) must tell states of different scores"),
        ("key", lambda self, state: None, r"None stands for the moves \[.*whose score is"),
    ],
)
def test_a_contradiction_is_told(method: str, wrong: Any, told: str) -> None:
    problem = type("Wrong", (Sum,), {method: wrong})()
    with pytest.raises(AssertionError, match=told):
        check_contract(problem)
