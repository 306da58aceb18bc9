"""Crossword construction, from nrpa-2011 (section 3.1): what its figure 7 shows of a solution."""

from __future__ import annotations

import re
from typing import Any

from verifiers import integer, need


def check(data: dict[str, Any], moves: list[Any], _: object) -> tuple[float, dict[str, Any]]:
    """Write the words; the runs of letters must be the words, and hang together."""
    words, size = [word.upper() for word in data["words"]], integer(data["size"])
    need(2 <= size <= 32 and 1 <= len(words) <= 2000, "a size and words")
    need(len(set(words)) == len(words), "different words")
    need(all(re.fullmatch(f"[A-Z]{{2,{size}}}", word) for word in words), "words that fit")
    grid: dict[tuple[int, int], str] = {}
    placed: list[str] = []
    for word, column, row, direction in moves:
        x, y = integer(column), integer(row)
        need(word in words and direction in ("across", "down"), "a word and a direction")
        for letter in word:
            need(0 <= x < size and 0 <= y < size, "a place in the grid")
            need(grid.setdefault((x, y), letter) == letter, "the letter that is there")
            x, y = (x + 1, y) if direction == "across" else (x, y + 1)
        placed.append(word)
    rows = ["".join(grid.get((x, y), ".") for x in range(size)) for y in range(size)]
    lines = rows + ["".join(line) for line in zip(*rows, strict=True)]
    runs = re.findall("[A-Z]{2,}", " ".join(lines))
    need(sorted(runs) == sorted(placed) and len(set(placed)) == len(placed), "runs are words")
    reached = {min(grid)} if grid else set()
    for _ in grid:
        reached |= {
            (x, y) for x, y in grid if any(abs(x - a) + abs(y - b) == 1 for a, b in reached)
        }
    need(len(reached) == len(grid), "connected letters")
    letters = sum(map(len, placed))
    return 10_000 * len(placed) + letters, {
        "rows": rows,
        "words": len(placed),
        "letters": letters,
    }
