"""The best score of a search over time."""

from __future__ import annotations

import math
import os
import statistics
from typing import Any

from nestor.render import matplotlib_settings, new_figure, save_figure
from nestor.result import Result, heading

BLUE = "#0072B2"
SHORTEST = 1e-6
"""The earliest time shown, in seconds."""


def steps(result: Result) -> tuple[list[float], list[float]]:
    """Return when the best score of all jobs changed, and its new values.

    Parameters
    ----------
    result : Result

    Returns
    -------
    seconds, scores : lists of float
        Both end with the end of the search, where the last score is repeated.
    """
    sign = 1.0 if result.sense == "max" else -1.0
    seconds: list[float] = []
    scores: list[float] = []
    for found in sorted(result.improvements, key=lambda improvement: improvement.seconds):
        if not scores or sign * found.score > sign * scores[-1]:
            seconds.append(max(found.seconds, SHORTEST))
            scores.append(found.score)
    return [*seconds, max([result.seconds, *seconds])], [*scores, result.score]


def timeline(result: Result, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw the best score over the search time (extra ``plot``).

    Parameters
    ----------
    result : Result
    path : path, optional
        File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.

    Raises
    ------
    InputError
        If the file cannot be written or has another suffix.
    MissingExtraError
        If matplotlib is not installed.
    """
    seconds, scores = steps(result)
    with matplotlib_settings():
        figure = new_figure(6.4, 3.6)
        axes = figure.add_axes((0.14, 0.16, 0.82, 0.72))
        axes.step(seconds, scores, where="post", color=BLUE, linewidth=1.6)
        axes.plot(seconds[:-1], scores[:-1], "o", color=BLUE, markersize=3.5)
        axes.set_xscale("log")
        axes.set_ylim(*_limits(scores))
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        axes.set_xlabel("seconds")
        axes.set_ylabel(f"best score ({'higher' if result.sense == 'max' else 'lower'} is better)")
        axes.set_title(heading(result), fontsize=11, parse_math=False)
        axes.grid(color="#DDDDDD", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    return figure if path is None else save_figure(figure, path)


def _limits(scores: list[float]) -> tuple[float | None, float | None]:
    """Return the range of scores to show, without the first ones if they are far off."""
    best = scores[-1]
    spread = 4 * abs(statistics.median(scores) - best)
    shown = [score for score in scores if abs(score - best) <= spread]
    low, high = min(shown, default=best), max(shown, default=best)
    margin = 0.05 * (high - low)
    return (low - margin, high + margin) if margin > 0 and math.isfinite(margin) else (None, None)
