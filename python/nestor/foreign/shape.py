"""What compiled code depends on."""

from __future__ import annotations

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
    parts : int
        How many numbers a score has; 0 for one.
    """

    state: np.dtype[Any]
    fields: tuple[tuple[str, str, int], ...]
    dense: bool
    checked: bool
    parts: int
