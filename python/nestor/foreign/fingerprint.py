"""What compiled code was made from: the code and the values of all that some functions reach.

What Numba and NumPy have and what comes with Python is told by its name, since it belongs to a
version. Which modules these are, their files say. Of everything else the content counts.
"""

from __future__ import annotations

import dis
import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import builtin_registry

from nestor.naming import name_of

PLAIN = type(None), bool, int, float, complex, str, bytes
"""Types whose values `repr` tells."""


def fingerprint(methods: Iterable[FunctionType]) -> list[Any] | None:
    """Return all that the code of some functions depends on; None if it cannot be told.

    The versions of Python, NumPy and Numba are for the caller to add.
    """
    known: dict[Any, int] = {}
    try:
        return [_of_function(function, known) for function in (*methods, *_overloads())]
    except TypeError:
        return None


def called(methods: dict[str, FunctionType], names: Iterable[str]) -> dict[str, FunctionType]:
    """Return the methods of these names, and those that they may call, by their names."""
    found: dict[str, FunctionType] = {}
    left = [*names]
    while left:
        name = left.pop()
        if name in methods and name not in found:
            found[name] = methods[name]
            left += _names(methods[name].__code__)[0]
    return found


def _of_function(function: Any, known: dict[Any, int]) -> Any:
    if function in known:
        return known[function]
    known[function] = len(known)
    code: CodeType = function.__code__
    attributes, read = _names(code)
    scope = {**function.__builtins__, **function.__globals__}
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    values = [(name, scope[name]) for name in sorted(read & {*scope})]
    values += [(name, cell.cell_contents) for name, cell in cells]
    defaults = function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items()))
    used = [(name, _of_value(value, attributes, known)) for name, value in values]
    return _of_code(code), _of_value(defaults, attributes, known), used


def _names(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names by which a code may reach attributes, and those of the globals it reads."""
    inner = [_names(const) for const in code.co_consts if isinstance(const, CodeType)]
    texts = (const for const in code.co_consts if isinstance(const, str))  # for getattr
    read = (each.argval for each in dis.get_instructions(code) if "GLOBAL" in each.opname)
    attributes = frozenset(code.co_names).union(texts, *(names for names, _ in inner))
    return attributes, frozenset(read).union(*(names for _, names in inner))


def _of_code(code: CodeType) -> Any:
    consts = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code.hex(), code.co_exceptiontable.hex(), consts, names, counts


def _of_value(value: Any, attributes: frozenset[str], known: dict[Any, int]) -> Any:
    """Return what a value is that a function uses, which may read these attributes of it."""

    def of(part: Any) -> Any:
        return _of_value(part, attributes, known)

    if type(value) in PLAIN:
        return repr(value)
    if isinstance(value, Enum):
        return value.name, of(value.value)
    if isinstance(value, tuple):
        return [of(part) for part in value], getattr(value, "_fields", None)
    if isinstance(value, np.dtype) and not value.hasobject:
        return repr(value)
    if isinstance(value, np.generic) or type(value) is np.ndarray:
        content = hashlib.sha256(value.tobytes()).hexdigest()
        return of(value.dtype), value.shape, value.strides, content
    if isinstance(value, ModuleType):
        return _of_module(value, attributes, known)
    if _shipped(value):
        return f"{value.__module__}.{value.__name__}"
    if type(value) is CPUDispatcher and value._compiler.pipeline_class is Compiler:
        settings = [sorted((name, of(v)) for name, v in value.targetoptions.items())]
        settings += [sorted((name, of(v)) for name, v in value.locals.items())]
        only = [] if value._can_compile else value.nopython_signatures
        signatures = [(of(signature.args), of(signature.return_type)) for signature in only]
        return _of_function(value.py_func, known), settings, signatures
    if isinstance(value, types.Type) and _shipped(type(value)):
        return repr(value)
    if isinstance(value, type) and issubclass(value, Enum):
        return [(name, of(member)) for name, member in value.__members__.items()]
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_field_defaults"):
        named: Any = value
        return named._fields, sorted((n, of(v)) for n, v in named._field_defaults.items())
    if isinstance(value, type) and issubclass(value, BaseException):
        return name_of(value)  # what it says is not compiled
    # That of a plain function, too: what Numba makes of it, somebody has registered elsewhere.
    raise TypeError(f"{value!r} has no fingerprint")


def _of_module(module: ModuleType, attributes: frozenset[str], known: dict[Any, int]) -> Any:
    """Return the name of a module and the attributes that a function may read."""
    if (module, attributes) in known:
        return known[module, attributes]
    known[module, attributes] = len(known)
    lazy = type(module) is not ModuleType or "__getattr__" in vars(module)
    if lazy and not _comes_along(vars(module)):
        raise TypeError(f"what {module} has is not known before it is asked")
    read = [(name, vars(module)[name]) for name in sorted(attributes & {*vars(module)})]
    return module.__name__, [(name, _of_value(value, attributes, known)) for name, value in read]


def _overloads() -> Iterator[Any]:
    """Yield what others have registered with Numba in place of what comes along with it."""
    kinds = [getattr(kind, "templates", ()) for _, kind in builtin_registry.globals]
    for template in chain(builtin_registry.functions, builtin_registry.attributes, *kinds):
        meant, key = getattr(template, "_overload_func", None), getattr(template, "key", None)
        ours = meant is None or _comes_along(meant.__globals__)
        if not ours and _shipped(type(key) if isinstance(key, types.Type) else key):
            yield meant


def _shipped(value: Any) -> bool:
    """Whether a class or a function is what a library has under its name."""
    name, own = getattr(value, "__name__", None), getattr(value, "__module__", None)
    module = sys.modules.get(own) if isinstance(own, str) else None
    if module is None or not isinstance(name, str) or getattr(module, name, None) is not value:
        return False
    return _comes_along(vars(module))


def _comes_along(scope: dict[str, Any]) -> bool:
    """Whether the module of these globals comes with Python, NumPy or Numba, by its file."""
    origin = getattr(scope.get("__spec__"), "origin", None)
    if origin in (None, "built-in", "frozen"):
        return origin is not None
    return _is_inside(origin)


@cache
def _is_inside(origin: str) -> bool:
    """Whether a file is in the folders of Python, NumPy or Numba."""
    file = Path(origin).resolve()
    inside = [file.relative_to(folder) for folder in _folders() if file.is_relative_to(folder)]
    return any(not {"site-packages", "dist-packages"} & {*rest.parts} for rest in inside)


@cache
def _folders() -> tuple[Path, ...]:
    """Return the folders of the standard library, of NumPy and of Numba."""
    standard = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    packages = [Path(str(package.__file__)).parent for package in (np, numba)]
    return tuple(folder.resolve() for folder in standard + packages)
