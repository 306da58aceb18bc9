"""Biases that depend on what is already decided: tables of beta, and the rules that pick a row.

The core and the Python twin read the same tables. Betas are rounded, so that they do not depend on
how a platform rounds its logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nestor.problems.rna.structure import BASES, MOVES

Row = tuple[float, ...]
"""The beta of each of `MOVES`."""


@dataclass(frozen=True)
class Case:
    """A row that is taken if two positions have the given bases.

    Attributes
    ----------
    first, second : int
        The positions, from 0.
    bases : str
        The two bases.
    row : int
    """

    first: int
    second: int
    bases: str
    row: int


@dataclass(frozen=True)
class Rule:
    """How the row of a place is found.

    Attributes
    ----------
    otherwise : int
        The row if nothing else applies.
    cases : tuple of Case
        The first case that holds gives the row.
    by_base : (int, int) or None
        A position, and the row if A is there; the next three rows are for C, G and U.
    """

    otherwise: int
    cases: tuple[Case, ...] = ()
    by_base: tuple[int, int] | None = None

    def row(self, sequence: Sequence[str | None]) -> int:
        """Return the row for a sequence with some bases decided."""
        for case in self.cases:
            if (sequence[case.first], sequence[case.second]) == tuple(case.bases):
                return case.row
        if self.by_base is not None:
            position, row = self.by_base
            base = sequence[position]
            if base is not None:
                return row + BASES.index(base)
        return self.otherwise


@dataclass(frozen=True)
class Contexts:
    """The betas of all moves.

    Attributes
    ----------
    betas : tuple of Row
    rules : tuple of Rule or None
        The rule of each place, in the order of the moves; None if the row is 0 for the first move
        and 1 + the number of the previous move after that.
    """

    betas: tuple[Row, ...]
    rules: tuple[Rule, ...] | None = None

    def beta(
        self, place: int, previous: str | None, sequence: Sequence[str | None], move: str
    ) -> float:
        """Return beta of a move."""
        if self.rules is not None:
            row = self.rules[place].row(sequence)
        else:
            row = 0 if previous is None else 1 + MOVES.index(previous)
        return self.betas[row][MOVES.index(move)]
