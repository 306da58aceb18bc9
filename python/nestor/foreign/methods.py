"""The methods of a compiled problem, in Python and as native functions."""

from __future__ import annotations

from types import FunctionType
from typing import NamedTuple


class Method(NamedTuple):
    """A method that becomes a native function of the C interface.

    Attributes
    ----------
    takes : tuple of str
        Its arguments after `self`: ``s`` and ``rest`` are states, ``move`` a whole number and
        ``out`` what moves are added to.
    judges : bool
        Whether it returns a number.
    needed : bool
        Whether every problem has it.
    """

    takes: tuple[str, ...]
    judges: bool = False
    needed: bool = False


METHODS = {
    "initial": Method(("s",), needed=True),
    "moves": Method(("s", "out"), needed=True),
    "play": Method(("s", "move"), needed=True),
    "score": Method(("s",), judges=True, needed=True),
    "guide": Method(("s",), judges=True),
    "step": Method(("s", "move")),
    "bound": Method(("s",), judges=True),
    "before": Method(("rest", "move")),
    "joined": Method(("s", "rest"), judges=True),
    "undo": Method(("s", "move")),
}


def methods_of(rules: type) -> dict[str, FunctionType]:
    """Return the methods of a class and of its bases, without those with special names."""
    found = {}
    for base in reversed(rules.__mro__[:-1]):
        methods = {n: m for n, m in vars(base).items() if isinstance(m, FunctionType)}
        found.update({n: m for n, m in methods.items() if not n.startswith("__")})
    return found
