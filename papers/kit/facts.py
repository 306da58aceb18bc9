"""Small facts that stand beside an item: scores and costs that a paper prints."""

from __future__ import annotations

import csv
from pathlib import Path


def facts(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; lines that begin with ``#`` say where they are from."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
