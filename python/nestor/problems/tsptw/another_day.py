"""A tour of another day as the beginning of today's: matched by names, less and more stops."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from os import PathLike

from nestor.errors import InputError, warn
from nestor.files import read_text
from nestor.problems.textfile import shown
from nestor.problems.tsptw.checks import Floats
from nestor.safe import from_cell

WHAT = "a tour"
LIMIT = 128 << 20
"""The largest size of a file, in bytes."""

MOST = 8
"""The most stops that a note names."""


def names_in(path: str | PathLike[str]) -> list[str] | None:
    """Return the names of the stops of a tour that Nestor has written, in order.

    Parameters
    ----------
    path : path
        The schedule as CSV, or a saved result.

    Returns
    -------
    list of str, or None if the file is neither, or has no names
    """
    text = read_text(path, WHAT, LIMIT).lstrip("\ufeff")
    if text.startswith("order,node,name,"):
        rows = csv.DictReader(io.StringIO(text))
        return [from_cell(row["name"] or "") for row in rows]
    if text.lstrip().startswith("{"):
        try:
            names = json.loads(text)["solution"]["names"]
        except (ValueError, KeyError, TypeError):
            return None
        return list(map(str, names)) if isinstance(names, list) else None
    return None


def adapted(
    given: Sequence[str], names: Sequence[str], distances: Floats, optional: Sequence[bool]
) -> list[int]:
    """Return the stops of today in the order of a tour of another day.

    Stops that are gone are dropped. Each new one is put where it makes the tour longer by the
    least, those with the smallest numbers first. A warning names both.

    Parameters
    ----------
    given : sequence of str
        The names of the other day; the depot may be among them.
    names : sequence of str
        Those of today, the depot first.
    distances : array of shape (n, n)
    optional : sequence of bool
        Which stops may be left out: they are not put in.

    Raises
    ------
    InputError
        If two stops that are asked for have the same name, or nothing is known.
    """
    tour, gone = matched("initial", given, names)
    there = {*tour}
    new = [node for node in range(1, len(names)) if node not in there and not optional[node]]
    for node in new:
        ring = [0, *tour, 0]
        extra = (
            distances[ring[:-1], node] + distances[node, ring[1:]] - distances[ring[:-1], ring[1:]]
        )
        tour.insert(int(extra.argmin()), node)
    tell_gone("initial", gone, [names[node] for node in new])
    return tour


def matched(what: str, given: Sequence[str], names: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the stops of today that have these names, in order, and the names that none has.

    Raises
    ------
    InputError
        If two stops that are asked for have the same name, or nothing is known.
    """
    known: dict[str, int] = {}
    twice = {name for k, name in enumerate(names) if known.setdefault(name, k) != k}
    tour: list[int] = []
    gone: list[str] = []
    for name in (" ".join(each.split()) for each in given):
        if name in twice:
            raise InputError(f"{what}: two stops are named {shown(name)}; give their numbers")
        node = known.get(name)
        if node is None:
            gone.append(name)
        elif node not in (0, *tour):
            tour.append(node)
    if not tour:
        here = f", such as {shown(names[1])}" if names else ", whose stops have no names"
        raise InputError(
            f"{what}: none of its stops is one of this problem{here}; the first is "
            f"{shown(gone[0]) if gone else 'missing'}"
        )
    return tour, gone


def tell_gone(what: str, gone: Sequence[str], new: Sequence[str]) -> None:
    """Warn of the stops that are gone, and of those that are new."""
    told = [f"no longer there: {_some(gone)}"] if gone else []
    told += [f"new, put where they cost least: {_some(new)}"] if new else []
    if told:
        warn(f"{what}: {'; '.join(told)}")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(map(shown, names[:MOST])) + more
