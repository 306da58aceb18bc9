"""What distances and windows must be like."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_NODES = 2000
"""The most nodes an instance may have."""

MAX_TIME = 1e15
"""The largest distance or opening time: far enough from overflow for any sum."""


def distance_fault(matrix: Floats) -> tuple[int, int, str] | None:
    """Find the first bad distance, the diagonal left out.

    Parameters
    ----------
    matrix : array of shape (n, n)

    Returns
    -------
    (from, to, message), or None if all are good
    """
    good = (matrix >= 0.0) & (matrix <= MAX_TIME)
    np.fill_diagonal(good, True)
    if good.all():
        return None
    origin, target = (int(node) for node in np.argwhere(~good)[0])
    value = matrix[origin, target]
    where = f"the distance from node {origin} to node {target}"
    return origin, target, f"{where} must be a number from 0 to {MAX_TIME:g}, not {value:g}"


def window_fault(windows: Floats) -> tuple[int, str] | None:
    """Find the first bad window.

    Parameters
    ----------
    windows : array of shape (n, 2)

    Returns
    -------
    (node, message), or None if all are good
    """
    earliest, latest = windows.T
    opens = (earliest >= 0.0) & (earliest <= MAX_TIME)
    good = opens & np.isfinite(latest) & (earliest <= latest)
    if good.all():
        return None
    node = int(np.argmin(good))
    if not np.isfinite(latest[node]):
        reason = f"must end at a finite time, not {latest[node]:g} (for none, a large number)"
    elif not opens[node]:
        reason = f"must open at a time from 0 to {MAX_TIME:g}, not {earliest[node]:g}"
    else:
        reason = f"closes at {latest[node]:g}, before it opens at {earliest[node]:g}"
    return node, f"the window of node {node} {reason}"
