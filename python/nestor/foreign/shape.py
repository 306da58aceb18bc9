"""What compiled code depends on."""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import numpy as np


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
    """

    state: np.dtype[Any]
    fields: tuple[tuple[str, str, int], ...]
    dense: bool
    checked: bool


def methods_of(rules: type) -> dict[str, FunctionType]:
    """Return the methods of a class and of its bases, without those with special names."""
    found = {}
    for base in reversed(rules.__mro__[:-1]):
        methods = {n: m for n, m in vars(base).items() if isinstance(m, FunctionType)}
        found.update({n: m for n, m in methods.items() if not n.startswith("__")})
    return found
