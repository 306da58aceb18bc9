"""Bias learning (BLGNRPA): core and twin agree, and the weight is what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from nestor import GNRPA, InputError, Prior, Result, _core, learn_prior, reference, resume, solve
from nestor.algorithms import from_dict
from nestor.cli import main
from nestor.prior import WithPrior
from nestor.problems import RNA, TSPTW, Morpion, SameGame
from nestor.reference import BiasLearning, Step, adapt, adapt_biases, adapt_with_biases
from nestor.research import Key, run_level
from nestor.research import Policy as ResearchPolicy
from nestor.testing import HashTree
from support.instances import SMALL_BOARD, TREES, small_tsptw
from support.own import Extreme, Forbidding, Leaning, Subset
from support.searching import check_threads, compare, found, run, running_maxima

ALGORITHMS = [
    GNRPA(1, 60, bias_learning=0.01),
    GNRPA(2, 10, bias_learning=1.0),
    GNRPA(3, (6, 4, 5), (0.5, 1.0, 2.0), temperature=1.4, bias_learning=0.1, bias_weight=0.0),
    GNRPA(2, 12, bias_learning=0.05, bias_weight=-1.5, width=(4, 3)),
    GNRPA(2, 12, bias_learning=0.05, width=4, width_rate="once", repetitions=2),
    GNRPA(2, 20, bias_learning=0.02, force_explore=True, warm_start=2.3),
    GNRPA(2, 10, bias_learning=1e6, bias_weight=1000),
    GNRPA(2, 12, bias_learning=0.1, width=4, policies="local", inherit=True),
    GNRPA(3, 6, bias_learning=0.1, width=(1, 3, 1), policies="local", share=False),
]

BIASED_TREES = [TREES[1], TREES[2], TREES[5]]
BIASED = [
    small_tsptw().biased("distance"),
    small_tsptw(selective=False).biased("distance"),
    SameGame(SMALL_BOARD).biased("size"),
    RNA("((.((....))...))", model="turner1999-d1", order="pairs").biased("nemo"),
    RNA("((.((....))...))").biased("ngram"),
]


@pytest.mark.parametrize("tree", BIASED_TREES, ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_core_equals_twin_on_trees(tree: HashTree, algorithm: GNRPA) -> None:
    compare(tree, algorithm, seed=11, restarts=3)


@pytest.mark.parametrize("problem", BIASED, ids=lambda p: f"{p.name}-{p.label}")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_core_equals_twin_on_real_problems(problem: Any, algorithm: GNRPA) -> None:
    compare(problem, replace(algorithm, iterations=6), seed=3, restarts=2)


@pytest.mark.parametrize(
    "problem",
    [
        Forbidding(frozenset({0})),
        Forbidding(frozenset({1, 2})),
        Forbidding(frozenset({0, 1, 2})),
        Extreme(frozenset()),
    ],
    ids=str,
)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_core_equals_twin_on_problems_in_python(problem: Any, algorithm: GNRPA) -> None:
    best, scores = reference.search(problem, algorithm, seed=1, restarts=2)
    search = _core.Search(_core.PythonProblem(problem, "bias"), algorithm.core(), 1, 1)
    search.advance(100.0, 1, len(scores))
    assert [(p, s) for p, _, s, _ in search.improvements[0]] == running_maxima(scores)
    assert search.moves == best.moves


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


@pytest.mark.parametrize("problem", [small_tsptw(), SameGame(SMALL_BOARD)], ids=str)
def test_core_equals_twin_with_a_prior(problem: Any) -> None:
    games = [solve(problem, GNRPA(1, 30), playouts=30, seed=seed) for seed in range(3)]
    prior = learn_prior([(game.problem, game.moves) for game in games])
    algorithm = GNRPA(2, 8, prior=prior, prior_temperature=2.0, bias_learning=0.1)
    betas = prior.betas(2.0)
    assert -math.inf in betas.values()
    twin = WithPrior(problem, betas)
    _, scores = reference.search(twin, algorithm, seed=5, restarts=5)
    for core, table in ((problem.core(), betas), (_core.PythonProblem(twin, "bias"), None)):
        search = _core.Search(core, algorithm.core(), 5, 1, table)  # type: ignore[arg-type]
        search.advance(1000.0, 1, len(scores))
        assert [(p, s) for p, _, s, _ in search.improvements[0]] == running_maxima(scores)
    result = solve(problem, algorithm, playouts=len(scores), seed=5)
    assert result.improvements[-1].playouts == running_maxima(scores)[-1][0]
    assert result.bias == "prior prior"


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("problem", [TREES[1], *BIASED[1:3]], ids=str)
def test_saved_and_restored_anywhere(problem: Any, algorithm: GNRPA) -> None:
    saved = None
    for playouts in (*range(1, 400, 3), 400):
        search = _core.Search(problem.core(), algorithm.core(), 9, 1)
        if saved is not None:
            search.restore(saved)
            assert search.save() == saved
        search.advance(1000.0, 1, playouts)
        saved = search.save()
    assert found(search) == run(problem, algorithm, 400, seed=9)


def test_a_run_is_resumed(tmp_path: Path) -> None:
    algorithm, path = GNRPA(2, 40, bias_learning=0.1, bias_weight=0.5), tmp_path / "run.ckpt"
    for problem in (small_tsptw(), Leaning()):
        unbroken = solve(problem, algorithm, playouts=900, seed=2)
        path.unlink(missing_ok=True)
        solve(problem, algorithm, playouts=333, seed=2, checkpoint=path)
        resumed = resume(path, playouts=900)
        assert resumed.algorithm == algorithm
        assert (resumed.score, resumed.moves) == (unbroken.score, unbroken.moves)
        counts = [[i.playouts for i in result.improvements] for result in (resumed, unbroken)]
        assert counts[0] == counts[1]


def test_a_state_of_a_search_that_does_not_learn_is_refused() -> None:
    learning, fixed = GNRPA(2, 10, bias_learning=0.1), GNRPA(2, 10)
    for one, other in ((learning, fixed), (fixed, learning)):
        search = _core.Search(TREES[1].core(), one.core(), 1, 1)
        search.advance(1000.0, 1, 50)
        with pytest.raises(ValueError, match="learned weights of biases"):
            _core.Search(TREES[1].core(), other.core(), 1, 1).restore(search.save())


@pytest.mark.parametrize("problem", [TREES[1], *BIASED[1:3]], ids=str)
@pytest.mark.parametrize(
    "algorithm",
    [
        GNRPA(3, 30, width=(8, 2, 1), bias_learning=0.05),
        GNRPA(3, 20, width=(1, 4, 1), bias_learning=0.05),
        GNRPA(2, (200, 40), width=5, width_rate="once", bias_learning=0.2, force_explore=True),
        GNRPA(3, (12, 9, 7), width=(1, 3, 1), policies="local", inherit=True, bias_learning=0.05),
    ],
    ids=str,
)
def test_threads_within_a_search_change_nothing(problem: Any, algorithm: GNRPA) -> None:
    check_threads(lambda: _core.Search(problem.core(), algorithm.core(), 2, 1))


@pytest.mark.parametrize("problem", [*BIASED_TREES, *BIASED], ids=str)
@pytest.mark.parametrize("temperature", [1.0, 1.4])
def test_a_weight_that_cannot_change_is_a_fixed_bias(problem: Any, temperature: float) -> None:
    """A step too small to change 1.0 leaves GNRPA, bit for bit; one of 0.0 it without bias."""
    fixed = GNRPA(2, 12, temperature=temperature)
    learning = replace(fixed, bias_learning=1e-300)
    assert run(problem, learning, 300) == run(problem, fixed, 300)
    if problem in BIASED:
        learning = replace(learning, bias_weight=0.0)
        assert run(problem, learning, 12) == run(problem.biased("none"), fixed, 12)


def log_likelihood(policy: reference.Policy, steps: list[Step]) -> float:
    """Return the logarithm of the probability of a sequence."""
    total = 0.0
    for step in steps:
        values = policy.step(step.codes, step.biases, step.further)
        total += math.log(values[step.chosen] / sum(values))
    return total


@pytest.mark.parametrize("weight", [-0.7, 0.0, 1.0, 2.5])
def test_the_step_is_along_the_gradient(weight: float) -> None:
    """Of the log-likelihood of the sequence, found here by differences."""
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
    """It falls below 0: what the level learns of the bias is the opposite."""
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
    """The first playouts of two searches below the same policy have the same weight."""
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


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_algorithms_survive_json(algorithm: GNRPA) -> None:
    assert from_dict(algorithm.to_dict()) == algorithm


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bias_learning": 0}, "bias_learning must be positive"),
        ({"bias_learning": -1.0}, "bias_learning must be positive"),
        ({"bias_learning": math.nan}, "bias_learning must be positive"),
        ({"bias_learning": True}, "bias_learning must be a number"),
        ({"bias_learning": (0.1, 0.1)}, "bias_learning must be a number"),
        ({"bias_learning": 0.1, "bias": "none"}, "needs a bias or a prior, not the bias 'none'"),
        ({"bias_learning": 0.1, "bias_weight": 1001}, "bias_weight must be -1000 to 1000"),
        ({"bias_learning": 0.1, "bias_weight": math.nan}, "bias_weight must be -1000 to 1000"),
        ({"bias_learning": 0.1, "bias_weight": "1"}, "bias_weight must be a number"),
        ({"bias_weight": 0.5}, "bias_weight is where bias_learning begins"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GNRPA(**settings)


@pytest.mark.parametrize("problem", [Morpion("4D"), Subset()], ids=lambda p: type(p).__name__)
def test_there_must_be_a_bias(problem: Any) -> None:
    with pytest.raises(InputError, match=r"needs a bias or a prior: .* has none"):
        solve(problem, GNRPA(2, bias_learning=0.1), playouts=10)
    prior = Prior("support.own:Subset" if isinstance(problem, Subset) else "morpion", {3: (1, 2)})
    learned = GNRPA(2, bias_learning=0.1, prior=prior)
    assert solve(problem, learned, playouts=10, seed=1).verified


def test_the_core_refuses_what_makes_no_sense() -> None:
    def search(tree: HashTree, learning: float, weight: float) -> None:
        settings = {"bias_learning": learning, "bias_weight": [weight]}
        _core.Search(tree.core(), {"name": "nrpa", "levels": [{}], **settings}, 1, 1)

    for learning, weight in ((math.inf, 1.0), (0.1, math.nan)):
        with pytest.raises(ValueError, match="must be"):
            search(TREES[1], learning, weight)
    with pytest.raises(ValueError, match="no bias to learn the weight of"):
        search(TREES[0], 0.1, 1.0)


def test_primitives_have_no_weight_of_the_bias() -> None:
    problem = small_tsptw()
    with pytest.raises(InputError, match="bias_learning is of whole searches"):
        run_level(problem, ResearchPolicy(problem), 1, 5, key=Key(1), bias_learning=0.1)


def test_descriptions() -> None:
    plain = "gnrpa, level 2, iterations 100, alpha 1, temperature 1"
    assert GNRPA(2).describe() == plain
    learning = GNRPA(2, bias_learning=0.01).describe()
    assert learning == f"{plain}, bias learning 0.01, bias weight 1"


def command(tmp_path: Path, *options: str) -> int:
    """Run `nestor solve tsptw` on a small tour with options and return the exit code."""
    file = tmp_path / "tour.txt"
    rows = ["0 3 4 5", "3 0 2 4", "4 2 0 6", "5 4 6 0"]
    file.write_text("\n".join(["4", *rows, *["0 100"] * 4]) + "\n")
    with pytest.raises(SystemExit) as ended:
        main(["solve", "tsptw", str(file), "--playouts", "10", "--quiet", *options])
    return ended.value.code  # type: ignore[return-value]


def test_on_the_command_line(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    options = ["--bias-learning", "0.01", "--bias-weight", "0.5", "--save", str(saved)]
    assert command(tmp_path, *options) == 0
    result = Result.load(saved)
    assert isinstance(result.problem, TSPTW)
    assert result.algorithm == GNRPA(bias_learning=0.01, bias_weight=0.5)
    assert result.bias == "distance"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--algorithm nrpa", "--bias-learning goes with --algorithm gnrpa, not with nrpa"),
        ("--algorithm sampling", "--bias-learning goes with --algorithm gnrpa"),
        ("--algorithm beam-nrpa", "--bias-learning goes with --algorithm gnrpa"),
        ("--bias none", "bias_learning needs a bias or a prior"),
    ],
)
def test_wrong_use_is_one_line(
    options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(tmp_path, "--bias-learning", "0.1", *options.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
