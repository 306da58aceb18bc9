"""What routing services answer: times of travel in seconds, and nothing where there is no way."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nestor.checks import shown
from nestor.errors import InputError
from nestor.fast_json import parsed

JSON = re.compile(r"\s*(?:\{|\[\s*\[)")
"""How a matrix begins in JSON: an answer, or a list of lists."""

NUMBERS = (
    "durations are seconds, and the windows are numbers, whose unit is not known: write these as "
    "times of day such as 08:15, or give the lists of durations alone, in the unit of the windows"
)


def is_json(path: Path, text: str) -> bool:
    """Whether a file is JSON, as its name or the beginning of its text shows it."""
    return path.suffix.lower() == ".json" or JSON.match(text) is not None


def read_json(path: object, text: str) -> tuple[Any, bool]:
    """Return the rows of a matrix in JSON, and whether they are in seconds; see `answered`.

    Raises
    ------
    InputError
        If it is no JSON, or has no durations.
    """
    try:
        found = parsed(text.encode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    return answered(path, found)


def answered(where: object, given: Any) -> tuple[Any, bool]:
    """Return the rows of a matrix, and whether they are in seconds, as durations of a service are.

    Parameters
    ----------
    where : object
        The argument or the file, for errors.
    given : object
        The answer of the table service of OSRM, or of the matrix service of OpenRouteService, as
        a dict with `durations`; or a list of lists. In both, None is no way. All else is returned
        as it is.

    Raises
    ------
    InputError
        If an answer has no durations.
    """
    rows = given
    if seconds := isinstance(given, Mapping):
        rows = given.get("durations")
        if rows is None:
            told = given.get("message", given.get("error"))
            raise InputError(
                f"{where}: no 'durations'{f', but {shown(told)}' if told else ''}: ask the service "
                "for them (OSRM: annotations=duration; OpenRouteService: metrics duration)"
            )
    if isinstance(rows, list | tuple):
        rows = [
            [math.inf if cell is None else cell for cell in row]
            if isinstance(row, list | tuple)
            else row
            for row in rows
        ]
    return rows, seconds
