"""Checks of arguments: the same words for the same mistake.

Each raises `InputError`, which names the argument, unless its value is allowed. Numbers of NumPy
are numbers; what is returned is Python's.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from inspect import iscoroutinefunction
from numbers import Complex, Integral, Number, Real
from operator import index
from typing import Any, TypeGuard

from nestor.arrays import np
from nestor.errors import InputError, nearest

HIGHEST = 2**63 - 1
"""The most that anything is counted to, and the highest number of what is numbered."""


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is an integer or a float, NaN and infinities included; False is none.

    Nor is a duration of NumPy, which calls itself an integer, or a `Decimal`, which no float can be
    added to.
    """
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    return isinstance(value, Real) and not isinstance(value, np.timedelta64)


def is_score(value: Any) -> bool:
    """Whether a value is a real number that a float can hold: truth values are, NaN is not."""
    try:
        # The float of a Decimal that is too large is infinite, and no error.
        return not math.isnan(value) and (not math.isinf(value) or value in (math.inf, -math.inf))
    except (TypeError, ValueError, OverflowError):
        return False


def number_of(value: object) -> str:
    """Return what a score must be that is this value, and none (see `is_score`)."""
    finite = getattr(value, "is_finite", None)  # of a Decimal, which is no Real
    large = isinstance(value, Real) and value == value if finite is None else finite()
    return (
        f"a number that a float can hold, up to {sys.float_info.max:.2g}" if large else "a number"
    )


def as_integer(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number of a range: an integer, or a float such as 1e4."""
    whole = None
    if is_number(value):
        with suppress(OverflowError, ValueError):  # an infinity, NaN
            whole = int(value)
    if whole is None or whole != value:
        raise InputError(f"{name} must be an integer, not {shown(value)}")
    if not least <= whole <= most:
        raise InputError(f"{name} must be {least} to {most}, not {shown(value)}")
    return whole


def index_of(value: object, least: int, most: int) -> int | None:
    """Return a whole number in a range; None for anything else, as a float or a truth value."""
    with suppress(TypeError):
        if not isinstance(value, bool) and least <= (number := index(value)) <= most:  # type: ignore[arg-type]
            return number
    return None


def as_number(
    name: str, value: object, least: float = -math.inf, most: float = math.inf
) -> int | float:
    """Return a number of a range; without bounds any number but NaN."""
    number: int | float | None = None
    if is_number(value) or (isinstance(value, Number) and not isinstance(value, Complex)):
        try:
            number = int(value) if isinstance(value, Integral) else float(value)  # type: ignore[arg-type]
            real = float(number)
        except (OverflowError, ValueError):  # a number too large, a signalling NaN
            number = None
    if number is None or (math.isnan(real) and math.isinf(most)):
        told = number_of(value) if is_number(value) else "a number"
        raise InputError(f"{name} must be {told}, not {shown(value)}")
    if not least <= real <= most:
        finite = most == -least == sys.float_info.max
        told = "a finite number" if finite else f"{least:g} to {most:g}"
        raise InputError(f"{name} must be {told}, not {shown(value)}")
    return number


def as_count(name: str, value: object, least: int = 0) -> int:
    """Return how many there are of something, or the number of one of them."""
    return as_integer(name, value, least, HIGHEST)


def as_seconds(name: str, value: object) -> int | float:
    """Return how long something took."""
    return as_number(name, value, 0.0, 1e18)


def as_finite(name: str, value: object) -> float:
    """Return a finite number as a float."""
    return float(as_number(name, value, -sys.float_info.max, sys.float_info.max))


def as_positive(name: str, value: object, most: float = 1e6) -> int | float:
    """Return a positive number."""
    if not is_number(value):
        raise InputError(f"{name} must be a number, not {shown(value)}")
    if not 0 < value <= most:
        end = f"{most:g}".replace("+0", "")
        raise InputError(f"{name} must be positive (at most {end}), not {shown(value)}")
    return as_number(name, value, 0, most)


def as_flag(name: str, value: object) -> bool:
    """Return True or False."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, np.bool_):
        raise InputError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Check that a value is one of the known names."""
    if not isinstance(value, str) or value not in known:
        names = [repr(each) for each in known]
        text = " or ".join(names) if len(names) == 2 else f"one of {', '.join(names)}"
        raise InputError(f"{name} must be {text}, not {shown(value)}{nearest(value, known)}")


def check_text(name: str, value: object) -> None:
    """Check that a value is a string."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string, not {shown(value)}")


def check_callable(name: str, value: Any, what: str = "callable") -> None:
    """Check that a value can be called, and that what it returns need not be awaited."""
    if not callable(value):
        raise InputError(f"{name} must be {what}, not {shown(value)}")
    if iscoroutinefunction(value) or iscoroutinefunction(value.__call__):
        raise InputError(f"{name} must be no coroutine function (async def): nothing awaits it")


def as_mapping(name: str, value: object) -> dict[Any, Any]:
    """Return a mapping as a dict."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping, not {shown(value)}")
    return dict(value)


def as_list(name: str, value: Any) -> list[Any]:
    """Return a sequence, an array or another iterable as a list; a string is none."""
    if not isinstance(value, Sequence) and isinstance(value, np.ndarray) and value.ndim:
        return list(value.tolist())
    try:
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return list(value)
    except TypeError:
        raise InputError(f"{name} must be a sequence, not {shown(value)}") from None


def shown(value: object) -> str:
    """Return a value in the form that errors show."""
    try:
        text = repr(value)
        return text if len(text) <= 80 else f"{text[:77]}..."
    except Exception:  # an integer of thousands of digits, a deep list, a repr of a user
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def array_data(value: object) -> Any:
    """Return what a number or an array of NumPy is in JSON; for `json.dumps`."""
    if isinstance(value, np.generic | np.ndarray):
        told = value.tolist()
        if not isinstance(told, np.generic):  # Python has no floats as long as NumPy's longest.
            return told
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def plain(value: object) -> Any:
    """Return what a part of a move that JSON does not know is there; for `json.dumps`.

    Two of them may be alike: who reads a move looks for the legal move of this form.
    """
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, frozenset):
        return sorted(value, key=lambda each: json.dumps(each, default=plain))
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return array_data(value)


def in_json(value: object) -> Any:
    """Return a value as it comes back from a file: tuples as lists, numbers of NumPy as Python's.

    Raises
    ------
    TypeError or ValueError
        If it has no JSON form.
    """
    return json.loads(json.dumps(value, default=plain))
