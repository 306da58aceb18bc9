"""Islands: jobs that take over each other's best sequences, at places counted in playouts.

Jobs meet whenever each has done a multiple of so many playouts. There every job looks at the best
sequence of all jobs, or of its neighbour on a ring. If that is better than anything that the job
has had, the job takes it over into its top level. It counts as a playout of that job, so a second
look at the same place changes nothing: a run may be saved and resumed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nestor.algorithms.base import Algorithm
from nestor.errors import InputError
from nestor.runs.advancing import share_of
from nestor.runs.limits import Resources

STRENGTH = 1
"""How often the top level adapts to a sequence: as it does to what a child has found."""


class Adopting(Protocol):
    """What an exchange needs of jobs, wherever they run."""

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""

    @property
    def job_scores(self) -> list[float | None]:
        """The best score of each job; None before its first playout."""

    def job_moves(self, job: int) -> list[Any]:
        """Return the moves of the best sequence of a job."""

    def adopt(self, job: int, moves: list[Any], strength: int) -> float:
        """Make a job take over a sequence."""


@dataclass(frozen=True)
class Exchange:
    """When jobs meet, and whom they look at.

    Attributes
    ----------
    every : int
        Playouts of each job between meetings.
    topology : {"all", "ring"}
    """

    every: int
    topology: str

    @classmethod
    def of(cls, used: Resources, limited: bool, algorithm: Algorithm) -> Exchange | None:
        """Return when the jobs of a run take over sequences of others, if they do.

        Raises
        ------
        InputError
            If there is one job, no limit, or an algorithm whose jobs take nothing over.
        """
        if used.exchange is None:
            return None
        if used.jobs == 1:
            raise InputError("exchange needs several jobs: give their number (jobs)")
        if not limited:
            raise InputError("exchange needs a budget: seconds, playouts, a target or a stop")
        if algorithm.no_exchange:
            raise InputError(f"exchange: {algorithm.no_exchange}")
        return cls(used.exchange, used.topology)

    def meet(self, jobs: Adopting, playouts: int | None) -> int:
        """Exchange if all jobs stand at a meeting; return how far each may go until the next one.

        Parameters
        ----------
        jobs : Adopting
        playouts : int or None
            The budget of all jobs together: jobs that have used up theirs take nothing over.
        """
        done = jobs.job_playouts
        least, count = min(done), len(done)
        if least == max(done) and least > 0 and least % self.every == 0:
            sources = sources_of(jobs.job_scores, self.topology)
            found = {s: jobs.job_moves(s) for s in sources if s is not None}
            for job, source in enumerate(sources):
                left = playouts is None or least < share_of(playouts, job, count)
                if source is not None and left:
                    jobs.adopt(job, found[source], STRENGTH)
        return (least // self.every + 1) * self.every


def sources_of(scores: Sequence[float | None], topology: str) -> list[int | None]:
    """Return for each job the one whose best sequence it takes over, if any.

    With "all" that is the first job with the best score, with "ring" the job before it; in both
    cases only if that score is better than the job's own.
    """
    known = [float("-inf") if score is None else score for score in scores]
    best = known.index(max(known))
    sources = [best if topology == "all" else job - 1 for job in range(len(known))]
    sources = [source % len(known) for source in sources]
    pairs = zip(sources, known, strict=True)
    return [source if known[source] > own else None for source, own in pairs]
