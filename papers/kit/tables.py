"""Cells of tables as the papers print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev

from nestor import Runs
from nestor.render import log_axis


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
        By name of the curve and point: the scores of the runs.
    """
    from matplotlib.figure import Figure

    axes = (figure := Figure(figsize=(6.4, 4.2), layout="constrained")).subplots()
    for name, points in curves.items():
        means = [fmean(scores) for scores in points.values()]
        errors = [2 * stdev(s) / len(s) ** 0.5 if len(s) > 1 else 0.0 for s in points.values()]
        axes.errorbar(list(points), means, errors, marker="o", markersize=3, capsize=2, label=name)
    log_axis(axes)
    axes.set(xlabel=unit, ylabel=score)
    axes.grid(color="#DDDDDD", linewidth=0.6)
    axes.legend(frameon=False, fontsize="small")
    figure.savefig(path)


def scores_at(runs: Runs, algorithm: str, points: Sequence[float]) -> dict[float, list[float]]:
    """Return the scores of an algorithm after so many playouts, where it has some."""
    of = runs.of(algorithm=algorithm)
    found = {point: of.at(playouts=point).scores for point in points}
    return {point: scores for point, scores in found.items() if scores}
