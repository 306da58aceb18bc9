"""What a job of a user's own algorithm has found, and how a file keeps it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from nestor.checks import as_integer, as_list, as_number
from nestor.problem import hashable

ENDLESS = 2**63 - 1
"""More playouts than there will be."""

TRAIL = 20
"""How many of the last improvements keep their moves."""


@dataclass
class Found:
    """What a job has found; see the properties of `_core.Search`."""

    playouts: int = 0
    evaluated: int = 0
    restarts: int = 0
    seconds: float = 0.0
    score: float | None = None
    moves: list[Any] = field(default_factory=list)
    improvements: list[dict[str, Any]] = field(default_factory=list)
    trail: deque[tuple[int, list[Any]]] = field(default_factory=lambda: deque(maxlen=TRAIL))

    def copy(self) -> Self:
        """Return what it is now."""
        return replace(self, improvements=list(self.improvements), trail=self.trail.copy())

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {**vars(self), "trail": list(self.trail)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return what `to_dict` gave.

        Raises
        ------
        LookupError, TypeError or ValueError
            If it is damaged.
        """
        score = data["score"]
        return cls(
            playouts=_count(data, "playouts"),
            evaluated=_count(data, "evaluated"),
            restarts=_count(data, "restarts"),
            seconds=as_number("seconds", data["seconds"], 0.0, 1e18),
            score=None if score is None else as_number("score", score),
            moves=moves_of(data["moves"]),
            improvements=[
                {
                    "playouts": _count(each, "playouts"),
                    "seconds": as_number("seconds", each["seconds"], 0.0, 1e18),
                    "score": as_number("score", each["score"]),
                    "level": _count(each, "level"),
                }
                for each in data["improvements"]
            ],
            trail=deque(
                ((as_integer("playouts", n, 0, ENDLESS), moves_of(m)) for n, m in data["trail"]),
                maxlen=TRAIL,
            ),
        )


def moves_of(saved: Any) -> list[Any]:
    """Return moves of the core that have been through JSON."""
    return [hashable(move) for move in as_list("moves", saved)]


def _count(data: Mapping[str, Any], name: str) -> int:
    return as_integer(name, data[name], 0, ENDLESS)
