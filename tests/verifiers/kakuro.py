"""Kakuro, from learned-prior-2024 (section 4.2) and the format of ordinary puzzles."""

from __future__ import annotations

import copy
import re
from typing import Any

from verifiers import integer, need, numbers

Place = tuple[int, int]


def runs_of(grid: list[list[str]]) -> list[tuple[int, list[Place]]]:
    """Return every run of open cells with its sum."""
    runs = []
    for y, row in enumerate(grid):
        for x, token in enumerate(row):
            for clue, dx, dy in (
                zip(token.split("\\"), (0, 1), (1, 0), strict=True) if (token != ".") else ()
            ):
                cells, i, j = [], x + dx, y + dy
                while j < len(grid) and i < len(row) and grid[j][i] == ".":
                    cells.append((j, i))
                    i, j = i + dx, j + dy
                need(bool(cells) or not clue, "a sum for cells")
                need(clue or len(cells) <= 1, "a sum of every run")
                if clue:
                    runs.append((int(clue), cells))
    return runs


def free_values(
    values: dict[Place, int], runs: list[tuple[int, list[Place]]], largest: int, pruning: bool
) -> dict[Place, set[int]]:
    """Return the values that each empty cell may have."""
    free = {place: set(range(1, largest + 1)) for place, value in values.items() if not value}
    for place in free:
        for _, cells in runs:
            free[place] -= {values[other] for other in cells} if place in cells else set()
    before = None
    while pruning and all(free.values()) and before != (before := copy.deepcopy(free)):
        for total, cells in runs:
            empty = [place for place in cells if place in free]
            rest = total - sum(values[place] for place in cells)
            union = set().union(*(free[place] for place in empty))
            for value in union:
                others, m = sorted(union - {value}), len(empty) - 1
                low, high = sum(others[:m]), sum(others[len(others) - m :])
                if len(others) < m or not low <= rest - value <= high:
                    for place in empty:
                        free[place] -= {value}
    return free


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Write the values; what is missing are wrong sums, or empty cells and all sums."""
    grid = [row.split() for row in data["grid"]]
    largest = integer(data["largest"])
    need(1 <= largest <= 64, "a largest value")
    need(1 <= len(grid) <= 100 and len(grid[0]) <= 100, "a size")
    need(all(len(row) == len(grid[0]) for row in grid), "rows of one length")
    need(all(re.fullmatch(r"\.|\d*\\\d*", token) for row in grid for token in row), "tokens")
    runs = runs_of(grid)
    values = {
        (y, x): 0 for y, row in enumerate(grid) for x, token in enumerate(row) if token == "."
    }
    need(values and all(any(place in cells for _, cells in runs) for place in values), "runs")
    for total, cells in runs:
        k = len(cells)
        smallest, greatest = k * (k + 1) // 2, k * (2 * largest - k + 1) // 2
        need(k <= largest and smallest <= total <= greatest, "a sum that is possible")

    for move in moves:
        row, column, value = numbers(move, 3)
        free = free_values(values, runs, largest, data["pruning"])
        smallest = min(map(len, free.values()), default=0)
        chosen = next((place for place in free if len(free[place]) == smallest), None)
        need((row, column) == chosen and value in free[chosen], "the next cell, a value of its own")
        values[row, column] = value
    left = list(values.values()).count(0)
    wrong = sum(sum(values[place] for place in cells) != total for total, cells in runs)
    missing = left + len(runs) if left else wrong
    shown = [[values.get((y, x)) for x in range(len(row))] for y, row in enumerate(grid)]
    return missing, {"values": shown, "left": left, "missing": missing}
