"""Results as text, and as HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from nestor.text import counted, format_rate, format_seconds

if TYPE_CHECKING:
    from nestor.result import Result

STOPS = {
    "target": "the target was reached",
    "seconds": "the time was up",
    "playouts": "the playouts were used up",
    "finished": "the search was complete",
    "interrupted": "it was interrupted",
}
"""Stop reasons in words."""


def rows(result: Result) -> list[tuple[str, str]]:
    """Return the facts about a result, as (name, value) pairs."""
    solved = {True: ", solved", False: ", not solved", None: ""}[result.solution.solved]
    better = "higher" if result.sense == "max" else "lower"
    score = f"{result.show_score(result.score)}{solved} ({better} is better)"
    rate = format_rate(result.playouts, result.seconds)
    return [
        ("score", score),
        ("verified", "yes" if result.verified else "no"),
        ("algorithm", result.algorithm.describe()),
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
