"""The code on the pages of the documentation runs, shortened; each page has a place on the site."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path

import pytest

from support.commands import Nestor
from support.pages import ROOT, blocks

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "reference" not in page.parts)
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))

SHORT = (
    (r"--seconds [\d.]+", "--playouts 300"),
    (r"\bseconds=[\d.e]+", "playouts=300"),
    (r"Key\(s\), 40\b", "Key(s), 5"),
    (r"range\(12\)", "range(2)"),
)
"""What takes long on the pages, and what stands here in its place."""


def short(code: str) -> str:
    """Return code with a smaller budget."""
    for long, small in SHORT:
        code = re.sub(long, small, code)
    return code


def elsewhere() -> set[str]:
    """Return the paths in docs/ of the pages that have a test of their own, which names them."""
    tests = (path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__))
    return set(re.findall(r'"([\w/-]+\.md)"', "".join(path.read_text() for path in tests)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_page(
    page: Path, run: Nestor, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if page.relative_to(DOCS).as_posix() in elsewhere():
        return
    pytest.importorskip("matplotlib")
    python = blocks("python", page)
    if python:
        (folder / "mine.py").write_text(python[0])
    (folder / "boards.txt").write_text("01201\n12012\n00121\n21001\n10210\n")
    for command in "".join(blocks("sh", page)).splitlines():
        done = run(*shlex.split(short(command))[1:])
        assert done.code == 0, f"{command}\n{done.err}"
    names: dict[str, object] = {}
    for code in python:
        exec(compile(short(code), str(page), "exec"), names)
    told = capsys.readouterr().out
    assert [text for text in blocks("text", page) if text not in told] == []
    for code in blocks("py", page):
        compile(code, str(page), "exec")


def test_languages_of_blocks_are_those_that_run() -> None:
    known = {"", "python", "py", "sh", "bash", "csv", "ini", "toml", "text"}
    known |= {"{toctree}", "{include}"}
    for page in PAGES:
        starts = re.findall(r"^```([^\s`]*)", page.read_text(), re.MULTILINE)[::2]
        assert set(starts) <= known, page


def test_pages_name_checkpoints_of_their_own() -> None:
    """Readers do one page after the other in one folder, where a search refuses another's."""
    named = [
        name for page in PAGES for name in set(re.findall(r"[\w-]+\.ckpt\b", page.read_text()))
    ]
    assert sorted(named) == sorted(set(named))


def test_every_page_has_a_place() -> None:
    """The last entry of How to takes all other pages of the folder itself."""
    listed = re.findall(r"^([\w/*-]+)$", (DOCS / "index.md").read_text(), re.MULTILINE)
    missing = [
        str(page.relative_to(DOCS))
        for page in (*PAGES, *NOTEBOOKS)
        if page.name != "index.md"
        and not any(page.relative_to(DOCS).with_suffix("").match(entry) for entry in listed)
    ]
    assert missing == [], "give these a line in a toctree of docs/index.md"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_small(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    for cell in cells:
        ast.parse("".join(cell["source"]))
    assert path.stat().st_size < 20_000
