"""Words on a grid in plain Python: where they are, and when one may be added.

A cell is (column, row), from the left and from the top, both from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

ACROSS = "across"
DOWN = "down"
DIRECTIONS = (ACROSS, DOWN)

Cell = tuple[int, int]


class Move(NamedTuple):
    """A word on the grid.

    Attributes
    ----------
    word : str
    column, row : int
        The cell of its first letter, from the left and from the top, from 0.
    direction : {"across", "down"}
        Left to right or top to bottom.
    """

    word: str
    column: int
    row: int
    direction: str

    @property
    def step(self) -> Cell:
        """The step from a letter to the next."""
        return (1, 0) if self.direction == ACROSS else (0, 1)

    def cell(self, place: int) -> Cell:
        """Return the cell of a letter; -1 is the one before the word."""
        dx, dy = self.step
        return self.column + place * dx, self.row + place * dy

    def cells(self) -> list[Cell]:
        """Return the cells of all letters, in order."""
        return [self.cell(place) for place in range(len(self.word))]

    def __str__(self) -> str:
        return f"{self.word} {self.direction} from ({self.column}, {self.row})"


def letters_of(placed: Iterable[Move]) -> dict[Cell, str]:
    """Return the letters on a grid with these words; where they disagree, the last word wins."""
    return {
        cell: letter
        for move in placed
        for cell, letter in zip(move.cells(), move.word, strict=True)
    }


def may_be_added(
    move: Move, placed: Iterable[Move], letters: Mapping[Cell, str], size: int
) -> bool:
    """Whether a word may be added to a crossword that has one or more words.

    Parameters
    ----------
    move : Move
        A word that is not placed yet.
    placed : iterable of Move
        The words of the crossword.
    letters : mapping
        Their letters by cell.
    size : int
        Side of the grid.
    """
    cells = move.cells()
    crossing = [cell for cell in cells if cell in letters]
    if not crossing or max(cells[-1]) >= size or min(cells[0]) < 0:
        return False
    if any(letters.get(cell, own) != own for cell, own in zip(cells, move.word, strict=True)):
        return False
    if move.cell(-1) in letters or move.cell(len(cells)) in letters:
        return False
    if any(
        other.direction == move.direction and not set(crossing).isdisjoint(other.cells())
        for other in placed
    ):
        return False
    dx, dy = move.step
    beside = [(x + s * dy, y + s * dx) for x, y in cells if (x, y) not in letters for s in (-1, 1)]
    return not any(cell in letters for cell in beside)


def in_order(words: Iterable[Move], size: int) -> tuple[Move, ...]:
    """Return words in an order in which each may be added; at the end those that never may be."""
    left, placed = list(words), list[Move]()
    legal = (move for move in left if move.direction == DOWN and move.row == 0)
    while move := next(legal, None):
        left.remove(move)
        placed.append(move)
        letters = letters_of(placed)
        legal = (move for move in left if may_be_added(move, placed, letters, size))
    return (*placed, *left)
