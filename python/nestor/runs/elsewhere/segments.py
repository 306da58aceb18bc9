"""Segments: a part of a job, which may run in any process, twice, or again after a death.

What a segment returns depends on its job and on the playouts it makes, and on nothing else: random
numbers come from the place in the search. So the chain of its segments is the job, to the last bit.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import sys
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from nestor.algorithms import Algorithm
from nestor.algorithms.own import OwnAlgorithm, SavedAlgorithm
from nestor.algorithms.race import texts_of
from nestor.biases import in_force
from nestor.errors import InputError, is_ours, users_frames
from nestor.problems.base import BaseProblem, Cores
from nestor.runs.elsewhere.processes import expand, pack, squeeze, unpack, worker
from nestor.runs.own.search import OwnSearch
from nestor.runs.session import Findings, Limits, Session, advancing

SLICE = 0.05
"""Seconds of search between looks at whether to stop."""

LEAST = 0.01
"""Seconds of the shortest segment: time for a playout."""

SHORT = 1e-6
"""Seconds in which a search makes hardly more than one playout."""

REST = 0.2
"""How much longer a segment may be, as a share of it, to end where the state is small."""

KEPT = 16
"""How many of the last searches that were asked for, and of the last states, a worker keeps."""


@dataclass(frozen=True)
class Setup:
    """What is searched, and how: enough to start any of its jobs anywhere."""

    problem: BaseProblem
    algorithm: Algorithm
    seed: int
    others: tuple[str, ...] = ()
    """The modules of which this process has another file than the one that asks."""

    @cached_property
    def in_force(self) -> tuple[list[str], dict[Hashable, float]]:
        """The names of the biases in force, and beta by prior code if there is a prior."""
        return in_force(self.problem, self.algorithm.bias_settings)

    @cached_property
    def _cores(self) -> Cores:
        guide = self.algorithm.bias_settings.guide
        return self.problem.cores(*self.in_force) if guide is None else self.problem.guided(guide)

    @cached_property
    def entrants(self) -> list[Entrant]:
        """What a race compares: each algorithm on each variant of the problem; else itself."""
        raced = self.algorithm.raced
        if raced is None:
            return [Entrant(self.algorithm.describe(), self)]
        variants = self.problem.variants() or {"": self.problem}
        return [
            Entrant(
                ", ".join(filter(None, (variant, text))),
                Setup(problem, algorithm, self.seed),
            )
            for algorithm, text in zip(raced, texts_of(raced), strict=True)
            for variant, problem in variants.items()
        ]

    def search(self, jobs: int, first: int = 0) -> Session:
        """Start some jobs, the first with this number."""
        if isinstance(self.algorithm, OwnAlgorithm | SavedAlgorithm):
            # One of a file has no code: its state can be read, but it cannot advance.
            own = cast("OwnAlgorithm", self.algorithm)
            return OwnSearch(self.problem, own, self.in_force, self.seed, jobs, first)
        entered = [
            (asked._cores.first, asked.algorithm.core(), asked._cores.prior, asked._cores.others)
            for _, asked in self.entrants
        ]
        core = self._cores.first
        if improver := self.algorithm.raced_improver:
            entered.append((core, improver.core(), None, []))
        search = core.search(self.algorithm.core(), self.seed, jobs, first=first, entrants=entered)
        # It keeps no front, for which there may be several sequences to adopt.
        return cast("Session", search)

    def check(self) -> str:
        """Check that the algorithm goes with the problem; return the names of the biases in force.

        Raises
        ------
        InputError
            If it does not, if there is no such bias or prior, or if its code is not here.
        """
        if not self.algorithm.has_code:
            raise InputError(
                f"algorithm: {self.algorithm.name} comes from a file, without its code"
            )
        if self.problem.front and not self.algorithm.keeps_fronts:
            raise InputError(
                f"{self.algorithm.name} looks for the best of one score, and "
                f"{self.problem.short_name} asks for a front (objectives): give its scores an "
                "order with objectives = 'lexicographic', or use ParetoNRPA or ParetoLocalSearch"
            )
        self.algorithm.check_fits(self.problem, self._biases)
        for _, asked in self.entrants:
            asked.algorithm.check_fits(asked.problem, asked._biases)
        named = ("+".join(asked._biases) or "none" for _, asked in self.entrants)
        return " / ".join(dict.fromkeys(named))

    @property
    def _biases(self) -> list[str]:
        """The names of the biases in force, the prior last."""
        names, betas = self.in_force
        if (guide := self.algorithm.bias_settings.guide) is not None:
            return [str(guide)]
        return [*names, self.algorithm.bias_settings.prior_name] if betas else names

    def packed(self) -> bytes:
        """Return what workers unpack (see `pack`)."""
        parts = {"problem": self.problem, "algorithm": self.algorithm}
        files = {name: digest for name in self.modules if (digest := _digest_of_file(name))}
        return pack((*parts.values(), self.seed, files), **parts)

    @property
    def modules(self) -> list[str]:
        """The modules of the user that problem and algorithm come from."""
        kind = getattr(self.algorithm, "function", type(self.algorithm))
        named = ((self.problem.reference or "").partition(":")[0], kind.__module__)
        own = (name for name in named if not name.startswith("nestor.") and name != "__main__")
        return list(filter(None, dict.fromkeys(own)))


def _digest_of_file(module: str) -> str:
    """Return what tells the file of a module; empty if it has none."""
    with suppress(KeyError, OSError, TypeError):
        return hashlib.sha256(Path(sys.modules[module].__file__ or "").read_bytes()).hexdigest()
    return ""


class Entrant(NamedTuple):
    """One of those that a race compares, with its name."""

    name: str
    asked: Setup


@dataclass
class State(Findings):
    """A job after some of its segments, and what it has found.

    Attributes
    ----------
    status : str
        What `_core.Search.advance` returned.
    saved : bytes
        The state of the search; empty before the first segment.
    codes : list
        The codes of a user's own problem.
    """

    status: str = "seconds"
    saved: bytes = b""
    codes: list[Any] = field(default_factory=list)
    progress: list[tuple[int, int]] = field(default_factory=list)
    standings: list[tuple[int, float, bool]] = field(default_factory=list)

    @classmethod
    def of(cls, search: Session, status: str) -> State:
        """Return the state of a search of one job."""
        return cls.found_by(
            search,
            counts=Counter(search.counts),
            records=search.records[0],
            status=status,
            saved=search.save()[0],
            codes=[code for codes in search.codes for code in codes],
            progress=search.progress,
            standings=search.standings[0],
        )

    def since(self, before: State) -> State:
        """Return the difference to a state before: little, and enough for `then`.

        It has no moves of sequences that are known there.
        """
        known = {playouts for playouts, _ in before.trail}
        return replace(
            self,
            saved=squeeze(self.saved, before.saved),
            codes=self.codes[len(before.codes) :],
            moves=[] if self.moves == before.moves else self.moves,
            improvements=self.improvements[len(before.improvements) :],
            trail=deque((at, [] if at in known else moves) for at, moves in self.trail),
        )

    def then(self, difference: State) -> State:
        """Return the state after this one, from its difference to this one."""
        known = dict(self.trail)
        return replace(
            difference,
            saved=expand(difference.saved, self.saved),
            codes=[*self.codes, *difference.codes],
            moves=difference.moves or self.moves,
            improvements=[*self.improvements, *difference.improvements],
            trail=deque((at, moves or known.get(at, [])) for at, moves in difference.trail),
        )

    def digest(self, asked: str, job: int) -> str:
        """Return what stands for the state of a job."""
        return hashlib.sha256(b"%s %d " % (asked.encode(), job) + self.saved).hexdigest()


class Start(NamedTuple):
    """Where a segment begins: the whole state, or only its digest if the worker may have it.

    The digest is empty at the beginning of a job.
    """

    digest: str = ""
    saved: bytes | None = b""
    codes: list[Any] | tuple[Any, ...] = ()

    @classmethod
    def at(cls, state: State, digest: str, whole: bool) -> Start:
        """Return a start at a state."""
        return cls(digest, squeeze(state.saved), state.codes) if whole else cls(digest, None)


class Outcome(NamedTuple):
    """What a segment did, the worker that did it, and an error if there was one.

    The state is its difference to the one at the start. `remembered` is how many scores were not
    asked; `others` are modules of which the worker has another file.
    """

    state: State
    worker: str
    playouts: int
    error: BaseException | None
    remembered: int
    others: tuple[str, ...]


def segment(
    run: str, digest: str, packed: bytes | None, job: int, start: Start, limits: Limits
) -> Outcome | None:
    """Advance a job. A first segment without any seconds makes a playout, or hardly more.

    Returns None if a digest comes alone, and the worker does not know what it stands for.

    Raises
    ------
    RefusedError
        If the worker cannot load problem or algorithm, or has another version of Nestor.
    """
    asked = _asked(digest, packed)
    known = _state(start)
    if asked is None or known is None:
        return None
    asked.problem.end_in(math.inf if limits.cut is None else limits.cut)
    search, before = asked.search(1, job), State()
    if start.digest:
        search.restore([known[0]], [known[1]])
        before = State.of(search, "seconds")
    error, status = None, "seconds"
    try:
        begins = not (start.digest or limits.seconds)
        status = (_begin if begins else _advance)(search, run, limits)
        if status == "seconds":
            search.rest(lambda: told_to_stop(run), limits.cut)
    except (Exception, SystemExit) as raised:
        error = portable(raised)
    search.settle()
    state = State.of(search, status)
    _keep(_states, state.digest(digest, job), (state.saved, list(state.codes)))
    scores = asked.problem.remembered
    hits = 0 if scores is None else scores.new_hits()
    playouts = state.playouts - before.playouts
    return Outcome(state.since(before), worker(), playouts, error, hits, asked.others)


def _advance(search: Session, run: str, limits: Limits) -> str:
    """Advance a search, and go on to a place where its state is small if that is near."""
    before = search.playouts
    status = _go(search, run, limits, limits.playouts)
    most = REST * (search.playouts - before)
    goals = [search.playouts + left for left in _lefts(search.progress) if left <= most]
    if limits.playouts is not None:
        goals = [goal for goal in goals if goal < limits.playouts]
    if status != "seconds" or not goals:
        return status
    cut = None if limits.cut is None else max(0.0, limits.cut - limits.seconds)
    more = min(2 * REST * limits.seconds, math.inf if cut is None else cut)
    status = _go(search, run, limits._replace(seconds=more, cut=cut), max(goals))
    return "seconds" if status == "playouts" else status


def _begin(search: Session, run: str, limits: Limits) -> str:
    """Advance a search to its first playout or little further.

    So there is something to report if a later call does not return.
    """
    seconds, status, begun = SHORT, "seconds", time.monotonic()
    while status == "seconds" and not search.playouts and not told_to_stop(run):
        cut = None if limits.cut is None else limits.cut - (time.monotonic() - begun)
        with advancing():
            status = search.advance(limits._replace(seconds=seconds, cut=cut))
        seconds = min(2 * seconds, SLICE)
    return status


def _go(search: Session, run: str, limits: Limits, playouts: int | None) -> str:
    """Advance a search for its time."""
    end = time.monotonic() + limits.seconds
    left, status = max(limits.seconds, LEAST), "seconds"
    while status == "seconds" and left > 0 and not told_to_stop(run):
        cut = None if limits.cut is None else left + limits.cut - limits.seconds
        now = limits._replace(seconds=min(SLICE, left), playouts=playouts, cut=cut)
        with advancing():
            status = search.advance(now)
        left = end - time.monotonic()
    return status


def _lefts(progress: list[tuple[int, int]]) -> list[int]:
    """Return the playouts to the ends of the searches of levels 1 and 2 that are under way.

    At the end of a search its policy and its best sequence are gone.
    """
    if len(progress) < 3 or not any(done for done, _ in progress[:2]):
        return []
    (first, size), (second, count) = progress[:2]
    return [size - first, (count - second) * size - first]


stopped: set[str] = set()
"""The runs whose segments are to end at once."""

cancelled: Callable[[], bool] = bool
"""Whether all segments are to end at once; the first process of a run may set it."""

_known: dict[str, Setup] = {}

_states: dict[str, tuple[bytes, list[Any]]] = {}
"""The states that segments of this process have ended with, by digest."""

_keeping = threading.Lock()


def stop(run: str) -> None:
    """End the segments of a run in this process."""
    stopped.add(run)


def told_to_stop(run: str) -> bool:
    """Whether what is done for a run in this process is to end at once."""
    return run in stopped or cancelled()


def _asked(digest: str, packed: bytes | None) -> Setup | None:
    """Return what a digest stands for, as far as this worker knows."""
    if packed is not None and digest not in _known:
        problem, algorithm, seed, files = unpack(packed)
        others = (name for name, there in files.items() if _digest_of_file(name) not in ("", there))
        _keep(_known, digest, Setup(problem, algorithm, seed, tuple(others)))
    return _known.get(digest)


def _state(start: Start) -> tuple[bytes, list[Any]] | None:
    """Return the state of a start and its codes, as far as this worker knows."""
    if start.saved is None:
        return _states.get(start.digest)
    return expand(start.saved) if start.saved else b"", list(start.codes)


def _keep(kept: dict[str, Any], digest: str, value: Any) -> None:
    """Keep something, and forget the oldest if there is too much."""
    with _keeping:
        kept[digest] = value
        if len(kept) > KEPT:
            del kept[next(iter(kept))]


class RemoteError(Exception):
    """The traceback of an exception in another process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def portable(error: BaseException) -> BaseException:
    """Return an exception that can be pickled, with its traceback in the user's code as text.

    It is one of its class if that can be made again, and again, from its arguments, and still says
    the same; otherwise it is a `RuntimeError` with its name and text.
    """
    frames = users_frames(error.__traceback__) or error.__traceback__
    text = "".join(traceback.format_exception(type(error), error, frames)).rstrip()
    told: Any = error
    try:
        for _ in range(2):
            told = pickle.loads(pickle.dumps(told))
        fine = str(told) == str(error)
    except Exception:
        fine = False
    if not fine:
        told = RuntimeError(f"{type(error).__name__}: {error}")
    told.nestor_traceback = f"in process {worker()}:\n{text}"
    told.nestor_ours = is_ours(error)
    return told  # type: ignore[no-any-return]
