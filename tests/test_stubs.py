"""The types of the compiled core are those of its stubs."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nestor import _core

STUBS = Path(_core.__file__).with_name("_core.pyi")


def public(names: Any) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def stubs_of(body: list[ast.stmt]) -> dict[str, Any]:
    """Return the public classes and functions of a body, but for types that exist only there."""
    defined = [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return {
        node.name: node
        for node in defined
        if not any(ast.unparse(each) == "type_check_only" for each in node.decorator_list)
        and not node.name.startswith("_")
    }


def check_parameters(told: ast.FunctionDef, found: Any) -> None:
    """Check the names of parameters; a property has none."""
    if told.decorator_list:
        return
    names = [each.arg for each in (*told.args.posonlyargs, *told.args.args, *told.args.kwonlyargs)]
    assert names == [*inspect.signature(found).parameters], told.name


def test_the_stubs_name_what_the_core_has() -> None:
    told = stubs_of(ast.parse(STUBS.read_text()).body)
    assert told.keys() == public(vars(_core))
    for name, node in told.items():
        found = getattr(_core, name)
        if isinstance(node, ast.FunctionDef):
            check_parameters(node, found)
            continue
        members = stubs_of(node.body)
        assert members.keys() == public(vars(found)), name
        for member, inner in members.items():
            check_parameters(inner, getattr(found, member))


@pytest.mark.long
def test_the_stubs_of_the_core_are_exact() -> None:
    pytest.importorskip("mypy", reason="needs mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "nestor._core"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
