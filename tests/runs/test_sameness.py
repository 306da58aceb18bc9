"""Functions that differ in nothing but what they hold: folders of scores tell them apart."""

from __future__ import annotations

import enum
import functools
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nestor
from nestor.problems.own import adapt
from support.own import Chosen, Subset

Made = Callable[[Any], nestor.Order]


class Sign(enum.Enum):
    PLUS = 1
    MINUS = -1


@dataclass(frozen=True)
class Data:
    value: Any


class Model:
    def __init__(self, sign: Any) -> None:
        self.sign = sign

    def __call__(self, order: Sequence[int]) -> int:
        return int(self.sign * order[0])

    def cost(self, order: Sequence[int]) -> int:
        return self(order)


class Keeping(nestor.Order):
    """The form in which the page for agents keeps data."""

    def __init__(self, sign: Any) -> None:
        self.sign = sign
        super().__init__(4, self.delay)

    def delay(self, order: Sequence[int]) -> int:
        return int(self.sign * order[0])


def by_default(sign: Any) -> nestor.Order:
    def cost(order: Sequence[int], sign: Any = sign) -> int:
        return int(sign * order[0])

    return nestor.Order(4, cost)


def by_keyword(sign: Any) -> nestor.Order:
    def cost(order: Sequence[int], *, sign: Any = sign) -> int:
        return int(sign * order[0])

    return nestor.Order(4, cost)


def by_closure(sign: Any) -> nestor.Order:
    return nestor.Order(4, lambda order: sign * order[0])


def by_attribute(sign: Any) -> nestor.Order:
    def cost(order: Sequence[int]) -> int:
        return int(cost.sign * order[0])  # type: ignore[attr-defined]

    cost.sign = sign  # type: ignore[attr-defined]
    return nestor.Order(4, cost)


def by_wrapper(sign: Any) -> nestor.Order:
    def first(order: Sequence[int]) -> int:
        return order[0]

    @functools.wraps(first)
    def cost(order: Sequence[int]) -> int:
        return int(sign * first(order))

    return nestor.Order(4, cost)


def by_cache(sign: Any) -> nestor.Order:
    @functools.cache
    def cost(order: tuple[int, ...]) -> int:
        return int(sign * order[0])

    return nestor.Order(4, lambda order: cost(tuple(order)))


def by_partial(sign: Any) -> nestor.Order:
    return nestor.Order(4, functools.partial(Model.cost, Model(sign)))


def by_callable(sign: Any) -> nestor.Order:
    return nestor.Order(4, Model(sign))


def by_method(sign: Any) -> nestor.Order:
    return nestor.Order(4, Model(sign).cost)


def by_class(sign: Any) -> nestor.Order:
    class Local(nestor.Order):
        weight = sign

        def __init__(self) -> None:
            super().__init__(4, self.delay)

        def delay(self, order: Sequence[int]) -> int:
            return int(self.weight * order[0])

    return Local()


WAYS: list[Made] = [
    by_default,
    by_keyword,
    by_closure,
    by_attribute,
    by_wrapper,
    by_cache,
    by_partial,
    by_callable,
    by_method,
    by_class,
    Keeping,
]


def known(problem: Any, folder: Path) -> bool:
    """Whether a folder has the scores of a problem, which is searched."""
    result = nestor.solve(problem, nestor.Sampling(), playouts=9, seed=1, cache=folder)
    return result.remembered == 9


@pytest.mark.parametrize("made", WAYS)
def test_a_folder_tells_functions_apart_by_what_they_hold(made: Made, tmp_path: Path) -> None:
    given: dict[str, Any] = {"algorithm": nestor.Sampling(), "playouts": 200, "seed": 1}
    for sign, best in ((1, 0), (-1, -3)):
        assert nestor.solve(made(sign), cache=tmp_path, **given).score == best
        result = nestor.solve(made(sign), cache=tmp_path, **given)
        assert (result.score, result.remembered) == (best, 200)


class Labelled(np.ndarray):
    """An array with an attribute."""


def labelled(sign: int) -> Any:
    array: Any = np.zeros(2).view(Labelled)
    array.sign = sign
    return array


def circle(sign: int) -> list[Any]:
    held: list[Any] = [sign]
    held.append(held)
    return held


HELD: list[Callable[[int], Any]] = [
    lambda sign: ({"of": [sign]}, {"a", "b"}, b"", None, 0.5),
    lambda sign: np.array([sign, 2]),
    labelled,
    lambda sign: np.array([sign, "two"], dtype=object),
    lambda sign: pd.DataFrame({"x": [sign, 2], "of": ["a", "b"]}, index=[5, 6]),
    lambda sign: pd.DataFrame({"x": [1]}, index=[sign]),
    Sign,
    lambda sign: Data([sign]),
    lambda sign: Model(Decimal(sign)),
    lambda sign: lambda: sign,
    lambda sign: {0: sign}.get,
    lambda sign: random.Random(sign + 1),
    lambda sign: 10**5000 + sign,
    lambda sign: (sign, np, len, Model, circle, by_closure),
    circle,
]


@pytest.mark.parametrize("held", HELD)
def test_what_is_held_may_be_any_data(held: Callable[[int], Any], tmp_path: Path) -> None:
    def made(sign: int) -> nestor.Order:
        data = held(sign)
        return nestor.Order(4, lambda order: order[0] if data is None else 0)

    assert [known(made(sign), tmp_path) for sign in (1, -1, 1)] == [False, False, True]


class Open:
    """What has a part that cannot be told."""

    def __init__(self, value: int) -> None:
        self.lock, self.value = threading.Lock(), value

    def __mul__(self, other: int) -> int:
        return self.value * other


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (by_default, r"cost\.sign\.lock"),
        (by_closure, r"cost\.sign\.lock"),
        (by_partial, r"cost\.sign\.lock"),
        (by_method, r"cost\.sign\.lock"),
        (Keeping, r"sign\.lock"),
        (by_class, r"weight\.lock"),
    ],
)
def test_what_cannot_be_told_is_refused(made: Made, name: str, tmp_path: Path) -> None:
    told = rf'folder must tell apart what functions hold, and {name}, a lock, cannot .*"memory"'
    with pytest.raises(nestor.InputError, match=told):
        known(made(Open(1)), tmp_path)
    assert nestor.solve(made(Open(1)), playouts=99, cache="memory").score == 0


class Locked(Open):
    """One that tells itself."""

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}


class Named(Locked):
    @property
    def digest(self) -> str:
        return str(self.value)


@pytest.mark.parametrize("kind", [Locked, Named])
def test_an_object_may_tell_itself(kind: type[Locked], tmp_path: Path) -> None:
    for made in (by_closure, Keeping):
        found = [known(made(kind(value)), tmp_path) for value in (1, 2, 1)]
        assert found == [False, False, True]


def test_a_problem_of_functions_may_tell_itself(tmp_path: Path) -> None:
    class Named(Keeping):
        digest = "one"

    class Written(Keeping):
        def to_dict(self) -> dict[str, Any]:
            return {**super().to_dict(), "value": self.sign.value}

    for kind in (Named, Written):
        assert [known(kind(Locked(value)), tmp_path) for value in (1, 1)] == [False, True]
    assert not known(Written(Locked(2)), tmp_path)


def test_a_search_does_not_change_what_tells_a_cover(tmp_path: Path) -> None:
    cover = nestor.Cover(4, lambda chosen: 2 - len(chosen), len)
    assert [known(cover, tmp_path) for _ in range(2)] == [False, True]


CELL = """
import functools

def worth(state):
    return times(sum(state))

def times(value):
    return FACTOR * value if value < 99 else worth([])

class Held:
    @staticmethod
    def worth(state):
        return Held.times(sum(state))

    @classmethod
    def times(cls, value):
        return FACTOR * value

cached = functools.cache(times)

class Chain:
    def initial(self):
        return ()

    def moves(self, state):
        return [0, 1, 2] if len(state) < 5 else []

    def play(self, state, move):
        return (*state, move)

    def code(self, state, move):
        return len(state), move

    def score(self, state):
        return CALL

    @property
    def factor(self):
        return FACTOR
"""
"""Cells of a notebook, which have no file."""


@pytest.mark.parametrize(
    "call",
    [
        "worth(state)",
        "[worth(each) for each in [state]][0]",
        "Held.worth(state)",
        "cached(sum(state))",
        "self.factor * sum(state)",
    ],
)
def test_a_folder_notices_edited_functions_that_methods_name(call: str, tmp_path: Path) -> None:
    cells: dict[str, Any] = {"__name__": "cells"}
    for factor, best, again in ((1, 10, False), (-1, 0, False), (1, 10, True)):
        exec(CELL.replace("CALL", call).replace("FACTOR", str(factor)), cells)
        given: dict[str, Any] = {"playouts": 400, "seed": 1, "cache": tmp_path}
        result = nestor.solve(cells["Chain"](), nestor.NRPA(2, 20), **given)
        assert (result.score, result.remembered == 400) == (best, again)


def test_a_folder_notices_edited_functions_that_a_cost_names(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"__name__": "cells"}
    exec("def cost(order): return sign() * order[0]", cells)
    for sign, again in ((1, False), (-1, False), (1, True)):
        exec(f"def sign(): return {sign}", cells)
        assert known(nestor.Order(4, cells["cost"]), tmp_path) == again


def test_the_error_of_another_score_names_the_cache(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"__name__": "cells", "sign": 1}
    exec(CELL.replace("CALL", "sign * sum(state)").replace("FACTOR", "1"), cells)
    given: dict[str, Any] = {"playouts": 400, "seed": 1, "cache": tmp_path}
    nestor.solve(cells["Chain"](), nestor.NRPA(2, 20), **given)
    cells["sign"] = -1
    with pytest.raises(nestor.VerificationError, match=r"search said .*; .* the cache.* folder"):
        nestor.solve(cells["Chain"](), nestor.NRPA(2, 20), **given)


def test_what_helpers_hold_refuses_no_folder(tmp_path: Path) -> None:
    """They need not be told as a whole: a lock in one is no reason to ask for all scores."""
    cells: dict[str, Any] = {"__name__": "cells", "lock": threading.Lock()}
    exec("class Model:\n    held = lock\ndef first(order, lock=lock): return order[0]", cells)
    exec("def cost(order): return first(order) if Model else 0", cells)
    assert [known(nestor.Order(4, cells["cost"]), tmp_path) for _ in range(2)] == [False, True]


@dataclass(frozen=True)
class Sized(Subset):
    """Its fields tell its instance."""

    size: int = 12

    def moves(self, state: Chosen) -> list[int]:
        return [move for move in super().moves(state) if move < self.size]


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (by_default(1), by_default(1), by_default(-1)),
        (Sized(), Sized(), Sized(11)),
        (whole := Subset(), whole, Subset()),
    ],
)
def test_solutions_of_one_instance_are_equal_if_their_moves_are(
    one: Any, same: Any, other: Any
) -> None:
    moves = [0, 2, 1, 3] if isinstance(one, nestor.Order) else [0, 10]
    first, again, elsewhere, longer = (
        adapt(problem).solution(played)
        for problem, played in [(one, moves), (same, moves), (other, moves), (one, moves[:1])]
    )
    assert first == again
    assert len({first, again}) == 1
    assert first not in (elsewhere, longer)
    assert first != len(moves)  # type: ignore[comparison-overlap]
