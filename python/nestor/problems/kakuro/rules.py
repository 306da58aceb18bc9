"""The rules of the core in readable Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nestor.problems.cells import bits
from nestor.problems.kakuro.grid import Cell, CellRun


@dataclass(eq=False)
class Board:
    """A puzzle that is not finished yet.

    Attributes
    ----------
    domains : dict
        The values that each empty cell can take, by (row, column) in order; bit v stands for v.
    values : dict
        The values of the other cells.
    """

    domains: dict[Cell, int]
    values: dict[Cell, int]

    @property
    def dead(self) -> bool:
        """Whether there is an empty cell that cannot take any value."""
        return 0 in self.domains.values()

    def copy(self) -> Board:
        """Return a copy that can change without changing this one."""
        return Board(self.domains.copy(), self.values.copy())

    def play(self, cell: Cell, value: int, runs_of: Mapping[Cell, Sequence[CellRun]]) -> None:
        """Fill a cell by forward checking."""
        self.values[cell] = value
        del self.domains[cell]
        for run in runs_of[cell]:
            for other in run.cells:
                if other in self.domains:
                    self.domains[other] &= ~(1 << value)

    def left(self, run: CellRun) -> int:
        """Return what is left of a sum."""
        return run.sum - sum(self.values.get(cell, 0) for cell in run.cells)

    def prune(self, runs: Iterable[CellRun]) -> None:
        """Remove from the domains what the sums exclude, until nothing changes or one is empty."""
        changed = True
        while changed and not self.dead:
            changed = False
            for run in runs:
                cells = [cell for cell in run.cells if cell in self.domains]
                allowed = self._allowed(cells, self.left(run))
                for cell in cells:
                    changed |= bool(self.domains[cell] & ~allowed)
                    self.domains[cell] &= allowed

    def _allowed(self, cells: list[Cell], total: int) -> int:
        """Return the values that can be part of a sum of different values of these cells."""
        union = 0
        for cell in cells:
            union |= self.domains[cell]
        allowed = 0
        for value in bits(union):
            others = [other for other in bits(union) if other != value]
            m = len(cells) - 1
            if len(others) >= m and (
                value + sum(others[:m]) <= total <= value + sum(others[len(others) - m :])
            ):
                allowed |= 1 << value
        return allowed
