"""Boards from text: one row per line, with empty lines between boards."""

from __future__ import annotations

from collections.abc import Iterator

from nestor.errors import InputError
from nestor.problems.samegame.rules import COLOURS, SIDE

Rows = tuple[str, ...]

LIMIT = 4 << 20
"""The largest size of a file in bytes (thousands of standard boards)."""

CELLS = frozenset("." + "".join(map(str, range(COLOURS))))
"""What a cell can be, for errors."""

CELLS_TEXT = f"a cell is a colour from 0 to {COLOURS - 1} or '.'"


def boards(text: str, where: str) -> Iterator[Rows]:
    """Yield the boards of a text, each as rows from the top.

    Cells are digits, or "." for none, with or without spaces between them.

    Parameters
    ----------
    text : str
    where : str
        How errors name the text, before the line number.

    Raises
    ------
    InputError
        If a board is malformed; the message names the line. Also if there is no board.
    """
    rows: list[str] = []
    count = 0
    for line, content in enumerate([*text.split("\n"), ""], start=1):
        if content and not content.isspace():
            rows.append(_row(content, rows, f"{where}:{line}"))
        elif rows:
            count += 1
            if all(set(row) == {"."} for row in rows):
                raise InputError(f"{where}:{line - len(rows)}: the board has no coloured cell")
            yield tuple(rows)
            rows = []
    if count == 0:
        raise InputError(f"{where}: there is no board; a board is lines of digits")


def check_cell(cell: str, number: int, where: str) -> None:
    """Raise `InputError` if a cell is neither a colour nor "."; its number is from 1."""
    if cell not in CELLS:
        raise InputError(f"{where}: cell {number} is {cell[:10]!r}; {CELLS_TEXT}")


def _row(content: str, above: list[str], where: str) -> str:
    cells = content.split(maxsplit=SIDE + 1)
    if len(cells) == 1:
        cells = list(cells[0][: SIDE + 1])
    if len(cells) > SIDE:
        raise InputError(f"{where}: the row has more than {SIDE} cells")
    for number, cell in enumerate(cells, start=1):
        check_cell(cell, number, where)
    if above and len(cells) != len(above[0]):
        raise InputError(
            f"{where}: the row has {len(cells)} cells, those above it have {len(above[0])}"
        )
    if len(above) == SIDE:
        raise InputError(
            f"{where}: the board has more than {SIDE} rows; an empty line separates boards"
        )
    return "".join(cells)
