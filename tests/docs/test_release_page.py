"""The page of releases says what is in the file of releases, and a loss is seen on it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from nestor import data
from support.commands import HOUR
from support.pages import ROOT


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "benchmarks/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(version: str, gap: float, instructions: int) -> dict[str, Any]:
    return {
        "version": version,
        "machine": "M",
        "playouts": 1000,
        "seeds": 2,
        "gap": {"5D": gap, "5T": 20.0},
        "instructions": {"5D": instructions},
    }


def test_the_page_is_that_of_the_file(release: ModuleType) -> None:
    lines = (ROOT / release.KEPT).read_text().splitlines()
    assert (ROOT / release.PAGE).read_text() == release.page([json.loads(line) for line in lines])
    assert (ROOT / release.PICTURE).exists()


def test_a_loss_is_seen(release: ModuleType, tmp_path: Path) -> None:
    rows = [row("1.0", 10.0, 40_000), row("1.1", 12.0, 50_000)]
    page = release.page(rows)
    assert "| 1.0 | 10.00 | 20.00 | 15.00 |" in page
    assert "| 1.1 | 12.00 | 20.00 | 16.00 |" in page
    assert "| 1.1 | 50.0 (+25.0%) |" in page
    release.draw(rows, tmp_path / "releases.svg")
    assert (tmp_path / "releases.svg").stat().st_size > 1000


def test_a_version_has_one_row(release: ModuleType) -> None:
    rows = [row("1.0", 10.0, 40_000), row("1.1", 12.0, 50_000)]
    again = row("1.0", 9.0, 40_000)
    assert release.replaced(rows, again) == [again, rows[1]]
    assert release.replaced(rows, row("1.2", 9.0, 1))[:2] == rows


@pytest.mark.long
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
@pytest.mark.skipif(data.folder() is None, reason=f"no data: set {data.VARIABLE}")
def test_a_checkout_is_measured(release: ModuleType, tmp_path: Path) -> None:
    command = [sys.executable, f"{ROOT}/benchmarks/release.py", f"{ROOT}", "--into", f"{tmp_path}"]
    subprocess.run([*command, "--playouts", "20", "--seeds", "1"], check=True, timeout=HOUR)
    (line,) = (tmp_path / release.KEPT).read_text().splitlines()
    assert all(count > 0 for count in json.loads(line)["instructions"].values())
