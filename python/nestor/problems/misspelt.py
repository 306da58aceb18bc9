"""Names in a class that look like misspelt ones that a search reads."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from nestor.errors import warn

METHODS = (
    "bias", "bias_batch", "code", "cost_of", "distance", "from_dict", "guide", "item", "key",
    "picture", "prior_code", "score_batch", "shaped", "task", "to_dict", "undo", "variants",
)  # fmt: skip
"""What a class may define."""

ATTRIBUTES = ("biases", "change", "objectives", "optimum", "ranges", "sense")
"""What a class may say of itself."""

CUTOFF = 0.85
"""How alike two names are, from 0 to 1, that are taken for one."""


def warn_of_names(problem: object) -> None:
    """Warn of what a search does not read and was probably meant for it."""
    written: dict[str, Any] = {}
    for kind in reversed(type(problem).__mro__):
        if not kind.__module__.startswith(("nestor.", "builtins", "typing", "abc")):
            written |= vars(kind)
    known = (*METHODS, *ATTRIBUTES)
    for name, value in (written | getattr(problem, "__dict__", {})).items():
        if name.startswith("_") or name in known:
            continue
        near = get_close_matches(
            name.lower(), METHODS if callable(value) else ATTRIBUTES, 1, CUTOFF
        )
        # items beside item() may well be meant.
        meant = [word for word in near if not name.startswith(word)]
        if type(value) is str and value == "min" and not hasattr(problem, "objectives"):
            meant = ["sense"]
        if meant and not hasattr(problem, meant[0]):
            warn(
                f"no search reads {name} of {type(problem).__name__}: if it is meant for one, its "
                f"name is {meant[0]}"
            )
