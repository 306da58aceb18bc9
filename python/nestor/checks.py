"""What arguments must be, said in one way."""

from __future__ import annotations

from typing import TypeGuard

from nestor.errors import InputError


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer, which True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is an integer or a float; NaN and infinities are."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_count(name: str, value: object, least: int, most: int) -> None:
    """Check that the argument `name` is an integer from `least` to `most`.

    Raises
    ------
    InputError
        If it is not.
    """
    if not is_integer(value) or not least <= value <= most:
        raise InputError(f"{name} must be an integer from {least} to {most}, not {value!r:.80}")


def check_integer(name: str, value: object, least: int, most: int) -> None:
    """Check the same of a setting, whose kind and range are told apart.

    Raises
    ------
    InputError
        If it is no integer, or out of range.
    """
    if not is_integer(value):
        raise InputError(f"{name} must be an integer, not {value!r:.80}")
    if not least <= value <= most:
        raise InputError(f"{name} must be {least} to {most}, not {value}")


def check_flag(name: str, value: object) -> None:
    """Check that the argument `name` is True or False.

    Raises
    ------
    InputError
        If it is not.
    """
    if not isinstance(value, bool):
        raise InputError(f"{name} must be True or False, not {value!r:.80}")


def check_number(name: str, value: object, most: float) -> None:
    """Check that the argument `name` is a number from -`most` to `most`.

    Raises
    ------
    InputError
        If it is not.
    """
    if not abs(_number(name, value)) <= most:
        raise InputError(f"{name} must be -{most} to {most}, not {value}")


def check_positive(name: str, value: object) -> None:
    """Check that the argument `name` is a positive number of at most 1e6.

    Raises
    ------
    InputError
        If it is not.
    """
    if not 0 < _number(name, value) <= 1e6:
        raise InputError(f"{name} must be positive (at most 1e6), not {value}")


def _number(name: str, value: object) -> int | float:
    if not is_number(value):
        raise InputError(f"{name} must be a number, not {value!r:.80}")
    return value
