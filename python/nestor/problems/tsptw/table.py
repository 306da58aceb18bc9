"""Tables of stops: CSV files with a header row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from difflib import get_close_matches
from os import PathLike
from typing import Any

from nestor.errors import InputError, warn
from nestor.files import MIB, read_bytes
from nestor.problems.textfile import shown, split_lines
from nestor.problems.tsptw.checks import MAX_TIME
from nestor.problems.tsptw.clock import minutes
from nestor.problems.tsptw.coordinates import LIMITS
from nestor.problems.tsptw.frames import as_time, columns_of, first_day, labels_of
from nestor.problems.tsptw.stops import Stops, check_count, number
from nestor.safe import from_cell

WHAT = "a table of stops"
LIMIT = 16 * MIB

ROUTES = "one vehicle without loads makes the tour; PyVRP plans several vehicles and capacities"

UNSUPPORTED = {
    **dict.fromkeys(("demand", "load", "quantity", "capacity", "pickup", "delivery"), ROUTES),
    **dict.fromkeys(("vehicle", "vehicles", "truck", "driver", "route", "skill", "skills"), ROUTES),
    **dict.fromkeys(
        ("priority", "penalty", "prize", "before", "after"),
        "say in Python what it costs to leave a stop out (`penalty`), or which one comes before "
        "another (`before`)",
    ),
    "position": "fix the first and the last stop with `first` and `last`",
    **dict.fromkeys(
        ("open2", "close2", "ready2", "due2"),
        "give several windows of a stop in Python (`windows`), or `closed`",
    ),
}
"""Columns that other tools have, written as in `COLUMNS`, and what to do instead."""

COLUMNS = {
    "name": ("name", "stop", "customer", "label", "id", "address"),
    "x": ("x", "xcoord"),
    "y": ("y", "ycoord"),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "long", "longitude"),
    "ready": ("ready", "readytime", "earliest", "open", "opens", "from", "start"),
    "due": ("due", "duedate", "duetime", "latest", "close", "closes", "until", "to", "end"),
    "service": ("service", "servicetime", "duration"),
}
"""How the header may write each column, in small letters without spaces, dots and underscores."""

NOTHING = ("", "nan", "nat", "na", "n/a", "none", "null")
"""How programs write a cell without a value, in small letters."""

EXAMPLE = "name, lat, lon, ready, due, service"
DELIMITERS = ",;\t|"

Row = tuple[int, list[str]]
"""The number of a line, and its cells."""


def looks_like_table(text: str) -> bool:
    """Whether the first line of a file that is not empty names the columns of coordinates."""
    first = text.lstrip("\ufeff\n").partition("\n")[0][:10000]
    return any(_has_place(_known(cells)) for cells in _split_header(first))


def read_table(path: str | PathLike[str], placed: bool = True) -> Stops:
    """Read a table of stops, the depot first.

    Parameters
    ----------
    path : path
        A CSV file; see `TSPTW.read`.
    placed : bool, default True
        Whether it must have coordinates and windows, as it has no matrix beside it.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line and the column.
    """
    lines = [f"{line}\n" for line in split_lines(text_of(path))]
    # Not strictly: quoted cells of another delimiter are no fault.
    headers = [next(rows_of(path, lines, each, strict=False), (1, []))[1] for each in DELIMITERS]
    if not all(headers):
        raise InputError(f"{path}: is empty; the first row names the columns, such as {EXAMPLE}")
    known = [len(_known(header)) for header in headers]
    delimiter = DELIMITERS[known.index(max(known))]
    rows = rows_of(path, lines, delimiter)
    line, header = next(rows)
    table = _Table(f"{path}:", f"{path}:{line}", header, placed)
    for row in rows:
        table.add(*row)
    check_count(path, len(table.lines))
    return table.stops()


def frame_stops(frame: Any, placed: bool = True) -> Stops:
    """Return the stops of a data frame, the depot first; its columns are those of a table.

    Raises
    ------
    InputError
        If it is malformed; the message names the row, from 0, and the column.
    """
    columns = columns_of(frame, "stops")
    names = labels_of(frame)
    if names is not None and "name" not in _known(list(columns)):
        columns = {"name": names, **columns}
    day = first_day([value for column in columns.values() for value in column])
    table = _Table("stops: row ", "stops", list(columns), placed)
    for row, values in enumerate(zip(*columns.values(), strict=True)):
        texts = (as_time(value, day) for value in values)
        table.add(row, ["" if text is None else str(text) for text in texts])
    check_count("stops", len(table.lines))
    return table.stops()


class _Table:
    """A table as it is read, row by row; `before` and the number of a row say where it is."""

    def __init__(self, before: str, top: str, header: list[str], placed: bool) -> None:
        self.before = before
        self.header = [cell.strip() for cell in header]
        self.columns = _checked_columns(top, self.header, placed)
        self.placed = _has_place({name: [] for name in self.columns})
        self.lines: list[int] = []
        self.geographic = "lat" in self.columns
        self.names: list[str] = []
        self.places: list[tuple[float, float]] = []
        self.times: list[tuple[str, str]] = []
        self.services: list[str] = []
        self.top = top
        used = set(self.columns.values())
        self.unnamed = {k for k, cell in enumerate(self.header) if not cell} - used

    def where(self, line: int, column: str) -> str:
        """Return file, line and column for an error."""
        return f"{self.before}{line}: column {self.header[self.columns[column]]!r}"

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row."""
        while len(cells) > len(self.header) and not cells[-1].strip():
            cells.pop()
        if len(cells) != len(self.header):
            hint = "; quote cells with commas in them" if len(cells) > len(self.header) else ""
            raise InputError(
                f"{self.before}{line}: {len(cells)} cells in a table of {len(self.header)} columns "
                f"(the last is {self.header[-1]!r}){hint}"
            )
        if lost := sorted(k + 1 for k in self.unnamed if cells[k].strip()):
            self.unnamed.clear()
            warn(f"{self.top}: column {lost[0]} has no name and no meaning here")
        found = {name: cells[index].strip() for name, index in self.columns.items()}
        self.lines.append(line)
        if "name" in found:
            if not found["name"]:
                raise InputError(f"{self.where(line, 'name')}: a stop without a name")
            self.names.append(" ".join(from_cell(found["name"]).split()))
        if self.placed:
            self.places.append(self.place(line, found))
        self.times.append((found.get("ready", ""), found.get("due", "")))
        self.services.append(found.get("service", ""))

    def place(self, line: int, found: dict[str, str]) -> tuple[float, float]:
        """Return the coordinates of a row."""
        one, other = ("lat", "lon") if self.geographic else ("x", "y")
        point = (
            number(found[one], self.where(line, one)),
            number(found[other], self.where(line, other)),
        )
        if self.geographic:
            for name, value, (what, limit) in zip((one, other), point, LIMITS[True], strict=True):
                if abs(value) > limit:
                    raise InputError(
                        f"{self.where(line, name)}: the {what} must be from {-limit:g} to "
                        f"{limit:g} degrees, not {found[name]}"
                    )
        return point

    def stops(self) -> Stops:
        """Return the stops of all rows."""
        clock = any(":" in time for times in self.times for time in times)
        windows, service = [], []
        for line, times, served in zip(self.lines, self.times, self.services, strict=True):
            earliest = self.time(line, "ready", times[0], clock)
            latest = self.time(line, "due", times[1], clock)
            if earliest is not None and latest is not None and latest < earliest:
                raise InputError(
                    f"{self.where(line, 'due')}: {times[1]} comes before {times[0]}, when the stop "
                    "opens" + ("; 26:00 is two o'clock on the next day" if clock else "")
                )
            windows.append((earliest, latest))
            service.append(self.time(line, "service", served, clock) or 0.0)
        names = tuple(self.names) if "name" in self.columns else None
        places = self.places if self.placed else None
        return Stops(windows, service, names, places, self.geographic, clock=clock)

    def time(self, line: int, column: str, text: str, clock: bool) -> float | None:
        """Return a time of a row; None for a cell without a value."""
        if text.lower() in NOTHING:
            return None
        where = self.where(line, column)
        if ":" not in text:
            if clock and column != "service":
                told = "a number where other times are HH:MM"
                if not _is_number(text):
                    told = "not a time such as 08:15 or 16:30"
                raise InputError(f"{where}: {shown(text)} is {told}")
            return number(text, where, 0.0 if column == "service" else -MAX_TIME)
        if not clock:
            raise InputError(f"{where}: {shown(text)} is not a number, as the other times are")
        try:
            return minutes(text)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None


def _is_number(text: str) -> bool:
    try:
        number(text, "")
    except InputError:
        return False
    return True


def text_of(path: str | PathLike[str]) -> str:
    """Return the text of a table.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or is no text.
    """
    data = read_bytes(path, WHAT, LIMIT)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(data[: error.start + 1].splitlines())
        raise InputError(f"{path}:{line}: not UTF-8 text; save the table as CSV UTF-8") from None
    if "\0" in text:
        raise InputError(f"{path}: binary data, not {WHAT}; save a spreadsheet as CSV")
    return text


def rows_of(
    path: object, lines: list[str], delimiter: str, *, strict: bool = True
) -> Iterator[Row]:
    """Yield the rows that are not empty, each with the number of its first line."""
    reader = csv.reader(lines, delimiter=delimiter, strict=strict)
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}:{line}: cannot be split into cells: {error}") from None


def _split_header(line: str) -> Iterator[list[str]]:
    for delimiter in DELIMITERS:
        yield next(csv.reader([line], delimiter=delimiter), [])


def _plain(cell: str) -> str:
    return "".join(c for c in cell.lower() if c not in " ._-\t\r\n")


def _known(header: list[str]) -> dict[str, list[int]]:
    """Return which columns each name stands for; a name that comes first among its spellings."""
    cells = [_plain(cell) for cell in header]
    found: dict[str, list[int]] = {}
    for name, spellings in COLUMNS.items():
        places = [k for spelling in spellings for k, cell in enumerate(cells) if cell == spelling]
        if places:
            found[name] = places[:1] if name == "name" else places
    return found


def _has_place(known: dict[str, list[int]]) -> bool:
    return {"x", "y"} <= known.keys() or {"lat", "lon"} <= known.keys()


def _checked_columns(where: str, header: list[str], placed: bool) -> dict[str, int]:
    """Return which column has what."""
    known = _known(header)
    listed = ", ".join(map(shown, header[:12]))
    if known and "name" not in known and not header[0]:
        # The index of a data frame, in a file.
        known["name"] = [0]
    if not known:
        raise InputError(
            f"{where}: the first row must name the columns, such as {EXAMPLE}, not {listed}"
        )
    for name, places in known.items():
        if len(places) > 1:
            twice = " and ".join(shown(header[k]) for k in places)
            raise InputError(f"{where}: columns {twice} both stand for {name!r}")
    _check_others(where, header, known)
    if {"x", "y", "lat", "lon"} <= known.keys():
        raise InputError(f"{where}: columns x, y and lat, lon: keep one pair")
    if placed and not _has_place(known):
        raise InputError(
            f"{where}: columns x and y, or lat and lon, are needed, or a matrix of times of "
            f"travel, not only {listed}"
        )
    if placed and not {"ready", "due"} & known.keys():
        raise InputError(f"{where}: a column ready or due is needed, not only {listed}")
    return {name: places[0] for name, places in known.items()}


def _check_others(where: str, header: list[str], known: dict[str, list[int]]) -> None:
    """Refuse columns that are asked for in vain or misspelt, and name the rest in a warning."""
    used = {place for places in known.values() for place in places}
    missing = COLUMNS.keys() - known - ({"x", "y", "lat", "lon"} if _has_place(known) else set())
    spellings = [spelling for name in missing for spelling in COLUMNS[name]]
    others = []
    for place, cell in enumerate(header):
        plain = _plain(cell)
        if place in used or not plain:
            continue
        if plain in UNSUPPORTED:
            raise InputError(
                f"{where}: column {shown(cell)} is not supported: {UNSUPPORTED[plain]}; without "
                "the column the table is read"
            )
        words = [*spellings, *(word for word in UNSUPPORTED if len(word) > 5)]
        if near := get_close_matches(plain, words, 1, 0.82):
            raise InputError(
                f"{where}: column {shown(cell)}: did you mean {near[0]!r}? If not, give it another "
                "name"
            )
        others.append(shown(cell))
    if others:
        warn(f"{where}: columns without a meaning here: {', '.join(others[:12])}")
