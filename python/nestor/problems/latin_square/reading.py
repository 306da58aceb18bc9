"""Partial squares: from text files, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from nestor.errors import InputError
from nestor.problems.textfile import shown, words_by_line

MAX_ORDER = 64
"""The largest order."""

Rows = tuple[tuple[int, ...], ...]


def read(path: str | PathLike[str]) -> Rows:
    """Read a partial square.

    Parameters
    ----------
    path : path
        A text file: the order n on the first line, then n lines of n values from 1 to n, 0 for a
        hole. ``#`` starts a comment that ends with the line.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed; the message names the file and the line.
    """
    lines = words_by_line(path, "a Latin square")
    first, words = next(lines, (1, []))
    if len(words) != 1 or not (order := _number(words[0])) or order > MAX_ORDER:
        found = shown(" ".join(words)) if words else "nothing"
        raise InputError(
            f"{path}:{first}: the first line is the order, 1 to {MAX_ORDER}, not {found}"
        )
    rows: list[tuple[int, ...]] = []
    last = first
    for last, words in lines:
        if len(rows) == order:
            raise InputError(f"{path}:{last}: one line too many; {order} rows are complete")
        rows.append(_row(words, order, f"{path}:{last}"))
        if wrong := fault(rows):
            raise InputError(f"{path}:{last}: {wrong}")
    if len(rows) < order:
        raise InputError(f"{path}:{last}: the file ends after {len(rows)} of {order} rows")
    return tuple(rows)


def fault(rows: Sequence[tuple[int, ...]]) -> str | None:
    """Return what is wrong with the last row, if anything: a value is twice in it or in a column.

    In the message rows and columns count from 1.
    """
    *above, row = rows
    for column, value in enumerate(row):
        if value and value in row[:column]:
            first = row.index(value) + 1
            return (
                f"row {len(rows)} has the value {value} twice, in columns {first} and {column + 1}"
            )
        for number, other in enumerate(above, start=1):
            if value and other[column] == value:
                return (
                    f"column {column + 1} has the value {value} twice, "
                    f"in rows {number} and {len(rows)}"
                )
    return None


def _row(words: list[str], order: int, where: str) -> tuple[int, ...]:
    if len(words) != order:
        raise InputError(f"{where}: a row has {order} values, this one {len(words)}")
    row = []
    for column, word in enumerate(words, start=1):
        value = _number(word)
        if value is None or value > order:
            raise InputError(
                f"{where}: value {column} must be 1 to {order}, or 0 for a hole, not {shown(word)}"
            )
        row.append(value)
    return tuple(row)


def _number(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None
