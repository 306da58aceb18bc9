"""The pages of the reference: a list for each public module, and a page for each of its names."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import nestor
from nestor.problems import PROBLEMS

MODULES = (
    "nestor",
    "nestor.problems",
    *sorted(problem.__module__.rpartition(".")[0] for problem in PROBLEMS.values()),
    *(f"nestor.{name}" for name in nestor._MODULES if name not in ("algorithms", "problems")),
)
"""The public modules; the algorithms are names of `nestor`."""

HEADINGS = ("Functions", "Algorithms", "Classes", "Errors")


def public(module: str) -> dict[str, object]:
    """Return the functions and classes that users may import from a module, by name."""
    members = import_module(module)
    listed = getattr(members, "__all__", None)
    found = {name: getattr(members, name) for name in listed or vars(members) if name[0] != "_"}
    return {
        name: value
        for name, value in sorted(found.items(), key=lambda item: item[0].lower())
        if callable(value) and (listed or value.__module__.startswith(module))
    }


def write(folder: Path) -> None:
    """Write all pages anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pages: dict[int, str] = {}  # the page of each object; some have several public names
    for module in MODULES:
        groups: dict[str, list[str]] = {}
        for name, value in public(module).items():
            full = f"{module}.{name}"
            groups.setdefault(group(value), []).append(pages.setdefault(id(value), full))
            if pages[id(value)] == full:
                (folder / f"{file(full)}.rst").write_text(page(full, value))
        (folder / f"{module}.rst").write_text(contents(module, groups))
    (folder / "index.rst").write_text(
        title("Reference") + listing(MODULES) + tree(MODULES, "nestor")
    )


def file(name: str) -> str:
    """Return the file of a page; those of `playout` and `Playout` differ in more than capitals."""
    last = name.rpartition(".")[2]
    return name if last.islower() else f"{name}-class"


def group(value: object) -> str:
    """Return under which heading a name is listed."""
    if not inspect.isclass(value):
        return "Functions"
    if issubclass(value, nestor.Algorithm):
        return "Algorithms"
    return "Errors" if issubclass(value, Exception) else "Classes"


def contents(module: str, groups: dict[str, list[str]]) -> str:
    """Return the page of a module."""
    text = f"{title(module)}.. automodule:: {module}\n\n.. py:currentmodule:: None\n\n"
    for heading in (heading for heading in HEADINGS if heading in groups):
        names = groups[heading]
        own = [name for name in names if name.rpartition(".")[0] == module]
        text += title(heading, "-") + listing(names) + tree(own, module)
    return text


def listing(names: Iterable[str]) -> str:
    """Return a table of names, each with the first line of its docstring."""
    lines = (f"   {name}\n" for name in names)
    return f".. autosummary::\n   :nosignatures:\n\n{''.join(lines)}\n"


def tree(names: Iterable[str], within: str) -> str:
    """Return the place of some pages in the table of contents."""
    lines = (f"   {name.removeprefix(f'{within}.')} <{file(name)}>\n" for name in names)
    return f".. toctree::\n   :hidden:\n\n{''.join(lines)}\n"


def page(name: str, value: object) -> str:
    """Return the page of a function or a class."""
    if not inspect.isclass(value):
        return f"{title(name)}.. autofunction:: {name}\n"
    # Members that Python's own classes give to all their subclasses are left out.
    bases = "tuple, dict, Exception, Executor, Mapping, Sequence, Generic"
    return f"{title(name)}.. autoclass:: {name}\n   :members:\n   :inherited-members: {bases}\n"


def title(text: str, line: str = "=") -> str:
    """Return a heading."""
    return f"{text}\n{line * len(text)}\n\n"
