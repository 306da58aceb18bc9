"""Compiled code that is kept between processes, under a hash of all that it was made from."""

from __future__ import annotations

import hashlib
import marshal
import os
import platform
import sys
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from nestor.errors import InputError
from nestor.files import whole

VARIABLE = "NESTOR_CACHE"
"""The environment variable that names the folder."""

LIBRARIES = {"numba", "numpy", *sys.stdlib_module_names}
"""What code is told by a name and a version: Numba knows it, or it comes with Python."""


def folder() -> Path:
    """Return the folder of compiled code."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("nestor", appauthor=False) / "compiled"


def read(key: str) -> Any:
    """Return what was kept under a key; None if there is nothing, or not all of it."""
    with suppress(OSError, EOFError, ValueError, TypeError):
        kept = (folder() / key).read_bytes()
        if hashlib.sha256(kept[32:]).digest() == kept[:32]:
            return marshal.loads(kept[32:])
    return None


def write(key: str, value: Any) -> None:
    """Keep a value of bytes, text, numbers, tuples and dicts, if there is a place for it."""
    data = marshal.dumps(value)
    with suppress(OSError, InputError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole(folder() / key) as temporary:
            temporary.write_bytes(hashlib.sha256(data).digest() + data)


def key_of(*parts: object) -> str:
    """Return the key for what depends on some things, whose `repr` says all of them."""
    return hashlib.sha256(repr((platform.python_version(), parts)).encode()).hexdigest()


def fingerprint(methods: Iterable[FunctionType]) -> list[Any] | None:
    """Return all that the code of some functions depends on; None if it cannot be told.

    Of a library in `LIBRARIES` it has names only: the versions of these are for the caller to add.
    """
    known: dict[Any, int] = {}
    try:
        return [_of_function(method, known) for method in methods]
    except TypeError:
        return None


def _of_function(function: FunctionType, known: dict[Any, int]) -> Any:
    if function in known:
        return known[function]
    known[function] = len(known)
    code = function.__code__
    names = _names(code)
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    values = {name: function.__globals__[name] for name in names & {*function.__globals__}}
    values |= {name: cell.cell_contents for name, cell in cells}
    used = [(name, _of_value(values[name], names, known)) for name in sorted(values)]
    return _of_code(code), _of_value(function.__defaults__, names, known), used


def _names(code: CodeType) -> frozenset[str]:
    """Return the names of the globals and of the attributes that a code uses."""
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return frozenset(code.co_names).union(*inner)


def _of_code(code: CodeType) -> Any:
    consts = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code.hex(), consts, code.co_names, code.co_varnames


def _of_value(value: Any, names: frozenset[str], known: dict[Any, int]) -> Any:
    """Return what a value is that a function uses; `names` are the attributes that it may read."""
    if isinstance(value, Enum):
        return value.name, _of_value(value.value, names, known)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.dtype):
        return repr(value)
    if isinstance(value, tuple):
        parts = [_of_value(part, names, known) for part in value]
        return parts, getattr(value, "_fields", None)
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, ModuleType):
        return _of_module(value, names, known)
    function = getattr(value, "py_func", value)  # what Numba has compiled, and how
    if isinstance(function, FunctionType):
        options = getattr(value, "targetoptions", {})
        return _of_function(function, known), sorted((n, repr(o)) for n, o in options.items())
    if isinstance(value, type) and issubclass(value, Enum):
        return [_of_value(member, names, known) for member in value.__members__.values()]
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return value._fields
    raised = isinstance(value, type) and issubclass(value, BaseException)
    if raised or _of_library(value):
        return f"{value.__module__}.{value.__qualname__}"
    if type(value).__module__.startswith("numba.core.types"):
        return repr(value)
    raise TypeError(f"{value!r} has no fingerprint")


def _of_module(module: ModuleType, names: frozenset[str], known: dict[Any, int]) -> Any:
    """Return the name of a module and the attributes that a function may read."""
    if module.__name__.partition(".")[0] in LIBRARIES:
        return module.__name__
    if (module, names) in known:
        return known[module, names]
    known[module, names] = len(known)
    read = {name: getattr(module, name) for name in sorted(names) if hasattr(module, name)}
    return module.__name__, [(n, _of_value(value, names, known)) for n, value in read.items()]


def _of_library(value: Any) -> bool:
    """Whether a class or a function is what a library has under its name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str)):
        return False
    found = getattr(sys.modules.get(module), name, None)
    return module.partition(".")[0] in LIBRARIES and found is value
