"""Sequences from outside that a search takes over into its top level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nestor.problem import Problem
from nestor.reference.playout import Playout, follow


@dataclass(frozen=True)
class Adoption:
    """A complete sequence that a search takes over once it has done so many playouts.

    It counts as a playout, and the policy adapts to it `strength` times.
    """

    after: int
    moves: Sequence[Any]
    strength: int = 1


class LimitError(Exception):
    """A limit of the meter is reached; it ends a search wherever that stands."""


@dataclass(frozen=True)
class Limit:
    """Where the meter ends a search: after so many playouts, or at this reported score."""

    playouts: float = math.inf
    target: float = math.inf


NO_LIMIT = Limit()


class Playouts(list[Playout]):
    """All playouts of a search in order, with the sequences from outside in their places.

    Such a sequence waits until the top level stands between two children. Of several that wait, the
    best one counts, the last of equals. It is the meter, too: the playout that reaches the `limit`
    is the last.
    """

    def __init__(
        self,
        problem: Problem[Any, Any],
        adoptions: Sequence[Adoption] = (),
        limit: Limit = NO_LIMIT,
    ) -> None:
        super().__init__()
        self.restarts = 0
        self._problem = problem
        self._limit = limit
        self._coming = list(adoptions)
        self._waiting: tuple[Playout, int] | None = None
        self._arrive()

    def append(self, played: Playout) -> None:
        """Add a playout of the search.

        Raises
        ------
        LimitError
            If it is the last.
        """
        self._count(played)
        self._arrive()

    def _count(self, played: Playout) -> None:
        super().append(played)
        if len(self) >= self._limit.playouts or played.reported >= self._limit.target:
            raise LimitError

    def _arrive(self) -> None:
        while self._coming and self._coming[0].after <= len(self):
            adoption = self._coming.pop(0)
            followed = follow(self._problem, adoption.moves)
            self._count(followed)
            if self._waiting is None or followed.score >= self._waiting[0].score:
                self._waiting = followed, adoption.strength

    def take(self) -> tuple[Playout, int] | None:
        """Return the sequence that waits, with its strength; it waits no longer."""
        waiting, self._waiting = self._waiting, None
        return waiting


def adopted(seen: list[Playout], top: bool) -> tuple[Playout, int] | None:
    """Return what the top level takes over before its next child, if anything."""
    return seen.take() if top and isinstance(seen, Playouts) else None
