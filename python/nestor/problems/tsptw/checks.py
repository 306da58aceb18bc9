"""Checks of distances and windows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nestor.errors import InputError

Floats = npt.NDArray[np.float64]

MAX_NODES = 2000
"""The largest number of nodes."""

MAX_TIME = 1e15
"""The largest distance or opening time; no sum comes near an overflow."""


def distance_fault(matrix: Floats) -> tuple[int, int, str] | None:
    """Find the first bad distance off the diagonal.

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


def checked_matrix(matrix: npt.ArrayLike) -> Floats:
    """Return distances in the form in which they are kept.

    Raises
    ------
    InputError
        If they are malformed.
    """
    distances = _floats(matrix, "matrix")
    n = len(distances) if distances.ndim else 0
    if distances.shape != (n, n) or not 2 <= n <= MAX_NODES:
        raise InputError(
            f"matrix must be square, with 2 to {MAX_NODES} rows, not of shape {distances.shape}"
        )
    np.fill_diagonal(distances, 0.0)
    if fault := distance_fault(distances):
        raise InputError(f"matrix: {fault[-1]}")
    distances.flags.writeable = False
    return distances


def checked_windows(windows: npt.ArrayLike, n: int) -> Floats:
    """Return the windows of n nodes in the form in which they are kept.

    Raises
    ------
    InputError
        If they are malformed.
    """
    times = _floats(windows, "windows")
    if times.shape != (n, 2):
        raise InputError(f"windows must be of shape ({n}, 2), like the matrix, not {times.shape}")
    if fault := window_fault(times):
        raise InputError(f"windows: {fault[-1]}")
    times.flags.writeable = False
    return times


def _floats(values: npt.ArrayLike, what: str) -> Floats:
    """Return a copy as floats without negative zeros."""
    try:
        array = np.array(values)
    except ValueError:
        raise InputError(f"{what} must have rows of equal length") from None
    if array.dtype.kind not in "iuf":
        raise InputError(f"{what} must be real numbers, not {array.dtype}")
    return array.astype(np.float64) + 0.0
