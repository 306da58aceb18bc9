"""Text that others wrote does nothing but stand there, whatever it is written to."""

from __future__ import annotations

import ast
import contextlib
import csv
import doctest
import io
import json
import re
import warnings
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nestor
from nestor import NRPA, InputError, Result, Sampling, safe
from nestor.cli import main
from nestor.console import Console
from nestor.plot.page import replay
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, SameGame
from nestor.problems.rna import to_csv, to_fasta
from nestor.problems.tsptw.schedule import csv_text
from support.instances import SMALL_BOARD, small_tsptw
from support.pages import ROOT

EVIL = "\x1b[31mred\x07\x9b1m\r\u202e\ud800\0</script><b>&\"'--><!--]]>=1+1"
"""What a terminal, a page, an SVG and a spreadsheet would each obey a part of."""

FORMULAS = [
    "=1+1",
    "+A1",
    "-A1",
    "@SUM(1)",
    "\t=1",
    "\uff1d1",
    "\uff20a",
    "'=1",
    "''@x",
    "-1-1",
    "+1e5x",
    "-1\n",
]
PLAIN = ["O'Hara", "'tis", "-5", "+1.5e-3", "-0:30", "1=1", "", "a@b"]

PACKAGE = ROOT / "python" / "nestor"

WRITERS = {
    # The version and an early signal, before anything else is imported.
    "print": {"safe.py", "cli/__init__.py", "cli/interrupts.py"},
    "click.echo": set(),
    "click.secho": set(),
    "click.style": set(),
    "traceback.print_exception": set(),
    "traceback.print_exc": set(),
    "sys.stdout.write": set(),
    "sys.stderr.write": set(),
    "warnings.warn": {"errors.py"},
    "html.escape": {"safe.py"},
    "xml.sax.saxutils.escape": set(),
    "csv.writer": {"safe.py"},
    "csv.DictWriter": set(),
    "rich.print": set(),
    "rich.console.Console": {"console.py"},
    "matplotlib.figure.Figure": {"render.py"},
    ".savefig": {"render.py"},
    ".to_csv": set(),
    ".to_html": set(),
    "ensure_ascii": {"safe.py"},
}
"""What writes text as it is, and the files of the package that may use it."""


def used(source: str) -> set[str]:
    """Return which of the writers a file uses, whatever it calls them."""
    tree = ast.parse(source)
    names = {"print": "print"}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword):
            found.add(node.arg or "")
        elif isinstance(node, ast.Name | ast.Attribute):
            written = ast.unparse(node)
            first, *rest = written.split(".")
            found |= {".".join([names.get(first, first), *rest]), f".{rest[-1]}" if rest else ""}
    return found & WRITERS.keys()


def test_nothing_is_written_but_through_safe() -> None:
    found: dict[str, set[str]] = {writer: set() for writer in WRITERS}
    for path in PACKAGE.rglob("*.py"):
        for writer in used(path.read_text()):
            found[writer].add(str(path.relative_to(PACKAGE)))
    assert found == WRITERS


@pytest.mark.parametrize(
    ("source", "writer"),
    [
        ("print('x')", "print"),
        ("from click import echo as say\nsay('x')", "click.echo"),
        ("import click\nclick.echo('x', err=True)", "click.echo"),
        ("import sys\nsys.stderr.write('x')", "sys.stderr.write"),
        ("def f():\n from html import escape\n return escape('x')", "html.escape"),
        ("import csv as table\ntable.writer(file)", "csv.writer"),
        ("figure.savefig(path)", ".savefig"),
        ("map(print, names)", "print"),
        ("from rich.console import Console\nConsole().print('x')", "rich.console.Console"),
        ("json.dumps(x, ensure_ascii=False)", "ensure_ascii"),
    ],
)
def test_a_writer_is_found(source: str, writer: str) -> None:
    assert used(source) == {writer}


def test_the_examples_of_safe() -> None:
    assert doctest.testmod(safe).failed == 0


@given(st.text(alphabet=st.characters()))
def test_visible_texts_steer_nothing(text: str) -> None:
    shown = safe.visible(text)
    assert not safe.CONTROLS.search(shown)
    assert safe.visible(shown) == shown
    tree = ElementTree.fromstring(f'<x y="{safe.markup(text)}">{safe.markup(text)}</x>')
    assert tree.text or not text
    assert list(tree) == []
    assert json.loads(safe.script([text])) == [text]
    assert not safe.CONTROLS.search(safe.script([text]))
    assert "<" not in safe.script([text])


@given(st.text(alphabet=st.sampled_from("'=+-@\uff1d\uff0b\uff0d\uff20\t\n1.e:aA ,;\"")))
def test_cells_come_back_exactly(text: str) -> None:
    (row,) = csv.reader(io.StringIO(safe.csv_table([[text, 1.5, -3, "end"]]), newline=""))
    assert safe.from_cell(row[0]) == text
    assert row[1:] == ["1.5", "-3", "end"]
    number = re.fullmatch(r"[+-]?[\d.,:]+(e[+-]?\d+)?", row[0], re.ASCII)
    assert number or not row[0].startswith(tuple("=+-@\t\uff1d\uff0b\uff0d\uff20"))


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert safe.cell(text) == f"'{text}"
    assert safe.from_cell(f"'{text}") == text


@given(st.text())
def test_cells_steer_nothing(text: str) -> None:
    assert safe.CONTROLS.sub("", safe.csv_table([[text]])) == safe.csv_table([[text]])


@pytest.mark.parametrize("text", PLAIN)
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert safe.cell(text) == safe.from_cell(text) == text


def titled(problem: Any) -> Any:
    """Return a problem with an evil title."""
    return type(problem).from_dict({**problem.to_dict(), "label": EVIL})


PROBLEMS: dict[str, Any] = {
    "tsptw": titled(small_tsptw(names=[f"{EVIL}{node}" for node in range(9)])),
    "samegame": titled(SameGame(SMALL_BOARD)),
    "crossword": titled(Crossword(["mars", "earth", "sun"], 7)),
    "latin": titled(LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])),
    "kakuro": titled(Kakuro.generate(4, 5, 1)),
    "rna": titled(RNA("((....))")),
}


@cache
def solved(name: str) -> Result:
    return nestor.solve(PROBLEMS[name], NRPA(1, 5), seed=1)


@pytest.fixture(params=PROBLEMS)
def result(request: pytest.FixtureRequest) -> Result:
    if request.param == "rna":
        pytest.importorskip("RNA")
    return solved(request.param)


def test_texts(result: Result) -> None:
    many = nestor.solve_many(
        result.problem, Sampling(), distinct=1, target=result.score, playouts=9
    )
    for shown in (result, result.solution, result.problem, many):
        for text in (str(shown), repr(shown)):
            assert not safe.CONTROLS.search(text)
    assert r"\x1b[31mred" in str(result)
    html = result._repr_html_()
    assert not safe.CONTROLS.search(html)
    assert "<b>" not in html
    assert "</script" not in html


def test_pictures(result: Result, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for path, draw in {"plot.svg": result.plot, "time.svg": result.timeline}.items():
        draw(tmp_path / path)
        ElementTree.parse(tmp_path / path)
        figure = draw()
        figure.savefig(tmp_path / "own.svg")
        ElementTree.parse(tmp_path / "own.svg")
        ElementTree.fromstring(figure._repr_svg_())
    replay(result, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not safe.CONTROLS.search(page)
    assert page.count("</script>") == 2
    assert "<b>" not in page


def test_pictures_of_comparisons(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    runs = nestor.compare({EVIL: PROBLEMS["latin"]}, {f"{EVIL} 2": Sampling()}, seeds=2, playouts=4)
    runs.plot(tmp_path / "runs.svg")
    ElementTree.parse(tmp_path / "runs.svg")
    table = runs.table()
    for text in (str(table), str(runs), table.markdown(), table._repr_html_()):
        assert not safe.CONTROLS.search(text)


def test_columns_are_as_wide_as_what_is_shown() -> None:
    names = ["depot", *(f"stop {node}" + "\x1b[2J" * node for node in range(1, 9))]
    tours, tables = list[str](), list[str]()
    for called in (names, list(map(safe.visible, names))):
        tour = nestor.solve(small_tsptw(names=called), Sampling(), playouts=2).solution
        tours.append(safe.visible(tour.text()))
        algorithms = {called[-1]: Sampling(), "other": NRPA(1, 5)}
        runs = nestor.compare({called[1]: PROBLEMS["latin"]}, algorithms, seeds=2, playouts=4)
        tables.append(str(runs.table()))
    assert tours[0] == tours[1]
    assert tables[0] == tables[1]


def test_the_console(result: Result, tmp_path: Path) -> None:
    """What the commands print, errors and all, on a terminal as well."""
    result.save(path := tmp_path / "run.json")
    for words in ("verify", "verify --json", "replay", "replay --json"):
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
            contextlib.suppress(SystemExit),
        ):
            main([*words.split(), str(path)])
        assert out.getvalue()
        assert not safe.CONTROLS.search(out.getvalue() + err.getvalue())
    assert not safe.CONTROLS.search(result.heading)
    file = io.StringIO()
    Console(file=file, force_terminal=True).print(result.heading, markup=False)
    assert not safe.CONTROLS.search(re.sub("\x1b" + r"\[[\d;]*m", "", file.getvalue()))
    assert "\x1b[31m" not in file.getvalue()


def test_errors_and_warnings() -> None:
    assert str(InputError(EVIL)) == safe.visible(EVIL)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nestor.errors.warn(EVIL)
    assert str(caught[0].message) == safe.visible(EVIL)
    with pytest.raises(InputError) as refused:
        Result.load(f"{EVIL.replace(chr(0), '')}/\x1b[31m.json")
    assert not safe.CONTROLS.search(str(refused.value))


def test_tables_of_stops_come_back(tmp_path: Path) -> None:
    """The names in a schedule are read again as they were."""
    names = ["Depot", "=1+1", "+A1", "-A1", "@x", "'=1", "O'Hara", "-5", '"a", b']
    (tmp_path / "stops.csv").write_text(
        safe.csv_table([["name", "x", "y", "due"], *([n, k, k, 99] for k, n in enumerate(names))])
    )
    problem = TSPTW.read(tmp_path / "stops.csv")
    assert problem.names == tuple(names)
    tour: Any = nestor.solve(problem, Sampling(), playouts=1).solution
    rows = list(csv.DictReader(io.StringIO(csv_text(tour))))
    assert [safe.from_cell(row["name"]) for row in rows] == [
        names[int(row["stop"])] for row in rows
    ]
    assert not any(row["name"].startswith(("=", "+", "@", "-A")) for row in rows)


def test_tables_and_records_of_designs() -> None:
    pytest.importorskip("RNA")
    designs: list[Any] = [
        RNA("((....))", title=title).design("GCAAAAGC") for title in ("=1+1\n>two\nACGU", EVIL)
    ]
    rows = list(csv.DictReader(io.StringIO(to_csv(designs))))
    assert [row["name"][0] for row in rows] == ["'", "\\"]
    fasta = to_fasta(designs) + to_fasta(designs[:1])
    assert fasta.count("\n>") == 2
    assert not safe.CONTROLS.search(fasta)
