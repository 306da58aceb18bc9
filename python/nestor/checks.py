"""Checks of arguments: the same words for the same mistake.

Each raises `InputError`, which names the argument, unless its value is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

from nestor.errors import InputError


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer; True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is an integer or a float, NaN and infinities included."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_count(name: str, value: object, least: int, most: int) -> None:
    """Check that a value is an integer in a range."""
    if not is_integer(value) or not least <= value <= most:
        raise InputError(f"{name} must be an integer from {least} to {most}, not {value!r:.80}")


def check_integer(name: str, value: object, least: int, most: int) -> None:
    """Check the same of a setting: its type first, then its range."""
    if not is_integer(value):
        raise InputError(f"{name} must be an integer, not {value!r:.80}")
    if not least <= value <= most:
        raise InputError(f"{name} must be {least} to {most}, not {value}")


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Check that a value is one of the known names."""
    if not isinstance(value, str) or value not in known:
        shown = [repr(each) for each in known]
        names = " or ".join(shown) if len(shown) == 2 else f"one of {', '.join(shown)}"
        raise InputError(f"{name} must be {names}, not {value!r:.80}")


def check_flag(name: str, value: object) -> None:
    """Check that a value is True or False."""
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, not {value!r:.80}")


def check_number(name: str, value: object, least: float, most: float) -> None:
    """Check that a value is a number in a range; without bounds any number but NaN."""
    if not is_number(value) or (math.isnan(value) and math.isinf(most)):
        raise InputError(f"{name} must be a number, not {value!r:.80}")
    if not least <= value <= most:
        raise InputError(f"{name} must be {least:g} to {most:g}, not {value}")


def check_positive(name: str, value: object, most: float = 1e6) -> None:
    """Check that a value is a positive number, of at most a power of ten."""
    if not is_number(value):
        raise InputError(f"{name} must be a number, not {value!r:.80}")
    if not 0 < value <= most:
        raise InputError(f"{name} must be positive (at most 1e{math.log10(most):.0f}), not {value}")
