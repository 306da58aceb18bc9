"""What the page on clusters shows works as shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import HOUR, Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "cluster.md"


def test_the_script_with_processes(tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.write_text(blocks("python", PAGE)[0].replace("20_000", "2000"))
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=HOUR)
    assert told.stderr == ""
    assert float(told.stdout.split()[0]) > 0


def test_the_others_are_python() -> None:
    for code in (*blocks("python", PAGE), *blocks("py", PAGE)):
        compile(code, str(PAGE), "exec")


def test_the_command_without_a_scheduler(run: Nestor) -> None:
    pytest.importorskip("distributed")
    (words,) = (each.split() for each in blocks("sh", PAGE) if each.startswith("nestor"))
    told = run(*(word.replace(":8786", ":9") for word in words[1:]))
    assert told.code == 2
    assert "none answers at 'tcp://127.0.0.1:9'" in told.err
    assert told.err.count("\n") == 1
