"""Rules whose moves and states are enumerations, or objects that hold each other."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import nestor
from nestor.testing import check_problem


class Shift(enum.Enum):
    EARLY = 1
    LATE = 2
    NIGHT = 3


class Node:
    def __init__(self, number: int, root: Node | None = None) -> None:
        self.number = number
        self.root = root or self
        self.below: list[Node] = []
        self.root.below.append(self)


@dataclass(eq=False)
class Linked:
    number: int
    root: Any = None
    below: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.root or self
        self.root.below.append(self)


def linked(kind: type) -> list[Any]:
    root = kind(0)
    return [root, *(kind(number, root) for number in (1, 2, 3))]


THINGS: dict[str, Callable[[], list[Any]]] = {
    "enumeration": lambda: list(Shift),
    "objects": lambda: linked(Node),
    "dataclasses": lambda: linked(Linked),
}


class Two:
    """Two of some things."""

    change = "set"

    def __init__(self, things: list[Any]) -> None:
        self.things = things

    def initial(self) -> Any:
        return ()

    def moves(self, state: Any) -> list[Any]:
        return [thing for thing in self.things if thing not in state] if len(state) < 2 else []

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def undo(self, state: Any, move: Any) -> Any:
        return tuple(thing for thing in state if thing is not move)

    def score(self, state: Any) -> float:
        return float(self.things[0] in state)


class Wrong(Two):
    def undo(self, state: Any, move: Any) -> Any:
        return state[:-1]


@pytest.mark.parametrize("named", THINGS)
def test_a_fault_is_told_of_such_moves(named: str) -> None:
    things = THINGS[named]()
    with pytest.raises(AssertionError, match=r"undo\(.*\) must return the state as if"):
        check_problem(Wrong(things), report=False)
    with pytest.warns(RuntimeWarning, match="undo"):
        nestor.solve(Wrong(things), playouts=100, seed=1)


@pytest.mark.parametrize("named", THINGS)
def test_such_moves_are_searched_and_remembered(named: str) -> None:
    problem = Two(THINGS[named]())
    check_problem(problem, report=False)
    assert nestor.solve(problem, playouts=50, seed=1, cache="memory").score == 1


def test_states_that_hold_each_other_are_compared() -> None:
    @dataclass
    class Equal(Linked):
        pass

    root = linked(Equal)[0]

    class Inside(Two):
        change = "none"

        def initial(self) -> Any:
            return (root,)

        def moves(self, state: Any) -> list[int]:
            return [1, 2] if len(state) < 3 else []

        def score(self, state: Any) -> float:
            return float(sum(state[1:]))

    check_problem(Inside([]), report=False, playouts=1)
    assert nestor.solve(Inside([]), playouts=20, seed=1).score == 4


def test_what_functions_hold_may_hold_each_other(tmp_path: Any) -> None:
    things = linked(Node)
    problem = nestor.Order(4, lambda order: float(things[order[0]].number))
    assert nestor.solve(problem, playouts=20, seed=1, cache=tmp_path / "scores").score == 0
