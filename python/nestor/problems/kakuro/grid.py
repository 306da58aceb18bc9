"""Grids of clues and cells, and the runs in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nestor.errors import InputError

MAX_SIDE = 100
"""The largest number of rows and of columns."""
MAX_CELLS = 4096
"""The largest number of cells to fill."""
MAX_VALUE = 64
"""The largest value."""

OPEN = "."
TOKEN = re.compile(r"\.|([1-9][0-9]{0,3})?\\([1-9][0-9]{0,3})?", re.ASCII)

Cell = tuple[int, int]
Tokens = tuple[tuple[str, ...], ...]


Place = Callable[[int], object]
"""How errors name a row of a grid, by its number from 0."""


@dataclass(frozen=True)
class CellRun:
    """Cells in a line without a gap, and the sum of their values.

    Attributes
    ----------
    cells : tuple of (int, int)
        Row and column of each cell, from 0.
    sum : int
    clue : (int, int)
        The cell with the sum.
    """

    cells: tuple[Cell, ...]
    sum: int
    clue: Cell

    def possible(self, largest: int) -> range:
        """Return the sums that this many different values can have; none if there are too few."""
        n = len(self.cells)
        if n > largest:
            return range(0)
        return range(n * (n + 1) // 2, n * (2 * largest - n + 1) // 2 + 1)


def check_grid(rows: Tokens, whole: object, place: Place) -> None:
    r"""Check a grid: rows of equal length, of ``.`` and ``down\across``, and its runs.

    Parameters
    ----------
    rows : tuple of tuple of str
    whole : object
        How errors name the grid as a whole.
    place : callable
        How they name a row.

    Raises
    ------
    InputError
        If something is wrong.
    """
    for row, tokens in enumerate(rows):
        if len(tokens) != len(rows[0]):
            raise InputError(
                f"{place(row)}: the row has {len(tokens)} cells, the first one has {len(rows[0])}"
            )
        for column, token in enumerate(tokens, start=1):
            if not TOKEN.fullmatch(token):
                raise InputError(
                    f"{place(row)}: cell {column} must be '.', '\\' or sums such as '16\\', "
                    f"'\\23' and '16\\23', not {token[:20]!r}"
                )
    height, width = len(rows), len(rows[0]) if rows else 0
    if height > MAX_SIDE or width > MAX_SIDE:
        raise InputError(
            f"{whole}: a grid has at most {MAX_SIDE} rows and columns, not {height}x{width}"
        )
    cells = sum(token == OPEN for tokens in rows for token in tokens)
    if not 1 <= cells <= MAX_CELLS:
        raise InputError(f"{whole}: a grid has 1 to {MAX_CELLS} cells to fill, not {cells}")
    runs(rows, place)


def runs(rows: Tokens, place: Place = str) -> tuple[list[CellRun], list[CellRun]]:
    """Return the runs across, row by row, and the runs down, column by column.

    A single cell needs no clue if it has one in the other direction.

    Raises
    ------
    InputError
        If a clue has no cells, or cells have no clue.
    """
    height, width = len(rows), len(rows[0])
    along = [[(row, column) for column in range(width)] for row in range(height)]
    across = _runs(rows, along, "across", 2, place)
    down = _runs(rows, zip(*along, strict=True), "down", 1, place)
    clued = {cell for run in (*across, *down) for cell in run.cells}
    for row, column in (cell for line in along for cell in line):
        if rows[row][column] == OPEN and (row, column) not in clued:
            raise InputError(f"{place(row)}: cell {column + 1} has no clue")
    return across, down


def _runs(
    rows: Tokens, lines: Iterable[Sequence[Cell]], direction: str, group: int, place: Place
) -> list[CellRun]:
    found = []
    for line in lines:
        clue: Cell | None = None
        cells: list[Cell] = []
        for row, column in (*line, (-1, -1)):
            if row >= 0 and rows[row][column] == OPEN:
                cells.append((row, column))
                continue
            total = _sum(rows, clue, group)
            if clue and total and not cells:
                raise InputError(
                    f"{place(clue[0])}: the clue {direction} of cell {clue[1] + 1} has no cells to "
                    "fill"
                )
            if clue and total:
                found.append(CellRun(tuple(cells), total, clue))
            elif len(cells) > 1:
                raise InputError(
                    f"{place(cells[0][0])}: the {len(cells)} cells {direction} from cell "
                    f"{cells[0][1] + 1} have no clue"
                )
            clue, cells = (row, column), []
    return found


def _sum(rows: Tokens, clue: Cell | None, group: int) -> int:
    """Return the sum that a clue gives in one direction, 0 if it gives none."""
    match = TOKEN.fullmatch(rows[clue[0]][clue[1]]) if clue else None
    return int(match[group] or 0) if match else 0
