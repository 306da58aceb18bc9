"""Random misuses of sets: check_problem tells them, and no search gives a wrong answer."""

from __future__ import annotations

import random
from collections import Counter
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import LocalSearch, NestorError
from nestor.testing import check_problem

SAMPLE, ALL = 120, 10_000

STATE = tuple[tuple[int, ...], float, float]


class Packed:
    """Things of some weight and value, of which some pairs do not go together, and one fault.

    A state has the things in their order, the room and the value.
    """

    change = "set"

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.fault = rng.choice(FAULTS)
        count = rng.randint(1, 9)
        self.weights = [rng.choice((0.1, 0.3, 0.7)) * rng.randint(1, 9) for _ in range(count)]
        self.values = [rng.choice((1.0, 0.1, 1e-3)) * rng.randint(-2, 9) for _ in range(count)]
        self.apart = {(rng.randrange(count), rng.randrange(count)) for _ in range(count)}
        self.room = rng.choice((0.6, 1.0)) * sum(self.weights)
        self.odd = rng.randrange(count)

    def initial(self) -> Any:
        return (), self.room, 0.0

    def moves(self, state: STATE) -> list[Any]:
        inside, room, _ = state

        def may(a: int, b: int) -> bool:
            return (a, b) not in self.apart and (b, a) not in self.apart

        free = [
            thing
            for thing, weight in enumerate(self.weights)
            if thing not in inside and weight <= room + 1e-9 and all(may(thing, i) for i in inside)
        ]
        if self.fault == "needs another" and self.odd not in inside:
            free = [thing for thing in free if thing <= self.odd]
        if self.fault == "in order":
            free = [thing for thing in free if not inside or thing > inside[-1]]
        if self.fault == "listed twice" and self.odd in free:
            free.append(self.odd)
        if self.fault == "played twice" and len(inside) < 20:
            free += [thing for thing in inside if thing == self.odd]
        if self.fault == "not hashable":
            return [[thing] for thing in free]
        return free

    def play(self, state: STATE, thing: Any) -> STATE:
        inside, room, value = state
        if isinstance(thing, list):
            (thing,) = thing
        gain = self.values[thing]
        if self.fault == "value of the place":
            gain *= 1 + len(inside)
        return (*inside, thing), room - self.weights[thing], value + gain

    def undo(self, state: STATE, thing: Any) -> Any:
        inside, room, value = state
        odd = thing == self.odd
        if self.fault == "returns nothing":
            return None
        if self.fault == "raises" and odd:
            raise RuntimeError("cannot be undone")
        if self.fault == "another move" and len(inside) > 1:
            thing = next(i for i in inside if i != thing)
        left = tuple(i for i in inside if i != thing)
        if self.fault != "forgets the room" or not odd:
            room += self.weights[thing]
        if self.fault != "forgets the value" or not odd:
            value -= self.values[thing]
        if self.fault == "forgets the move" and odd:
            left = inside
        if self.fault == "drifts":
            value = value * (1 + 1e-6) + 1e-7
        if self.fault == "gains":
            value += 1.0
        return left, room, value

    def score(self, state: STATE) -> float:
        return state[2]


FAULTS = (
    "none",
    "needs another",
    "in order",
    "listed twice",
    "played twice",
    "not hashable",
    "value of the place",
    "returns nothing",
    "raises",
    "another move",
    "forgets the room",
    "forgets the value",
    "forgets the move",
    "drifts",
    "gains",
)


def told(problem: Packed) -> bool:
    """Whether check_problem finds the fault."""
    try:
        check_problem(problem, playouts=4, report=False)
    except (AssertionError, RuntimeError):
        return True
    return False


def found(problem: Packed, seed: int) -> str:
    """Search, and replay what is found by the rules: they do not depend on undo."""
    try:
        result = nestor.solve(problem, LocalSearch(), playouts=250, seed=seed)
    except (NestorError, RuntimeError, TypeError):
        return "error"
    state = problem.initial()
    for move in result.moves:
        assert move in problem.moves(state)
        state = problem.play(state, move)
    assert problem.moves(state) == []
    assert isclose(problem.score(state), result.score, rel_tol=1e-12, abs_tol=1e-9)
    assert result.verified
    return "right"


@pytest.mark.filterwarnings("ignore:the best game shows a fault")
@pytest.mark.filterwarnings("ignore:the game is over before the first move")
@pytest.mark.parametrize("count", [SAMPLE, pytest.param(ALL, marks=pytest.mark.long)])
def test_a_misuse_is_told_or_does_no_harm(count: int) -> None:
    ends: Counter[tuple[str, str]] = Counter()
    for seed in range(count):
        problem = Packed(seed)
        if told(problem):
            ends[problem.fault, "told"] += 1
        ends[problem.fault, found(problem, seed)] += 1
    assert not ends["none", "told"]
    assert not ends["none", "error"]
    for fault in FAULTS[1:]:
        seen = ends[fault, "error"] + ends[fault, "right"]
        assert ends[fault, "told"] >= 0.4 * seen, (fault, ends)


class Rules:
    """The same in native code: a set of numbers that do not meet, with one fault."""

    change = "set"

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.size = size = int(rng.integers(1, 9))
        apart = rng.random((size, size)) < 0.3
        self.apart = (apart | apart.T).astype(np.uint8)
        self.values = rng.normal(size=size)
        self.odd = int(rng.integers(size))
        self.fault = int(rng.integers(9))
        self.state = np.dtype(
            [("value", "f8"), ("count", "i4"), ("inside", "u1", (9,)), ("met", "i4", (9,))]
        )

    def initial(self, s: Any) -> None:
        s.count = 0

    def moves(self, s: Any, out: Any) -> None:
        for i in range(self.size):
            late = self.fault == 1 and i == self.odd and s.count == 0
            if s.inside[i] == 0 and s.met[i] == 0 and not late:
                out.add(i)

    def put(self, s: Any, i: int, by: int) -> None:
        s.count += by
        s.inside[i] = by > 0
        for other in range(self.size):
            if self.apart[i, other] and other != i:
                s.met[other] += by

    def play(self, s: Any, i: int) -> None:
        self.put(s, i, 1)
        s.value += self.values[i] * (s.count if self.fault == 2 else 1)

    def undo(self, s: Any, i: int) -> None:
        if self.fault == 3 and i == self.odd:
            raise ValueError
        if self.fault == 4 and i == self.odd:
            s.count -= 1
            s.inside[i] = 0
        elif not (self.fault == 5 and i == self.odd):
            self.put(s, i, -1)
        if self.fault != 6 or i != self.odd:
            s.value -= self.values[i] * (s.count + 1 if self.fault == 2 else 1)
        if self.fault == 7:
            s.value = s.value * 1.000001 + 0.001

    def score(self, s: Any) -> float:
        return s.value  # type: ignore[no-any-return]


@pytest.mark.parametrize("count", [SAMPLE // 4, pytest.param(ALL // 3, marks=pytest.mark.long)])
def test_misuses_of_native_code(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba", reason="needs the extra compiled")
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path))
    checked, unchecked = nestor.compiled(Rules), nestor.compiled(unchecked=True)(Rules)
    ends: Counter[tuple[int, str]] = Counter()
    for seed in range(count):
        for kind in (checked, unchecked):
            problem: Any = kind(seed)
            try:
                result = nestor.solve(problem, LocalSearch(), playouts=600, seed=seed)
            except NestorError:
                ends[problem.fault, "told" if kind is checked else "error"] += 1
                continue
            result.verify()
            state = problem.twin.initial()
            for move in result.moves:
                assert move in problem.twin.moves(state)
                state = problem.twin.play(state, move)
            assert problem.twin.moves(state) == []
            assert isclose(problem.twin.score(state), result.score, rel_tol=1e-12, abs_tol=1e-9)
            ends[problem.fault, "right"] += 1
    assert not ends[0, "told"] + ends[0, "error"] + ends[8, "told"] + ends[8, "error"]
    assert all(ends[fault, "told"] for fault in range(1, 8)), ends
