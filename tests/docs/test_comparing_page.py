"""What the page on comparing algorithms shows works as shown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from nestor.cli.comparing import RUN
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "comparing.md"


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in blocks("python", PAGE):
        exec(code, names)
    out = capsys.readouterr().out
    assert "4D\n" in out
    assert "| algorithm | 4D | board |" in out
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        "runs.svg",
        "times.svg",
        "profile.svg",
        "families.svg",
        "instances.svg",
    }
    assert len(pandas.read_json("runs.jsonl", lines=True)) == 60
    (spec,) = blocks("toml", PAGE)
    assert set(tomllib.loads(spec)) < {*RUN, "save", "problems", "algorithms"}
