"""The drawing of a tour: a map, and beside it the schedule along an axis of time.

The map has the positions of the nodes; without them it is worked out from the distances, if these
allow one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from nestor.picture import Box, Circle, Line, Picture, Shape, Text
from nestor.problems.tsptw.checks import NEVER, Floats
from nestor.problems.tsptw.coordinates import on_paper
from nestor.problems.tsptw.labels import Label, apart, labels, width
from nestor.problems.tsptw.plane import places
from nestor.problems.tsptw.solution import Tour, Visit

INK = "#2b2f36"
FAINT = "#8a919c"
GRID = "#e6e9ee"
WINDOW = "#cfd8e6"
WAIT = "#6d7686"
SERVICE = "#8aa0c4"
LATE = "#d62839"
"""The colour of all that is late, and of nothing else."""
SHADES = ((45, 58, 140), (33, 124, 163), (38, 145, 115), (92, 145, 45), (140, 125, 20))
"""Colours of the visits from the first to the last, as red, green and blue."""

SMALL = 0.75
"""The height of most texts."""
ROOM = 9.0
"""The most room for names on either side of the map."""
LONGEST, LONGEST_ROW = 40, 70
"""The most letters of a name on the map and beside the times; longer ones are cut."""
FAR = 2.5
"""A stop is far if it is so many times as far out as three quarters of them."""
DEPOT = 1.25
"""Half the side of the depot's square, relative to the radius of other nodes."""
MOST_NAMES = 100
"""The most nodes whose names are on the map, and that are drawn side by side."""

CLOCK_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440)
"""Minutes from one tick to the next."""

SMALLEST, LARGEST = 13.0, 90.0
"""The smallest and the largest height of a map, in rows."""

HEIGHT = 9.0
"""The height of a drawing in inches, unless that makes its rows too small."""


def draw(tour: Tour, whole: Tour | None = None) -> Picture:
    """Draw a tour.

    Every stop is a row of the schedule, from the top. It has a bar for its window, if that is
    tighter than the depot's, a dot for the visit, a thin bar before the dot for the wait and
    another one after it for the service. A line leads from each departure to the next arrival.
    Nodes reached too late are red. Dots have the colours of the nodes on the map. A tour that has
    not come back shows what it has visited.

    Parameters
    ----------
    tour : Tour
    whole : Tour, optional
        The complete tour of which this one is the beginning; the scales are then those of it.
    """
    whole = whole or tour
    return _drawn(tour, whole, _layout(whole))


def _drawn(tour: Tour, whole: Tour, layout: _Layout | None) -> Picture:
    rows = len(whole.places) + len(whole.left_out)
    height = float(max(rows, SMALLEST))
    shapes: list[Shape] = []
    left, below = 1.0, 2.4
    if layout is not None:
        notes = _notes(whole, layout)
        shapes += [*_map(tour, whole, layout), *_map_legend(whole, layout.size, notes)]
        left += max(layout.width, 24.0 if whole.left_out else 18.0) + 1.0
        below = max(below, layout.size + 2.4 + 1.3 * len(notes) - height)
    texts = [_label(whole, k) for k in range(len(whole.places))]
    texts += [_name(whole, node) for node in whole.left_out]
    left += SMALL * max(map(width, texts)) + 1.0
    schedule = _Schedule(tour, whole, left, 1.25 * max(min(height, LARGEST), 26.0))
    shapes += schedule.shapes()
    return Picture(
        shapes=tuple(shapes),
        bounds=(-1.0, -2.2, left + schedule.width + 1.5, height + below),
        title=tour.headline(),
        y_down=True,
        unit=min(max(HEIGHT / height, 0.13), 0.35),
    )


def frames(problem: Any, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
    """Yield a picture of the tour on the way, for each number of moves."""
    whole = problem.solution(moves)
    for count in counts:
        yield draw(problem.part(moves[:count]), whole)


def beside(best: Tour, moves: Sequence[Any]) -> Picture:
    """Return the picture of a tour with the names where they are on the map of the best one."""
    tour = best.instance.solution(moves)
    return _drawn(tour, tour, _layout(best))


def _spots(tour: Tour) -> Floats | None:
    """Return where the nodes are on the map; None if there is none."""
    instance = tour.instance
    if instance.positions is not None:
        return on_paper(instance.positions, instance.geographic)
    return places(instance.matrix) if instance.nodes > 3 else None


def _label(tour: Tour, order: int) -> str:
    """Return the label of a row: the node, or its name after the place in the tour."""
    node = tour.places[order]
    name = _name(tour, node)
    return f"{order} {name}" if node and tour.instance.names is not None else name


def _name(tour: Tour, node: int) -> str:
    """Return the name of a node beside the times, or its number."""
    return _cut(tour.instance.name_of(node), LONGEST_ROW)


def _cut(name: str, most: int) -> str:
    """Return a name that has at most so many letters."""
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"


def _drawn_in(points: Floats) -> Floats:
    """Return the points, those that are far from all others nearer, so that they squeeze nothing.

    Directions from the middle stay, and so does the order of the distances.
    """
    steps = points - np.median(points, axis=0)
    reach = np.hypot(*steps.T)
    # A house with many stops is one place.
    _, first = np.unique(points.round(9), axis=0, return_index=True)
    limit = FAR * float(np.quantile(reach[first], 0.75))
    if limit <= 0.0 or float(reach.max()) <= 1.5 * limit:
        return points
    shorter = limit * (1.0 + 0.2 * np.log(np.maximum(reach / limit, 1.0)))
    drawn: Floats = (
        steps * np.where(reach > limit, shorter / np.maximum(reach, limit), 1.0)[:, None]
    )
    return drawn


def _fitted(points: Floats, size: float) -> Floats:
    """Return the points moved and scaled into a rectangle of height `size`, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = np.maximum(high - low, 1e-9 * (high - low).max() + 1e-300)
    scale = min(1.3 * size / width, 0.9 * size / height)
    margin = 0.04 * size
    shift = np.array([margin, (size - scale * height) / 2.0])
    fitted: Floats = (points - low) * scale + shift
    return fitted


@dataclass(frozen=True)
class _Layout:
    """Where everything is on a map: `spots` and `sizes` of the nodes, and their names.

    `size` is the height of the map, and `width` how far it reaches to the right.
    """

    spots: Floats
    sizes: Floats
    names: tuple[str, ...]
    labels: list[Label | None]
    size: float
    width: float
    drawn_in: bool


@lru_cache(maxsize=1)
def _layout(whole: Tour) -> _Layout | None:
    """Return where everything is on the map of a tour; None if there is none.

    The last one is kept: a page draws one tour many times, and to place the names takes long.
    """
    spots = _spots(whole)
    if spots is None:
        return None
    rows = len(whole.places) + len(whole.left_out)
    size = min(max(float(rows), SMALLEST), LARGEST)
    near = _drawn_in(spots)
    fitted = _fitted(near, size)
    radius = _radius(fitted, size)
    few = whole.instance.nodes <= MOST_NAMES
    radius = max(radius, 0.75 if size > 50.0 else 0.015 * size) if few else radius
    sizes = np.array([DEPOT * radius, *[radius] * (len(spots) - 1)])
    fitted = apart(fitted, 1.1 * sizes) if few else fitted
    names = tuple(_cut(name, LONGEST) for name in whole.instance.names or ()) if few else ()
    wide = [SMALL * (width(name) + 0.4) for name in names]
    room = min(max(wide, default=0.0), ROOM)
    legs = np.array([[fitted[i], fitted[j]] for i, j, _ in whole.legs]).reshape(-1, 2, 2)
    bounds = (-room, -1.0, float(fitted[:, 0].max()) + room, size + 0.7)
    found = labels(wide, 1.2 * SMALL, fitted, sizes, legs, bounds) if names else []
    placed = [(label, each) for label, each in zip(found, wide, strict=True) if label]
    edge = 0.04 * size
    left = min([0.0, *(label.x - each / 2.0 for label, each in placed)])
    ends = (label.x + each / 2.0 for label, each in placed)
    right = max([float(fitted[:, 0].max()) + edge, *ends])
    return _Layout(
        fitted - [left, 0.0],
        sizes,
        names,
        [label and _moved(label, -left) for label in found],
        size,
        right - left,
        near is not spots,
    )


def _moved(label: Label, across: float) -> Label:
    """Return a label so far to the right."""
    line = label.line and tuple((x + across, y) for x, y in label.line)
    return Label(label.x + across, label.y, line)  # type: ignore[arg-type]


def _map(tour: Tour, whole: Tour, layout: _Layout) -> list[Shape]:
    """Draw the tour in the plane, and the names that have room."""
    radius, side = float(layout.sizes[-1]), float(layout.sizes[0])
    stops, named = len(whole.order), tour.instance.names is not None
    shapes: list[Shape] = [
        _leg(layout.spots[i], layout.spots[j], radius, _shade(k, stops + 1))
        for k, (i, j, _) in enumerate(tour.legs)
    ]
    places = layout.spots.tolist()
    for node, (x, y) in enumerate(places):
        if node and node not in tour.order:
            shapes.append(Circle(x, y, 0.6 * radius, fill="white", edge=FAINT))
    for k, node in enumerate(tour.order):
        x, y = places[node]
        fill = LATE if node in tour.violations else _shade(k, stops)
        number = str(k + 1 if named else node)
        size = min(0.95, 1.9 / len(number)) * radius
        shapes.append(Circle(x, y, radius, fill=fill, edge="white", width=0.8))
        shapes.append(Text(x, y, number, size, "white"))
    x, y = places[0]
    fill = LATE if 0 in tour.violations else INK
    shapes.append(Box(x - side, y - side, 2 * side, 2 * side, fill=fill, edge="white"))
    if not named:
        shapes.append(Text(x, y, "0", 1.1 * radius, color="white"))
    placed = [each for each in zip(layout.names, layout.labels, strict=True) if each[1]]
    # Names are in front of the lines that lead to them.
    lines = [label.line for _, label in placed if label and label.line]
    shapes += [Line(x0, y0, x1, y1, FAINT, 0.6) for (x0, y0), (x1, y1) in lines]
    shapes += [Text(at.x, at.y, name, SMALL, INK, halo="white") for name, at in placed if at]
    return shapes


def _notes(whole: Tour, layout: _Layout) -> list[str]:
    """Return what is said below the legend of a map."""
    notes = []
    if whole.instance.names is not None and None in (layout.labels or [None]):
        notes.append("names without room are beside the times, by number")
    if whole.instance.positions is None:
        notes.append("map found from distances")
    elif layout.drawn_in:
        notes.append("far stops are drawn nearer")
    return notes


def _map_legend(whole: Tour, size: float, notes: Sequence[str]) -> list[Shape]:
    """Return what the colours mean, below the map."""
    y = size + 1.5
    shapes: list[Shape] = [Box(0.0, y - 0.3, 0.6, 0.6, fill=INK), _note(1.0, y, "depot")]
    shapes += [
        Circle(4.5 + 0.7 * k, y, 0.3, fill=_shade(k, len(SHADES)), edge=None)
        for k in range(len(SHADES))
    ]
    # Without names, numbers are those of the nodes.
    numbers = f", 1 to {len(whole.order)}" if whole.instance.names else ""
    shapes.append(_note(8.1, y, f"first to last{numbers}"))
    if whole.left_out:
        shapes.append(Circle(19.0, y, 0.25, fill="white", edge=FAINT))
        shapes.append(_note(19.7, y, "left out"))
    return shapes + [_note(0.0, y + 1.3 * k, text) for k, text in enumerate(notes, start=1)]


def _radius(spots: Floats, size: float) -> float:
    """Return a radius for which few nodes overlap and numbers are readable."""
    gaps = np.sqrt(((spots[:, None] - spots) ** 2).sum(axis=2))
    np.fill_diagonal(gaps, np.inf)
    nearest = float(np.quantile(gaps.min(axis=1), 0.2))
    return max(min(max(0.55 * nearest, 0.011 * size), 0.018 * size), 0.38)


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
    whole: Tour
    left: float
    width: float

    @property
    def span(self) -> tuple[float, float]:
        """The times at both ends of the axis."""
        start = float(self.tour.instance.windows[0, 0])
        length = self.whole.makespan - start
        return start, start + (1.03 * length if length > max(1e-13 * start, 1e-200) else 1.0)

    def x(self, time: float) -> float:
        """Return the place of a time; at one of the ends if it is outside."""
        start, end = self.span
        share = (time - start) / (end - start)
        return self.left + self.width * min(max(share, 0.0), 1.0)

    def shapes(self) -> list[Shape]:
        """Return axis, rows and legend.

        A stop has its label, window, waiting time and service, and a line from the stop before.
        """
        tour, stops = self.tour, len(self.whole.places)
        height = stops + len(self.whole.left_out)
        shapes = self.axis(height)
        for row, node in enumerate(self.whole.left_out, start=stops):
            shapes.append(self.label(row, _name(self.whole, node), FAINT))
            shapes.append(Circle(self.left - 0.4, row + 0.5, 0.25, fill="white", edge=FAINT))
            shapes += self.windows(node, row)
        dots: list[Shape] = []
        departure = 0.0
        for row, (node, visit) in enumerate(zip(tour.places, tour.visits, strict=False)):
            late = row > 0 and node in tour.violations
            shapes.append(self.label(row, _label(tour, row), LATE if late else INK))
            arrival = self.x(visit.arrival)
            if row:
                shapes += self.windows(node, row)
            if late:
                latest = self.x(float(tour.instance.windows[node, 1]))
                shapes.append(Line(latest, row + 0.5, arrival, row + 0.5, LATE, 1.6))
            shapes += self.bar(row, visit.arrival, visit.start, 0.28, WAIT)
            shapes += self.served(row, node, visit)
            if row:
                shapes.append(Line(self.x(departure), row - 0.5, arrival, row + 0.5, FAINT, 0.7))
            departure = visit.leave
            shade = _shade(row - 1, len(self.whole.stops)) if node else INK
            fill = LATE if late else shade
            dots.append(Circle(self.x(visit.start), row + 0.5, 0.3, fill=fill, edge=None))
        return shapes + dots + self.legend(height)

    def axis(self, rows: int) -> list[Shape]:
        """Return vertical lines at round times, with the times above."""
        shapes: list[Shape] = []
        instance = self.tour.instance
        for time in _ticks(*self.span, instance.clock):
            x = self.x(time)
            shapes.append(Line(x, 0.0, x, float(rows), GRID, 0.8))
            shapes.append(Text(x, -0.7, instance.show_time(time), SMALL, color=FAINT))
        return [*shapes, Text(self.left - 2.0, -0.7, "time", SMALL, FAINT, "right")]

    def label(self, row: int, text: str, color: str) -> Text:
        """Return what stands before a row."""
        return Text(self.left - 0.9, row + 0.5, text, SMALL, color, "right")

    def windows(self, node: int, row: int) -> list[Shape]:
        """Return the bars of the windows that somebody asked for."""
        earliest, latest = self.tour.instance.windows[node].tolist()
        shapes: list[Shape] = []
        opening, closing = self.tour.instance.windows[0].tolist()
        pauses = self.tour.instance.closed[node] if self.tour.instance.closed else ()
        # In files of the benchmark sets, what has no limit has that of the depot.
        given = node == 0 or latest < closing or not self.tour.instance.counts
        limited = latest < NEVER and given
        if limited or (node and earliest > opening) or pauses:
            ends = [earliest, *(time for pause in pauses for time in pause), latest]
            for start, end in zip(ends[::2], ends[1::2], strict=True):
                if start == earliest or start < self.span[1]:
                    wide = max(self.x(end) - self.x(start), 0.12)
                    shapes.append(Box(self.x(start), row + 0.18, wide, 0.64, fill=WINDOW))
        return shapes

    def served(self, row: int, node: int, visit: Visit) -> list[Shape]:
        """Return the bars of a service, and of waiting after it until the rest of a day begins."""
        service = self.tour.instance.service
        over = visit.leave if service is None else min(visit.start + service[node], visit.leave)
        bar = self.bar(row, visit.start, float(over), 0.44, SERVICE)
        return bar + self.bar(row, float(over), visit.leave, 0.28, WAIT)

    def bar(self, row: int, start: float, end: float, height: float, fill: str) -> list[Shape]:
        """Return a bar from one time to another, if that is later."""
        x0, x1 = self.x(start), self.x(end)
        return [Box(x0, row + 0.5 - height / 2, x1 - x0, height, fill=fill)] if x1 > x0 else []

    def legend(self, rows: int) -> list[Shape]:
        """Return what the marks mean, below the rows."""
        y = rows + 1.5
        x = self.left
        shapes: list[Shape] = [Box(x, y - 0.32, 1.6, 0.64, fill=WINDOW)]
        shapes.append(_note(x + 2.1, y, "window"))
        shapes.append(Circle(x + 7.2, y, 0.3, fill=_shade(0, 3), edge=None))
        shapes.append(_note(x + 7.9, y, "visit"))
        if any(self.whole.waiting) or self.tour.instance.now is not None:
            shapes.append(Box(x + 11.4, y - 0.14, 1.6, 0.28, fill=WAIT))
            shapes.append(_note(x + 13.5, y, "waiting"))
        if self.tour.instance.service is not None:
            shapes.append(Box(x + 18.0, y - 0.22, 1.6, 0.44, fill=SERVICE))
            shapes.append(_note(x + 20.1, y, "service"))
        if self.whole.violations:
            shapes.append(Line(x + 24.4, y, x + 26.0, y, LATE, 1.6))
            shapes.append(Circle(x + 26.0, y, 0.3, fill=LATE, edge=None))
            shapes.append(_note(x + 26.7, y, "too late"))
        return shapes


def _note(x: float, y: float, text: str) -> Text:
    return Text(x, y, text, SMALL, color=FAINT, align="left")


def _ticks(start: float, end: float, clock: bool) -> list[float]:
    """Return about six round times between two."""
    rough = (end - start) / 6.0
    day = CLOCK_STEPS[-1]
    unit = day if clock and rough > day else 1
    power = unit * 10.0 ** math.floor(math.log10(rough / unit))
    steps: Iterable[float] = (power * m for m in (1.0, 2.0, 2.5, 5.0, 10.0))
    if clock and rough <= day:
        steps = CLOCK_STEPS
    step = next(step for step in steps if step >= rough)
    first, last = math.ceil(start / step), math.floor(end / step)
    return [k * step for k in range(first, last + 1)]


def _shade(k: int, count: int) -> str:
    """Return the colour of visit k of this many."""
    place = k / max(count - 1, 1) * (len(SHADES) - 1)
    mixed = (
        round(float(np.interp(place, range(len(SHADES)), each)))
        for each in zip(*SHADES, strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)
