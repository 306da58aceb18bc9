"""The rules of SameGame in plain Python: columns, groups, removal.

A position is a tuple of columns from the left, none of them empty; a column is a tuple of colours
from the bottom. A cell is (column, row), both from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from nestor.exact import child_key

SIDE = 32
"""The largest number of columns, and of rows."""
COLOURS = 9
"""The largest number of colours."""
CLEARED = 1000
"""Points for an empty board."""

Cell = tuple[int, int]
Position = tuple[tuple[int, ...], ...]

_CODES = 0x53A3E6A3
"""The key of the random numbers that codes are made of."""


def start(rows: Collection[str]) -> Position:
    """Let the cells of a board fall, and close its empty columns.

    Parameters
    ----------
    rows : collection of str
        From the top; a digit is a colour, "." no cell.
    """
    columns = zip(*reversed(list(rows)), strict=True)
    fallen = (tuple(int(cell) for cell in column if cell != ".") for column in columns)
    return tuple(column for column in fallen if column)


def group_of(position: Position, cell: Cell) -> list[Cell]:
    """Return the cells connected with a cell, in order; the first one names the group.

    The list has one cell if none of its neighbours has its colour, and is empty if there is no
    such cell.
    """
    if not _has(position, cell):
        return []
    colour = position[cell[0]][cell[1]]
    group = {cell}
    border = [cell]
    while border:
        column, row = border.pop()
        for near in ((column, row - 1), (column, row + 1), (column - 1, row), (column + 1, row)):
            if near not in group and _has(position, near) and position[near[0]][near[1]] == colour:
                group.add(near)
                border.append(near)
    return sorted(group)


def blocks(position: Position) -> Iterator[list[Cell]]:
    """Yield all groups and all single cells, in the order of their first cells."""
    seen: set[Cell] = set()
    for index, column in enumerate(position):
        for row in range(len(column)):
            if (index, row) not in seen:
                block = group_of(position, (index, row))
                seen.update(block)
                yield block


def without(position: Position, group: Collection[Cell]) -> Position:
    """Remove cells, let those above them fall, and close empty columns."""
    gone = set(group)
    columns = (
        tuple(cell for row, cell in enumerate(column) if (index, row) not in gone)
        for index, column in enumerate(position)
    )
    return tuple(column for column in columns if column)


def points(size: int) -> int:
    """Return the points for a group of this many cells."""
    return (size - 2) ** 2


@cache
def number(colour: int, cell: Cell) -> int:
    """Return the 64-bit random number of a colour in a cell (Zobrist hashing).

    Number ``(colour * 32 + column) * 32 + row`` of one SplitMix64 stream.
    """
    column, row = cell
    return child_key(_CODES, (colour * SIDE + column) * SIDE + row)


def _has(position: Position, cell: Cell) -> bool:
    column, row = cell
    return 0 <= column < len(position) and 0 <= row < len(position[column])
