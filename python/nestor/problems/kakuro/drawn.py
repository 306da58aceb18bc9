"""Grids with black cells, drawn at random, and values for them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

from nestor.problems.kakuro.grid import OPEN, Cell, Tokens

Runs = Mapping[Cell, list[Cell]]

ATTEMPTS = 100
"""How often to try to fill a grid."""


def drawn(size: int, largest: int, black: float, seed: int) -> tuple[Tokens, list[int] | None]:
    """Return a grid and values for its cells, row by row, or None if no attempt fills it.

    Each cell is black with that chance, and if it would make a run longer than `largest`. Then the
    cell with the fewest values left gets one of them at random, until all have one.
    """
    rng = random.Random(f"{size} {black} {seed}")
    inner = range(1, size + 1)
    cells = {cell for cell in product(inner, inner) if rng.random() >= black}
    for row, column in sorted(cells):
        for down, right in ((1, 0), (0, 1)):
            line = ((row - k * down, column - k * right) for k in range(largest + 1))
            if cells.issuperset(line):
                cells.discard((row, column))
    ways = _runs(cells, (0, 1)), _runs(cells, (1, 0))
    attempts = (_filled(ways, largest, rng) for _ in range(ATTEMPTS))
    values = next((values for values in attempts if values is not None), None)
    clues = [_sums(runs, values or {}) for runs in reversed(ways)]

    def token(cell: Cell) -> str:
        return OPEN if cell in cells else "\\".join(str(sums.get(cell, "")) for sums in clues)

    side = range(size + 1)
    rows = tuple(tuple(token((row, column)) for column in side) for row in side)
    return rows, None if values is None else [values[cell] for cell in sorted(cells)]


def _runs(cells: set[Cell], step: Cell) -> Runs:
    """Return the runs of one direction, by the cell before each, which has the clue."""
    found: dict[Cell, list[Cell]] = {}
    for row, column in sorted(cells):
        clue = (row, column)
        while clue in cells:
            clue = (clue[0] - step[0], clue[1] - step[1])
        found.setdefault(clue, []).append((row, column))
    return found


def _sums(runs: Runs, values: Mapping[Cell, int]) -> dict[Cell, int]:
    return {clue: sum(values.get(cell, 0) for cell in run) for clue, run in runs.items()}


def _filled(ways: tuple[Runs, Runs], largest: int, rng: random.Random) -> dict[Cell, int] | None:
    """Return values at random, different in each run; None if a cell is left without one."""
    peers: dict[Cell, set[Cell]] = {}
    for runs in ways:
        for run in runs.values():
            for cell in run:
                peers.setdefault(cell, set()).update(run)
    left, values = {cell: set(range(1, largest + 1)) for cell in peers}, {}
    while left:
        cell = min(left, key=lambda cell: len(left[cell]))
        if not left[cell]:
            return None
        values[cell] = rng.choice(sorted(left.pop(cell)))
        for peer in peers[cell] & left.keys():
            left[peer].discard(values[cell])
    return values
