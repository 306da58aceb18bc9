"""What a search is asked for when it is advanced: how far it may go, and each job of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

from nestor import _core

Status = Literal["target", "finished", "playouts", "seconds"]
"""Why `advance` has returned; "seconds" if there is more to do."""


AGES = 1e9
"""More seconds than a playout takes."""


class Limits(NamedTuple):
    """How far a search goes: the arguments of `_core.Search.advance`, in its order."""

    seconds: float
    threads: int
    playouts: int | None = None
    target: float | None = None
    restart: bool = True
    cut: float | None = None
    longest: int = 10_000
    each: int | None = None


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
