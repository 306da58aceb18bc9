"""Values as people have them: data frames, cells without a value, and times of day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import zip_longest
from typing import Any

from nestor.arrays import np
from nestor.checks import as_list, shown
from nestor.errors import InputError
from nestor.problems.tsptw.clock import DATED

SPREADSHEETS = 1900
"""The year with which the days of spreadsheets begin."""


def is_frame(value: Any) -> bool:
    """Whether a value is a data frame, as that of pandas or polars."""
    return hasattr(value, "columns") and callable(getattr(value, "to_numpy", None))


def columns_of(frame: Any, what: str) -> dict[str, list[Any]]:
    """Return the values of each column of a data frame.

    Raises
    ------
    InputError
        If two columns have the same name.
    """
    names = list(map(str, frame.columns))
    if twice := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise InputError(f"{what}: two columns are named {shown(twice)}")
    return {str(name): list(frame[name]) for name in frame.columns}


def labels_of(frame: Any, known: Sequence[str] = ()) -> list[str] | None:
    """Return the names of the rows of a data frame; None if they are only counted.

    Whole numbers are names if all that are `known` are among them, and they do not count from 0.
    """
    index = getattr(frame, "index", None)
    if index is None or callable(index):
        return None
    labels = [_label(each) for each in index]
    if all(isinstance(each, int | np.integer) for each in index):
        named = {*known} <= {*labels} and labels != [*map(str, range(len(labels)))]
        return labels if known and named else None
    return labels


def _label(value: Any) -> str:
    """Return the name of a row; those of several levels are parts of it."""
    if isinstance(value, tuple):
        return " ".join(map(_label, value))
    return "" if is_blank(value) else str(value)


def is_blank(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, NA or an empty text."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, str):
        return not value.strip()
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(
        value != value
    )


def dates_of(values: Sequence[Any]) -> list[datetime]:
    """Return the dates with a time, the earliest first.

    Raises
    ------
    InputError
        If dates are of several time zones.
    """
    dates = [each for each in values if isinstance(each, datetime) and not is_blank(each)]
    zones = {str(each.tzinfo) for each in dates}
    if len(zones) > 1:
        raise InputError(
            f"times are of several time zones, {' and '.join(sorted(zones))}: convert them to one"
        )
    return sorted(dates)


def check_dates(times: Iterable[tuple[str, Any]]) -> None:
    """Check that all times have a date, or none; numbers and what is blank do not matter.

    Parameters
    ----------
    times : iterable of (str, object)
        Where each is, for errors, and what it is.

    Raises
    ------
    InputError
        If one differs from the first.
    """
    first = None
    for where, value in times:
        if is_blank(value) or not isinstance(value, str | datetime | time | timedelta):
            continue
        dated = bool(DATED.match(value)) if isinstance(value, str) else isinstance(value, datetime)
        first = dated if first is None else first
        if dated != first:
            has, had = ("a", "none") if dated else ("no", "one")
            midnight = isinstance(value, datetime) and value.year <= SPREADSHEETS
            cure = "; spreadsheets have midnight as this: write 24:00" if midnight else ""
            raise InputError(
                f"{where}: {value} has {has} date, and the times before have {had}: give all a "
                f"date, or none{cure}"
            )


def as_time(value: Any, dates: Sequence[datetime] = ()) -> Any:
    """Return a time of day as a text such as "08:15:00", nothing as None, the rest as it is.

    Parameters
    ----------
    value : object
    dates : sequence of datetime
        Dates with times are counted from the midnight before the first of these.
    """
    if is_blank(value):
        return None
    if isinstance(value, datetime):
        value = value - datetime.combine(dates[0].date(), time(), value.tzinfo)
    elif isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(abs(value).total_seconds()), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{'-' * (value < timedelta(0))}{hours:02}:{minutes:02}:{seconds:02}"
    return value


def windows_of(windows: Any) -> tuple[Any, list[str] | None, list[datetime]]:
    """Return windows as rows in which None is no limit, the names of the rows, and their dates.

    Arrays and lists of numbers without gaps are returned as they are.

    Raises
    ------
    InputError
        If a data frame has other than two columns.
    """
    names = None
    if is_frame(windows):
        columns = columns_of(windows, "windows")
        names = labels_of(windows)
        if len(columns) != 2:
            raise InputError(
                "windows: a data frame must have the columns ready and due, and no others, not "
                f"{', '.join(map(shown, list(columns)[:12]))}; TSPTW.from_frame takes a table of "
                "stops"
            )
        if {"ready", "due"} == columns.keys():
            columns = {"ready": columns["ready"], "due": columns["due"]}
        windows = [list(pair) for pair in zip(*columns.values(), strict=True)]
    elif isinstance(windows, np.ndarray):
        kind = windows.dtype.kind
        if kind in "iub" or (kind == "f" and not bool(np.isnan(windows).any())):
            return windows, None, []
        if kind in "mM":
            # Only in microseconds they become dates of Python, and not numbers.
            windows = windows.astype(f"{kind}8[us]")
        windows = windows.tolist()
    if not isinstance(windows, list | tuple):
        return windows, None, []
    times = list(flat(windows))
    check_dates(("windows", each) for each in times)
    dates = dates_of(times)
    if any(is_blank(each) or isinstance(each, time | datetime | timedelta) for each in times):
        windows = [_as_times(row, dates) for row in windows]
    return windows, names, dates


def flat(value: Any) -> Iterator[Any]:
    """Yield what lists in lists hold, or a single value."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from flat(each)
    else:
        yield value


def _as_times(value: Any, dates: Sequence[datetime]) -> Any:
    if isinstance(value, list | tuple):
        return [_as_times(each, dates) for each in value]
    return as_time(value, dates)


def matrix_of(matrix: Any, stops: Sequence[str] = ()) -> tuple[Any, list[str] | None, str]:
    """Return distances as rows, the names of the nodes if they have any, and what has these names.

    That is "both" rows and columns, or the "columns" alone. Numbers may be names of the `stops`.

    Raises
    ------
    InputError
        If the columns of a data frame have other names than its rows, or an array is masked.
    """
    if not is_frame(matrix):
        if isinstance(matrix, np.ma.MaskedArray) and np.ma.getmaskarray(matrix).any():
            raise InputError("matrix is masked: fill it, with inf where there is no way")
        return matrix, None, "both"
    columns = columns_of(matrix, "matrix")
    names = labels_of(matrix, stops if {*stops} <= {*columns} else ())
    if names is None and columns:
        first, *others = columns
        cells = [*map(_label, columns[first])]
        texts = any(isinstance(each, str) for each in columns[first])
        if len(cells) == len(others) and (texts or {*cells} == {*others}):
            names = cells
            del columns[first]
    if names is not None:
        if strange := sorted({*columns} ^ {*names}):
            raise InputError(
                f"matrix: rows and columns must have the same names; {shown(strange[0])} is only "
                "in one of them"
            )
        named, columns = "both", {name: columns[name] for name in names}
    elif any(isinstance(values[0], str) for values in columns.values() if values):
        raise InputError(
            "matrix: a column of texts: the names of the rows are the first column, with all "
            "columns named, or the index of a pandas frame"
        )
    else:
        counted = all(name.removeprefix("column_").isdecimal() for name in columns)
        named, names = "columns", None if counted else list(columns)
    return [list(row) for row in zip(*columns.values(), strict=True)], names, named


def check_order(what: str, named: str, names: Sequence[str], others: Sequence[str]) -> None:
    """Check that names of rows or columns alone have the order of the stops.

    Raises
    ------
    InputError
        If they have another one: then it is not clear in which order the others are.
    """
    if named != "both" and list(names) != list(others) and {*names} == {*others}:
        raise InputError(
            f"{what}: only its {named} are named, in another order than the stops; put rows and "
            "columns in the order of the stops, or name both"
        )


def check_same(what: str, names: Sequence[str], owner: str, others: Sequence[str]) -> None:
    """Check that the names of rows are those of another's, in the same order.

    Raises
    ------
    InputError
        If they are not.
    """
    for row, (name, other) in enumerate(zip_longest(names, others)):
        if name != other:
            raise InputError(
                f"{what}: row {row} must be that of {owner}, {shown(other)}, not {shown(name)}"
            )


def check_names(given: Any, owner: str, names: Sequence[str]) -> None:
    """Check names that are given beside those of a data frame: the same, or others for all rows.

    Raises
    ------
    InputError
        If some are the same, and not all in their places.
    """
    listed = [] if given is None else as_list("names", given)
    if all(isinstance(name, str) for name in listed):
        told, known = ([" ".join(name.split()) for name in each] for each in (listed, names))
        if not {*told}.isdisjoint(known):
            check_same("names", told, owner, known)


def in_order(values: Any, names: Sequence[str] | None, what: str) -> Any:
    """Return the values of a series in the order of the stops, other values as they are.

    Raises
    ------
    InputError
        If its rows have other names than the stops.
    """
    labels = labels_of(values)
    if labels is None or names is None or labels == list(names):
        return values
    if sorted(labels) != sorted(names) or len({*labels}) < len(labels):
        raise InputError(f"{what}: its rows must have the names of the stops, each once")
    places = [labels.index(name) for name in names]
    return [list(values)[place] for place in places]


def places_of(places: Any) -> Any:
    """Return the coordinates of a data frame by the names of its columns, others as they are.

    Raises
    ------
    InputError
        If its columns are not called x and y, or lat and lon.
    """
    if not is_frame(places):
        return places
    columns = columns_of(places, "xy")
    for wanted in (("x", "y"), ("lat", "lon")):
        if {*wanted} == columns.keys():
            return [list(pair) for pair in zip(*map(columns.__getitem__, wanted), strict=True)]
    raise InputError(
        "xy: a data frame must have the columns x and y, or lat and lon, and no others, not "
        f"{', '.join(map(shown, list(columns)[:12]))}"
    )
