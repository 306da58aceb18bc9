"""Scores over playouts, seconds or processor time: medians and quartiles of runs, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from nestor.checks import check_choice
from nestor.comparison.row import NOTHING, SPENT, Row
from nestor.errors import InputError

By = Literal["playouts", "seconds", "cpu"]
AXES: tuple[By, ...] = ("playouts", "seconds", "cpu")
POINTS = 200
"""Points of a curve."""


class Curve(NamedTuple):
    """The scores of an algorithm on a problem over a run.

    Attributes
    ----------
    problem, algorithm : str
        Of a family, `problem` is its name.
    at : ndarray of shape (points,)
        Playouts, seconds or processor time, evenly spaced on a logarithmic axis.
    lower, median, upper : ndarray of shape (points,)
        Quartiles of the best scores so far, by value; of a family, of the gaps to the best score of
        each instance.
    sense : str
        Whether a higher ("max") or a lower ("min") value is better.
    what : str
        What the values are: "score", "hypervolume", "gap in %", or "gap" in points where a best
        score is 0.
    """

    problem: str
    algorithm: str
    at: np.ndarray
    lower: np.ndarray
    median: np.ndarray
    upper: np.ndarray
    sense: str
    what: str = "score"


def check_axis(rows: Sequence[Row], by: By) -> None:
    """Check that runs say how they stood along an axis.

    Raises
    ------
    InputError
        If they have no processor time: files of earlier versions have none.
    """
    check_choice("by", by, AXES)
    if by == "cpu" and any(row["improvements"] and row.get("cpu") is None for row in rows):
        raise InputError("by: not all of these runs say their processor time (cpu)")


def cut(row: Row, by: By, point: float) -> Row:
    """Return a run as it stood at a point; nobody knows how the other axes stood then."""
    end = row.get(by)
    if (end is not None and end <= point) or row["error"] is not None:
        return row
    before = [each for each in _steps(row, by) if each[by] <= point]
    then: Row = {name: None for name in SPENT if name in row}
    then |= {"improvements": before, by: end and point}
    if not before:
        return row | NOTHING | then
    last = {name: before[-1].get(name) for name in ("score", "shown", "missed")}
    if last["score"] == row["score"]:
        return row | then | {"stop_reason": None}
    return row | NOTHING | then | last


def curve(rows: Sequence[Row], by: By) -> Curve:
    """Return the curve of the runs of one algorithm on one problem.

    It begins where every run has a score. A run that ended before the others keeps its score.
    """
    at, scores = _table(rows, by)
    row = rows[0]
    what = "hypervolume" if "reference" in row else "score"
    return Curve(row["problem"], row["algorithm"], at, *_quartiles(scores), row["sense"], what)


def family_curve(rows: Sequence[Row], by: By, family: str, best: Mapping[str, float]) -> Curve:
    """Return the curve of the runs of one algorithm on a family: of the gaps to the best scores.

    Parameters
    ----------
    rows, by
        See `curve`.
    family : str
    best : mapping of str to float
        The best score of each instance.
    """
    at, scores = _table(rows, by)
    goals = np.array([best[row["problem"]] for row in rows])[:, None]
    gaps = np.abs(scores - goals)
    relative = all(best.values())
    if relative:
        gaps *= 100.0 / np.abs(goals)
    what = "gap in %" if relative else "gap"
    return Curve(family, rows[0]["algorithm"], at, *_quartiles(gaps), "min", what)


def _table(rows: Sequence[Row], by: By) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of an axis, and the best scores of each run there."""
    found = [_steps(row, by) for row in rows]
    first = max(steps[0][by] for steps in found)
    ends = [row[by] for row in rows if row.get(by) is not None]
    last = max([*ends, *(steps[-1][by] for steps in found)])
    at = np.geomspace(max(first, 1e-6), max(last, first, 1e-6), POINTS)
    return at, np.array([_scores(steps, by, at) for steps in found])


def _quartiles(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lower, median, upper = np.quantile(scores, (0.25, 0.5, 0.75), axis=0, method="inverted_cdf")
    return lower, median, upper


def _steps(row: Row, by: By) -> list[dict[str, Any]]:
    """Return the improvements of a run that were the best of all its jobs, in their order."""
    sign = 1 if row["sense"] == "max" else -1
    steps: list[dict[str, Any]] = []
    improvements = row["improvements"]
    if by == "cpu":
        # A run says its processor time at the end; it is taken to have been spent evenly.
        share = (row["cpu"] or 0.0) / row["seconds"] if row["seconds"] else 1.0
        improvements = [each | {"cpu": each["seconds"] * share} for each in improvements]
    # Those of several jobs are in the order of playouts, which is not that of seconds.
    for each in sorted(improvements, key=lambda each: each[by]):
        if not steps or sign * each["score"] > sign * steps[-1]["score"]:
            steps.append(each)
    return steps


def _scores(steps: Sequence[dict[str, Any]], by: By, at: np.ndarray) -> np.ndarray:
    """Return the best score of a run at each point."""
    points = [each[by] for each in steps]
    scores = np.array([each["score"] for each in steps], float)
    # Rounding must not put the first point before the first score.
    return scores[np.maximum(np.searchsorted(points, at * (1 + 1e-9), "right") - 1, 0)]
