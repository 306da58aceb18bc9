"""Times of day: read as minutes after midnight, and written again."""

from __future__ import annotations

import math
import re

from nestor.errors import InputError

TIME = re.compile(
    r"(-?)(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?:\s*([ap])\.?m\.?)?", re.ASCII | re.IGNORECASE
)
"""A time of day: hours from 24 on are those of the days after the first, a minus of that before."""

ROUNDING = 1e-5
"""The minutes by which a time may be too small, as it is a sum of numbers that are rounded."""


def minutes(text: str) -> float:
    """Return a time of day in minutes after midnight.

    Parameters
    ----------
    text : str
        ``HH:MM`` or ``HH:MM:SS``, perhaps with AM or PM; 25:30 is half past one on the next day,
        and -1:30 half past ten in the evening before.

    Raises
    ------
    InputError
        If it is something else.

    Examples
    --------
    >>> minutes("08:15"), minutes("25:30"), minutes("12:30 PM")
    (495.0, 1530.0, 750.0)
    """
    found = TIME.fullmatch(text.strip())
    half = found and found[5]
    if found is None or (half and (found[1] or not 1 <= int(found[2]) <= 12)):
        raise InputError(f"{text[:40]!r} is not a time such as 08:15 or 16:30")
    hours, mins, seconds = (int(part or 0) for part in found.groups()[1:4])
    if half:
        hours = hours % 12 + 12 * (half in "pP")
    time = 60.0 * hours + mins + seconds / 60.0
    return -time if found[1] else time


def clock_text(time: float, *, seconds: bool = False) -> str:
    """Return minutes after midnight as a clock shows them, ``HH:MM`` or ``HH:MM:SS``.

    What is left over is dropped: who leaves at that time leaves no later.

    Examples
    --------
    >>> clock_text(495.9), clock_text(1530), clock_text(-90)
    ('08:15', '25:30', '-01:30')
    >>> clock_text(495.9, seconds=True)
    '08:15:54'
    """
    whole = math.floor((time + ROUNDING) * (60 if seconds else 1))
    parts = [abs(whole)]
    for _ in range(1 + seconds):
        parts[:1] = divmod(parts[0], 60)
    return ("-" if whole < 0 else "") + ":".join(f"{part:02}" for part in parts)


def exact_text(time: float) -> str:
    """Return minutes after midnight as ``HH:MM``, with seconds if there are any.

    Examples
    --------
    >>> exact_text(495), exact_text(495.9)
    ('08:15', '08:15:54')
    """
    return clock_text(time, seconds=True).removesuffix(":00")
