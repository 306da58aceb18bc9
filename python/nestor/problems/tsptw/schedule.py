"""The schedule of a tour: a row for each stop, as data, as a table of text and as CSV."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nestor.arrays import np
from nestor.checks import shown
from nestor.errors import InputError
from nestor.problems.tsptw.checks import NEVER, Bools, Floats
from nestor.problems.tsptw.clock import clock_text, exact_text
from nestor.problems.tsptw.stops import PLAIN, Dialect
from nestor.problems.tsptw.table import DELIMITERS
from nestor.safe import csv_table, visible

if TYPE_CHECKING:
    from nestor.problems.tsptw.solution import Tour

EDGE = 1e-4
"""By how much of a hundredth rounding may have changed a number."""

LEFT_OUT = "left out"
"""What a file has in place of the order of a stop that is left out."""


def rows(tour: Tour) -> list[dict[str, Any]]:
    """Return a row for each stop, from the start at the depot to the end of the tour.

    Parameters
    ----------
    tour : Tour

    Returns
    -------
    list of dict
        As `Tour.frame` describes them.
    """
    instance = tour.instance
    show: Callable[[float], Any] = float
    if instance.clock:
        whole = all(exact_text(time) == clock_text(time) for each in tour.visits for time in each)
        show = partial(clock_text, seconds=not whole)
    end = max(float(instance.windows[0, 1]), tour.makespan)
    limits = [*instance.latest_starts(tour.order, tour.arrivals[: len(tour.order)], end), end]
    driven = 0 if instance.now is None else len(instance.pinned or ())
    found = []
    for order, (node, visit, late) in enumerate(
        zip(tour.places, tour.visits, _delays(tour), strict=False)
    ):
        spare = max(limits[order] - visit.start, 0.0) if limits[order] < NEVER / 2 else math.inf
        if not order or order <= driven:
            spare = 0.0 if order else tour.latest_departure - tour.departure
        found.append(
            {
                "order": order,
                "stop": node,
                "name": tour.instance.name_of(node),
                "arrival": show(visit.arrival),
                "wait": visit.wait,
                "start": show(visit.start),
                "leave": show(visit.leave),
                "slack": spare,
                "late": late,
            }
        )
    return found


def _delays(tour: Tour) -> list[float]:
    """Return how late each place of a tour is: the last also if the day ends there, too late."""
    delays = tour.delays
    late = [delays.get(node, 0.0) for node in tour.places]
    if tour.instance.end is not None:
        late[-1] += late[0]
    return [0.0, *late[1:]]


def check_tour(given: Any) -> None:
    """Raise `InputError` if something is no tour."""
    if not hasattr(given, "arrivals"):
        raise InputError(
            f"tour must be a Tour, such as result.solution, not a {type(given).__name__}"
        )


def csv_form(problem: Any, path: Path) -> Callable[[Tour], str]:
    """Return what writes a tour in the dialect of its stops, unless the file is a workbook by name.

    Raises
    ------
    InputError
        If it is.
    """
    if path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise InputError(f"{path}: a schedule is written as CSV: name it {path.stem}.csv")
    return partial(csv_text, dialect=problem.dialect)


def csv_text(tour: Tour, dialect: Dialect = PLAIN) -> str:
    """Return the rows as a CSV file, with a header, and a row for each stop that is left out.

    Columns that nothing uses follow as they were. Where times are of day, minutes have hundredths,
    which are finer than the seconds of the times. With semicolons the file begins with a byte order
    mark, without which Excel takes letters such as umlauts for others.

    Raises
    ------
    InputError
        If it is no tour, or no dialect in which tables are read.
    """
    check_tour(tour)
    if not isinstance(dialect, Dialect):
        raise InputError(f'dialect must be such as Dialect(";", ","), not {shown(dialect)}')
    delimiter, point, others = dialect
    if delimiter not in [*DELIMITERS] or point not in (".", ","):
        raise InputError(
            "dialect: the cells are separated by a comma, semicolon, tab or bar, and decimals have "
            f"a point or comma, not {shown(delimiter)} and {shown(point)}"
        )
    found = rows(tour)
    cells = [
        [
            _rounded(name, v, tour.instance.clock).replace(".", point) if type(v) is float else v
            for name, v in row.items()
        ]
        for row in found
    ]
    blank = [""] * (len(found[0]) - 3)
    cells += [[LEFT_OUT, node, tour.instance.name_of(node), *blank] for node in tour.left_out]
    header = [*found[0], *(f"{n} (table)" if n.lower() in found[0] else n for n, _ in others)]
    nodes = [*(row["stop"] for row in found), *tour.left_out]
    wide = (
        [*row, *(texts[node] for _, texts in others)]
        for row, node in zip(cells, nodes, strict=True)
    )
    return "\ufeff" * (delimiter == ";") + csv_table([header, *wide], delimiter)


def _rounded(name: str, value: float, clock: bool) -> str:
    if value == math.inf:
        return ""
    if not clock:
        return f"{round(value, 6):.15g}"
    # Who goes by these is not late, and a delay is never nothing.
    whole = math.ceil(100 * value - EDGE) if name == "late" else math.floor(100 * value + EDGE)
    return f"{whole / 100:.15g}"


def table(tour: Tour) -> list[str]:
    """Return a line of text for each stop: numbers, window, arrival, waiting time and delay.

    Where stops have names, the first number is the place in the tour, as in the picture.

    Where there is service or a clock the start and the time of leaving are shown, too.

    Where a stop closes in between, a column has from when to when.

    An opening at the start of the day is left out, as that of a stop for which nobody asked for
    one; so is a limit that is that of the depot in files of the benchmark sets.
    """
    instance = tour.instance
    stops = list(tour.places)
    if len(stops) == 1:
        return []
    earliest, latest = instance.windows[stops].T
    arrivals, waiting, _, leaves = np.array(tour.visits)[: len(stops)].T
    late = np.array(_delays(tour))
    decimals = 1 if instance.clock else _decimals(arrivals[-1])

    def times(values: Floats, shown: Bools) -> list[str]:
        values = np.where(shown, values, 0.0)
        texts = list(map(clock_text, values)) if instance.clock else _column(values, decimals)
        return [text if show else "" for text, show in zip(texts, shown, strict=True)]

    place = np.arange(len(stops))
    home = (np.array(stops) == 0) & (place > 0)
    opening, closing = instance.windows[0]
    # In files of the benchmark sets, what has no limit has that of the depot.
    plain = instance.counts and not instance.clock
    limited = (latest < NEVER) & ((latest != closing) | (not plain))
    told = earliest > (opening if plain else min(opening, 0.0))
    breaks = [instance.closed[node] if instance.closed else () for node in stops]
    show = clock_text if instance.clock else "{:g}".format
    columns = {
        "order": list(map(str, place)),
        "stop": list(map(str, stops)),
        "earliest": times(earliest, (place > 0) & ~home & told),
        "latest": times(latest, limited & (place > 0) | home & (latest < NEVER)),
        "closed": [", ".join(f"{show(a)}-{show(b)}" for a, b in each) for each in breaks],
        "arrival": times(arrivals, place > 0),
        "wait": _column(waiting, decimals, blank=True),
        "leave": times(leaves, ~home),
        "late": _column(late, decimals, blank=True),
    }
    if instance.closed is None:
        del columns["closed"]
    if instance.names is None:
        # The picture has the numbers of the stops, too.
        del columns["order"]
    if instance.service is None and not instance.clock and instance.objective != "duration":
        del columns["leave"]
        columns = {title: texts[1:] for title, texts in columns.items()}
        stops = stops[1:]
    lines = _aligned(columns, str.rjust)
    if instance.names is not None:
        names = [visible(instance.names[node]) for node in stops]
        lines = [
            f"{name}  {line}"
            for name, line in zip(_aligned({"name": names}, str.ljust), lines, strict=True)
        ]
    return [line.rstrip() for line in lines]


def _aligned(columns: dict[str, list[str]], align: Callable[[str, int], str]) -> list[str]:
    """Return columns below their titles, side by side."""
    cells = [[title, *column] for title, column in columns.items()]
    padded = [[align(cell, max(map(len, column))) for cell in column] for column in cells]
    return ["  ".join(row) for row in zip(*padded, strict=True)]


def _decimals(largest: float) -> int:
    """Return how many decimals are enough to distinguish times up to this one."""
    return min(max(3 - math.floor(math.log10(largest)), 2), 8) if largest > 0.0 else 2


def _column(numbers: Floats, decimals: int, *, blank: bool = False) -> list[str]:
    """Return numbers one below the other, whole ones as they are, zeros as nothing if `blank`."""
    whole = bool((numbers == np.rint(numbers)).all())
    form = f".{0 if whole else decimals}f" if numbers.max() < (1e15 if whole else 1e9) else ".4g"
    texts = [f"{x:{form}}" for x in numbers]
    return ["" if blank and x == 0.0 else text for x, text in zip(numbers, texts, strict=True)]
