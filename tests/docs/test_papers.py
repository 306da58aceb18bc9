"""The tables and figures of the papers are declared, run in small, and shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from nestor import data
from support.commands import HOUR
from support.pages import ROOT, blocks

sys.path.insert(0, str(ROOT / "papers"))

import reproduce
from kit import ITEMS as DECLARED

reproduce.load()

needs_data = pytest.mark.skipif(
    data.VARIABLE not in os.environ, reason=f"no data: set {data.VARIABLE}"
)

ITEMS = {
    "nrpa-2011": {
        *(f"table {number}" for number in range(1, 7)),
        *(f"figure {number}" for number in (5, 7, 8)),
    },
    "beam-nrpa-2012": {"table 1", "algorithm 3", *(f"figure {number}" for number in (3, 4, 5))},
    "distributed-nrpa-samegame-2017": {"table 1", *(f"figure {n}" for n in (3, 4, 5))},
    "learned-prior-2024": {
        *(f"table {number}" for number in range(1, 4)),
        *(f"figure {number}" for number in range(1, 7)),
    },
    "gnrpa-2020": {"table 1", "table 2", "figure 1", "figure 2"},
}
"""What each paper has, apart from figures that show algorithms or the rules of a game."""

PAGE = ROOT / "docs" / "papers.md"


class Run(NamedTuple):
    """What a run of the command printed, and how many items could not be run."""

    broken: int
    out: str
    err: str


def run(folder: Path, *arguments: str, public: Path | None = None) -> Run:
    """Run the command here with its output in a folder, or offline on public data alone."""
    out, err = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["reproduce.py", *arguments, "--folder", str(folder)])
        for name, value in (offline_on(public) if public else {}).items():
            patch.setenv(name, value)
        broken = reproduce.main()
    return Run(broken, out.getvalue(), err.getvalue())


def process(folder: Path, public: Path, *arguments: str) -> str:
    """Run the command in its own process, offline on public data alone; return what it prints."""
    done = subprocess.run(
        [sys.executable, ROOT / "papers/reproduce.py", *arguments, "--folder", folder],
        capture_output=True,
        text=True,
        timeout=HOUR,
        env=os.environ | offline_on(public),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def offline_on(public: Path) -> dict[str, str]:
    """Return variables with which there is no other data, and no network that is asked politely."""
    nowhere = "http://127.0.0.1:9"
    return {
        data.VARIABLE: str(public),
        "XDG_CACHE_HOME": str(public / "cache"),
        **dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), nowhere),
    }


@pytest.fixture(scope="session")
def public(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `nestor fetch` gets, and nothing else."""
    folder = tmp_path_factory.mktemp("public")
    listed = [path for each in data.sets().values() for path in each.paths]
    for path in (path for path in listed if (data_dir / path).exists()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data_dir / path, folder / path)
    return folder


@pytest.fixture(scope="module")
def two(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    """A folder in which two items were run, one after the other, and what that printed."""
    folder = tmp_path_factory.mktemp("two")
    items = (("nrpa-2011", "figure-7"), ("learned-prior-2024", "figure-4"))
    return folder, [run(folder, *item) for item in items]


def test_every_item_is_declared() -> None:
    for paper, items in ITEMS.items():
        assert {each.name for each in DECLARED if each.paper == paper} == items
    with pytest.raises(SystemExit, match=r"(?s)no such item; there are\n.*nrpa-2011 'table 1': "):
        reproduce.chosen("none", None)


def test_readmes_are_written_from_what_was_run(
    two: tuple[Path, list[Run]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = tmp_path / "papers"
    shutil.copytree(ROOT / "papers", papers)
    monkeypatch.setattr(reproduce, "HERE", papers)
    run(two[0], "--readme")
    readme = (papers / "learned-prior-2024/README.md").read_text()
    assert readme.startswith("# Learning a Prior")
    assert "| least ratio |" in readme
    assert "Not run." not in readme
    index = (papers / "README.md").read_text()
    assert "| learned-prior-2024 | figure 4 | none | 2 not comparable, 1 agrees |" in index
    assert index.count("\n| ") == (ROOT / "papers/README.md").read_text().count("\n| ")
    before = (ROOT / "papers/learned-prior-2024/README.md").read_text()
    kept = "\n### Table 1: "
    assert kept in before
    assert (
        readme.partition(kept)[2].partition("\n### ")[0]
        == (before.partition(kept)[2].partition("\n### ")[0])
    )


@pytest.mark.parametrize("paper", ITEMS)
def test_readmes_show_every_item(paper: str) -> None:
    readme = (ROOT / "papers" / paper / "README.md").read_text()
    assert all(f"\n### {name.capitalize()}: " in readme for name in ITEMS[paper])


def test_the_index_lists_every_item() -> None:
    index = (ROOT / "papers/README.md").read_text()
    for paper, items in ITEMS.items():
        assert all(f"\n| {paper} | {name} | " in index for name in items)


def test_items_are_printed_and_shown_on_a_page_with_those_that_were_run_before(
    two: tuple[Path, list[Run]],
) -> None:
    folder, (first, second) = two
    assert (first.broken, second.broken) == (0, 0)
    assert "words: 2 hold; numbers: none" in first.out
    page = (folder / "index.html").read_text()
    assert '<img src="data:image/svg+xml;base64,' in page
    assert not re.search(r"(src|href)=.(?!#|data:)", page)
    assert page.count("not run") == sum(map(len, ITEMS.values())) - 2
    assert 'id="nrpa-2011-figure-7"' in page
    assert 'id="learned-prior-2024-figure-4"' in page


@needs_data
def test_an_item_that_cannot_be_run_does_not_end_the_others(tmp_path: Path) -> None:
    (tmp_path / "gnrpa-2020-samegame-smoke.jsonl").write_text("no run\n")
    done = run(tmp_path, "gnrpa-2020", "--scale", "smoke")
    assert done.broken > 0
    assert "gnrpa-2020, table 1: Error:" in done.err
    assert "gnrpa-2020, table 2" in done.out


def test_an_item_whose_set_is_missing_says_how_to_get_it(tmp_path: Path) -> None:
    (empty := tmp_path / "empty").mkdir()
    done = run(tmp_path, "nrpa-2011", "figure-7", "--scale", "smoke", public=empty)
    assert done.broken == 1
    assert "nrpa-2011, figure 7: Error: no 'morpion/records/5T/rosin177a.json'" in done.err
    assert "`nestor fetch morpion-records` gets it" in done.err


@pytest.mark.parametrize(
    ("paper", "names"),
    [
        ("gnrpa-2020", ("table 2",)),
        *(pytest.param(*each, marks=pytest.mark.long) for each in ITEMS.items()),
    ],
    ids=lambda each: each if isinstance(each, str) else f"{len(each)}",
)
def test_items_run_on_public_data(
    paper: str, names: Collection[str], public: Path, tmp_path: Path
) -> None:
    item = [each.replace(" ", "-") for each in names] if len(names) == 1 else []
    words = (paper, *item, "--scale", "smoke")
    told = process(tmp_path, public, *words)
    page = (tmp_path / "index.html").read_text()
    assert all(f'id="{paper}-{name.replace(" ", "-")}"' in page for name in names)
    lines = {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    assert process(tmp_path, public, *words) == told
    assert {path: path.read_bytes() for path in lines} == lines


def test_the_table_of_the_page_is_what_its_script_prints(tmp_path: Path) -> None:
    """In small: the first budget. The counts of this are those that the page shows."""
    (script,) = blocks("python", PAGE)
    (tmp_path / "table_1.py").write_text(script.replace("range(10, 18)", "range(10, 11)"))
    bare = {name: value for name, value in os.environ.items() if name != data.VARIABLE}
    told = subprocess.run(
        [sys.executable, "table_1.py"],
        cwd=tmp_path,
        env=bare,
        capture_output=True,
        text=True,
        timeout=HOUR,
    )
    assert told.stderr == ""
    shown = PAGE.read_text().partition("```\nplayouts ")[2].partition("```")[0]
    first = len("sampling + prior    100")
    lines = [line[:first] for line in f"playouts {shown}".splitlines()]
    assert [line[:first] for line in told.stdout.splitlines()] == lines


def test_the_page_names_items_and_scales_that_there_are() -> None:
    shown = PAGE.read_text()
    commands = re.findall(r"^python (papers/reproduce.py)(?: (\S+) (\S+)-(\d) (.*))?$", shown, re.M)
    assert len(commands) == shown.count("reproduce.py") == 3
    for script, paper, kind, number, options in commands:
        assert (ROOT / script).exists()
        assert not paper or f"{kind} {number}" in ITEMS[paper]
        assert options.split()[1:2] in ([], ["smoke"], ["day"])
