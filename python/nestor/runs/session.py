"""What a run needs of its search, wherever the jobs are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from nestor.runs.advancing import Status


class Session(Protocol):
    """Jobs that advance side by side: the core's, those of a user's own algorithm, or on workers.

    Between two calls of `advance` nothing changes: what the properties say belongs together.
    """

    def advance(
        self,
        seconds: float,
        threads: int,
        playouts: int | None = None,
        target: float | None = None,
        restart: bool = True,
        cut: float | None = None,
        longest: int = ...,
        each: int | None = None,
    ) -> Status:
        """Go on with every job, up to these limits (`nestor.runs.advancing.Limits`)."""

    def tell(self, told: Callable[[int, list[Any], list[Any]], object]) -> None:
        """Have a function called with the new bests of a job as soon as they are found."""

    def adopt(self, job: int, moves: list[Any], strength: int) -> float:
        """Make a job take over a sequence from outside; return its score."""

    def rest(self, enough: Callable[[], bool], most: float | None) -> None:
        """Wait until every job stands where it can be saved, it is enough, or for most seconds."""

    def settle(self) -> None:
        """End what goes on between calls."""

    def save(self) -> list[bytes]:
        """Return the whole state of every job."""

    def restore(self, jobs: list[bytes], codes: Sequence[list[Any]] = ...) -> None:
        """Take what `save` returned, and what `codes` was then."""

    def job_moves(self, job: int) -> list[Any]:
        """Return the moves of the best sequence of a job."""

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""

    @property
    def job_scores(self) -> list[float | None]:
        """The best score of each job; None before its first playout."""

    @property
    def codes(self) -> list[list[Any]]:
        """For each job the codes of a user's own problem, in the order of their numbers."""

    @property
    def playouts(self) -> int:
        """Playouts done by all jobs."""

    @property
    def evaluated(self) -> int:
        """Those of them that local search evaluated; the others were drawn."""

    @property
    def restarts(self) -> int:
        """Searches completed by all jobs."""

    @property
    def score(self) -> float | None:
        """The best score of all jobs; None before the first playout."""

    @property
    def moves(self) -> list[Any]:
        """The moves of the best sequence; of several best jobs, those of the first."""

    @property
    def played(self) -> list[Any] | None:
        """The same as a user's own problem gave them, if this process has played them."""

    @property
    def improvements(self) -> list[list[Any]]:
        """For each job its new best scores in order."""

    @property
    def trail(self) -> list[list[tuple[int, list[Any]]]]:
        """For each job the playouts and the moves of its last new best scores."""

    @property
    def progress(self) -> list[tuple[int, int]]:
        """(iterations done, iterations) of each level of the first job, from level 1 upwards."""

    @property
    def standings(self) -> list[list[tuple[int, float, bool]]]:
        """For each job the searches of its race: playouts, best score, whether it is still in."""

    @property
    def elsewhere(self) -> bool:
        """Whether the jobs are in other processes."""

    @property
    def width(self) -> int:
        """How many segments run at once on workers."""

    @property
    def done_by(self) -> Mapping[str, int]:
        """The playouts that each worker has done."""


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
    """What a session says of jobs that are not the core's."""

    elsewhere = False
    width: int = 0
    done_by: Mapping[str, int] = MappingProxyType({})

    def rest(self, enough: Callable[[], bool], most: float | None) -> None:
        """Wait until every job stands where it can be saved: most do at any time."""
        return

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
