"""What the problems share that fill the cells of a grid with values."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

from nestor.errors import InputError

Move = tuple[int, int, int]
"""Row and column, from 0, and value, from 1."""

BEYOND = 65
"""A value larger than any that a cell can have."""


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits of a mask, from the lowest."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def read_move(move: Any, number: int) -> Move:
    """Return a move as integers; values too large for a cell are all `BEYOND`.

    Parameters
    ----------
    move : sequence of int
        Three integers, or their JSON form.
    number : int
        Which move it is, for errors.

    Raises
    ------
    InputError
        If it is not such a sequence.
    """
    try:
        row, column, value = map(index, move)
    except (TypeError, ValueError):
        raise InputError(
            f"move {number} must be three integers (row, column, value), not {move!r:.80}"
        ) from None
    return row, column, min(value, BEYOND)
