"""What users name as "module:name": their own problems and algorithms."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from operator import is_
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from nestor.errors import InputError, nearest
from nestor.naming import SCRIPT


def imported(path: str, what: str, form: str) -> Any:
    """Import what is named "module:name"; the module may also be in the current folder.

    Raises
    ------
    InputError
        If it cannot be imported; the message says what it should be, and in which form.
    """
    module_name, _, attribute = path.partition(":")
    if not all(part.isidentifier() for part in f"{module_name}.{attribute}".split(".")):
        hint = without_suffix(module_name, attribute)
        raise InputError(f"{what} must be a known name or {form}, not {path!r:.80}{hint}")
    with suppress(FileNotFoundError):  # The folder may have been removed.
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.insert(0, here)
    try:
        return resolve_name(path)
    except ImportError as error:
        hint = without_suffix(module_name, attribute)
        raise InputError(f"cannot import {path!r}: {error}{hint}") from None
    except AttributeError as error:
        near = nearest(error.name, dir(error.obj))
        raise InputError(f"cannot import {path!r}: {error}{near}") from None


def place_of(thing: object) -> str | None:
    """Return the name "module:name" that an object has in an imported module, if it has one.

    A name in the script that runs is none: no other process could import it.
    """
    same = partial(is_, thing)
    for module in (type(thing).__module__, *sys.modules):
        names = getattr(sys.modules.get(module), "__dict__", {})
        # Most modules do not have it, and there are many.
        if module in SCRIPT or not any(map(same, [*names.values()])):
            continue
        for name, value in [*names.items()]:
            if value is thing and not name.startswith("_"):
                return f"{module}:{name}"
    return None


def beside(function: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return those of these names that are functions and classes of a function's own module."""
    found = {name: function.__globals__.get(name) for name in names}
    return {
        name: each
        for name, each in found.items()
        if callable(each) and getattr(each, "__module__", None) == function.__module__
    }


def name_of_script() -> str:
    """Return the name by which others import the script that runs; empty if they cannot."""
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None) or ""
    name = spec.name if spec else Path(file).stem  # A session has neither.
    return name if all(map(str.isidentifier, name.split("."))) else ""


def without_suffix(module_name: str, attribute: str = "") -> str:
    """Return how to name what is in a file, if the file was given in place of the name."""
    file, is_there = Path(module_name), False
    with suppress(OSError, ValueError):  # A name may be too long.
        is_there = Path(f"{module_name}.py").is_file()
    if file.suffix != ".py" and (attribute or not is_there):
        return ""
    place = "" if file.parent == Path() else f", in the folder {file.parent}"
    return f"; write {file.stem}:{attribute or 'NAME'}{place}"


def made(kind: type, path: str) -> Any:
    """Return an instance of an imported class, which is called without arguments.

    Raises
    ------
    InputError
        If it needs arguments.
    """
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise InputError(
            f"{path!r} must be an instance, or a class that needs no arguments: {error}"
        ) from None
    except ValueError:  # a class that is written in C need not say what it needs
        pass
    return kind()
