"""The drawing of a tour: its schedule, with a map beside it if the distances allow one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nestor.picture import Box, Circle, Line, Picture, Shape, Text
from nestor.problems.tsptw.checks import Floats
from nestor.problems.tsptw.plane import places
from nestor.problems.tsptw.solution import Tour

INK = "#2b2f36"
FAINT = "#8a919c"
GRID = "#e6e9ee"
WINDOW = "#cfd8e6"
WAIT = "#6d7686"
LATE = "#d62839"
SHADES = ((45, 58, 140), (33, 124, 163), (59, 168, 126), (196, 194, 66), (240, 140, 60))
"""Colours of the visits from the first to the last, as red, green and blue."""

LARGEST = 60.0
"""The largest height of a map, in rows."""

HEIGHT = 9.0
"""The height of a drawing in inches, unless that makes its rows too small."""


def draw(tour: Tour) -> Picture:
    """Draw a tour.

    Every stop is a row of the schedule, from the top. It has a bar for its window, a dot for the
    visit, and a thin bar before the dot for the wait. A line leads from each departure to the next
    arrival. Nodes reached too late are red. Dots have the colours of the nodes on the map.

    Parameters
    ----------
    tour : Tour
    """
    rows = len(tour.stops) + 1
    height = float(max(rows, 8))
    size = min(height, LARGEST)
    points = places(tour.instance.matrix) if tour.instance.nodes > 3 else None
    shapes: list[Shape] = []
    left = 2.5
    if points is not None:
        spots = _fitted(points, size)
        shapes += _map(tour, spots, size)
        left += float(spots[:, 0].max()) + 0.08 * size + 1.5
    schedule = _Schedule(tour, left, 1.25 * max(size, 20.0))
    shapes += schedule.shapes()
    return Picture(
        shapes=tuple(shapes),
        bounds=(-1.0, -2.2, left + schedule.width + 1.5, height + 2.4),
        title=tour.headline(),
        y_down=True,
        unit=min(max(HEIGHT / height, 0.13), 0.35),
    )


def _fitted(points: Floats, size: float) -> Floats:
    """Return the points moved and scaled into a rectangle of height `size`, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = np.maximum(high - low, 1e-9 * (high - low).max())
    scale = min(1.3 * size / width, 0.9 * size / height)
    margin = 0.04 * size
    shift = np.array([margin, (size - scale * height) / 2.0])
    fitted: Floats = (points - low) * scale + shift
    return fitted


def _map(tour: Tour, spots: Floats, size: float) -> list[Shape]:
    """Draw the tour in the plane."""
    radius = _radius(spots, size)
    stops = len(tour.stops)
    shapes: list[Shape] = [
        _leg(spots[i], spots[j], radius, _shade(k, stops)) for k, (i, j, _) in enumerate(tour.legs)
    ]
    for k, node in enumerate(tour.order):
        x, y = spots[node].tolist()
        fill = LATE if node in tour.violations else _shade(k, stops)
        shapes.append(Circle(x, y, radius, fill=fill, edge="white", width=0.8))
        shapes.append(Text(x, y, str(node), 0.95 * radius, color="white"))
    x, y = spots[0].tolist()
    side = 1.25 * radius
    fill = LATE if 0 in tour.violations else INK
    shapes.append(Box(x - side, y - side, 2 * side, 2 * side, fill=fill, edge="white"))
    shapes.append(Text(x, y, "0", 1.1 * radius, color="white"))
    middle = float(spots[:, 0].max()) / 2.0
    shapes.append(Text(middle, size + 1.5, "map found from distances", 0.75, color=FAINT))
    return shapes


def _radius(spots: Floats, size: float) -> float:
    """Return a radius for which few nodes overlap and numbers are readable."""
    gaps = np.sqrt(((spots[:, None] - spots) ** 2).sum(axis=2))
    np.fill_diagonal(gaps, np.inf)
    nearest = float(np.quantile(gaps.min(axis=1), 0.2))
    return max(min(max(0.55 * nearest, 0.011 * size), 0.018 * size), 0.35)


def _leg(start: Floats, end: Floats, radius: float, color: str) -> Line:
    """Return an arrow from the rim of one node to the rim of the next."""
    step = end - start
    length = float(np.hypot(*step))
    cut = step * min(radius / length, 0.5) if length > 0.0 else 0.0 * step
    (x0, y0), (x1, y1) = (start + cut).tolist(), (end - cut).tolist()
    return Line(x0, y0, x1, y1, color=color, width=1.6, arrow=length > 2.5 * radius)


@dataclass(frozen=True)
class _Schedule:
    tour: Tour
    left: float
    width: float

    @property
    def span(self) -> tuple[float, float]:
        """The times at both ends of the axis."""
        start = float(self.tour.instance.windows[0, 0])
        length = self.tour.makespan - start
        return start, start + (1.03 * length if length > max(1e-13 * start, 1e-200) else 1.0)

    def x(self, time: float) -> float:
        """Return the place of a time; at one of the ends if it is outside."""
        start, end = self.span
        share = (time - start) / (end - start)
        return self.left + self.width * min(max(share, 0.0), 1.0)

    def shapes(self) -> list[Shape]:
        """Return axis, rows and legend."""
        rows = len(self.tour.stops) + 1
        shapes = self.axis(rows)
        start = self.span[0]
        shapes.append(self.label(0, "0", INK))
        visits: list[Shape] = [Circle(self.x(start), 0.5, 0.3, fill=INK, edge=None)]
        departure = start
        stops = zip(self.tour.stops, self.tour.arrivals, self.tour.waiting, strict=True)
        for row, (node, arrival, wait) in enumerate(stops, start=1):
            shapes += self.row(row, node, arrival, wait)
            x0, x1 = self.x(departure), self.x(arrival)
            shapes.append(Line(x0, row - 0.5, x1, row + 0.5, FAINT, 0.7))
            departure = arrival + wait
            visits.append(self.visit(row, node, departure))
        return shapes + visits + self.legend(rows)

    def axis(self, rows: int) -> list[Shape]:
        """Return vertical lines at round times, with the times above."""
        shapes: list[Shape] = []
        for time in _ticks(*self.span):
            x = self.x(time)
            shapes.append(Line(x, 0.0, x, float(rows), GRID, 0.8))
            shapes.append(Text(x, -0.7, f"{time:g}", 0.75, color=FAINT))
        return shapes

    def label(self, row: int, text: str, color: str) -> Text:
        """Return the number of a node before its row."""
        return Text(self.left - 0.9, row + 0.5, text, 0.75, color=color, align="right")

    def row(self, row: int, node: int, arrival: float, wait: float) -> list[Shape]:
        """Return label, window and waiting time of a stop."""
        late = node in self.tour.violations
        earliest, latest = self.tour.instance.windows[node].tolist()
        x0, x1 = self.x(earliest), self.x(latest)
        shapes: list[Shape] = [
            self.label(row, str(node), LATE if late else INK),
            Box(x0, row + 0.18, max(x1 - x0, 0.12), 0.64, fill=WINDOW),
        ]
        if late:
            shapes.append(Line(x1, row + 0.5, self.x(arrival), row + 0.5, LATE, 1.6))
        if wait > 0.0:
            x0, x1 = self.x(arrival), self.x(arrival + wait)
            shapes.append(Box(x0, row + 0.36, x1 - x0, 0.28, fill=WAIT))
        return shapes

    def visit(self, row: int, node: int, time: float) -> Circle:
        """Return the dot of a visit."""
        late = node in self.tour.violations
        shade = INK if node == 0 else _shade(row - 1, len(self.tour.stops))
        return Circle(self.x(time), row + 0.5, 0.3, fill=LATE if late else shade, edge=None)

    def legend(self, rows: int) -> list[Shape]:
        """Return what the marks mean, below the rows."""
        y = rows + 1.5
        x = self.left
        shapes: list[Shape] = [Box(x, y - 0.32, 1.6, 0.64, fill=WINDOW)]
        shapes.append(_note(x + 2.1, y, "window"))
        shapes.append(Circle(x + 7.2, y, 0.3, fill=_shade(0, 3), edge=None))
        shapes.append(_note(x + 7.9, y, "visit"))
        if any(self.tour.waiting):
            shapes.append(Box(x + 11.4, y - 0.14, 1.6, 0.28, fill=WAIT))
            shapes.append(_note(x + 13.5, y, "waiting"))
        if self.tour.violations:
            shapes.append(Line(x + 18.0, y, x + 19.6, y, LATE, 1.6))
            shapes.append(Circle(x + 19.6, y, 0.3, fill=LATE, edge=None))
            shapes.append(_note(x + 20.3, y, "too late"))
        return shapes


def _note(x: float, y: float, text: str) -> Text:
    return Text(x, y, text, 0.75, color=FAINT, align="left")


def _ticks(start: float, end: float) -> list[float]:
    """Return about six round numbers between two times."""
    rough = (end - start) / 6.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1.0, 2.0, 2.5, 5.0, 10.0) if power * m >= rough)
    first, last = math.ceil(start / step), math.floor(end / step)
    return [k * step for k in range(first, last + 1)]


def _shade(k: int, count: int) -> str:
    """Return the colour of visit k of this many."""
    place = k / max(count - 1, 1) * (len(SHADES) - 1)
    before = min(int(place), len(SHADES) - 2)
    share = place - before
    mixed = (
        round(a + (b - a) * share) for a, b in zip(SHADES[before], SHADES[before + 1], strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)
