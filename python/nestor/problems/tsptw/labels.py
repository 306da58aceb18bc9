"""Names on a map, where they cover nothing: beside their points, or farther off at a thin line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple
from unicodedata import east_asian_width

from nestor.arrays import np
from nestor.problems.tsptw.checks import Bools, Floats

NARROW, WIDE = frozenset("ijlftrI.,:;'|!()[] -"), frozenset("mwMW@%")
"""Letters that are much narrower or wider than most."""

RINGS = 16
"""How many steps a name may be away from its point."""
STEP = 1.1
"""How long these are, in heights of a text."""
WAYS = 16
"""In how many directions it may be."""
AWAY = 1.5
"""What a step away costs."""
COVERED = 8.0
"""What it costs to cover a line, for each unit of its length."""
CROSSED = 6.0
"""What it costs if the line to a name crosses another line."""
CLOSE = 5.0
"""What it costs to be close to another point."""
DISPLACED = 8.0
"""What it costs to displace another name; it doubles each time for that name."""
TURNS = 6
"""How often a name is placed at most, in the mean."""
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


class _Places(NamedTuple):
    """Places for names: their boxes, the lines that lead there, and what each costs.

    A name beside its point has a line without length.
    """

    boxes: Floats
    leads: Floats
    costs: Floats

    def take(self, kept: Any) -> _Places:
        return _Places(*(each[kept] for each in self))

    def clashes(self, other: _Places) -> Bools:
        """Return which places of ours, in rows, do not go with which of the others."""
        clash: Bools = _crossed(self.leads, other.leads)
        left, top, right, bottom = self.boxes.T[..., None]
        x0, y0, x1, y1 = other.boxes.T
        clash |= (left < x1) & (right > x0) & (top < y1) & (bottom > y0)
        clash |= _within(other.leads, self.boxes) > 0.0
        clash |= _within(self.leads, other.boxes).T > 0.0
        return clash


def width(text: str) -> float:
    """Return about how wide a text is, relative to its height."""
    return sum(map(_letter, text))


def _letter(letter: str) -> float:
    if letter in NARROW:
        return 0.36
    if letter in WIDE or east_asian_width(letter) in "WF":
        return 1.0
    return 0.7 if letter.isupper() else 0.62


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

    A name covers no point, no other name and no line that leads to one, and is not nearer to
    another point. Of such places it has the nearest, where it covers and crosses the least of
    `lines`. Crowded names choose first. One that finds no room takes that of others, which then
    choose again.

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
    count = len(spots)
    known = []
    for k in range(count):
        places = _places(spots[k], sizes[k], widths[k], height)
        inside = (places.boxes[:, :2] >= bounds[:2]) & (places.boxes[:, 2:] <= bounds[2:])
        others = np.arange(count) != k
        places = places.take(inside.all(axis=1))
        known.append(_weighed(places, height, spots[k], spots[others], sizes[others], lines))
    gaps = np.hypot(*(spots[:, None] - spots[None, :]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    crowded = gaps.min(axis=1).argsort(kind="stable").tolist()
    chosen = _chosen(known, crowded)
    found: list[Label | None] = [None] * count
    for k, place in chosen.items():
        x0, y0, x1, y1 = known[k].boxes[place].tolist()
        start, end = map(tuple, known[k].leads[place].tolist())
        line = None if start == end else (start, end)
        found[k] = Label((x0 + x1) / 2.0, (y0 + y1) / 2.0, line)
    return found


def _chosen(known: Sequence[_Places], order: Sequence[int]) -> dict[int, int]:
    """Return the place of each name that has one."""
    chosen: dict[int, int] = {}
    prices = np.full(len(known), DISPLACED)

    def best(k: int, displace: bool) -> list[int] | None:
        """Place a name; return those that it displaces, or None if it finds no place."""
        others = [other for other in chosen if other != k]
        parts = [known[other].take([chosen[other]]) for other in others]
        clash = np.zeros((len(known[k].costs), 0), dtype=bool)
        if parts:
            clash = known[k].clashes(_Places(*map(np.concatenate, zip(*parts, strict=True))))
        cost = known[k].costs + clash @ prices[others]
        if not displace:
            cost = np.where(clash.any(axis=1), np.inf, cost)
        if not np.isfinite(cost).any():
            return None
        chosen[k] = int(cost.argmin())
        return [other for other, gone in zip(others, clash[chosen[k]], strict=True) if gone]

    queue = list(order)
    for _ in range(TURNS * len(known)):
        if not queue:
            break
        for other in best(queue.pop(0), displace=True) or ():
            del chosen[other]
            prices[other] *= 2.0
            queue.append(other)
    for k in (*queue, *order):
        best(k, displace=False)
    return chosen


def _places(spot: Floats, radius: float, width: float, height: float) -> _Places:
    """Return the places beside a point and those at lines, with what the way to them costs."""
    half = np.array([width, height]) / 2.0
    right, above = 1.5 * radius + half[0], radius + 0.85 * height
    sides = [(right, 0.0), (-right, 0.0), (0.0, -above), (0.0, above)]
    sides += [(0.8 * s * right, t * above) for t in (-1, 1) for s in (1, -1)]
    middles, ends, steps = list(sides), [(0.0, 0.0)] * len(sides), [0] * len(sides)
    for ring in range(1, RINGS + 1):
        far = radius + STEP * height * ring
        for k in range(WAYS):
            across, down = math.cos(math.tau * k / WAYS), math.sin(math.tau * k / WAYS)
            u, v = far * across, far * down
            if abs(across) > 0.3:
                middles.append((u + math.copysign(half[0] + 0.15 * height, across), v))
            for shift in (0.0, -0.8, 0.8) if abs(down) > 0.6 else ():
                middles.append((u + shift * half[0], v + math.copysign(0.6 * height, down)))
            new = len(middles) - len(ends)
            ends += [(u, v)] * new
            steps += [ring] * new
    at = spot + np.array(middles)
    tips = np.array(ends)
    away = np.hypot(*tips.T)[:, None]
    starts = tips * np.where(away > 0.0, radius / np.maximum(away, 1e-12), 0.0)
    return _Places(
        np.concatenate([at - half, at + half], axis=1),
        spot + np.stack([starts, tips], axis=1),
        AWAY * np.array(steps, dtype=float),
    )


def _weighed(
    places: _Places, height: float, spot: Floats, spots: Floats, sizes: Floats, lines: Floats
) -> _Places:
    """Return the places that cover no point, and what each costs."""
    discs = np.concatenate([spots - sizes[:, None], spots + sizes[:, None]], axis=1)
    free = ~places.clashes(_Places(discs, np.repeat(spots[:, None], 2, axis=1), sizes)).any(axis=1)
    gaps = _distances(spots, places.boxes)
    near = gaps.min(axis=1, initial=math.inf)
    beside = (places.leads[:, 0] == places.leads[:, 1]).all(axis=1)
    own = _distances(spot[None], places.boxes)[:, 0]
    free &= ~beside | (near >= own + 0.3 * height)
    rims = (gaps - sizes).min(axis=1, initial=math.inf)
    costs = places.costs + CLOSE * (~beside & (rims < 0.5 * height))
    lengths = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
    costs = costs + COVERED * (_within(lines, places.boxes) * lengths).sum(axis=1)
    costs = costs + CROSSED * _crossed(places.leads, lines).sum(axis=1)
    return _Places(places.boxes, places.leads, costs).take(free)


def _within(lines: Floats, boxes: Floats) -> Floats:
    """Return which share of each line, in columns, is in which box, in rows."""
    enters, leaves = 0.0, 1.0
    for axis in (0, 1):
        start, end = lines[:, :, axis].T
        step = np.where(np.abs(end - start) < 1e-9, 1e-9, end - start)
        low, high = ((boxes[:, k, None] - start) / step for k in (axis, axis + 2))
        enters = np.maximum(enters, np.minimum(low, high))
        leaves = np.minimum(leaves, np.maximum(low, high))
    share: Floats = np.maximum(leaves - enters, 0.0)
    return share


def _crossed(ours: Floats, theirs: Floats) -> Bools:
    """Return which of our lines, in rows, cross which of theirs."""
    apart = _sides(ours, theirs[:, 0]) * _sides(ours, theirs[:, 1]) < 0
    crossed: Bools = apart & (_sides(theirs, ours[:, 0]) * _sides(theirs, ours[:, 1]) < 0).T
    return crossed


def _sides(lines: Floats, points: Floats) -> Floats:
    """Return on which side of each line, in rows, which point is."""
    (x, y), (u, v) = lines[:, 0].T, (lines[:, 1] - lines[:, 0]).T
    sides: Floats = np.sign(
        np.outer(u, points[:, 1]) - np.outer(v, points[:, 0]) - (u * y - v * x)[:, None]
    )
    return sides


def _distances(points: Floats, boxes: Floats) -> Floats:
    """Return how far each of the points, in columns, is from which box, in rows."""
    across, down = (
        np.maximum(
            np.maximum(boxes[:, k, None] - points[:, k], points[:, k] - boxes[:, k + 2, None]), 0.0
        )
        for k in (0, 1)
    )
    return np.hypot(across, down)
