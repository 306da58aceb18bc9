"""A page that replays a result: one file without requests to anywhere."""

from __future__ import annotations

import os
from dataclasses import astuple
from pathlib import Path
from typing import Any

from nestor.files import write_file
from nestor.picture import Picture, Shape, Text
from nestor.problems.own import adapt
from nestor.result import Result
from nestor.safe import script
from nestor.text import compact, format_seconds

TEMPLATE = Path(__file__).with_suffix(".html")
MOST = 400
"""The most pictures of the moves; of longer games not every move is shown."""
SHAPES = 400_000
"""About how many shapes these pictures may have together."""
DIGITS = 4
"""Decimals of coordinates."""


def replay(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a page that shows a result move by move, and the improvements that led there.

    The page is a single HTML file that loads nothing: it works offline. It has a slider for the
    moves of the best solution, one for the improvements whose moves are known (the last 20 of each
    job), and keys for both.

    Parameters
    ----------
    result : Result
    path : path
        The file to write; it appears whole or not at all.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    page = TEMPLATE.read_text(encoding="utf-8").replace("DATA", script(page_data(result)), 1)
    write_file(path, page)


def page_data(result: Result) -> dict[str, Any]:
    """Return what the page shows.

    Returns
    -------
    dict
        ``heading`` and ``facts``; ``shapes``, each once; ``pictures``, which refer to them; and
        ``moves`` and ``improvements``: lists of steps with a caption and the index of a picture.
    """
    problem = adapt(result.problem)
    book = _Book()
    total = len(result.moves)
    shapes = len(result.solution.picture().shapes)
    counts = _counts(total, min(MOST, max(10, SHAPES // max(shapes, 1))))
    frames = problem.frames(result.moves, counts)
    moves = [
        {"caption": _caption(result, count), "picture": book.add(picture)}
        for count, picture in zip(counts, frames, strict=True)
    ]
    improvements = []
    for found in result.improvements:
        if found.moves is not None:
            picture = problem.beside(result.solution, found.moves)
            improvements.append(
                {
                    "caption": f"Score {result.show_score(found.score)} after "
                    f"{format_seconds(found.seconds)}, {found.playouts:,} playouts",
                    "picture": book.add(picture),
                }
            )
    facts = f"score {result.shown}, {result.caption}, {result.playouts:,} playouts"
    return {
        "heading": result.heading,
        "facts": facts,
        "score": result.score,
        "shapes": list(book.shapes),
        "pictures": book.pictures,
        "moves": moves,
        "improvements": improvements,
    }


def _counts(total: int, most: int) -> list[int]:
    """Return after how many moves there are pictures: all, or as many as are allowed."""
    if total <= most:
        return list(range(total + 1))
    return [round(k * total / most) for k in range(most + 1)]


def _caption(result: Result, count: int) -> str:
    total = len(result.moves)
    if count == total:
        return f"All {total} moves: score {result.shown}"
    if count == 0:
        return f"Before the first of {total} moves"
    return f"Move {count} of {total}: {compact(result.moves[count - 1])}"


class _Book:
    """Pictures that refer to their shapes, of which each is kept once."""

    def __init__(self) -> None:
        self.shapes: dict[tuple[Any, ...], int] = {}
        self.pictures: list[dict[str, Any]] = []

    def add(self, picture: Picture) -> int:
        """Add a picture and return its index."""
        sizes = [shape.size for shape in picture.shapes if isinstance(shape, Text)]
        self.pictures.append(
            {
                "title": picture.title,
                "bounds": [round(side, DIGITS) for side in picture.bounds],
                "unit": picture.inches,
                "down": picture.y_down,
                "letters": round(sorted(sizes)[len(sizes) // 2], DIGITS) if sizes else 0,
                "shapes": [self.number(shape) for shape in picture.shapes],
            }
        )
        return len(self.pictures) - 1

    def number(self, shape: Shape) -> int:
        """Return the number of a shape."""
        values = (round(v, DIGITS) if isinstance(v, float) else v for v in astuple(shape))
        key = (type(shape).__name__.lower(), *values)
        return self.shapes.setdefault(key, len(self.shapes))
