"""What files say of stops, whatever their format."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nestor.errors import InputError
from nestor.problems.textfile import shown
from nestor.problems.tsptw.checks import MAX_NODES, MAX_TIME, Floats


@dataclass(frozen=True)
class Stops:
    """The nodes of a file, the depot first.

    Attributes
    ----------
    windows : list of (earliest, latest)
        None for no limit.
    service : list of float
    names : tuple of str or None
    positions : list of (float, float) or None
        x and y, or latitude and longitude.
    geographic : bool
    clock : bool
        Whether times are minutes after midnight.
    matrix : array or None
        Times of travel, if the file has them.
    """

    windows: list[tuple[float | None, float | None]]
    service: list[float]
    names: tuple[str, ...] | None = None
    positions: list[tuple[float, float]] | None = None
    geographic: bool = False
    clock: bool = False
    matrix: Floats | None = None


def number(word: str, where: str, least: float = -MAX_TIME) -> float:
    """Read a number of a file, in which a comma may stand for the point.

    Parameters
    ----------
    word : str
    where : str
        File, line and column, for errors.
    least : float

    Raises
    ------
    InputError
        If it is none, or out of range.
    """
    word = word.strip()
    if not word:
        raise InputError(f"{where}: is empty, and a number is needed")
    text = word.replace(",", ".") if word.count(",") == 1 and "." not in word else word
    try:
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None:
        raise InputError(f"{where}: {shown(word)} is not a number")
    if not (math.isfinite(value) and least <= value <= MAX_TIME):
        raise InputError(f"{where}: must be from {least:g} to {MAX_TIME:g}, not {shown(word)}")
    return value + 0.0


def check_count(path: object, count: int) -> None:
    """Check how many nodes a file has.

    Raises
    ------
    InputError
        If there are too few or too many.
    """
    if not 2 <= count <= MAX_NODES:
        raise InputError(
            f"{path}: a tour needs 2 to {MAX_NODES} stops, the depot first, not {count}"
        )
