"""The fields of a row: of which type and in which range each is, whoever wrote the file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from nestor.checks import as_flag, as_list, as_mapping, check_choice, check_text
from nestor.comparison.row import Row
from nestor.errors import InputError, errors_of
from nestor.settings import SEED_MAX, Integer, Number

Checks = Mapping[str, Callable[[str, Any], object]]
"""What raises `InputError` unless it is given the name and a possible value of a field."""

COUNT = Integer(0, 2**63 - 1).check
TIME = Number(0.0, 1e18).check
SCORE = Number(-sys.float_info.max, sys.float_info.max).check

DEPTH = 40
"""How deep settings may be: races have algorithms, which have models."""


def _sense(name: str, value: Any) -> None:
    check_choice(name, value, ("max", "min"))


def _settings(name: str, value: Any) -> None:
    check_text(f"name in {name}", as_mapping(name, value).get("name"))
    if not _is_shallow(value):
        raise InputError(f"{name} must be no more than {DEPTH} deep")


def _is_shallow(value: Any, depth: int = DEPTH) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_shallow(each, depth - 1) for each in inner)


def _scores(name: str, value: Any) -> None:
    for score in as_list(name, value):
        SCORE(name, score)


def _improvements(name: str, value: Any) -> None:
    _check_each(name, value, {**FOUND, "seconds": TIME}, {"missed": SCORE})


def _front(name: str, value: Any) -> None:
    _check_each(name, value, {"scores": _scores, "moves": as_list}, {})


ALWAYS: Checks = {
    "problem": check_text,
    "algorithm": check_text,
    "seed": Integer(0, SEED_MAX).check,
    "sense": _sense,
    "settings": _settings,
    "budget": as_mapping,
    "seconds": TIME,
    "improvements": _improvements,
}
"""What every row has."""

FOUND: Checks = {"score": SCORE, "shown": check_text, "playouts": COUNT}
"""What is null if a run has failed."""

LATER: Checks = {
    "error": check_text,
    "family": check_text,
    "digest": check_text,
    "reference": _scores,
    "solved": as_flag,
    "missed": SCORE,
    "moves": as_list,
    "front": _front,
    "bias": check_text,
    "unused_bias": check_text,
    "cpu": TIME,
    "evaluated": COUNT,
    "stop_reason": check_text,
    "verified": as_flag,
    "place": COUNT,
    "version": check_text,
    "machine": as_mapping,
}
"""What may be null; but for the error, older files and some problems do not have it.

Priors are not among them: they are compared, and nothing else.
"""


def check_row(row: Row) -> None:
    """Check what a row holds, so that no use of it can fail; `Runs` says what that is.

    Raises
    ------
    InputError
        If a field is missing, or of another type or range; the message names it.
    """
    for name in (*ALWAYS, *FOUND, "error"):
        if name not in row:
            raise InputError(f"{name} is missing")
    failed = row["error"] is not None
    _check(row, ALWAYS if failed else {**ALWAYS, **FOUND}, {**FOUND, **LATER})
    if failed and row["score"] is not None:
        raise InputError("a run that has an error has no score")
    if row.get("front") and not row.get("reference"):
        raise InputError("reference is missing, from which a front is measured")


def _check(row: Row, always: Checks, later: Checks) -> None:
    for name, check in {**later, **always}.items():
        if name in always or row.get(name) is not None:
            check(name, row.get(name))


def _check_each(name: str, rows: Any, always: Checks, later: Checks) -> None:
    for each in as_list(name, rows):
        with errors_of(name):
            _check(as_mapping("an entry", each), always, later)
