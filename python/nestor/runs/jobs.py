"""What a search says of its jobs, wherever these are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Stand(Protocol):
    """How a job stands."""

    playouts: int
    evaluated: int
    restarts: int
    score: float | None

    @property
    def moves(self) -> Sequence[Any] | None:
        """The moves of its best sequence."""

    @property
    def improvements(self) -> Iterable[Any]:
        """Its new best scores in order."""

    @property
    def trail(self) -> Iterable[Any]:
        """The playouts and the moves of the last of these."""


class Jobs(ABC):
    """The properties of `_core.Search`, for jobs that are not the core's."""

    @property
    @abstractmethod
    def stands(self) -> Sequence[Stand]:
        """How each job stands."""

    @property
    def playouts(self) -> int:
        """Playouts done by all jobs."""
        return sum(self.job_playouts)

    @property
    def evaluated(self) -> int:
        """Playouts of all jobs that polish evaluated; the others were drawn."""
        return sum(stand.evaluated for stand in self.stands)

    @property
    def restarts(self) -> int:
        """Searches completed by all jobs."""
        return sum(stand.restarts for stand in self.stands)

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""
        return [stand.playouts for stand in self.stands]

    @property
    def job_scores(self) -> list[float | None]:
        """The best score of each job; None before its first playout."""
        return [stand.score for stand in self.stands]

    def job_moves(self, job: int) -> list[Any]:
        """Return the moves of the best sequence of a job."""
        return list(self.stands[job].moves or ())

    @property
    def score(self) -> float | None:
        """The best score of all jobs; None before the first playout."""
        return max((score for score in self.job_scores if score is not None), default=None)

    @property
    def moves(self) -> list[Any]:
        """The moves of the best sequence; of several best jobs, those of the first."""
        return [] if self.score is None else self.job_moves(self.job_scores.index(self.score))

    @property
    def played(self) -> None:
        """The same as a user's own problem gave them: nobody keeps them in this process."""
        return None

    @property
    def improvements(self) -> list[list[Any]]:
        """For each job its new best scores in order."""
        return [list(stand.improvements) for stand in self.stands]

    @property
    def trail(self) -> list[list[Any]]:
        """For each job the playouts and the moves of its last new best scores."""
        return [list(stand.trail) for stand in self.stands]
