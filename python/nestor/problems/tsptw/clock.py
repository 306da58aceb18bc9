"""Times of day: read as minutes after midnight, and written again."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import datetime

from nestor.errors import InputError

FLAGS = re.ASCII | re.IGNORECASE

TIME = re.compile(
    r"(?:(\d{1,6}) d |(-?))(\d{1,3})(?::([0-5]\d)(?::([0-5]\d))?|(?=\s*[ap]))"
    r"(?:\s*([ap])\.?\s?m\.?)?",
    FLAGS,
)
"""A time of day: hours from 24 on are those of the days after the first, a minus of that before."""

DAY = 24 * 60.0
"""The minutes of a day."""

HOURS = 48
"""From how many hours on a time is written with days."""

NOON = r"(?:noon|midi|mezzogiorno|mediod[i\u00ed]a)"
SPOKEN = re.compile(
    r"(\d{1,2})(?:[:.]([0-5]\d)\s*(?:uhr|h)|\s*(?:uhr|h)(?:\s*([0-5]\d))?)"
    rf"|(?:12\s*)?{NOON}",
    FLAGS,
)
"""A time of day with a word for the hour: 9 Uhr, 9:30 Uhr, 9h30, noon."""

DATED = re.compile(r"(\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2})[ T]+(?=\d)", re.ASCII)
"""A date before a time."""

DAYS = ("%Y-%m-%d", "%d.%m.%Y")
"""Dates of which it is clear what is the day and what the month."""

LENGTH = re.compile(
    r"(?:([\d.,]+)\s*(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|ore|ora|uur)\s*)?"
    r"(?:([\d.,]+)\s*(?:min(?:ut[a-z]{0,2})?s?\.?|['\u2032])?)?",
    FLAGS,
)
"""A length of time: hours, minutes or both, of which minutes need no unit."""

MOMENT = (
    r"((?:\d{1,6} d (?=\d+:))?\d[\d:.]*\s*"
    rf"(?:uhr|h\s*\d*|[ap]\.?\s?m\.?|{NOON})?|{NOON})"
)
FROM = r"(?:ab|nach|von|from|after|de|d\u00e8s|\u00e0 partir de|desde|van|vanaf|dalle)"
UNTIL = r"(?:bis|vor|until|till|by|before|avant|jusqu'\u00e0|hasta|tot|entro)"
WINDOW = re.compile(
    rf"(?:{FROM}?\s*{MOMENT}\s*(?:[-\u2013\u2014]|to|a|\u00e0|alle|{UNTIL})\s*{MOMENT}"
    rf"|{FROM}\s*{MOMENT}|{UNTIL}\s*{MOMENT})",
    FLAGS,
)
"""A window in words: 8:00-10:00, from 8 to 10, ab 9, bis 12 Uhr."""

WITHIN = re.compile(
    rf"\b(?:between|zwischen|zw\.?|entre|tra|tussen) {MOMENT}\s+(?:and|und|et|y|e|en)\b", FLAGS
)
"""The beginning of a window between two times."""

BETWEEN = re.compile(r" ?[,;/+&] ?| (?:und|and|et) ", re.IGNORECASE)
"""What is between the windows of a cell."""

ROUNDING = 1e-5
"""The minutes by which a time may be too small, as it is a sum of numbers that are rounded."""


def minutes(text: str) -> float:
    """Return a time of day in minutes after midnight.

    Parameters
    ----------
    text : str
        ``HH:MM`` or ``HH:MM:SS``, perhaps with AM or PM, or as in ``9h30`` and ``9 Uhr``; 25:30 is
        half past one on the next day, as ``1 d 01:30``, and -1:30 half past ten in the evening
        before.

    Raises
    ------
    InputError
        If it is something else.

    Examples
    --------
    >>> minutes("08:15"), minutes("25:30"), minutes("2 d 00:10"), minutes("12:30 PM")
    (495.0, 1530.0, 2890.0, 750.0)
    """
    spoken = SPOKEN.fullmatch(text.strip())
    told = f"{spoken[1] or 12}:{spoken[2] or spoken[3] or '00'}" if spoken else text.strip()
    found = TIME.fullmatch(told)
    half = found and found[6]
    if found is None or (half and (found[2] or not 1 <= int(found[3]) <= 12)):
        raise InputError(f"{text[:40]!r} is not a time such as 08:15 or 16:30")
    days, hours, mins, seconds = (int(part or 0) for part in found.group(1, 3, 4, 5))
    if half:
        hours = hours % 12 + 12 * (half in "pP")
    time = 60.0 * (24 * days + hours) + mins + seconds / 60.0
    return -time if found[2] else time


def as_date(text: str) -> datetime | None:
    """Return the midnight of a date; None where the day may be the month."""
    for form in DAYS:
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return None


def is_time(text: str) -> bool:
    """Whether a text is a time of day."""
    return TIME.fullmatch(text) is not None or SPOKEN.fullmatch(text) is not None


def length(text: str) -> float | None:
    """Return a length of time in minutes, which need no unit; None for another text.

    Examples
    --------
    >>> length("0,25 h"), length("1h30"), length("5'"), length("5 min"), length("soon")
    (15.0, 90.0, 5.0, 5.0, None)
    """
    found = LENGTH.fullmatch(text)
    if found is None:
        return None
    try:
        hours, mins = (float(part.replace(",", ".")) for part in found.groups("0"))
    except ValueError:
        return None
    return 60.0 * hours + mins


def window(text: str) -> tuple[str, str] | None:
    """Return when a window in words opens and closes, as times or nothing; None for another text.

    Whole numbers are hours. AM, PM and a word for the hour behind the second of two times are
    those of both, except that what would begin after its end at PM begins at AM.

    Examples
    --------
    >>> window("8-10"), window("bis 12 Uhr"), window("ab 9"), window("11-1 pm")
    (('8:00', '10:00'), ('', '12 Uhr'), ('9:00', ''), ('11 am', '1 pm'))
    """
    found = WINDOW.fullmatch(text.strip())
    if found is None:
        return None
    opens, closes = found[1] or found[3] or "", found[2] or found[4] or ""
    one, other = (re.search(r"([ap])\W{0,2}m", side, FLAGS) for side in (opens, closes))
    exact = re.search(NOON, opens + closes, FLAGS)
    if opens and closes and bool(one) != bool(other) and not exact:
        try:
            left = minutes(closes) - minutes(f"{opens} pm") if other and other[1] in "pP" else -1.0
        except InputError:
            left = 0.0
        if not other or not left:
            return None
        opens += " pm" if left > 0.0 else " am"
    if re.fullmatch(r"\d\d?\.\d\d", opens) and (hour := re.search(r"(uhr|h)$", closes, FLAGS)):
        opens += hour[1]
    first, last = (re.sub(r"^\d\d?$", r"\g<0>:00", side.strip()) for side in (opens, closes))
    return first, last


def windows(text: str) -> list[str]:
    """Return the windows in a text, each as a text.

    Examples
    --------
    >>> windows("8-12, 14-18"), windows("between 8 and 12")
    (['8-12', '14-18'], ['8 - 12'])
    """
    return BETWEEN.split(WITHIN.sub(r"\1 -", text))


def clock_text(time: float, *, seconds: bool = False) -> str:
    """Return minutes after midnight as a clock shows them, ``HH:MM`` or ``HH:MM:SS``.

    From 48 hours on, the days come before: ``2 d 00:10``. What is left over is dropped: who leaves
    at that time leaves no later.

    Examples
    --------
    >>> clock_text(495.9), clock_text(1530), clock_text(9016), clock_text(-90)
    ('08:15', '25:30', '6 d 06:16', '-01:30')
    >>> clock_text(495.9, seconds=True)
    '08:15:54'
    """
    whole = math.floor((time + ROUNDING) * (60 if seconds else 1))
    parts = [abs(whole)]
    for _ in range(1 + seconds):
        parts[:1] = divmod(parts[0], 60)
    days, hours = divmod(parts[0], 24)
    before = "-" if whole < 0 else ""
    if whole > 0 and parts[0] >= HOURS:
        before, parts[0] = f"{days} d ", hours
    return before + ":".join(f"{part:02}" for part in parts)


def exact_text(time: float) -> str:
    """Return minutes after midnight as ``HH:MM``, with seconds if there are any.

    Examples
    --------
    >>> exact_text(495), exact_text(495.9)
    ('08:15', '08:15:54')
    """
    return clock_text(time, seconds=True).removesuffix(":00")
