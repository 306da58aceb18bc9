"""Cells of tables as the papers print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from nestor import Runs
from nestor.render import log_axis

LINES: Sequence[tuple[Any, str]] = (
    ("-", "o"),
    ("--", "s"),
    (":", "^"),
    ("-.", "v"),
    ((0, (6, 1, 1, 1, 1, 1)), "D"),
)
"""Kinds of lines and of points."""


def mean(scores: Sequence[float], digits: int = 1) -> str:
    """Return a mean with half its 95 % interval, two standard errors."""
    if len(scores) < 2:
        return f"{fmean(scores):,.{digits}f}" if scores else ""
    error = 2 * stdev(scores) / len(scores) ** 0.5
    return f"{fmean(scores):,.{digits}f} ± {error:,.{digits}f}"


def draw_means(
    curves: Mapping[str, Mapping[float, Sequence[float]]], unit: str, score: str, path: Path
) -> None:
    """Draw means with their 95 % intervals over a logarithmic axis.

    Parameters
    ----------
    curves : dict
        By name of the curve and point: the scores of the runs. What a name has before its first
        comma gives the colour, and the rest the kind of line.
    """
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(6.4, 4.2), layout="constrained")).subplots()
    parts = [name.partition(", ") for name in curves]
    colors = [*dict.fromkeys(first for first, _, _ in parts)]
    kinds = [*dict.fromkeys(rest for _, _, rest in parts)]
    for (name, points), (first, _, rest) in zip(curves.items(), parts, strict=True):
        color, kind = colors.index(first), kinds.index(rest) % len(LINES)
        means = [fmean(scores) for scores in points.values()]
        errors = [2 * stdev(s) / len(s) ** 0.5 if len(s) > 1 else 0.0 for s in points.values()]
        line, marker = LINES[kind]
        axes.errorbar(
            list(points),
            means,
            errors,
            color=f"C{color}",
            linestyle=line,
            marker=marker,
            markersize=4,
            capsize=2,
            label=name,
        )
    log_axis(axes)
    axes.set(xlabel=unit, ylabel=f"{score}, with 95 % intervals")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.legend(frameon=False, fontsize="small")
    figure.savefig(path)


def scores_at(runs: Runs, algorithm: str, points: Sequence[float]) -> dict[float, list[float]]:
    """Return the scores of an algorithm after so many playouts, where it has some."""
    of = runs.of(algorithm=algorithm)
    found = {point: of.at(playouts=point).scores for point in points}
    return {point: scores for point, scores in found.items() if scores}
