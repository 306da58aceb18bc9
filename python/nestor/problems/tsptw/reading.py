"""Files of instances: which format a file has, and what it says."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

from nestor.arrays import np
from nestor.checks import check_choice
from nestor.errors import InputError, nearest, warn
from nestor.files import as_path, opened
from nestor.problems.fields import Checked
from nestor.problems.textfile import shown, split_lines
from nestor.problems.tsptw import matrix_file, matrix_table, table
from nestor.problems.tsptw.asked import Node, as_nodes
from nestor.problems.tsptw.checks import Floats, checked_matrix
from nestor.problems.tsptw.columns import checked_renames
from nestor.problems.tsptw.coordinates import Metric, checked_positions, travel_times
from nestor.problems.tsptw.frames import check_order, matrix_of
from nestor.problems.tsptw.matrix_table import SMALLER, UNITS, misfit, read_matrix
from nestor.problems.tsptw.pace import check_pace, warn_of_speed
from nestor.problems.tsptw.routing_service import NUMBERS, answered
from nestor.problems.tsptw.stops import Stops, alike
from nestor.problems.tsptw.vrplib import SOLOMON, VRPLIB, read_solomon, read_vrplib

LONG = 120.0
"""The minutes beyond which legs seem to be in seconds."""

HEAD = 1 << 14
"""The bytes from which the format is known."""


def read(
    path: str | PathLike[str],
    speed: float | str | None,
    matrix: Any = None,
    time_unit: str | None = None,
    columns: Any = None,
) -> dict[str, Any]:
    """Return what a file says, as arguments of `TSPTW`.

    Parameters
    ----------
    path : path
        A file in one of the formats that `TSPTW.read` describes.
    speed : float or str or None
        Distance per unit of time, for files with coordinates, or such as "40 km/h"; None for 1.
    matrix : path, array_like, data frame or mapping, optional
        Times of travel between the stops of a table.
    time_unit : {"seconds", "minutes", "hours"}, optional
        Their unit, for windows that are times of day.
    columns : mapping or str, optional
        Nestor's names of columns by those of a table.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed, or needs no speed and one is given.
    """
    _check_unit(time_unit, matrix)
    renames = checked_renames(columns)
    if matrix is not None:
        stops = table.read_table(path, renames, placed=False)
        return _with_matrix(path, stops, matrix, speed, time_unit)
    with opened(path) as file:
        head = file.read(HEAD)
    table.refuse_spreadsheet(path, head)
    utf16 = head[:2] in (b"\xff\xfe", b"\xfe\xff")
    lines = split_lines(head.decode("utf-16" if utf16 else "utf-8", "replace"))
    text = "\n".join(lines)
    vrplib, solomon = VRPLIB.search(text), SOLOMON.search(text)
    is_table = bool(renames) or table.looks_like_table(next(filter(str.strip, lines), ""))
    if not (is_table or vrplib or solomon):
        is_table = table.lines_above(path, lines, renames) > 0
    if not is_table and matrix_table.is_matrix(path, text):
        _check_no_speed(path, speed)
        alone = read_matrix(path)
        return {
            "matrix": {"durations": alone.times} if alone.seconds else alone.times,
            "windows": [None] * len(alone.times),
            "names": alone.names,
            "late": "time",
        }
    # First, as its stops may be called "Customer 1".
    if is_table:
        stops = table.read_table(path, renames)
    elif vrplib:
        stops = read_vrplib(path)
    elif solomon:
        stops = read_solomon(path)
    elif as_path("path", path).suffix.lower() in (".csv", ".tsv"):
        stops = table.read_table(path, renames)
    else:
        _check_no_speed(path, speed)
        matrix, windows = map(Checked, matrix_file.read(path))
        return {"matrix": matrix, "windows": windows}
    return _arguments(path, stops, speed)


def of_frame(
    frame: Any, speed: float | str | None, matrix: Any, time_unit: str | None, columns: Any
) -> dict[str, Any]:
    """Return a data frame of stops as arguments of `TSPTW`; see `read`."""
    _check_unit(time_unit, matrix)
    renames = checked_renames(columns)
    if matrix is not None:
        stops = table.frame_stops(frame, renames, placed=False)
        return _with_matrix("the data frame", stops, matrix, speed, time_unit)
    return _arguments("stops", table.frame_stops(frame, renames), speed)


def _check_unit(time_unit: Any, matrix: Any) -> None:
    """Check a unit of time, which needs a matrix."""
    if time_unit is not None:
        check_choice("time_unit", time_unit, [*UNITS])
        if matrix is None:
            raise InputError(
                "time_unit is the unit of a matrix beside a table of stops: give matrix, too; a "
                "matrix alone has no times of day that its unit could be in"
            )


def _with_matrix(
    path: object, stops: Stops, matrix: Any, speed: float | str | None, time_unit: str | None
) -> dict[str, Any]:
    """Return stops and the times of travel between them as arguments of `TSPTW`.

    Errors name the files of both.
    """
    if speed is not None:
        raise InputError(
            "speed is for times of travel from coordinates; here a matrix has them (divide one of "
            "distances by the speed)"
        )
    where: object = "matrix"
    if isinstance(matrix, str | PathLike):
        where, (times, names, named, seconds) = matrix, read_matrix(matrix)
    else:
        matrix, seconds = answered(where, matrix)
        rows, listed, named = matrix_of(matrix, stops.names or ())
        times, names = checked_matrix(rows), None if listed is None else tuple(listed)
    count = len(stops.windows)
    if names is not None and stops.names is not None and names != stops.names:
        order = _rows_of(stops, where, names)
        if len({*order}) < count:
            raise InputError(
                f"{where}: two stops of {path} have the same name, so it is not clear which row is "
                "whose"
            )
        check_order(str(where), named, [names[k] for k in sorted(order)], [names[k] for k in order])
        if count < len(times):
            warn(f"{where}: {count} of its {len(times)} rows are used, by the names of the stops")
        times = times[np.ix_(order, order)]
    elif len(times) != count:
        nameless = where if names is None else path
        cure = f"; of a larger one, rows are taken by the names of stops, which {nameless} has not"
        raise InputError(
            f"{where}: {len(times)} rows, and {path} has {count} stops: a matrix has a row for each"
            f"{cure if len(times) > count else ''}"
        )
    timeless = all(window == (None, None) for window in stops.windows)
    if seconds and not (stops.clock or timeless):
        raise InputError(f"{where}: {NUMBERS}")
    if seconds and time_unit not in (None, "seconds"):
        raise InputError(f"time_unit: the durations of {where} are in seconds, not {time_unit}")
    time_unit = "seconds" if seconds else time_unit
    if time_unit is not None and not (stops.clock or timeless):
        raise InputError(
            f"time_unit is for windows that are times of day, or none; those of {path} are "
            "numbers, and the matrix has their unit"
        )
    times = times if time_unit is None else times * UNITS[time_unit]
    if time_unit is None and timeless and any(stops.service) and _median(times) > LONG:
        warn(
            f"{where}: most legs take hours if it is in minutes, as the service of {path}: give "
            "time_unit='seconds' if that is its unit, or time_unit='minutes' if it has that of the "
            "service"
        )
    elif time_unit is None:
        _check_fit(path, stops, where, times)
    elif 0.0 < _median(times) < 1.0 and not seconds:
        warn(f"{where}: in {time_unit}, most legs take less than a minute: is that its unit?")
    if (stops.clock or timeless) and stops.geographic and stops.positions is not None:
        points = checked_positions(stops.positions, str(path), geographic=True)
        called = stops.names or names or range(1, count + 1)
        warn_of_speed(where, called, travel_times(points, "haversine", 1.0), times, time_unit)
    found = _arguments(path, replace(stops, matrix=times), None)
    return found | ({"names": names} if found["names"] is None else {})


def _rows_of(stops: Stops, where: object, names: tuple[str, ...]) -> list[int]:
    """Return which rows of a matrix have the names of the stops, with capitals if that matters."""
    places: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        places.setdefault(alike(name), []).append(row)
    found = {name: rows[0] for name, rows in places.items() if len(rows) == 1}
    exact = {name: row for row, name in enumerate(names)}
    order = [exact.get(name, found.get(alike(name))) for name in stops.names or ()]
    if missing := [place for place, row in enumerate(order) if row is None]:
        name = (stops.names or ())[missing[0]]
        others = f", and {len(missing) - 1} others have none" if missing[1:] else ""
        raise InputError(
            f"{stops.places[missing[0]]}: no row of {where} is named {shown(name)}"
            f"{nearest(name, names)}{others}"
        )
    return [row for row in order if row is not None]


def _check_fit(path: object, stops: Stops, where: object, times: Floats) -> None:
    """Refuse a matrix that is not in the unit of the windows, or warn if that is not known."""
    ends = [np.inf if window[1] is None else window[1] for window in stops.windows]
    latest = np.minimum(ends, ends[0])
    opens = stops.windows[0][0] or 0.0
    if stops.clock and (unit := matrix_table.unit_that_fits(times, opens, latest)):
        say = f"say so with time_unit={unit!r}, or"
        cure = say if unit in UNITS else f"divide it by {SMALLER[unit]:.0f}, or say"
        raise InputError(f"{where}: {misfit(unit)}: {cure} time_unit='minutes' if it is right")
    told = bool(stops.doubt) and stops.geographic
    if not (stops.clock or told) and (
        factor := matrix_table.factor_that_fits(times, opens, latest)
    ):
        warn(
            stops.doubt
            or f"{where}: most stops of {path} cannot be reached in time, and they can if its "
            f"numbers are divided by {factor:g}: is it in the unit of the windows?"
        )


def _median(times: Floats) -> float:
    """Return the middle one of the times of travel."""
    ways = times[np.isfinite(times) & (times > 0.0)]
    return float(np.median(ways)) if len(ways) else 0.0


def _arguments(path: object, stops: Stops, speed: float | str | None) -> dict[str, Any]:
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
        plane = None if stops.geographic else positions
        check_pace(speed, matrix, stops.windows, stops.clock, stops.geographic, plane)
    return {
        **{
            name: value
            for name, value in vars(stops).items()
            if name not in ("fixed", "places", "doubt")
        },
        "matrix": matrix,
        "service": stops.service if any(stops.service) else None,
        "positions": positions,
        "before": as_nodes(stops.before) or None,
        **{name: Node(stop) for name, stop in stops.fixed.items()},
    }


def _check_no_speed(path: object, speed: float | str | None) -> None:
    if speed is not None:
        raise InputError(f"{path} has times of travel: speed is for files with coordinates")
