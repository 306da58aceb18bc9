"""Segments: a part of a job, which may run in any process, twice, or again after a death.

What a segment returns depends on its job and on the playouts it makes, and on nothing else: random
numbers come from the place in the search. So the chain of its segments is the job, to the last bit.
"""

from __future__ import annotations

import pickle
import time
import traceback
import zlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from nestor import _core
from nestor.algorithms import Algorithm, Race
from nestor.biases import in_force
from nestor.problems.base import BaseProblem, Cores
from nestor.runs.packing import pack, unpack, worker

SLICE = 0.05
"""Seconds of search between looks at whether to stop."""

LEAST = 0.01
"""Seconds of the shortest segment: time for a playout."""

KEPT = 16
"""How many of the last searches that were asked for a worker keeps."""


@dataclass(frozen=True)
class Asked:
    """What is searched, and how: enough to start any of its jobs anywhere."""

    problem: BaseProblem
    algorithm: Algorithm
    seed: int

    @cached_property
    def in_force(self) -> tuple[list[str], dict[Hashable, float]]:
        """The names of the biases in force, and beta by prior code if there is a prior."""
        return in_force(self.problem, self.algorithm.bias_settings)

    @cached_property
    def _cores(self) -> Cores:
        return self.problem.cores(*self.in_force)

    @cached_property
    def entrants(self) -> list[Entrant]:
        """What a race compares: each algorithm on each variant of the problem; else itself."""
        if not isinstance(self.algorithm, Race):
            return [Entrant(self.algorithm.describe(), self)]
        variants = self.problem.variants() or {"": self.problem}
        return [
            Entrant(
                ", ".join(filter(None, (variant, algorithm.describe()))),
                Asked(problem, algorithm, self.seed),
            )
            for algorithm in self.algorithm.algorithms
            for variant, problem in variants.items()
        ]

    def search(self, jobs: int, first: int = 0) -> _core.Search:
        """Start some jobs, the first with this number."""
        entered = [
            (asked._cores.first, asked.algorithm.core(), asked._cores.prior, asked._cores.others)
            for _, asked in self.entrants
        ]
        if isinstance(self.algorithm, Race):
            race = self.algorithm
            return _core.race(entered, race.first, race.finalists, self.seed, jobs, first)
        core, algorithm, prior, others = entered[0]
        return core.search(algorithm, self.seed, jobs, prior, others, first)

    def packed(self) -> bytes:
        """Return what workers unpack (see `pack`)."""
        return pack((self.problem, self.algorithm, self.seed))


class Entrant(NamedTuple):
    """One of those that a race compares, with its name."""

    name: str
    asked: Asked


class Limits(NamedTuple):
    """How far a segment goes: the arguments of `_core.Search.advance`."""

    seconds: float
    threads: int
    playouts: int | None
    target: float | None
    restart: bool
    cut: float | None
    longest: int


@dataclass
class State:
    """A job after some of its segments, and what is known of it.

    Attributes
    ----------
    status : str
        What `_core.Search.advance` returned.
    saved : bytes
        The state of the search, compressed; empty before the first segment.
    codes : list
        The codes of a user's own problem. A segment returns only those that are new.
    """

    status: str = "seconds"
    saved: bytes = b""
    codes: list[Any] | tuple[Any, ...] = ()
    playouts: int = 0
    score: float | None = None
    moves: list[Any] | tuple[Any, ...] = ()
    improvements: list[Any] | tuple[Any, ...] = ()
    trail: list[Any] | tuple[Any, ...] = ()
    progress: list[tuple[int, int]] | tuple[Any, ...] = ()
    restarts: int = 0
    evaluated: int = 0
    standings: list[tuple[int, float, bool]] | tuple[Any, ...] = ()

    @classmethod
    def of(cls, search: _core.Search, status: str, known: int = 0) -> State:
        """Return the state of a search of one job, without the codes that are known."""
        return cls(
            status,
            zlib.compress(search.save()[0], 1),
            [code for codes in search.codes for code in codes[known:]],
            search.playouts,
            search.score,
            search.moves,
            search.improvements[0],
            search.trail[0],
            search.progress,
            search.restarts,
            search.evaluated,
            search.standings[0],
        )


class Done(NamedTuple):
    """What a segment did: the new state, the worker that made it, and an error if there was one."""

    state: State
    worker: str
    playouts: int
    error: BaseException | None


def segment(
    run: str,
    digest: str,
    packed: bytes | None,
    job: int,
    saved: bytes,
    codes: list[Any],
    limits: Limits,
) -> Done | None:
    """Advance a job from a state, or from its beginning if that is empty.

    Returns None if `packed` is, and the worker does not know what the digest stands for.

    Raises
    ------
    InputError
        If the worker cannot load the problem, or has another version of Nestor.
    """
    asked = _asked(digest, packed)
    if asked is None:
        return None
    search = asked.search(1, job)
    if saved:
        search.restore([zlib.decompress(saved)], [codes])
    before, error, status = search.playouts, None, "seconds"
    end = time.monotonic() + limits.seconds
    try:
        left = max(limits.seconds, LEAST)
        while status == "seconds" and left > 0 and not told_to_stop(run):
            cut = None if limits.cut is None else left + limits.cut - limits.seconds
            status = search.advance(min(SLICE, left), *limits[1:5], cut, limits.longest)
            left = end - time.monotonic()
    except Exception as raised:
        error = _portable(raised)
    state = State.of(search, status, len(codes))
    return Done(state, worker(), search.playouts - before, error)


stopped: set[str] = set()
"""The runs whose segments are to end at once."""

cancelled: Callable[[], bool] = bool
"""Whether all segments are to end at once; the first process of a run may set it."""

_known: dict[str, Asked] = {}


def stop(run: str) -> None:
    """End the segments of a run in this process."""
    stopped.add(run)


def told_to_stop(run: str) -> bool:
    """Whether what is done for a run in this process is to end at once."""
    return run in stopped or cancelled()


def _asked(digest: str, packed: bytes | None) -> Asked | None:
    """Return what a digest stands for, as far as this worker knows."""
    if packed is not None and digest not in _known:
        _known[digest] = Asked(*unpack(packed))
        if len(_known) > KEPT:
            del _known[next(iter(_known))]
    return _known.get(digest)


class RemoteError(Exception):
    """The traceback of an exception on a worker, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _portable(error: BaseException) -> BaseException:
    """Return an exception that can be pickled, with its traceback as text."""
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        told = pickle.loads(pickle.dumps(error))
    except Exception:
        told = RuntimeError(f"{type(error).__name__}: {error}")
    told.nestor_traceback = f"on worker {worker()}:\n{text}"
    return told  # type: ignore[no-any-return]
