"""The compiled methods of a class: from the cache, or compiled now."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nestor import _core
from nestor.errors import InputError, extra_module
from nestor.foreign import cache
from nestor.foreign.methods import METHODS, Shape, begin_of, methods_of
from nestor.signals import signals_later


class Natives(NamedTuple):
    """The compiled methods of a class.

    Attributes
    ----------
    addresses : dict
        Where the native function of each method is.
    biased : bool
        Whether moves are added with a bias.
    key : str or None
        What tells this code from other code; None if nothing does.
    kept : object
        What keeps the code in memory.
    """

    addresses: dict[str, int]
    biased: bool
    key: str | None
    kept: object


_made: dict[str, Natives] = {}


def natives(rules: type, shape: Shape) -> Natives:
    """Return the compiled methods of a class.

    Raises
    ------
    MissingExtraError
        If Numba is not installed.
    InputError
        If a method cannot be compiled.
    """
    numba = extra_module("numba", "a compiled problem", "compiled")
    from llvmlite import binding

    from nestor.foreign import compiler
    from nestor.foreign.fingerprint import called, fingerprint

    # Others, such as `picture`, run in Python and may use what they like.
    methods = called(methods_of(rules), METHODS)
    prints = fingerprint(methods[name] for name in sorted(methods))
    machine = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    source = Path(compiler.__file__).read_bytes()
    versions = numba.__version__, np.__version__, binding.llvm_version_info
    made_by = *versions, _core.interface(), source
    told = repr(shape.state), shape[1:]
    key = cache.key_of(rules.__qualname__, sorted(methods), prints, machine, made_by, told)
    if key not in _made or prints is None:
        kept = None if prints is None else cache.read(key)
        if kept is None:
            names = [name for name in METHODS if name in methods]
            try:
                # In Numba and LLVM Ctrl-C would be lost, or look like a fault of the class.
                with signals_later():
                    kept = compiler.compile_methods(rules, names, shape, key)
                    if prints is not None:
                        cache.write(key, kept)
            except (
                numba.core.errors.NumbaError,
                numba.core.errors.UnsupportedBytecodeError,  # no NumbaError
            ) as error:
                raise InputError(_explained(rules, error)) from None
            except Exception as error:  # Numba has bugs, too
                what = f"{type(error).__name__}: {error}"
                if isinstance(error, KeyError) and error.args[0] not in (shape.state.names or ()):
                    what = f"the state has no field {error}: add it to the dtype"
                raise InputError(f"{rules.__qualname__} cannot be compiled: {what}") from error
        code, biased = kept
        with signals_later():
            loaded = {name: compiler.load(native) for name, native in code.items()}
        addresses = {name: address for name, (address, _) in loaded.items()}
        _made[key] = Natives(addresses, biased, None if prints is None else key, loaded)
    return _made[key]


HINTS = (
    (
        r"Unknown attribute '?(\w+)'? of type \w+\[",
        "self has no such attribute: __init__ sets those "
        "that methods may read, numbers and arrays of numbers",
    ),
    (
        r"Cannot resolve setattr: \(\w+\[|Cannot set an attribute of self",
        "the attributes of self stay as they are: what changes belongs in the state",
    ),
    (
        r"Untyped global name|NameError|cannot determine Numba type of <class 'function'>",
        "call a method of the class, or a function with the decorator numba.njit",
    ),
    (
        r"[Uu]nknown attribute '?(\w+)'? of type Record|Field '(\w+)' was not found",
        "the state has no such field: add it to the dtype",
    ),
    (
        r"Cannot unify|unify",
        "a name must have one type everywhere: say 0.0 for a float, int(x) for a whole number",
    ),
    (r"The 'with", "code that opens files or the like belongs in a method that is not compiled"),
    (r"readonly array", "arrays that are not fields of the state stay as they are"),
    (r"re-entrant|[Rr]ecursi", "a method cannot call itself: write a loop"),
    (
        r"dict|set\(|reflected list|list\(|ListType|List\(",
        "keep such things in arrays, which are fields of the state",
    ),
    (
        r"unicode_type|\bstr\b|JoinedStr|f-string",
        "text cannot be used here: move it to a method that is not compiled",
    ),
    (r"out.add takes", "out.add(move, code=..., bias=...) takes whole numbers and a number"),
)
"""What to write instead, by what Numba says."""


REASON = r"[Uu]nknown|Cannot|cannot|Invalid|Untyped|takes|must|support|unify|Use of"
"""What the line of Numba has that says what is wrong."""

EMPTY = r"Failed in nopython|Overload in function|^No match|^- |^<numba"
"""Lines of Numba that say nothing to a user."""


def _explained(rules: type, error: Any) -> str:
    """Return what is wrong with a method, where, and what to write instead."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    where, method = rules.__qualname__, ""
    lines = re.findall(r'File "([^"]+)", line (\d+)', text)
    lines += re.findall(r"lowering .* at (.+) \((\d+)\)", text)
    for name, function in methods_of(rules).items():
        code = function.__code__
        known = {line for _, _, line in code.co_lines() if line}
        for path, line in lines:
            if Path(path).name == Path(code.co_filename).name and int(line) in known:
                where, method = f"{Path(path).name}, line {line}", name
    made = re.search(r"<nestor [^>]*\.(\w+)>", text)
    if not method and made:  # what the method returns is wrong
        method = made[1]
        where = begin_of(methods_of(rules)[method])
    elif not method:
        loc = getattr(error, "loc", None)
        where = f"{Path(loc.filename).name}, line {loc.line}" if loc else where
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line and not re.search(EMPTY, line)] or lines
    reason = next((line for line in told if re.search(REASON, line)), told[0])
    hint = next((hint for pattern, hint in HINTS if re.search(pattern, text)), "")
    reason = reason.removesuffix(" Raised from None").rstrip(".")
    called = f"{rules.__qualname__}.{method}" if method else rules.__qualname__
    return f"{where}: {called} cannot be compiled: {reason[:300]}{f' ({hint})' if hint else ''}"
