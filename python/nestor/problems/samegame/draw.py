"""The picture of a game: the board with the order in which it is removed, and some stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nestor.picture import Box, Picture, Shape, Text
from nestor.problems.samegame.rules import Cell, Position, group_of
from nestor.problems.samegame.solution import Game
from nestor.text import counted

COLOURS = (
    "#E69F00",
    "#56B4E9",
    "#2E9E6B",
    "#D1495B",
    "#6A4C93",
    "#F0E442",
    "#8C6D4F",
    "#2B5C8A",
    "#B8B8B8",
)
"""The fill of each colour; colour-blind people can also distinguish them."""

DARK = frozenset((2, 3, 4, 6, 7))
"""Colours with white numbers on them."""

GROUND = "#F4F1EA"
FAINT = "#5C5C5C"
STAGES = 5
LEAST = 8
"""Narrower boards have no stages: their captions could not be read."""
INSET = 0.05


def draw(game: Game) -> Picture:
    """Return the picture of a game, in which a cell of the large board is one data unit.

    Every cell of the initial board has the number of the move that removes it. Below is the game
    after a fifth of the moves, two fifths and so on, unless the board is narrow.
    """
    positions = game.positions()
    width, height = len(game.board[0]), len(game.board)
    shapes = _board(positions[0], width, height) + _numbers(game, positions[0])
    if width < LEAST:
        return _picture(shapes, game)
    gap = width / 40
    scale = (width - gap * (STAGES - 1)) / (STAGES * width)
    size = width / 42
    bottom = -height * scale - 3.2 * size
    stages = sorted({round(len(game.moves) * k / STAGES) for k in range(1, STAGES + 1)})
    for place, moves in enumerate(stages):
        x = place * (width * scale + gap)
        shapes += _board(positions[moves], width, height, (x, bottom + 2 * size), scale)
        points = game.total if moves == len(game.moves) else sum(game.points[:moves])
        caption = f"{counted(moves, 'move')}: {points}"
        shapes.append(Text(x + width * scale / 2, bottom + size, caption, size, FAINT))
    return _picture(shapes, game, bottom)


def frames(problem: Any, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
    """Yield a picture of the position on the way, for each number of moves.

    The cells that go next have the number of their move. After all moves, when few cells or none
    are left, it is the first position with the numbers of all moves.
    """
    game = problem.solution(moves)
    positions = game.positions()
    width, height = len(game.board[0]), len(game.board)
    for count in counts:
        part, position = problem.solution(moves[:count]), positions[count]
        if count == len(moves):
            position = positions[0]
            numbers = _numbers(game, position)
        else:
            group = group_of(position, game.moves[count])
            numbers = [_number(position, cell, count + 1) for cell in group]
        yield _picture(_board(position, width, height) + numbers, part)


def _picture(shapes: Sequence[Shape], game: Game, bottom: float = 0.0) -> Picture:
    """Return a picture with a board of a game and what is below it."""
    width, height = len(game.board[0]), len(game.board)
    margin = width / 60
    bounds = (-margin, bottom - margin, width + margin, height + margin)
    return Picture(tuple(shapes), bounds, title=game.headline(), unit=0.4)


def _board(
    position: Position,
    width: int,
    height: int,
    corner: tuple[float, float] = (0.0, 0.0),
    scale: float = 1.0,
) -> list[Shape]:
    """Draw a position with its lower left corner at a point, and join neighbours of one colour."""
    x0, y0 = corner
    shapes: list[Shape] = [Box(x0, y0, width * scale, height * scale, GROUND)]
    side = (1 - 2 * INSET) * scale
    for column, cells in enumerate(position):
        for row, colour in enumerate(cells):
            x, y = x0 + (column + INSET) * scale, y0 + (row + INSET) * scale
            right = column + 1 < len(position) and position[column + 1][row : row + 1] == (colour,)
            above = cells[row + 1 : row + 2] == (colour,)
            fill = COLOURS[colour]
            shapes.append(Box(x, y, scale if right else side, side, fill))
            if above:
                both = right and position[column + 1][row + 1 : row + 2] == (colour,)
                shapes.append(Box(x, y, scale if both else side, scale, fill))
    return shapes


def _numbers(game: Game, first: Position) -> list[Shape]:
    """Write on each cell of the first position the number of the move that removes it."""
    groups = enumerate(game.removed(), start=1)
    return [_number(first, cell, number) for number, group in groups for cell in group]


def _number(position: Position, cell: Cell, number: int) -> Shape:
    """Write a number on a cell."""
    column, row = cell
    color = "white" if position[column][row] in DARK else "black"
    return Text(column + 0.5, row + 0.5, str(number), 0.42, color)
