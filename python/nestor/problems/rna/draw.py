"""The picture of a design: the target with the sequence on it, and misfolded bases marked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from nestor.picture import Circle, Line, Picture, Shape, Text
from nestor.problem import states_along
from nestor.problems.rna.energy import vienna
from nestor.problems.rna.solution import Design
from nestor.problems.rna.structure import partners_of

Point = tuple[float, float]

FILLS = {"A": "#F6D55C", "C": "#7FC8A9", "G": "#F28E7C", "U": "#8FB8DE"}
"""The fill of each base; its letter is on it, too."""
BACKBONE = "#9A9A9A"
BOND = "#4A4A4A"
RIM = "#333333"
WRONG = "#C1121F"
RADIUS = 0.36
SPACING = 25.0
"""The distance of neighbours in a loop, in the units of ViennaRNA's layout."""
MARGIN = 1.6
UNIT = 0.34
"""Inches per unit, if the picture is not too large."""
SIDE = 14.0
"""The longest side of a picture, in inches."""
EVERY = 10
"""The number of bases from one number to the next."""

LEGEND = "red rim: not paired as in the target"

_LAYOUT = threading.Lock()


def draw(design: Design) -> Picture:
    """Return the picture of a design, in which neighbours in a loop are one unit apart.

    The target is laid out without overlaps (RNApuzzler, Wiegreffe and others, 2018). Bases that
    are not paired as in the target have a red rim.

    Raises
    ------
    MissingExtraError
        If ViennaRNA is not installed.
    """
    folded = partners_of(design.structure, "structure")
    right = [a == b for a, b in zip(folded, partners_of(design.target), strict=True)]
    return _picture(design.target, design.sequence, right, design.headline())


def frames(problem: Any, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
    """Yield a picture of the design on the way, for each number of moves."""
    whole = problem.solution(moves)
    states = [*states_along(problem, moves)]
    for count in counts:
        if count == len(moves):
            yield draw(whole)
        else:
            title = f"{count} of {len(moves)} places"
            right = [True] * len(whole.target)
            yield _picture(whole.target, states[count].bases, right, title)


def _picture(target: str, bases: Sequence[str], right: Sequence[bool], title: str) -> Picture:
    """Draw bases on their target; those that are not right have a red rim. Some may be empty."""
    partners = partners_of(target)
    points = _points(target)
    xs, ys = zip(*points, strict=True)
    x0, y0, x1, y1 = min(xs) - MARGIN, min(ys) - MARGIN, max(xs) + MARGIN, max(ys) + MARGIN
    bounds = (x0, y0 - 0.5, max(x1, x0 + 8.0), y1)
    unit = min(UNIT, SIDE / max(bounds[2] - bounds[0], bounds[3] - bounds[1]))
    scale = unit / UNIT
    shapes: list[Shape] = [Line(*a, *b, BACKBONE, 1.2 * scale) for a, b in pairwise(points)]
    for position, partner in enumerate(partners):
        if partner is not None and position < partner:
            shapes.append(Line(*points[position], *points[partner], BOND, 2.2 * scale))
    for position, (x, y) in enumerate(points):
        base = bases[position]
        edge, width = (RIM, 0.6) if right[position] else (WRONG, 2.4)
        shapes.append(Circle(x, y, RADIUS, FILLS[base] if base else "white", edge, width * scale))
        if base:
            shapes.append(Text(x, y, base, 0.42))
    shapes += _numbers(points)
    if not all(right):
        x, y = bounds[0] + 0.5, bounds[1] + 0.3
        shapes.append(Text(x, y, LEGEND, 0.4, WRONG, "left"))
    return Picture(tuple(shapes), bounds, title=title, unit=unit)


@lru_cache(maxsize=1)
def _points(structure: str) -> list[Point]:
    """Return the place of each base; y points upwards."""
    rna = vienna()
    with _LAYOUT:
        before = rna.cvar.rna_plot_type
        rna.cvar.rna_plot_type = rna.PLOT_TYPE_PUZZLER
        try:
            found = rna.get_xy_coordinates(structure)
        finally:
            rna.cvar.rna_plot_type = before
    places = [found.get(position) for position in range(len(structure))]
    return [(place.X / SPACING, place.Y / SPACING) for place in places]


def _numbers(points: list[Point]) -> list[Shape]:
    """Write 5', 3' and every tenth number beside its base, where there is the most room."""
    last = len(points) - 1
    labels = {number - 1: str(number) for number in range(EVERY, last, EVERY)}
    labels |= {0: "5'", last: "3'"}
    taken = np.array(points)
    turns = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    circle = (RADIUS + 0.42) * np.column_stack([np.cos(turns), np.sin(turns)])
    shapes: list[Shape] = []
    for position, label in sorted(labels.items()):
        spots = taken[position] + circle
        others = np.delete(taken, position, axis=0)
        room = np.hypot(*(spots[:, None] - others).T).min(axis=0, initial=np.inf)
        x, y = map(float, spots[int(room.argmax())])
        shapes.append(Text(x, y, label, 0.38, "#555555"))
    return shapes
