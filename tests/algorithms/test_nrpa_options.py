"""The options of NRPA and GNRPA that came after their papers: core and twin agree, and they do
what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nestor import GNRPA, NRPA, Algorithm, exact, reference, solve
from support.instances import TINY_TREES, TREES, small_tsptw
from support.own import Forbidding, Subset
from support.parts import partly
from support.searching import compare, run


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
    scores = reference.whole_searches(tree, algorithm, seed=5)[1]
    assert scores == stabilized(tree, 20, 4, alpha, 5)
    summed = replace(algorithm, width_rate="sum")
    assert reference.whole_searches(tree, summed, seed=5)[1] == stabilized(
        tree, 20, 4, 4 * alpha, 5
    )


@pytest.mark.parametrize("width", [1, 3])
def test_force_explore_repeats_no_sequence_that_was_adapted_to(width: int) -> None:
    tree = TINY_TREES[0]
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


@pytest.mark.parametrize("forbidden", partly([{0}, {1, 2}, {0, 1, 2}], {1, 2}, {0, 1, 2}))
def test_force_explore_plays_no_forbidden_move_unless_all_are(forbidden: set[int]) -> None:
    problem, algorithm = Forbidding(frozenset(forbidden)), GNRPA(2, 30, force_explore=True)
    seen: list[reference.Playout] = []
    reference.nested(problem, algorithm, algorithm.level, reference.Policy(), 7, seen)
    played = {move for played in seen for move in played.moves}
    assert played == ({0, 1, 2} if len(forbidden) == 3 else {0, 1, 2} - forbidden)
    compare(problem, algorithm, restarts=2)


def test_a_warm_start_samples_first() -> None:
    """Until a result of rank R <= i c / (N + 1 - i), the policy stays as it was."""
    tree, n, c = TREES[0], 100, 2.3
    _, warm = reference.whole_searches(tree, NRPA(1, n, warm_start=c), seed=4)
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

    _, scores = reference.whole_searches(Equal(), NRPA(1, 1000, repetitions=3), seed=1)
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
