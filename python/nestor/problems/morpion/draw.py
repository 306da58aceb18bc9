"""The picture of a game, in the style of the published ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nestor.picture import Circle, Line, Picture, Shape, Text
from nestor.problems.morpion.solution import Game

GRID = "#E4E4E4"
MARGIN = 0.9
"""The margin around the outermost dots, in steps of the grid."""


def draw(game: Game, whole: Game | None = None) -> Picture:
    """Return the picture of a game, in which a step of the grid is one data unit.

    Starting dots are black; new ones are circles with the number of their move. The grid is that of
    the `whole` game, if it is another one.
    """
    x0, y0, x1, y1 = (whole or game).bounds
    left, top, right, bottom = x0 - MARGIN, y0 - MARGIN, x1 + MARGIN, y1 + MARGIN
    shapes: list[Shape] = [Line(x, top, x, bottom, GRID, 0.4) for x in range(x0, x1 + 1)]
    shapes += [Line(left, y, right, y, GRID, 0.4) for y in range(y0, y1 + 1)]
    shapes += [Line(*line[0], *line[-1], width=1.1) for line in game.lines()]
    shapes += [Circle(x, y, 0.17, fill="black") for x, y in game.start]
    for number, move in enumerate(game.moves, 1):
        shapes.append(Circle(move.x, move.y, 0.33, width=0.7))
        shapes.append(Text(move.x, move.y, str(number), 0.42 if number < 100 else 0.3))
    return Picture(
        tuple(shapes), (left, top, right, bottom), title=game.headline(), y_down=True, unit=0.33
    )


def frames(problem: Any, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
    """Yield a picture of a game on the way, for each number of moves."""
    whole = problem.solution(moves)
    for count in counts:
        yield draw(problem.solution(moves[:count]), whole)
