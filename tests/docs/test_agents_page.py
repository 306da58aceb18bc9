"""The page for programs that write programs: its answers run, and it is told and published."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = Path(nestor.__file__).with_name("agents.md")


def test_the_ten_model_answers_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = re.findall(r"^### (\d+)\. ", PAGE.read_text("utf-8"), re.MULTILINE)
    answers = blocks("python", PAGE)
    assert list(map(int, numbers)) == list(range(1, 11)) == list(range(1, len(answers) + 1))
    names: dict[str, object] = {}
    for code in answers:
        assert "assert " in code  # each checks what it found
        exec(compile(code, str(PAGE), "exec"), names)
    for code in blocks("py", PAGE):
        compile(code, str(PAGE), "exec")
    assert capsys.readouterr().out


def test_the_cover_the_order_and_the_compiled_class_of_the_page_work() -> None:
    served, ordered, slow, _, packing = blocks("py", PAGE)
    names: dict[str, Any] = {
        "nestor": nestor,
        "np": np,
        "things": 6,
        "needs": {0: {1, 5}, 1: {2}},
        "cost": lambda plan: sum(place * thing for place, thing in enumerate(plan)),
        "reach": {place: {place, (place + 1) % 9, (place - 1) % 9} for place in range(9)},
    }
    exec(served.replace("seconds=10", "playouts=200, seed=1"), names)
    assert names["result"].score == 3
    exec(ordered.replace("seconds=10", "playouts=200, seed=1"), names)
    plan = names["plan"]
    assert plan.index(5) < plan.index(0)
    assert plan.index(2) < plan.index(1) < plan.index(0)
    cost, paid = names["cost"], list[tuple[int, ...]]()

    def paying(plan: list[int]) -> int:
        paid.append(tuple(plan))
        return cost(plan)  # type: ignore[no-any-return]

    names["cost"] = paying
    exec(slow.replace("200", "30"), names)
    assert len(paid) == 31
    assert len(set(paid)) == 30
    plan = names["plan"]
    assert plan.index(2) < plan.index(1) < plan.index(0)
    pytest.importorskip("numba", reason="needs the extra compiled")
    exec(packing, names)
    problem = names["Packing"]([5, 7, 9, 11], 20)
    nestor.testing.check_problem(problem, report=False)
    assert nestor.solve(problem, playouts=100, seed=1).score == 20


def test_the_commands_of_the_page_work(run: Nestor, folder: Path) -> None:
    party = next(code for code in blocks("python", PAGE) if "class Party" in code)
    (folder / "mine.py").write_text(party.partition("nestor.testing.check_problem")[0])
    commands = [
        line.removeprefix("nestor ").split()
        for block in blocks("sh", PAGE)
        for line in block.splitlines()
        if line.startswith("nestor ")
    ]
    assert commands
    sys.modules.pop("mine", None)  # other pages have a module of this name, too
    try:
        for words in commands:
            done = run(*" ".join(words).replace("--seconds 60", "--playouts 300").split())
            assert done.code == 0, done.err
    finally:
        sys.modules.pop("mine", None)


def test_the_messages_of_the_table_are_those_of_the_code() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "python").rglob("*.py"))
    source = re.sub(r"\"\s*\n\s*f?\"", "", source)
    table = PAGE.read_text("utf-8").partition("| message | cure |")[2].partition("\n\n")[0]
    for told in re.findall(r"`([^`]*)`", "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))):
        for part in re.split(r"\.\.\.|\bN\b|--\w+|\d+|'compiled'", told):
            if len(part.strip()) > 12:
                assert part.strip() in source, part


def test_it_is_told(run: Nestor) -> None:
    code, out, err = run("agents")
    assert (code, err) == (0, "")
    assert out.rstrip() == PAGE.read_text("utf-8").rstrip()
