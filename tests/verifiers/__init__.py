"""Second verifiers, written from the papers and the format descriptions alone.

Each file has one function, `check`. It takes the instance and the moves as a saved result has them,
and the solution that they are said to lead to. It returns the natural score and what the solution
must say, or raises `RefusedError`.
"""

from __future__ import annotations

import math
from typing import Any

FLAGS = ("selective", "shaping", "dominated", "hidden_singles", "pruning")


class RefusedError(Exception):
    """The instance or the moves break a rule."""


def need(condition: object, rule: str) -> None:
    """Refuse unless a condition holds."""
    if not condition:
        raise RefusedError(rule)


def check_options(data: dict[str, Any]) -> None:
    """Refuse settings that are no flags, and a name that is no text."""
    need(all(type(data[flag]) is bool for flag in FLAGS if flag in data), "a flag")
    need(isinstance(data.get("label", ""), str), "a name")


def integer(value: object) -> int:
    """Return a JSON value that must be an integer."""
    need(type(value) is int, "not an integer")
    return value  # type: ignore[return-value]


def number(value: object) -> float:
    """Return a JSON value that must be a finite number."""
    need(type(value) in (int, float), "not a number")
    need(abs(value) < 1e300 and math.isfinite(value), "not finite")  # type: ignore[arg-type]
    return float(value)  # type: ignore[arg-type]


def numbers(value: object, count: int) -> list[int]:
    """Return a JSON list of so many integers."""
    need(isinstance(value, list) and len(value) == count, f"not {count} integers")
    return [integer(part) for part in value]  # type: ignore[attr-defined]
