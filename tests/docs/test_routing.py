"""What the page on routing shows works as shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "routing.md"


def test_the_page(
    tmp_path: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    (table,) = blocks("csv", PAGE)
    Path("stops.csv").write_text(table, encoding="utf-8")
    rows = (",".join(str(9 * abs(i - j)) for j in range(7)) for i in range(7))
    Path("times.csv").write_text("\n".join(rows))
    durations = [[540 * abs(i - j) for j in range(7)] for i in range(7)]
    Path("osrm.json").write_text(json.dumps({"code": "Ok", "durations": durations}))
    commands = [line for block in blocks("sh", PAGE) for line in block.splitlines()]
    for command in (line for line in commands if line.startswith("nestor ")):
        words = re.sub(r"--seconds \d+", "--playouts 2000", command).split()
        assert run(*words[1:]).code == 0
    assert Path("tour.csv").read_text(encoding="utf-8").count("\n") == 9
    assert Path("tour.svg").exists()
    for code in blocks("python", PAGE):
        exec(code.replace("seconds=5", "playouts=2000"), {})
    assert "Mill 08:" in capsys.readouterr().out
