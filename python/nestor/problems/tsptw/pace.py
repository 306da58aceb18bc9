"""How fast a tour is: a distance per unit of time, or kilometres per hour."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from nestor.arrays import np
from nestor.checks import as_positive, is_number, shown
from nestor.errors import InputError, warn
from nestor.problems.tsptw.checks import NEVER, Floats
from nestor.settings import Kind

HOURLY = re.compile(r"\s*(\d+(?:[.,]\d*)?)\s*(?:km\s?/?\s?h|kph)\s*", re.ASCII | re.IGNORECASE)
"""A speed in kilometres per hour, as text."""

FASTEST = 200.0
"""The kilometres per hour beyond which a number is taken for a wrong unit."""

SLOWEST = 1.0
"""The kilometres per hour below which times of travel are taken for those in a wrong unit."""

LAGGING = 40.0
"""How many times slower than most a leg is that is taken for one in a wrong unit."""

MOST_LEGS = 3
"""The most legs that a warning names."""

USUAL = 30.0
"""The kilometres per hour to which the right unit comes closest."""

SPANS = ((48.0, "hours", 1.0), (10080.0, "minutes", 60.0), (math.inf, "seconds", 3600.0))
"""Up to which time numbers seem to be in a unit, and how many of it are an hour."""


class Pace(Kind):
    """A speed: a number, or a text such as "40 km/h"."""

    type = "float or str"
    metavar = "SPEED"

    def check(self, name: str, value: Any) -> float | str:
        """Return the speed as it is, once it is known to be one."""
        as_pace(value)
        return value  # type: ignore[no-any-return]

    def read(self, text: str) -> float | str:
        """Read a speed."""
        try:
            return text if HOURLY.fullmatch(text) else float(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a speed: a number, or such as 40km/h") from None


def as_pace(speed: Any) -> float:
    """Return a distance per unit of time, which is the minute for "40 km/h".

    Raises
    ------
    InputError
        If it is no positive number.
    """
    if isinstance(speed, str):
        found = HOURLY.fullmatch(speed)
        if found is None:
            raise InputError(f"speed must be a number, or such as '40 km/h', not {shown(speed)}")
        return float(as_positive("speed", float(found[1].replace(",", ".")), 1e12)) / 60.0
    return float(as_positive("speed", speed, 1e12))


def check_pace(
    speed: Any,
    times: Floats,
    windows: Iterable[Any],
    clock: bool,
    geographic: bool,
    plane: Floats | None = None,
) -> None:
    """Check that a speed goes with the other units.

    Parameters
    ----------
    speed : float or str or None
        As it was given; None for 1.
    times : array of shape (n, n)
        The times of travel.
    windows : iterable of (earliest, latest)
        None or `NEVER` for no limit.
    clock : bool
        Whether times are minutes after midnight.
    geographic : bool
        Whether distances are kilometres.
    plane : array of shape (n, 2), optional
        The coordinates, if their unit is that of the distances: a warning tells of those that look
        like degrees.

    Raises
    ------
    InputError
        If it is in kilometres per hour and times are not times of day, or if it is a number that no
        vehicle drives.
    """
    if isinstance(speed, str):
        if not clock:
            raise InputError(
                f"speed: {speed.strip()} needs times of day such as 08:15; with times that are "
                "numbers, give the distance per unit of time"
            )
    elif clock and geographic and is_number(speed) and 60.0 * speed > FASTEST:
        raise InputError(
            f"speed: {speed:g} km per minute are {60.0 * speed:g} km/h, as the unit of time is the "
            f"minute here: give {speed / 60.0:.4g}, or '{speed:g}km/h', for {speed:g} km/h"
        )
    if geographic and not clock:
        _warn_of_numbers(as_pace(1.0 if speed is None else speed), windows)
    if clock and plane is not None and _are_degrees(plane):
        warn(
            "coordinates: they look like latitudes and longitudes, and are taken as places in a "
            "plane; columns lat and lon, or metric='haversine', make kilometres of them"
        )
    elif clock and 0.0 < float(times.max()) < 1.0:
        warn("speed: no leg takes a whole minute: is it the distance per minute?")


def warn_of_speed(
    where: object,
    names: Sequence[object],
    kilometres: Floats,
    times: Floats,
    unit: str | None,
) -> None:
    """Warn if a matrix in minutes, or a leg, is as fast or slow as no vehicle between places."""
    far = kilometres > 1.0
    ways = far & np.isfinite(times) & (times > 0.0)
    if not ways.any():
        return
    hourly = 60.0 * float(np.median(kilometres[ways] / times[ways]))
    if SLOWEST <= hourly <= FASTEST:
        _warn_of_legs(where, names, np.where(far, kilometres, np.nan), times, hourly)
        return
    taken = unit or "minutes"
    hours = {each: hour for _, each, hour in SPANS}
    others = {each: hourly * hour / hours[taken] for each, hour in hours.items()}
    fits = min(others, key=lambda each: abs(math.log(others[each] / USUAL)))
    known = fits != taken and SLOWEST <= others[fits] <= FASTEST
    cure = f"if it is in {fits}, at {others[fits]:.0f} km/h: say so with time_unit={fits!r}"
    digits = 0 if hourly > FASTEST else 2
    warn(
        f"{where}: in {taken}, stops are driven to at about {hourly:,.{digits}f} km/h, by their "
        f"latitudes and longitudes; {cure if known else 'is the unit of time another one?'}"
    )


def _warn_of_legs(
    where: object, names: Sequence[object], kilometres: Floats, times: Floats, usual: float
) -> None:
    """Warn of single legs as no vehicle drives them; `kilometres` that do not count are NaN."""
    with np.errstate(divide="ignore"):
        hourly = 60.0 * kilometres / times
        # Whole minutes may be rounded.
        least = 60.0 * kilometres / (times + 0.5 * (times == np.rint(times)))
        slow = (hourly < max(SLOWEST, usual / LAGGING)) & np.isfinite(times)
        odd = (least > FASTEST) | slow
        worst = np.argsort(-np.where(odd, abs(np.log(hourly / usual)), -1.0), axis=None)
    told = []
    for a, b in (divmod(int(leg), len(times)) for leg in worst[: min(np.sum(odd), MOST_LEGS)]):
        speed = f"{hourly[a, b]:,.{2 if slow[a, b] else 0}f} km/h" if times[a, b] else "no time"
        told.append(f"row {names[a]!r}, column {names[b]!r}: {speed}")
    if more := int(np.sum(odd)) - len(told):
        told.append(f"and {more} more")
    if told:
        warn(
            f"{where}: legs between these latitudes and longitudes are as fast or slow as no "
            f"vehicle: {'; '.join(told)}"
        )


def _warn_of_numbers(speed: float, windows: Iterable[Any]) -> None:
    """Warn if no vehicle drives as fast in the unit that times without one seem to have."""
    latest = max((t for pair in windows for t in pair if t is not None and t < NEVER), default=0.0)
    _, unit, hour = next(span for span in SPANS if latest <= span[0])
    if hour * speed > FASTEST:
        warn(
            f"speed: {speed:g} km per unit of time are {hour * speed:g} km/h if times up to "
            f"{latest:g} are {unit}: write the times as HH:MM and the speed such as 30km/h, or "
            f"give {30.0 / hour:.4g} for 30 km/h"
        )


def _are_degrees(plane: Floats) -> bool:
    """Whether coordinates look like degrees: within a few of each other, and farther from zero."""
    spread, far = np.ptp(plane, axis=0), abs(plane).max(axis=0)
    near = 0.0 < spread.max() < 5.0 and (3.0 * spread < far).any()
    return bool(near and far.min() <= 90.0 and far.max() <= 180.0)
