"""When a run stops besides its budget, and the watch that tells of new bests on the way."""

from __future__ import annotations

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from multiprocessing import parent_process
from typing import Any, Literal

from nestor.checks import as_count, as_positive, shown
from nestor.errors import InputError, VerificationError, warn
from nestor.objectives import FRONT
from nestor.problems.base import BaseProblem, Solution
from nestor.runs.session import Status
from nestor.safe import tell

Reason = (
    Literal["target", "seconds", "playouts", "finished"]
    | Literal["no_improvement", "first_solved", "cancelled"]
)
"""Why a stop ends a run: the first four are those of a budget."""

_CALLS: ContextVar[tuple[list[str], ...]] = ContextVar("_CALLS", default=())
"""What has stopped each of the calls under way, one within another, that signals end."""

_TERMINATED = threading.Event()
"""Whether SIGTERM has ended a search, and is to end the program when it begins another one."""


class Stop(ABC):
    """When to stop. Several are joined with ``|``: the first one that holds ends the run."""

    solutions = False
    """Whether it looks at solutions."""
    limited = True
    """Whether it ends every run at some time, so that a search may begin again and again."""

    @property
    def parts(self) -> tuple[Stop, ...]:
        """The stops that it joins; itself if it joins none."""
        return (self,)

    def meeting(self, watch: Watch) -> int | None:
        """Return how many playouts each job may do before all have been looked at."""
        return None

    @abstractmethod
    def reason(self, watch: Watch) -> Reason | None:
        """Return the stop reason if it holds."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __or__(self, other: Stop) -> Stop:
        return FirstOf(self.parts + other.parts) if isinstance(other, Stop) else NotImplemented


@dataclass(frozen=True, repr=False)
class NoImprovement(Stop):
    """Stop when the best score has not improved for some time or some playouts.

    The stop reason is "no_improvement". Counted in playouts, the end is the same on any number of
    threads.

    Parameters
    ----------
    seconds : float, optional
        Wall time since the last new best score, in seconds. Positive, at most 1e9.
    playouts : int, optional
        Playouts of all jobs together since then. Each job does its share of them; jobs are compared
        where they have done equally many. At least 1.

    Raises
    ------
    InputError
        If neither is given, or one is out of range.

    Examples
    --------
    >>> import nestor
    >>> from nestor.problems import Morpion
    >>> stop = nestor.NoImprovement(playouts=300)
    >>> nestor.solve(Morpion("4D"), nestor.NRPA(2, 20), stop=stop, seed=1).stop_reason
    'no_improvement'
    """

    seconds: float | None = None
    playouts: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.playouts is None:
            raise InputError("NoImprovement needs seconds or playouts")
        if self.seconds is not None:
            object.__setattr__(self, "seconds", as_positive("seconds", self.seconds, 1e9))
        if self.playouts is not None:
            count = as_count("playouts", self.playouts, 1)
            object.__setattr__(self, "playouts", count)

    def meeting(self, watch: Watch) -> int | None:
        """Return the playouts at which a job stops unless there is an improvement before."""
        if self.playouts is None:
            return None
        done = watch.job_playouts
        return _last_improved(watch.improvements, min(done)) + -(-self.playouts // len(done))

    def __repr__(self) -> str:
        given = {name: value for name, value in vars(self).items() if value is not None}
        return f"NoImprovement({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def reason(self, watch: Watch) -> Reason | None:
        """Return "no_improvement" if it holds."""
        meeting = self.meeting(watch)
        over = meeting is not None and min(watch.job_playouts) >= meeting
        late = self.seconds is not None and watch.still >= self.seconds
        return "no_improvement" if over or late else None


def _last_improved(improvements: Sequence[Sequence[Any]], known: int) -> int:
    """Return after how many playouts of each job the best score of all improved last.

    Only the first `known` playouts count, which all jobs have done.
    """
    found = [(each["playouts"], -each["score"]) for job in improvements for each in job]
    best, last = float("inf"), 0
    for playouts, score in sorted(found):
        if playouts <= known and (score < best or last == 0):
            best, last = score, playouts
    return last


class FirstSolved(Stop):
    """Stop when the best solution meets every constraint: a tour in time, a cleared board.

    The stop reason is "first_solved". The run checks about 20 times a second.
    """

    solutions = True

    def reason(self, watch: Watch) -> Reason | None:
        """Return "first_solved" if it holds."""
        return "first_solved" if watch.solved else None


class Cancel(Stop):
    """Stop when `set` is called, from any thread, as with `threading.Event`.

    The stop reason is "cancelled", and the result is the best so far. The run checks about 20 times
    a second, so it ends within a tenth of a second, or after the current playout. One playout is
    made in any case. A cancel ends every run that has it, now or later, and does not count as a
    limit: a run that has no other one ends when its search is finished.

    Examples
    --------
    >>> import threading
    >>> import nestor
    >>> from nestor.problems import Morpion
    >>> cancel = nestor.Cancel()
    >>> threading.Timer(0.2, cancel.set).start()
    >>> nestor.solve(Morpion("5D"), seconds=3600, stop=cancel).stop_reason
    'cancelled'
    """

    limited = False

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        """End every run that has this stop; a signal handler may call it, too."""
        # One assignment and no lock: a signal handler may interrupt another call of this.
        self._set = True

    def is_set(self) -> bool:
        """Whether `set` has been called."""
        return self._set

    def reason(self, watch: Watch) -> Reason | None:
        """Return "cancelled" if it is set and the search has more to do."""
        return "cancelled" if self._set and watch.status == "seconds" else None


def is_cancelled(stop: Stop | None) -> bool:
    """Whether a run with this stop is to end because of a `Cancel`."""
    parts = () if stop is None else stop.parts
    return any(part.is_set() for part in parts if isinstance(part, Cancel))


@dataclass(frozen=True, repr=False)
class FirstOf(Stop):
    """Several stops: the first one that holds ends the run."""

    stops: tuple[Stop, ...]

    @property
    def parts(self) -> tuple[Stop, ...]:
        """The stops that it joins."""
        return self.stops

    @property
    def limited(self) -> bool:  # type: ignore[override]
        """Whether one of them ends every run."""
        return any(stop.limited for stop in self.stops)

    def meeting(self, watch: Watch) -> int | None:
        """Return the least of theirs."""
        meetings = (stop.meeting(watch) for stop in self.stops)
        return min((each for each in meetings if each is not None), default=None)

    def reason(self, watch: Watch) -> Reason | None:
        """Return the reason of the first one that holds."""
        reasons = (stop.reason(watch) for stop in self.stops)
        return next((reason for reason in reasons if reason is not None), None)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.stops))


def check_stop(stop: object) -> Stop | None:
    """Return a stop, or None.

    Raises
    ------
    InputError
        If it is something else.
    """
    if stop is None or isinstance(stop, Stop):
        return stop
    raise InputError(
        "stop must be NoImprovement(...), FirstSolved(), Cancel() or several joined by |, "
        f"not {shown(stop)}"
    )


OnImprovement = Callable[[float, Solution], object]

REST = 9.0
"""How long improvements wait after one was verified, as a multiple of what that took."""


class Watch:
    """Looks at the jobs of a run between slices of search; what a stop may look at.

    Parameters
    ----------
    problem : BaseProblem
    search : _core.Search
    stop : Stop, optional
    on_improvement : callable, optional
        See `nestor.solve`.

    Attributes
    ----------
    status : str
        Why the search has returned: "seconds" if it has more to do, else what it has met.
    still : float
        Wall time since the last new best score, or since this part of the run began.
    solved : bool or None
        Whether the best solution meets every constraint; None without constraints or a solution.
    """

    def __init__(
        self,
        problem: BaseProblem,
        search: Any,
        stop: Stop | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> None:
        self._problem, self._search = problem, search
        self._stop, self._on_improvement = stop, on_improvement
        self._score: float | None = None
        self._improved: float | None = None
        self._told, self._next = True, 0.0
        self.status: Status = "seconds"
        self.still = 0.0
        self.solved: bool | None = None
        self._warned = False
        self._taken = 0

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""
        return self._search.job_playouts  # type: ignore[no-any-return]

    @property
    def improvements(self) -> list[list[Any]]:
        """For each job its new best scores in order; of a front all that came onto it."""
        if not self._problem.front:
            return self._search.improvements  # type: ignore[no-any-return]
        return [
            [
                {"playouts": each["playouts"], "score": each["playouts"]}
                for name, each in records.items()
                if name.startswith(FRONT)
            ]
            for records in self._search.records
        ]

    def meeting(self) -> int | None:
        """Return how many playouts each job may do before the next look."""
        return None if self._stop is None else self._stop.meeting(self)

    def look(
        self, elapsed: float, status: Status = "seconds"
    ) -> Reason | Literal["callback"] | None:
        """Look at the jobs after so many seconds of the run; return the reason to stop, if any.

        Verifying new bests for `on_improvement` takes at most a tenth of the time. Of the first
        solution that the verifier refuses it warns; of none it tells.

        Raises
        ------
        InputError
            If the run is to stop at a solution of a problem without constraints.
        """
        self.status = status
        score = self._search.score
        if self._improved is None:
            self._improved = elapsed
        if score is not None and (self._score is None or score > self._score):
            self._score, self._improved, self._told = score, elapsed, False
        wanted = self._stop is not None and any(each.solutions for each in self._stop.parts)
        if score is not None and not self._told and (wanted or elapsed >= self._next):
            self._told, begun = True, time.monotonic()
            solution = self._verified(score, wanted)
            self._next = elapsed + (1 + REST) * (time.monotonic() - begun)
            tell, natural = self._on_improvement, self._problem.natural(score)
            if tell and solution is not None and tell(natural, solution) is False:
                return "callback"
        if self._problem.front and self._stop is not None:
            taken = sum(map(len, self.improvements))
            if taken > self._taken:
                self._taken, self._improved = taken, elapsed
        self.still = elapsed - self._improved
        return None if self._stop is None else self._stop.reason(self)

    def _verified(self, score: float, wanted: bool) -> Solution | None:
        """Return the best solution if somebody asks for it and the verifier accepts it."""
        if not wanted and self._on_improvement is None:
            return None
        natural = self._problem.natural(score)
        solution = self._problem.solution(self._problem.moves_of(self._search.moves, score))
        try:
            solution.confirm_within(natural, 0.0)
        except VerificationError as error:
            if not self._warned:
                told = self._problem.show_score(natural)
                warn(f"a solution of score {told} is refused by the verifier: {error}")
            self._warned = True
            return None
        self.solved = solution.solved
        if wanted and self.solved is None:
            raise InputError(f"stop: {self._problem.name} has no constraints that make it solved")
        return solution


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt in the main thread, unless somebody else handles it.

    A line says so at the end: a program that does not ask for the stop reason goes on. After
    SIGTERM it does until its next search, which exits.
    A process that `multiprocessing` has started is left alone: who has started it may want its end.
    """
    if threading.current_thread() is not threading.main_thread() or parent_process():
        yield
        return
    came: list[str] = []
    token = _CALLS.set((*_CALLS.get(), came))

    def stop(*_: object) -> None:
        came.append("SIGTERM")
        raise KeyboardInterrupt

    free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if free and _TERMINATED.is_set():
        tell("stopped by SIGTERM: no other search begins", error=True)
        raise SystemExit(128 + signal.SIGTERM)
    if free:
        signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        _CALLS.reset(token)
        if free and signal.getsignal(signal.SIGTERM) is stop:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for name in came[:1]:
        until = ""
        if name == "SIGTERM":
            _TERMINATED.set()
            until = " until its next search"
        told = f"the result has what was found, and the program goes on{until}"
        tell(f"stopped by {name}: {told}", error=True)


def note_interrupted(reason: str) -> None:
    """Have the same said of a result with this stop reason after Ctrl-C.

    Calls within others leave it to them, and commands, which have a handler of their own, say it
    themselves.
    """
    calls, handler = _CALLS.get(), signal.getsignal(signal.SIGINT)
    if reason == "interrupted" and len(calls) == 1 and handler is signal.default_int_handler:
        calls[0].append("Ctrl-C")
