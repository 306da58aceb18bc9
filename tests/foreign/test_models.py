"""The examples in examples/models: they run, reach what is known, and their checkers can say no."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import nestor
from nestor.testing import check_problem
from support.pages import ROOT

FOLDER = ROOT / "examples" / "models"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))

Made = Callable[[Any], Any]

# The problem, its checker, and the best there can be: by the checker, and as a score to stop at.
CASES: list[tuple[str, Made, Made, float, float]] = [
    ("peg", lambda m: m.Peg(), lambda m: m.check, 1, 1),
    ("queens", lambda m: m.Guards(11), lambda m: partial(m.check, 11), 5, 5),
    ("queens", lambda m: m.Guards(13), lambda m: partial(m.check, 13), 7, 7),
    ("tardy", lambda m: m.TARDY, lambda m: m.check, 1889, 1889),
    ("golomb", lambda m: m.Ruler(8, 34), lambda m: partial(m.check, 34), 8, 8),
    ("golomb", lambda m: m.Ruler(9, 44), lambda m: partial(m.check, 44), 9, 9),
    ("bins", lambda m: m.BINS, lambda m: m.check, 33, 33.999),
]

PATIENCE = 3_000_000
"""More playouts than any of them should need."""


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_the_script_checks_what_it_finds(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(name).main(0.05)
    assert capsys.readouterr().out


@pytest.mark.parametrize(("name", "problem", "check"), [case[:3] for case in CASES])
def test_the_checker_can_say_no(name: str, problem: Made, check: Made) -> None:
    module = importlib.import_module(name)
    check_problem(problem(module), playouts=2, report=False)
    moves = nestor.solve(problem(module), playouts=20, seed=1).moves
    assert check(module)(moves) > 0
    twice = [*moves[:-1], moves[0]] if len(moves) > 1 else moves * 2
    with pytest.raises(AssertionError):
        check(module)(twice)


def test_squares_without_a_guard_are_seen() -> None:
    queens = importlib.import_module("queens")
    with pytest.raises(AssertionError, match="no guard"):
        queens.check(11, [*queens.Guards(11).guarded][:1])


def test_what_is_known_of_orders_is_computed() -> None:
    assert importlib.import_module("tardy").least() == 1889
    assert importlib.import_module("bins").BOUND == 33


@pytest.mark.long
@pytest.mark.parametrize(("name", "problem", "check", "known", "target"), CASES)
def test_the_best_is_reached(
    name: str, problem: Made, check: Made, known: float, target: float
) -> None:
    module = importlib.import_module(name)
    result = nestor.solve(
        problem(module), target=target, jobs=1, seed=1, callback=lambda p: p.playouts < PATIENCE
    )
    assert check(module)(result.moves) == known


def test_every_example_is_in_the_table() -> None:
    assert {case[0] for case in CASES} == {*NAMES}
