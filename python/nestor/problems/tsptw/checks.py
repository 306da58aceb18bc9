"""Checks of distances and windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

from nestor.arrays import np, npt
from nestor.checks import as_list, as_number, check_text, is_number, shown
from nestor.errors import InputError, errors_of, warn
from nestor.problems.textfile import number_in
from nestor.problems.tsptw.clock import length, minutes
from nestor.problems.tsptw.frames import flat, is_blank

Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"

MAX_NODES = 2000
"""The largest number of nodes."""

MAX_TIME = 1e15
"""The largest distance or opening time; no sum comes near an overflow."""

MIDNIGHT = "; midnight at the end of the day is 24:00"
"""What to write where a window closes at 00:00, as spreadsheets show it."""

NEVER = 1e19
"""The latest time of a node without a limit: no tour takes so long."""


class Known(tuple[str, ...]):
    """Names of which it has been told which are equal."""


def distance_fault(matrix: Floats) -> tuple[int, int, str] | None:
    """Find the first bad distance off the diagonal.

    Parameters
    ----------
    matrix : array of shape (n, n)

    Returns
    -------
    (from, to, message), or None if all are good
    """
    good = (matrix >= 0.0) & (matrix <= MAX_TIME)
    np.fill_diagonal(good, True)
    if good.all():
        return None
    origin, target = (int(node) for node in np.argwhere(~good)[0])
    value = matrix[origin, target]
    where = f"the distance from stop {origin} to stop {target}"
    return origin, target, f"{where} must be a number from 0 to {MAX_TIME:g}, not {value:g}"


def window_fault(
    windows: Floats, show: Callable[[float], str] = "{:g}".format, names: Any = None
) -> tuple[int, str] | None:
    """Find the first bad window.

    Parameters
    ----------
    windows : array of shape (n, 2)
    show : callable, optional
        Returns a time as people write it.
    names : sequence of str, optional
        Those of the nodes, as they were given.

    Returns
    -------
    (node, message), or None if all are good
    """
    earliest, latest = windows.T
    opens = (earliest >= -MAX_TIME) & (earliest <= MAX_TIME)
    good = opens & np.isfinite(latest) & (earliest <= latest)
    if good.all():
        return None
    node = int(np.argmin(good))
    if not np.isfinite(latest[node]):
        reason = f"must end at a finite time, not {latest[node]:g} (for none, a large number)"
    elif not opens[node]:
        reason = f"must open at a time from {-MAX_TIME:g} to {MAX_TIME:g}, not {earliest[node]:g}"
    else:
        reason = f"closes at {show(latest[node])}, before it opens at {show(earliest[node])}"
        reason += MIDNIGHT if show(latest[node]) == "00:00" else ""
    return node, f"the window of {node_text(node, names)} {reason}"


def node_text(node: int, names: Any) -> str:
    """Return a node for errors, with its name if it seems to have one."""
    name = names[node] if isinstance(names, list | tuple) and node < len(names) else None
    return f"stop {node} ({name:.40})" if isinstance(name, str) else f"stop {node}"


def checked_matrix(matrix: npt.ArrayLike, where: str = "matrix") -> Floats:
    """Return distances in the form in which they are kept; errors name `where` they are.

    Raises
    ------
    InputError
        If they are malformed.
    """
    distances = as_floats(matrix, where)
    n = len(distances) if distances.ndim else 0
    if distances.shape != (n, n) or not 2 <= n <= MAX_NODES:
        raise InputError(
            f"{where} must be square, with 2 to {MAX_NODES} rows, not of shape {distances.shape}"
        )
    own, legs = np.diagonal(distances), distances[~np.eye(n, dtype=bool)]
    # Equal ones as long as the longest leg say that there is no way.
    longest = legs[np.isfinite(legs)].max(initial=0.0)
    stays = np.unique(own[np.isfinite(own)])
    no_way = stays.size == 1 and stays[0] >= longest
    for node in () if no_way else np.flatnonzero((own > 0.0) & np.isfinite(own))[:1]:
        warn(
            f"{where}: from stop {node} to itself it has {own[node]:g}, which is ignored: service "
            "is how long a stop takes"
        )
    np.fill_diagonal(distances, 0.0)
    # Infinite where there is no way.
    if fault := distance_fault(np.where(distances == np.inf, 0.0, distances)):
        cure = "; inf is no way" if np.isnan(distances).any() else ""
        raise InputError(f"{where}: {fault[-1]}{cure}")
    distances.flags.writeable = False
    return distances


def checked_windows(
    windows: Any,
    matrix: Floats,
    service: Any,
    closed: Any = None,
    now: Any = None,
    names: Any = None,
    show: Callable[[float], str] = "{:g}".format,
    clock: bool = False,
) -> Floats:
    """Return the windows of the nodes in the form in which they are kept.

    Parameters
    ----------
    windows : array_like of shape (n, 2)
        Times may also be texts such as "08:15", or None for no limit; so may a whole window.
    matrix : array of shape (n, n)
        Times of travel.
    service : number or array_like of shape (n,) or None
        As it was given.
    closed : sequence of (from, to) for each node, or None
        When nodes are closed in between, as it was given.
    now : number or text or None
        When the tour is on its way, as it was given.
    names : sequence of str or None
        Names of the nodes, as they were given.
    show : callable, optional
        Returns a time as people write it.
    clock : bool, default False
        Whether times are of day.

    Raises
    ------
    InputError
        If they are malformed.
    """
    n = len(matrix)
    if any(_is_open(row) or any(map(_is_open, _iterable(row))) for row in _iterable(windows)):
        ways = np.where(np.isinf(matrix), 0.0, matrix)
        stays = ways.max(axis=1) + (
            0.0 if service is None else checked_service(service, n, clock, names)
        )
        pauses = [list(_times_in(each)) for each in _iterable(closed)] or [[]] * n
        rows = as_list("windows", windows)
        moment = list(_times_in([now]))
        windows = _filled(rows, pauses, moment, stays.tolist(), names)
    times = as_floats(windows, "windows")
    if times.shape != (n, 2):
        raise InputError(
            f"windows must be of shape ({n}, 2), a pair for each stop, not {times.shape}"
        )
    if fault := window_fault(times, show, names):
        raise InputError(f"windows: {fault[-1]}")
    times.flags.writeable = False
    return times


def _filled(
    rows: list[Any], pauses: list[list[float]], moment: list[float], stays: list[float], names: Any
) -> list[list[Any]]:
    """Return windows in which texts and what is left open are numbers.

    What has no limit closes at `NEVER`. What may open at any time does so before all else: with the
    depot, or at 0 if that is sooner. A depot that may open at any time does so at 0, or at the
    first time before that. Where windows close before 0, it opens so early that no tour is late for
    it: until it has left a node without waiting, at most its stay passes. Nodes that open from 0 on
    do not count: who goes there first waits, and is too late whenever the tour has left.
    """
    pairs: list[list[Any]] = [
        [None, None] if row is None else as_list("windows", row) for row in rows
    ]
    for node, pair in enumerate(pairs):
        for side, time in enumerate(pair):
            if isinstance(time, str):
                with errors_of(f"windows: {node_text(node, names)}"):
                    pair[side] = minutes(time)
        if len(pair) != 2:
            raise InputError(
                f"windows: {node_text(node, names)} must have two times, when it opens and when it "
                f"closes, not {shown(rows[node])}"
            )
    opening = pairs[0][0] if pairs else None
    limits = [time for time in (*(pair[1] for pair in pairs), *moment) if is_number(time)]
    soonest = min(limits, default=0.0)
    times = [time for pair in (*pairs, *pauses) for time in pair if is_number(time)]
    first = min([0.0, *(times if opening is None else filter(is_number, [opening]))])
    if opening is None and soonest < 0.0:
        plain = not (moment or any(pauses))
        longest = sum(
            stay
            for (opens, _), stay in zip(pairs, stays, strict=False)
            if not (plain and is_number(opens) and opens >= 0.0)
        )
        first = min(first, max(float(np.floor(soonest - longest)), -MAX_TIME))
    hours = dict(enumerate(pauses))
    for node, pair in enumerate(pairs):
        if pair[0] is None:
            own = [pair[1], *hours.get(node, ())]
            pair[0] = min([first, *(time for time in own if is_number(time))])
        if pair[1] is None:
            pair[1] = NEVER
    return pairs


def _times_in(values: Any) -> Iterator[float]:
    """Yield the times in lists of lists, those that are times."""
    for each in _iterable(values):
        if is_number(each):
            yield float(each)
        elif isinstance(each, str):
            with suppress(InputError):
                yield minutes(each)
        else:
            yield from _times_in(each)


def has_clock(windows: Any) -> bool:
    """Whether any time of these windows, or of what is in them, is a text."""
    return isinstance(windows, str) or any(map(has_clock, _iterable(windows)))


def check_clock(windows: Any, names: Any) -> None:
    """Refuse numbers in windows some of which are times of day.

    Raises
    ------
    InputError
        If there is one.
    """
    for node, row in enumerate(windows):
        for number in filter(is_number, flat(row)):
            raise InputError(
                f"windows: {node_text(node, names)}: {shown(number)} is a number where other times "
                "are HH:MM"
            )


def _is_open(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _iterable(values: Any) -> Iterable[Any]:
    """Return what may hold texts or None; an array of numbers and a text hold none."""
    array = isinstance(values, np.ndarray) and values.dtype.kind != "O"
    return () if array or isinstance(values, str) or not isinstance(values, Iterable) else values


def service_time(where: str, value: Any, clock: bool) -> Any:
    """Return how long a service takes: nothing as 0, a text as a number, the rest as it is.

    Raises
    ------
    InputError
        If a text is no number, and with times of day no length of time either.
    """
    if is_blank(value) or not isinstance(value, str):
        return 0.0 if is_blank(value) else value
    found = number_in(value.strip().replace(",", "."))
    if found is None and clock and ":" in value:
        with errors_of(where):
            return minutes(value)
    if found is None and (not clock or (found := length(value.strip())) is None):
        cure = ", or a length such as 10 min"
        cure = cure if clock else "; lengths such as 10 min need times of day such as 08:15"
        raise InputError(f"{where}: {shown(value)} is not a number{cure}")
    return found


def checked_service(service: Any, n: int, clock: bool = False, names: Any = None) -> Floats:
    """Return the times of service of n nodes in the form in which they are kept.

    Parameters
    ----------
    service : number or array_like of shape (n,)
        A number is that of every city; the depot then has none. None, NaN and the like are none. A
        text is a number, or where times are of day a length such as "10 min".
    clock : bool, default False
        Whether times are of day.

    Raises
    ------
    InputError
        If they are malformed.
    """
    if isinstance(service, str):
        service = service_time("service", service, clock)
    if is_number(service):
        service = [0.0, *[as_number("service", service, 0.0, MAX_TIME)] * (n - 1)]
    elif getattr(service, "ndim", 1) == 1:
        stays = as_list("service", service)
        service = [
            service_time(f"service: {node_text(node, names)}", stay, clock)
            for node, stay in enumerate(stays)
        ]
    times = as_floats(service, "service")
    if times.shape != (n,):
        raise InputError(f"service must be a number or {n} numbers, not of shape {times.shape}")
    good = (times >= 0.0) & (times <= MAX_TIME)
    if not good.all():
        node = int(np.argmin(good))
        raise InputError(
            f"service: that of {node_text(node, names)} must be from 0 to {MAX_TIME:g}, "
            f"not {times[node]:g}"
        )
    times.flags.writeable = False
    return times


def checked_names(names: Any, n: int) -> tuple[str, ...]:
    """Return the names of n nodes in the form in which they are kept.

    Raises
    ------
    InputError
        If they are no texts, or not n.
    """
    texts = as_list("names", names)
    if len(texts) != n:
        raise InputError(f"names must be {n}, one for each stop, not {len(texts)}")
    for node, name in enumerate(texts):
        check_text(f"names: that of stop {node}", name)
        if not name.strip():
            raise InputError(f"names: that of stop {node} must not be empty, it is {shown(name)}")
    found = tuple(" ".join(name.split()) for name in texts)
    nodes: dict[str, int] = {}
    for node, name in enumerate(found):
        if nodes.setdefault(name, node) != node and not isinstance(names, Known):
            warn(
                f"names: {shown(name)} is the name of stop {nodes[name]} and of stop {node}: name "
                "these stops by their numbers in arguments; tours of another table are matched by "
                "this name only if they have it as often"
            )
    return found


def _odd_row(values: Any) -> str:
    """Return which row is the first of another length than row 0, if these are rows of cells."""
    lengths = [len(row) if isinstance(row, list | tuple) else 1 for row in _iterable(values)]
    row = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    return "" if row is None else f"; row {row} has {lengths[row]}, and row 0 has {lengths[0]}"


def as_floats(values: npt.ArrayLike, what: str) -> Floats:
    """Return a copy as floats without negative zeros, row by row in memory."""
    try:
        array = np.array(values, order="C")
    except ValueError:
        raise InputError(f"{what} must have rows of equal length{_odd_row(values)}") from None
    if array.dtype.kind not in "iuf":
        cells = np.ndenumerate(np.array(values, dtype=object))
        found = ((place, value) for place, value in cells if not is_number(value))
        place, value = next(found, ((), values))
        at = f" at {[*map(int, place)]}" if place else ""
        raise InputError(f"{what} must be real numbers, not {shown(value)}{at}")
    return array.astype(np.float64) + 0.0
