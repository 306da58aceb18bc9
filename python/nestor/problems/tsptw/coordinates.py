"""Coordinates of nodes: the times of travel between them, and their places on a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from nestor.arrays import np, npt
from nestor.checks import is_number, shown
from nestor.errors import InputError
from nestor.problems.tsptw.checks import MAX_NODES, MAX_TIME, Floats, as_floats
from nestor.problems.tsptw.pace import as_pace

Point = tuple[float, float]
Metric = Literal["euclidean", "haversine"] | Callable[[Point, Point], float]

EARTH = 6371.0088
"""The mean radius of the earth in kilometres."""

LIMITS = {
    True: (("latitude", 90.0), ("longitude", 180.0)),
    False: (("x", MAX_TIME), ("y", MAX_TIME)),
}
"""The names and the largest absolute values of both coordinates, by whether they are geographic."""


def checked_positions(
    xy: npt.ArrayLike, name: str, geographic: bool, n: int | None = None
) -> Floats:
    """Return coordinates in the form in which they are kept.

    Parameters
    ----------
    xy : array_like of shape (n, 2)
    name : str
        Name of the argument, for errors.
    geographic : bool
        Whether they are latitudes and longitudes.
    n : int, optional
        How many there must be.

    Raises
    ------
    InputError
        If they are malformed.
    """
    positions = as_floats(xy, name)
    if positions.ndim != 2 or positions.shape[1] != 2 or not 2 <= len(positions) <= MAX_NODES:
        shape = positions.shape
        raise InputError(f"{name} must be of shape (n, 2), n from 2 to {MAX_NODES}, not {shape}")
    if n not in (None, len(positions)):
        raise InputError(
            f"{name} must be of shape ({n}, 2), like the matrix, not {positions.shape}"
        )
    for (what, limit), values in zip(LIMITS[geographic], positions.T, strict=True):
        good = np.abs(values) <= limit
        if not good.all():
            node = int(np.argmin(good))
            raise InputError(
                f"{name}: the {what} of stop {node} must be from {-limit:g} to {limit:g}, "
                f"not {values[node]:g}"
            )
    positions.flags.writeable = False
    return positions


def travel_times(positions: Floats, metric: Metric, speed: float | str) -> Floats:
    """Return how long it takes from each node to each other.

    Parameters
    ----------
    positions : array of shape (n, 2)
    metric : {"euclidean", "haversine"} or callable
        "haversine" is the great-circle distance in kilometres between latitudes and longitudes. A
        callable gets two points as tuples and returns the distance from the first to the second.
    speed : float or str
        Distance per unit of time, positive, or kilometres per hour (see `as_pace`).

    Raises
    ------
    InputError
        If the metric or the speed is wrong, or a callable returns something else than a distance.
    """
    pace = as_pace(speed)
    name = metric if isinstance(metric, str) else None
    if name == "euclidean":
        distances: Floats = np.hypot(*_differences(positions))
    elif name == "haversine":
        distances = _haversine(positions)
    elif callable(metric):
        points = [tuple(point) for point in positions.tolist()]
        distances = np.array([[_called(metric, a, b) for b in points] for a in points])
    else:
        raise InputError(
            f'metric must be "euclidean", "haversine" or a function of two points, '
            f"not {shown(metric)}"
        )
    return distances / pace


def speed_of(positions: Floats, matrix: Floats) -> float | None:
    """Return the kilometres per unit of time between latitudes and longitudes.

    Returns
    -------
    float, or None
        None unless it is the same everywhere.
    """
    distances = _haversine(positions)
    origin, target = np.unravel_index(int(distances.argmax()), distances.shape)
    farthest, time = float(distances[origin, target]), float(matrix[origin, target])
    if not (farthest > 0.0 and 0.0 < time < np.inf):
        return None
    speed = farthest / time
    return speed if np.allclose(matrix * speed, distances, rtol=1e-9, atol=1e-9) else None


def _called(metric: Callable[[Point, Point], float], one: Point, other: Point) -> float:
    distance = metric(one, other) if one != other else 0.0
    if not is_number(distance) or not 0.0 <= distance <= MAX_TIME:
        raise InputError(
            f"metric({one}, {other}) must be a number from 0 to {MAX_TIME:g}, not {shown(distance)}"
        )
    return float(distance)


def _differences(positions: Floats) -> Floats:
    differences: Floats = (positions[:, None] - positions[None, :]).transpose(2, 0, 1)
    return differences


def _haversine(positions: Floats) -> Floats:
    radians = np.radians(positions)
    north, east = _differences(radians)
    cosines = np.cos(radians[:, 0])
    half = np.sin(north / 2) ** 2 + cosines[:, None] * cosines * np.sin(east / 2) ** 2
    distances: Floats = 2.0 * EARTH * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0)))
    return distances


def on_paper(positions: Floats, geographic: bool) -> Floats:
    """Return where to draw the nodes: x to the right, y downwards, both in the same unit."""
    if not geographic:
        return np.column_stack([positions[:, 0], -positions[:, 1]])
    latitudes, longitudes = positions.T
    # Across the date line the shorter way round is drawn.
    if np.ptp(longitudes) > 180.0:
        longitudes = longitudes % 360.0
    shrink = np.cos(np.radians((latitudes.min() + latitudes.max()) / 2.0))
    return np.column_stack([longitudes * shrink, -latitudes])
