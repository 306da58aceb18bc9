"""JSON of millions of numbers: by orjson where it gives exactly what json would give."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

LARGE = 1 << 20
"""Texts from this size are parsed by orjson, in bytes."""

MOST = 768 << 20
"""The most memory that the values of a text may take, in bytes."""
COSTS = {b"[": 64, b"{": 72, b",": 32}
"""About the memory of a list, a dict and a number: what each of these characters may stand for."""

_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * 19
"""An integer that may not fit in 64 bits, of which orjson would make a float."""


def array_json(array: np.ndarray[Any, Any]) -> bytes:
    """Return the JSON text of an array of floats: what json writes of its lists."""
    import numpy as np
    import orjson

    size = np.abs(array)
    if not ((size >= 1e-4) & (size < 1e16) | (size == 0)).all():
        # The exponents of other numbers are written in another way.
        return json.dumps(array.tolist(), separators=(",", ":")).encode()
    if not array.flags.c_contiguous:
        array = array.copy(order="C")  # orjson takes no other
    return orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY)


def parsed(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises
    ------
    ValueError, RecursionError
        As `json.loads` does, and if the values would take too much memory.
    """
    # A byte of a text may take 30 bytes of memory, and a byte of what is packed 1,000 of a text.
    if sum(text.count(mark) * cost for mark, cost in COSTS.items()) > MOST:
        raise ValueError("too many values")
    if len(text) >= LARGE and _LONG not in text.translate(_DIGITS):
        import orjson

        with suppress(ValueError):
            return orjson.loads(text)
        # What json alone reads, or refuses and names the line.
    return json.loads(text.decode("utf-8-sig"))
