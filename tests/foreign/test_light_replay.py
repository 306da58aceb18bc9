"""What a compiled class says for polish: light replays, bounds and rests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, RulesError
from nestor.foreign import trial
from nestor.testing import check_problem

pytest.importorskip("numba", reason="needs the extra compiled")

NO_BOUND, NO_JOINED, NO_STEP, RAISES, RAISES_BEFORE = 1, 2, 3, 4, 5

SEARCH = nestor.LocalSearch()


class Rules:
    """A flow shop of 8 jobs and 3 machines."""

    sense = "min"
    change = "order"

    def __init__(self, fault: int = 0) -> None:
        self.times = np.random.default_rng(1).integers(1, 20, (8, 3))
        self.fault = fault
        self.state = np.dtype([("done", "i8", 3), ("used", "u1", 8), ("count", "i8")])

    def initial(self, s: Any) -> None:
        pass

    def moves(self, s: Any, out: Any) -> None:
        for job in range(8):
            if not s.used[job]:
                out.add(job, s.count * 8 + job)

    def play(self, s: Any, job: int) -> None:
        s.used[job] = True
        s.count += 1
        self.run(s, job)

    def run(self, s: Any, job: int) -> None:
        ready = 0
        for machine in range(3):
            ready = max(ready, s.done[machine]) + self.times[job, machine]
            s.done[machine] = ready

    def score(self, s: Any) -> int:
        return s.done[2]  # type: ignore[no-any-return]


class LightRules(Rules):
    def step(self, s: Any, job: int) -> None:
        self.run(s, job)
        if self.fault == NO_STEP:
            s.done[2] += 1

    def bound(self, s: Any) -> int:
        return s.done[2] * (2 if self.fault == NO_BOUND else 1)  # type: ignore[no-any-return]

    def before(self, rest: Any, job: int) -> None:
        if self.fault == RAISES_BEFORE:
            raise ValueError("before fails")
        ready = 0
        for machine in (2, 1, 0):
            ready = max(ready, rest.done[machine]) + self.times[job, machine]
            rest.done[machine] = ready

    def joined(self, s: Any, rest: Any) -> int:
        longest = 1 if self.fault == NO_JOINED else 0
        for machine in range(3):
            longest = max(longest, s.done[machine] + rest.done[machine])
        if self.fault == RAISES:
            raise ValueError("joined fails")
        return longest + (self.fault == NO_JOINED)


Light = nestor.compiled(LightRules)


pytestmark = pytest.mark.usefixtures("shared_code")


def light(fault: int = 0) -> Any:
    return Light(fault)


def test_a_light_replay_changes_nothing_but_the_speed() -> None:
    check_problem(light(), playouts=3)
    found, plain = (
        nestor.solve(problem, SEARCH, playouts=400, seed=1)
        for problem in (light(), light().twin)  # The twin plays every order from the start.
    )
    assert (found.score, found.moves) == (plain.score, plain.moves)
    assert found.verified


@nestor.compiled
class Unbounded(LightRules):
    def bound(self, s: Any) -> Any:
        return -np.inf


@pytest.mark.long
def test_a_bound_may_be_none_at_all() -> None:
    """Where less is better, no score is below -inf: so much is refused of a score alone."""
    problems: list[Any] = [Unbounded(), light()]
    found, plain = (nestor.solve(each, SEARCH, playouts=400, seed=1) for each in problems)
    assert (found.score, found.moves) == (plain.score, plain.moves)


@nestor.compiled
class Shop:
    """A job shop of 4 jobs: a move is a job, whose next operation begins as soon as it can."""

    sense = "min"
    change = "order"

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        self.times = rng.integers(1, 20, (4, 3))
        self.machines = np.array([rng.permutation(3) for _ in range(4)])
        self.state = np.dtype([("free", "i8", 3), ("ready", "i8", 4), ("done", "i8", 4)])

    def initial(self, s: Any) -> None:
        pass

    def moves(self, s: Any, out: Any) -> None:
        for job in range(4):
            if s.done[job] < 3:
                out.add(job, job * 3 + s.done[job])

    def play(self, s: Any, job: int) -> None:
        number = s.done[job]
        machine = self.machines[job, number]
        end = max(s.free[machine], s.ready[job]) + self.times[job, number]
        s.free[machine] = end
        s.ready[job] = end
        s.done[job] = number + 1

    def score(self, s: Any) -> int:
        return max(s.ready)  # type: ignore[no-any-return]


def test_a_move_may_come_several_times(tmp_path: Path) -> None:
    problem: Any = Shop()
    check_problem(problem, playouts=3)
    found, plain = (
        nestor.solve(each, SEARCH, playouts=400, seed=1) for each in (problem, problem.twin)
    )
    assert (found.score, found.moves) == (plain.score, plain.moves)
    path = tmp_path / "shop.ckpt"
    nestor.solve(problem, SEARCH, playouts=77, seed=1, checkpoint=path)
    resumed = nestor.resume(path, problem=problem, playouts=400)
    assert (resumed.moves, resumed.evaluated) == (found.moves, found.evaluated)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (NO_BOUND, "bound.. gives .* which is better"),
        (NO_JOINED, "joined.. gives .* which is better"),
        (NO_STEP, "step.. leads to .*, and play.. to "),
        (RAISES, "joined fails"),
    ],
)
def test_a_word_that_is_not_kept_is_told(fault: int, said: str) -> None:
    with pytest.raises(RulesError, match=said):
        nestor.solve(light(fault), SEARCH, playouts=100)


@pytest.mark.parametrize(("fault", "method"), [(RAISES, "joined"), (RAISES_BEFORE, "before")])
def test_an_exception_in_a_search_has_its_moves(
    fault: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PLAYOUTS", 0)
    with pytest.raises(RulesError, match=rf"{method}.. raised ValueError: {method} fails") as told:
        nestor.solve(light(fault), SEARCH, playouts=100)
    assert told.value.function == method
    assert sorted(told.value.moves) == list(range(8))


def test_what_is_missing_is_said() -> None:
    half = type("Half", (Rules,), {"joined": LightRules.joined})
    with pytest.raises(InputError, match=r"must have the method before\(self, rest, move\)"):
        nestor.compiled(half)
    wrong = type("Wrong", (Rules,), {"bound": lambda self: 0})
    with pytest.raises(InputError, match=r"bound must be written as bound\(self, s\)"):
        nestor.compiled(wrong)


class ChainedRules(Rules):
    """Odd jobs wait for the one before them, so not every order is legal."""

    def moves(self, s: Any, out: Any) -> None:
        for job in range(8):
            if not s.used[job] and (job % 2 == 0 or s.used[job - 1]):
                out.add(job, s.count * 8 + job)


@pytest.mark.long
def test_an_order_that_is_not_legal_is_told_before_the_search() -> None:
    problem: Any = nestor.compiled(ChainedRules)()
    unchecked: Any = nestor.compiled(unchecked=True)(ChainedRules)()
    for each in (problem, unchecked, problem.twin):
        with pytest.raises(AssertionError, match=r'change is "order", but . cannot'):
            check_problem(each)
    with pytest.raises(RulesError, match=r'change is "order", but . cannot (follow \[|come first)'):
        nestor.solve(problem, SEARCH, playouts=100)


def test_an_order_that_is_not_legal_is_told_after_the_search_and_costs_only_itself() -> None:
    problem: Any = nestor.compiled(unchecked=True)(ChainedRules)()
    with pytest.raises(
        InputError, match=r'says change = "order", but .*: move number . \('
    ) as told:
        nestor.solve(problem, SEARCH, playouts=25, seed=1)
    found = told.value.nestor_result  # type: ignore[attr-defined]
    assert found.verified
    assert found.improvements[-1].score == found.score
    (note,) = told.value.__notes__
    assert "the search has come to " in note
    assert "among the legal ones" not in note
