"""Bias learning (BLGNRPA): core and twin agree, and the weight is what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import pytest

from nestor import GNRPA, InputError, reference, solve
from nestor.reference import BiasLearning, Step, adapt, adapt_biases, adapt_with_biases
from nestor.research import Key, run_level
from nestor.research import Policy as ResearchPolicy
from nestor.runs.session import Limits
from nestor.testing import HashTree
from properties.table import BIASED
from support.instances import TREES, name_of, small_tsptw
from support.own import Forbidding, Leaning
from support.searching import begin, log_likelihood, run


@pytest.mark.parametrize("weight", [-5.0, 0.0, 1.0])
@pytest.mark.parametrize("forbidden", [{0}, {2}, {0, 2}])
def test_a_forbidden_move_stays_so_at_any_weight(forbidden: set[int], weight: float) -> None:
    problem = Forbidding(frozenset(forbidden))
    algorithm = GNRPA(2, 20, bias_learning=1.0, bias_weight=weight, force_explore=True)
    seen: list[reference.Playout] = []
    reference.nested(
        problem, algorithm, algorithm.level, BiasLearning(bias_weights=(weight,)), 7, seen
    )
    assert {move for played in seen for move in played.moves} == {0, 1, 2} - forbidden
    assert not forbidden & set(solve(problem, algorithm, seed=1).moves)


def test_a_state_of_a_search_that_does_not_learn_is_refused() -> None:
    learning, fixed = GNRPA(2, 10, bias_learning=0.1), GNRPA(2, 10)
    for one, other in ((learning, fixed), (fixed, learning)):
        search = begin(TREES[1], one)
        search.advance(Limits(1000.0, 1, 50))
        with pytest.raises(ValueError, match="learned weights of biases"):
            begin(TREES[1], other).restore(search.save())


@pytest.mark.parametrize("problem", BIASED, ids=name_of)
@pytest.mark.parametrize("temperature", [1.0, 1.4])
def test_a_weight_that_cannot_change_is_a_fixed_bias(problem: Any, temperature: float) -> None:
    """A step too small to change 1.0 gives GNRPA, bit for bit; from 0.0, GNRPA without bias."""
    fixed = GNRPA(2, 12, temperature=temperature)
    learning = replace(fixed, bias_learning=1e-300)
    assert run(problem, learning, 300) == run(problem, fixed, 300)
    if not isinstance(problem, HashTree):
        learning = replace(learning, bias_weight=0.0)
        assert run(problem, learning, 12) == run(problem.with_bias("none"), fixed, 12)


@pytest.mark.parametrize("weight", [-0.7, 0.0, 1.0, 2.5])
def test_the_step_is_along_the_gradient(weight: float) -> None:
    """The gradient of the log-likelihood of the sequence, worked out here by differences."""
    steps = reference.playout(TREES[1], BiasLearning(bias_weights=(weight,)), 3).steps
    policy = adapt(BiasLearning(bias_weights=(weight,)), steps[::2], 0.5)
    assert policy.bias_weights == (weight,)
    h = 1e-5
    above, below = (BiasLearning(policy.weights, (weight + d,)) for d in (h, -h))
    slope = (log_likelihood(above, steps) - log_likelihood(below, steps)) / (2 * h)
    assert abs(slope) > 1e-3
    for rate in (1.0, 0.25):
        (learned,) = adapt_biases(policy, steps, rate)
        assert learned - weight == pytest.approx(rate * slope, rel=1e-6)
        assert adapt_with_biases(policy, steps, 1.0, rate).bias_weights == (learned,)


def test_an_example_by_hand() -> None:
    """Two moves of beta 0 and ln 3: probabilities 1/4 and 3/4, and the lesser one is played."""
    steps = [Step(["a", "b"], [0.0, math.log(3)], 0), Step(["c"], [5.0], 0)]
    learned = adapt_with_biases(BiasLearning(bias_weights=(1.0,)), steps, 1.0, 0.1)
    assert learned.bias_weights == pytest.approx((1 - 0.1 * 0.75 * math.log(3),))
    assert learned.weights["a"] == pytest.approx(0.75)
    # Forbidden moves have no part in it.
    forbidden = [Step(["a", "b", "d"], [0.0, math.log(3), -math.inf], 0)]
    assert adapt_biases(BiasLearning(bias_weights=(1.0,)), forbidden, 0.1) == learned.bias_weights
    nothing = [Step(["a", "b"], [-math.inf, -math.inf], 1)]
    assert adapt_biases(BiasLearning(bias_weights=(1.0,)), nothing, 1.0) == (1.0,)


def test_the_weight_leaves_a_bias_that_misleads() -> None:
    """The weight falls below 0: the level learns the opposite of the bias."""
    problem, policy = Leaning(), BiasLearning(bias_weights=(1.0,))
    first = reference.playout(problem, policy, 1).steps
    good = [Step(step.codes, step.biases, len(step.codes) - 1) for step in first]
    weights = []
    for _ in range(10):
        policy = adapt_with_biases(policy, good, 0.01, 0.2)
        weights.append(policy.bias_weights[0])
    assert weights == sorted(weights, reverse=True)
    assert weights[0] < 1.0
    assert weights[-1] < 0.0


def test_a_level_does_not_return_its_weight() -> None:
    """The first playouts of two searches that start from the same policy have the same weight."""
    algorithm = GNRPA(2, (5, 2), bias_learning=0.5)
    weights: list[tuple[float, ...]] = []

    class Watched(BiasLearning):
        def copy(self) -> Self:
            weights.append(self.bias_weights)
            return super().copy()

    reference.nested(TREES[1], algorithm, algorithm.level, Watched(bias_weights=(1.0,)), 1, [])
    # Each level 1 adapts five times; level 2 after the first, and after the last for nobody.
    assert len(weights) == 12
    first, _, _, _, _, top, second, *_ = weights
    assert first == top == (1.0,)
    assert second != (1.0,)
    assert second not in weights[:6]
    assert len(set(weights[:5])) == 5


def test_primitives_have_no_weight_of_the_bias() -> None:
    problem = small_tsptw()
    with pytest.raises(InputError, match="bias_learning is for whole searches"):
        run_level(problem, ResearchPolicy(problem), 1, 5, key=Key(1), bias_learning=0.1)
