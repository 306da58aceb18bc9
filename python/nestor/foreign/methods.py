"""The methods of a compiled problem, in Python and as native functions."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any, Literal, NamedTuple

from nestor.arrays import np


class Method(NamedTuple):
    """A method that becomes a native function of the C interface.

    Attributes
    ----------
    takes : tuple of str
        Its arguments after `self`: ``s`` and ``rest`` are states, ``move`` a whole number and
        ``out`` what moves are added to.
    gives : {"", "float64", "int64"}
        The type of the number that it returns; "" if it returns nothing. With objectives it is a
        tuple of such numbers in place of a "float64".
    needed : bool
        Whether every problem has it.
    """

    takes: tuple[str, ...]
    gives: Literal["", "float64", "int64"] = ""
    needed: bool = False


METHODS = {
    "initial": Method(("s",), needed=True),
    "moves": Method(("s", "out"), needed=True),
    "play": Method(("s", "move"), needed=True),
    "score": Method(("s",), gives="float64", needed=True),
    "guide": Method(("s",), gives="float64"),
    "step": Method(("s", "move")),
    "bound": Method(("s",), gives="float64"),
    "before": Method(("rest", "move")),
    "joined": Method(("s", "rest"), gives="float64"),
    "undo": Method(("s", "move")),
    "task": Method(("move",), gives="int64"),
}
"""By their names, in the order of `nestor_problem` in the header."""

PLAIN = (
    "bias", "bias_batch", "code", "cost_of", "item", "key", "prior_code", "score_batch", "shaped",
)  # fmt: skip
"""What searches call of a plain class, but not of a compiled one."""


class Shape(NamedTuple):
    """What the code of a problem depends on besides its methods.

    Attributes
    ----------
    state : dtype
        A state.
    fields : tuple of (str, str, int)
        The name, the type and the number of dimensions of each attribute.
    dense : bool
        Whether codes are few numbers.
    checked : bool
        Whether indexes are checked.
    parts : int
        How many numbers a score has; 0 for one.
    """

    state: np.dtype[Any]
    fields: tuple[tuple[str, str, int], ...]
    dense: bool
    checked: bool
    parts: int


def begin_of(method: FunctionType) -> str:
    """Return in which file and line a method begins, for errors."""
    code = method.__code__
    return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"


def methods_of(rules: type) -> dict[str, FunctionType]:
    """Return the methods of a class and of its bases, without those with special names."""
    found = {}
    for base in reversed(rules.__mro__[:-1]):
        methods = {n: m for n, m in vars(base).items() if isinstance(m, FunctionType)}
        found.update({n: m for n, m in methods.items() if not n.startswith("__")})
    return found
