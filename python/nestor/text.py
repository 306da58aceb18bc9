"""Results and numbers as text, and as HTML for notebooks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nestor.algorithms import Algorithm
    from nestor.result import Result

STOPS = {
    "target": "the target was reached",
    "seconds": "the time was up",
    "playouts": "the playouts were used up",
    "finished": "the search was complete",
    "interrupted": "it was interrupted",
}
"""Stop reasons in words."""


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
    if seconds < 0.9995:
        return f"{seconds:.3f} s"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02} h"


def format_rate(playouts: int, seconds: float) -> str:
    """Return playouts per second, to three digits where there are more."""
    rate = playouts / max(seconds, 1e-9)
    digits = 2 - math.floor(math.log10(rate)) if rate > 0 else 0
    return f"{round(rate, min(digits, 0)):,.0f}/s" if rate >= 10 else f"{rate:.2g}/s"


def describe(algorithm: Algorithm) -> str:
    """Return an algorithm and its settings in one line, bias, prior and what is off left out.

    Examples
    --------
    >>> from nestor import NRPA
    >>> describe(NRPA(level=2, iterations=(100, 50)))
    'nrpa, level 2, iterations 100,50, alpha 1'
    """
    settings = algorithm.to_dict()
    hidden = {"name", "bias", "prior"}
    if settings.get("prior") is None:
        hidden |= {"prior_temperature", "smoothing"}
    if settings.get("width") == 1:
        hidden |= {"width", "width_rate"}
    if settings.get("policies") == "shared":
        hidden |= {"policies", "share", "inherit"}
    if settings.get("width_rate") == "sum":
        hidden.add("width_rate")
    if settings.get("diversity") == 0:
        hidden.add("diversity")
    if settings.get("beam") == 1:
        hidden.add("beam")
    if settings.get("bias_learning") is None:
        hidden.add("bias_weight")
    parts = [
        name.replace("_", " ") + ("" if value is True else f" {_setting(value)}")
        for name, value in settings.items()
        if name not in hidden and value is not None and value is not False
    ]
    return ", ".join([algorithm.name, *parts])


def rows(result: Result) -> list[tuple[str, str]]:
    """Return what to tell about a result, as (name, value) pairs."""
    solved = {True: ", solved", False: ", not solved", None: ""}[result.solution.solved]
    better = "higher" if result.sense == "max" else "lower"
    score = f"{result.show_score(result.score)}{solved} ({better} is better)"
    rate = format_rate(result.playouts, result.seconds)
    return [
        ("score", score),
        ("verified", "yes" if result.verified else "no"),
        ("algorithm", describe(result.algorithm)),
        ("bias", result.bias),
        ("playouts", f"{result.playouts:,} in {format_seconds(result.seconds)}, {rate}"),
        ("ended", STOPS.get(result.stop_reason, result.stop_reason)),
        ("seed", f"{result.seed}, {counted(result.jobs, 'job')}, {_reproducible(result)}"),
    ]


def heading(result: Result) -> str:
    """Return problem and instance: "tsptw rc_204.1.txt"."""
    return result.name if result.instance == result.name else f"{result.name} {result.instance}"


def summary(result: Result) -> str:
    """Return a result for people: how it was found, then the solution's text picture.

    Parameters
    ----------
    result : Result
    """
    width = max(len(name) for name, _ in rows(result))
    lines = [f"  {name:{width}}  {value}" for name, value in rows(result)]
    return "\n".join([heading(result), *lines, "", str(result.solution)])


def notebook(result: Result) -> str:
    """Return a result as HTML: a table, and the picture if matplotlib is there.

    Parameters
    ----------
    result : Result
    """
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows(result)
    )
    picture = result.solution._repr_svg_() or f"<pre>{escape(str(result.solution))}</pre>"
    return (
        f'<div class="nestor"><strong>{escape(heading(result))}</strong>'
        f"<table>{cells}</table>{picture}</div>"
    )


def _reproducible(result: Result) -> str:
    return "reproducible" if result.reproducible else "not reproducible"


def _setting(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_setting, value))
    return format_score(value) if isinstance(value, float) else str(value)


def counted(number: int, noun: str) -> str:
    """Return "1 hole", "2 holes" and so on."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
