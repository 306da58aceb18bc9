"""Pictures of users' own problems: those that they draw, and otherwise their moves as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, isfinite
from typing import Any, get_args

from nestor.checks import is_number, shown
from nestor.errors import InputError
from nestor.picture import Picture, Shape, Text
from nestor.problem import Problem
from nestor.text import clipped, compact

MOST = 400
"""The most moves that a picture has as text; of longer games those in the middle are left out."""
WIDEST = 24
"""The most characters of a move."""

SIZE = 0.5
"""Height of the letters; a line has the height 1."""
CHARACTER = 0.33
"""Width of a character of that height."""
GAP = 0.3
"""Between the number of a move and the move; columns are five times as far from each other."""
FAINT = "#777777"


def pictures_of(
    problem: Problem[Any, Any], moves: Sequence[Any], counts: Sequence[int]
) -> Iterator[Picture]:
    """Yield the pictures of a game after so many of its moves, as its problem draws them.

    A problem without a method `picture` has the moves as text. All these pictures have room for
    the whole game.

    Raises
    ------
    InputError
        If what the method `picture` of the problem returns is no picture.
    """
    draw = getattr(problem, "picture", None)
    if not callable(draw):
        kind = type(problem)
        yield from _as_text(f"{kind.__module__}:{kind.__qualname__}", moves, counts)
        return
    for count in counts:
        picture = draw(list(moves[:count]))
        if not isinstance(picture, Picture):
            raise InputError(
                f"picture of the problem must return a nestor.plot.Picture, not {shown(picture)}"
            )
        _check(picture)
        yield picture


def _check(picture: Picture) -> None:
    """Check what a drawing would stumble over."""
    shapes, bounds = picture.shapes, picture.bounds
    if not isinstance(shapes, tuple | list):
        raise InputError(f"shapes of a picture must be a tuple, not {shown(shapes)}")
    for shape in shapes:
        if not isinstance(shape, get_args(Shape)):
            raise InputError(
                f"shapes of a picture must be Box, Circle, Line and Text, not {shown(shape)}"
            )
    sides = tuple(bounds) if isinstance(bounds, tuple | list) else ()
    if (
        len(sides) != 4
        or not all(is_number(side) and isfinite(side) for side in sides)
        or not (sides[0] < sides[2] and sides[1] < sides[3])
    ):
        raise InputError(
            "bounds of a picture must be four numbers x0, y0, x1, y1 with x0 < x1 and y0 < y1, "
            f"not {shown(bounds)}"
        )


def _as_text(title: str, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
    """Yield numbered moves in columns; those of the whole game are about as wide as high."""
    texts = [clipped(" ".join(compact(move).split()), 1, WIDEST) for move in moves]
    digits = len(str(len(moves))) * CHARACTER
    width = digits + GAP + max(map(len, texts), default=1) * CHARACTER + 5 * GAP
    lines = min(len(moves), MOST)
    rows = max(1, ceil((lines * width) ** 0.5))
    columns = max(1, ceil(lines / rows))
    bounds = (-2 * GAP, -1, columns * width - 3 * GAP, rows)
    for count in counts:
        shapes: list[Shape] = []
        for place, (number, text) in enumerate(_shortened(texts[:count])):
            x, y = place // rows * width + digits, place % rows
            shapes.append(Text(x, y, number, SIZE, FAINT, "right"))
            shapes.append(Text(x + GAP, y, text, SIZE, align="left"))
        yield Picture(tuple(shapes), bounds, title, y_down=True)


def _shortened(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the numbers and texts of moves, with a word in place of those in the middle."""
    numbered = [(str(number), text) for number, text in enumerate(texts, 1)]
    if len(numbered) <= MOST:
        return numbered
    half = MOST // 2
    return [*numbered[:half], ("", f"({len(texts) - MOST + 1} more)"), *numbered[1 - half :]]
