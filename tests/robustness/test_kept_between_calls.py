"""A score that depends on something kept between calls: the check finds it, the verifier too."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

import nestor
from nestor import InputError, LocalSearch, VerificationError
from nestor.problems.own import adapt
from nestor.testing import check_problem


class Packing:
    """Which of seven things to pack; the score has the number of one that is kept, too."""

    change: str = "set"
    weights = (23, 31, 29, 44, 53, 38, 63)
    values = (92, 57, 49, 68, 60, 43, 67)
    kept: int | None = None

    def initial(self) -> frozenset[int]:
        return frozenset()

    def moves(self, packed: frozenset[int]) -> list[int]:
        room = 100 - sum(self.weights[i] for i in packed)
        return [i for i, weight in enumerate(self.weights) if i not in packed and weight <= room]

    def play(self, packed: frozenset[int], thing: int) -> frozenset[int]:
        self.kept = thing
        return packed | {thing}

    def score(self, packed: frozenset[int]) -> float:
        return sum(self.values[i] for i in packed) + (self.kept or 0)


class Undoing(Packing):
    def undo(self, packed: frozenset[int], thing: int) -> frozenset[int]:
        return packed - {thing}


class Game(Packing):
    change = "none"


class Covering(Packing):
    """Any four of the seven are enough."""

    change = "cover"

    def moves(self, packed: frozenset[int]) -> list[int]:
        return [i for i in range(7) if i not in packed and len(packed) < 4]


class First(Packing):
    """The first thing that was ever packed."""

    def play(self, packed: frozenset[int], thing: int) -> frozenset[int]:
        self.kept = thing if self.kept is None else self.kept
        return packed | {thing}


class FirstOfGame(First):
    def initial(self) -> frozenset[int]:
        self.kept = None
        return frozenset()


class Counting(Game):
    """The score grows with every hundredth call."""

    calls = 0

    def score(self, packed: frozenset[int]) -> float:
        self.calls += 1
        return sum(self.values[i] for i in packed) + self.calls // 100


class Fewer(Game):
    """What can be packed next depends on how many games were begun."""

    games = 0

    def initial(self) -> frozenset[int]:
        self.games += 1
        return frozenset()

    def moves(self, packed: frozenset[int]) -> list[int]:
        return super().moves(packed)[len(packed) == 1 and self.games > 12 :]

    def score(self, packed: frozenset[int]) -> float:
        return len(packed)


KINDS = [Packing, Undoing, Game, Covering, First, FirstOfGame, Counting, Fewer]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_the_check_finds_what_is_kept(kind: Any, seed: int) -> None:
    with pytest.raises(AssertionError, match=r"in another order|from call to call|every time"):
        check_problem(kind(), seed=seed, playouts=20, report=False)


@pytest.mark.parametrize("kind", [Packing, Undoing, Covering, FirstOfGame])
def test_no_score_that_depends_on_the_order_is_verified(kind: Any) -> None:
    with pytest.raises((InputError, VerificationError), match=r"order|from call to call"):
        nestor.solve(kind(), LocalSearch(), playouts=2000, seed=1)
    solution = adapt(kind()).solution([3, 2, 1, 0] if kind is Covering else [3, 1, 0])
    score = solution.score
    with pytest.raises(VerificationError, match="in another order"):
        solution.confirm(score)


def test_sound_rules_are_verified_in_another_order_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Packing, "score", lambda self, packed: sum(self.values[i] for i in packed))
    check_problem(Packing(), report=False)
    best = max(
        sum(Packing.values[i] for i in some)
        for size in range(8)
        for some in combinations(range(7), size)
        if sum(Packing.weights[i] for i in some) <= 100
    )
    result = nestor.solve(Packing(), LocalSearch(), playouts=500, seed=1)
    assert (result.score, result.verified) == (best, True)


@pytest.mark.parametrize("method", ["bias", "code"])
def test_answers_at_random_are_told(method: str) -> None:
    rng = random.Random(1)

    class Drawn(Game):
        """Its bias, or its codes, are other ones each time."""

        def play(self, packed: frozenset[int], thing: int) -> frozenset[int]:
            return packed | {thing}

    setattr(Drawn, method, lambda self, state, move: move + rng.random())
    with pytest.raises(AssertionError, match=rf"{method}\(\) gives .* and then .* for the move"):
        check_problem(Drawn(), report=False)
