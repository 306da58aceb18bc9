"""What functions and classes are called in files and digests, the same in every process."""

from __future__ import annotations

from typing import Any

SCRIPT = ("__main__", "__mp_main__")
"""What the script that runs is called in this process; multiprocessing has a name of its own."""


def module_of(thing: Any) -> str:
    """Return the module of a function or a class; that of the script is always `__main__`."""
    module: str = getattr(thing, "__module__", "")
    return SCRIPT[0] if module in SCRIPT else module


def name_of(thing: Any) -> str:
    """Return the name "module:name" of a function or a class."""
    return f"{module_of(thing)}:{thing.__qualname__}"
