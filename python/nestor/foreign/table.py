"""The table of a problem behind the C interface (``include/nestor.h``)."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import c_double, c_uint32, c_uint64, c_void_p
from types import SimpleNamespace
from typing import Any

from nestor import _core
from nestor.errors import errors_of
from nestor.foreign.methods import METHODS
from nestor.objectives import Objectives, objectives_of

MINIMISE, BIASED, FRONT = 1, 2, 32
"""Flags."""

CHANGES = {"none": 0, "order": 4, "set": 8, "decisions": 16, "cover": 64}
"""The flag that says what may be changed."""


class Part(ctypes.Structure):
    """A `nestor_part`; see the header."""

    _fields_ = (
        ("least", c_double),
        ("most", c_double),
        ("step", c_double),
        ("optimum", c_double),
        ("minimise", c_uint64),
    )


class Table(ctypes.Structure):
    """A `nestor_problem`; see the header."""

    _fields_ = (
        ("version", c_uint32),
        ("size", c_uint32),
        ("signature", c_uint64),
        ("layout", c_uint64),
        ("state_size", c_uint64),
        ("code_count", c_uint64),
        ("value_count", c_uint64),
        ("flags", c_uint64),
        ("optimum", c_double),
        ("part_count", c_uint64),
        ("parts", c_void_p),
        ("this", c_void_p),
        *((name, c_void_p) for name in METHODS),
        ("message", c_void_p),
        ("close", c_void_p),
    )

    @classmethod
    def new(cls) -> Any:
        """Return a table that says nothing yet."""
        version, signature = _core.interface()
        return cls(version, ctypes.sizeof(cls), signature, optimum=float("nan"))


def parts_of(objectives: Objectives | None) -> Any:
    """Return what a table says of the parts of a score: none if it is one number."""
    if objectives is None:
        return (Part * 0)()
    told = zip(objectives.given_ranges, objectives.senses, strict=True)
    parts = [Part(*each, float("nan"), sense == "min") for each, sense in told]
    return (Part * len(parts))(*parts)


def objectives_in(said: Mapping[str, Any]) -> Objectives | None:
    """Return what an opened table has said of the parts of a score.

    Raises
    ------
    InputError
        If their ranges are malformed.
    """
    parts = said["parts"]
    if not parts:
        return None
    senses = tuple("min" if part[4] else "max" for part in parts)
    form = senses if said["front"] else "lexicographic"
    ranges = [part[:3] for part in parts]
    return objectives_of(SimpleNamespace(objectives=form, sense=senses, ranges=ranges))


def opened(
    table: Any, report: Any, layout: int | None, biased: bool, checked: bool = True
) -> _core.Problem:
    """Return the core's problem of a table.

    Parameters
    ----------
    table : Table
    report : callable
        Makes the exception for a fault (see `nestor.foreign.problem.Reporter`).
    layout : int or None
        The hash of the layout that states should have, if it is known.
    biased : bool
        Whether the bias of moves is in force, if they have one.
    checked : bool, default True
        Whether moves of a state with the same code are a fault.

    Raises
    ------
    InputError
        If the table is not what it should be.
    RulesError
        If the first state cannot be made.
    """
    with errors_of(report.name, ValueError):
        return _core.Problem.foreign(ctypes.addressof(table), report, layout, biased, checked)


def hash_of(text: str) -> int:
    """Return the FNV-1a hash of a text, 64 bits."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found
