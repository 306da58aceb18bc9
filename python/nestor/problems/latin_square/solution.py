"""A square, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.cells import cells_of
from nestor.problems.latin_square.reading import Rows
from nestor.text import counted


@dataclass(frozen=True, repr=False)
class Square(Solution):
    """A square, complete or not.

    Attributes
    ----------
    given : tuple of tuple of int
        The partial square, row by row; 0 is a hole.
    cells : tuple of tuple of int
        The same square with values in its holes; 0 is a remaining hole.
    title : str
        Name of the instance.
    """

    given: Rows
    cells: Rows
    title: str = field(default="", compare=False)

    @property
    def left(self) -> int:
        """Number of holes left."""
        return sum(row.count(0) for row in self.cells)

    @property
    def score(self) -> float:
        """Number of holes left."""
        return float(self.left)

    @property
    def solved(self) -> bool:
        """Whether the square is complete."""
        return self.left == 0

    @property
    def parts(self) -> frozenset[Any]:
        """The value of each cell."""
        return cells_of(self.cells)

    def verify(self) -> None:
        """Check that given cells are unchanged, and that no row or column has a value twice.

        Raises
        ------
        VerificationError
            If something is wrong; the message says what.
        """
        n = len(self.given)
        if len(self.cells) != n or any(len(row) != n for row in self.cells):
            raise VerificationError(f"the square is not {n}x{n}")
        for row, (before, after) in enumerate(zip(self.given, self.cells, strict=True), start=1):
            for column, (old, new) in enumerate(zip(before, after, strict=True), start=1):
                if old not in (0, new):
                    raise VerificationError(
                        f"row {row}, column {column} is given as {old}, not {new}"
                    )
                if not 0 <= new <= n:
                    raise VerificationError(f"row {row}, column {column} has no value: {new}")
        columns = list(zip(*self.cells, strict=True))
        for name, lines in (("row", self.cells), ("column", columns)):
            for number, line in enumerate(lines, start=1):
                filled = [value for value in line if value]
                if len(filled) != len(set(filled)):
                    raise VerificationError(f"{name} {number} has a value twice")

    def to_dict(self) -> dict[str, Any]:
        """Return the square as JSON-able data."""
        return {"cells": [list(row) for row in self.cells], "left": self.left}

    def headline(self) -> str:
        """Return the result in one line."""
        holes = sum(row.count(0) for row in self.given)
        end = "completed" if self.solved else f"{counted(self.left, 'hole')} left"
        return f"{self.title}: {end}, {counted(holes - self.left, 'hole')} filled"

    def text(self) -> str:
        """Return a text picture."""
        width = len(str(len(self.cells)))
        rows = [" ".join(str(v or ".").rjust(width) for v in row) for row in self.cells]
        return "\n".join([self.headline(), "", *rows])
