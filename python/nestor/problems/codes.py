"""Codes and moves of users' problems as JSON, and back: nothing that a file names is run."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum, EnumType
from functools import cached_property
from math import isfinite
from typing import Any

from nestor.arrays import np
from nestor.errors import InputError
from nestor.problem import Problem, code_of
from nestor.problems.base import canonical, digest_of
from nestor.problems.faults import is_hashable, legal_moves
from nestor.text import counted

LONGEST = 1000
"""So many moves of a game show what its codes are made of."""


def is_plain(code: Any) -> bool:
    """Whether a code is the same after it has been through JSON."""
    if type(code) is tuple:
        return all(map(is_plain, code))
    if type(code) is int:
        return abs(code) < 1 << 64
    return code is None or type(code) in (bool, str) or (type(code) is float and isfinite(code))


class CodeForms:
    """Writes codes, and moves that are hashable, as JSON-able data, and reads them again.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem[Any, Any]) -> None:
        self._problem = problem

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        """The enumerations and frozen dataclasses in a game; None for what is not read."""
        found, problem = dict[str, Any](), self._problem
        with suppress(Exception):
            state = problem.initial()
            for _ in range(LONGEST):
                legal = legal_moves(problem, state)
                _find_kinds([code_of(problem, state, move) for move in legal], found)
                _find_kinds(filter(is_hashable, legal), found)
                if not legal:
                    break
                state = problem.play(state, legal[0])
        return found

    def written(self, code: Any) -> Any:
        """Return the JSON-able form of a code.

        Raises
        ------
        TypeError
            If it has none that `read` reads.
        """
        if is_plain(code):
            return code
        kind: Any = type(code)
        if isinstance(code, np.generic):
            return self.written(code.item())
        if isinstance(code, frozenset):
            return {"set": sorted(map(self.written, code), key=json.dumps)}
        if kind in self._kinds.values():
            if is_dataclass(code):
                return {"data": [kind.__qualname__, *map(self.written, _values(code))]}
            if kind.__members__.get(code.name) is code:  # Some of a Flag have no name.
                return {"enum": [kind.__qualname__, code.name]}
        elif isinstance(code, tuple) and kind.__eq__ is tuple.__eq__:  # as a named one
            return list(map(self.written, code))
        raise TypeError(f"a {kind.__name__} has no form")

    def read(self, data: Any) -> Hashable:
        """Return the code of a form.

        Raises
        ------
        InputError
            If the codes of the problem have no such thing.
        """
        if isinstance(data, list):
            return tuple(map(self.read, data))
        if not isinstance(data, dict):
            return data  # type: ignore[no-any-return]
        ((form, told),) = data.items()
        if form == "set":
            return frozenset(map(self.read, told))
        name, *parts = told
        kind, lack = self._kinds.get(name), ""
        if form == "enum" and isinstance(kind, EnumType) and parts[0] in kind.__members__:
            return kind.__members__[parts[0]]
        if form == "enum" and isinstance(kind, EnumType):
            lack = f": it has no {parts[0]!r:.80} now"
        if form == "data" and is_dataclass(kind) and len(fields(kind)) == len(parts):
            return _made(kind, map(self.read, parts))  # type: ignore[no-any-return]
        if form == "data" and is_dataclass(kind):
            names = ", ".join(each.name for each in fields(kind))
            lack = f": it had {counted(len(parts), 'field')}, and has {names or 'none'} now"
        raise InputError(f"its codes have a {name} that those of the problem do not have{lack}")

    def digest(self, codes: Iterable[Any]) -> str:
        """Return what tells codes and their order; empty if some have no form."""
        try:
            return digest_of(canonical(list(map(self.written, codes))))
        except TypeError:
            return ""


def _find_kinds(codes: Iterable[Any], found: dict[str, Any]) -> None:
    """Note the kinds of codes and of what is in them by name; None for two kinds of one name."""
    for code in codes:
        kind, name = type(code), type(code).__qualname__
        if isinstance(code, Enum):
            found[name] = kind if found.get(name, kind) is kind else None
        elif is_dataclass(code) and kind.__dataclass_params__.frozen:
            copied = _made(kind, _values(code))
            # One that is only equal to itself cannot be read, nor what is not in the fields.
            same = copied == code and hash(copied) == hash(code)
            found[name] = kind if same and found.get(name, kind) is kind else None
            _find_kinds(_values(code), found)
        elif isinstance(code, tuple | frozenset):
            _find_kinds(code, found)


def _values(code: Any) -> list[Any]:
    return [getattr(code, each.name) for each in fields(code)]


def _made(kind: Any, values: Iterable[Any]) -> Any:
    """Return an object of a dataclass with these values; no constructor is called."""
    made = object.__new__(kind)
    for each, value in zip(fields(kind), values, strict=True):
        object.__setattr__(made, each.name, value)
    return made
