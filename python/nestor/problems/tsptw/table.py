"""Tables of stops: CSV files with a header row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from operator import itemgetter
from os import PathLike
from statistics import median
from typing import Any

from nestor.arrays import np
from nestor.errors import InputError, errors_of, folded, warn
from nestor.files import MIB, check_what, read_bytes
from nestor.problems.textfile import shown, split_lines
from nestor.problems.tsptw import clock
from nestor.problems.tsptw.asked import MOST_COST, circle, closure, nodes_in
from nestor.problems.tsptw.checks import MAX_TIME, MIDNIGHT, service_time
from nestor.problems.tsptw.columns import (
    EXAMPLE,
    checked_columns,
    count_columns,
    has_place,
    known_columns,
    passed_over,
    renamed,
    several,
)
from nestor.problems.tsptw.coordinates import LIMITS
from nestor.problems.tsptw.frames import (
    as_time,
    check_dates,
    columns_of,
    dates_of,
    is_blank,
    labels_of,
)
from nestor.problems.tsptw.stops import Dialect, Stops, check_count, joined, number
from nestor.safe import from_cell
from nestor.text import counted

WHAT = "a table of stops"
LIMIT = 16 * MIB

NOTHING = ("", "nan", "nat", "na", "n/a", "<na>", "none", "null", "-", "\u2013", "\u2014")
"""How programs and people write a cell without a value, in small letters."""

DELIMITERS = ",;\t|"

ABOVE = 20
"""Within how many lines a header is looked for below other lines."""

MOST_FAULTS = 10
"""The most faults of a table that an error names."""

NEAR = 5.0
"""The degrees from the middle of the stops, beyond which a stop is far if most are not."""

BINARY = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
"""What a text in one of the encodings of Windows does not have."""

ZONE = re.compile(r"(?:[+-]\d\d(?::?\d\d)?|Z)$", re.ASCII)
"""The time zone behind a time."""

ZONED = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d| \d\d:\d\d:\d\d)[\d:.]*(?:Z|[+-]\d\d(?::?\d\d)?)", re.ASCII
)
"""A date with a time and its time zone."""

POINTED = re.compile(r"[0-2]?\d[.,][0-5]\d")
"""A number that may be a time of day."""

SHORT = re.compile(r"([0-2]?\d)(?:[.,]([0-5]))?")
"""The same without its last zero, or without minutes."""

PART = re.compile(r"0[.,]\d+", re.ASCII)
"""A time of day as spreadsheets save it, a part of a day."""

SERIAL = re.compile(r"[34567]\d{4}[.,]\d+", re.ASCII)
"""A date with a time as spreadsheets save it, of the years 1982 to 2119."""

SERIALS = (
    "spreadsheets count days since 1900, with parts of a day as times: format these cells as HH:MM "
    "and save again"
)

HOURS = re.compile(r"0\d[0-5]\d", re.ASCII)
"""A time of day without a colon: no number begins with 0."""

_HOURS = {
    "; a stop that is closed cannot be visited: take its row out": "closed geschlossen ruhetag "
    "ferme cerrado gesloten chiuso",
    "; a stop that is always open has an empty cell": "open opened always anytime any allday 24h "
    "24hours 24/7 immer jederzeit ganztags ganztagig durchgehend flexibel flexible toujours "
    "siempre altijd sempre",
}
IN_WORDS = {word: cure for cure, words in _HOURS.items() for word in words.split()}
"""Words for hours, in small letters without accents and blanks, and what to do instead."""

TOTALS = ("total", "totals", "sum", "average", "mean", "summe", "gesamt", "mittelwert")
"""What a row below the stops begins with, in small letters."""

DEPOTS = (
    *("depot", "start", "base", "warehouse", "garage", "headquarters", "hq", "origin", "lager"),
    *("zentrale", "betriebshof", "entrepot", "almacen", "deposito", "magazijn", "magazzino"),
)
"""Names of a depot, in small letters without accents."""

NAMES = ("name", "before", "after")
"""The columns of names."""

NO_DEPOT = ("penalty", "before", "after", "position")
"""The columns in which the depot has nothing."""

FIXED = ("first", "last", "end")
"""What a cell of the column `position` may say."""

Row = tuple[int, list[str]]
"""The number of a line, and its cells."""

Window = tuple[float | None, float | None]
"""Earliest and latest time, None for no limit."""


def looks_like_table(line: str) -> bool:
    """Whether a line names the columns of coordinates."""
    return any(has_place(known_columns(cells)) for cells in _split_header(line.lstrip("\ufeff")))


def lines_above(path: object, lines: list[str], renames: Mapping[str, str]) -> int:
    """Return how many lines are above the header if the first is a title.

    Each of these lines has fewer cells than the header has columns that are known.

    Raises
    ------
    InputError
        If the first line names no column, a later one several, and there is more above it.
    """
    lines = [line.lstrip("\ufeff") for line in lines[:ABOVE]]
    first = next((k for k, line in enumerate(lines) if line.strip()), 0)
    for k, line in enumerate(lines):
        counts = [count_columns(renamed(cells, renames)) for cells in _split_header(line)]
        known = max(counts)
        if k == first and known:
            return 0
        if known > 1:
            rows = csv.reader(lines[:k], delimiter=DELIMITERS[counts.index(known)])
            if all(len([*filter(str.strip, cells)]) < known for cells in rows):
                return k
            raise InputError(
                f"{path}:{first + 1}: this line does not name columns; the header seems to be line "
                f"{k + 1}: take out the lines above it"
            )
    return 0


def read_table(path: str | PathLike[str], renames: Mapping[str, str], placed: bool = True) -> Stops:
    """Read a table of stops, the depot first.

    Parameters
    ----------
    path : path
        A CSV file; see `TSPTW.read`.
    renames : mapping of str to str
        Nestor's names of columns by those of the table.
    placed : bool, default True
        Whether it must have coordinates and windows, as it has no matrix beside it.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line and the column.
    """
    text = split_lines(text_of(path))
    above = lines_above(path, text, renames)
    lines = ["\n"] * above + [f"{line}\n" for line in text[above:]]
    # Not strictly: quoted cells of another delimiter are no fault.
    headers = [next(rows_of(path, lines, each, strict=False), (1, []))[1] for each in DELIMITERS]
    if not all(headers):
        raise InputError(f"{path}: is empty; the first row names the columns, such as {EXAMPLE}")
    known = [(count_columns(renamed(header, renames)), len(header)) for header in headers]
    delimiter = DELIMITERS[known.index(max(known))]
    rows = rows_of(path, lines, delimiter)
    line, header = next(rows)
    table = _Table(path, line, header, placed, renames)
    return replace(table.stops(rows), dialect=table.dialect(delimiter))


def frame_stops(frame: Any, renames: Mapping[str, str], placed: bool = True) -> Stops:
    """Return the stops of a data frame, the depot first; its columns are those of a table.

    Raises
    ------
    InputError
        If it is malformed; the message names the row, from 0, and the column.
    """
    columns = columns_of(frame, "stops")
    names = labels_of(frame)
    if names is not None and "name" not in known_columns(renamed(list(columns), renames)):
        columns = {"name": names, **columns}
    table = _Table("stops", None, list(columns), placed, renames)
    index = getattr(frame, "index", None)
    if names is None and index is not None and not callable(index):
        table.labels = list(index)
    known = {*table.columns.values()}
    timed = [value for k, column in enumerate(columns.values()) if k in known for value in column]
    check_dates(
        (table.where(row, name), values[k])
        for row, values in enumerate(zip(*columns.values(), strict=True))
        for name, k in table.columns.items()
        if name.startswith(("ready", "due"))
    )
    table.dates = dates_of(timed)
    table.days |= {str(value)[:10] for value in timed if isinstance(value, datetime)}
    return table.stops(
        (row, [cell_of(as_time(v, table.dates) if k in known else v) for k, v in enumerate(values)])
        for row, values in enumerate(zip(*columns.values(), strict=True))
        if not all(map(is_blank, values))
    )


class _Table:
    """A table as it is read; without the line of its header it is a data frame."""

    def __init__(
        self,
        path: object,
        line: int | None,
        header: list[str],
        placed: bool,
        renames: Mapping[str, str],
    ) -> None:
        self.path = path
        self.top = path if line is None else f"{path}:{line}"
        self.before = f"{path}: row " if line is None else f"{path}:"
        self.header = [cell.strip() for cell in header]
        self.faults: list[tuple[int, str]] = []
        self.columns, fault = checked_columns(str(self.top), self.header, placed, renames)
        if fault:
            self.faults.append((-1, fault))
        self.placed = has_place({name: [] for name in self.columns})
        self.geographic = "lat" in self.columns
        self.axes = ("lat", "lon") if self.geographic else ("x", "y")
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.names: list[str] = []
        self.places: list[tuple[float, float]] = []
        self.penalty: list[float | None] = []
        used = set(self.columns.values())
        new = renamed(self.header, renames)
        self.renamed = {k for k, cell in enumerate(self.header) if cell != new[k]}
        self.days: set[str] = set()
        self.typed: dict[tuple[int, str], str] = {}
        self.labels: Sequence[Any] = ()
        self.dates: list[datetime] = []
        self.doubt = ""
        self.unnamed = {k for k, cell in enumerate(self.header) if not cell} - used
        self.ignored: dict[int, list[str]] = {
            k: [] for k, cell in enumerate(self.header) if cell and k not in used
        }
        self.clock = False

    def at(self, line: int) -> str:
        """Return file and line, or the row of a data frame with its label where that differs."""
        label = self.labels[line] if self.labels else line
        return f"{self.before}{line}{'' if label == line else f' (index {label})'}"

    def where(self, line: int, column: str) -> str:
        """Return file, line and column for an error."""
        # The windows of one cell have its place.
        place = self.columns.get(column, self.columns.get("window", 0))
        return f"{self.at(line)}: column {self.header[place]!r}"

    def where_of(self, node: int, column: str) -> str:
        """Return the same for a stop."""
        return self.where(self.rows[node][0], column)

    def said(self, *columns: str) -> Iterator[tuple[int, str, str, str]]:
        """Yield what stops have in these columns: stop, column, where that is, and the text."""
        for node, (line, cells) in enumerate(self.rows):
            for column in columns:
                if node and (text := cells.get(column, "")):
                    yield node, column, self.where(line, column), text

    @contextmanager
    def gathered(self, line: int) -> Iterator[None]:
        """Keep an error of a row, which is told with the others."""
        try:
            yield
        except InputError as error:
            self.faults.append((line, str(error)))

    def refuse(self) -> None:
        """Raise an error that names the faults by their lines, if there are any."""
        told = [fault for _, fault in sorted(self.faults, key=itemgetter(0))]
        if len(told) > MOST_FAULTS:
            told[MOST_FAULTS:] = [f"and {len(told) - MOST_FAULTS} more"]
        if told:
            raise InputError(";\n".join(told))

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row."""
        while len(cells) > len(self.header) and not cells[-1].strip():
            cells.pop()
        if len(cells) != len(self.header):
            hint = "; quote cells with commas in them" if len(cells) > len(self.header) else ""
            raise InputError(
                f"{self.at(line)}: {counted(len(cells), 'cell')} in a table of "
                f"{len(self.header)} columns (the last is {self.header[-1]!r}){hint}"
            )
        if lost := sorted(k + 1 for k in self.unnamed if cells[k].strip()):
            self.unnamed.clear()
            warn(f"{self.top}: column {lost[0]} has no name: it is ignored")
        texts = (
            (name, " ".join((cells[k] if name in NAMES else joined(cells[k])).split()))
            for name, k in self.columns.items()
        )
        # Names may be any text; elsewhere what stands for nothing is nothing.
        found = {
            name: "" if text.lower() in NOTHING and name != "name" else text for name, text in texts
        }
        words = {text.strip(" :").lower() for text in cells}
        summed = found.get("name") == "" or not words.isdisjoint(TOTALS)
        if self.placed and summed and not any(found[axis] for axis in self.axes):
            raise InputError(
                f"{self.at(line)}: this looks like a row of totals, and each row is a stop: "
                "take it out"
            )
        for place, ignored in self.ignored.items():
            text = cells[place].strip()
            ignored.append("" if text.lower() in NOTHING else text)
        if "name" in found:
            if not found["name"]:
                self.faults.append((line, f"{self.where(line, 'name')}: a stop without a name"))
            self.names.append(from_cell(found["name"]).strip())
        self.rows.append((line, found))

    def place(self, line: int, found: dict[str, str]) -> None:
        """Take the coordinates of a row."""
        point = [0.0, 0.0]
        for k, (name, (what, limit)) in enumerate(zip(self.axes, LIMITS[True], strict=True)):
            with self.gathered(line):
                point[k] = number(found[name], self.where(line, name))
                if self.geographic and abs(point[k]) > limit:
                    raise InputError(
                        f"{self.where(line, name)}: the {what} must be from {-limit:g} to "
                        f"{limit:g} degrees, not {found[name]}"
                    )
        self.places.append((point[0], point[1]))

    def dialect(self, delimiter: str) -> Dialect:
        """Return how a table is written that is to be as this one."""
        numbers = [
            cells.get(name, "") for _, cells in self.rows for name in (*self.axes, "service")
        ]
        pointed = any(re.search(r"\d\.\d", number) for number in numbers)
        others = tuple((self.header[k], tuple(texts)) for k, texts in self.ignored.items())
        if delimiter != ";":
            return Dialect(others=others)
        return Dialect(";", "." if pointed else ",", others)

    def stops(self, rows: Iterable[Row]) -> Stops:
        """Return the stops of these rows."""
        for line, row in rows:
            with self.gathered(line):
                self.add(line, row)
        if not self.faults:
            check_count(self.path, len(self.rows))
        with self.gathered(-1):
            self.check_ignored(" ".join(fault for line, fault in self.faults if line < 0))
        times, hours = self.times()
        with self.gathered(-1):
            self.check_depot()
        self.take_penalties()
        self.refuse()
        closed = [
            [(a, b) for (_, a), (b, _) in pairwise(row) if a is not None and b is not None]
            for row in hours
        ]
        self.warn_of_next_day([row[-1] for row in hours])
        self.warn_of_twins()
        self.warn_of_places()
        pairs = self.pairs()
        return Stops(
            [(row[0][0], row[-1][1]) for row in hours],
            [row.get("service") or 0.0 for row in times],
            tuple(self.names) if "name" in self.columns else None,
            self.places if self.placed else None,
            self.geographic,
            clock=self.clock,
            closed=closed if any(closed) else None,
            penalty=self.penalty if any(cost is not None for cost in self.penalty) else None,
            before=pairs,
            fixed=self.fixed(pairs),
            places=tuple(self.where(line, "name") for line, _ in self.rows),
            dates=tuple(self.dates),
            doubt=self.doubt,
        )

    def check_ignored(self, told: str) -> None:
        """Refuse columns mostly of times of day, or all of service, whose names are not known.

        So are those of several days or tours. Those of which `told` says what is wrong are left to
        it, and those that have been given another name are passed over.
        """
        known = (text for _, cells in self.rows for text in cells.values())
        self.days |= {found[1] for text in known if (found := clock.DATED.match(text))}
        for place, column in self.ignored.items():
            if place in self.renamed:
                continue
            name, texts = shown(self.header[place]), [*filter(None, column)]
            cells = ((clock.DATED.match(text), text) for text in column[1:] if text)
            days = (found[1] if found else text for found, text in cells)
            values = [*{day.casefold(): day for day in days}.values()]
            kinds, why = several(self.header[place])
            if kinds and len(values) > 1:
                raise InputError(
                    f"{self.top}: column {name} has several {kinds}, {shown(values[0])} and "
                    f"{shown(values[1])}: {why}; keep the rows of one of them, or if it does not "
                    f"matter, {passed_over(self.header[place])}"
                )
            what = "times of day"
            cure = (
                "ready and due are when a stop opens and closes, ready2 and due2 when it does so "
                "again, as after noon, and window has all in one cell"
            )
            timed = 2 * sum(map(self.is_timed, texts)) > len(texts)
            if not timed and "service" not in self.columns:
                what, cure = "lengths of time", "service is how long a stop takes"
                timed = all(map(clock.length, texts)) and not any(map(_is_number, texts))
            if texts and timed and name not in told:
                raise InputError(
                    f"{self.top}: column {name} has {what}, but its name is not known: {cure}; if "
                    f"the tour does not depend on these times, {passed_over(self.header[place])}"
                )

    def is_timed(self, text: str) -> bool:
        """Whether a cell has a time of day, perhaps after a date that other times have, too.

        Midnight after a date is how programs write a date alone.
        """
        if found := clock.DATED.match(text):
            rest = ZONE.sub("", clock.DATED.sub("", text))
            same = not self.days or found[1] in self.days
            return same and clock.is_time(rest) and clock.minutes(rest) > 0.0
        return clock.is_time(text) or is_window(text)

    def times(self) -> tuple[list[dict[str, float | None]], list[list[Window]]]:
        """Return the times of each row by their columns, and its windows; and take its place."""
        self.split_windows()
        timed = [
            (line, cells, name)
            for line, cells in self.rows
            for name in cells
            if name.startswith(("ready", "due")) and cells[name]
        ]
        self.take_zones(timed)
        self.typed = {(line, name): cells[name] for line, cells, name in timed}
        days = [clock.DATED.match(cells[name]) for _, cells, name in timed]
        first = days[0][1] if days and days[0] else None
        if first and (date := clock.as_date(first)):
            self.dates = [date]
        for found, (line, cells, name) in zip(days, timed, strict=True):
            if (found[1] if found else None) != first:
                told = (
                    f"{self.where(line, name)}: {shown(cells[name])} differs in its date from the "
                    "times above: all must have the same date or none; two o'clock on the next day "
                    "is 26:00"
                )
                self.faults.append((line, told))
            cells[name] = clock.DATED.sub("", cells[name])
        texts = [cells[name] for _, cells, name in timed]
        self.clock = any(":" in text or clock.is_time(text) or is_window(text) for text in texts)
        self.warn_of_points(texts)
        for _, cells in self.rows if self.clock and "window" in self.columns else ():
            for name in [name for name in cells if name.startswith("ready")]:
                ends = (name, name.replace("ready", "due"))
                # Beside other times of day, 8.30-12.00 has one meaning.
                if all(POINTED.fullmatch(cells.get(end, "")) for end in ends):
                    cells.update((end, cells[end].replace(".", ":")) for end in ends)

        rows, windows = [], []
        for line, cells in self.rows:
            if self.placed:
                self.place(line, cells)
            columns = [name for name in cells if name.startswith(("ready", "due", "service"))]
            row = {}
            for name in columns:
                with self.gathered(line):
                    row[name] = self.time(line, name, cells[name])
            if len(row) == len(columns):
                with self.gathered(line):
                    windows.append(self.windows(line, cells, row))
            rows.append(row)
        return rows, windows

    def take_zones(self, timed: list[tuple[int, dict[str, str], str]]) -> None:
        """Take times with a date and a time zone as clocks there show them, if all have these."""
        dates = [_zoned(cells[name]) for _, cells, name in timed]
        if not any(dates):
            return
        told = list(filter(None, dates))
        with self.gathered(-1), errors_of(self.top):
            self.dates = dates_of(told)
        for date, (line, cells, name) in zip(dates, timed, strict=True):
            if date is None:
                self.faults.append(
                    (
                        line,
                        f"{self.where(line, name)}: {shown(cells[name])} has no date with a time "
                        "zone, and other times have: give all one, or none",
                    )
                )
            # Of a time without one no more is told.
            cells[name] = as_time(date or told[0], self.dates or told)

    def split_windows(self) -> None:
        """Write the windows of a cell as if they were in columns of their own."""
        for line, cells in self.rows:
            text = cells.pop("window", "")
            for k, part in enumerate(clock.windows(text) if text else (), 1):
                found = clock.window(part)
                if found is None:
                    # "between" is written with a hyphen.
                    part = part if part in text else text
                    time = part.replace(".", ":") if POINTED.fullmatch(part) else part
                    alone = clock.is_time(time) and not _in_words(part)
                    told = (
                        f"{self.where(line, 'window')}: {shown(part)} is not a window such as "
                        "8:00-10:00, from 8:00, until 10:00 or, for an appointment, 10:30-10:30"
                        f"{f': write that as {time}-{time}' if alone else _in_words(part)}"
                    )
                    self.faults.append((line, told))
                    break
                again = "" if k == 1 else str(k)
                cells[f"ready{again}"], cells[f"due{again}"] = found

    def windows(
        self, line: int, cells: dict[str, str], times: dict[str, float | None]
    ) -> list[Window]:
        """Return the windows of a row, one after the other."""
        found: list[Window] = []
        ended = ""
        for ready in sorted({"ready", *(name for name in cells if name.startswith("ready"))}):
            due = ready.replace("ready", "due")
            opens, closes = cells.get(ready, ""), cells.get(due, "")
            earliest, latest = times.get(ready), times.get(due)
            if earliest is not None and latest is not None and latest < earliest:
                next_day = "; 26:00 is two o'clock on the next day" if latest else MIDNIGHT
                raise InputError(
                    f"{self.where(line, due)}: {closes} comes before {opens}, when the stop "
                    f"opens{next_day if self.clock else ''}"
                )
            if not found:
                found.append((earliest, latest))
            elif opens or closes:
                where = self.where(line, ready)
                if line == self.rows[0][0]:
                    raise InputError(f"{where}: the depot has one window only")
                before = found[-1][1]
                if earliest is None:
                    raise InputError(f"{where}: is empty, and {closes} is when this window closes")
                if before is None:
                    raise InputError(
                        f"{where}: the window before this one does not close: say when, or write "
                        f"{opens} in its place"
                    )
                if earliest < before:
                    raise InputError(
                        f"{where}: {opens} is too early: the window before this one closes at "
                        f"{ended}"
                    )
                found.append((earliest, latest))
            ended = closes or ended
        return found

    def warn_of_points(self, times: list[str]) -> None:
        """Warn of numbers that look like times of day with a point in place of the colon."""
        late = next((time for time in times if time[-2:] != "00"), "")
        if late and all(map(POINTED.fullmatch, times)):
            warn(
                f"{self.top}: {shown(late)} is read as a number, as all times are; times of day "
                f"have a colon, such as {late[:-3]}:{late[-2:]}"
            )
        part, cure = max(times, key=len, default=""), ""
        if times and all(map(SERIAL.fullmatch, times)):
            cure = SERIALS
        elif len(part) > 1 and all(re.fullmatch(r"[01]|0[.,]\d+", time) for time in times):
            cure = (
                "if spreadsheet times have become parts of a day, format these cells as HH:MM and "
                "save again"
            )
        if cure:
            self.doubt = f"{self.top}: {shown(part)} is read as a number, as all times are; {cure}"
        if cure and self.geographic:
            warn(self.doubt)

    def warn_of_next_day(self, last: Sequence[Window]) -> None:
        """Warn of one stop that closes on the next day, though no other does."""
        late = [node for node, (_, due) in enumerate(last) if due is not None and due > clock.DAY]
        if self.clock and len(late) == 1 and late[0] and (last[late[0]][0] or 0.0) < clock.DAY:
            where = self.where_of(late[0], "due" if "due" in self.columns else "window")
            closes = clock.clock_text(last[late[0]][1] or 0.0)
            warn(
                f"{where}: {closes} is on the next day, when no other stop is open: is that meant?"
            )

    def warn_of_twins(self) -> None:
        """Warn of stops with the same name, and of rows that seem to be there in vain."""
        same: dict[str, int] = {}
        alike: dict[str, int] = {}
        for node, name in enumerate(self.names):
            other = same.setdefault(name, node)
            if other == node:
                other = alike.setdefault(" ".join(name.casefold().split()), node)
            if other == node:
                continue
            (line, first), (_, again) = self.rows[other], self.rows[node]
            place = self.at(line)
            told = (
                f"is also the name in {place}: name these stops by their numbers in arguments; "
                "tours of another table are matched by this name only if they have it as often"
            )
            if name != self.names[other]:
                if self.places[other : other + 1] != self.places[node : node + 1]:
                    continue
                told = (
                    f"looks like {shown(self.names[other])} in {place}: "
                    "if they are one stop, take one out"
                )
            if again == first:
                told = f"is the same in everything as {place}, and is visited twice: take one out"
            back = (other, node) == (0, len(self.names) - 1)
            if back and not again.get("position") and self.places[:1] == self.places[-1:]:
                told = (
                    "is the depot again, and the tour returns there by itself: take this row out, "
                    "or give it another name if it is a stop"
                )
            warn(f"{self.where_of(node, 'name')}: {shown(name)} {told}")

    def warn_of_places(self) -> None:
        """Warn of stops far from most others that are near if swapped, or are nowhere, at 0, 0."""
        middle = [*map(median, zip(*self.places, strict=True))]

        def near(place: Sequence[float]) -> bool:
            return all(abs(a - b) < NEAR for a, b in zip(place, middle, strict=True))

        far = [node for node, place in enumerate(self.places) if not near(place)]
        if not self.geographic or 2 * len(far) >= len(self.places):
            return
        for node in far:
            swapped = near(self.places[node][::-1])
            if swapped or self.places[node] == (0.0, 0.0):
                seems = "latitude and longitude seem to be swapped" if swapped else "0, 0 is at sea"
                where = self.where_of(node, "lat")
                warn(f"{where}: {self.shown(node)} is far from most other stops: {seems}")

    def check_depot(self) -> None:
        """Refuse what the depot must not have, and another stop that is named as if it were one.

        The tour may end at such a stop.
        """
        for column in NO_DEPOT:
            for line, cells in self.rows[:1]:
                if cells.get(column):
                    why = (
                        ": the depot cannot be left out"
                        if column == "penalty"
                        else " for the depot"
                    )
                    told = f"{self.where(line, column)}: must be empty{why}"
                    self.faults.append((line, told))
        found = [node for node, name in enumerate(self.names) if folded(name) in DEPOTS]
        if found and found[0] and not self.rows[found[0]][1].get("position"):
            raise InputError(
                f"{self.where_of(found[0], 'name')}: {self.shown(found[0])} is not the "
                f"first row, and {self.shown(0)} is: put the row of the depot first; if the tour "
                "ends there, say end in a column position; if it is a stop, give it another name"
            )

    def take_penalties(self) -> None:
        """Take what it costs to leave out each stop, None for one that must not be."""
        self.penalty = [None] * len(self.rows)
        for node, _, where, text in self.said("penalty"):
            with self.gathered(self.rows[node][0]):
                self.penalty[node] = number(text, where, 0.0, MOST_COST)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the stops that come before others."""
        found: dict[tuple[int, int], tuple[str, int]] = {}
        for node, column, where, text in self.said("before", "after"):
            for other in nodes_in(where, from_cell(text), len(self.rows), self.names):
                for stop in (node, other):
                    self.check_fixed(where, stop)
                pair = (node, other) if column == "before" else (other, node)
                found.setdefault(pair, (where, node))
        ahead = closure(found)
        for (one, other), (where, node) in found.items():
            if other in ahead.get(one, ()) or one == other:
                way = circle(node, [*found], [*map(self.shown, range(len(self.rows)))])
                raise InputError(
                    f"{where}: stop {self.shown(node)} would come before itself: {way}"
                )
        return [*found]

    def fixed(self, pairs: list[tuple[int, int]]) -> dict[str, int]:
        """Return which stop is the first, the last and the end."""
        found: dict[str, int] = {}
        for node, _, where, text in self.said("position"):
            word = text.lower()
            if word not in FIXED:
                raise InputError(f"{where}: must be first, last, end or empty, not {shown(word)}")
            ends = [each for each in found if (each == "first") == (word == "first")]
            if ends:
                taken = f"stop {self.shown(found[ends[0]])} is {ends[0]}"
                both = "" if ends[0] == word else ", and both say where the tour ends: keep one"
                raise InputError(f"{where}: {taken} already{both}")
            self.check_fixed(where, node)
            for one, other in pairs:
                if node == (other if word == "first" else one):
                    raise InputError(
                        f"{where}: stop {self.shown(node)} cannot be {word}: "
                        f"{self.shown(one)} comes before {self.shown(other)}"
                    )
            found[word] = node
        return found

    def check_fixed(self, where: str, stop: int) -> None:
        """Refuse a stop that may be left out where it must be there."""
        if self.penalty[stop] is not None:
            raise InputError(
                f"{where}: stop {self.shown(stop)} has a penalty, so it may be "
                "left out: take one of the two away"
            )

    def shown(self, node: int) -> str:
        """Return a stop as errors name it."""
        return shown(self.names[node]) if self.names else str(node)

    def time(self, line: int, column: str, text: str) -> float | None:
        """Return a time of a row; None for a cell without a value."""
        if not text:
            return None
        where = self.where(line, column)
        if column == "service":
            if self.clock and not _is_number(text):
                return float(service_time(where, text, clock=True))
        elif self.clock and (both := clock.window(text)):
            closes = column.startswith("due")
            own, other = both[:: -1 if closes else 1]
            if other or not own:
                opening, closing = "when the stop opens", "when it closes"
                has = f"{opening} and {closing}" if own else opening if closes else closing
                raise InputError(
                    f"{where}: {shown(text)} is {has}, and this column is "
                    f"{closing if closes else opening}: give one time here, or both in a column "
                    "window"
                )
            return clock.minutes(own)
        elif self.clock and (
            not clock.is_time(text) or (_in_words(text) and not column.startswith("due"))
        ):
            typed = self.typed.get((line, column), text)
            told = f"{shown(typed)} is not a time such as 08:15 or 16:30"
            told += _in_words(text)
            if all(map(clock.window, clock.windows(text))):
                told += ": a column window takes several windows in one cell"
            if _is_number(text):
                told = f"{shown(text)} is a number where other times are HH:MM"
                if PART.fullmatch(text):
                    part = clock.clock_text(round(float(text.replace(",", ".")) * clock.DAY))
                    told += f": as a part of a day, as spreadsheets save times, it is {part}"
                elif POINTED.fullmatch(text) or HOURS.fullmatch(text):
                    told += f": write {text[:-2].rstrip('.,')}:{text[-2:]}"
                elif short := SHORT.fullmatch(text):
                    told += f": write {short[1]}:{short[2] or 0}0 if that is meant"
                told += f": {SERIALS}" if SERIAL.fullmatch(text) else ""
            raise InputError(f"{where}: {told}")
        elif not self.clock and HOURS.fullmatch(text):
            raise InputError(
                f"{where}: {shown(text)} seems to be a time of day: write {text[:2]}:{text[2:]}, "
                "and so in all cells"
            )
        if ":" not in text and not (self.clock and clock.is_time(text)):
            return number(text, where, 0.0 if column == "service" else -MAX_TIME)
        if not self.clock:
            raise InputError(f"{where}: {shown(text)} is not a number, as the other times are")
        with errors_of(where):
            return clock.minutes(text)


def _in_words(text: str) -> str:
    """Return what to do with a word for hours; nothing with another text."""
    return IN_WORDS.get("".join(folded(text).split()), "")


def _zoned(text: str) -> datetime | None:
    """Return a date with a time and its time zone; None for another text."""
    with suppress(ValueError):
        return datetime.fromisoformat(text) if ZONED.fullmatch(text) else None
    return None


def is_window(text: str) -> bool:
    """Whether a text is a window in words, and not two numbers or a number with a word."""
    said = re.search(rf":|\dh|uhr|[ap]\.?\s?m\b|{clock.NOON}", text, re.I)
    return said is not None and clock.window(text) is not None


def cell_of(value: Any) -> str:
    """Return a value of a data frame as the cell of a file; the name 7 may be there as 7.0."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return f"{value:.0f}"
    return "" if value is None else str(value)


def _is_number(text: str) -> bool:
    try:
        number(text, "")
    except InputError:
        return False
    return True


def text_of(path: str | PathLike[str], what: str = WHAT, limit: int = LIMIT) -> str:
    """Return the text of a table, or of another file that people make.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or is no text.
    """
    data = read_bytes(path, what, limit)
    refuse_spreadsheet(path, data)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(data[: error.start + 1].splitlines())
        check_what(data, path, what)
        try:
            if encoding == "utf-16" or BINARY.search(data):
                raise error
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            raise InputError(
                f"{path}:{line}: not UTF-8 text: save it as UTF-8 (in a spreadsheet as CSV UTF-8)"
            ) from None
        warn(f"{path}:{line}: this is not UTF-8, so it is read in the Windows encoding (cp1252)")
    if "\0" in text:
        raise InputError(f"{path}: binary data, not {what}; save a spreadsheet as CSV")
    return text


def refuse_spreadsheet(path: object, data: bytes) -> None:
    """Raise `InputError` if a file begins like a workbook: .xlsx or .ods, or the older .xls."""
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise InputError(
            f"{path}: a spreadsheet, it seems: save it as CSV (in Python, TSPTW.from_frame takes "
            "what pandas.read_excel returns)"
        )


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
        told = f"{error}; a quote within a cell is written twice"
        if "unexpected end" in str(error):
            told = 'a quote (") that begins a cell here, or further down, is not closed'
        raise InputError(f"{path}:{line}: cannot be split into cells: {told}") from None


def _split_header(line: str) -> Iterator[list[str]]:
    for delimiter in DELIMITERS:
        yield next(csv.reader([line[:10000]], delimiter=delimiter), [])
