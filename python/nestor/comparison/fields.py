"""The fields of a row: of which type and in which range each is, whoever wrote the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nestor import checks
from nestor.comparison.row import Row
from nestor.errors import InputError, errors_of
from nestor.settings import SEED_MAX, Integer

Checks = Mapping[str, Callable[[str, Any], object]]
"""What raises `InputError` unless it is given the name and a possible value of a field."""

DEPTH = 40
"""How deep settings may be: races have algorithms, which have models."""


def _sense(name: str, value: Any) -> None:
    checks.check_choice(name, value, ("max", "min"))


def _settings(name: str, value: Any) -> None:
    checks.check_text(f"name in {name}", checks.as_mapping(name, value).get("name"))
    if not _is_shallow(value):
        raise InputError(f"{name} must be no more than {DEPTH} deep")


def _is_shallow(value: Any, depth: int = DEPTH) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_shallow(each, depth - 1) for each in inner)


def _scores(name: str, value: Any) -> None:
    for score in checks.as_list(name, value):
        checks.as_finite(name, score)


def _improvements(name: str, value: Any) -> None:
    _check_each(name, value, {**FOUND, "seconds": checks.as_seconds}, {"missed": checks.as_finite})


def _front(name: str, value: Any) -> None:
    _check_each(name, value, {"scores": _scores, "moves": checks.as_list}, {})


ALWAYS: Checks = {
    "problem": checks.check_text,
    "algorithm": checks.check_text,
    "seed": Integer(0, SEED_MAX).check,
    "sense": _sense,
    "settings": _settings,
    "budget": checks.as_mapping,
    "seconds": checks.as_seconds,
    "improvements": _improvements,
}
"""What every row has."""

FOUND: Checks = {"score": checks.as_finite, "shown": checks.check_text, "playouts": checks.as_count}
"""What is null if a run has failed."""

LATER: Checks = {
    "error": checks.check_text,
    "family": checks.check_text,
    "digest": checks.check_text,
    "reference": _scores,
    "solved": checks.as_flag,
    "missed": checks.as_finite,
    "moves": checks.as_list,
    "front": _front,
    "bias": checks.check_text,
    "unused_bias": checks.check_text,
    "cpu": checks.as_seconds,
    "evaluated": checks.as_count,
    "stop_reason": checks.check_text,
    "verified": checks.as_flag,
    "place": checks.as_count,
    "version": checks.check_text,
    "machine": checks.as_mapping,
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
    for each in checks.as_list(name, rows):
        with errors_of(name):
            _check(checks.as_mapping("an entry", each), always, later)
