"""The picture of a filling as in print, with empty cells and wrong sums in red."""

from __future__ import annotations

from nestor.picture import Box, Line, Picture, Shape, Text
from nestor.problems.kakuro.solution import Filling

DARK = "#3D4451"
RULE = "#8B93A1"
CLUE = "white"
LEFT = "#F2B8B0"
WRONG = "#B3261E"
MARGIN = 0.15


def draw(filling: Filling) -> Picture:
    """Return the picture of a filling, in which a cell is one data unit."""
    height, width = len(filling.grid), len(filling.grid[0])
    wrong = filling.wrong()
    grounds: list[Shape] = []
    lines: list[Shape] = []
    texts: list[Shape] = []
    empty = False
    for row, (tokens, values) in enumerate(zip(filling.grid, filling.values, strict=True)):
        for column, (token, value) in enumerate(zip(tokens, values, strict=True)):
            if token == ".":
                grounds.append(Box(column, row, 1, 1, "white" if value else LEFT))
                empty = empty or not value
                if value:
                    color = WRONG if (row, column) in wrong else "black"
                    texts.append(Text(column + 0.5, row + 0.5, str(value), 0.5, color))
                continue
            grounds.append(Box(column, row, 1, 1, DARK))
            down, _, across = token.partition("\\")
            if down or across:
                lines.append(Line(column, row, column + 1, row + 1, RULE, 0.7))
            if down:
                texts.append(Text(column + 0.29, row + 0.72, down, _size(down), CLUE))
            if across:
                texts.append(Text(column + 0.71, row + 0.28, across, _size(across), CLUE))
    lines += [Line(0, row, width, row, RULE, 0.7) for row in range(height + 1)]
    lines += [Line(column, 0, column, height, RULE, 0.7) for column in range(width + 1)]
    # What the colours mean, below the grid.
    if empty:
        grounds.append(Box(0.1, height + 0.3, 0.4, 0.4, LEFT))
        texts.append(Text(0.65, height + 0.5, "empty", 0.36, "#555555", "left"))
    if wrong:
        texts.append(Text(2.2, height + 0.5, "red: sum not right", 0.36, WRONG, "left"))
    bounds = (-MARGIN, -MARGIN, max(width, 5.5) + MARGIN, height + 0.8 + MARGIN)
    shapes = (*grounds, *lines, *texts)
    return Picture(shapes, bounds, title=filling.headline(), y_down=True, unit=0.42)


def _size(clue: str) -> float:
    """Return the height of the digits of a clue; it is smaller if there are many."""
    return 0.33 if len(clue) < 3 else 0.85 / len(clue)
