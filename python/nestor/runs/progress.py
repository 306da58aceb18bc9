"""How far a search is, as a callback sees it, and how the searches of a race stand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nestor.checks import as_count, as_number, check_text
from nestor.runs.elsewhere.segments import Setup


@dataclass(frozen=True)
class Racer:
    """One of those that a race compares.

    Attributes
    ----------
    name : str
        The variant of the problem, if it has any, and the algorithm.
    playouts : int
        Its playouts in all jobs.
    score : float or None
        Its best natural score; None before its first playout.
    left : int
        In how many jobs it is still in.
    """

    name: str
    playouts: int
    score: float | None
    left: int

    def __post_init__(self) -> None:
        check_text("name", self.name)
        as_count("playouts", self.playouts)
        as_count("left", self.left)
        if self.score is not None:
            as_number("score", self.score, -math.inf, math.inf)


def standings(asked: Setup, of_jobs: Sequence[Sequence[Any]]) -> tuple[Racer, ...]:
    """Return how the searches of a race stand in all jobs; nothing if it is no race."""
    of_jobs = [job for job in of_jobs if job]
    racers = []
    for (name, _), *of_racer in zip(asked.entrants, *of_jobs, strict=bool(of_jobs)):
        scores = [score for playouts, score, _ in of_racer if playouts and score > -math.inf]
        racers.append(
            Racer(
                name,
                sum(playouts for playouts, _, _ in of_racer),
                asked.problem.natural(max(scores)) if scores else None,
                sum(left for _, _, left in of_racer),
            )
        )
    return tuple(racers) if len(racers) > 1 else ()


def standings_text(racers: tuple[Racer, ...]) -> str:
    """Return which of the raced settings are left."""
    left = [racer.name for racer in racers if racer.left]
    more = f" and {len(left) - 2} more" if len(left) > 3 else ""
    return f"{len(left)} of {len(racers)} left: {'; '.join(left[: 2 if more else 3])}{more}"


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
        Iterations done and to do of each level of the first job, from level 1 upwards; empty for an
        algorithm of your own. In NMCS moves tried and to try, as if all games were as long as the
        best one and all positions as wide as the current one.
    restarts : int
        Searches completed by all jobs.
    jobs : int
        Searches side by side.
    workers : int
        Workers that they run on; 0 if they run in this process.
    evaluated : int
        The playouts among all that local search evaluated; the others were drawn.
    remembered : int
        Scores that were not asked, since they are remembered (`cache`).
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
    remembered: int = 0
    race: tuple[Racer, ...] = ()
    found: Callable[[], list[Any]] = field(default=list, repr=False, compare=False)

    @property
    def drawn(self) -> int:
        """The playouts that were played from the start; local search evaluated the others."""
        return self.playouts - self.evaluated

    @property
    def moves(self) -> list[Any]:
        """The best sequence so far; empty before the first playout.

        It stays what it was, and may be asked for from any thread. The rules of a problem of your
        own then play it again.
        """
        return list(self.found())


Callback = Callable[[Progress], object]
