"""The house: short files, one type of problem, and recipes that touch few files."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from nestor.algorithms import ALGORITHMS
from nestor.problems import PROBLEMS
from nestor.settings import settings_of
from support.pages import ROOT


@cache
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


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return all nodes of the tree of a file in Python."""
    return list(ast.walk(ast.parse(path.read_text())))


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


def names_in(node: ast.expr) -> set[str]:
    """Return all names in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def test_the_kind_of_an_algorithm_or_a_search_is_asked_for_at_most_four_times() -> None:
    """Whether a value is an `Algorithm` at all is not its kind."""
    placed = [(path, node) for path in sources("python") for node in nodes(path)]
    classes = [node for _, node in placed if isinstance(node, ast.ClassDef)]
    kinds, known = {"Algorithm", "Session", "Jobs"}, 0
    while known < len(kinds):
        known = len(kinds)
        kinds |= {each.name for each in classes if set().union(*map(names_in, each.bases)) & kinds}
    assert {"BeamNRPA", "OwnAlgorithm", "WorkersSearch"} <= kinds
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in placed
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "isinstance"
        and names_in(node.args[1]) & (kinds - {"Algorithm"})
    ]
    assert len(asked) <= 4, asked


CHOOSING = {"python/nestor/algorithms/auto.py"}
"""It chooses among what there is, and a new algorithm need not be there."""

# How many files each may touch; what touches more, with a number that may only fall.
OPTION, ALGORITHM, BIAS = 4, 5, 3
LARGER = {
    "iterations": 7,
    "width": 7,
    "beam": 6,
    "policies": 6,
    "rna": 4,  # its folds come from another library
    "NRPA": 8,  # others build upon these two
    "GNRPA": 9,
    "distance": 5,
    "waiting": 5,
}
TWINS, ENGINE = "python/nestor/reference/", "crates/engine/src/"
FOLDERS = {"nrpa": "nrpa", "beam_nrpa": "beam", "nmcs": "nmcs"}
"""Where in the engine an algorithm is, by its name in the core."""
CORE = [kind for kind in ALGORITHMS.values() if getattr(kind, "core_name", None) in FOLDERS]


@cache
def untested(path: Path) -> str:
    """Return the code of a file in Rust without the tests in it."""
    return re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", code(path))[0]


def is_read(option: str, path: Path) -> bool:
    """Whether a file declares an option of an algorithm or reads it, as an attribute."""
    if path.suffix == ".rs":
        text = untested(path)
        read = re.search(r"[Ss]ettings\b", text) and re.search(
            rf"(?<!self)\.{option}\b(?!\()", text
        )
        return bool(read or re.search(rf"\bpub {option}:", text))
    return any(
        (isinstance(node, ast.Attribute) and node.attr == option)
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == option)
        for node in nodes(path)
    )


def rooms(kind: Any) -> list[Path]:
    """Return the files of an algorithm: its classes, its twin, and its folder in the engine.

    Elsewhere words such as "width" have other meanings; what is generic reads no option by name.
    """
    classes = {f"python/{each.__module__.replace('.', '/')}.py" for each in kind.__mro__}
    others = {f"{TWINS}{core}.py" for core in FOLDERS if core != kind.core_name}
    folders = (f"{ENGINE}{FOLDERS[kind.core_name]}/", f"{ENGINE}improve/")
    found = []
    for path in sources("python", "crates"):
        name = str(path.relative_to(ROOT))
        twin = name.startswith(TWINS) and name not in others and "/printed/" not in name
        if name in classes or twin or (name.startswith(folders) and "tests" not in name):
            found.append(path)
    return found


def check(name: str, files: set[str], most: int) -> None:
    """Check how many files something touches; print the row of the table (``pytest -s``)."""
    print(f"{len(files)} {name}:", *sorted(files))
    assert len(files) <= LARGER.get(name.split()[-1], most), files


@pytest.mark.parametrize("kind", CORE, ids=lambda kind: kind.__name__)
def test_an_option_touches_at_most_four_files(kind: Any) -> None:
    for option in settings_of(kind):
        files = {str(path.relative_to(ROOT)) for path in rooms(kind) if is_read(option, path)}
        check(f"{kind.__name__} {option}", files, OPTION)


def is_named(kind: Any, path: Path) -> bool:
    """Whether the code of a file names an algorithm: its class, or its module in the core."""
    if path.suffix == ".rs":
        own = FOLDERS[kind.core_name]
        return re.search(rf"\bmod {own}\b|\b{own}::", untested(path)) is not None
    named = (ast.Name, ast.alias, ast.ClassDef)
    return any(
        kind.__name__ in (getattr(node, "id", ""), getattr(node, "name", ""))
        for node in nodes(path)
        if isinstance(node, named)
    )


@pytest.mark.parametrize("kind", CORE, ids=lambda kind: kind.__name__)
def test_an_algorithm_touches_at_most_five_files(kind: Any) -> None:
    """Its folder in the engine counts as one; what its paper prints is beside its twin."""
    own, files = f"{ENGINE}{FOLDERS[kind.core_name]}", set()
    for path in sources("python/nestor", "crates"):
        name = str(path.relative_to(ROOT))
        if not re.search(r"tests?(\.rs$|/)|/printed/|examples|interleavings", name) and (
            name == f"{TWINS}{kind.core_name}.py" or is_named(kind, path)
        ):
            files.add(own if name.startswith(f"{own}/") else name)
    check(kind.__name__, files - CHOOSING, ALGORITHM)


IMPROVERS = re.compile(r"Improver<[^{]*> for (\w+)")


def test_an_improver_touches_at_most_four_files() -> None:
    """One that a problem brings along."""
    texts = {path: untested(path) for path in sources("crates/problems", "crates/python")}
    found = {name for text in texts.values() for name in IMPROVERS.findall(text)}
    assert len(found) > 3
    for name in found:
        files = {
            str(p.relative_to(ROOT)) for p, text in texts.items() if re.search(rf"\b{name}\b", text)
        }
        check(name, files, 4)


@pytest.mark.parametrize("kind", PROBLEMS.values(), ids=lambda kind: kind.__name__)
def test_a_bias_touches_at_most_three_files(kind: Any) -> None:
    """Those of the problem: other problems have words such as "size" too."""
    folder = kind.__module__.split(".")[2]
    for bias in kind.biases[1:]:
        named = naming(rf'"{bias}"|\b{bias.title()}\b')
        check(f"{folder} {bias}", {each for each in named if f"/{folder}" in each}, BIAS)


@pytest.mark.parametrize("kind", PROBLEMS.values(), ids=lambda kind: kind.__name__)
def test_a_problem_is_registered_in_at_most_three_files(kind: Any) -> None:
    """Texts, such as examples of commands, register nothing; in Python there are two lines."""
    folder = kind.__module__.split(".")[2]
    registered = rf"\bmod {folder}\b|\b{folder}::\w+::(new|checked)\b|\b{folder}::make\b"
    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources("python/nestor", "crates")
        if "tests" not in path.parts
        for line in path.read_text().splitlines()
        if re.search(registered if path.suffix == ".rs" else rf"problems\.{folder}\b", line)
        and folder not in path.relative_to(ROOT).as_posix()
    ]
    files = {line.partition(":")[0] for line in lines}
    check(folder, files, 3)


@pytest.mark.parametrize(
    ("title", "most"),
    [
        ("a problem", 5),
        ("a bias", 3),
        ("an option of NRPA", 4),
        ("an algorithm", 5),
        ("an improver", 4),
    ],
)
def test_the_recipe_is_as_short_as_that(title: str, most: int) -> None:
    """Each step is a file, or the folder of a problem."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split(f"## Add {title}\n")[1].split("\n## ")[0]
    assert 1 < len(re.findall(r"^\d+\. ", section, re.MULTILINE)) <= most
