"""The search of a user's own algorithm: jobs whose functions run in threads of this process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from nestor.algorithms.own import OwnAlgorithm
from nestor.checks import HIGHEST
from nestor.errors import InputError, warn
from nestor.pareto.keeper import Keeper
from nestor.prior import WithPrior
from nestor.problems.base import BaseProblem
from nestor.research import Key, Playout
from nestor.research.bound import Binding
from nestor.runs.own.job import OwnJob, Saved, Search, Turns, encoded
from nestor.runs.session import AGES, Findings, Limits, Session, Status, allowed

ENDING = 2.0
"""Seconds to wait for functions that were told to end, or have not played when the time is up."""


class OwnSearch(Session):
    """Jobs of a user's own algorithm, with the operations of the core's search.

    Functions run on while nobody looks: what the properties say is how the jobs stood when
    `advance` returned.

    Parameters
    ----------
    problem : BaseProblem
    algorithm : OwnAlgorithm
    in_force : tuple
        The names of the biases in force, and the bias by prior code.
    seed, jobs, first : int
        The number of jobs, and that of the first one.
    """

    def __init__(
        self,
        problem: BaseProblem,
        algorithm: OwnAlgorithm,
        in_force: tuple[Sequence[str], dict[Hashable, float]],
        seed: int,
        jobs: int,
        first: int = 0,
    ) -> None:
        self._name = algorithm.name
        self._turns = Turns()
        make = partial(_bound, problem, *in_force)
        # A user's own problem may fail, and numbers its codes as they come: in each job for itself.
        shared = None if problem.identity is None else make()
        self._jobs = [
            OwnJob(algorithm, shared or make(), Key(seed).child(first + job), self._turns)
            for job in range(jobs)
        ]
        self._seen = [job.seen() for job in self._jobs]

    def advance(self, limits: Limits) -> Status:
        """Let the functions run up to these limits.

        Raises
        ------
        InputError
            If the time of the run is up, and none of the functions plays its first playout.
        Exception
            What a function raised.
        """
        begun = time.monotonic()
        with self._turns.lock:
            self._turns.threads = limits.threads
            for number, job in enumerate(self._jobs):
                limit = allowed(limits.playouts, limits.each, number, len(self._jobs))
                job.limit = HIGHEST if limit is None else limit
                job.target = float("inf") if limits.target is None else limits.target
                job.restart = limits.restart
                cut = limits.cut if limits.first is None else limits.first
                job.bound.core.cut(cut, limits.longest)
            self._turns.lock.notify_all()
        for job in self._jobs:
            job.begin()
        with self._turns.lock:
            while (status := self._status()) == "seconds":
                now = time.monotonic() - begun
                if now >= limits.seconds:
                    break
                silent = now >= ENDING and not any(job.playing for job in self._jobs)
                if silent and limits.seconds >= AGES:
                    self._turns.closed = True
                    raise InputError(
                        f"{self._name} had made no playout when the time was up, nor "
                        f"{ENDING:g} s later{self._jobs[0].place}"
                    )
                self._turns.lock.wait(min(limits.seconds - now, 1.0))
            self._look()
        return status

    @property
    def slow_scores(self) -> tuple[int, int]:
        """The slow scores of all jobs, and those asked again; see `_core.Search.slow_scores`."""
        counts = {id(job.bound.core): job.bound.core.slow_scores for job in self._jobs}.values()
        return sum(slow for slow, _ in counts), sum(again for _, again in counts)

    def tell(self, told: Callable[[int, list[Any], list[Any]], object]) -> None:
        """Have a function called with new bests; see `_core.Search.tell`."""
        for number, job in enumerate(self._jobs):
            job.tell = partial(told, number)

    def rest(self, enough: Callable[[], bool], most: float | None) -> None:
        """Wait until every job stands where its state can be saved, or it is enough.

        There is at least one playout.

        Parameters
        ----------
        enough : callable
            Says whether it is.
        most : float or None
            It is after so many seconds, too.
        """
        end = float("inf") if most is None else time.monotonic() + most
        with self._turns.lock:
            self._turns.resting = True
            self._turns.lock.notify_all()
            while any(job.running and job.waits is None for job in self._jobs):
                played = any(job.found.playouts for job in self._jobs)
                if enough() or (played and time.monotonic() >= end):
                    break
                self._turns.lock.wait(0.01)
            self._look()

    def settle(self) -> None:
        """End all functions; what they have found stays as it is. Warn of one that goes on."""
        with self._turns.lock:
            if self._turns.closed:
                return
            self._look(failing=False)
            self._turns.closed = True
            self._turns.lock.notify_all()
        for job in self._jobs:
            job.bound.core.cut(0.0)
        end = time.monotonic() + ENDING
        for job in self._jobs:
            job.join(max(0.0, end - time.monotonic()))
        if going := [job for job in self._jobs if job.running]:
            warn(
                f"{self._name} did not return within {ENDING:g} s after the end of the run, and "
                f"keeps running in its thread{going[0].place}"
            )

    def _look(self, failing: bool = True) -> None:
        """See how the jobs stand; raise what one of them raised."""
        self._seen = [job.seen() for job in self._jobs]
        for job in self._jobs:
            if failing and job.error is not None:
                raise job.error

    def _status(self) -> Status:
        waits = [job.waits for job in self._jobs]
        if any(job.error is not None for job in self._jobs):
            return "finished"
        if "target" in waits:
            return "target"
        if None in waits or "rest" in waits:
            return "seconds"
        return "finished" if set(waits) == {"finished"} else "playouts"

    @property
    def reports(self) -> list[Findings]:
        """How each job stands."""
        return self._seen

    @property
    def records(self) -> list[dict[str, Any]]:
        """For each job what its function has recorded, by name, as JSON-able data."""
        seen = zip(self._seen, self._jobs, strict=True)
        return [encoded(found.records, job.bound) for found, job in seen]

    def adopt(self, job: int, moves: list[Any], strength: int, *others: list[Any]) -> float:
        """Give a job that has not begun the sequence that it finds in ``search.initial``.

        Of several for a front that is the best of the first objective, and all may be on the front.

        Raises
        ------
        ValueError
            If a move is not legal, or the game goes on after the last one.
        """
        taken, best = self._jobs[job], float("-inf")
        bound = taken.bound
        keeper = Keeper(Search(taken), bound.adapted) if bound.adapted.front else None
        for each in (moves, *others):
            played = bound.blank.follow(each)
            if played.reported > best or not taken.initial:
                best, taken.initial = played.reported, each
            if keeper is not None:
                game = Playout(bound, played)
                keeper.offer(keeper.last(), partial(getattr, game, "moves"), 1)
        taken.count(1, {}, [(1, best, 0)], taken.initial)
        if keeper is not None:
            keeper.record()
        # Before it has yielded anything, the state of the job is its beginning with this sequence.
        taken.saved = Saved([], taken.found.copy())
        self._seen[job] = taken.seen()
        return best

    def save(self) -> list[bytes]:
        """Return the last state that every job has yielded."""
        return [json.dumps(job.save()).encode() for job in self._jobs]

    def restore(self, jobs: list[bytes], codes: Sequence[list[Any]] = ()) -> None:
        """Take what `save` returned.

        Raises
        ------
        ValueError
            If it is not the state of such a search.
        """
        for job, saved in zip(self._jobs, jobs, strict=True):
            try:
                job.restore(json.loads(saved))
            except (LookupError, TypeError, AttributeError) as error:
                raise ValueError(f"not the state of {self._name}: {error!r}") from None
        self._seen = [job.seen() for job in self._jobs]


def _bound(problem: BaseProblem, biases: Sequence[str], betas: dict[Hashable, float]) -> Binding:
    """Return a problem with the biases in force, as the primitives see it."""
    biased = problem.with_bias(biases[0] if biases else "none")
    seen: Any = WithPrior(biased.original, betas) if betas else biased.original
    return Binding(seen, biased, problem.cores(biases, betas))
