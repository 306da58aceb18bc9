"""Policies of the primitives: their weights, their files, and what is refused."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

from nestor import InputError, reference
from nestor.prior import WithPrior
from nestor.problems import Morpion, SameGame
from nestor.research import Key, Playout, Policy, adapt, playout, playouts, run_level
from support.instances import SMALL_BOARD, small_tsptw
from support.own import Subset

ONE_EACH = [small_tsptw().with_bias("distance"), Morpion("4T"), SameGame(SMALL_BOARD), Subset()]


def kind(problem: Any) -> str:
    """Name a test after its problem."""
    return type(problem).__name__


@pytest.mark.parametrize("problem", ONE_EACH, ids=kind)
def test_weights_are_read_and_set(problem: Any, tmp_path: Path) -> None:
    policy = Policy(problem)
    assert policy.weights == {}
    best = run_level(problem, policy, 1, 20, key=Key(1))
    adapt(policy, best)
    adapt(policy, playout(problem, policy, key=Key(2)))
    weights = policy.weights
    assert len(weights) > 5
    with pytest.raises(TypeError, match="does not support item assignment"):
        weights[next(iter(weights))] = 1.0  # type: ignore[index]
    policy.save(tmp_path / "policy.json")
    copies = [
        Policy(problem, weights),
        policy.copy(),
        copy.copy(policy),
        copy.deepcopy(policy),
        pickle.loads(pickle.dumps(policy)),
        Policy.load(tmp_path / "policy.json", problem),
    ]
    expected = run_level(policy.problem, policy, 2, 5, key=Key(3))
    for other in copies:
        assert other.weights == weights
        found = run_level(other.problem, other, 2, 5, key=Key(3))
        assert (found.score, found.moves) == (expected.score, expected.moves)
    adapt(copies[1], best)
    assert copies[1].weights != weights
    assert all(other.weights == weights for other in [policy, *copies[2:]])
    code = next(iter(weights))
    policy.weights = {code: -3.5}
    assert policy.weights == {code: -3.5}
    policy.weights = {}
    blank = playout(problem, Policy(problem), 9, key=Key(6))
    assert playout(problem, policy, 9, key=Key(6)).moves == blank.moves


@pytest.mark.parametrize("problem", ONE_EACH, ids=kind)
@pytest.mark.parametrize("alphas", [[0.25, 0.0, 1.5, 0.5], [2.0], [0.1 * k for k in range(1, 99)]])
def test_each_step_may_have_its_alpha(problem: Any, alphas: list[float]) -> None:
    policy, twin = Policy(problem), reference.Policy()
    for i in range(4):
        new = playout(problem, policy, key=Key(1), first=i)
        adapt(policy, new, alphas, 1.25)
        twin = reference.adapt(twin, new.steps, [alpha / (1.25 * 1.25) for alpha in alphas])
        assert policy.weights == {code: w for code, w in twin.weights.items() if w}
    same, one = policy.copy(), policy.copy()
    adapt(same, new, [0.5, 0.5])
    adapt(one, new, 0.5)
    assert same.weights == one.weights


def test_equal_problems_share_policies() -> None:
    one, other = (small_tsptw().with_bias("distance") for _ in range(2))
    policy = Policy(one)
    adapt(policy, playout(other, Policy(other), key=Key(1)))
    assert run_level(other, policy, 1, 5, key=Key(2)).solution.solved is not None


class Unordered:
    """An instance without `moves`."""

    def initial(self) -> int:
        return 0


MORPION = Morpion("5D")
SUBSET = Subset()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Policy(Unordered()), "problem must have the methods"),  # type: ignore[arg-type]
        (lambda: Policy(MORPION, [1.0]), "weights must be a mapping"),  # type: ignore[arg-type]
        (lambda: Policy(MORPION, {1: math.nan}), "the weight of code 1 must be"),
        (lambda: Policy(MORPION, {1: math.inf}), "the weight of code 1 must be"),
        (lambda: Policy(MORPION, {1: True}), "the weight of code 1 must be"),
        (lambda: Policy(MORPION, {"a": 1.0}), "a code must be an integer, not 'a'"),
        (lambda: Policy(MORPION, {-1: 1.0}), "a code must be 0 to"),
        (lambda: Policy(MORPION, {2**40: 1.0}), "no code 1099511627776"),
        (lambda: Policy(MORPION, {2**31: 1.0}), "no code 2147483648"),
        (lambda: Policy(WithPrior(MORPION, {1: math.nan})), "beta of code 1 must be"),
        (lambda: Policy(WithPrior(MORPION, {1: 701.0})), "beta of code 1 must be"),
        (lambda: Policy(WithPrior(MORPION, {"a": 1.0})), "a code of the prior must be an integer"),
        (lambda: playout(SUBSET, Policy(MORPION), key=Key(1)), "policy must be of this problem"),
        (lambda: playout(Subset(), Policy(SUBSET), key=Key(1)), "policy must be of this problem"),
        (
            lambda: playout(small_tsptw().with_bias("distance"), Policy(small_tsptw()), key=Key(1)),
            "policy must be of this problem",
        ),
        (lambda: playout(3, Policy(MORPION), key=Key(1)), "problem must have the methods"),  # type: ignore[arg-type]
        (lambda: playout(MORPION, reference.Policy(), key=Key(1)), "policy must be a nestor.res"),  # type: ignore[arg-type]
        (lambda: playout(MORPION, Policy(MORPION), key=1), "key must be a nestor.research.Key"),  # type: ignore[arg-type]
        (lambda: playout(MORPION, Policy(MORPION), 0, key=Key(1)), "n must be 1 to"),
        (lambda: playout(MORPION, Policy(MORPION), True, key=Key(1)), "n must be an integer"),
        (lambda: playouts(MORPION, Policy(MORPION), 10**7, key=Key(1)), "n must be 1 to 1000000,"),
        (lambda: playouts(MORPION, Policy(MORPION), 1, key=Key(1), first=-1), "first must be 0"),
        (lambda: Key(-1), "key must be 0 to"),
        (lambda: Key(2**64), "key must be 0 to"),
        (lambda: Key("1"), "key must be an integer"),  # type: ignore[arg-type]
        (lambda: Key(1).child(-1), "index must be 0 to"),
        (lambda: run_level(MORPION, Policy(MORPION), 21, key=Key(1)), "level must be 0 to 20"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, 0, key=Key(1)), "iterations must be 1"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, 5, 0.0, key=Key(1)), "alpha must be pos"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, 5, 1, 0.0, key=Key(1)), "temperature must"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, 5, 1, 1e-200, key=Key(1)), "temperature"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, key=Key(1), threads=0), "threads must be"),
        (
            lambda: run_level(MORPION, Policy(MORPION), 1, key=Key(1), width=4, policies="local"),
            "only for shared policies",
        ),
        (lambda: run_level(MORPION, Policy(MORPION), 1, key=Key(1), bias="none"), "bias belongs"),
        (lambda: run_level(MORPION, Policy(MORPION), 1, key=Key(1), speed=9), "speed"),
        (lambda: adapt(Policy(MORPION), None), "sequence must be a nestor.research.Playout"),  # type: ignore[arg-type]
        (lambda: adapt(None, None), "policy must be a nestor.research.Policy"),  # type: ignore[arg-type]
        (lambda: adapt(Policy(MORPION), found(SUBSET)), "sequence must be of the policy's problem"),
        (lambda: adapt(Policy(SUBSET), found(Subset())), "sequence must be of the policy's"),
        (lambda: adapt(Policy(MORPION), found(MORPION), -1.0), "alpha must be 0 to 1e\\+06"),
        (lambda: adapt(Policy(MORPION), found(MORPION), []), "alpha must have at least one"),
        (lambda: adapt(Policy(MORPION), found(MORPION), [1.0, -1.0]), "alpha must be 0 to 1e\\+06"),
        (lambda: adapt(Policy(MORPION), found(MORPION), 1.0, math.inf), "temperature must be"),
    ],
)
def test_wrong_arguments_are_reported(wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong()


def found(problem: Any) -> Playout:
    return playout(problem, Policy(problem), key=Key(0))


def test_wrong_files_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    with pytest.raises(InputError, match="cannot be read"):
        Policy.load(path, MORPION)
    Policy(MORPION, {5: 1.0}).save(path)
    with pytest.raises(InputError, match="a policy of another problem, morpion"):
        Policy.load(path, Morpion("5T"))
    data = json.loads(path.read_text())
    for change, message in [
        ({"schema": 2}, "another version"),
        ({"weights": []}, "not a policy"),
        ({"weights": ["x"]}, "the weight of code 5 must be"),
        ({"codes": [2**33]}, "no code"),
        ({"codes": 3}, "not a policy"),
    ]:
        path.write_text(json.dumps(data | change))
        with pytest.raises(InputError, match=f"policy.json: .*{message}"):
            Policy.load(path, MORPION)
    path.write_text("[")
    with pytest.raises(InputError, match="not JSON"):
        Policy.load(path, MORPION)
    own = Policy(SUBSET, {object(): 1.0})
    with pytest.raises(InputError, match="no JSON form"):
        own.save(path)
    with pytest.raises(InputError, match="cannot write"):
        Policy(MORPION).save(tmp_path / "absent" / "policy.json")


class Coded(Subset):
    """Codes are tuples."""

    def code(self, state: tuple[int, ...], move: int) -> tuple[str, int]:
        return "move", move


def test_own_codes_survive_a_file(tmp_path: Path) -> None:
    problem = Coded()
    policy = Policy(problem)
    adapt(policy, playout(problem, policy, 5, key=Key(1)))
    assert ("move", 3) in policy.weights
    policy.save(tmp_path / "policy.json")
    assert Policy.load(tmp_path / "policy.json", Coded()).weights == policy.weights
