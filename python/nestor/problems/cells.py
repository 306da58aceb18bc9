"""What the problems share that fill the cells of a grid with values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from operator import index
from typing import Any

from nestor import _core
from nestor.checks import as_list, shown
from nestor.errors import InputError

Move = tuple[int, int, int]
"""Row and column, from 0, and value, from 1."""


def cells_of(rows: Iterable[Iterable[int]]) -> frozenset[tuple[int, int, int]]:
    """Return each cell of a grid with its value, as (row, column, value), all but value from 0."""
    return frozenset(
        (row, column, value) for row, line in enumerate(rows) for column, value in enumerate(line)
    )


def bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits of a mask, from the lowest."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def moves_of(board: Any) -> list[Move]:
    """Return the values of the cell to fill next, the first of those with the smallest domain."""
    if board.dead or not board.domains:
        return []
    cell = min(board.domains, key=lambda cell: board.domains[cell].bit_count())
    return [(*cell, value) for value in bits(board.domains[cell])]


def read_move(move: Any, number: int) -> Move:
    """Return a move as integers.

    Parameters
    ----------
    move : sequence of int
        Three integers, or their JSON form.
    number : int
        Which move it is, for errors.

    Raises
    ------
    InputError
        If it is not such a sequence.
    """
    try:
        row, column, value = map(index, move)
    except (TypeError, ValueError):
        raise InputError(
            f"move {number} must be three integers (row, column, value), not {shown(move)}"
        ) from None
    return row, column, value


def legal_moves(
    core: _core.Problem, moves: Sequence[Any], cells: Container[tuple[int, int]], largest: int
) -> list[Move]:
    """Return moves as integers, after the core has played them.

    Parameters
    ----------
    core : _core.Problem
    moves : sequence of (row, column, value)
    cells : container of (row, column)
        The cells to fill.
    largest : int
        The largest value.

    Raises
    ------
    InputError
        If a move has the wrong form or is not legal.
    """
    found = [read_move(move, number) for number, move in enumerate(as_list("moves", moves), 1)]
    possible = [move[:2] in cells and 1 <= move[2] <= largest for move in found]
    wrong = possible.index(False) if False in possible else None
    try:
        core.replay(found[:wrong])
    except IndexError as error:
        wrong = int(str(error))
    if wrong is not None:
        raise InputError(f"move {wrong + 1}, {shown(found[wrong])}, is not legal there")
    return found
