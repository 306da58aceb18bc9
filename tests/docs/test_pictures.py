"""What the page on pictures shows works as shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "pictures.md"


def test_the_page(tmp_path: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for code in blocks("python", PAGE):
        exec(code.replace("NRPA(3, 20)", "NRPA(1, 20)"), {})
    (commands,) = blocks("sh", PAGE)
    for command in commands.splitlines():
        assert run(*command.replace("--level 3", "--level 2 --iterations 10").split()[1:]).code == 0
    written = {path.name for path in Path().iterdir()}
    assert written >= {
        *("grid.svg", "grid.png", "best.svg", "both.svg", "so_far.svg", "part.svg"),
        *("run.json", "replay.html", "shop.svg", "shop.html", "shop_so_far.svg"),
    }
