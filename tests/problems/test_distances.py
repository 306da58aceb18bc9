"""Distances between solutions, and `solve_many` for problems other than RNA."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import Any

import pytest

import nestor
from nestor import (
    NRPA,
    Cancel,
    InputError,
    Many,
    NoImprovement,
    Race,
    Sampling,
    solve,
    solve_many,
)
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.runs import choosing
from support.instances import LINE, OPEN, SMALL_BOARD, small_tsptw
from support.own import Subset


class Apart(Subset):
    """A problem of one's own with a distance."""

    def distance(self, moves: Any, others: Any) -> float:
        return len(set(moves) ^ set(others)) / 2


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


def test_the_speed_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, problems = choosing._measured, list[str]()

    def counted(asked: Any, *given: Any) -> Any:
        problems.append(asked.problem.name)
        return measured(asked, *given)

    monkeypatch.setattr(choosing, "_measured", counted)
    many = solve_many(Apart(), distinct=4, seconds=20, target=20)
    assert (len(many), len(problems)) == (4, 1)
    assert not any(result.reproducible for result in many)
    solve(Apart(), seconds=0.1, target=20)
    assert len(problems) == 2


def test_problems_of_your_own() -> None:
    many = solve_many(Apart(), distinct=3, min_distance=0.5, playouts=500, target=0)
    assert min(filter(None, many.nearest)) >= 0.5
    assert f"  1  score {many[0].score:g}: {many[0].moves[0]}, " in str(many)
    unlike = {"distance": lambda self, moves, others: int(moves != others)}
    line: Any = type("Line", (nestor.Order,), unlike)
    assert len(solve_many(line(3, len), distinct=2, playouts=50, target=3)) == 2
    far = type("Far", (Apart,), {"distance": lambda self, moves, others: "far"})
    with pytest.raises(InputError, match="distance of the problem must be a number"):
        solve_many(far(), distinct=2, playouts=500, target=0)


def test_a_target_is_needed() -> None:
    with pytest.raises(InputError, match="give a target"):
        solve_many(Morpion("4D"), distinct=2, playouts=20)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("jobs", value) for value in ("2", b"2", [1], 1j, 1e30, math.inf, 0, 1.5, True)),
        *(("threads", value) for value in ("2", 0, 2000)),
        *(("target", value) for value in ("3", math.nan, True)),
        ("seconds", math.nan),
        ("playouts", 2.5),
        *(("algorithm", value) for value in (2, NRPA)),
    ],
)
def test_wrong_arguments_are_named(name: str, wrong: Any) -> None:
    with pytest.raises(InputError, match=f"{name} must be"):
        solve_many(Apart(), **{"distinct": 2, "playouts": 50, "target": 0, name: wrong})


def test_a_budget_for_less_than_a_search_is_refused() -> None:
    with pytest.raises(InputError, match="one for each of 9 jobs"):
        solve_many(Apart(), distinct=2, playouts=5, target=0, jobs=9)
    assert solve_many(Apart(), distinct=2, seconds=1e-9, target=0).searches == 1


def test_a_stop_ends_all_searches() -> None:
    given: Any = {"distinct": 3, "playouts": 10**6, "target": 0}
    cancel = Cancel()

    def accepted(solution: Any) -> bool:
        cancel.set()
        return True

    many = solve_many(Pair(), Sampling(), accept=accepted, stop=cancel, **given)
    assert (many.stop_reason, many.searches, len(many)) == ("cancelled", 1, 1)
    given["target"] = 1
    many = solve_many(Pair(), Sampling(), stop=cancel, **given)
    assert (many.stop_reason, many.searches, len(many)) == ("cancelled", 1, 0)
    many = solve_many(Pair(), Sampling(), stop=NoImprovement(playouts=50), **given)
    assert (many.stop_reason, many.searches, len(many)) == ("no_improvement", 1, 0)
    assert many.playouts < 100
    with pytest.raises(InputError, match="stop must be"):
        solve_many(Pair(), Sampling(), **{**given, "stop": 3})


class Pair(Subset):
    """Its moves are a set of two."""

    change = "set"

    def moves(self, state: Any) -> Any:
        return [number for number in range(4) if number not in state] if len(state) < 2 else []

    def score(self, state: Any) -> float:
        return 0


class Paired(Pair):
    """Of its moves only the sum matters."""

    def key(self, state: Any) -> Any:
        return sum(state)


class Ordered(Pair):
    change = "none"


@pytest.mark.parametrize(("problem", "games"), [(Pair(), 6), (Paired(), 5), (Ordered(), 12)])
def test_without_a_distance_other_games_are_other_solutions(problem: Any, games: int) -> None:
    given: Any = {"playouts": 900, "target": 0}
    many = solve_many(problem, Sampling(), distinct=games + 1, **given)
    assert (len(many), {*many.nearest}) == (games, {1})
    with pytest.raises(InputError, match=r"at most 1 for .*, not 2: more needs a method distance"):
        solve_many(problem, distinct=2, min_distance=2, **given)
    assert len(solve_many(nestor.Order(3, len), distinct=6, playouts=500, target=3)) == 6


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()], ids=repr)
def test_what_was_found_before_an_exception_is_not_lost(error: BaseException) -> None:
    accepted = iter([True, True])

    def accept(solution: Any) -> bool:
        if next(accepted, None) is None:
            raise error
        return True

    def many() -> Many:
        return solve_many(Apart(), distinct=9, playouts=5000, target=0, accept=accept)

    if isinstance(error, KeyboardInterrupt):
        found = many()
        assert found.stop_reason == "interrupted"
    else:
        with pytest.raises(ValueError, match="mine") as raised:
            many()
        found = raised.value.nestor_many  # type: ignore[attr-defined]
    assert (len(found), len(found.nearest)) == (2, 2)
    assert "2 of 9 found" in str(found)


def test_what_is_left_may_be_less_than_a_race_needs() -> None:
    race = Race([NRPA(1, 5), Sampling(), NRPA(2, 5)], first=2)
    for jobs, playouts in ((1, 22), (2, 25)):
        given: dict[str, Any] = {"target": 1, "playouts": playouts, "jobs": jobs}
        many = solve_many(Morpion("4D"), race, distinct=99, **given)
        assert (many.stop_reason, bool(many)) == ("playouts", True)
        assert playouts - 3 * jobs < many.playouts <= playouts
