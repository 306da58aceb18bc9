"""What may be asked of a tour besides its windows: checks, and the form in which it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Any

from nestor.arrays import np
from nestor.checks import as_list, as_number, index_of, is_number, shown
from nestor.errors import InputError, errors_of, nearest
from nestor.problems.textfile import number_in
from nestor.problems.tsptw.checks import MAX_TIME, Bools, Floats, node_text
from nestor.problems.tsptw.clock import DATED, DAY, as_date, is_time, minutes, window
from nestor.problems.tsptw.frames import as_time
from nestor.problems.tsptw.stops import alike, joined
from nestor.settings import Kind, Text

Pauses = tuple[tuple[tuple[float, float], ...], ...]
"""For each node the times, from and to, at which it is closed in between."""

MOST_COST = 1e9
"""The most that a unit of lateness, a change or a stop that is left out may cost."""


class Node(int):
    """The number of a stop, beyond doubt: it is no name, though names may be numbers."""


class Late(Kind):
    """How lateness counts: a name or a cost."""

    type = '{"count", "time"} or float'
    metavar = "count|time|COST"

    def check(self, name: str, value: Any) -> str | float:
        """Return the name or the cost."""
        if isinstance(value, str) and value in ("count", "time"):
            return value
        if not is_number(value):
            raise InputError(
                f"{name} must be 'count', 'time' or what a unit of lateness costs, "
                f"not {shown(value)}"
            )
        if value <= 0.0:
            raise InputError(
                f"{name} must be more than 0, not {shown(value)}: where lateness costs nothing, "
                "leave out the latest times"
            )
        return float(as_number(name, value, 1e-9, MOST_COST))

    def read(self, text: str) -> str | float:
        """Read a name or a cost."""
        try:
            return text if text in ("count", "time") else float(text)
        except ValueError:
            raise ValueError(f"{text!r} is not count, time or a number") from None


class Moment(Text):
    """A time: of day, or a number."""

    metavar = "TIME"


def checked_time(name: str, value: Any) -> float:
    """Return a time, which may be a text such as "08:15".

    Raises
    ------
    InputError
        If it is none.
    """
    if isinstance(value, time):
        value = as_time(value)
    if isinstance(value, str):
        with errors_of(name):
            return minutes(value)
    return float(as_number(name, value, -MAX_TIME, MAX_TIME))


def checked_now(value: Any, clock: bool) -> float:
    """Return when a tour goes on, in the form of its other times.

    Raises
    ------
    InputError
        If it is no time, or a time of day where others are numbers.
    """
    _, value = _parted(value)
    if isinstance(value, str):
        opens, closes = window(value) or (value, "")
        value = value if closes else opens
    if isinstance(value, str) and ":" not in value and not is_time(value):
        if (number := number_in(value)) is None:
            raise InputError(f"now: {shown(value)} is not a time such as 10:30")
        if clock:
            raise InputError(f"now: {shown(value)} is a number where other times are HH:MM")
        value = number
    if not is_number(value) and not clock:
        raise InputError(f"now must be a number, as the other times are, not {shown(value)}")
    return checked_time("now", value)


def since_midnight(now: Any, dates: Sequence[datetime]) -> Any:
    """Return when a tour goes on, with its date counted from the midnight before these dates.

    Raises
    ------
    InputError
        If it has none and they are of several days, or it is of another day than they are.
    """
    if not dates or now is None or is_number(now):
        return now
    # Midnight ends a day here.
    first, last = dates[0].date(), (dates[-1] - timedelta.resolution).date()
    days = f"{first}" if last <= first else f"{first} to {last}"
    day, moment = _parted(now, dates[0].tzinfo)
    minute = checked_now(moment, clock=True)
    if day is None:
        if last > first and minute < DAY:
            raise InputError(f"now: {shown(now)} has no date, and the other times have: {days}")
        return now
    if (date := as_date(day)) is None:
        raise InputError(f"now: {shown(now)}: write its date as those of the other times, {days}")
    passed = (date.date() - first).days
    if not 0 <= passed <= max(0, (last - first).days) + 1:
        raise InputError(f"now: {day} is not among the days of the other times, {days}")
    return DAY * passed + minute


def _parted(now: Any, zone: tzinfo | None = None) -> tuple[str | None, Any]:
    """Return the date of a time, if it has one, and the time of day; in a zone if both have one."""
    if isinstance(now, np.datetime64):
        now = now.astype("datetime64[us]").item()
    if isinstance(now, str):
        now = " ".join(joined(now).split())
        with suppress(ValueError):
            now = datetime.fromisoformat(now) if DATED.match(now) else now
    if isinstance(now, datetime) and now == now:  # NaT is none
        now = now.astimezone(zone) if zone and now.tzinfo else now
        return f"{now:%Y-%m-%d}", now.time()
    found = DATED.match(now) if isinstance(now, str) else None
    return (found[1], now[found.end() :]) if found else (None, now)


def checked_node(name: str, value: Any, n: int, names: Sequence[str] | None) -> int:
    """Return the number of a city, which may be given by its name.

    Raises
    ------
    InputError
        If there is no such city, or several.
    """
    value = named(name, [value], names or (), (1, n))[0]
    if isinstance(value, str):
        known = list(names or ())
        word = " ".join(value.split())
        found = [node for node, each in enumerate(known) if each == word]
        if not found:
            same = [k for k, each in enumerate(known) if alike(each) == alike(word)]
            found = same if len({known[k] for k in same}) == 1 else []
        if found == [0]:
            raise InputError(f"{name}: {shown(value)} is the depot, not a stop")
        if len(found) == 1:
            return Node(found[0])
        if found:
            raise InputError(
                f"{name}: {len(found)} stops are named {shown(value)}; give its number"
            )
        if not is_number_of_stop(value) or any(map(is_number_of_stop, known[1:])):
            some = ", ".join(map(shown, known[1:6])) + (", ..." if len(known) > 6 else "")
            there = f"; there are {some}" if known else "; the stops have numbers"
            meant = _having(value, known[1:]) or nearest(value, known) or there
            raise InputError(f"{name}: no stop is named {shown(value)}{meant}")
        value = int(value)
    node = index_of(value, 1, n - 1)
    if node is None:
        raise InputError(
            f"{name}: a stop is a name or a number from 1 to {n - 1}, not {shown(value)}"
        )
    return Node(node)


def _having(word: str, names: Sequence[str]) -> str:
    """Return a question to put after an error: which names with the word were meant."""
    having = [name for name in names if word.casefold() in name.casefold()] if word else []
    return f" (did you mean {' or '.join(map(shown, having[:3]))}?)" if having else ""


def named(
    what: str, values: Sequence[Any], names: Sequence[str], range: tuple[int, int]
) -> list[Any]:
    """Return stops, of which those that are whole numbers but are meant as names are texts.

    Parameters
    ----------
    what : str
        The argument, for errors.
    values : sequence of object
    names : sequence of str
        Those of the nodes.
    range : (int, int)
        From where to where numbers of nodes go, the second not included.

    Raises
    ------
    InputError
        If it is not clear whether a number is that of a stop or a name.
    """
    listed = list(values)
    numbers = [
        int(each)
        for each in listed
        if isinstance(each, int | np.integer) and not isinstance(each, bool | Node)
    ]
    known = {*names}
    if not numbers or len(numbers) < len(listed) or known.isdisjoint(map(str, numbers)):
        return listed
    if not all(range[0] <= number < range[1] for number in numbers):
        return list(map(str, numbers))
    for number in numbers:
        if names[number] != str(number):
            raise InputError(
                f"{what}: {number} may be a name, or the number of the stop named "
                f"{shown(names[number])}: give names as texts, such as '{number}' (in a file, as a "
                "JSON list)"
            )
    return listed


def as_nodes(value: Any) -> Any:
    """Return numbers, also those in lists, as those of stops beyond doubt."""
    if isinstance(value, list | tuple):
        return list(map(as_nodes, value))
    return Node(value) if type(value) is int else value


def is_number_of_stop(text: str) -> bool:
    """Whether a text can be the number of a stop."""
    return text.isdecimal() and len(text) < 10


def nodes_in(name: str, text: str, n: int, names: Sequence[str] | None) -> list[int]:
    """Return the cities in a text: one, or several between semicolons, or without these commas.

    Raises
    ------
    InputError
        If one is unknown.
    """
    return [checked_node(name, part, n, names) for part in _parts(text, names)]


def _parts(text: str, names: Sequence[str] | None) -> list[str]:
    parts = text.split(";") if ";" in text else text.split(",")
    known = alike(" ".join(text.split())) in map(alike, names or ())
    return [part.strip() for part in ([text] if known else parts) if part.strip()]


def _without_depot(stops: list[Any], names: Sequence[str]) -> list[Any]:
    """Return stops without the depot at their beginning, if it is clear that it is meant."""
    known = not stops or isinstance(stops[0], Node)
    first = "" if known else alike(" ".join(str(stops[0]).split()))
    depot, *others = map(alike, names or ("0",))
    return stops[1:] if first in ("0", depot) and first not in others else stops


def checked_nodes(
    name: str, values: Any, n: int, names: Sequence[str] | None
) -> tuple[int, ...] | None:
    """Return different cities, in order, which may be in a text; None for none.

    The depot may come before them.

    Raises
    ------
    InputError
        If one is unknown, or there twice.
    """
    given = _parts(values, names) if isinstance(values, str) else list(as_list(name, values))
    listed = named(name, _without_depot(given, names or ()), names or (), (1, n))
    nodes = [checked_node(name, each, n, names) for each in listed]
    if len(set(nodes)) != len(nodes):
        twice = next(node for place, node in enumerate(nodes) if node in nodes[:place])
        raise InputError(f"{name}: stop {twice} is there twice")
    return tuple(nodes) or None


def split_windows(windows: Any, names: Any) -> tuple[Any, Any]:
    """Return the first opening and the last closing of each node, and when it is closed in between.

    Windows that are pairs are left as they are. If no node has several, the second is None.

    Raises
    ------
    InputError
        If windows of a node overlap, or do not come one after the other.
    """
    if not isinstance(windows, (list, tuple)) or not any(map(_is_several, windows)):
        return windows, None
    outer: list[Any] = []
    pauses: list[Any] = []
    for node, row in enumerate(windows):
        if not _is_several(row):
            outer.append(row)
            pauses.append(())
            continue
        where = f"windows: {node_text(node, names)}"
        if strange := [each for each in row if not _is_pair(each)]:
            raise InputError(f"{where}: each window must have two times, not {shown(strange[0])}")
        if node == 0 and len(row) > 1:
            raise InputError(f"{where} is the depot: it has one window only")
        closed = [(one[1], other[0]) for one, other in pairwise(row)]
        if any(time is None for pause in closed for time in pause):
            raise InputError(
                f"{where} has several windows: only the first may open, and only the last close, "
                "without a limit"
            )
        times = [time for window in row for time in window if time is not None]
        for (before, one), (after, other) in pairwise((t, checked_time(where, t)) for t in times):
            if other < one:
                raise InputError(
                    f"{where}: {after} is before {before}: windows come one after the other, and "
                    "each opens before it closes"
                )
        outer.append([row[0][0], row[-1][1]])
        pauses.append(tuple(closed))
    return outer, pauses


def _is_pair(window: Any) -> bool:
    return isinstance(window, list | tuple) and len(window) == 2


def _is_several(row: Any) -> bool:
    """Whether a window is a list of windows."""
    return isinstance(row, (list, tuple)) and any(isinstance(part, (list, tuple)) for part in row)


def checked_pauses(given: Any, windows: Floats) -> Pauses | None:
    """Return when nodes are closed in between; None if none is.

    Raises
    ------
    InputError
        If they do not come one after the other, between opening and closing.
    """
    rows = as_list("closed", given)
    if len(rows) != len(windows):
        raise InputError(f"closed must be {len(windows)} lists, one for each stop, not {len(rows)}")
    found: list[tuple[tuple[float, float], ...]] = []
    for node, row in enumerate(rows):
        pauses = []
        where = f"closed: stop {node}"
        for pause in as_list(where, row or ()):
            times = as_list(where, pause)
            if len(times) != 2:
                raise InputError(f"{where}: from when to when, not {shown(pause)}")
            start, end = (checked_time(where, time) for time in times)
            if start != end:  # windows that touch are one
                pauses.append((start, end))
        last = windows.item(node, 0)
        for start, end in pauses:
            if not start < end:
                raise InputError(
                    f"windows: stop {node} closes at {start:g} and opens again at {end:g}, which "
                    "is before that: windows must not overlap"
                )
            if not last <= start < end <= windows[node, 1]:
                raise InputError(
                    f"windows: stop {node} is closed from {start:g} to {end:g}, which is not "
                    f"between {last:g}, when it opens, and {windows[node, 1]:g}, when it closes"
                )
            last = end
        if node == 0 and pauses:
            raise InputError(f"{where}: the depot has one window only")
        found.append(tuple(pauses))
    return tuple(found) if any(found) else None


def checked_penalties(
    given: Any, n: int, names: Sequence[str] | None
) -> tuple[float | None, ...] | None:
    """Return what each node costs that is left out, None if it must be visited.

    A mapping has the costs of some stops.

    Raises
    ------
    InputError
        If one is not a cost.
    """
    if isinstance(given, Mapping):
        costs = {checked_node("penalty", stop, n, names): cost for stop, cost in given.items()}
        given = [costs.get(node) for node in range(n)]
    if is_number(given):
        raise InputError(
            f"penalty must be a cost or None for each stop, the depot first, or costs by names "
            f"such as {{'Bakery': 45}}, not {shown(given)}"
        )
    values = as_list("penalty", given)
    if len(values) != n:
        raise InputError(f"penalty must be {n} costs or None, the depot first, not {len(values)}")
    if not (values[0] is None or values[0] != values[0]):
        raise InputError("penalty: the depot cannot be left out: its penalty must be None")
    found = tuple(
        None
        if value is None or value != value
        else float(as_number(f"penalty: that of stop {node}", value, 0.0, MOST_COST))
        for node, value in enumerate(values)
    )
    return found if any(value is not None for value in found) else None


def pairs_in(given: Any) -> Any:
    """Return the pairs of stops in a text such as "Mill -> Farm; Inn -> Farm"; the rest as it is.

    Raises
    ------
    InputError
        If there is something else in the text.
    """
    if not isinstance(given, str):
        return given
    pairs = [list(map(str.strip, part.split("->"))) for part in given.split(";") if part.strip()]
    for pair in pairs:
        if len(pair) != 2:
            raise InputError(
                f"before: {shown(' -> '.join(pair))} is not a pair such as Home -> Mill"
            )
    return pairs


def checked_pairs(
    given: Any, n: int, names: Sequence[str] | None
) -> tuple[tuple[int, int], ...] | None:
    """Return pairs of cities of which the first comes before the second.

    Raises
    ------
    InputError
        If a city is unknown, or would come before itself.
    """
    pairs, given = [], pairs_in(given)
    one_pair = _is_pair(given) and all(isinstance(each, str) for each in given)
    example = tuple(given) if one_pair else ("Home", "Mill")
    for each in as_list("before", given):
        pair = [] if isinstance(each, str) or is_number(each) else as_list("before", each)
        if len(pair) != 2:
            raise InputError(
                f"before must be a list of pairs of stops, such as [{example}], not "
                f"{shown(each)} in it"
            )
        one, other = (checked_node("before", stop, n, names) for stop in pair)
        pairs.append((one, other))
    if stop := next((stop for stop, ahead in closure(pairs).items() if stop in ahead), None):
        shown_names = [*map(str, range(n))] if names is None else names
        raise InputError(
            f"before: stop {shown_names[stop]} would come before itself: "
            f"{circle(stop, pairs, shown_names)}"
        )
    return tuple(sorted({*pairs})) or None


def circle(stop: int, pairs: Sequence[tuple[int, int]], names: Sequence[str]) -> str:
    """Return the shortest way from a city back to itself by such pairs, of which there is one."""
    ways = [[stop]]
    seen = set[int]()
    for way in ways:  # It becomes longer.
        for other in (after for before, after in pairs if before == way[-1]):
            if other == stop:
                return " -> ".join(names[each] for each in (*way, stop))
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    raise ValueError("no such way")


def closure(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """Return the cities that come before each one, also by way of others."""
    found: dict[int, set[int]] = {}
    for one, other in pairs:
        found.setdefault(other, set()).add(one)
    for middle, before in found.items():
        for ahead in found.values():
            if middle in ahead:
                ahead |= before
    return {stop: frozenset(ahead) for stop, ahead in found.items()}


def ways(
    matrix: Floats, first: int | None, last: int | None, end: int | str | None
) -> tuple[Floats, Bools | None]:
    """Return the costs of the legs of a tour that begins, ends or is open as these say, and gaps.

    These are where there is no way, if that is so anywhere; they cost as much as the longest leg.

    A tour that does not come back goes from its last stop to node 0 all the same, at no cost and in
    no time. Other stops than the first have no way from the depot, and so on.
    """
    legs = matrix.copy()
    if end is not None:
        last = last if end == "open" else int(end)
        legs[:, 0] = 0.0
    if first is not None:
        legs[0, np.arange(len(legs)) != first] = np.inf
    if last is not None:
        legs[np.arange(len(legs)) != last, 0] = np.inf
        legs[last, 1:] = np.inf
    np.fill_diagonal(legs, 0.0)
    gaps = np.isinf(legs)
    if gaps.any():
        legs[gaps] = legs[~gaps].max()
    legs.flags.writeable = False
    return legs, gaps if gaps.any() else None
