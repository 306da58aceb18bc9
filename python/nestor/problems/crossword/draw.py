"""The picture of a crossword: a filled grid as in print."""

from __future__ import annotations

from nestor.picture import Box, Picture, Shape, Text
from nestor.problems.crossword.solution import Puzzle

GROUND = "#E9E6DF"
INK = "#1F2933"
EDGE = "#5A6570"
MARGIN = 0.25


def draw(puzzle: Puzzle) -> Picture:
    """Return the picture of a crossword, in which a cell is one data unit.

    Every cell with a letter is a white square. The first cells of words have their numbers.
    """
    size = len(puzzle.rows)
    shapes: list[Shape] = [Box(0, 0, size, size, GROUND, GROUND)]
    filled = [(x, y) for y in range(size) for x in range(size) if puzzle.rows[y][x] != "."]
    shapes += [Box(x, y, 1, 1, "white", EDGE) for x, y in filled]
    shapes += [Text(x + 0.53, y + 0.58, puzzle.rows[y][x], 0.52, INK) for x, y in filled]
    shapes += [
        Text(x + 0.06, y + 0.16, str(number), 0.22, EDGE, "left")
        for (x, y), number in puzzle.numbers().items()
    ]
    bounds = (-MARGIN, -MARGIN, size + MARGIN, size + MARGIN)
    return Picture(tuple(shapes), bounds, title=puzzle.headline(), y_down=True, unit=0.34)
