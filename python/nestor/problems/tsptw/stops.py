"""What files say of stops, whatever their format."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from unicodedata import normalize

from nestor.errors import InputError
from nestor.problems.textfile import number_in, shown
from nestor.problems.tsptw.checks import MAX_NODES, MAX_TIME, Floats


class Dialect(NamedTuple):
    """How a table is written, and what it has besides: so is the schedule of its tour.

    Attributes
    ----------
    delimiter, point : str
        What is between its cells, and in its decimals.
    others : tuple of (str, tuple of str)
        The columns that nothing here uses, such as telephone numbers: header, and a text a node.
    """

    delimiter: str = ","
    point: str = "."
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()


PLAIN = Dialect()

HARD = "[\xa0\u202f]"
GAP = re.compile(rf"(?<=\d){HARD}(?=\d{{3}}(?!\d))|{HARD}(?=:)|(?<=:){HARD}", re.ASCII)
"""A space that breaks no line, before thousands and beside colons."""


@dataclass(frozen=True)
class Stops:
    """The nodes of a file, the depot first.

    Attributes
    ----------
    windows : list of (earliest, latest)
        None for no limit.
    service : list of float
    closed : list of lists of (from, to), or None
        When each node is closed between its windows, if one has several.
    penalty : list of float or None
        What each node costs that is left out, None if it must not be.
    before : list of (int, int)
        Pairs of nodes of which the first comes before the second.
    fixed : dict of str to int
        Which node is "first", "last" or the "end".
    names : tuple of str or None
    places : tuple of str
        Where these are, for errors.
    positions : list of (float, float) or None
        x and y, or latitude and longitude.
    geographic : bool
    clock : bool
        Whether times are minutes after midnight.
    matrix : array or None
        Times of travel, if the file has them.
    dates : tuple of datetime
        Those of the times, if they have any, the earliest first.
    doubt : str
        What to say if the times do not fit: that they seem to be the days of a spreadsheet.
    dialect : Dialect
    late : {"time", "count"}
        How lateness counts.
    """

    windows: list[tuple[float | None, float | None]]
    service: list[float]
    names: tuple[str, ...] | None = None
    positions: list[tuple[float, float]] | None = None
    geographic: bool = False
    clock: bool = False
    matrix: Floats | None = None
    closed: list[list[tuple[float, float]]] | None = None
    penalty: list[float | None] | None = None
    before: list[tuple[int, int]] = field(default_factory=list)
    fixed: dict[str, int] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    dates: tuple[datetime, ...] = ()
    doubt: str = ""
    dialect: Dialect = PLAIN
    late: str = "time"


def joined(text: str) -> str:
    """Return a text without the spaces within its numbers and times that break no line."""
    return GAP.sub("", text)


def alike(name: str) -> str:
    """Return what names have in common that differ in capitals, or only in their code points."""
    return normalize("NFC", name.casefold())


def number(word: str, where: str, least: float = -MAX_TIME, most: float = MAX_TIME) -> float:
    """Read a number of a file, in which a comma may stand for the point.

    Parameters
    ----------
    word : str
    where : str
        File, line and column, for errors.
    least, most : float

    Raises
    ------
    InputError
        If it is none, or out of range.
    """
    word = joined(word.strip())
    if not word:
        raise InputError(f"{where}: is empty: write a number here, or take the row out")
    text = word.replace(",", ".") if word.count(",") == 1 and "." not in word else word
    if (value := number_in(text)) is None:
        raise InputError(f"{where}: {shown(word)} is not a number")
    if not (math.isfinite(value) and least <= value <= most):
        if least == 0.0 and value < 0.0:
            raise InputError(f"{where}: must not be negative, it is {shown(word)}")
        raise InputError(f"{where}: must be from {least:g} to {most:g}, not {shown(word)}")
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
