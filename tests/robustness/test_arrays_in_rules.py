"""Rules that have arrays in states and moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nestor
from nestor.testing import check_problem

LENGTH = 5


@dataclass
class Made:
    table: Any
    count: int

    def __getitem__(self, place: int) -> Any:
        return (self.table, self.count)[place]


STATES: dict[str, Callable[[Any, int], Any]] = {
    "tuple": lambda table, count: (table, count),
    "list": lambda table, count: [table, count],
    "dict": lambda table, count: {0: table, 1: count},
    "dataclass": Made,
    "inside another": lambda table, count: ((table,), count),
}


@dataclass(frozen=True)
class Filled:
    """A table is filled; `in_place` it is the one of the state before."""

    form: str
    in_place: bool
    first: float = 0.0

    def initial(self) -> Any:
        return STATES[self.form](np.full(LENGTH, self.first), 0)

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2] if state[1] < LENGTH else []

    def play(self, state: Any, move: int) -> Any:
        table = state[0][0] if self.form == "inside another" else state[0]
        table = table if self.in_place else table.copy()
        table[state[1]] = move
        return STATES[self.form](table, state[1] + 1)

    def code(self, state: Any, move: int) -> tuple[int, int]:
        return state[1], move

    def score(self, state: Any) -> float:
        table = np.ravel(state[0])
        return float(table[0] - table[1] + table[2] - table[3])


@pytest.mark.parametrize("form", STATES)
@pytest.mark.parametrize("first", [0.0, np.nan])
def test_an_array_that_play_changes_in_a_state_is_found(form: str, first: float) -> None:
    with pytest.raises(AssertionError, match="must return a new state and leave the old one"):
        check_problem(Filled(form, True, first), report=False)
    check_problem(Filled(form, False, first), report=False)


def test_a_search_names_the_method_that_changes_an_array() -> None:
    told = "must return a new state and leave the old one"
    with pytest.raises(nestor.InputError, match=told):
        nestor.solve(Filled("tuple", True), nestor.BeamSearch(), playouts=300, seed=1)
    with pytest.warns(RuntimeWarning, match=told):
        nestor.solve(Filled("tuple", True), nestor.Sampling(), playouts=300, seed=1)


MOVES: dict[str, list[Any]] = {
    "arrays": list(np.eye(3, dtype=int)),
    "rows": [row for _, row in pd.DataFrame({"a": [1, 2], "b": [3, 4]}).iterrows()],
    "tuples of arrays": [(k, row) for k, row in enumerate(np.eye(3, dtype=int))],
}


class Chosen:
    def __init__(self, moves: list[Any]) -> None:
        self.given = moves

    def initial(self) -> tuple[Any, ...]:
        return ()

    def moves(self, state: tuple[Any, ...]) -> list[Any]:
        return self.given if len(state) < LENGTH else []

    def play(self, state: tuple[Any, ...], move: Any) -> tuple[Any, ...]:
        return (*state, str(move))

    def score(self, state: tuple[Any, ...]) -> float:
        return float(len(set(state)))


class Coded(Chosen):
    def code(self, state: tuple[Any, ...], move: Any) -> str:
        return f"{len(state)} {move}"


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("kind", [Chosen, Coded])
def test_moves_that_cannot_be_compared_are_told(kind: type[Chosen], name: str) -> None:
    told = r"moves\(\) must give moves that are hashable and can be compared, .*, not "
    problem = kind(MOVES[name])
    with pytest.raises(nestor.InputError, match=told):
        nestor.solve(problem, playouts=50, seed=1)
    with pytest.raises(AssertionError, match=told):
        check_problem(problem, report=False)


def test_lists_are_moves_if_they_have_codes() -> None:
    check_problem(Coded([[0], [1, 2]]), report=False)
    assert nestor.solve(Coded([[0], [1, 2]]), playouts=50, seed=1).score == 2
