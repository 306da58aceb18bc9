"""The house: short files, one type of problem, and recipes that touch few files."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.pages import ROOT


def sources(*folders: str) -> list[Path]:
    """Return the source files of some folders."""
    files = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    kinds = (path for path in files if path.suffix in (".rs", ".py", ".pyi"))
    return sorted(path for path in kinds if "target" not in path.parts)


@cache
def code(path: Path) -> str:
    """Return the words of a file without comments and docstrings."""
    text = path.read_text()
    if path.suffix == ".rs":
        return re.sub(r"//.*", "", text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        node.body[0].lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented) and ast.get_docstring(node) is not None
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kept = (t for t in tokens if t.type != tokenize.COMMENT)
    return " ".join(
        t.string for t in kept if t.type != tokenize.STRING or t.start[0] not in docstrings
    )


def naming(pattern: str) -> set[str]:
    """Return the files of the package and the core, their tests apart, whose code has a pattern."""
    found = set()
    for path in sources("python", "crates"):
        name = str(path.relative_to(ROOT))
        if re.search(r"tests?(\.rs$|/)", name) or name.endswith("examples.rs"):
            continue
        if re.search(pattern, code(path)):
            found.add(name)
    return found


@pytest.mark.parametrize("crate", ["engine", "problems", "python"])
def test_no_module_of_a_crate_uses_itself_by_way_of_others(crate: str) -> None:
    """Modules are files and folders under ``src``; a folder is one module."""
    folder = ROOT / "crates" / crate / "src"
    names = {path.stem for path in folder.iterdir()} - {"lib"}
    uses: dict[str, set[str]] = {name: set() for name in names}
    for path in folder.rglob("*.rs"):
        name = path.relative_to(folder).parts[0].removesuffix(".rs")
        if name != "lib" and "tests" not in path.stem:
            text = code(path).partition("#[cfg(test)]")[0]
            grouped = re.findall(r"use crate::\{([^}]*)\}", text)
            used = {*re.findall(r"crate::(\w+)", text), *re.findall(r"\w+", " ".join(grouped))}
            uses[name] = used & names - {name}
    TopologicalSorter(uses).prepare()


def test_nobody_asks_what_kind_of_problem_it_is() -> None:
    asking = naming(r"isinstance \( [^)]*\bNativeProblem\b")
    assert {name for name in asking if "nestor/problems/" not in name} == set()


# What names an example of each, its own files, and how many files may name it besides those.
OPTIONS = ("force_explore", "repetitions", "warm_start", "width_rate")
ALGORITHM = r"\bBeamNRPA\b|\bbeam_nrpa\b|\bBeamNrpa\b|\bbeam\s?::|\bmod beam\b"
BIASES = ('"lateness"', r"\bLateness\b")
PROBLEM = r"(?i)\bcrossword\b"
CHOOSING = {"python/nestor/algorithms/auto.py"}
"""It chooses among what there is, and a new option or algorithm need not be there."""


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_nrpa_touches_at_most_four_files(option: str) -> None:
    files = naming(rf"\b{option}\b") - CHOOSING
    assert {"python/nestor/algorithms/nrpa.py", "crates/engine/src/nrpa/settings.rs"} <= files
    assert len(files) <= 4, files


def test_an_algorithm_touches_at_most_five_files() -> None:
    """Its folder in the engine counts as one; what its paper prints is beside its twin."""
    own, printed = "crates/engine/src/beam", "python/nestor/reference/printed/"
    assert (ROOT / own).is_dir()
    naming_it = naming(ALGORITHM) - CHOOSING
    files = {name for name in naming_it if not name.startswith((own, printed))} | {own}
    assert "python/nestor/algorithms/beam_nrpa.py" in files
    assert len(files) <= 5, files


def test_a_bias_touches_at_most_three_files() -> None:
    files = naming("|".join(BIASES))
    assert "python/nestor/problems/tsptw/problem.py" in files
    assert len(files) <= 3, files


def test_a_problem_is_registered_in_at_most_three_lines() -> None:
    shared = [name for name in naming(PROBLEM) if not re.search(r"crossword[./]", name)]
    lines = [
        line
        for name in shared
        for line in (ROOT / name).read_text().splitlines()
        if re.search(PROBLEM, line) and not line.lstrip().startswith(("//", "#", '"""'))
    ]
    assert len(shared) <= 3, shared
    # In Python the import and the name in `__all__`.
    assert 1 <= len(lines) <= 4, lines


@pytest.mark.parametrize(
    ("title", "most"),
    [("a problem", 5), ("a bias", 3), ("an option of NRPA", 4), ("an algorithm", 5)],
)
def test_the_recipe_is_as_short_as_that(title: str, most: int) -> None:
    """Each step is a file, or the folder of a problem."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split(f"## Add {title}\n")[1].split("\n## ")[0]
    assert 1 < len(re.findall(r"^\d+\. ", section, re.MULTILINE)) <= most
