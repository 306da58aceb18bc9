"""Names on a map, where they cover nothing: beside their points, or farther off at a thin line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nestor.arrays import np
from nestor.problems.tsptw.checks import Floats

RINGS = 16
"""How many steps a name may be away from its point."""
STEP = 1.1
"""How long these are, in heights of a text."""
WAYS = 16
"""In how many directions it may be."""
AWAY = 1.5
"""A step away is as bad as so many points of lines that the name covers."""
CROSSED = 6
"""And so is a line that the name's own line crosses."""
ROUNDS = 200
"""How often points that overlap are pushed apart."""


class Label(NamedTuple):
    """Where a name is.

    Attributes
    ----------
    x, y : float
        Its middle.
    line : ((float, float), (float, float)) or None
        A line that leads from its point to it, if it is not beside it.
    """

    x: float
    y: float
    line: tuple[tuple[float, float], tuple[float, float]] | None


def apart(spots: Floats, sizes: Floats) -> Floats:
    """Return points moved by little, so that discs of these radii do not overlap, or hardly."""
    moved = spots.copy()
    gap = sizes[:, None] + sizes[None, :]
    count = np.arange(len(spots))
    # Points at the same place go different ways.
    ways = np.stack([np.cos(2.4 * count), np.sin(2.4 * count)], axis=1)
    for _ in range(ROUNDS):
        steps = moved[:, None] - moved[None, :]
        far = np.hypot(*steps.transpose(2, 0, 1))
        np.fill_diagonal(far, np.inf)
        if (far >= 0.999 * gap).all():
            break
        same = far < 1e-9
        steps[same] = (ways[:, None] - ways[None, :])[same]
        length = np.where(same, np.hypot(*steps.transpose(2, 0, 1)), far)
        push = np.where(far < gap, (gap - np.where(same, 0.0, far)) / 2.0, 0.0)
        moved += (steps * (push / np.maximum(length, 1e-9))[:, :, None]).sum(axis=1)
    return moved


def labels(
    widths: Sequence[float],
    height: float,
    spots: Floats,
    sizes: Floats,
    lines: Floats,
    bounds: tuple[float, float, float, float],
) -> list[Label | None]:
    """Return where the names of points are, None for one without room.

    Crowded ones choose first. Of the places that cover no point, no other name and no line that
    leads to one, and that are not nearer to another point, the one is taken that is nearest and
    covers and crosses the least of `lines`.

    Parameters
    ----------
    widths : sequence of float
        How wide each name is.
    height : float
    spots : array of shape (n, 2)
    sizes : array of shape (n,)
        The radii of the points.
    lines : array of shape (m, 2, 2)
        Where lines begin and end that names should not cover.
    bounds : (left, top, right, bottom)
    """
    found: list[Label | None] = [None] * len(spots)
    taken = np.concatenate([spots - sizes[:, None], spots + sizes[:, None]], axis=1)
    inked = np.concatenate([np.zeros((0, 2)), *(_along(*line) for line in lines)])
    leads, leading = np.zeros((0, 2)), np.zeros((0, 2, 2))
    gaps = np.hypot(*(spots[:, None] - spots[None, :]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    for node in gaps.min(axis=1).argsort(kind="stable").tolist():
        others = np.delete(spots, node, axis=0)
        best: tuple[float, Label, Floats, Floats] | None = None
        for ring in range(RINGS + 1):
            if best and best[0] <= AWAY * ring:
                break
            for label in _places(spots[node], sizes[node], widths[node], height, ring):
                half = np.array([widths[node], height]) / 2.0
                middle = np.array(label[:2])
                box = np.concatenate([middle - half, middle + half])
                lead = np.zeros((0, 2)) if label.line is None else _along(*label.line)
                inside = box[0] >= bounds[0] and box[1] >= bounds[1]
                inside = inside and box[2] <= bounds[2] and box[3] <= bounds[3]
                if not inside or _overlaps(taken, box) or len(_within(leads, box)):
                    continue
                cost = AWAY * ring + len(_within(inked, box))
                if label.line:
                    line = np.array(label.line)
                    covered = (len(_within(lead, each)) for each in np.delete(taken, node, axis=0))
                    if _crossed(line, leading) or any(covered):
                        continue
                    cost += CROSSED * _crossed(line, lines)
                elif _distance(others, box) < _distance(spots[node][None], box) + 0.3 * height:
                    continue
                if best is None or cost < best[0]:
                    best = (cost, label, box, lead)
        if best:
            _, found[node], box, lead = best
            taken = np.vstack([taken, box])
            leads = np.concatenate([leads, lead])
            if len(lead):
                leading = np.concatenate([leading, lead[[0, -1]][None]])
    return found


def _places(spot: Floats, radius: float, width: float, height: float, ring: int) -> Iterator[Label]:
    """Yield places beside a point, or so many steps away from it."""
    x, y = spot.tolist()
    right, above = 1.5 * radius + width / 2.0, radius + 0.85 * height
    if ring == 0:
        for u, v in ((x + right, y), (x - right, y), (x, y - above), (x, y + above)):
            yield Label(u, v, None)
        for t in (-1, 1):
            for s in (1, -1):
                yield Label(x + s * 0.8 * right, y + t * above, None)
        return
    for k in range(WAYS):
        across, down = math.cos(math.tau * k / WAYS), math.sin(math.tau * k / WAYS)
        far = radius + STEP * height * ring
        u, v = x + far * across, y + far * down
        line = ((x + radius * across, y + radius * down), (u, v))
        if abs(across) > 0.3:
            yield Label(u + math.copysign(width / 2.0 + 0.15 * height, across), v, line)
        else:
            yield Label(u, v + math.copysign(0.6 * height, down), line)


def _along(start: Sequence[float], end: Sequence[float]) -> Floats:
    """Return points of a line."""
    steps = 2 + int(8.0 * math.dist(start, end))
    return np.linspace(start, end, steps)


def _within(points: Floats, box: Floats) -> Floats:
    """Return those of the points that are in a box."""
    inside: Floats = points[((points > box[:2]) & (points < box[2:])).all(axis=1)]
    return inside


def _crossed(line: Floats, lines: Floats) -> int:
    """Return how many of the lines another one crosses."""

    def side(start: Floats, end: Floats, point: Floats) -> Floats:
        along, there = end - start, point - start
        sides: Floats = np.sign(along[..., 0] * there[..., 1] - along[..., 1] * there[..., 0])
        return sides

    (start, end), (starts, ends) = line, lines.transpose(1, 0, 2)
    apart = side(start, end, starts) * side(start, end, ends)
    return int(((apart < 0) & (side(starts, ends, start) * side(starts, ends, end) < 0)).sum())


def _overlaps(taken: Floats, box: Floats) -> bool:
    return bool(((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).any())


def _distance(points: Floats, box: Floats) -> float:
    """Return how far the nearest of the points is from a box."""
    away = np.maximum(np.maximum(box[:2] - points, points - box[2:]), 0.0)
    return float(np.hypot(*away.T).min(initial=math.inf))
