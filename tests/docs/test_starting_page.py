"""What the page on starting and stopping shows works as shown; so do its options."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nestor.runs.saved import STOPS
from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "starting_and_stopping.md"


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for code in blocks("python", PAGE):
        exec(code, names)
    told = capsys.readouterr().out
    assert "no_improvement" in told
    assert "first_solved" in told
    assert told.count("cancelled") == 2
    assert "moves" in told
    assert "{'every': 200, 'topology': 'all'}" in told


def test_the_options(folder: Path, run: Nestor) -> None:
    def solved(options: str) -> Any:
        words = f"solve tsptw tour.txt --level 1 --iterations 5 --json --quiet {options}"
        return json.loads(run(*words.split()).out)

    found = solved("--no-improvement-playouts 40 --save run.json")
    assert found["stop_reason"] == "no_improvement"
    assert solved("--initial run.json --playouts 1")["moves"] == found["moves"]
    assert solved("--initial run.json --first-solved")["stop_reason"] == "first_solved"
    islands = solved("--jobs 2 --exchange 10 --topology ring --playouts 60")
    assert islands["options"] == {"exchange": {"every": 10, "topology": "ring"}}
    wrong = run("solve", "tsptw", "tour.txt", "--initial", "words.txt")
    assert wrong.code == 2
    assert "words.txt: initial: none of its stops is one of this problem" in wrong.err


def test_the_page_has_all_stop_reasons() -> None:
    table = PAGE.read_text().partition("## Stop reasons")[2].partition("## Exit codes")[0]
    named = [name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in row.split(", ")]
    assert sorted(named) == sorted(f"`{reason}`" for reason in STOPS)
