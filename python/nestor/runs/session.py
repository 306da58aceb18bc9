"""Jobs that advance side by side: how far they go, what a run needs of them, what they found."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, Self

from nestor import _core
from nestor.checks import as_count, as_list, as_number, as_seconds
from nestor.problem import hashable
from nestor.problems.faults import LONGEST

Status = Literal["target", "finished", "playouts", "seconds"]
"""Why `advance` has returned; "seconds" if there is more to do."""


AGES = 1e9
"""More seconds than a playout takes."""


class Limits(NamedTuple):
    """How far a search goes in one call of `advance`.

    Attributes
    ----------
    seconds : float
        Seconds after which it returns.
    threads : int
        The most that it may use.
    playouts : int, optional
        Of all jobs together; each has its share.
    target : float, optional
        It returns when a job reaches this score.
    restart : bool
        Whether a search that is finished begins again.
    cut : float, optional
        Seconds from now after which a game of a user's own problem is cut off.
    longest : int
        The most moves that such a game may have.
    each : int, optional
        The most playouts of any job.
    first : float, optional
        In place of `cut` until a playout has ended.
    """

    seconds: float
    threads: int
    playouts: int | None = None
    target: float | None = None
    restart: bool = True
    cut: float | None = None
    longest: int = LONGEST
    each: int | None = None
    first: float | None = None


@contextmanager
def advancing() -> Iterator[None]:
    """Advance a search in this context.

    Raises
    ------
    CutOffError
        If a game is cut off. Its attribute `used` is the processor time in seconds that the process
        took meanwhile: wall time says nothing of a game on a busy machine.
    """
    begun = time.process_time()
    try:
        yield
    except _core.CutOffError as cut:
        if not hasattr(cut, "used"):  # as it has if it comes from a worker
            cut.used = time.process_time() - begun  # type: ignore[attr-defined]
        raise


def share_of(playouts: int, job: int, jobs: int) -> int:
    """Return the playouts of a job out of those of all jobs, as the core divides them."""
    return (playouts + jobs - 1 - job) // jobs


def allowed(playouts: int | None, each: int | None, job: int, jobs: int) -> int | None:
    """Return how many playouts a job may make: its share of all, and at most `each`."""
    share = None if playouts is None else share_of(playouts, job, jobs)
    return min((limit for limit in (share, each) if limit is not None), default=None)


TRAIL = 20
"""How many of the last improvements keep their moves."""


@dataclass
class Findings:
    """What a job has found; see the properties of `_core.Search`."""

    playouts: int = 0
    counts: Counter[str] = field(default_factory=lambda: Counter(_core.counts()))
    """What is counted besides, by its name in the core; see `Counts` in `meter.rs`."""
    seconds: float = 0.0
    score: float | None = None
    moves: list[Any] = field(default_factory=list)
    improvements: list[dict[str, Any]] = field(default_factory=list)
    trail: deque[tuple[int, list[Any]]] = field(default_factory=lambda: deque(maxlen=TRAIL))
    records: dict[str, Any] = field(default_factory=dict)
    """What its algorithm keeps besides, by name; nothing changes the values."""

    def copy(self) -> Self:
        """Return what it is now."""
        parts = ("counts", "improvements", "trail", "records")
        return replace(self, **{name: copy(getattr(self, name)) for name in parts})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        told = {**vars(self), "trail": list(self.trail)}
        return {**told.pop("counts"), **told}

    @classmethod
    def found_by(cls, search: Session, job: int = 0, **more: Any) -> Self:
        """Return what a job of a search has found, apart from counts and records."""
        return cls(
            playouts=search.job_playouts[job],
            score=search.job_scores[job],
            moves=search.job_moves(job),
            improvements=list(search.improvements[job]),
            trail=deque(search.trail[job], TRAIL),
            **more,
        )

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
            playouts=as_count("playouts", data["playouts"]),
            # older files may lack some
            counts=Counter({name: as_count(name, data.get(name, 0)) for name in cls().counts}),
            seconds=as_seconds("seconds", data["seconds"]),
            score=None if score is None else as_number("score", score),
            moves=moves_of(data["moves"]),
            improvements=[
                {
                    "playouts": as_count("playouts", each["playouts"]),
                    "seconds": as_seconds("seconds", each["seconds"]),
                    "score": as_number("score", each["score"]),
                    "level": as_count("level", each["level"]),
                }
                for each in data["improvements"]
            ],
            trail=deque(
                ((as_count("playouts", n), moves_of(m)) for n, m in data["trail"]),
                maxlen=TRAIL,
            ),
            records=dict(data.get("records", {})),  # older files have none
        )


def moves_of(saved: Any) -> list[Any]:
    """Return moves of the core that have been through JSON."""
    return [hashable(move) for move in as_list("moves", saved)]


class Session(Protocol):
    """Jobs that advance side by side: the core's, those of a user's own algorithm, or on workers.

    Between two calls of `advance` nothing changes: what the properties say belongs together. The
    core says all of it itself; here much follows from `reports`, which it does not have.
    """

    elsewhere: bool = False
    """Whether the jobs are in other processes."""
    width: int = 0
    """How many segments run at once on workers."""
    remembered: int = 0
    """Scores that other processes have not asked, since they are remembered."""
    done_by: Mapping[str, int] = MappingProxyType({})
    """The playouts that each worker has done."""
    played: list[Any] | None = None
    """The best sequence as a user's own problem gave it, if this process has played it."""

    def advance(self, limits: Limits) -> Status:
        """Go on with every job, up to these limits."""

    def adopt(self, job: int, moves: list[Any], strength: int, *others: list[Any]) -> float:
        """Make a job take over a sequence from outside, for a front several; return its score."""

    def rest(self, enough: Callable[[], bool], most: float | None) -> None:
        """Wait until every job stands where it can be saved, it is enough, or for most seconds.

        Most jobs can be saved at any time.
        """
        return

    def settle(self) -> None:
        """End what goes on between calls."""

    def save(self) -> list[bytes]:
        """Return the whole state of every job."""

    def restore(self, jobs: list[bytes], codes: Sequence[list[Any]] = ...) -> None:
        """Take what `save` returned, and what `codes` was then."""

    @property
    def reports(self) -> Sequence[Findings]:
        """How each job stands."""

    @property
    def codes(self) -> list[list[Any]]:
        """For each job the codes of a user's own problem, in the order of their numbers.

        There are none if its state has them.
        """
        return [[] for _ in self.reports]

    @property
    def progress(self) -> list[tuple[int, int]]:
        """(iterations done, iterations) of each level of the first job, from level 1 upwards.

        There is nothing if nobody knows how long its levels are.
        """
        return []

    @property
    def playouts(self) -> int:
        """Playouts done by all jobs."""
        return sum(self.job_playouts)

    @property
    def counts(self) -> dict[str, int]:
        """What all jobs have counted besides, by name."""
        of_jobs = [report.counts for report in self.reports]
        return {name: sum(counts[name] for counts in of_jobs) for name in Findings().counts}

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""
        return [report.playouts for report in self.reports]

    @property
    def job_scores(self) -> list[float | None]:
        """The best score of each job; None before its first playout."""
        return [report.score for report in self.reports]

    def job_moves(self, job: int) -> list[Any]:
        """Return the moves of the best sequence of a job."""
        return list(self.reports[job].moves)

    @property
    def score(self) -> float | None:
        """The best score of all jobs; None before the first playout."""
        return max((score for score in self.job_scores if score is not None), default=None)

    @property
    def moves(self) -> list[Any]:
        """The moves of the best sequence; of several best jobs, those of the first."""
        return [] if self.score is None else self.job_moves(self.job_scores.index(self.score))

    @property
    def improvements(self) -> list[list[Any]]:
        """For each job its new best scores in order."""
        return [list(report.improvements) for report in self.reports]

    @property
    def trail(self) -> list[list[tuple[int, list[Any]]]]:
        """For each job the playouts and the moves of its last new best scores."""
        return [list(report.trail) for report in self.reports]

    @property
    def records(self) -> list[dict[str, Any]]:
        """For each job what its algorithm keeps besides, by name, as JSON-able data."""
        return [report.records for report in self.reports]

    @property
    def standings(self) -> list[list[tuple[int, float, bool]]]:
        """For each job the searches of its race: playouts, best score, whether it is still in.

        If it is no race, there are none.
        """
        return [[] for _ in self.reports]

    @property
    def slow_scores(self) -> tuple[int, int]:
        """The slow scores of a user's own problem in this process, and those asked again."""
        return 0, 0
