"""Scores over playouts or seconds: medians and quartiles of runs, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from nestor.comparison.row import NOTHING, Row

By = Literal["playouts", "seconds"]
POINTS = 200
"""Points of a curve."""


class Curve(NamedTuple):
    """The scores of an algorithm on a problem over a run.

    Attributes
    ----------
    problem, algorithm : str
    at : ndarray of shape (points,)
        Playouts or seconds, evenly spaced on a logarithmic axis.
    lower, median, upper : ndarray of shape (points,)
        Quartiles of the best scores so far, by value.
    sense : str
        Whether a higher ("max") or a lower ("min") score is better.
    """

    problem: str
    algorithm: str
    at: np.ndarray
    lower: np.ndarray
    median: np.ndarray
    upper: np.ndarray
    sense: str


def cut(row: Row, by: By, point: float) -> Row:
    """Return a run as it stood at a point; nobody knows how the other axis stood then."""
    ended = row[by] is not None and row[by] <= point
    if ended or row["error"] is not None:
        return row
    before = [each for each in _steps(row, by) if each[by] <= point]
    other = "seconds" if by == "playouts" else "playouts"
    then = {"improvements": before, by: row[by] and point, other: None}
    if not before:
        return row | NOTHING | then
    last = {name: before[-1][name] for name in ("score", "shown")}
    if last["score"] == row["score"]:
        return row | then | {"stop_reason": None}
    return row | NOTHING | then | last


def curve(rows: Sequence[Row], by: By) -> Curve:
    """Return the curve of the runs of one algorithm on one problem.

    It begins where every run has a score. A run that ended before the others keeps its score.
    """
    found = [_steps(row, by) for row in rows]
    first = max(steps[0][by] for steps in found)
    ends = [row[by] for row in rows if row[by] is not None]
    last = max([*ends, *(steps[-1][by] for steps in found)])
    at = np.geomspace(max(first, 1e-6), max(last, first, 1e-6), POINTS)
    scores = np.array([_scores(steps, by, at) for steps in found])
    lower, median, upper = np.quantile(scores, (0.25, 0.5, 0.75), axis=0, method="inverted_cdf")
    row = rows[0]
    return Curve(row["problem"], row["algorithm"], at, lower, median, upper, row["sense"])


def _steps(row: Row, by: By) -> list[dict[str, Any]]:
    """Return the improvements of a run that were the best of all its jobs, in their order."""
    sign = 1 if row["sense"] == "max" else -1
    steps: list[dict[str, Any]] = []
    # Those of several jobs are in the order of playouts, which is not that of seconds.
    for each in sorted(row["improvements"], key=lambda each: each[by]):
        if not steps or sign * each["score"] > sign * steps[-1]["score"]:
            steps.append(each)
    return steps


def _scores(steps: Sequence[dict[str, Any]], by: By, at: np.ndarray) -> np.ndarray:
    """Return the best score of a run at each point."""
    points = [each[by] for each in steps]
    scores = np.array([each["score"] for each in steps], float)
    # Rounding must not put the first point before the first score.
    return scores[np.maximum(np.searchsorted(points, at * (1 + 1e-9), "right") - 1, 0)]
