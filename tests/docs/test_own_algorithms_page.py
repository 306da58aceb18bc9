"""What the page on algorithms of one's own shows works as shown, also from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError
from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "own_algorithms.md"


def test_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for code in blocks("python", PAGE):
        exec(code, names)
    assert "playouts True" in capsys.readouterr().out
    with pytest.raises(InputError, match=r"^jump must be 0 to 1, not 2$"):
        names["teleporting"](jump=2)
    with pytest.raises(InputError, match=r"^longest must be at most iterations, 5, not 20$"):
        nestor.solve(names["problem"], names["teleporting"](iterations=5), playouts=5)


def test_the_command_line(folder: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    first, *others = blocks("python", PAGE)
    saved = next(code for code in others if "def nrpa(" in code)
    (folder / "page_module.py").write_text(first + saved)
    base = "solve morpion 4D --quiet --level 2 --set iterations=5 --algorithm page_module"
    found = run(*f"{base}:restarting --set patience=2 --playouts 20 --json --save r.json".split())
    algorithm = json.loads(found.out)["algorithm"]
    assert (algorithm["level"], algorithm["patience"]) == (2, 2)
    assert run("verify", "r.json").code == 0
    assert run(*f"{base}:nrpa --playouts 20 --checkpoint run.ckpt".split()).code == 0
    words = "resume run.ckpt --algorithm page_module:nrpa --playouts 30 --json -q"
    again = run(*words.split())
    assert json.loads(again.out)["playouts"] == 30
    for wrong, message in (
        ("--set patience", "--set must be NAME=VALUE"),
        ("--set patienc=2", "did you mean 'patience'"),
        ("--set patience=x", "'x' is not a whole number"),
        ("--alpha 2", "--alpha is for --algorithm nrpa, gnrpa or beam-nrpa"),
        ("--checkpoint x.ckpt", "has no state that could be saved"),
    ):
        refused = run(*f"{base}:restarting --playouts 5 {wrong}".split())
        assert refused.code == 2
        assert message in refused.err
    for name, message in (
        ("page_module:restartin", "did you mean 'restarting'"),
        ("page_module:adapt", "must be a function with the decorator nestor.algorithm"),
        ("nowhere:x", "cannot import 'nowhere:x'"),
        ("nrpa2", "'nrpa2' is not one of"),
    ):
        refused = run("solve", "morpion", "4D", "--algorithm", name, "--playouts", "5")
        assert refused.code == 2
        assert message in refused.err
    words = "solve morpion 4D --algorithm nrpa --set level=2 --playouts 5"
    plain = run(*words.split())
    assert "--set is for an algorithm of your own" in plain.err
