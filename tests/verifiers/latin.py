"""Latin square completion, from learned-prior-2024 (section 4.1) and the format of the squares."""

from __future__ import annotations

from typing import Any

from verifiers import need, numbers

Cells = list[list[int]]


def free_values(cells: Cells) -> dict[tuple[int, int], set[int]]:
    """Return the values that each empty cell may have."""
    columns = list(zip(*cells, strict=True))
    return {
        (y, x): set(range(1, len(cells) + 1)) - set(row) - set(columns[x])
        for y, row in enumerate(cells)
        for x, value in enumerate(row)
        if not value
    }


def settle(cells: Cells, claimed: Cells | None) -> None:
    """Write values with one place left in a row or column; where they clash, those claimed."""
    while all((free := free_values(cells)).values()):
        places: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        for y, x in free:
            for value in free[y, x]:
                places.setdefault((0, y, value), []).append((y, x))
                places.setdefault((1, x, value), []).append((y, x))
        singles = ((*each[0], name[2]) for name, each in places.items() if len(each) == 1)
        said = (
            single
            for single in singles
            if not claimed or claimed[single[0]][single[1]] == single[2]
        )
        single = next(said, None)
        if single is None:
            break
        cells[single[0]][single[1]] = single[2]


def check(
    data: dict[str, Any], moves: list[Any], claimed: dict[str, Any] | None
) -> tuple[float, dict[str, Any]]:
    """Write the values, and those that have one place left if the rules say so."""
    n = len(data["square"])
    need(1 <= n <= 64, "an order")
    cells = [numbers(row, n) for row in data["square"]]
    need(all(0 <= value <= n for row in cells for value in row), "values")
    for line in [*cells, *zip(*cells, strict=True)]:
        given = [value for value in line if value]
        need(len(set(given)) == len(given), "values that differ")
    said = claimed["cells"] if claimed else None
    for move in [None, *moves]:
        if move is not None:
            row, column, value = numbers(move, 3)
            free = free_values(cells)
            smallest = min(map(len, free.values()), default=0)
            chosen = next((place for place in free if len(free[place]) == smallest), None)
            need((row, column) == chosen and value in free[chosen], "the next cell, a free value")
            cells[row][column] = value
        if data["hidden_singles"]:
            settle(cells, said)
    left = sum(row.count(0) for row in cells)
    return left, {"cells": cells, "left": left}
