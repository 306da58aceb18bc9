"""Names in a class that look like misspelt ones that a search uses."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any
from weakref import WeakSet

from nestor.errors import warn

METHODS = (
    "bias", "bias_batch", "code", "cost_of", "distance", "from_dict", "guide", "item", "key",
    "picture", "prior_code", "score_batch", "task", "to_dict", "undo", "variants",
)  # fmt: skip
"""What a class may define; `shaped` is too near to ``shape``, which says something else."""

ATTRIBUTES = {
    "change": str,
    "objectives": str | tuple,
    "optimum": int | float,
    "sense": str,
}
"""What a class may say of itself beside `biases`, and the types of that."""

AIMS = ("direction", "goal", "mode", "objective")
"""What others call `sense`."""

CUTOFF = 0.85
"""How alike two names are, from 0 to 1, that are taken for one."""


_TOLD: WeakSet[type] = WeakSet()


def warn_of_names(problem: object) -> None:
    """Warn, once for a class, of names that no search uses and that were probably meant for it."""
    if type(problem) in _TOLD:
        return
    _TOLD.add(type(problem))
    written: dict[str, Any] = {}
    for kind in reversed(type(problem).__mro__):
        if not kind.__module__.startswith(("nestor.", "builtins", "typing", "abc")):
            written |= vars(kind)
    told = type(problem).__name__
    for name, value in (written | getattr(problem, "__dict__", {})).items():
        meant = "" if name.startswith("_") else _meant(problem, name, value)
        if meant and not hasattr(problem, meant):
            warn(f"{told}.{name} is not used: did you mean {meant}?")
    if isinstance(written.get("bias"), int | float) and not hasattr(problem, "biases"):
        warn(f"{told}.bias is not used: it must be a method")


def _meant(problem: object, name: str, value: Any) -> str:
    """Return what a name was probably meant to be; empty if that is what it is."""
    if callable(value):
        known = [*METHODS]
    elif isinstance(value, tuple | list) and all(
        isinstance(each, str) and hasattr(problem, each) for each in value
    ):
        known = ["biases"]  # They are names of methods.
    else:
        known = [word for word, kind in ATTRIBUTES.items() if isinstance(value, kind)]
    if type(value) is str and value == "min" and name in AIMS:
        return "" if hasattr(problem, "objectives") else "sense"
    (near,) = get_close_matches(name.lower(), known, 1, CUTOFF) or ("",)
    # The method items() beside item() may well be meant, but not one that is written as code().
    takes = getattr(getattr(value, "__code__", None), "co_argcount", 0)
    several = callable(value) and name.startswith(near) and (near, takes) != ("code", 3)
    return "" if several else near
