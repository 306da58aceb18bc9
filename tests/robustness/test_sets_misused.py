"""Random misuses of sets: check_problem tells them, and no search gives a wrong answer."""

from __future__ import annotations

import random
from collections import Counter
from math import isclose
from typing import Any

import pytest

import nestor
from nestor import LocalSearch, NestorError
from nestor.testing import check_problem

SAMPLE, ALL = 300, 10_000

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
            if thing not in inside and weight <= room and all(may(thing, i) for i in inside)
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
        check_problem(problem, playouts=4)
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
