"""Compiled code that is kept between processes, under a hash of all that it was made from."""

from __future__ import annotations

import hashlib
import marshal
import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from nestor.errors import InputError
from nestor.files import whole

VARIABLE = "NESTOR_CACHE"
"""The environment variable that names the folder."""


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
    """Return all that the code of some functions depends on; None if it cannot be told."""
    known: dict[int, int] = {}
    try:
        return [_of_function(method, known) for method in methods]
    except TypeError:
        return None


def _of_function(function: FunctionType, known: dict[int, int]) -> Any:
    if id(function) in known:
        return known[id(function)]
    known[id(function)] = len(known)
    code = function.__code__
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    values = {name: function.__globals__[name] for name in _names(code) & {*function.__globals__}}
    values |= {name: cell.cell_contents for name, cell in cells}
    used = [(name, _of_value(values[name], known)) for name in sorted(values)]
    return _of_code(code), _of_value(function.__defaults__, known), used


def _names(code: CodeType) -> set[str]:
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return {*code.co_names}.union(*inner)


def _of_code(code: CodeType) -> Any:
    consts = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code.hex(), consts, code.co_names, code.co_varnames


def _of_value(value: Any, known: dict[int, int]) -> Any:
    """Return what a value that a function uses is."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, tuple):
        return [_of_value(part, known) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()
    if isinstance(value, ModuleType):
        return value.__name__, getattr(value, "__version__", "")
    function = getattr(value, "py_func", value)  # what Numba has compiled
    if isinstance(function, FunctionType):
        return _of_function(function, known)
    if isinstance(value, type) or callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    raise TypeError(f"{value!r} has no fingerprint")
