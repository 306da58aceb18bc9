"""Tables of stops: CSV files with a header row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from difflib import get_close_matches
from os import PathLike

from nestor.errors import InputError, warn
from nestor.files import MIB, read_bytes
from nestor.problems.textfile import shown, split_lines
from nestor.problems.tsptw.clock import minutes
from nestor.problems.tsptw.coordinates import LIMITS
from nestor.problems.tsptw.stops import Stops, check_count, number
from nestor.safe import from_cell

WHAT = "a table of stops"
LIMIT = 16 * MIB

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

EXAMPLE = "name, lat, lon, ready, due, service"
DELIMITERS = ",;\t|"

Row = tuple[int, list[str]]
"""The number of a line, and its cells."""


def looks_like_table(text: str) -> bool:
    """Whether the first line of a file that is not empty names the columns of coordinates."""
    first = text.lstrip("\ufeff\n").partition("\n")[0][:10000]
    return any(_has_place(_known(cells)) for cells in _split_header(first))


def read_table(path: str | PathLike[str]) -> Stops:
    """Read a table of stops, the depot first.

    Parameters
    ----------
    path : path
        A CSV file; see `TSPTW.read`.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line and the column.
    """
    lines = [f"{line}\n" for line in split_lines(_text(path))]
    # Not strictly: quoted cells of another delimiter are no fault.
    headers = [next(_rows(path, lines, each, strict=False), (1, []))[1] for each in DELIMITERS]
    if not all(headers):
        raise InputError(f"{path}: is empty; the first row names the columns, such as {EXAMPLE}")
    known = [len(_known(header)) for header in headers]
    delimiter = DELIMITERS[known.index(max(known))]
    rows = _rows(path, lines, delimiter)
    table = _Table(path, *next(rows))
    for row in rows:
        table.add(*row)
    check_count(path, len(table.places))
    return table.stops()


class _Table:
    """A table as it is read, row by row."""

    def __init__(self, path: str | PathLike[str], line: int, header: list[str]) -> None:
        self.path = path
        self.header = [cell.strip() for cell in header]
        self.columns = _checked_columns(f"{path}:{line}", self.header)
        self.lines: list[int] = []
        self.geographic = "lat" in self.columns
        self.names: list[str] = []
        self.places: list[tuple[float, float]] = []
        self.times: list[tuple[str, str]] = []
        self.services: list[str] = []

    def where(self, line: int, column: str) -> str:
        """Return file, line and column for an error."""
        return f"{self.path}:{line}: column {self.header[self.columns[column]]!r}"

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row."""
        while len(cells) > len(self.header) and not cells[-1].strip():
            cells.pop()
        if len(cells) != len(self.header):
            hint = "; quote cells with commas in them" if len(cells) > len(self.header) else ""
            raise InputError(
                f"{self.path}:{line}: {len(cells)} cells in a table of {len(self.header)} columns "
                f"(the last is {self.header[-1]!r}){hint}"
            )
        found = {name: cells[index].strip() for name, index in self.columns.items()}
        self.lines.append(line)
        if "name" in found:
            if not found["name"]:
                raise InputError(f"{self.where(line, 'name')}: a stop without a name")
            self.names.append(" ".join(from_cell(found["name"]).split()))
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
        return Stops(windows, service, names, self.places, self.geographic, clock=clock)

    def time(self, line: int, column: str, text: str, clock: bool) -> float | None:
        """Return a time of a row; None for an empty cell."""
        if not text:
            return None
        where = self.where(line, column)
        if ":" not in text:
            if clock and column != "service":
                raise InputError(f"{where}: {shown(text)} is a number where other times are HH:MM")
            return number(text, where, 0.0)
        if not clock:
            raise InputError(f"{where}: {shown(text)} is not a number, as the other times are")
        try:
            return minutes(text)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None


def _text(path: str | PathLike[str]) -> str:
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


def _rows(path: object, lines: list[str], delimiter: str, *, strict: bool = True) -> Iterator[Row]:
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


def _checked_columns(where: str, header: list[str]) -> dict[str, int]:
    """Return which column has what."""
    known = _known(header)
    listed = ", ".join(map(shown, header[:12]))
    if not known:
        raise InputError(
            f"{where}: the first row must name the columns, such as {EXAMPLE}, not {listed}"
        )
    for name, places in known.items():
        if len(places) > 1:
            twice = " and ".join(shown(header[k]) for k in places)
            raise InputError(f"{where}: columns {twice} both stand for {name!r}")
    placed, timed = _has_place(known), bool({"ready", "due"} & known.keys())
    missing = COLUMNS.keys() - known - ({"x", "y", "lat", "lon"} if placed else set())
    spellings = [spelling for name in missing for spelling in COLUMNS[name]]
    for cell in header:
        if near := get_close_matches(_plain(cell), spellings, 1, 0.8):
            if not (placed and timed):
                raise InputError(f"{where}: column {shown(cell)}: did you mean {near[0]!r}?")
            # It may well be something else.
            message = f"{where}: column {shown(cell)} is ignored; did you mean {near[0]!r}?"
            warn(message)
    if {"x", "y", "lat", "lon"} <= known.keys():
        raise InputError(f"{where}: columns x, y and lat, lon: keep one pair")
    if not placed:
        raise InputError(f"{where}: columns x and y, or lat and lon, are needed, not only {listed}")
    if not timed:
        raise InputError(f"{where}: a column ready or due is needed, not only {listed}")
    return {name: places[0] for name, places in known.items()}
