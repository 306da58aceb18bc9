"""The options of NRPA and GNRPA that came after their papers: core and twin agree, and they do
what they say."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_nmcs_beam import command

import nestor
from nestor import GNRPA, NRPA, Algorithm, InputError, Result, _core, exact, reference, solve
from nestor.algorithms import from_dict
from nestor.problems import Morpion
from nestor.testing import HashTree
from support.instances import TREES, real_problems, small_tsptw
from support.own import FailingOnce, Forbidding, Subset
from support.searching import check_threads, compare, found, run, running_maxima

ALGORITHMS = [
    NRPA(1, 200, repetitions=1),
    NRPA(2, 60, repetitions=2),
    NRPA(3, 12, repetitions=(3, 1, 2)),
    NRPA(2, 40, width=4, repetitions=2),
    GNRPA(2, 25, temperature=1.4, width=(3, 2), repetitions=(2, 1)),
    NRPA(2, (40, 8), width=5, width_rate="once"),
    NRPA(1, 200, force_explore=True),
    NRPA(2, 40, width=4, force_explore=True, repetitions=2),
    GNRPA(3, 12, temperature=0.8, force_explore=True),
    NRPA(1, 150, warm_start=2.3),
    NRPA(3, (9, 10, 11), warm_start=0.9),
    GNRPA(2, 25, width=4, repetitions=2, force_explore=True, warm_start=1.5),
    GNRPA(2, 20, 0.7, temperature=1.4, width=(4, 3), width_rate="once", repetitions=3),
]

# A few leaves, so that the same one comes back soon.
SMALL_TREES = [
    HashTree(1, depth=3, branching=3, codes=10**12),
    HashTree(2, depth=4, branching=3, codes=10, spread=3.0),
    *TREES[2:5],
]


@pytest.mark.parametrize("tree", [*SMALL_TREES, TREES[0]], ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_core_equals_twin_on_trees(tree: HashTree, algorithm: Algorithm) -> None:
    compare(tree, algorithm, seed=11, restarts=3)


@pytest.mark.parametrize("problem", real_problems()[:6], ids=lambda p: f"{p.name}-{p.label}")
@pytest.mark.parametrize("algorithm", ALGORITHMS[1:], ids=str)
def test_core_equals_twin_on_real_problems(problem: Any, algorithm: Any) -> None:
    compare(problem, replace(algorithm, iterations=8), seed=3, restarts=1)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("tree", [SMALL_TREES[0], TREES[0]], ids=lambda tree: f"tree{tree.root}")
def test_saved_and_restored_anywhere(tree: HashTree, algorithm: Algorithm) -> None:
    saved = None
    for playouts in (*range(1, 400, 3), 400):
        search = _core.Search(tree.core(), algorithm.core(), 9, 1)
        if saved is not None:
            search.restore(saved)
        search.advance(1000.0, 1, playouts)
        saved = search.save()
    assert found(search) == run(tree, algorithm, 400, seed=9)


WIDE = [
    NRPA(3, 30, width=(8, 2, 1), repetitions=2),
    NRPA(3, (50, 12, 3), width=(1, 4, 1), repetitions=(2, 3, 1)),
    GNRPA(3, (20, 10, 9), width=(1, 1, 3), repetitions=(3, 2, 1)),
    NRPA(2, 10**15, width=4, repetitions=1),
    NRPA(2, (200, 40), width=5, width_rate="once"),
    NRPA(2, (200, 40), width=5, force_explore=True),
    NRPA(3, 20, width=(1, 4, 1), force_explore=True),
    NRPA(3, 20, width=(4, 1, 2), warm_start=2.3),
]


def stabilized(problem: Any, n: int, p: int, rate: float, seed: int) -> list[float]:
    """Return the scores of stabilized NRPA of level 1: n times p playouts, then adapt."""
    key = exact.child_key(exact.child_key(seed, 0), 0)
    policy, best = reference.Policy(), reference.Playout(-1.0, [], [])
    scores = []
    for iteration in range(n):
        for number in range(p):
            new = reference.playout(problem, policy, exact.child_key(key, iteration * p + number))
            scores.append(new.score)
            if new.score >= best.score:
                best = new
        policy = reference.adapt(policy, best.steps, rate)
    return scores


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_stabilized_nrpa_is_a_width_that_adapts_once(alpha: float) -> None:
    tree = TREES[0]
    algorithm = NRPA(1, 20 * 4, alpha, width=4, width_rate="once")
    assert reference.search(tree, algorithm, seed=5)[1] == stabilized(tree, 20, 4, alpha, 5)
    summed = replace(algorithm, width_rate="sum")
    assert reference.search(tree, summed, seed=5)[1] == stabilized(tree, 20, 4, 4 * alpha, 5)


@pytest.mark.parametrize("problem", [SMALL_TREES[0], TREES[0], Morpion("4D")], ids=str)
@pytest.mark.parametrize("algorithm", WIDE, ids=str)
def test_threads_within_a_search_change_nothing(problem: Any, algorithm: NRPA) -> None:
    check_threads(lambda: _core.Search(problem.core(), algorithm.core(), 2, 1))


@pytest.mark.parametrize("width", [1, 3])
def test_force_explore_repeats_no_sequence_that_was_adapted_to(width: int) -> None:
    tree = SMALL_TREES[0]
    for explore in (False, True):
        algorithm = NRPA(1, 60, width=width, force_explore=explore)
        seen: list[reference.Playout] = []
        reference.nested(tree, algorithm, algorithm.level, reference.Policy(), 7, seen)
        best, adapted, again = seen[0], None, 0
        for number, new in enumerate(seen, 1):
            again += adapted is not None and new.moves == adapted.moves
            best = new if new.score >= best.score else best
            adapted = best if number % width == 0 else adapted
        assert (again == 0) == explore


def test_force_explore_has_no_choice_in_a_game_of_one_sequence() -> None:
    algorithm = NRPA(2, 10, force_explore=True, repetitions=3)
    assert playouts_of(algorithm, TREES[4]) == 16
    compare(TREES[4], algorithm, seed=1, restarts=2)


@pytest.mark.parametrize("forbidden", [{0}, {1, 2}, {0, 1, 2}])
def test_force_explore_plays_no_forbidden_move_unless_all_are(forbidden: set[int]) -> None:
    problem, algorithm = Forbidding(frozenset(forbidden)), GNRPA(2, 30, force_explore=True)
    seen: list[reference.Playout] = []
    reference.nested(problem, algorithm, algorithm.level, reference.Policy(), 7, seen)
    played = {move for played in seen for move in played.moves}
    assert played == ({0, 1, 2} if len(forbidden) == 3 else {0, 1, 2} - forbidden)
    compare_own(problem, algorithm)


def compare_own(problem: Any, algorithm: Algorithm) -> None:
    """Compare core and twin on a problem written in Python that has a bias."""
    best, scores = reference.search(problem, algorithm, seed=1, restarts=2)
    search = _core.Search(_core.PythonProblem(problem, "bias"), algorithm.core(), 1, 1)
    search.advance(100.0, 1, len(scores))
    assert [(p, s) for p, _, s, _ in search.improvements[0]] == running_maxima(scores)
    assert search.moves == best.moves


@pytest.mark.parametrize("name", ["moves", "play"])
def test_a_search_goes_on_after_a_failure(name: str) -> None:
    """Also after one in the part of a playout that is played again."""
    algorithm = NRPA(2, 12, force_explore=True)

    def search(problem: Any) -> _core.Search:
        return _core.Search(_core.PythonProblem(problem, None), algorithm.core(), 1, 1)

    unbroken = search(Forbidding(frozenset()))
    unbroken.advance(100.0, 1, 150)
    for number in range(1, 700, 3):
        broken = search(FailingOnce(name, number))
        with pytest.raises(RuntimeError, match="once"):
            broken.advance(100.0, 1, 150)
        broken.advance(100.0, 1, 150)
        assert found(broken) == found(unbroken)


def test_a_warm_start_samples_first() -> None:
    """Until a result of rank R <= i c / (N + 1 - i), the policy stays as it was."""
    tree, n, c = TREES[0], 100, 2.3
    _, warm = reference.search(tree, NRPA(1, n, warm_start=c), seed=4)
    key = exact.child_key(exact.child_key(4, 0), 0)
    uniform = [
        reference.playout(tree, reference.Policy(), exact.child_key(key, i)) for i in range(n)
    ]
    ranks = [sorted(warm[:i], reverse=True).index(warm[i - 1]) + 1 for i in range(1, n + 1)]
    first = next(i for i, rank in enumerate(ranks, 1) if rank <= i * c / (n + 1 - i))
    assert 30 < first < n
    assert warm[:first] == [played.score for played in uniform[:first]]
    assert warm[first:] != [played.score for played in uniform[first:]]


def playouts_of(algorithm: Algorithm, problem: Any) -> int:
    """Return the playouts of one whole search."""
    result = solve(problem, algorithm, seed=1)
    assert result.stop_reason == "finished"
    return result.playouts


@pytest.mark.parametrize(
    ("algorithm", "playouts"),
    [
        (NRPA(1, 100, repetitions=5), 6),
        (NRPA(1, 5, repetitions=5), 5),
        (NRPA(2, 100, repetitions=2), 9),
        (NRPA(2, 100, repetitions=(2, 1)), 6),
        (NRPA(2, 100, width=4, repetitions=2), 12),
        (NRPA(1, 10**15, width=4, repetitions=4), 8),
    ],
    ids=str,
)
def test_a_game_of_one_sequence_only_repeats_it(algorithm: NRPA, playouts: int) -> None:
    assert playouts_of(algorithm, TREES[4]) == playouts


def test_another_sequence_of_the_best_score_is_no_repetition() -> None:
    """All leaves of this problem are worth the same, but there are many."""

    class Equal(Subset):
        def score(self, state: tuple[int, ...]) -> float:
            return 1.0

    _, scores = reference.search(Equal(), NRPA(1, 1000, repetitions=3), seed=1)
    assert 10 < len(scores) < 1000


def test_without_repetitions_a_limit_changes_nothing() -> None:
    unlimited, limited = NRPA(3, 8), NRPA(3, 8, repetitions=8)
    assert run(TREES[0], limited, 600) == run(TREES[0], unlimited, 600)


def test_a_limit_saves_playouts() -> None:
    tour = small_tsptw()
    whole = solve(tour, NRPA(2, 100), seed=1)
    assert playouts_of(NRPA(2, 100, repetitions=5), tour) < whole.playouts / 2
    restarted = solve(tour, NRPA(2, 100, repetitions=5), playouts=whole.playouts, seed=1)
    assert restarted.score <= whole.score  # a cost


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_algorithms_survive_json(algorithm: Algorithm) -> None:
    assert from_dict(algorithm.to_dict()) == algorithm


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"width_rate": "twice"}, "width_rate must be 'sum' or 'once', not 'twice'"),
        ({"width_rate": 1}, "width_rate must be 'sum' or 'once', not 1"),
        ({"warm_start": 0}, "warm_start must be positive"),
        ({"warm_start": "2.3"}, "warm_start must be a number"),
        ({"warm_start": 2.3, "iterations": 10**7}, "needs iterations of at most 1000000"),
        ({"force_explore": 1}, "force_explore must be True or False, not 1"),
        ({"repetitions": 0}, "repetitions must be 1 to"),
        ({"repetitions": 1.5}, "repetitions must be an integer"),
        ({"repetitions": (1, 2)}, "3 values for level 3"),
        ({"repetitions": (1, None, 2)}, "repetitions must be an integer"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        NRPA(**settings)


@pytest.mark.parametrize(
    "level",
    [
        {"explore": True},
        {"repetitions": 0},
        {"width": 0},
        {"iterations": 0},
        {"alpha": math.inf},
        {"warm_start": math.nan},
    ],
)
def test_the_core_refuses_wrong_settings(level: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unknown field|positive"):
        _core.Search(TREES[0].core(), {"name": "nrpa", "levels": [level]}, 1, 1)


def test_descriptions_leave_out_what_is_off() -> None:
    assert NRPA(2).describe() == "nrpa, level 2, iterations 100, alpha 1"
    assert NRPA(2, width=4).describe() == "nrpa, level 2, iterations 100, alpha 1, width 4"
    assert NRPA(2, width=4, width_rate="once").describe() == (
        "nrpa, level 2, iterations 100, alpha 1, width 4, width rate once"
    )
    assert NRPA(2, repetitions=(5, 2)).describe() == (
        "nrpa, level 2, iterations 100, alpha 1, repetitions 5,2"
    )


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [
        ("nrpa --repetitions 5", NRPA(repetitions=5)),
        ("nrpa --force-explore --warm-start 2.3", NRPA(force_explore=True, warm_start=2.3)),
        ("nrpa --width 4 --width-rate once", NRPA(width=4, width_rate="once")),
        ("gnrpa --repetitions 5,2,1 --width 2", GNRPA(repetitions=(5, 2, 1), width=2)),
    ],
)
def test_on_the_command_line(options: str, algorithm: Algorithm, tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    assert command("--algorithm", *options.split(), "--save", str(saved)) == 0
    assert Result.load(saved).algorithm == algorithm


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("beam-nrpa --repetitions 5", "--repetitions goes with --algorithm nrpa or gnrpa"),
        ("nrpa --repetitions 0", "repetitions must be 1 to"),
    ],
)
def test_wrong_use_is_one_line(
    options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--algorithm", *options.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


class Bounded(Subset):
    """The sum of the whole set is a bound that no solution reaches."""

    optimum = float(sum(Subset.values))


class Known(Subset):
    """The best sum is known."""

    optimum = 37


@pytest.mark.parametrize("algorithm", [NRPA(2, 50), nestor.NMCS(3), nestor.Sampling()], ids=str)
def test_a_search_stops_at_the_optimum(algorithm: Algorithm) -> None:
    result = solve(Known(), algorithm, playouts=20_000, seed=1)
    wanted = solve(Subset(), algorithm, playouts=20_000, target=37, seed=1)
    for reached in (result, wanted):
        assert (reached.score, reached.stop_reason) == (37, "target")
    assert list(wanted.moves) == list(result.moves)
    assert result.playouts == wanted.playouts < 20_000


def test_an_optimum_that_is_not_reached_changes_nothing() -> None:
    problems = Subset(), Bounded()
    results = [solve(problem, NRPA(2, 20), playouts=300, seed=2) for problem in problems]
    assert [r.stop_reason for r in results] == ["playouts", "playouts"]
    assert results[0].moves == results[1].moves


def test_the_optimum_must_be_a_number() -> None:
    problem = Subset()
    problem.optimum = "37"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match="optimum of the problem must be a number"):
        solve(problem, NRPA(2))
