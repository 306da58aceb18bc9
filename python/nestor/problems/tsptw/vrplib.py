"""Files in the styles of Solomon and VRPLIB, with one vehicle."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

from nestor.arrays import np
from nestor.errors import InputError
from nestor.files import MIB, read_text
from nestor.problems.textfile import shown, split_lines
from nestor.problems.tsptw.checks import MAX_NODES, Floats
from nestor.problems.tsptw.columns import ROUTES
from nestor.problems.tsptw.stops import Stops, check_count, number
from nestor.text import format_score

LIMIT = 256 * MIB
SOLOMON = re.compile(r"^[ \t]*CUST(OMER)?\b[^,;|\n]*$", re.MULTILINE | re.IGNORECASE)
VRPLIB = re.compile(r"^[ \t]*(NODE_COORD_SECTION|EDGE_WEIGHT_TYPE|DIMENSION)\b", re.MULTILINE)

FIELDS = ("CUST NO.", "XCOORD.", "YCOORD.", "DEMAND", "READY TIME", "DUE DATE", "SERVICE TIME")
"""The columns of a file in Solomon's style."""

END = 999
"""The number of the last row of some files in Solomon's style; it is no customer."""

SECTIONS = {
    "NODE_COORD_SECTION": 3,
    "TIME_WINDOW_SECTION": 3,
    "SERVICE_TIME_SECTION": 2,
    "DEMAND_SECTION": 2,
}
"""How many numbers a row has, the first of which is that of the node."""

Rows = list[tuple[int, list[str]]]
"""Lines, each with its number and its words."""


def _vehicles(where: str, count: float) -> None:
    if count != 1:
        raise InputError(
            f"{where}: an instance for {count:g} vehicles: {ROUTES} (to plan one tour all the "
            "same, write 1 here)"
        )


def _carried(where: str, capacity: float, demands: Iterable[float]) -> None:
    if (total := sum(demands)) > capacity:
        raise InputError(
            f"{where}: the demands are {format_score(total)} in all, more than {capacity:g}: "
            f"{ROUTES} (to plan one tour all the same, write {format_score(total)} here)"
        )


def read_solomon(path: str | PathLike[str]) -> Stops:
    """Read a file in Solomon's style: a row for each customer, the depot first.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line and the column.
    """
    table: list[list[float]] = []
    lines: dict[float, int] = {}
    vehicles = False
    started = False
    where, capacity = "", math.inf
    for line, text in enumerate(split_lines(read_text(path, "a file of customers", LIMIT)), 1):
        words = text.split()
        if not words:
            continue
        if not started:
            heading = text.upper()
            if vehicles and words[0].isdecimal():
                _vehicles(f"{path}:{line}: column 'NUMBER'", float(words[0]))
                where = f"{path}:{line}: column 'CAPACITY'"
                capacity = number(words[1], where, 0.0) if words[1:] else math.inf
            vehicles = "NUMBER" in heading and "CAPACITY" in heading
            started = heading.lstrip().startswith("CUST") and "READY" in heading
            continue
        row = _solomon_row(f"{path}:{line}", words)
        if row[0] == END and not any(row[1:]):
            break
        if (first := lines.setdefault(row[0], line)) != line:
            where = f"{path}:{line}: column {FIELDS[0]!r}"
            raise InputError(f"{where}: {shown(words[0])} is the number in line {first}, too")
        table.append(row)
    if not started:
        raise InputError(f"{path}: no line with the columns {', '.join(FIELDS)}")
    check_count(path, len(table))
    _carried(where, capacity, (row[3] for row in table))
    numbers = [int(row[0]) for row in table]
    return Stops(
        windows=[(row[4], row[5]) for row in table],
        service=[row[6] for row in table],
        names=None if numbers == list(range(len(table))) else tuple(map(str, numbers)),
        positions=[(row[1], row[2]) for row in table],
        late="count",
    )


def _solomon_row(where: str, words: list[str]) -> list[float]:
    if len(words) != len(FIELDS):
        raise InputError(f"{where}: {len(words)} numbers, not {len(FIELDS)}: {', '.join(FIELDS)}")
    row = [
        number(word, f"{where}: column {name!r}", -1e15 if name in FIELDS[1:4] else 0.0)
        for word, name in zip(words, FIELDS, strict=True)
    ]
    if not row[0].is_integer():
        raise InputError(f"{where}: column {FIELDS[0]!r}: {shown(words[0])} is not a whole number")
    if row[5] < row[4]:
        raise InputError(
            f"{where}: column 'DUE DATE': {words[5]} is before {words[4]}, when it opens"
        )
    return row


def read_vrplib(path: str | PathLike[str]) -> Stops:
    """Read a file in the style of VRPLIB, the depot first.

    Distances of EUC_2D are not rounded.

    Raises
    ------
    InputError
        If it cannot be read or is malformed; the message names the line.
    """
    return _Vrplib(path).stops()


class _Vrplib:
    """The specifications and sections of a file."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self.specifications: dict[str, tuple[int, str]] = {}
        self.sections: dict[str, Rows] = {}
        section: Rows = []
        lines = split_lines(read_text(path, "a VRPLIB file", LIMIT))
        for line, text in enumerate(map(str.strip, lines), 1):
            if not text:
                continue
            key, colon, value = text.partition(":")
            key = key.strip().upper()
            if key == "EOF":
                break
            if key.endswith("_SECTION"):
                section = self.sections.setdefault(key, [])
            elif colon:
                self.specifications[key] = line, value.strip()
            else:
                section.append((line, text.split()))

    def specified(self, key: str, default: str = "") -> str:
        """Return the value of a specification."""
        return self.specifications.get(key, (0, default))[1]

    def where(self, key: str) -> str:
        """Return file and line of a specification."""
        return f"{self.path}:{self.specifications.get(key, (1, ''))[0]}: {key}"

    def number_of(self, key: str, default: str) -> float:
        """Return a number among the specifications."""
        return number(self.specified(key, default), self.where(key), 0.0)

    def stops(self) -> Stops:
        """Return what the file says."""
        _vehicles(self.where("VEHICLES"), self.number_of("VEHICLES", "1"))
        count = self.number_of("DIMENSION", "0")
        if count != int(count) or not 2 <= count <= MAX_NODES:
            raise InputError(f"{self.where('DIMENSION')} must be 2 to {MAX_NODES}, not {count:g}")
        n = int(count)
        self._check_depot()
        if "CAPACITY" in self.specifications and "DEMAND_SECTION" in self.sections:
            demands = (row[0] for row in self.table("DEMAND_SECTION", n))
            _carried(self.where("CAPACITY"), self.number_of("CAPACITY", ""), demands)
        if "TIME_WINDOW_SECTION" not in self.sections:
            raise InputError(f"{self.path}: no TIME_WINDOW_SECTION")
        windows = [(opens, closes) for opens, closes in self.table("TIME_WINDOW_SECTION", n, 0.0)]
        rows = self.sections["TIME_WINDOW_SECTION"]
        for (line, _), (earliest, latest) in zip(rows, windows, strict=True):
            if latest < earliest:
                raise InputError(f"{self.path}:{line}: a window that closes before it opens")
        positions = None
        if "NODE_COORD_SECTION" in self.sections:
            positions = [(x, y) for x, y in self.table("NODE_COORD_SECTION", n)]
        return Stops(
            windows=[*windows],
            service=self.services(n),
            positions=positions,
            matrix=self.matrix(n, positions is not None),
            late="count",
        )

    def _check_depot(self) -> None:
        rows = self.sections.get("DEPOT_SECTION", [])
        depots = [(line, word) for line, row in rows for word in row if word != "-1"]
        if depots and [word for _, word in depots] != ["1"]:
            raise InputError(f"{self.path}:{depots[0][0]}: the only depot must be node 1")

    def services(self, n: int) -> list[float]:
        """Return the times of service."""
        if "SERVICE_TIME_SECTION" in self.sections:
            return [row[0] for row in self.table("SERVICE_TIME_SECTION", n, 0.0)]
        return [0.0, *[self.number_of("SERVICE_TIME", "0")] * (n - 1)]

    def table(self, name: str, n: int, least: float = -1e15) -> list[list[float]]:
        """Return the numbers of a section without those of the nodes, which must be 1 to n."""
        rows, width = self.sections[name], SECTIONS[name]
        table = []
        for node, (line, words) in enumerate(rows, 1):
            where = f"{self.path}:{line}: {name}"
            if len(words) != width or words[0] != str(node) or node > n:
                raise InputError(
                    f"{where}: {shown(' '.join(words))} is not the row of node {node} of {n}, "
                    f"{width} numbers"
                )
            table.append([number(word, where, least) for word in words[1:]])
        if len(table) < n:
            raise InputError(f"{self.path}: {name} has {len(table)} rows, not {n}")
        return table

    def matrix(self, n: int, located: bool) -> Floats | None:
        """Return the matrix of a file of explicit distances; None if there are coordinates."""
        kind = self.specified("EDGE_WEIGHT_TYPE", "EUC_2D")
        if kind == "EUC_2D":
            if not located:
                raise InputError(f"{self.path}: no NODE_COORD_SECTION")
            return None
        shape = self.specified("EDGE_WEIGHT_FORMAT", "FULL_MATRIX")
        if kind != "EXPLICIT":
            raise InputError(
                f"{self.where('EDGE_WEIGHT_TYPE')} must be EUC_2D or EXPLICIT, not {kind}"
            )
        if shape not in SHAPES:
            raise InputError(
                f"{self.where('EDGE_WEIGHT_FORMAT')} must be {', '.join(SHAPES)}, not {shape}"
            )
        origins, targets = SHAPES[shape](n)
        values = [
            number(word, f"{self.path}:{line}: EDGE_WEIGHT_SECTION", 0.0)
            for line, words in self.sections.get("EDGE_WEIGHT_SECTION", [])
            for word in words
        ]
        if len(values) != len(origins):
            raise InputError(
                f"{self.path}: EDGE_WEIGHT_SECTION has {len(values)} numbers, not {len(origins)}"
            )
        matrix = np.zeros((n, n))
        if shape != "FULL_MATRIX":
            matrix[targets, origins] = values
        matrix[origins, targets] = values
        return matrix


SHAPES: dict[str, Callable[[int], Any]] = {
    "FULL_MATRIX": lambda n: np.indices((n, n)).reshape(2, -1),
    "LOWER_ROW": lambda n: np.tril_indices(n, -1),
    "LOWER_DIAG_ROW": lambda n: np.tril_indices(n),
    "UPPER_ROW": lambda n: np.triu_indices(n, 1),
    "UPPER_DIAG_ROW": lambda n: np.triu_indices(n),
}
"""The indices of the entries of a matrix in the order in which a file has them, by format."""
