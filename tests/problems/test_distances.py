"""Distances between solutions, and `solve_many` for problems other than RNA."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest

from nestor import InputError, Sampling, solve, solve_many
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from support.instances import LINE, OPEN, SMALL_BOARD, small_tsptw
from support.own import Subset

PROBLEMS: list[Any] = [
    small_tsptw(),
    SameGame(SMALL_BOARD),
    Morpion("4D"),
    Crossword(["mars", "earth", "sun", "saturn", "titan"], 9),
    LatinSquare.generate(7, 0.5, 1),
    Kakuro.generate(4, 5, 1),
    RNA("((....))"),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_every_problem_has_a_distance(problem: Any) -> None:
    if problem.name == "rna":
        pytest.importorskip("RNA")
    found = [solve(problem, Sampling(), playouts=1, seed=seed).solution for seed in range(4)]
    for one, other in combinations(found, 2):
        distance = problem.distance(one, other)
        assert distance == problem.distance(other, one)
        assert 0 <= distance <= problem.farthest
    assert any(problem.distance(*pair) > 0 for pair in combinations(found, 2))
    assert all(problem.distance(one, one) == 0 for one in found)


def test_distances_by_hand() -> None:
    line = TSPTW(LINE, OPEN)
    there, back = line.solution([1, 2, 3, 4]), line.solution([4, 3, 2, 1])
    assert line.distance(there, back) == 5
    assert line.distance(there, line.solution([1, 2, 4, 3])) == 3
    # Groups that are removed in another order are the same groups.
    board = SameGame(["1122"])
    assert board.distance(board.solution([(0, 0), (0, 0)]), board.solution([(2, 0), (0, 0)])) == 0
    square = LatinSquare([[0, 0], [0, 0]])
    first, second = square.solution([(0, 0, 1)]), square.solution([(0, 0, 2)])
    assert square.distance(first, second) == 4


def test_solutions_of_other_problems_differ() -> None:
    many = solve_many(LatinSquare.generate(5, 0.9, seed=1), distinct=2, playouts=20_000)
    assert min(filter(None, many.nearest)) >= 1
    tours = solve_many(
        small_tsptw(), distinct=3, min_distance=3, playouts=5000, target=10**9, seed=1
    )
    legs = [set(pairwise((0, *tour.order, 0))) for tour in tours.solutions]
    assert min(len(one - other) for one, other in combinations(legs, 2)) >= 3


def test_problems_of_your_own() -> None:
    class Apart(Subset):
        def distance(self, moves: Any, others: Any) -> float:
            return len(set(moves) ^ set(others)) / 2

    many = solve_many(Apart(), distinct=3, min_distance=0.5, playouts=500, target=0)
    assert min(filter(None, many.nearest)) >= 0.5
    with pytest.raises(InputError, match="no distance between solutions: it needs a method"):
        solve_many(Subset(), distinct=2, playouts=20, target=0)
    Apart.distance = lambda self, moves, others: "far"  # type: ignore[assignment,return-value]
    with pytest.raises(InputError, match="distance of the problem must be a number"):
        solve_many(Apart(), distinct=2, playouts=500, target=0)


def test_a_target_is_needed() -> None:
    with pytest.raises(InputError, match="give a target"):
        solve_many(Morpion("4D"), distinct=2, playouts=20)
