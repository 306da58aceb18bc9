"""The house: short files, one type of problem, and recipes that touch few files."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

from nestor.algorithms import ALGORITHMS, Race
from nestor.algorithms.own import OwnAlgorithm
from nestor.pareto import ParetoLocalSearch, ParetoNRPA
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
        if re.search(pattern, untested(path)):
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


def test_the_kind_of_an_algorithm_or_a_search_is_asked_for_at_most_three_times() -> None:
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
    assert len(asked) <= 3, asked


CHOOSING = {"python/nestor/algorithms/auto.py"}
"""It chooses among what there is, and a new algorithm need not be there."""

MOST = {"option": 4, "algorithm": 5, "improver": 4, "bias": 3, "problem": 3, "statistic": 6}
"""How many files each may touch; of a problem, those that register it."""

TWINS, ENGINE = "python/nestor/reference/", "crates/engine/src/"
MODULES = {"beam_nrpa": "beam", "local_search": "improve"}
"""Modules of the engine that do not have the name of the algorithm in the core."""
KINDS: list[Any] = [*ALGORITHMS.values(), Race, OwnAlgorithm, ParetoNRPA, ParetoLocalSearch]


def core_of(kind: Any) -> str:
    """Return the name of an algorithm in the core, or its own."""
    return getattr(kind, "core_name", "") or getattr(kind, "name", kind.__name__)


def file_of(kind: type) -> str:
    """Return the file of a class of the package."""
    return f"python/{kind.__module__.replace('.', '/')}.py"


def at_home(name: str, core: str) -> bool:
    """Whether a file is that of an algorithm in the engine, or in its folder."""
    module = MODULES.get(core, core)
    return re.match(rf"{ENGINE}(\w+/)*{module}(/|\.rs$)", name) is not None


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
        or (isinstance(node, ast.arguments) and option in [each.arg for each in node.kwonlyargs])
        for node in nodes(path)
    )


@cache
def asked(path: Path) -> set[str]:
    """Return what a file in Python asks an ``algorithm`` for."""
    return set(re.findall(r"\balgorithm \. (\w+)", code(path)))


def with_option(option: str, kind: Any) -> set[str]:
    """Return the files that declare or read an option of an algorithm.

    They are among its classes, its twin, and its folder in the engine; and there is what asks an
    ``algorithm`` for it. Elsewhere words such as "width" have other meanings.
    """
    core, own = core_of(kind), issubclass(kind, OwnAlgorithm)
    classes = set(map(file_of, kind.__mro__))
    others = {f"{TWINS}{core_of(each)}.py" for each in KINDS if core_of(each) != core}
    found = set()
    for path in sources("python", "crates"):
        name = str(path.relative_to(ROOT))
        twin = name.startswith(TWINS) and name not in others and "/printed/" not in name
        engine = at_home(name, core) or name.startswith(f"{ENGINE}improve/")
        if name in classes or (not own and (twin or (engine and "tests" not in name))):
            found |= {name} if is_read(option, path) else set()
        elif own == name.startswith("python/nestor/runs/own") and not name.startswith(TWINS):
            found |= {name} if option in asked(path) else set()
    return found - CHOOSING


def with_algorithm(kind: Any) -> set[str]:
    """Return the files that name an algorithm, its class or its module, and its twin.

    What it has in the engine counts as one; what its paper prints is beside its twin. The file of a
    subclass is not among them: whoever adds the subclass adds it.
    """
    core, files = core_of(kind), set()
    module = MODULES.get(core, core)
    used = rf"(?:crate|pub) mod {module}\b|\b{module}::(\w+::)*\{{?(start|Settings|Race)\b"
    for path in sources("python/nestor", "crates"):
        name = str(path.relative_to(ROOT))
        if re.search(r"tests?(\.rs$|/)|/printed/|/examples|interleavings", name):
            continue
        named = (
            re.search(used, untested(path)) is not None
            if path.suffix == ".rs"
            else any(
                kind.__name__ in (getattr(node, "id", ""), getattr(node, "name", ""))
                for node in nodes(path)
                if isinstance(node, ast.Name | ast.alias | ast.ClassDef | ast.FunctionDef)
            )
        )
        if at_home(name, core):
            files.add(f"{ENGINE}{module}")
        elif named or name == f"{TWINS}{core}.py":
            files.add(name)
    extending = {file_of(each) for each in KINDS if issubclass(each, kind) and each is not kind}
    return files - CHOOSING - extending


def improvers() -> dict[str, set[str]]:
    """Return the files of the improvers that problems bring along, by name."""
    texts = {path: untested(path) for path in sources("crates/problems", "crates/python")}
    pattern = re.compile(r"\b(?:Improver|Tries)<[^{]*> for (\w+)")
    return {
        name: {
            str(path.relative_to(ROOT))
            for path, text in texts.items()
            if re.search(rf"\b{name}\b", text) and "tests" not in path.stem
        }
        for name in {name for text in texts.values() for name in pattern.findall(text)}
    }


def with_bias(bias: str, folder: str) -> set[str]:
    """Return the files of a problem that name its bias; others have words such as "size" too.

    So have its own that say nothing of biases, as the picture of a tour has "waiting".
    """
    variants = {name for name in naming(rf"\b{bias.title()}\b") if name.endswith(".rs")}
    named = naming(f'"{bias}"') & naming("bias")
    return {name for name in variants | named if f"/{folder}" in name}


def registering(folder: str) -> set[str]:
    """Return the files that register a problem; texts, such as examples of commands, do not."""
    registered = rf"\bmod {folder}\b|\b{folder}::\w+::(new|checked)\b|\b{folder}::make\b"
    return {
        str(path.relative_to(ROOT))
        for path in sources("python/nestor", "crates")
        if "tests" not in path.parts and folder not in path.relative_to(ROOT).as_posix()
        for line in path.read_text().splitlines()
        if re.search(registered if path.suffix == ".rs" else rf"problems\.{folder}\b", line)
    }


def touched() -> dict[tuple[str, str], set[str]]:
    """Return the files that each option, algorithm, bias, and so on touches, by what it is.

    An option is that of all algorithms with the same name in the core.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for kind in KINDS:
        found["algorithm", kind.__name__] = with_algorithm(kind)
        for option in settings_of(kind):
            found["option", f"{option} of {core_of(kind)}"] |= with_option(option, kind)
    for name, files in improvers().items():
        found["improver", name] = files
    for problem in PROBLEMS.values():
        folder = problem.__module__.split(".")[2]
        found["problem", folder] = registering(folder)
        for bias in problem.biases:
            if bias != "none":
                found["bias", f"{bias} of {folder}"] = with_bias(bias, folder)
    found["statistic", "evaluated"] = naming(r"\bevaluated\b")
    found["statistic", "evaluated_per_second"] = naming(r"\bevaluated_per_second\b")
    return found


def test_nothing_touches_more_files_than_that() -> None:
    """``pytest -s`` prints all."""
    rows = touched()
    for (what, name), files in sorted(rows.items()):
        print(f"{len(files)} {what} {name}:", *sorted(files))
    assert all(rows.values())
    assert {each for each, files in rows.items() if len(files) > MOST[each[0]]} == set()


@pytest.mark.parametrize(
    ("title", "most"),
    [
        ("a problem", 5),
        ("a statistic", 6),
        ("a bias", 3),
        ("an option", 4),
        ("an algorithm", 5),
        ("an improver", 4),
    ],
)
def test_the_recipe_is_as_short_as_that(title: str, most: int) -> None:
    """Each step is a file, or the folder of a problem."""
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.split(f"## Add {title}\n")[1].split("\n## ")[0]
    assert 1 < len(re.findall(r"^\d+\. ", section, re.MULTILINE)) <= most
