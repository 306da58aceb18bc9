"""Files of instances: which format a file has, and what it says."""

from __future__ import annotations

from os import PathLike
from typing import Any

from nestor.errors import InputError
from nestor.files import as_path, opened
from nestor.problems.fields import Checked
from nestor.problems.textfile import split_lines
from nestor.problems.tsptw import matrix_file
from nestor.problems.tsptw.coordinates import Metric, checked_positions, travel_times
from nestor.problems.tsptw.stops import Stops
from nestor.problems.tsptw.table import looks_like_table, read_table
from nestor.problems.tsptw.vrplib import SOLOMON, VRPLIB, read_solomon, read_vrplib

HEAD = 1 << 14
"""The bytes from which the format is known."""


def read(path: str | PathLike[str], speed: float | None) -> dict[str, Any]:
    """Return what a file says, as arguments of `TSPTW`.

    Parameters
    ----------
    path : path
        A file in one of the formats that `TSPTW.read` describes.
    speed : float or None
        Distance per unit of time, for files with coordinates; None for 1.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed, or needs no speed and one is given.
    """
    with opened(path) as file:
        head = file.read(HEAD)
    utf16 = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = "\n".join(split_lines(head.decode("utf-16" if utf16 else "utf-8", "replace")))
    # First, as its stops may be called "Customer 1".
    if looks_like_table(text):
        return _of_table(path, speed)
    if VRPLIB.search(text):
        return _arguments(path, read_vrplib(path), speed)
    if SOLOMON.search(text):
        return _arguments(path, read_solomon(path), speed)
    if as_path("path", path).suffix.lower() in (".csv", ".tsv"):
        return _of_table(path, speed)
    _check_no_speed(path, speed)
    matrix, windows = map(Checked, matrix_file.read(path))
    return {"matrix": matrix, "windows": windows}


def _of_table(path: str | PathLike[str], speed: float | None) -> dict[str, Any]:
    """Return a table as arguments of `TSPTW`: lateness counts by its length."""
    return _arguments(path, read_table(path), speed) | {"late": "time"}


def _arguments(path: object, stops: Stops, speed: float | None) -> dict[str, Any]:
    """Return stops as arguments of `TSPTW`, with times of travel if the file has none."""
    matrix = stops.matrix
    positions = None
    if stops.positions is not None:
        positions = checked_positions(stops.positions, str(path), stops.geographic)
    if matrix is not None:
        _check_no_speed(path, speed)
    elif positions is not None:
        metric: Metric = "haversine" if stops.geographic else "euclidean"
        matrix = travel_times(positions, metric, 1.0 if speed is None else speed)
    return {
        "matrix": matrix,
        "windows": stops.windows,
        "service": stops.service if any(stops.service) else None,
        "names": stops.names,
        "positions": positions,
        "geographic": stops.geographic,
        "clock": stops.clock,
    }


def _check_no_speed(path: object, speed: float | None) -> None:
    if speed is not None:
        raise InputError(f"{path} has times of travel: speed is for files with coordinates")
