"""What tells problems apart beside what they say of themselves: code, and the data it holds."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator
from copyreg import dispatch_table
from dataclasses import is_dataclass
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from nestor.arrays import np
from nestor.naming import SCRIPT, module_of
from nestor.problems.functions import parts_of
from nestor.problems.importing import beside
from nestor.text import clipped

PLAIN = (type(None), bool, float, complex, str, bytes)
"""Types whose `repr` tells a value."""


class UntellableError(Exception):
    """Something holds what cannot be told.

    Attributes
    ----------
    names : list of str
        The way to it, from the inside out.
    value : object
    """

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.names, self.value = list[str](), value

    def __str__(self) -> str:
        return f"{clipped('.'.join(reversed(self.names)), 1, 80)}, a {type(self.value).__name__}"


def code_digest(problem: Any, *, whole: bool) -> str:
    """Return a digest of a problem's class, of its bases and of functions it has.

    They are told by the files that they are in, or else by their code and by functions and classes
    of their module that it names, and by data that functions have from outside: defaults, variables
    of functions around them, arguments of `functools.partial`.

    Parameters
    ----------
    problem : Problem
    whole : bool
        Whether to tell all of its attributes and all objects, or of these only the classes, as is
        enough if the problem says itself what its instance is.

    Raises
    ------
    UntellableError
        If all is to be told, and something cannot be.
    """
    teller = _Teller(whole)
    own = dict(getattr(problem, "__dict__", {}))
    derived = getattr(problem, "_derived", ())
    told = {n: each for n, each in own.items() if (n not in derived if whole else callable(each))}
    teller.inside[id(problem)] = 0
    kinds = [teller.tell_class(kind, methods=True) for kind in type(problem).__mro__[:-1]]
    return _hashed([*kinds, teller.named(told)])


class _Teller:
    """Tells values by texts, which are the same in every process.

    Parameters
    ----------
    whole : bool
        Whether to tell objects by what they hold, or only by their classes.

    Attributes
    ----------
    inside : dict of int to int
        The values that are being told, by their `id`, with their depths.
    """

    def __init__(self, whole: bool) -> None:
        self._whole = whole
        self.inside = dict[int, int]()
        self._known = dict[int, tuple[Any, str]]()
        self._files = dict[str, str]()
        self._of_code = self
        if whole:
            self._of_code = _Teller(whole=False)
            self._of_code.inside, self._of_code._files = self.inside, self._files

    def tell(self, value: Any) -> str:
        """Return what tells a value."""
        if type(value) in PLAIN:
            return repr(value)
        if type(value) is int:
            return hex(value)  # `repr` refuses long ones.
        if id(value) in self._known:
            return self._known[id(value)][1]
        if id(value) in self.inside:
            return f"^{self.inside[id(value)]}"
        self.inside[id(value)] = len(self.inside)
        try:
            told = _hashed([type(value).__qualname__, *self._parts(value)])
        except RecursionError:
            raise UntellableError(value) from None
        finally:
            del self.inside[id(value)]
        self._known[id(value)] = value, told  # It is kept, so that no other gets its id.
        return told

    def named(self, values: dict[Any, Any]) -> str:
        """Return what tells values by name, in their order."""
        told = []
        for name, value in values.items():
            try:
                told += [self.tell(name), self.tell(value)]
            except UntellableError as error:
                if isinstance(name, str):
                    error.names.append(name)
                raise
        return _hashed(told)

    def _parts(self, value: Any) -> Iterable[str]:
        if type(value) in (list, tuple):
            return map(self.tell, value)
        if type(value) in (set, frozenset):
            return sorted(map(self.tell, value))
        if type(value) is dict:
            return [self.named(value)]
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            told = [f"{value.dtype.descr} {value.shape}", _hashed([value.tobytes()])]
            return [*told, self.named(getattr(value, "__dict__", {}))]
        if isinstance(value, type):
            return [self.tell_class(kind) for kind in value.__mro__[:-1]]
        if isinstance(offered := getattr(value, "digest", None), str):
            return [offered]
        if isinstance(value, ModuleType):
            return [value.__name__, self._source(value)]
        if isinstance(value, FunctionType):
            return self._function(value)
        if type(value) is MethodType:
            return map(self.tell, (value.__func__, value.__self__))
        if type(value) is partial:
            return [self.tell(value.func), self.named(dict(enumerate(value.args)) | value.keywords)]
        if type(value) is property:
            return map(self.tell, (value.fget, value.fset, value.fdel))
        if type(value) is cached_property:  # It may hold a lock.
            return [self.tell(value.func)]
        if hasattr(value, "__wrapped__"):  # such as what functools.cache makes of a function
            return [self.tell(value.__wrapped__)]
        if self._whole or inspect.isroutine(value) or _is_data(value):
            return self._object(value)
        return [self.tell(type(value))]

    def _function(self, function: FunctionType) -> list[str]:
        code = function.__code__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        names = code.co_varnames[: code.co_argcount]
        given = function.__defaults__ or ()
        held = dict(zip(names[len(names) - len(given) :], given, strict=True))
        held |= (function.__kwdefaults__ or {}) | vars(function)
        for name, cell in cells:
            try:
                held[name] = cell.cell_contents
            except ValueError:  # It has no value yet.
                continue
        name, source = f"{module_of(function)}.{function.__qualname__}", self._source(function)
        told = [name, source, repr(parts_of(code)), self.named(held)]
        if not source or module_of(function) in SCRIPT:  # Cells of a notebook have no common file.
            told.append(self._of_code.named(beside(function, _names(code))))
        return told

    def _object(self, value: Any) -> list[str]:
        """Return what tells an object: what pickle would write, but for functions in it."""
        reduce = dispatch_table.get(type(value))
        try:
            made = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception:
            return [self._other(value, UntellableError(value))]
        if isinstance(made, str):  # a name to import it by
            return [f"{module_of(value)}.{made}"]
        call, args, state, items, pairs = (*made, *[None] * 5)[:5]
        try:
            told = [self.tell(call), *map(self.tell, args)]
            told.append(self.named(state) if type(state) is dict else self.tell(state))
            return [*told, self.tell([*(items or ())]), self.named(dict(pairs or ()))]
        except UntellableError as error:
            return [self._other(value, error)]

    def _other(self, value: Any, error: UntellableError) -> str:
        """Return what tells an object by its class, or by a method `to_dict`."""
        if not self._whole:
            return self.tell(type(value))
        offered = getattr(value, "to_dict", None)
        if not callable(offered):
            raise error
        return self.tell(offered())

    def tell_class(self, kind: type, *, methods: bool = False) -> str:
        """Return what tells a class alone, without its bases.

        All that is in it counts if it is made in a function or a script, which may make it of data.
        Otherwise that is its file, and of what its methods hold what can be told, if there is no
        file or if this is asked for.
        """
        told = [f"{module_of(kind)}.{kind.__qualname__}", source := self._source(kind)]
        made = "<locals>" in kind.__qualname__ or module_of(kind) in SCRIPT
        if made and self._whole:
            inside = {name: each for name, each in vars(kind).items() if not _is_python(name, each)}
            told.append(self.named(inside))
        elif made or methods or not source:
            inside = {name: each for name, each in vars(kind).items() if _has_code(each)}
            told.append(self._of_code.named(inside))
        return _hashed(told)

    def _source(self, of: Any) -> str:
        """Return a digest of the file that something is in, if there is one."""
        try:
            path = inspect.getsourcefile(of) or ""
            if path not in self._files:
                self._files[path] = _hashed([Path(path).read_bytes()])
            return self._files[path]
        except (OSError, TypeError):
            return ""


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code and the functions inside it take from elsewhere."""
    yield from code.co_names
    for inside in code.co_consts:
        if isinstance(inside, CodeType):
            yield from _names(inside)


def _has_code(value: object) -> bool:
    """Whether something in a class is a method or property, however it is decorated."""
    kinds = (FunctionType, property, cached_property)
    return isinstance(value, kinds) or hasattr(value, "__wrapped__")


def _is_python(name: str, value: object) -> bool:
    """Whether something in a class is put there by Python, and tells nothing of its own."""
    if name.startswith(("_abc_", "__annotate")):
        return True
    return name.startswith("__") and name.endswith("__") and type(value) is not FunctionType


def _is_data(value: object) -> bool:
    """Whether an object is nothing but its data."""
    plain = (Enum, tuple, list, dict, set, frozenset, np.ndarray, np.generic)
    return isinstance(value, plain) or is_dataclass(value)


def _hashed(parts: Iterable[str | bytes]) -> str:
    """Return a digest of texts or bytes that other ones do not have."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.hexdigest()
