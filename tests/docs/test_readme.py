"""What the README shows works as shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nestor
from support.pages import blocks


def block(text: str) -> str:
    """Return the block of Python that has this text."""
    (found,) = (code for code in blocks("python") if text in code)
    return found


def test_three_problems(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for code in blocks("python")[:3]:
        exec(code.replace("seconds=1", "playouts=500"), names)
    out = capsys.readouterr().out
    assert "all windows met" in out
    best = nestor.solve(names["packing"], playouts=2000, seed=1)  # type: ignore[arg-type]
    assert best.score == 217


def test_the_first_example(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = data_dir / "tsptw" / "SolomonPotvinBengio" / "rc_204.1.txt"
    (tmp_path / instance.name).write_bytes(instance.read_bytes())
    monkeypatch.chdir(tmp_path)
    code = block("TSPTW.read").replace("seconds=10", "playouts=2000")
    names: dict[str, object] = {}
    exec(code, names)
    nestor.Result.load("run.json").verify()
    exec(block("width=16").replace("10**7", "2000").replace("level=4", "level=2"), names)
    assert names["result"].playouts == 2000  # type: ignore[attr-defined]


def test_routing(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("Bakery"), {})
    assert "windows met" in capsys.readouterr().out


def test_the_problem_of_your_own(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    exec(block("class Knapsack"), names)
    assert "score" in capsys.readouterr().out
    knapsack = names["Knapsack"]
    nestor.testing.check_problem(knapsack())  # type: ignore[operator]
    best = nestor.solve(knapsack(), playouts=2000)  # type: ignore[operator]
    assert best.score == 217


def test_priors(capsys: pytest.CaptureFixture[str]) -> None:
    exec(block("Prior.load"), {})
    assert "kakuro 10x10" in capsys.readouterr().out


def test_comparing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(block("nestor.compare("), names)
    assert len(nestor.Runs.load("runs.jsonl")) == 45
    assert names["runs"].failed == []
    assert "<svg" in Path("runs.svg").read_text()


def test_the_commands_are_where_ci_looks_for_them() -> None:
    first, second = blocks("sh")
    assert "nestor solve morpion 5D --seconds 10 --plot grid.svg" in first
    assert second.rstrip().endswith("/pytest -n auto")
