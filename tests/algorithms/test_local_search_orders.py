"""Local search over orders: what it promises beyond the properties of every search."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from nestor import Assignment, InputError, LocalSearch, Order, resume, solve
from nestor import Subset as OneLine
from nestor.runs.session import Limits
from nestor.testing import check_problem
from support.outcomes import found
from support.own import Chosen, FailingGuide, Guided, Minimised, Permutable, Shop, Subset
from support.own import Unpermutable as Broken
from support.searching import begin
from support.searching import found as found_by


class Plain(Permutable):
    """Less lateness is better. Counts the calls of `moves`."""

    sense = "min"

    def __init__(self) -> None:
        self.listed = 0

    def moves(self, state: Chosen) -> list[int]:
        self.listed += 1
        return super().moves(state)

    def score(self, state: Chosen) -> float:
        return -super().score(state)


class Costed(Plain):
    """The same with the cost of an order, which may be wrong."""

    def __init__(self, off: float = 0.0) -> None:
        super().__init__()
        self.off = off

    def cost_of(self, order: list[int]) -> float:
        assert type(order) is list
        return self.score(tuple(order)) + self.off


class Refusing(Broken):
    """The same, and what is not legal raises an error."""

    def play(self, state: Chosen, move: int) -> Chosen:
        if move not in self.moves(state):
            raise KeyError(move)
        return super().play(state, move)


PROBLEMS = [Permutable(), Guided(), Minimised(), Shop(), Plain(), Costed()]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_the_best_of_all_orders_is_found(problem: Any) -> None:
    check_problem(problem, playouts=3)
    result = solve(problem, LocalSearch(), playouts=3000, seed=2)
    best = min if getattr(problem, "sense", "max") == "min" else max
    items = [0, 1, 2] * 3 if isinstance(problem, Shop) else range(6)
    assert result.score == best(problem.score(order) for order in set(permutations(items)))
    assert (result.playouts, result.verified) == (3000, True)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_stopped_anywhere_and_on_workers_it_finds_the_same(problem: Any, tmp_path: Path) -> None:
    unbroken = solve(problem, LocalSearch(), playouts=600, seed=3, jobs=2, threads=1)
    path = tmp_path / "run.ckpt"
    solve(problem, LocalSearch(), playouts=21, seed=3, jobs=2, checkpoint=path)
    for playouts in (*range(22, 41, 5), 77, 300):
        resume(path, problem=problem, playouts=playouts, threads=2)
    assert found(resume(path, problem=problem, playouts=600)) == found(unbroken)


def test_processes_find_the_same() -> None:
    alone = solve(Shop(), LocalSearch(), playouts=600, seed=3, jobs=2, threads=1)
    shared = solve(Shop(), LocalSearch(), playouts=600, seed=3, jobs=2, workers=2)
    assert found(shared) == found(alone)


def test_it_is_the_default_for_your_own_order() -> None:
    result = solve(Permutable(), playouts=500, jobs=2)
    assert result.algorithm == LocalSearch(evaluations=250)
    assert result.evaluated == result.playouts


def test_a_replay_lists_no_moves() -> None:
    problem = Plain()
    result = solve(problem, LocalSearch(), playouts=10_000, seed=1, jobs=1)
    # But the first ones do, those of each new best, those that judge the rules, and games that
    # begin anew, since all that is near was tried.
    assert problem.listed < 6000 + 20 * (2 + len(result.improvements)) < 8000


def test_the_first_game_is_drawn_by_the_bias() -> None:
    class Drawn(Plain):
        biases = ("bias",)  # type: ignore[assignment]

        def bias(self, state: Chosen, move: int) -> float:
            return 99.0 * move

    problem = Drawn()
    first = solve(problem, playouts=1, seed=1)
    assert first.moves == sorted(problem.moves(()), reverse=True)
    assert first.moves != solve(Plain(), playouts=1, seed=1).moves
    # It goes on from there, and from others.
    later = solve(problem, playouts=5000, seed=1)
    assert later.score == solve(Plain(), playouts=5000, seed=1).score < first.score


def test_the_cost_of_an_order_changes_nothing_but_the_speed() -> None:
    plain, costed = (
        solve(problem, LocalSearch(), playouts=2000, seed=4) for problem in (Plain(), Costed())
    )
    assert found(plain) == found(costed)
    assert found(solve(Costed(1e-12), LocalSearch(), playouts=2000, seed=4)) == found(plain)


def test_a_wrong_cost_is_told() -> None:
    told = r"Costed: cost_of\(\) must return the score of an order, [\d.]+, not [\d.]+ \(see"
    with pytest.raises(InputError, match=told):
        solve(Costed(1.0), LocalSearch(), playouts=500)
    with pytest.raises(AssertionError, match=r"^cost_of\(\[.*\]\) must return the score of the"):
        check_problem(Costed(1.0))
    with pytest.raises(InputError, match=r"cost_of\(\) must return a number, not nan, after"):
        solve(Costed(float("nan")), LocalSearch(), playouts=500)
    with pytest.raises(AssertionError, match=r"not nan"):
        check_problem(Costed(float("nan")))


@pytest.mark.parametrize(
    "wrong",
    [
        type("NoOrder", (Costed,), {"change": "none"}),
        type("Steered", (Costed,), {"guide": lambda self, state: 0.0}),
    ],
)
def test_a_cost_is_that_of_an_order_without_a_guide(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"cost_of of the problem .* needs change = 'order'"):
        solve(wrong(), playouts=10)


@pytest.mark.parametrize("rules", [Broken, Refusing])
def test_rules_that_promise_too_much_are_named(rules: Any) -> None:
    with pytest.raises(InputError, match=r"4 cannot (come first|follow)|some order of the moves"):
        solve(rules(), LocalSearch(), playouts=3000)


def test_a_problem_that_play_changes_is_pointed_to() -> None:
    class Changed(Plain):
        def __init__(self) -> None:
            self.left = set(range(6))

        def moves(self, state: Any) -> list[int]:
            return sorted(self.left)

        def play(self, state: Any, move: int) -> Any:
            self.left.discard(move)
            return super().play(state, move)

    told = r"some order of the moves .*check_problem.*; often play\(\) changes the problem, or the"
    with pytest.raises(InputError, match=told):
        solve(Changed(), LocalSearch(), playouts=300)
    with pytest.raises(AssertionError, match=r"play\(\d\) must return a new state and leave"):
        check_problem(Changed())


def test_what_fails_loses_nothing() -> None:
    failing = begin(FailingGuide(), LocalSearch())
    with pytest.raises(ZeroDivisionError):
        failing.advance(Limits(1000.0, 1, 800))
    failing.advance(Limits(1000.0, 1, 800))
    unbroken = begin(Permutable(), LocalSearch())
    unbroken.advance(Limits(1000.0, 1, 800))
    assert found_by(failing) == found_by(unbroken)


def test_a_game_of_one_move_or_none_is_searched() -> None:
    for count in (0, 1):
        problem = type("Few", (Permutable,), {"lengths": (3,) * count})()
        result = solve(problem, LocalSearch(), playouts=20)
        assert (len(result.moves), result.playouts) == (count, 20)


def test_a_problem_must_say_that_its_order_may_be_changed() -> None:
    with pytest.raises(InputError, match=r"Subset has none: .* change = \"order\""):
        solve(Subset(), LocalSearch(), playouts=10)


@pytest.mark.parametrize(
    "problem",
    [
        Order(6, lambda order: math.inf),
        Order(6, lambda order: math.inf if order[0] else order[1]),
        OneLine(6, lambda chosen: len(chosen) < 4, lambda chosen: -math.inf),
        Assignment(3, 2, lambda values: math.inf),
    ],
)
def test_infinitely_bad_scores_are_scores(problem: Any) -> None:
    check_problem(problem)
    result = solve(problem, playouts=40, seed=1)
    assert result.verified
    assert len(result.moves) >= 3
    with pytest.raises(ZeroDivisionError):
        solve(Order(6, lambda order: 1 / 0 if order[0] else math.inf), playouts=99)
