"""What a run finds, wherever it runs."""

from __future__ import annotations

from typing import Any

from nestor import Result


def found(result: Result) -> Any:
    """Return all that must not depend on where a search ran."""
    improvements = [(i.playouts, i.job, i.score, i.level) for i in result.improvements]
    return result.score, result.moves, improvements, result.playouts, result.stop_reason
