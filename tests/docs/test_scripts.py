"""The scripts of examples, benchmarks and papers run in small."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import nestor
from nestor import data
from support.commands import HOUR
from support.pages import ROOT

NEEDS_DATA = pytest.mark.skipif(
    data.VARIABLE not in os.environ, reason=f"no data: set {data.VARIABLE}"
)

# Arguments that make each as short as it can be; nothing is written outside the test's folder.
ALONE = [
    "examples/own_algorithm.py --seconds 0.1",
    "examples/peptide.py 24 1",
    "examples/expressions.py 30",
    "examples/field/ppa.py --playouts 60",
    "papers/learned-prior-2024/learn.py kakuro_10_11 --number 3",
]
LONG = [
    "examples/own_problem.py",
    "examples/two_tables.py 8 500",
    "examples/prior_from_results.py",
    "examples/guided_tours.py --train 3 --test 3 --playouts 50",
    "papers/reproduce.py nrpa-2011 figure-7 --scale smoke",
    "examples/guided_boards.py --train 3 --test 3 --playouts 50",
    "examples/two_ideas.py --instances 2 --seeds 2 --iterations 3",
    "examples/field/uct.py --playouts 40",
    "benchmarks/long_rna.py --lengths 1010 --seconds 1",
    "examples/field/beam_search.py --playouts 200",
    "papers/nrpa-2011/rates.py --share 0.0005",
    "benchmarks/samegame_settings.py weights --playouts 100 --boards 1 --seeds 2",
    "benchmarks/exchange.py --seeds 2 --jobs 2 --playouts 20 --every 5",
    "benchmarks/primitives.py --iterations 3 --repeats 1",
    "benchmarks/endurance.py --seconds 8 --kills 1",
    "benchmarks/choosing.py --seeds 1 --share 0.001",
    "benchmarks/eterna.py --numbers 1 --seconds 2",
    "examples/graph_conjectures.py 166 715 --seconds 20",
    "examples/records/cap_set.py 5 --seconds 1 --seeds 1 --pictures caps",
    "examples/records/flow_shop.py ta001 --seconds 1 --seeds 1",
    "examples/guided_torch.py --train 3 --test 3 --playouts 50",
    "examples/snake_in_the_box.py 6 --seconds 1",
    "examples/compiled_samegame.py --playouts 200 --repeats 1",
    "examples/compiled_tsptw.py --playouts 2000 --repeats 1",
    "benchmarks/orders.py tardiness-60% ordering-75 --seconds 0.1 --seeds 2 --playouts 100",
    "benchmarks/exchanges.py bins quadratic --playouts 100 --seeds 1 --apart",
    "benchmarks/plain.py --playouts 200",
    "benchmarks/memory.py --seconds 0.2 --every 0.1",
    "benchmarks/parallel.py --playouts 200 --repeats 1",
    "benchmarks/workers.py --seconds 0.5",
    "benchmarks/beside.py",
    "benchmarks/fronts.py --seconds 0.1 --seeds 1 --problems knapsacks",
    "benchmarks/cp_sat.py --seconds 1",
    "benchmarks/crosswords.py --playouts 60 --seeds 2",
    "benchmarks/crosswords.py --long 100 --seeds 1",
    "benchmarks/dozen.py --seconds 0.05 --seeds 1 --only Shop Agents",
    "benchmarks/few_evaluations.py --scores 20 --seeds 1 --who Nestor",
    "benchmarks/beams.py --length 20 --instances 1 --seconds 0.2",
    "benchmarks/few_levels.py --playouts 20 --seeds 1",
    "benchmarks/few_scores.py --seeds 1",
    "benchmarks/amounts.py --playouts 20 --seeds 1",
    "benchmarks/asked.py --instances 2 --told 20",
    "benchmarks/chains.py --playouts 50 --seconds 0.1 --seeds 1 --only knight prizes",
    "benchmarks/small.py --playouts 60 --seeds 1",
    "benchmarks/planned.py knapsack-200 Sidon --playouts 60 --seeds 1",
    "benchmarks/robust_tabu.py 5x5 --seconds 0.1 --seeds 1",
    "benchmarks/puzzles.py balanced --seconds 0.05 --seeds 1 --every 5",
]
WITH_DATA = [
    "benchmarks/tsptw.py pesant --seconds 0.1 --every 15",
    "benchmarks/puzzles.py kakuro --seconds 0.05 --seeds 1 --every 8",
    "benchmarks/samegame.py --playouts 100 --boards 1 --before",
    "benchmarks/speed.py --playouts 100 --repeats 1",
]

# Scripts with tests of their own.
RECORDS = {
    str(path.relative_to(ROOT))
    for folder in ("models", "records")
    for path in (ROOT / "examples" / folder).glob("*.py")
    if path.name != "proof.py"
}
LINES, PAIRED, RELEASE = (f"benchmarks/{name}.py" for name in ("lines", "paired", "release"))


@pytest.mark.parametrize(
    "command",
    [
        *ALONE,
        *(pytest.param(command, marks=NEEDS_DATA) for command in WITH_DATA),
        *(pytest.param(command, marks=(NEEDS_DATA, pytest.mark.long)) for command in LONG),
    ],
)
def test_the_script_runs(command: str, tmp_path: Path) -> None:
    script, *arguments = command.split()
    text = (ROOT / script).read_text()
    for package, extra in (("scipy", "papers"), ("distributed", "cluster")):
        if f"import {package}" in text or f"from {package}" in text:
            pytest.importorskip(package, reason=f"needs the extra {extra}")
    for package in ("ortools", "optuna", "pymoo", "torch"):
        if f'import_module("{package}' in text or f"from {package}" in text:
            pytest.importorskip(package, reason="no extra of Nestor brings it")
    if "nestor.compiled" in text:
        pytest.importorskip("numba", reason="needs the extra compiled")
    done = subprocess.run(
        [sys.executable, ROOT / script, *arguments],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=HOUR,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or list(tmp_path.iterdir())


@NEEDS_DATA
def test_two_checkouts_are_compared(tmp_path: Path) -> None:
    """Instead of two commits, which `paired.py` would build, it gets the package as it is here."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "nestor").symlink_to(Path(nestor.__file__).parent)
    (tmp_path / "benchmarks").symlink_to(ROOT / "benchmarks")
    command: list[str | Path] = [sys.executable, ROOT / PAIRED, tmp_path, tmp_path]
    options = ["--rows", "5d", "crossc", "--pairs", "3", "--seconds", "0.01"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    for row in ("Morpion 5D", "Crossword CrossC"):
        line = next(line for line in done.stdout.splitlines() if row in line)
        *_, ratio, interval, outcome, _ = (cell.strip() for cell in line.split("|"))
        low, high = map(float, interval.split(" to "))
        assert low <= float(ratio) <= high
        assert outcome == "same"
    assert "TSPTW" not in done.stdout


FOLDERS = ("examples", "benchmarks", "papers")
FILES = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
SCRIPTS = {
    str(path.relative_to(ROOT)): text for path in FILES if "__main__" in (text := path.read_text())
}


@pytest.mark.long
@pytest.mark.parametrize("script", sorted(s for s in SCRIPTS if "ArgumentParser" in SCRIPTS[s]))
def test_the_script_says_how_it_is_called(script: str) -> None:
    command: list[str | Path] = [sys.executable, ROOT / script, "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "usage:" in done.stdout, done.stderr


def test_every_script_is_in_the_table() -> None:
    table = {command.split()[0] for command in (*ALONE, *WITH_DATA, *LONG)}
    assert {*SCRIPTS} == {*table, *RECORDS, LINES, PAIRED, RELEASE}


def test_lines_of_code_are_neither_comments_nor_docstrings_nor_tests() -> None:
    lines = runpy.run_path(str(ROOT / LINES))
    python = '"""A module."""\n\nA = 1  # one\n"""What it is."""\n\n'
    python += 'def f():\n    # None.\n    return """\n"""\n'
    assert lines["of_python"](python) == 4
    rust = "//! A module.\nfn f() {} // here\n\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\n"
    assert lines["of_rust"](rust) == 1
