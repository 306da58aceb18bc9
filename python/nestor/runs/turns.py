"""Turns: how the jobs of a run whose algorithm is a user's own share its threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

TURN = 0.05
"""Seconds after which a job lets others run, if there are more jobs than threads."""


class EndedError(BaseException):
    """The run is over: what the function does is to end."""


class Waiting(Protocol):
    """What waits for turns.

    Attributes
    ----------
    stands : str or None
        Why it waits, unless for a turn.
    """

    stands: str | None


class Turns:
    """What the jobs of a run share: a lock, and turns on so many threads.

    Attributes
    ----------
    lock : threading.Condition
    threads : int
        How many functions may run at once.
    resting : bool
        Whether jobs are to wait wherever their state can be saved.
    closed : bool
        Whether the run is over.
    """

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.threads, self.resting, self.closed = 1, False, False
        self._running: dict[Waiting, float] = {}
        self._queue: deque[Waiting] = deque()

    def check(self) -> None:
        """Raise `EndedError` if the run is over."""
        if self.closed:
            raise EndedError

    def take(self, job: Waiting, why_not: Callable[[], str | None]) -> None:
        """Wait until a job may go on and has a turn; have the lock for this."""
        while True:
            self.check()
            job.stands = why_not()
            begun = self._running.get(job)
            fresh = begun is not None and time.monotonic() - begun < TURN
            if job.stands is None and (fresh or (begun is not None and not self._queue)):
                return
            self.leave(job)
            if job.stands is None:
                self._queue.append(job)
            while self._queue and len(self._running) < self.threads:
                self._running[self._queue.popleft()] = time.monotonic()
            if job in self._running:
                return
            self.lock.wait()

    def leave(self, job: Waiting) -> None:
        """Give the turn of a job to others."""
        self._running.pop(job, None)
        if job in self._queue:
            self._queue.remove(job)
        self.lock.notify_all()
