"""SameGame, from distributed-nrpa-samegame-2017 (section 1) and the boards' description."""

from __future__ import annotations

from typing import Any

from verifiers import need, numbers


def group_of(columns: list[str], x: int, y: int) -> set[tuple[int, int]]:
    """Return the cells of a group."""
    cells = {(i, j): cell for i, column in enumerate(columns) for j, cell in enumerate(column)}
    need((x, y) in cells, "a cell")
    group, edge = {(x, y)}, [(x, y)]
    while edge:
        x, y = edge.pop()
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if near not in group and cells.get(near) == cells[x, y]:
                group.add(near)
                edge.append(near)
    return group


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Remove the groups; columns are strings from the bottom, so that cells fall by themselves."""
    tabu = data.get("tabu", True)
    need(type(tabu) is bool or (type(tabu) is int and 0 <= tabu <= 8), "a tabu colour")
    rows = data["board"]
    need(1 <= len(rows) <= 32 and all(len(row) == len(rows[0]) for row in rows), "a rectangle")
    need(1 <= len(rows[0]) <= 32, "a width")
    need(all(cell in "012345678." for row in rows for cell in row), "colours")
    columns = ["".join(column).replace(".", "") for column in zip(*reversed(rows), strict=True)]
    columns = [column for column in columns if column]
    points = []
    for move in moves:
        x, y = numbers(move, 2)
        group = group_of(columns, x, y)
        need(len(group) >= 2, "a group of two or more")
        points.append((len(group) - 2) ** 2)
        columns = [
            "".join(cell for y, cell in enumerate(column) if (x, y) not in group)
            for x, column in enumerate(columns)
        ]
        columns = [column for column in columns if column]
    alone = all(
        len(group_of(columns, x, y)) == 1
        for x, column in enumerate(columns)
        for y in range(len(column))
    )
    need(alone, "a game that is over")
    total = sum(points) + 1000 * (not columns)
    return total, {"points": points, "total": total, "cleared": not columns}
