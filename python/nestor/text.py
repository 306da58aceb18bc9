"""Numbers and texts as people read them."""

from __future__ import annotations

import math

WIDTH = 80
"""The number of columns of a terminal."""


def format_score(score: float) -> str:
    """Return a score as people write it: 12 significant digits, no trailing zeros.

    Parameters
    ----------
    score : float

    Examples
    --------
    >>> format_score(878.6400000000001), format_score(82.0)
    ('878.64', '82')
    """
    if math.isfinite(score) and score == int(score) and abs(score) < 1e15:
        return str(int(score))
    return f"{score:.12g}"


def format_seconds(seconds: float) -> str:
    """Return a duration in its two largest units.

    Parameters
    ----------
    seconds : float
        At least 0.

    Examples
    --------
    >>> format_seconds(0.25), format_seconds(59.5), format_seconds(7384)
    ('0.250 s', '59.5 s', '2 h 03 min')
    """
    for limit, digits in ((0.9995, 3), (9.995, 2), (59.95, 1)):
        if seconds < limit:
            return f"{seconds:.{digits}f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02} h"


def format_rate(playouts: float, seconds: float) -> str:
    """Return playouts per second, with at most three significant digits."""
    rate = playouts / max(seconds, 1e-9)
    digits = 2 - math.floor(math.log10(rate)) if rate > 0 else 0
    return f"{round(rate, min(digits, 0)):,.0f}/s" if rate >= 10 else f"{rate:.2g}/s"


def compact(move: object) -> str:
    """Return a move without brackets.

    Examples
    --------
    >>> compact((3, (1, 2))), compact("AU")
    ('3,1,2', 'AU')
    """
    return ",".join(map(compact, move)) if isinstance(move, list | tuple) else str(move)


def counted(number: int, noun: str) -> str:
    """Return "1 hole", "2 holes" and so on."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def clipped(text: str, lines: int, columns: int) -> str:
    r"""Return the beginning of a text: at most so many lines and columns.

    Examples
    --------
    >>> print(clipped("one\ntwo\nthree", 2, 80))
    one
    ... (2 more lines)
    """
    every = text.splitlines()
    if len(every) > lines:
        every = [*every[: lines - 1], f"... ({len(every) - lines + 1} more lines)"]
    return "\n".join(e if len(e) <= columns else f"{e[: columns - 3]}..." for e in every)
