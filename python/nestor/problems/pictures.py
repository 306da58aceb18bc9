"""Pictures of users' own problems: those that they draw, and otherwise their moves as text."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from math import ceil
from typing import Any, get_args

from nestor.checks import as_number, check_choice, check_text, shown
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

FARTHEST = 1e9
"""The largest coordinate of a picture."""
LONGEST = 1000
"""How often a picture may be as long as it is wide, or as wide as it is long."""


def pictures_of(
    problem: Problem[Any, Any], name: str, moves: Sequence[Any], counts: Sequence[int]
) -> Iterator[Picture]:
    """Yield the pictures of a game after so many of its moves, as its problem draws them.

    A problem without a method `picture` has its name and the moves as text. All these pictures
    have room for the whole game.

    Raises
    ------
    InputError
        If the method `picture` of the problem raises an exception or returns no picture.
    """
    draw = getattr(problem, "picture", None)
    if not callable(draw):
        yield from _as_text(name, moves, counts)
        return
    for count in counts:
        yield _drawn(draw, list(moves[:count]))


def _drawn(draw: Callable[[list[Any]], Any], moves: list[Any]) -> Picture:
    """Return the picture of a problem, with plain numbers and texts."""
    try:
        picture = draw(moves)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            f"picture of the problem raised {type(error).__name__}: {error} ({last.filename}, line "
            f"{last.lineno})"
        ) from error
    if not isinstance(picture, Picture):
        raise InputError(
            f"picture of the problem must return a nestor.plot.Picture, not {shown(picture)}"
        )
    check_text("title of a picture", picture.title)
    check_text("background of a picture", picture.background)
    if not isinstance(picture.shapes, tuple | list):
        raise InputError(f"shapes of a picture must be a tuple, not {shown(picture.shapes)}")
    shapes, bounds = tuple(map(_shape, picture.shapes)), _bounds(picture.bounds)
    unit = picture.unit
    if unit is not None:
        unit = as_number("unit of a picture", unit, 1e-3, 100)
    return replace(picture, shapes=shapes, bounds=bounds, unit=unit)


def _shape(shape: Any) -> Shape:
    """Return a shape with plain numbers."""
    if not isinstance(shape, get_args(Shape)):
        raise InputError(
            f"shapes of a picture must be Box, Circle, Line and Text, not {shown(shape)}"
        )
    numbers = {}
    for each in fields(shape):
        name, value = f"{each.name} of a {type(shape).__name__}", getattr(shape, each.name)
        if each.type == "float":
            numbers[each.name] = as_number(name, value, -FARTHEST, FARTHEST)
        elif each.type == "str" or (each.type == "str | None" and value is not None):
            check_text(name, value)
    if isinstance(shape, Text):
        check_choice("align of a Text", shape.align, ("left", "center", "right"))
    plain: Shape = replace(shape, **numbers)
    return plain


def _bounds(given: Any) -> tuple[float, float, float, float]:
    """Return the bounds of a picture as numbers."""
    with suppress(TypeError, ValueError, InputError):
        x0, y0, x1, y1 = (as_number("side", side, -FARTHEST, FARTHEST) for side in given)
        width, height = x1 - x0, y1 - y0
        if min(width, height) > 0 and max(width, height) <= LONGEST * min(width, height):
            return x0, y0, x1, y1
    raise InputError(
        "bounds of a picture must be four numbers x0, y0, x1, y1 with x0 < x1 and y0 < y1, and no "
        f"side more than {LONGEST} times as long as the other, not {shown(given)}"
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
        yield Picture(tuple(shapes), bounds, title, y_down=True, unit=0.3)


def _shortened(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the numbers and texts of moves, with a word in place of those in the middle."""
    numbered = [(str(number), text) for number, text in enumerate(texts, 1)]
    if len(numbered) <= MOST:
        return numbered
    half = MOST // 2
    return [*numbered[:half], ("", f"({len(texts) - MOST + 1} more)"), *numbered[1 - half :]]
