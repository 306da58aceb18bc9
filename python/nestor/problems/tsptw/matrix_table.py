"""Files of times of travel: CSV, with or without names, of NumPy, and of routing services."""

from __future__ import annotations

import csv
import math
from io import BytesIO
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

from nestor import checks
from nestor.arrays import np
from nestor.errors import InputError
from nestor.files import MIB, as_path, read_bytes
from nestor.problems.textfile import number_in, shown, split_lines
from nestor.problems.tsptw.checks import MAX_NODES, Floats, checked_matrix
from nestor.problems.tsptw.clock import DAY
from nestor.problems.tsptw.routing_service import is_json, read_json
from nestor.problems.tsptw.stops import joined, number
from nestor.problems.tsptw.table import DELIMITERS, NOTHING, rows_of, text_of
from nestor.safe import from_cell

UNITS = {"seconds": 1 / 60, "minutes": 1.0, "hours": 60.0}
"""How many minutes a unit of time is."""

SMALLER = {"seconds": 60.0, "metres": 500.0, "milliseconds": 60_000.0}
"""What a matrix may be in where minutes are too long, and how many of it are a minute.

Metres are those at 30 km/h.
"""

NEARLY = 0.9
"""The share of stops that can be reached in time if the unit is right."""

TOO_LONG = 1.5
"""How many times as long as the day the shortest ways may take together if the unit is right."""

LIMIT = 256 * MIB
"""The largest file, in bytes: a number of text may be much longer than one of NumPy."""


class Matrix(NamedTuple):
    """A matrix of a file.

    Attributes
    ----------
    times : array of shape (n, n)
    names : tuple of str or None
        Those of the nodes.
    named : {"rows", "columns", "both"}
        What has them.
    seconds : bool
        Whether the file says that it is in seconds.
    """

    times: Floats
    names: tuple[str, ...] | None = None
    named: str = "both"
    seconds: bool = False


def is_matrix(path: str | PathLike[str], text: str) -> bool:
    """Whether a file is a matrix, as its name and its beginning show it."""
    suffix = as_path("path", path).suffix.lower()
    if is_json(as_path("path", path), text.lstrip("\ufeff")):
        return True
    if suffix not in (".csv", ".tsv"):
        return suffix == ".npy"
    lines = _first(split_lines(text.lstrip("\ufeff")))
    cells = _cells(lines, _delimiter(lines))
    # Decimal commas among commas are told of as those of a matrix.
    if len(cells) < 2 or len(cells[1]) not in (len(cells[0]), 2 * len(cells[0]) - 1):
        return False
    return sum(map(_is_number, cells[1])) >= max(2, len(cells[1]) - 1) and (
        all(map(_is_number, cells[0])) or cells[0][0].strip() == "" or _is_named(cells)
    )


def _is_named(cells: list[list[str]]) -> bool:
    """Whether the name of the first row is that of the first column of numbers."""
    return len(cells[0]) > 1 and cells[0][1].strip() == cells[1][0].strip()


def read_matrix(path: str | PathLike[str]) -> Matrix:
    """Read a matrix.

    Parameters
    ----------
    path : path
        A file of NumPy (.npy), the answer of a routing service (JSON; see `answered`), or a table:
        a row of numbers for each node. The first row may name the columns, and the first column the
        rows. ``inf`` is no way; the diagonal may be empty.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line and the column.
    """
    if as_path("matrix", path).suffix.lower() == ".npy":
        return Matrix(checked_matrix(_array(path), str(path)))
    text = text_of(path, "a matrix of times", LIMIT)
    if is_json(as_path("matrix", path), text):
        found, seconds = read_json(path, text)
        return Matrix(checked_matrix(found, str(path)), seconds=seconds)
    lines = [f"{line}\n" for line in split_lines(text)]
    delimiter = _delimiter(_first(lines))
    rows = [(line, list(map(str.strip, cells))) for line, cells in rows_of(path, lines, delimiter)]
    if not rows:
        raise InputError(f"{path}: is empty; a matrix has a row of numbers for each node")
    top, first = rows[0]
    origins = [cells[0] for _, cells in rows[1:]]
    if max(len(cells) for _, cells in rows) in (3, 4) and len({*origins}) < len(origins) > 3:
        raise InputError(
            f"{path}:{top}: this looks like a list of legs: a matrix has a row for each stop, and "
            "in it the times to all stops"
        )
    # Numbers are names if both sides have them; an empty diagonal is no corner of names.
    empty = all(len(cells) > k and not cells[k] for k, (_, cells) in enumerate(rows))
    corner = not empty and (not first[0] or not _is_number(first[0]))
    numbered = corner and len({*origins}) == len(origins) and sorted(first[1:]) == sorted(origins)
    header = rows.pop(0)[1] if numbered or not all(map(_is_number, first[1:])) else None
    named = numbered or any(cells and not _is_number(cells[0]) and cells[0] for _, cells in rows)
    widest = max((len(cells) for _, cells in rows), default=0)
    if header is not None and named and (not header[0] or len(header) == widest):
        header = header[1:]
    n = len(rows)
    if not 2 <= n <= MAX_NODES:
        raise InputError(f"{path}: a matrix has 2 to {MAX_NODES} rows, not {n}")
    names = [cells[0] for _, cells in rows] if named else header
    if header is not None and len(header) != n:
        both = (*header, *(names or ()))
        alone = next((name for name in both if (name in header) != (name in (names or ()))), "")
        only = f", and {shown(alone)} is only in one of them" if alone else ""
        raise InputError(
            f"{path}:{top}: {len(header)} columns are named, and there are {n} rows; a matrix has "
            f"as many{only}"
        )
    if header is not None and names is not None and names != header:
        place = next(k for k in range(n) if header[k] != names[k])
        raise InputError(
            f"{path}:{rows[place][0]}: column 1: the rows must have the names of the columns, in "
            f"the same order, not {shown(names[place])} for {shown(header[place])}"
        )
    times = np.empty((n, n))
    for row, (line, cells) in enumerate(rows):
        values = cells[1:] if named else cells
        if len(values) != n:
            decimals = delimiter == "," and len(values) == 2 * n
            cure = (
                "; for decimals with a comma, put semicolons between the cells" if decimals else ""
            )
            raise InputError(f"{path}:{line}: {len(values)} numbers in a matrix of {n} rows{cure}")
        for column, cell in enumerate(values):
            where = f"{path}:{line}: column {shown(names[column]) if names else column + 1}"
            times[row, column] = 0.0 if row == column and not cell else _time(cell, where)
    if names is not None and len({*names}) < n:
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise InputError(f"{path}: two rows are named {shown(twice)}")
    sides = "both" if named and header is not None else "rows" if named else "columns"
    return Matrix(times, None if names is None else tuple(map(from_cell, names)), sides)


def _array(path: str | PathLike[str]) -> Any:
    """Return the array of a file of NumPy; its header is checked before there is room for it."""
    form = np.lib.format
    file = BytesIO(read_bytes(path, "a matrix of NumPy", LIMIT))
    try:
        header = {1: form.read_array_header_1_0, 2: form.read_array_header_2_0}
        shape, _, kind = header.get(form.read_magic(file)[0], header[2])(file)
        square = len(shape) == 2 and shape[0] == shape[1] and 2 <= shape[0] <= MAX_NODES
        if not square or kind.kind not in "iuf":
            raise InputError(
                f"{path}: a matrix must be square, of numbers, with 2 to {MAX_NODES} rows, not "
                f"{kind!s:.80} of shape {checks.shown(shape)}"
            )
        file.seek(0)
        return np.load(file, allow_pickle=False)
    except InputError:
        raise
    except Exception as error:  # NumPy has Python parse the header, which may raise anything.
        told = str(error) or type(error).__name__
        raise InputError(f"{path}: not an array of NumPy: {told:.200}") from None


def factor_that_fits(times: Floats, opens: float, latest: Floats) -> float | None:
    """Return by what times of travel seem too large for the windows, if they do not fit.

    They do not fit if less than half of the nodes can be reached in time straight from the depot,
    and a factor fits if nearly all can.
    """

    def reached(factor: float) -> float:
        return float(np.mean(opens + times[0, 1:] / factor <= latest[1:]))

    if reached(1.0) >= 0.5:
        return None
    return next(
        (factor for factor in (60.0, 1000.0, 3600.0, 60_000.0) if reached(factor) >= NEARLY), None
    )


def unit_that_fits(times: Floats, opens: float, latest: Floats) -> str | None:
    """Return the unit that times of travel seem to have, if minutes do not fit the windows.

    They do not fit either if most legs take less than a minute, or if the shortest ways to all
    nodes take much longer together than there is, and in a smaller unit do not.
    """
    ways = times[np.isfinite(times) & (times > 0.0)]
    if len(ways) and float(np.median(ways)) < 1.0:
        return "hours"
    nearest = np.where(np.eye(len(times), dtype=bool), np.inf, times).min(axis=0, initial=np.inf)
    driving = float(nearest[np.isfinite(nearest)].sum())
    day = float(np.where(np.isfinite(latest), latest - opens, DAY).max())
    fits = (unit for unit, factor in SMALLER.items() if driving / factor <= day)
    if driving > TOO_LONG * day and (unit := next(fits, None)):
        return unit
    return "seconds" if factor_that_fits(times, opens, latest) == SMALLER["seconds"] else None


def misfit(unit: str) -> str:
    """Return what is odd about a matrix that seems to be in this unit, taken as minutes."""
    if unit == "hours":
        return "most legs take less than a minute; it seems to be in hours (a factor of 60)"
    speed = " at 30 km/h" if unit == "metres" else ""
    also = ", or in metres at 30 km/h (a factor of 500)" if unit == "seconds" else ""
    return (
        f"there is too little time for the legs if it is in minutes, and enough if it is in {unit}"
        f"{speed} (a factor of {SMALLER[unit]:.0f}){also}"
    )


def _time(cell: str, where: str) -> float:
    if cell.lower().lstrip("+") in ("inf", "infinity"):
        return math.inf
    if cell.lower() in NOTHING:
        told = f"{shown(cell)} is not a number" if cell else "a cell without a number"
        raise InputError(f"{where}: {told}; inf is no way")
    return number(cell, where, 0.0)


def _first(lines: list[str]) -> list[str]:
    """Return the first two lines that are not empty."""
    return list(islice(filter(str.strip, lines), 2))


def _cells(lines: list[str], delimiter: str) -> list[list[str]]:
    return [next(csv.reader([line], delimiter=delimiter), []) for line in lines]


def _delimiter(lines: list[str]) -> str:
    """Return what is between the cells: the comma last, as decimals may have it."""
    for delimiter in sorted(DELIMITERS, key=",".__eq__):
        cells = _cells(lines, delimiter)
        numbers = cells[-1][1:] if cells else []
        if numbers and 2 * sum(map(_is_number, numbers)) >= len(numbers):
            return delimiter
    return max(DELIMITERS, key=lines[0].count) if lines else ","


def _is_number(cell: str) -> bool:
    text = joined(cell.strip()).replace(",", ".")
    return not text or number_in(text) is not None
