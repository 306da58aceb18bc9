"""The picture of a square, with given cells on grey and the remaining holes in red."""

from __future__ import annotations

from nestor.picture import Box, Line, Picture, Shape, Text
from nestor.problems.latin_square.solution import Square

GIVEN = "#E3E0D8"
FILLED = "white"
LEFT = "#F2B8B0"
RULE = "#9A9A9A"
MARGIN = 0.3


def draw(square: Square) -> Picture:
    """Return the picture of a square, in which a cell is one data unit."""
    n = len(square.cells)
    grounds: list[Shape] = []
    texts: list[Shape] = []
    for row, (before, after) in enumerate(zip(square.given, square.cells, strict=True)):
        for column, (given, value) in enumerate(zip(before, after, strict=True)):
            ground = GIVEN if given else FILLED if value else LEFT
            grounds.append(Box(column, row, 1, 1, ground))
            if value:
                color = "#555555" if given else "black"
                texts.append(Text(column + 0.5, row + 0.5, str(value), 0.5, color))
    rules: list[Shape] = []
    for place in [*range(1, n), 0, n]:
        color, width = ("black", 1.6) if place in (0, n) else (RULE, 0.6)
        rules.append(Line(0, place, n, place, color, width))
        rules.append(Line(place, 0, place, n, color, width))
    # What the grounds mean, below the square.
    notes = [("given", GIVEN)] if any(map(any, square.given)) else []
    notes += [("empty", LEFT)] if any(0 in row for row in square.cells) else []
    for place, (note, ground) in enumerate(notes):
        grounds.append(Box(2.2 * place, n + 0.35, 0.4, 0.4, ground))
        texts.append(Text(2.2 * place + 0.55, n + 0.55, note, 0.36, "#555555", "left"))
    bounds = (-MARGIN, -MARGIN, max(n, 4) + MARGIN, n + 1 + MARGIN / 2)
    shapes = (*grounds, *rules, *texts)
    return Picture(shapes, bounds, title=square.headline(), y_down=True, unit=0.3)
