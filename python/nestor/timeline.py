"""The best score of searches over time."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from itertools import cycle, product
from textwrap import fill
from typing import Any

from nestor.checks import shown
from nestor.errors import InputError
from nestor.render import COLOURS, drawn, log_axis, new_figure, plain_axes

SHORTEST = 1e-6
"""The earliest time shown, in seconds."""
WIDEST = 70
"""The most letters in a line of the title."""
LEGEND_WIDEST = 100
"""The most letters in a line of the legend."""
LEGEND_LINE = 0.17
"""Height of a line of the legend, in inches."""
STYLES = ("-", "--", ":", "-.")
"""Lines of the same colour, one after the other."""


def steps(result: Any) -> tuple[list[float], list[float]]:
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


def timeline(results: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Draw the best score of one or several searches over the search time (extra ``plot``).

    Where scores count constraints that are missed, as those of TSPTW do, their number has axes of
    its own, so that both parts of the score can be read.

    Parameters
    ----------
    results : Result or iterable of Result
        All of problems with the same sense.
    path : path, optional
        File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.

    Raises
    ------
    InputError
        If there is no result, if higher scores are better in some and lower ones in others, or if
        the file cannot be written or has another suffix.
    MissingExtraError
        If matplotlib is not installed.
    """
    every: list[Any] = list(results) if isinstance(results, Iterable) else [results]
    for result in every:
        if not hasattr(result, "improvements"):
            raise InputError(f"results must be results of searches, not {shown(result)}")
    if len({result.sense for result in every}) != 1:
        raise InputError("results must be one or more, all with the same sense of the score")
    return drawn(path, _draw, every)


def _draw(results: Sequence[Any]) -> Any:
    missed = [any(result.split_score(score)[0] for score in steps(result)[1]) for result in results]
    axes_count = 1 + any(missed)
    headings = list(dict.fromkeys(result.heading for result in results))
    names = [
        result.caption if len(headings) == 1 else f"{result.heading}, {result.caption}"
        for result in results
    ]
    names = [fill(name, LEGEND_WIDEST) for name in names]
    legend = sum(len(name.splitlines()) for name in names) if len(names) > 1 else 0
    figure = new_figure(6.4, 2.2 + 1.5 * axes_count + LEGEND_LINE * legend, "constrained")
    ratios = (1.0, 2.0)[2 - axes_count :]
    *upper, lower = figure.subplots(
        axes_count, sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios}
    )[:, 0]
    looks = cycle(product(STYLES, COLOURS))
    for result, (style, colour), name in zip(results, looks, names, strict=False):
        _draw_steps(upper, lower, result, colour, style, name)
    for axes in (*upper, lower):
        log_axis(axes)
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        plain_axes(axes)
    better = "higher" if results[0].sense == "max" else "lower"
    missed_name, name = results[missed.index(True) if upper else 0].score_parts
    for axes in upper:
        axes.set_ylabel(missed_name)
        axes.yaxis.get_major_locator().set_params(integer=True)
    lower.set_ylabel(f"best {name} ({better} is better)")
    lower.set_xlabel("seconds")
    if legend:
        figure.legend(loc="outside lower center", frameon=False, fontsize=8)
    title = headings[0] if len(headings) == 1 else f"{len(results)} searches"
    size = min(11.0, 11.0 * WIDEST / len(title))
    figure.suptitle(title, fontsize=size, parse_math=False)
    return figure


def _draw_steps(
    upper: Sequence[Any], lower: Any, result: Any, colour: str, style: str, name: str
) -> None:
    """Draw the steps of one search."""
    points = [
        (seconds, *result.split_score(score))
        for seconds, score in zip(*steps(result), strict=True)
        if math.isfinite(score)
    ]
    if not points:
        return
    seconds, missed, rest = zip(*points, strict=True)
    for axes, values in zip((*upper, lower), (missed, rest)[1 - len(upper) :], strict=True):
        label = name if axes is lower else None
        axes.step(seconds, values, style, where="post", color=colour, linewidth=1.6, label=label)
        axes.plot(seconds[:-1], values[:-1], "o", color=colour, markersize=3.5)
