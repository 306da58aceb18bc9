"""Names in a class that look like misspelt ones that a search uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from itertools import accumulate
from operator import and_, eq
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from nestor.errors import warn

METHODS = {
    "bias": 2, "bias_batch": 2, "code": 2, "cost_of": 1, "distance": 2, "from_dict": 1, "guide": 1,
    "item": 2, "key": 1, "picture": 1, "prior_code": 2, "score_batch": 1, "shaped": 1, "task": 1,
    "to_dict": 0, "undo": 2, "variants": 0,
}  # fmt: skip
"""What a class may define, and how many arguments that takes."""

SENSES = ("max", "maximise", "maximize", "min", "minimise", "minimize")
"""What people write as `sense`."""


def _word(*words: str) -> Callable[[Any], bool]:
    """Return what says whether a value is one of these words."""
    return lambda value: isinstance(value, str) and value in words


def _senses(value: Any) -> bool:
    """Whether a value is a tuple of senses, one for each objective, or a dict with their names."""
    value = tuple(value.values()) if isinstance(value, dict) else value
    return isinstance(value, tuple) and value != () and all(map(_word(*SENSES), value))


ATTRIBUTES: dict[str, Callable[[Any], bool]] = {
    "change": _word("cover", "decisions", "order", "set"),
    "code_count": lambda value: type(value) is int,
    "digest": lambda value: isinstance(value, str),
    "objectives": lambda value: _word("lexicographic")(value) or _senses(value),
    "optimum": lambda value: isinstance(value, int | float),
    "sense": lambda value: _word(*SENSES)(value) or _senses(value),
    "value_count": lambda value: type(value) is int,
}
"""What a class may say of itself beside `biases`, and whether a value is of that kind."""

AIMS = ("direction", "goal", "mode", "objective")
"""What others call `sense`."""

SWITCHES = ("maximise", "maximize", "minimise", "minimize")
"""What others say by a switch."""

WORDS = ("bids", "bins", "bits", "cone", "core", "shape", "shapes", "stop")
"""Names that are close to one of Nestor's and say something else."""

CONSTRUCTORS = ("_init_", "__init", "__int__", "__inti__", "__ini__", "init")
"""What people write who mean ``__init__``."""

HOSTS = ("abc", "builtins", "collections", "enum", "nestor", "typing")
"""Modules whose classes a user's class may come from: their names are not the user's."""

_TOLD: WeakKeyDictionary[type, list[str]] = WeakKeyDictionary()


def warn_of_names(
    problem: object, methods: Mapping[str, int] = METHODS, plain: Sequence[str] = ()
) -> list[str]:
    """Warn, once for a class, of names that no search uses and that were probably meant for it.

    Among them are those of `plain` that no other method of the class uses: what plain classes may
    have and this one may not. A search for a front calls them. Returns what is said.
    """
    if type(problem) in _TOLD:
        return _TOLD[type(problem)]
    said = _TOLD[type(problem)] = []
    written: dict[str, Any] = {}
    for kind in reversed(type(problem).__mro__):
        if kind.__module__.partition(".")[0] not in HOSTS:
            written |= vars(kind)
    told = type(problem).__name__
    for name in CONSTRUCTORS if "__init__" not in written else ():
        if callable(written.get(name)):
            said.append(f"{told}.{name} is not used: did you mean __init__?")
    for name, value in (written | getattr(problem, "__dict__", {})).items():
        meant = "" if name.startswith("_") else _meant(problem, name, value, methods)
        if meant and (not hasattr(problem, meant) or _is_beside(type(problem), name, meant)):
            said.append(f"{told}.{name} is not used: did you mean {meant}?")
    if isinstance(written.get("bias"), int | float) and not hasattr(problem, "biases"):
        said.append(f"{told}.bias is not used: it must be a method")
    if plain and not _senses(getattr(problem, "objectives", None)):
        own = [each for each in written.values() if isinstance(each, FunctionType)]
        asked = {name for each in own for name in each.__code__.co_names}
        said += [
            f"{told}.{name} is not used: a search of a compiled class calls no such method"
            for name in plain
            if name not in asked and isinstance(written.get(name), FunctionType)
        ]
    for each in said:
        warn(each)
    return said


def _is_beside(problem: type, name: str, meant: str) -> bool:
    """Whether a class misspells what it inherits."""
    for kind in problem.__mro__:
        if meant in vars(kind):
            return False
        if name in vars(kind):
            return is_slip(name, meant) and any(meant in vars(each) for each in kind.__mro__)
    return False


def is_slip(name: str, meant: str) -> bool:
    """Whether a name is another one with one slip, which is not in its first letter.

    A slip is a letter too many, a missing or a wrong one, or two that have changed places.
    """
    one, other = name.lower(), meant
    swapped = sorted(one) == sorted(other)
    if not (swapped or one[0] == other[0]):
        return False
    for _ in range(2):  # What they begin with goes, and then, read backwards, what they end with.
        same = sum(accumulate(map(eq, one, other), and_))
        one, other = one[same:][::-1], other[same:][::-1]
    return max(len(one), len(other)) <= 1 or (swapped and len(one) == 2)


def _meant(problem: object, name: str, value: Any, methods: Mapping[str, int]) -> str:
    """Return what a name was probably meant to be; empty if that is what it is."""
    if name in AIMS and _word(*SENSES[3:])(value):
        return "" if hasattr(problem, "objectives") else "sense"
    if name.lower() in SWITCHES and value is name.lower().startswith("min"):
        return "sense"
    if name.lower() in WORDS:
        return ""
    if is_slip(name, "biases") and isinstance(value, tuple | list) and len(value):
        named = all(isinstance(each, str) and hasattr(problem, each) for each in value)
        return "biases" if named else ""
    for meant, fits in ATTRIBUTES.items():
        if is_slip(name, meant) and fits(value):
            return meant
    if isinstance(value, classmethod | staticmethod):
        value = getattr(problem, name)
    if not callable(value) or isinstance(value, type):
        return ""
    for meant, number in methods.items():
        # Several things are named after one: the items of a class, but not of a state and a move.
        several = name == f"{meant}s" and (number < 2 or meant == "distance")
        tasks = meant != "task" or getattr(problem, "change", "") == "order"
        if is_slip(name, meant) and not several and tasks and takes(getattr(problem, name), number):
            return meant
    return ""


def takes(method: Any, number: int) -> bool:
    """Whether a method takes so many arguments, or nobody knows."""
    try:
        signature(method).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # It has no signature, or not even a place for `self`.
        return not isinstance(method, MethodType)
    return True
