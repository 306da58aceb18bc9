"""Several biases with a learned weight each: core and twin agree, and each weight is learned."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nestor import (
    GNRPA,
    InputError,
    Prior,
    Result,
    learn_prior,
    reference,
    resume,
    solve,
)
from nestor.algorithms import from_dict
from nestor.reference import BiasLearning, Step, adapt, adapt_biases, adapt_with_biases
from nestor.research import Key, playout
from nestor.research import Policy as ResearchPolicy
from nestor.runs.session import Limits
from nestor.testing import check_problem
from properties.table import SEVERAL
from support.instances import small_tsptw
from support.own import Jobs
from support.searching import Subject, log_likelihood, running_maxima, several


@pytest.mark.parametrize("case", SEVERAL[:4], ids=str)
def test_the_weights_make_a_difference(case: Subject) -> None:
    """Each weight belongs to its bias: another first weight of any one finds other sequences."""
    count = len(case.twin.betas)
    outcomes = []
    for other in range(-1, count):
        weights = tuple(2.0 if k == other else 0.5 for k in range(count))
        search = case.begin(GNRPA(1, 20, bias_learning=1e-9, bias_weight=weights), 5)
        search.advance(Limits(1000.0, 1, 20))
        outcomes.append(search.save()[0])
    assert len(set(outcomes)) == count + 1


def test_a_state_of_other_biases_is_refused() -> None:
    algorithm = GNRPA(2, 10, bias_learning=0.1)
    two, three = (several(small_tsptw(), *names) for names in (("waiting",), ("distance",) * 2))
    for playouts in (0, 1, 25):
        search = two.begin(algorithm, 1)
        search.advance(Limits(1000.0, 1, playouts))
        with pytest.raises(ValueError, match="has 1 learned weights of biases, not 2"):
            three.begin(algorithm, 1).restore(search.save())


def test_a_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    prior = learn_prior([solve(small_tsptw(), GNRPA(1, 30), seed=1)], name="tiny")
    for problem, settings, bias in (
        (small_tsptw(), {"bias": ["distance", "waiting"]}, "distance+waiting"),
        (small_tsptw(), {"bias": "waiting", "prior": prior}, "waiting+prior tiny"),
        (Jobs(), {}, "short+due+opening"),
    ):
        algorithm = GNRPA(2, 40, bias_learning=0.1, **settings)
        unbroken = solve(problem, algorithm, playouts=900, seed=2)
        path.unlink(missing_ok=True)
        solve(problem, algorithm, playouts=333, seed=2, checkpoint=path)
        # By what the checkpoint says, and with the run asked for again.
        for resumed in (
            resume(path, problem=problem, playouts=600),
            solve(problem, algorithm, playouts=900, seed=2, checkpoint=path),
        ):
            assert resumed.bias == unbroken.bias == bias
        assert (resumed.score, resumed.moves) == (unbroken.score, unbroken.moves)
        counts = [[i.playouts for i in result.improvements] for result in (resumed, unbroken)]
        assert counts[0] == counts[1]
        other = replace(algorithm, bias_weight=0.5)
        with pytest.raises(InputError, match="of another run: it differs in algorithm"):
            solve(problem, other, playouts=900, seed=2, checkpoint=path)


def test_results_name_the_biases(tmp_path: Path) -> None:
    algorithm = GNRPA(1, 30, bias=("distance", "lateness"), bias_learning=0.01, bias_weight=(1, 0))
    result = solve(small_tsptw(), algorithm, seed=1)
    assert result.bias == "distance+lateness"
    assert "bias       distance+lateness" in str(result)
    assert "bias weight 1,0" in str(result)
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json")
    assert (loaded.algorithm, loaded.bias) == (algorithm, result.bias)
    loaded.verify()
    assert from_dict(algorithm.to_dict()) == algorithm
    assert GNRPA(bias=["a", "b"], bias_learning=1).bias == ("a", "b")  # type: ignore[arg-type]


def test_solve_is_the_twins_search() -> None:
    """The biases that are named are in force, in this order."""
    for problem, settings, case in (
        (small_tsptw(), {"bias": ("waiting", "distance")}, ("waiting", "distance")),
        (Jobs(), {}, ("short", "due", "opening")),
        (Jobs(), {"bias": ("opening", "due")}, ("opening", "due")),
        (Jobs(), {"bias": "due"}, ("due",)),
    ):
        weights = (2.0, -1.0, 0.5)[: len(case)]
        algorithm = GNRPA(2, 12, bias_learning=0.05, bias_weight=weights, **settings)
        best, scores = reference.whole_searches(several(problem, *case).twin, algorithm, seed=4)
        result = solve(problem, algorithm, seed=4)
        assert result.moves == best.moves
        counts = [(i.playouts, -abs(i.score)) for i in result.improvements]
        assert counts == running_maxima(scores)


def test_the_first_bias_is_the_default_one() -> None:
    """Without learning: in searches, primitives and the twin alike."""
    problem = Jobs()
    algorithm = GNRPA(2, 10)
    runs = [solve(problem, replace(algorithm, bias=bias), seed=1) for bias in (None, "short")]
    assert [run.bias for run in runs] == ["short", "short"]
    best, scores = reference.whole_searches(problem, algorithm, seed=1)
    assert runs[0].moves == runs[1].moves == best.moves
    assert [(i.playouts, i.score) for i in runs[0].improvements] == running_maxima(scores)
    assert solve(problem, replace(algorithm, bias="due"), seed=1).bias == "due"
    (first, *_) = playout(problem, ResearchPolicy(problem), key=Key(1)).steps
    assert first.biases == [problem.short((), move) for move in problem.moves(())]
    check_problem(problem)


@pytest.mark.parametrize("forbidding", ["near", "far"])
def test_either_bias_forbids(forbidding: str) -> None:
    class Two(Jobs):
        biases = ("near", "far")

        def near(self, state: tuple[int, ...], move: int) -> float:
            return -math.inf if forbidding == "near" and len(state) == move else 1.0

        def far(self, state: tuple[int, ...], move: int) -> float:
            return -math.inf if forbidding == "far" and len(state) == move else -1.0

    for weight in (-3.0, 0.0, 1.0):
        algorithm = GNRPA(2, 12, bias_learning=0.5, bias_weight=weight, force_explore=True)
        seen: list[reference.Playout] = []
        twin = several(Two(), "near", "far").twin
        reference.nested(
            twin, algorithm, algorithm.level, BiasLearning(bias_weights=(weight,) * 2), 7, seen
        )
        moves = solve(Two(), algorithm, seed=1).moves
        for game in (*(played.moves for played in seen), moves):
            # The last one has no other choice.
            assert all(move != place for place, move in enumerate(game[:-1]))


@pytest.mark.parametrize("weights", [(-0.7, 1.0, 2.0), (0.0, 0.0, 0.0), (1.0, 2.5, -1.0)])
def test_the_step_is_along_the_gradient(weights: tuple[float, ...]) -> None:
    """The gradient of the log-likelihood of the sequence, by differences, weight by weight."""
    twin = several(Jobs(), "short", "due", "opening").twin
    steps = reference.playout(twin, BiasLearning(bias_weights=weights), 3).steps
    policy = adapt(BiasLearning(bias_weights=weights), steps[::2], 0.5)
    learned = adapt_biases(policy, steps, 0.25)
    h = 1e-5
    for k in range(3):
        ends = []
        for d in (h, -h):
            moved = tuple(v + d if j == k else v for j, v in enumerate(weights))
            ends.append(log_likelihood(BiasLearning(policy.weights, moved), steps))
        slope = (ends[0] - ends[1]) / (2 * h)
        assert abs(slope) > 1e-3
        assert learned[k] - weights[k] == pytest.approx(slope / 4, rel=1e-5)
    assert adapt_with_biases(policy, steps, 1.0, 0.25).bias_weights == learned


def test_an_example_by_hand() -> None:
    """If two biases are added, each has the gradient of its own betas."""
    step = Step(["a", "b"], [0.0, math.log(3)], 0, [[math.log(2), 0.0]])
    policy = BiasLearning(bias_weights=(1.0, 1.0))
    assert policy.step(step.codes, step.biases, step.further) == pytest.approx([2.0, 3.0])
    first, second = adapt_biases(policy, [step], 0.1)
    assert first == pytest.approx(1 - 0.1 * 0.6 * math.log(3))
    assert second == pytest.approx(1 + 0.1 * (math.log(2) - 0.4 * math.log(2)))
    # A move that one of them forbids has no part in it, by the other neither.
    step = Step([*step.codes, "c"], [*step.biases, -math.inf], 0, [[*step.further[0], 7.0]])
    assert adapt_biases(policy, [step], 0.1) == (first, second)
    # Both have bounds.
    assert adapt_biases(policy, [step], 1e12) == (-1e6, 1e6)


class Misled(Jobs):
    """One bias that is good, and one that is as strong and misleads."""

    biases = ("good", "bad")

    def good(self, state: tuple[int, ...], move: int) -> float:
        return -1.5 * self.dues[move]

    def bad(self, state: tuple[int, ...], move: int) -> float:
        return 2.0 * self.dues[move]


def test_learning_leaves_a_bias_that_misleads() -> None:
    """With as many playouts, learned weights find better orders than both biases unchanged."""
    found, learned = [], GNRPA(1, 60, bias_learning=0.02)
    for algorithm in (replace(learned, bias_learning=1e-300), learned):
        runs = [solve(Misled(), algorithm, playouts=60, seed=seed) for seed in range(20)]
        found.append(sum(run.score for run in runs) / len(runs))
    assert found[0] < found[1] - 1.0
    # What a policy learns of them where the order of the due times is played.
    twin, policy = several(Misled(), "good", "bad").twin, BiasLearning(bias_weights=(1.0, 1.0))
    steps = reference.playout(twin, policy, 1).steps
    state: tuple[int, ...] = ()
    for number in range(len(steps)):
        moves = Jobs().moves(state)
        best = min(range(len(moves)), key=lambda k: Jobs.dues[moves[k]])
        codes = [(number, move) for move in moves]
        betas = [[beta(state, move) for move in moves] for beta in twin.betas]
        steps[number] = Step(codes, betas[0], best, betas[1:])  # type: ignore[arg-type]
        state = (*state, moves[best])
    good, bad = adapt_biases(policy, steps, 0.02)
    assert good > 1.0 > bad


def test_moves_are_listed_once() -> None:
    """A problem in Python may have any number of biases."""
    calls = []
    algorithm = GNRPA(1, 5, bias_learning=0.1)
    for others in ([], ["due", "opening"]):

        class Counting(Jobs):
            listed = 0

            def moves(self, state: tuple[int, ...]) -> list[int]:
                Counting.listed += 1
                return super().moves(state)

        several(Counting(), "short", *others).begin(algorithm).advance(Limits(100.0, 1, 50))
        calls.append(Counting.listed)
    assert calls[0] == calls[1] > 0


class Raising(Jobs):
    """The second bias fails after a while."""

    def __init__(self) -> None:
        self.left = 500

    def due(self, state: tuple[int, ...], move: int) -> float:
        self.left -= 1
        if self.left == 0:
            raise ZeroDivisionError("no due time")
        return super().due(state, move) if self.left > -100 else float("nan")


def test_what_any_bias_raises_reaches_the_user() -> None:
    search = several(Raising(), "short", "due").begin(GNRPA(2, 20, bias_learning=0.1))
    with pytest.raises(ZeroDivisionError, match="no due time"):
        search.advance(Limits(100.0, 1, 400))
    done = search.playouts
    assert 0 < done < 400
    with pytest.raises(ValueError, match=r"due\(\) must return at most 700"):
        search.advance(Limits(100.0, 1, 400))
    assert search.playouts > done
    with pytest.raises(ZeroDivisionError) as raised:
        solve(Raising(), GNRPA(2, 20, bias_learning=0.1), seed=1)
    assert raised.value.nestor_result.playouts == done  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("problem", "settings", "message"),
    [
        (small_tsptw(), {"bias": ("distance", "size")}, "bias must be one of .* not 'size'"),
        (Jobs(), {"bias": ("due", "late")}, "bias must be one of 'none', 'short', .* not 'late'"),
        (Jobs(), {"bias": "none"}, "needs a bias or a prior"),
        (Jobs(), {"bias_weight": (1, 1)}, "for each of the biases short, due, opening; it has 2"),
        (small_tsptw(), {"bias_weight": (1, 1)}, "each of the biases distance; it has 2"),
    ],
)
def test_what_does_not_fit_the_problem(problem: Any, settings: Any, message: str) -> None:
    if settings.get("bias") == "none":
        with pytest.raises(InputError, match=message):
            GNRPA(**settings, bias_learning=0.1)
        return
    with pytest.raises(InputError, match=message):
        solve(problem, GNRPA(1, 5, bias_learning=0.1, **settings), playouts=5)


@pytest.mark.parametrize(
    ("biases", "message"),
    [
        ("short", "must be a tuple of names, not 'short'"),
        (7, "must be a tuple of names"),
        (("short", 7), "must be a tuple of names"),
        (("short", "short"), "must be different names"),
        (("none", "short"), "different names other than 'none'"),
        (("short", "early", "late"), "names of its methods; Jobs has no early, late"),
        (("short", "dues"), "names of its methods; Jobs has no dues"),
    ],
)
def test_wrong_biases_of_a_problem(biases: Any, message: str) -> None:
    problem = Jobs()
    problem.biases = biases
    for algorithm in (GNRPA(1, 5), GNRPA(1, 5, bias_learning=0.1), GNRPA(1, 5, bias="none")):
        with pytest.raises(InputError, match=message):
            solve(problem, algorithm, playouts=5)
    with pytest.raises(InputError, match=message):
        check_problem(problem)


def test_a_problem_may_name_no_bias() -> None:
    problem = Jobs()
    problem.biases = ()
    assert solve(problem, GNRPA(1, 5), seed=1).bias == "none"
    with pytest.raises(InputError, match="needs a bias or a prior"):
        solve(problem, GNRPA(1, 5, bias_learning=0.1), seed=1)


def test_a_prior_is_one_more_bias() -> None:
    prior = Prior("tsptw", {leg: (1 + leg % 3, 4) for leg in range(64)}, name="legs")
    alone, beside = (
        GNRPA(2, 20, bias=bias, prior=prior, bias_learning=0.05, bias_weight=weights)
        for bias, weights in ((None, 1.0), ("distance", (1.0, 0.5)))
    )
    assert solve(small_tsptw(), alone, seed=1).bias == "prior legs"
    result = solve(small_tsptw(), beside, seed=1)
    assert result.bias == "distance+prior legs"
    twin = several(small_tsptw(), "distance", prior=prior.betas()).twin
    best, scores = reference.whole_searches(twin, beside, seed=1)
    assert result.moves == best.moves
    assert [(i.playouts, -i.score) for i in result.improvements] == running_maxima(scores)
