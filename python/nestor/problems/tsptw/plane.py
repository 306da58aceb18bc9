"""Places of nodes in the plane, worked out from their distances."""

from __future__ import annotations

import numpy as np

from nestor.problems.tsptw.checks import Floats

WORST_STRESS = 0.2
"""The largest stress of a map that is not misleading."""


def places(matrix: Floats) -> Floats | None:
    """Place the nodes in the plane so that distances fit as well as they can.

    Instances add times of service to the rows of a matrix. These are estimated from its asymmetry
    and subtracted. The rest is made symmetric and scaled classically (Torgerson 1952). Where there
    is a way in one direction only, it counts for both.

    Parameters
    ----------
    matrix : array of shape (n, n)

    Returns
    -------
    array of shape (n, 2), or None if no map is close to the distances
        The longer side of the map is along the first axis. It is not known which side is up.
    """
    both_ways = np.where(np.isinf(matrix), matrix.T, matrix)
    if np.isinf(both_ways).any():
        return None
    distances = _symmetric(both_ways)
    n = len(distances)
    centring = np.eye(n) - 1.0 / n
    products = -0.5 * centring @ distances**2 @ centring
    values, vectors = np.linalg.eigh(products)
    largest = np.argsort(values)[::-1][:2]
    points: Floats = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    points *= np.where(points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])] < 0, -1, 1)
    return points if _stress(points, distances) <= WORST_STRESS else None


def _symmetric(matrix: Floats) -> Floats:
    """Return distances without times of service, both ways the same, 0 on the diagonal."""
    service = (matrix - matrix.T).mean(axis=1)
    travel = matrix - (service - service.min())[:, None]
    distances: Floats = np.maximum((travel + travel.T) / 2.0, 0.0)
    np.fill_diagonal(distances, 0.0)
    return distances


def _stress(points: Floats, distances: Floats) -> float:
    """Return how far the map differs from the distances, relative to them."""
    total = float((distances**2).sum())
    mapped = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    return float(np.sqrt(((mapped - distances) ** 2).sum() / total)) if total > 0.0 else np.inf
