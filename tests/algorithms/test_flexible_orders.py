"""Orders whose moves may stand for each other: a flexible job shop, by the user's rules alone."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, LocalSearch, RulesError
from nestor.testing import check_problem
from support.parts import crossed

MACHINES = 3


def drawn(seed: int, operations: tuple[int, ...]) -> list[list[dict[int, int]]]:
    """Return for each operation of each job how long it takes on the machines that can do it."""
    rng = random.Random(seed)
    return [
        [
            {
                machine: rng.randint(1, 9)
                for machine in sorted(rng.sample(range(3), rng.randint(1, 3)))
            }
            for _ in range(count)
        ]
        for count in operations
    ]


class Shop:
    """A move is a job and the machine of its next operation; what it does is the job."""

    sense = "min"
    change = "order"

    def __init__(self, jobs: list[list[dict[int, int]]]) -> None:
        self.jobs = jobs

    def initial(self) -> Any:
        return (0,) * len(self.jobs), (0,) * len(self.jobs), (0,) * MACHINES

    def moves(self, state: Any) -> list[tuple[int, int]]:
        left = [
            (job, self.jobs[job][k]) for job, k in enumerate(state[0]) if k < len(self.jobs[job])
        ]
        return [(job, machine) for job, times in left for machine in times]

    def play(self, state: Any, move: tuple[int, int]) -> Any:
        done, ready, free = map(list, state)
        job, machine = move
        end = max(ready[job], free[machine]) + self.jobs[job][done[job]][machine]
        done[job], ready[job], free[machine] = done[job] + 1, end, end
        return tuple(done), tuple(ready), tuple(free)

    def score(self, state: Any) -> float:
        return float(3 * max(state[1]) + sum(state[1]))

    def code(self, state: Any, move: tuple[int, int]) -> Any:
        return sum(state[0]), move

    def task(self, move: tuple[int, int]) -> Any:
        return move[0]


class Costed(Shop):
    """The same, evaluated at once."""

    def cost_of(self, order: list[tuple[int, int]]) -> float:
        ready, free = [0] * len(self.jobs), [0] * MACHINES
        left = [iter(job) for job in self.jobs]
        for job, machine in order:
            ready[job] = free[machine] = max(ready[job], free[machine]) + next(left[job])[machine]
        return 3 * max(ready) + sum(ready)


def cost(jobs: list[list[dict[int, int]]], moves: Any) -> float:
    """Return what a schedule costs, from the beginning of each operation."""
    plan: list[tuple[int, int, int, int]] = []
    left = [list(job) for job in jobs]
    for job, machine in moves:
        times = left[job].pop(0)
        before = [end for _, end, j, m in plan if j == job or m == machine]
        begin = max(before, default=0)
        plan.append((begin, begin + times[machine], job, machine))
    assert not any(left)
    for key in (2, 3):
        for value in {each[key] for each in plan}:
            spans = sorted(each[:2] for each in plan if each[key] == value)
            assert all(one[1] <= other[0] for one, other in pairwise(spans))
    ends = [max(end for _, end, j, _ in plan if j == job) for job in range(len(jobs))]
    return 3 * max(ends) + sum(ends)


def least(shop: Shop, state: Any, known: dict[Any, float]) -> float:
    """Return the least cost of all games that go on from a state."""
    if state not in known:
        following = [shop.play(state, move) for move in shop.moves(state)]
        found = [least(shop, each, known) for each in following]
        known[state] = min(found, default=shop.score(state))
    return known[state]


@pytest.mark.parametrize(
    ("kind", "operations"),
    crossed([Shop, Costed], [(2, 2, 2), (3, 1, 2), (1, 1, 1, 1), (4,), (1,)]),
)
def test_the_best_of_small_shops_is_found(kind: type[Shop], operations: tuple[int, ...]) -> None:
    for seed in range(3):
        jobs = drawn(seed, operations)
        check_problem(kind(jobs), playouts=5)
        best = least(Shop(jobs), Shop(jobs).initial(), {})
        found = nestor.solve(kind(jobs), target=best, playouts=20_000, seed=1)
        assert (found.score, found.verified) == (best, True)
        assert cost(jobs, found.moves) == best


def test_cost_of_changes_nothing_but_the_speed() -> None:
    jobs = drawn(5, (5, 4, 5, 3))
    results = [nestor.solve(kind(jobs), playouts=3000, seed=2) for kind in (Shop, Costed)]
    assert results[0].moves == results[1].moves
    assert [better.playouts for better in results[0].improvements] == [
        better.playouts for better in results[1].improvements
    ]
    assert cost(jobs, results[0].moves) == results[0].score


def test_threads_and_workers_change_nothing() -> None:
    shop = Shop(drawn(6, (4, 4, 4)))
    how: Any = {"playouts": 800, "seed": 3, "jobs": 2}
    ways: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}, {"workers": 2}]
    found = [nestor.solve(shop, **how, **way) for way in ways]
    assert len({tuple(result.moves) for result in found}) == 1
    assert len({tuple(better.score for better in result.improvements) for result in found}) == 1


def test_it_is_continued_from_any_try(tmp_path: Path) -> None:
    shop = Shop(drawn(7, (4, 3, 4)))
    whole = nestor.solve(shop, nestor.LocalSearch(), playouts=1500, seed=4)
    rng, done, path = random.Random(1), 40, tmp_path / "run"
    found = nestor.solve(shop, nestor.LocalSearch(), playouts=done, seed=4, checkpoint=path)
    while done < 1500:
        done = min(1500, done + rng.randint(1, 130))
        found = nestor.resume(path, problem=shop, playouts=done)
        assert found.playouts == done
    assert found.moves == whole.moves
    assert [better.score for better in found.improvements] == [
        better.score for better in whole.improvements
    ]


def test_a_schedule_from_outside_is_gone_on_from() -> None:
    shop = Shop(drawn(8, (5, 5, 5)))
    good = nestor.solve(shop, playouts=5000, seed=1)
    found = nestor.solve(shop, playouts=2, seed=2, initial=good)
    assert found.score == good.score


class Forgets(Shop):
    """The machines of an operation depend on what has been done elsewhere."""

    def moves(self, state: Any) -> list[tuple[int, int]]:
        return [move for move in super().moves(state) if sum(state[0]) % 2 or move[1] != 1] or [
            *super().moves(state)
        ]


class Stops(Shop):
    """The game is over when the last machine is late."""

    def moves(self, state: Any) -> list[tuple[int, int]]:
        return super().moves(state) if state[2][2] < 12 else []


class Unhashable(Shop):
    def task(self, move: tuple[int, int]) -> Any:
        return [move[0]]


class Fickle(Shop):
    asked = 0

    def task(self, move: tuple[int, int]) -> Any:
        self.asked += 1
        return move[0], self.asked


class Cheap(Costed):
    def cost_of(self, order: list[tuple[int, int]]) -> float:
        return super().cost_of(order) - (order[0][1] == 1)


WRONG = {
    Forgets: r"the task \d has the moves \[.*\] in one game, and the same time \[.*\] after",
    Stops: r"the task \d has the moves|the game is not over after",
    Unhashable: r"what task\(\) returns must be hashable, not \[\d\]",
    Fickle: r"task\(\(\d, \d\)\) must return the same every time",
    Cheap: r"cost_of\(.*\) must return the score of the order",
}


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_what_is_wrong_is_told(kind: type[Shop]) -> None:
    with pytest.raises(AssertionError, match=WRONG[kind]):
        check_problem(kind(drawn(1, (3, 3, 3))), playouts=50)


@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_what_is_wrong_never_makes_a_wrong_answer(kind: type[Shop]) -> None:
    jobs = drawn(1, (3, 3, 3))
    with suppress(nestor.NestorError, TypeError):
        found = nestor.solve(kind(jobs), LocalSearch(), playouts=3000, seed=1)
        assert found.verified
        found.verify()


def test_it_goes_with_orders_alone_and_without_item() -> None:
    class Set(Shop):
        change = "set"

    class Item(Shop):
        def item(self, state: Any, move: Any) -> Any:
            return move

    for kind in (Set, Item):
        with pytest.raises(InputError, match=r"task .* needs change = 'order', and no method item"):
            nestor.solve(kind(drawn(1, (2, 2))), playouts=5)


class Rules:
    """The same as whole numbers, to be compiled."""

    sense = "min"
    change = "order"

    def __init__(self, times: Any, fault: int = 0) -> None:
        self.times = np.array(times)
        self.fault = fault
        jobs, _, machines = self.times.shape
        self.state = np.dtype(
            [("done", "i8", jobs), ("ready", "i8", jobs), ("free", "i8", machines)]
        )

    def initial(self, s: Any) -> None:
        pass

    def moves(self, s: Any, out: Any) -> None:
        jobs, operations, machines = self.times.shape
        for job in range(jobs):
            for machine in range(machines):
                if s.done[job] < operations and self.times[job, s.done[job], machine] > 0:
                    out.add(
                        job * machines + machine, code=s.done.sum() * 100 + job * machines + machine
                    )

    def play(self, s: Any, move: int) -> None:
        self.run(s, move, s.done[move // self.times.shape[2]])

    def run(self, s: Any, move: int, operation: int) -> None:
        job, machine = move // self.times.shape[2], move % self.times.shape[2]
        end = max(s.ready[job], s.free[machine]) + self.times[job, operation, machine]
        s.done[job] += 1
        s.ready[job] = end
        s.free[machine] = end

    def score(self, s: Any) -> int:
        return s.ready.max()  # type: ignore[no-any-return]

    def task(self, move: int) -> int:
        if self.fault == 1 and move == 4:
            raise ValueError("no task")
        return int(move // self.times.shape[2]) - (self.fault == 2)


class LightRules(Rules):
    def bound(self, s: Any) -> int:
        return s.ready.max()  # type: ignore[no-any-return]

    def before(self, rest: Any, move: int) -> None:
        job = move // self.times.shape[2]
        self.run(rest, move, self.times.shape[1] - 1 - rest.done[job])

    def joined(self, s: Any, rest: Any) -> int:
        return max((s.ready + rest.ready).max(), (s.free + rest.free).max())  # type: ignore[no-any-return]


def shops(fault: int = 0) -> list[Any]:
    rng = np.random.default_rng(3)
    times = rng.integers(1, 9, (4, 3, 3)) * (rng.random((4, 3, 3)) < 0.7)
    times[:, :, 1] += times.max(axis=2) == 0
    return [nestor.compiled(kind)(times, fault) for kind in (Rules, LightRules)]


def test_a_compiled_shop_is_the_same_at_native_speed() -> None:
    pytest.importorskip("numba", reason="needs the extra compiled")
    plain, light = shops()
    check_problem(plain, playouts=5)
    results = [nestor.solve(shop, playouts=500, seed=1) for shop in (plain, light, plain.twin)]
    assert {result.score for result in results} == {results[0].score}
    assert results[0].moves == results[1].moves == results[2].moves
    assert all(result.verified for result in results)
    jobs = [[{m: int(t) for m, t in enumerate(o) if t} for o in job] for job in plain.times]
    cost(jobs, [divmod(move, 3) for move in results[0].moves])


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (1, r"task\(\) raised ValueError: no task|ValueError: no task"),
        (2, r"task\(\) gave the task -1; tasks are 0 to 1048575"),
    ],
)
def test_a_wrong_task_of_a_compiled_shop_is_told(fault: int, told: str) -> None:
    pytest.importorskip("numba", reason="needs the extra compiled")
    with pytest.raises(RulesError, match=told):
        nestor.solve(shops(fault)[0], playouts=100)
