"""What users' own algorithms yield: states that a file can keep, as JSON and nothing else."""

from __future__ import annotations

from typing import Any

from nestor.checks import shown
from nestor.errors import InputError
from nestor.problem import hashable
from nestor.research import Key, Playout, Policy
from nestor.research.bound import Bound

MARK = "$"
"""How the only key begins of an object that stands for something else than a dict."""


def frozen(value: Any, where: str) -> Any:
    """Return a copy of a state that nothing changes any more.

    Raises
    ------
    InputError
        If something in it cannot be saved; the message begins with `where`.
    """
    if isinstance(value, Policy):
        return value.copy()
    if type(value) in (list, tuple):  # a named tuple would come back as another type
        return type(value)(frozen(each, where) for each in value)
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith(MARK) for key in value):
            return {key: frozen(each, where) for key, each in value.items()}
        raise InputError(f"{where}: the keys of a dict must be texts, without {MARK} at the start")
    if value is None or isinstance(value, bool | int | float | str | Playout | Key):
        return value
    raise InputError(
        f"{where}: a state is made of numbers, texts, plain lists and tuples, dicts, Policy, "
        f"Playout and Key, not {shown(value)}"
    )


def encoded(value: Any) -> Any:
    """Return a frozen state in a form that JSON has."""
    match value:
        case Policy():
            weights = value.weights
            return {"$policy": [list(weights), list(weights.values())]}
        case Playout():
            return {"$playout": value._core.moves}
        case Key():
            return {"$key": value.value}
        case tuple():
            return {"$tuple": [encoded(each) for each in value]}
        case list():
            return [encoded(each) for each in value]
        case dict():
            return {key: encoded(each) for key, each in value.items()}
    return value


def decoded(value: Any, bound: Bound) -> Any:
    """Return the state that was encoded, of the problem that a policy or a playout is bound to.

    Raises
    ------
    LookupError, TypeError or ValueError
        If it is damaged.
    """
    if isinstance(value, list):
        return [decoded(each, bound) for each in value]
    if not isinstance(value, dict):
        return value
    match [*value.items()]:
        case [("$policy", [codes, weights])]:
            named = dict(zip(map(hashable, codes), weights, strict=True))
            policy = Policy.of(bound)
            policy.weights = named
            return policy
        case [("$playout", moves)]:
            return Playout(bound, bound.blank.follow([hashable(move) for move in moves]))
        case [("$key", number)]:
            return Key(number)
        case [("$tuple", entries)]:
            return tuple(decoded(each, bound) for each in entries)
    return {key: decoded(each, bound) for key, each in value.items()}
