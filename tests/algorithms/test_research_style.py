"""Playouts that deviate from their policy, and searches that begin with one."""

from __future__ import annotations

import math
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, BeamNRPA, InputError, solve
from nestor.biases import betas_of
from nestor.exact import cumulate, exp, uniforms
from nestor.problems import Morpion, SameGame
from nestor.reference.playout import Legal, follow
from nestor.reference.policy import Policy as TwinPolicy
from nestor.reference.policy import adapt as twins_adapt
from nestor.reference.policy import allowed, draw
from nestor.research import Key, Policy, adapt, playout, playouts, run_search
from support.instances import SMALL_BOARD, TREES, small_tsptw
from support.own import Extreme, Forbidding, Jobs, Leaning, Subset

PROBLEMS: list[Any] = [
    Morpion("4D"),
    SameGame(SMALL_BOARD),
    small_tsptw().with_bias("distance"),
    TREES[2],
    TREES[5],
    *(Leaning(), Subset(), Extreme(), Forbidding(frozenset({0, 2}))),
]


def at(given: Any, step: int) -> float:
    values = given if isinstance(given, tuple) else (given,)
    return float(values[min(step, len(values) - 1)])


def twin(problem: Any, policy: TwinPolicy, key: Key, after: Any, epsilon: Any, tau: Any) -> Any:
    """Return score and moves of a playout, as the docstring of `playout` says."""
    random, state, moves = uniforms(key.value), problem.initial(), list[Any]()
    betas = betas_of(problem)
    while (legal := Legal.of(problem, state, betas)).moves:
        step = len(moves)
        if step < len(after):
            chosen = legal.moves.index(after[step])
        elif len(legal.moves) == 1:
            chosen = 0
        elif at(epsilon, step) > 0 and next(random) < at(epsilon, step):
            free = allowed(legal.biases)
            chosen = free[int(next(random) * len(free))]
        elif at(tau, step) == 1:
            chosen = legal.drawn(policy, random)
        else:
            logs = [log / at(tau, step) for log in policy.logs(legal.codes, legal.biases)]
            most = max(logs)
            values = [1.0 if most == -math.inf else exp(log - most) for log in logs]
            assert cumulate(values)[-1] > 0
            chosen = draw(values, next(random))
        moves.append(legal.moves[chosen])
        state = problem.play(state, moves[-1])
    return moves


@pytest.mark.parametrize(
    ("epsilon", "tau"),
    [(0.3, 1.0), (1.0, 1.0), (0.0, 2.5), ((0.9, 0.0, 0.5), 1.0), (0.2, (0.3, 1.0, 4.0))],
)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda each: type(each).__name__)
def test_deviations_are_those_of_the_twin(problem: Any, epsilon: Any, tau: Any) -> None:
    policy, weights = Policy(problem), TwinPolicy()
    for i in range(3):
        learned = playout(problem, policy, 5, key=Key(9).child(i))
        adapt(policy, learned, 0.7)
        weights = twins_adapt(weights, follow(problem, learned.moves).steps, 0.7)
    begun = playout(problem, policy, key=Key(1)).moves
    for number, after in enumerate(((), tuple(begun[:2]), tuple(begun))):
        found = playouts(
            problem, policy, 8, key=Key(number), after=after, epsilon=epsilon, temperature=tau
        )
        for i, each in enumerate(found):
            here = Key(number).child(i)
            assert each.moves == twin(problem, weights, here, after, epsilon, tau)
            assert len(each.steps) == len(each.moves)


def test_what_changes_nothing_is_the_plain_playout() -> None:
    board = Morpion("4D")
    policy = Policy(board)
    plain = playouts(board, policy, 20, key=Key(3))
    same = playouts(board, policy, 20, key=Key(3), epsilon=[0.0], temperature=(1, 1.0), after=[])
    assert [each.moves for each in plain] == [each.moves for each in same]


def test_it_can_be_adapted_to() -> None:
    """A playout from a node has the steps before it, too."""
    jobs = Jobs()
    policy = Policy(jobs)
    adapt(policy, playout(jobs, policy, key=Key(1), after=[3, 0], epsilon=0.5))
    assert policy.weights[(0, 3)] > 0.5
    assert policy.weights[(1, 0)] > 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 1.1}, "epsilon must be"),
        ({"epsilon": []}, "epsilon must have at least one"),
        ({"epsilon": "much"}, "epsilon must be a number or a sequence of numbers"),
        ({"epsilon": None}, "epsilon must be a number or a sequence of numbers"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"temperature": 1e-300}, "temperature must be"),
        ({"temperature": 0}, "temperature must be"),
        ({"temperature": [1.0, -1.0]}, "temperature must be"),
        ({"after": [99]}, "after"),
        ({"after": [0, 0]}, "after"),
    ],
)
def test_what_is_wrong_is_refused(settings: Any, message: str) -> None:
    jobs = Jobs()
    with pytest.raises(InputError, match=message):
        playout(jobs, Policy(jobs), key=Key(1), **settings)


def test_a_move_that_is_not_legal_is_refused_by_the_core_too() -> None:
    board = SameGame(SMALL_BOARD)
    first = board.moves(board.initial())[0]
    with pytest.raises(InputError, match="after: move 2 is not legal"):
        playout(board, Policy(board), key=Key(1), after=[first, (4, 4)])
    with pytest.raises(InputError, match="after"):
        playout(board, Policy(board), key=Key(1), after=["no move"])


@pytest.mark.parametrize("algorithm", [NMCS(1), NMCS(1, samples=3), BeamNRPA(2, 4, beam=2)])
@pytest.mark.parametrize("problem", [TREES[0], SameGame(SMALL_BOARD), Jobs()])
def test_a_search_from_a_blank_policy_is_that_of_solve(problem: Any, algorithm: Any) -> None:
    bare = problem if not isinstance(problem, Jobs) else Subset()
    found = run_search(bare, Policy(bare), algorithm, key=Key(5).child(0))
    result = solve(bare, algorithm, seed=5)
    assert (found.natural, found.moves) == (result.score, result.moves)


@pytest.mark.parametrize("algorithm", [NMCS(1), NMCS(1, samples=3), BeamNRPA(1, 10, beam=2)])
def test_a_search_begins_with_the_policy(algorithm: Any) -> None:
    """With a policy that knows a good game, no search needs more."""
    board = SameGame(SMALL_BOARD)
    good = playout(board, Policy(board), 2000, key=Key(8))
    policy = Policy(board)
    for _ in range(30):
        adapt(policy, good)
    before = policy.weights
    assert run_search(board, policy, algorithm, key=Key(1)).score >= good.score
    assert policy.weights == before


@pytest.mark.parametrize("algorithm", [NRPA(2, 5), GNRPA(1, 5), "nmcs", None])
def test_other_algorithms_have_other_primitives(algorithm: Any) -> None:
    jobs = Jobs()
    with pytest.raises(InputError, match="algorithm"):
        run_search(jobs, Policy(jobs), algorithm, key=Key(1))
