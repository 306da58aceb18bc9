"""Morpion Solitaire, from nrpa-2011 (section 3.2) and the format MSR of recorded games."""

from __future__ import annotations

from typing import Any

from verifiers import need, numbers

Dot = tuple[int, int]
STEPS = {"H": (1, 0), "V": (0, 1), "DP": (1, -1), "DN": (1, 1)}


def cross(n: int) -> set[Dot]:
    """Return the dots of the start."""
    a, b, w = (3, 6, 9) if n == 5 else (2, 4, 6)
    return {
        (x, y)
        for x in range(w + 1)
        for y in range(w + 1)
        if (y in (0, w) and a <= x <= b)
        or (x in (0, w) and a <= y <= b)
        or (x in (a, b) and (y <= a or y >= b))
        or (y in (a, b) and (x <= a or x >= b))
    }


def line_of(n: int, x: int, y: int, name: str, pos: int) -> set[Dot]:
    """Return the dots of a line, in which the new one has a place."""
    dx, dy = STEPS[name]
    return {(x + (k - pos) * dx, y + (k - pos) * dy) for k in range(n)}


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Draw the lines: each has one new dot, and shares at most one dot (T) or none (D)."""
    need(data["variant"] in ("5T", "5D", "4T", "4D"), "a variant")
    n, shared = int(data["variant"][0]), data["variant"][1] == "T"
    dots = cross(n)
    lines: dict[str, list[set[Dot]]] = {name: [] for name in STEPS}

    def fits(new: Dot, name: str, pos: int) -> bool:
        """Whether a line may be drawn now."""
        line = line_of(n, *new, name, pos)
        clear = line - dots == {new}
        return clear and all(len(line & other) <= shared for other in lines[name])

    record = []
    for move in moves:
        # The fifth number is the policy's; a move without it is as good.
        x, y, direction, *places = numbers(move, 5 if len(move) > 4 else 4)
        need(0 <= direction < 4, "a direction")
        need(all(0 <= place < n for place in places), "a place in the line")
        name, pos = list(STEPS)[direction], places[0]
        need(fits((x, y), name, pos), "a line with one new dot, clear of other lines")
        lines[name].append(line_of(n, x, y, name, pos))
        dots.add((x, y))
        record.append({"x": x, "y": y, "dir": name, "pos": pos})
    near = {(x + i, y + j) for x, y in dots for i in (-1, 0, 1) for j in (-1, 0, 1)} - dots
    left = any(fits(new, name, pos) for new in near for name in STEPS for pos in range(n))
    need(not left, "a game that is over")
    return len(moves), {"score": len(moves), "terminal": True, "moves": record}
