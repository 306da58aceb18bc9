"""What is imported when: a start is quick because nothing comes before it is needed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest

import nestor
from support.pages import ROOT

HEAVY = {"click", "dataclasses", "importlib.metadata", "matplotlib", "numpy", "rich", "typing"}
COMPLETION = {"_NESTOR_COMPLETE": "bash_complete", "COMP_WORDS": "nestor so", "COMP_CWORD": "1"}


def imported(code: str, **environment: str) -> set[str]:
    """Return the modules that have been imported when Python has run some code."""
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    done = subprocess.run(
        [sys.executable, "-c", f"{report}\n{code}"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


def command(*arguments: str) -> str:
    """Return code that runs the command as its script does."""
    return f"from nestor.cli import main; main({list(arguments)})"


def test_import_nestor_imports_nothing_else() -> None:
    names = imported("import nestor")
    assert not names & HEAVY
    assert {name for name in names if name.startswith("nestor")} == {"nestor"}


@pytest.mark.parametrize("module", ["data", "plot", "reference", "research", "testing"])
def test_a_module_is_imported_when_it_is_first_used(module: str) -> None:
    assert f"nestor.{module}" in imported(f"import nestor; nestor.{module}")


def test_the_version_needs_the_core_alone() -> None:
    names = imported(command("--version"))
    assert not names & HEAVY
    own = {name for name in names if name.startswith("nestor")}
    assert own == {"nestor", "nestor._core", "nestor.cli"}


@pytest.mark.parametrize("arguments", [(), ("completion", "bash")])
def test_completion_of_commands_imports_none_of_them(arguments: tuple[str, ...]) -> None:
    names = imported(command(*arguments), **({} if arguments else COMPLETION))
    assert "click" in names
    assert not names & (HEAVY - {"click", "dataclasses", "typing"})
    assert not names & {"nestor.algorithms", "nestor.problems", "nestor.solving"}


def test_a_search_imports_neither_numpy_nor_plots_nor_the_command_line() -> None:
    search = "import nestor; nestor.solve(nestor.problems.Morpion('5D'), playouts=1)"
    names = imported(search)
    assert "nestor.problems.morpion.problem" in names
    heavy = HEAVY - {"dataclasses", "typing"} | {"nestor.plot"}
    assert not names & heavy


def test_public_names_are_those_of_the_stub() -> None:
    """The stub, run as code, gives the same objects."""
    stub: dict[str, Any] = {}
    exec((ROOT / "python/nestor/__init__.pyi").read_text(), stub)
    named = {name for name in stub if not name.startswith("__")}
    assert named == {*nestor.__all__, "algorithms"} - {"__version__"}
    assert {name for name in named if getattr(nestor, name) is not stub[name]} == set()


def test_every_name_is_found_whatever_was_imported_before() -> None:
    code = "import nestor.solving, nestor; names = dir(nestor); from nestor import *"
    code += "; assert set(nestor.__all__) <= {*names, 'print'} and callable(solve), names"
    code += "; assert nestor.solve is solve and not hasattr(nestor, 'missing')"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_is_that_of_the_package() -> None:
    assert nestor.__version__ == version("nestor")


def test_public_functions_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(nestor.solve)) is nestor.solve
