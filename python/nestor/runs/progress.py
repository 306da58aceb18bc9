"""How far a search is, as a callback sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nestor.runs.standing import Racer


@dataclass(frozen=True)
class Progress:
    """How far a search is, as a callback sees it.

    Attributes
    ----------
    seconds : float
        Wall time so far, in seconds.
    playouts : int
        Playouts of all jobs so far.
    score : float or None
        Best natural score so far; None before the first playout.
    levels : list of (int, int)
        Iterations done and to do of each level of the first job, from level 1 upwards.
    restarts : int
        Searches completed by all jobs.
    jobs : int
        Searches side by side.
    workers : int
        Workers that they run on; 0 if they run in this process.
    evaluated : int
        The playouts among all that local search evaluated; the others were drawn.
    race : tuple of Racer
        How the searches of a race stand; empty if it is no race.
    found : callable
        Returns the best sequence; see `moves`.
    """

    seconds: float
    playouts: int
    score: float | None
    levels: list[tuple[int, int]]
    restarts: int
    jobs: int = 1
    workers: int = 0
    evaluated: int = 0
    race: tuple[Racer, ...] = ()
    found: Callable[[], list[Any]] = field(default=list, repr=False, compare=False)

    @property
    def moves(self) -> list[Any]:
        """The best sequence when it is asked for; empty before the first playout."""
        return self.found()


Callback = Callable[[Progress], object]
