"""A search whose jobs live in other processes, with the operations of the core's search."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from queue import Empty, Queue
from typing import Any

from nestor.errors import warn
from nestor.runs.elsewhere.executors import STOPPING, LostError, Team
from nestor.runs.elsewhere.segments import Outcome, RemoteError, Setup, Start, State, segment
from nestor.runs.session import Limits, Session, Status, allowed
from nestor.text import counted

FIRST = 0.1
"""Seconds of the first segment of a job; each one may be twice as long as the one before."""

SMALL = 10_000
"""What is asked goes with every segment if it has at most so many bytes."""

RECOUNT = 5.0
"""Seconds between looks at how many workers there are."""

DEATHS = 10
"""So many workers may die one after the other with the same job."""

STILLBORN = 3
"""So many may die if none has done anything yet."""

START_UP = 30.0
"""Seconds that the first segment may come late, as workers have to start."""


class RemoteJob:
    """A job as the first process knows it.

    Attributes
    ----------
    state : State
        After the segments that have come back, with all codes.
    seconds : float
        The length of the next segment.
    deaths : int
        How many workers have died with it since the last segment that came back.
    digest : str
        What stands for the state; empty before the first segment.
    introduced : bool
        Whether the worker of its last segment is likely to have the state and what is asked.
    share : int or None
        How many playouts it may make for now.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.state = State()
        self.digest = ""
        self.seconds = FIRST
        self.deaths = 0
        self.introduced = False
        self.share: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do for now."""
        finished = self.state.status in ("finished", "target")
        return finished or (self.share is not None and self.state.playouts >= self.share)


class WorkersSearch(Session):
    """Jobs that advance segment by segment on the workers of a team.

    It has the methods and properties of `_core.Search`.

    Parameters
    ----------
    asked : Setup
    jobs : int
    team : Team
    """

    elsewhere = True

    def __init__(self, asked: Setup, jobs: int, team: Team) -> None:
        self._asked, self._team = asked, team
        self._packed = asked.packed()
        self._digest = hashlib.sha256(self._packed).hexdigest()
        self._jobs = [RemoteJob(number) for number in range(jobs)]
        self._waiting = deque(self._jobs)
        self._running: dict[int, Future[Outcome | None]] = {}
        self._reached = False
        self._back: Queue[tuple[RemoteJob, Future[Outcome | None]]] = Queue()
        self._counted = float("-inf")
        self.width, self._deserted = 0, False
        self.done_by: Counter[str] = Counter()
        """The playouts that each worker has done."""
        self._other = ""

    def advance(self, limits: Limits) -> Status:
        """Advance the jobs up to these limits.

        Raises
        ------
        LostError
            If there is nothing left that could run segments.
        """
        begun = time.monotonic()
        for job in self._jobs:
            job.share = allowed(limits.playouts, limits.each, job.number, len(self._jobs))
        while True:
            now = time.monotonic()
            self._recount(now)
            cut, first = (
                None if end is None else begun + end - now for end in (limits.cut, limits.first)
            )
            self._send(limits._replace(cut=cut, each=None, first=first))
            if (status := self._status()) != "seconds":
                return status
            if (left := begun + limits.seconds - now) <= 0:
                return "seconds"
            # A run waits longer than a slice only for its first playout, when its time is over.
            lost = self._deserted and now - begun > START_UP
            end = cut if first is None else first
            if lost or (end is not None and end < -START_UP):
                raise LostError(f"no worker has answered for {START_UP:g} seconds")
            with suppress(Empty):
                self._take(*self._back.get(timeout=min(left, 1.0)))

    def settle(self) -> None:
        """Stop the segments and take what they have found so far."""
        self._team.stop()
        end = time.monotonic() + STOPPING
        self._waiting.clear()
        while self._running and (left := end - time.monotonic()) > 0:
            try:
                self._take(*self._back.get(timeout=left))
            except (Empty, LostError):
                break
            self._waiting.clear()
        # A job that has not been heard of may wait for its process to start.
        stuck = [job for job in self._jobs if job.introduced and job.number in self._running]
        for future in self._running.values():
            future.cancel()
        if stuck and time.monotonic() >= end:
            self._running.clear()
            warn(
                f"{counted(len(stuck), 'call')} in other processes did not return within "
                f"{STOPPING:g} s after the end of the run, and what a job had found since it was "
                "heard of last is lost: a score or another method takes long, or never ends"
            )

    def _recount(self, now: float) -> None:
        """Count the workers, if it is time to."""
        if now - self._counted >= RECOUNT:
            width = self._team.width
            self._deserted, self.width = width == 0, width or len(self._jobs)
            self._counted = now

    def _status(self) -> Status:
        if self._reached:
            return "target"
        if all(job.state.status == "finished" for job in self._jobs):
            return "finished"
        return "playouts" if all(job.ended for job in self._jobs) else "seconds"

    def _send(self, limits: Limits) -> None:
        """Start segments of the jobs that have waited longest."""
        for _ in range(len(self._waiting)):
            if len(self._running) >= self.width:
                return
            job = self._waiting.popleft()
            if job.ended:
                self._waiting.append(job)
                continue
            length = job.seconds if job.digest else 0.0
            if limits.cut is not None:
                length = min(length, max(0.0, limits.cut))
            # The games of a job that has been heard of are not its first.
            cut = limits.cut if job.digest or limits.first is None else limits.first
            self._submit(
                job, limits._replace(seconds=length, playouts=job.share, cut=cut, first=None)
            )

    def _submit(self, job: RemoteJob, limits: Limits) -> None:
        """Start a segment."""
        packed = None if job.introduced and len(self._packed) > SMALL else self._packed
        # A job that had to wait goes on anywhere.
        whole = not job.introduced or self.width < len(self._jobs)
        start = Start.at(job.state, job.digest, whole) if job.digest else Start()
        future = self._team.submit(
            segment, self._team.run, self._digest, packed, job.number, start, limits
        )
        self._running[job.number] = future
        future.add_done_callback(lambda future: self._back.put((job, future)))

    def _take(self, job: RemoteJob, future: Future[Outcome | None]) -> None:
        """Take what a segment of a job has done."""
        del self._running[job.number]
        self._waiting.append(job)
        try:
            done = future.result()
        except CancelledError:
            raise LostError("the workers cannot be reached any more") from None
        except Exception as error:
            self._team.check(error)
            job.deaths += not isinstance(error, ImportError)
            if job.deaths == (DEATHS if self.done_by else STILLBORN):
                raise LostError(
                    f"{job.deaths} workers have died one after the other with job {job.number}"
                    f"{self._team.died}"
                ) from None
            self._waiting.rotate(1)
            return
        job.introduced = done is not None
        if done is None:
            self._waiting.rotate(1)
            return
        self._reached |= done.state.status == "target"
        self._set(job, job.state.then(done.state))
        job.deaths = 0
        job.seconds = min(2 * job.seconds, self._team.longest)
        self.done_by[done.worker] += done.playouts
        self.remembered += done.remembered
        if done.others and not self._other:
            self._other = (
                f"worker {done.worker} has another file of the module {done.others[0]} than this "
                "process"
            )
            warn(f"{self._other}: all must have the same rules")
        if done.error is not None:
            text = getattr(done.error, "nestor_traceback", "")
            raise done.error from RemoteError(text)

    def doubted(self, said: str) -> str:
        """Return what is said of rules that change, with what is known of the workers' modules."""
        if self._other:
            return f"{self._other}, which may be why {said}"
        modules = " or ".join(self._asked.modules)
        if not modules:
            return said
        several = f"{', '.join(list(self.done_by)[:3])}{', ...' if len(self.done_by) > 3 else ''}"
        return (
            f"{said}. Or a worker ({several}) has another version of {modules} than this process, "
            "such as one that it imported before a change"
        )

    def _set(self, job: RemoteJob, state: State) -> None:
        """Bring a job to a state."""
        job.state, job.digest = state, state.digest(self._digest, job.number)

    @property
    def reports(self) -> list[State]:
        """How each job stands, after the segments that have come back."""
        return [job.state for job in self._jobs]

    @property
    def progress(self) -> list[tuple[int, int]]:
        """(iterations done, iterations) of each level of the first job, from level 1 upwards."""
        return list(self._jobs[0].state.progress)

    def adopt(self, job: int, moves: list[Any], strength: int, *others: list[Any]) -> float:
        """Make a job that has no segment under way take over a sequence."""
        state = self._jobs[job].state
        search = self._restored(job, state.saved, [list(state.codes)])
        score = search.adopt(0, moves, strength, *others)
        self._set(self._jobs[job], State.of(search, state.status))
        self._jobs[job].introduced = False
        return score

    @property
    def standings(self) -> list[list[tuple[int, float, bool]]]:
        """For each job the searches of its race: playouts, best score, whether it is still in."""
        return [list(job.state.standings) for job in self._jobs]

    @property
    def codes(self) -> list[list[Any]]:
        """For each job the codes of a user's own problem."""
        return [list(job.state.codes) for job in self._jobs]

    def save(self) -> list[bytes]:
        """Return the whole state of every job."""
        return [
            job.state.saved or self._asked.search(1, job.number).save()[0] for job in self._jobs
        ]

    def restore(self, jobs: list[bytes], codes: Sequence[list[Any]] = ()) -> None:
        """Take what `save` returned, and what `codes` was then.

        Raises
        ------
        ValueError
            If it is not the state of such a search.
        """
        for job, saved in zip(self._jobs, jobs, strict=True):
            search = self._restored(job.number, saved, codes[job.number : job.number + 1])
            self._set(job, State.of(search, "seconds"))

    def _restored(self, job: int, saved: bytes, codes: Sequence[list[Any]]) -> Session:
        """Return a job in this process."""
        search = self._asked.search(1, job)
        if saved:
            search.restore([saved], codes)
        return search
