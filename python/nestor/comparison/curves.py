"""Scores over playouts or seconds: medians and quartiles of runs, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from nestor.comparison.row import Row

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
    """

    problem: str
    algorithm: str
    at: np.ndarray
    lower: np.ndarray
    median: np.ndarray
    upper: np.ndarray


def cut(row: Row, by: By, point: float) -> Row:
    """Return a run as it stood at a point."""
    before = [each for each in row["improvements"] if each[by] <= point]
    last = before[-1] if before else {"score": None, "shown": None}
    end = None if row[by] is None else min(row[by], point)
    scores = {name: last[name] for name in ("score", "shown")}
    return row | scores | {"improvements": before, "moves": None, by: end}


def curve(rows: Sequence[Row], by: By) -> Curve:
    """Return the curve of the runs of one algorithm on one problem.

    It begins where every run has a score. A run that ended before the others keeps its score.
    """
    first = max(row["improvements"][0][by] for row in rows)
    last = max(max(row[by], row["improvements"][-1][by]) for row in rows)
    at = np.geomspace(max(first, 1e-6), max(last, first, 1e-6), POINTS)
    scores = np.array([_steps(row, by, at) for row in rows])
    lower, median, upper = np.quantile(scores, (0.25, 0.5, 0.75), axis=0, method="inverted_cdf")
    return Curve(rows[0]["problem"], rows[0]["algorithm"], at, lower, median, upper)


def _steps(row: Row, by: By, at: np.ndarray) -> np.ndarray:
    """Return the best score of a run at each point."""
    points = [each[by] for each in row["improvements"]]
    scores = np.array([each["score"] for each in row["improvements"]], float)
    # Rounding must not put the first point before the first score.
    return scores[np.maximum(np.searchsorted(points, at * (1 + 1e-9), "right") - 1, 0)]
