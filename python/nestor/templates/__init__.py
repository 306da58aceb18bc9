"""Projects to begin with: `write` fills in the files that ``nestor new`` makes."""

from __future__ import annotations

import keyword
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from nestor.errors import InputError

KINDS = {
    "order": "things to put in the best order",
    "set": "things to choose from",
    "cover": "things to choose until it is enough",
    "game": "moves whose order matters, to the end of a game",
    "algorithm": "a search of your own over the primitives",
}
"""What can be begun, and what it is for."""

COMPILED = "compiled_"
"""How the name of a template begins that takes the place of another one if rules are compiled."""

RESERVED = {
    "nestor", "numpy", "numba", "pytest", "test", "checker", "run", "conftest",
    "any", "generator", "key", "playout", "policy", "sequence", "state",
}  # fmt: skip
"""Names that a project cannot have: modules, and what would be the names of other classes."""


def write(kind: str, name: str, compiled: bool = False, where: Path | None = None) -> list[Path]:
    """Write a small project into a new folder.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    name : str
        The folder, the module and, in capitals, the class.
    compiled : bool
        Whether the class is one for `nestor.compiled`.
    where : path, optional
        The folder in which the new one is made; the current one by default.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If there is no such kind, it has no compiled form, the name is not that of a module, or
        there is such a folder or file already.
    """
    if kind not in KINDS:
        raise InputError(f"kind must be {', '.join(KINDS)}, not {kind!r:.80}")
    if compiled and kind == "algorithm":
        raise InputError("an algorithm has no compiled form: its primitives run in the core")
    if not (name.isascii() and name.isidentifier() and name == name.lower().strip("_")):
        raise InputError(f"the name must be small letters, digits and _, not {name!r:.80}")
    for names, whose in (
        ({*keyword.kwlist, *keyword.softkwlist}, "is a keyword of Python"),
        (sys.stdlib_module_names, "is a module of Python"),
        (RESERVED, "is one that the project needs"),
    ):
        if name in names:
            raise InputError(f"the name must be that of a new module, and {name!r} {whose}")
    folder = (where or Path()) / name
    words = {"module": name, "Class": "".join(part.capitalize() for part in name.split("_"))}
    try:
        folder.mkdir()
    except FileExistsError:
        raise InputError(f"{folder} exists: give another name, or remove it first") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from None
    written = []
    for target, template in _templates(kind, compiled).items():
        path = folder / Template(target).substitute(words)
        path.write_text(Template(template.read_text("utf-8")).substitute(words), "utf-8")
        written.append(path)
    return written


def _templates(kind: str, compiled: bool) -> dict[str, Traversable]:
    """Return the templates of a kind by the names of the files that they make."""
    found: dict[str, Traversable] = {}
    here = files(__name__)
    own = sorted(here.joinpath(kind).iterdir(), key=lambda each: each.name.startswith(COMPILED))
    for each in (*here.joinpath("shared").iterdir(), *own):
        name = each.name.removesuffix(".txt")
        if compiled or not name.startswith(COMPILED):
            found[name.removeprefix(COMPILED)] = each
    return dict(sorted(found.items()))
