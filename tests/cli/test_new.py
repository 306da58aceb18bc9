"""`nestor new` writes projects whose tests pass, and that the strictest checks find clean."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import nestor
from nestor.errors import InputError
from nestor.templates import KINDS, write
from support.commands import Nestor
from support.pages import ROOT
from support.parts import partly

PROJECTS = [*((kind, False) for kind in KINDS), *((kind, True) for kind in KINDS if kind[0] != "a")]
NAMES = {f"{kind}{'-compiled' * compiled}": (kind, compiled) for kind, compiled in PROJECTS}


def tool(name: str) -> str:
    """Return a tool of this environment, or of the path; skip the test if there is none."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    return found or pytest.skip(f"{name} is not installed")


def ran(*words: str, where: Path) -> str:
    """Run a program with this package; return what it prints."""
    path = str(Path(nestor.__file__).parents[1])
    paths = os.pathsep.join((path, str(ROOT / "tests")))
    done = subprocess.run(
        words,
        cwd=where,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths, "MYPYPATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(params=NAMES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A project that was just begun."""
    kind, compiled = NAMES[request.param]
    if compiled:
        pytest.importorskip("numba")
    write(kind, "apple_tree", compiled, tmp_path)
    return tmp_path / "apple_tree"


@pytest.mark.parametrize(
    "project",
    partly(NAMES, "order-compiled"),
    indirect=True,
)
def test_its_tests_pass_and_it_runs(project: Path) -> None:
    plugins = ("-p", "no:cacheprovider", "-p", "support.short_reports")
    told = ran(sys.executable, "-m", "pytest", "-q", *plugins, where=project)
    assert " passed" in told
    told = ran(sys.executable, "run.py", "--seconds", "0.3", where=project)
    assert told.strip()
    if (project / "run.json").exists():
        with pytest.raises(InputError, match="AppleTree"):
            nestor.Result.load(project / "run.json")  # not without the class


def test_it_is_formatted_and_lints_find_nothing(project: Path) -> None:
    ran(tool("ruff"), "format", "--check", "--no-cache", ".", where=project)
    select = "E,F,W,I,B,UP,C4,SIM,RUF,N,PT,D100,D101,D102,D103"
    ran(tool("ruff"), "check", "--no-cache", "--select", select, ".", where=project)


@pytest.mark.long
def test_its_types_are_strict(project: Path) -> None:
    ran(tool("mypy"), "--cache-dir", os.devnull, ".", where=project)


def test_what_cannot_be_begun_is_refused(run: Nestor, folder: Path) -> None:
    assert run("new", "set", "packing").code == 0
    code, out, err = run("new", "set", "packing")
    assert (code, out) == (2, "")
    assert err == "Error: packing exists: give another name, or remove it first\n"
    names = ("Packing", "a-b", "../up", "class", "json", "nestor", "match", "", "_x", "é", "state")
    for name in names:
        told = run("new", "set", name)
        assert (told.code, told.err.count("\n")) == (2, 1)
    assert "'sched' is a module of Python" in run("new", "order", "sched").err
    assert "did you mean 'order'" in run("new", "oder", "tour").err
    assert "no compiled form" in run("new", "algorithm", "idea", "--compiled").err
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["packing"]


def test_pytest_is_installed_first_where_it_is_missing(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nestor.cli.beginning.find_spec", lambda name: None)
    assert "  pip install pytest\n  pytest\n" in run("new", "set", "packing").out


def test_the_next_commands_are_told(run: Nestor, folder: Path) -> None:
    told = run("new", "game", "long_walk").out
    assert "cd long_walk\n  nestor check long_walk:LongWalk\n  pytest\n" in told
    written = {path.name for path in (folder / "long_walk").iterdir()}
    assert {"long_walk.py", "checker.py", "test_long_walk.py", "run.py"} < written
    assert all(name in told for name in written)
