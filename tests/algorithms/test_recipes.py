"""The recipes of CONTRIBUTING, each followed on a toy as far as Python goes.

`tests/test_house.py` counts the files of real examples, and so holds the part that is Rust.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import pytest

from nestor import NMCS, InputError, solve
from nestor.algorithms import ALGORITHMS, Algorithm, from_dict
from nestor.algorithms.sampling import Unlearned
from nestor.problems import Morpion
from nestor.settings import Integer, described, setting
from nestor.testing import check_problem
from support.own import Chosen, Jobs
from support.searching import compare


@described
@dataclass(frozen=True)
class Toy(Unlearned):
    """A toy: NMCS of level 1 that samples some of the moves."""

    name: ClassVar[str] = "toy"
    samples: int = setting(3, Integer(1, 100), "Moves to try.")

    def levels(self) -> list[SimpleNamespace]:
        """Return the one level."""
        return [SimpleNamespace(beam=1)]


def test_an_algorithm_is_a_class_of_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS, "toy", Toy)
    algorithm: Algorithm = from_dict(json.loads(json.dumps(Toy(5).to_dict())))
    assert algorithm == Toy(5)
    assert algorithm.describe() == "toy, samples 5"
    assert "Moves to try." in (Toy.__doc__ or "")
    with pytest.raises(InputError, match="samples must be 1 to 100, not 0"):
        Toy(0)
    found = solve(Morpion("4D"), algorithm, seed=1)
    assert found.moves == solve(Morpion("4D"), NMCS(1, samples=5), seed=1).moves


def test_an_option_is_a_field() -> None:
    """What is derived from it: the check, the default, JSON, the description, the core's dict."""
    assert Toy().core()["samples"] == 3
    assert Toy().to_dict()["samples"] == 3
    with pytest.raises(InputError, match="samples must be an integer"):
        Toy("many")  # type: ignore[arg-type]


class Hurried(Jobs):
    """A toy: one more bias."""

    biases = (*Jobs.biases, "hurry")

    def hurry(self, state: Chosen, move: int) -> float:
        """Prefer what is due soon."""
        return -self.dues[move] / 2


def test_a_bias_is_a_method_and_its_name() -> None:
    check_problem(Hurried())
    algorithm = NMCS(1, samples=2, bias="hurry")
    result = solve(Hurried(), algorithm, seed=1)
    assert result.bias == "hurry"
    assert result.verified


def test_a_problem_is_a_class_of_four_methods() -> None:
    class Coins:
        """A toy: reach 30 with few coins."""

        def initial(self) -> Chosen:
            return ()

        def moves(self, state: Chosen) -> list[int]:
            return [coin for coin in (1, 5, 12) if sum(state) + coin <= 30]

        def play(self, state: Chosen, move: int) -> Chosen:
            return (*state, move)

        def score(self, state: Chosen) -> float:
            return -float(len(state))

    check_problem(Coins())
    compare(Coins(), NMCS(2))
    assert solve(Coins(), NMCS(3), seed=1).score == -4
