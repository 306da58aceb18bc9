"""The examples in examples/records: short classes, and checkers that can say no."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import nestor
from nestor.testing import check_problem
from support.pages import ROOT
from support.parts import partly

pytest.importorskip("numba", reason="needs the extra compiled")

FOLDER = ROOT / "examples" / "records"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "proof")
LONGEST = 30

# Small cases: the arguments of `case`, and the best there can be.
SMALL: list[tuple[str, tuple[Any, ...], float | None]] = [
    ("no_isosceles_triangle", (5, 7, False), 7),
    ("no_isosceles_triangle", (6, 9, True), None),
    ("no_three_in_line", (6, False), 12),
    ("no_three_in_line", (6, True), None),
    ("cap_set", (3, 9, "", False), 9),
    ("cap_set", (4, 20, "", False), 20),
    ("cap_set", (4, 20, "", True), None),
    ("low_autocorrelation", (13, 6, False), 6),
    ("low_autocorrelation", (13, 6, True), 6),
    ("flow_shop", ("ta001",), None),
    ("flexible_job_shop", (3, 3, 3, 0, ""), None),
    ("independent_set", (20, 0.3, 20, ""), None),
    ("quadratic_assignment", (2, 3, 0), None),
    ("set_cover", (20, 30, 0.2, 0), None),
    ("p_median", (12, 3, 0), None),
    ("knapsack", (), None),
]

QUICK = ("cap_set", "low_autocorrelation", "flow_shop", "knapsack")
"""Sets, values, an order, and the example in plain Python."""


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts import what stands beside them."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in (*NAMES, "proof", "own_problem"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "knapsack"])
def test_the_class_is_short(name: str) -> None:
    """The lines that are not empty, with decorator and docstring."""
    text = (FOLDER / f"{name}.py").read_text()
    (rules,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    lines = text.splitlines()[rules.lineno - 1 : rules.end_lineno]
    assert 1 + sum(bool(line.strip()) for line in lines) <= LONGEST


@pytest.mark.parametrize(
    ("name", "arguments", "best"), partly(SMALL, *(each for each in SMALL if each[0] in QUICK))
)
def test_small_ones(name: str, arguments: tuple[Any, ...], best: float | None) -> None:
    case = importlib.import_module(name).case(*arguments)
    if name != "knapsack":
        check_problem(case.problem, playouts=2)
    playouts = 2000 if name == "knapsack" else 50_000
    result = nestor.solve(case.problem, playouts=playouts, seed=1, target=best)
    assert case.check(result.moves) == result.score
    assert best in (None, result.score)
    assert result.solution.picture().shapes
    other = [*result.moves[:-1], result.moves[0]]
    with pytest.raises(AssertionError):
        case.check(other)


@pytest.mark.long
def test_graphs_are_flat() -> None:
    module = importlib.import_module("graph_colouring")
    edges = module.flat(40, 4, 0.5, 1)
    assert len(edges) == len({*edges}) == 6 * 50
    with pytest.raises(AssertionError):
        module.coloured([(0, 1)], 3, [1, 4])
    case = module.case(25, lambda: module.queens(5), 5, "")
    check_problem(case.problem, playouts=2)
    result = nestor.solve(case.problem, playouts=2000, seed=1)
    assert case.check(result.moves) == result.score == 25
