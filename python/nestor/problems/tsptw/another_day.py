"""A tour of another day, for today's stops: matched by names, with fewer and more of them."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any, NamedTuple

from nestor.errors import InputError, warn
from nestor.fast_json import parsed
from nestor.problems.textfile import number_in, shown
from nestor.problems.tsptw.asked import is_number_of_stop
from nestor.problems.tsptw.checks import Floats
from nestor.problems.tsptw.frames import columns_of, is_frame
from nestor.problems.tsptw.schedule import LEFT_OUT
from nestor.problems.tsptw.solution import Tour
from nestor.problems.tsptw.table import DELIMITERS, cell_of, text_of
from nestor.safe import from_cell

WHAT = "a tour"
LIMIT = 128 << 20
"""The largest size of a file, in bytes."""

NUMBERS = ("stop", "node")
"""What a schedule calls the numbers of its stops; older ones have `node`."""

MOST = 8
"""The most stops that a note names."""

WORK = 1_000_000
"""About as many legs are driven to find places for new stops."""


class Told(NamedTuple):
    """The stops of a tour in order: their names, and their numbers if it has these, too."""

    names: list[str]
    numbers: list[int] | None = None


def names_of(what: str, given: Any) -> Told | None:
    """Return the names of the stops of a tour, in order.

    Parameters
    ----------
    what : str
        The argument, for errors.
    given : object
        A tour or its result, its schedule as a data frame, or its names.

    Returns
    -------
    Told, or None if it is something else, or has no names

    Raises
    ------
    InputError
        If a data frame has no column of names, or one of orders that is none.
    """
    tour = getattr(given, "solution", given)
    if isinstance(tour, Tour):
        names = tour.instance.names
        return None if names is None else Told([names[k] for k in tour.order], [*tour.order])
    if is_frame(given):
        columns = columns_of(given, what)
        if "name" not in columns:
            raise InputError(f"{what}: a data frame needs a column name, as that of tour.frame()")
        number = next(each for each in (*NUMBERS, "name") if each in columns)
        rows = zip(columns["name"], columns[number], strict=True)
        stops = [(cell_of(name), cell_of(node)) for name, node in rows]
        orders = columns.get("order")
        return _told(stops if orders is None else _sorted(what, map(cell_of, orders), stops))
    is_number = getattr(given, "ndim", 1) == 0
    if isinstance(given, Collection) and not (is_number or isinstance(given, str | Mapping)):
        listed = list(given)
        return Told(listed) if listed and all(isinstance(each, str) for each in listed) else None
    return None


def read(path: str | PathLike[str]) -> Told | list[int] | None:
    """Return the names of the stops of a tour in a file, in order, or their numbers.

    Parameters
    ----------
    path : path
        A table with a column `name`, or else `stop`, as the schedule, in the order of its column
        `order` or of its rows; a saved result, a JSON list of names, or a text with a name in each
        line. Or whole numbers: a JSON list, or between blanks.

    Returns
    -------
    Told or list of int, or None if the file is none of these

    Raises
    ------
    InputError
        If the column `order` of a schedule is no order.
    """
    text = text_of(path, WHAT, LIMIT).strip()
    if text[:1] in ("{", "["):
        try:
            found = parsed(text.encode())
            if found and _are_whole(found):
                return found  # type: ignore[no-any-return]
            result = found["solution"] if isinstance(found, dict) else {"names": found}
            names, numbers = result["names"], result.get("order")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        named = isinstance(names, list) and all(isinstance(name, str) for name in names)
        return Told(names, numbers if _are_whole(numbers) else None) if named else None
    for delimiter in DELIMITERS:
        rows = csv.reader(io.StringIO(text), delimiter=delimiter)
        with suppress(csv.Error, StopIteration):  # Of a text that is no table.
            header = [cell.strip().casefold() for cell in next(rows)]
            if column := next((each for each in ("name", *NUMBERS) if each in header), None):
                # A name of a list with nothing else may have the delimiter in it.
                whole = [[delimiter.join(row)] if len(header) == 1 else row for row in rows]
                whole = [row for row in whole if len(row) >= len(header) and any(row)]
                node = header.index(next((each for each in NUMBERS if each in header), column))
                stops = [
                    (from_cell(row[header.index(column)].strip()), row[node].strip())
                    for row in whole
                ]
                if "order" in header:
                    orders = [row[header.index("order")].strip() for row in whole]
                    stops = _sorted(str(path), orders, stops)
                return _told(stops)
    if all(map(str.isdecimal, words := text.split())):
        return list(map(int, words)) if all(map(is_number_of_stop, words)) else None
    return Told([from_cell(line) for line in map(str.strip, text.splitlines()) if line])


def _told(stops: list[tuple[str, str]]) -> Told:
    """Return the stops of a table, of which each has a name, and a number or another text."""
    whole = all(is_number_of_stop(number) for _, number in stops)
    return Told([name for name, _ in stops], [int(n) for _, n in stops] if whole else None)


def _sorted(
    where: str, orders: Iterable[str], stops: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the stops of a schedule by its column `order`, without those that are left out."""
    found: dict[float, tuple[str, str]] = {}
    for order, (name, number) in zip(orders, stops, strict=True):
        if order == LEFT_OUT:
            continue
        place = number_in(order)
        if place is None or not math.isfinite(place):
            raise InputError(
                f"{where}: column 'order': {shown(order)}, that of {shown(name)}, is no number"
            )
        if place in found:
            raise InputError(
                f"{where}: column 'order': {order} is there twice, for "
                f"{shown(found[place][0])} and {shown(name)}: each stop has a place of its own"
            )
        found[place] = name, number
    return [found[place] for place in sorted(found)]


def _are_whole(found: Any) -> bool:
    return isinstance(found, list) and all(type(each) is int for each in found)


def adapted(
    given: Told,
    names: Sequence[str],
    distances: Floats,
    optional: Sequence[bool],
    ordered: Callable[[Sequence[int]], list[int]],
    price: Callable[[Sequence[int]], float],
) -> list[int]:
    """Return the stops of today in the order of a tour of another day.

    Stops that are gone are dropped. Each new one is put where the tour costs least with it, those
    with the smallest numbers first; where there is much to try, only where it makes the tour longer
    by the least. A warning names both, those that are there twice, and those that have a fixed
    place but are elsewhere in the tour.

    Parameters
    ----------
    given : Told
        The stops of the other day; the depot may be among them.
    names : sequence of str
        Those of today, the depot first.
    distances : array of shape (n, n)
    optional : sequence of bool
        Which stops may be left out: they are not put in.
    ordered : callable
        Returns a tour with the stops that have a fixed place there.
    price : callable
        Returns what a tour costs, whatever it leaves out.

    Raises
    ------
    InputError
        If the tour has another number of stops of the same name, or nothing is known.
    """
    tour, gone, twice = matched("initial", given, names)
    there = {*tour}
    right = [node for node in ordered(tour) if node in there]
    fixed = {*ordered([])}
    moved = [node for node, other in zip(right, tour, strict=True) if node != other]
    new = [node for node in range(1, len(names)) if node not in there and not optional[node]]
    tries = max(1, WORK // max(1, len(names) * len(new)))
    for node in new:
        ring = [0, *tour, 0]
        extra = (
            distances[ring[:-1], node] + distances[node, ring[1:]] - distances[ring[:-1], ring[1:]]
        )
        tours = (
            [*tour[:place], node, *tour[place:]]
            for place in extra.argsort(kind="stable")[:tries].tolist()
        )
        tour = min(tours, key=lambda each: price(ordered(each)))
    tell(
        "initial",
        gone=gone,
        twice=twice,
        moved=[names[node] for node in moved if node in fixed],
        new=[names[node] for node in new],
    )
    return ordered(tour)


def matched(what: str, given: Told, names: Sequence[str]) -> tuple[list[int], list[str], list[str]]:
    """Return the stops of today that have these names, in order.

    Two more lists have the names that none has, and those that are there again. Where stops have
    the same name, their numbers tell which is meant, if all stops have the same numbers today. Or
    else they are taken in their order, if the tour has as many.

    Raises
    ------
    InputError
        If a tour has another number of stops of the same name, or nothing is known.
    """
    known: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        known.setdefault(name, []).append(k)
    tour: list[int] = []
    gone: list[str] = []
    twice: dict[str, None] = {}
    words = [" ".join(each.split()) for each in given.names]
    numbers, today = given.numbers or [], dict(enumerate(names))
    same = [today.get(number) for number in numbers] == words
    # A round trip has its depot twice, which may be a stop today: the end.
    round_trip = len(words) > 2 and words[0] == words[-1] and words.count(words[0]) == 2
    round_trip &= same or len(known.get(words[0], ())) < 2
    counts, met = Counter(words[round_trip:]), Counter[str]()
    for place, name in list(enumerate(words))[round_trip:]:
        nodes = known.get(name, [])
        if not same and len(nodes) > 1 and counts[name] != len(nodes):
            raise InputError(
                f"{what}: {len(nodes)} stops are named {shown(name)}, "
                f"{' and '.join(map(str, nodes))}, and the tour has {counts[name]}: give them "
                "different names, or the tour as numbers"
            )
        node = numbers[place] if same else nodes[met[name] % len(nodes)] if nodes else None
        met[name] += 1
        if node is None:
            gone.append(name)
        elif node in tour:
            twice[name] = None
        elif node:
            tour.append(node)
    if not tour:
        here = f", such as {shown(names[1])}" if names else ", whose stops have no names"
        first = shown(gone[0]) if gone else "missing"
        table = bool(gone) and (gone[0].isdecimal() or any(c in gone[0] for c in DELIMITERS))
        cure = "; a file has a name in each line, or a column 'name', and 'order' if need be"
        raise InputError(
            f"{what}: none of its stops is one of this problem{here}; the first is {first}"
            f"{cure if table else ''}"
        )
    return tour, gone, [*twice]


def tell(
    what: str,
    *,
    gone: Sequence[str],
    twice: Sequence[str],
    moved: Sequence[str] = (),
    new: Sequence[str] = (),
) -> None:
    """Warn of the stops of a tour that are not taken as they are there."""
    notes = {
        "no longer there": gone,
        "there twice, taken where they come first": twice,
        "moved to their fixed places": moved,
        "new, put where they cost least": new,
    }
    told = [f"{note}: {_some(names)}" for note, names in notes.items() if names]
    if told:
        warn(f"{what}: {'; '.join(told)}")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(map(shown, names[:MOST])) + more
