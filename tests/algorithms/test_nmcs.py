"""NMCS: it is as in the paper, also with a beam or samples, and finds optima."""

from __future__ import annotations

import math
from typing import Any

import pytest

from nestor import (
    NMCS,
    NRPA,
    Algorithm,
    Sampling,
    exact,
    reference,
    solve,
)
from nestor.problems import Morpion
from nestor.runs.session import Limits
from nestor.testing import HashTree
from support.instances import SMALL_TREES, TREES
from support.searching import begin, run


def as_printed(problem: Any, level: int, state: Any, path: list[Any], key: int) -> Any:
    """Return score, moves and playouts of NMCS (nrpa-2011, figure 1) from a state."""
    child_key = exact.child_key
    best, sequence, playouts, ply = -math.inf, [], 0, 0
    while level > 0 and problem.moves(state):
        for number, move in enumerate(problem.moves(state)):
            below = problem.play(state, move), [*path, move], child_key(child_key(key, ply), number)
            score, moves, done = as_printed(problem, level - 1, *below)
            playouts += done
            if score > best:
                best, sequence = score, moves
        path = sequence[: len(path) + 1]
        state = problem.play(state, path[-1])
        ply += 1
    if not playouts:
        played = reference.play_on(problem, reference.Policy(), exact.uniforms(key), state, path)
        return played.score, played.moves, 1
    return best, sequence, playouts


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("tree", [*SMALL_TREES[:1], *SMALL_TREES[2:3], *SMALL_TREES[4:]], ids=str)
def test_nmcs_with_a_beam_of_one_is_as_printed(tree: HashTree, level: int) -> None:
    key = exact.child_key(exact.child_key(5, 0), 0)
    printed = as_printed(tree, level, tree.initial(), [], key)
    for beam in (1, (1,) * level):
        search = begin(tree, NMCS(level, beam=beam), 5)
        search.advance(Limits(100.0, 1, None, None, False))
        assert (search.score, search.moves, search.playouts) == printed


def test_a_beam_of_nmcs_keeps_the_best() -> None:
    """With a beam that is wide enough, level 1 tries every game."""
    tree = HashTree(3, depth=5, branching=3)
    assert solve(tree, NMCS(1, beam=3**5)).score == greatest(tree, tree.initial())


def test_wider_beams_of_nmcs_are_better() -> None:
    problem = Morpion("4D")
    means = []
    for beam in (1, 8):
        scores = [solve(problem, NMCS(1, beam=beam), seed=seed).score for seed in range(20)]
        means.append(sum(scores) / len(scores))
    assert means[1] > means[0] + 1


def greatest(problem: Any, state: Any) -> float:
    """Return the greatest score of all leaves below a state."""
    below = [problem.play(state, move) for move in problem.moves(state)]
    return max((greatest(problem, s) for s in below), default=problem.score(state))


@pytest.mark.parametrize("root", range(1, 9))
def test_nmcs_finds_the_optimum_of_small_trees(root: int) -> None:
    """A level as high as the tree is deep tries every game."""
    tree = HashTree(root, depth=4, branching=3)
    result = solve(tree, NMCS(level=4))
    assert result.score == greatest(tree, tree.initial())
    assert result.stop_reason == "finished"


def test_nmcs_of_level_1_plays_one_playout_for_each_child() -> None:
    tree = HashTree(1, depth=5, branching=3)
    scores = reference.whole_searches(tree, NMCS(1))[1]
    search = begin(tree, NMCS(1), 0)
    assert search.advance(Limits(100.0, 1, None, None, False)) == "finished"
    assert search.playouts == len(scores)
    assert search.counts["restarts"] == 1


def test_higher_levels_are_better() -> None:
    problem = Morpion("4D")
    means = []
    for level in (1, 2):
        scores = [solve(problem, NMCS(level), seed=seed).score for seed in range(5)]
        means.append(sum(scores) / len(scores))
    assert means[1] > means[0]


def test_a_leaf_is_one_playout_at_any_level() -> None:
    """As printed, the search of a leaf would return no score."""
    assert run(TREES[3], NMCS(5), 3)[2] == run(TREES[3], NRPA(1, 1), 3)[2]
    shallow = HashTree(1, depth=1, branching=9)
    assert solve(shallow, NMCS(5)).score == greatest(shallow, shallow.initial())


def test_progress_is_a_share() -> None:
    search = begin(Morpion("4D"), NMCS(2))
    shares = []
    for playouts in range(0, 4000, 200):
        search.advance(Limits(100.0, 1, playouts))
        assert len(search.progress) == 2
        assert all(0 <= done <= of and of > 0 for done, of in search.progress)
        shares.append(search.progress[1][0])
    assert shares[0] == 0
    assert shares[-1] > 0


class Signs:
    """Eight signs, as near to a sum as can be; it counts who asks for codes."""

    asked = 0

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [-1, 1] if len(state) < 8 else []

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def code(self, state: tuple[int, ...], move: int) -> int:
        self.asked += 1
        return 2 * len(state) + (move > 0)

    def score(self, state: tuple[int, ...]) -> float:
        return -abs(sum(each * sign for each, sign in enumerate(state, 1)) - 5)


@pytest.mark.parametrize("algorithm", [NMCS(1), NMCS(2, samples=3), Sampling(), NRPA(1, 20)])
def test_who_learns_nothing_asks_for_no_codes(algorithm: Algorithm) -> None:
    problem = Signs()
    solve(problem, algorithm, playouts=100, seed=1)
    a_game = 16  # that of the answer, whose codes are checked
    assert (problem.asked > a_game) == isinstance(algorithm, NRPA)
