"""A job of a user's own algorithm: its function runs in a thread, held back by a meter.

The primitives of `nestor.research` ask the meter before each slice of playouts, and wait there
until more are allowed. So a run can stop at any playout and go on, whatever the function does.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from nestor.algorithms.own import OwnAlgorithm
from nestor.checks import array_data, as_number, check_text, shown
from nestor.errors import InputError, place_of
from nestor.problem import Problem, hashable
from nestor.research import Key, Playout, Policy
from nestor.research.bound import RUNNING, Binding, NewBest, Running
from nestor.runs.session import Findings, moves_of

TURN = 0.05
"""Seconds after which a job lets others run, if there are more jobs than threads."""


class EndedError(BaseException):
    """The run is over: what the function does is to end."""


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
        self._running: dict[OwnJob, float] = {}
        self._queue: deque[OwnJob] = deque()

    def check(self) -> None:
        """Raise `EndedError` if the run is over."""
        if self.closed:
            raise EndedError

    def take(self, job: OwnJob, why_not: Callable[[], str | None]) -> None:
        """Wait until a job may go on and has a turn; have the lock for this."""
        while True:
            self.check()
            job.waits = why_not()
            begun = self._running.get(job)
            fresh = begun is not None and time.monotonic() - begun < TURN
            if job.waits is None and (fresh or (begun is not None and not self._queue)):
                return
            self.leave(job)
            if job.waits is None:
                self._queue.append(job)
            while self._queue and len(self._running) < self.threads:
                self._running[self._queue.popleft()] = time.monotonic()
            if job in self._running:
                return
            self.lock.wait()

    def leave(self, job: OwnJob) -> None:
        """Give the turn of a job to others."""
        self._running.pop(job, None)
        if job in self._queue:
            self._queue.remove(job)
        self.lock.notify_all()


MARK = "$"
"""How the only key begins of an object that stands for something else than a dict."""


def frozen(value: Any, where: str) -> Any:
    """Return a copy of a state that nothing changes any more.

    Raises
    ------
    InputError
        If something in it cannot be saved; the message begins with `where`.
    """
    if isinstance(value, Policy):
        return value.copy()
    if type(value) in (list, tuple):  # a named tuple would come back as another type
        return type(value)(frozen(each, where) for each in value)
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith(MARK) for key in value):
            return {key: frozen(each, where) for key, each in value.items()}
        raise InputError(f"{where}: the keys of a dict must be texts, without {MARK} at the start")
    if value is None or isinstance(value, bool | int | float | str | Playout | Key):
        return value
    with suppress(TypeError):
        return frozen(array_data(value), where)
    raise InputError(
        f"{where}: a state is made of numbers, texts, plain lists and tuples, dicts, Policy, "
        f"Playout and Key, not {shown(value)}"
    )


def encoded(value: Any, bound: Binding) -> Any:
    """Return a frozen state in a form that JSON has.

    Raises
    ------
    InputError
        If a policy has codes that have no such form.
    """
    match value:
        case Policy():
            return {"$policy": [bound.written(value.weights), list(value.weights.values())]}
        case Playout():
            return {"$playout": value._core.moves}
        case Key():
            return {"$key": value.value}
        case tuple():
            return {"$tuple": [encoded(each, bound) for each in value]}
        case list():
            return [encoded(each, bound) for each in value]
        case dict():
            return {key: encoded(each, bound) for key, each in value.items()}
    return value


def decoded(value: Any, bound: Binding) -> Any:
    """Return the state that was encoded, of the problem that a policy or a playout is bound to.

    Raises
    ------
    LookupError, TypeError or ValueError
        If it is damaged.
    """
    if isinstance(value, list):
        return [decoded(each, bound) for each in value]
    if not isinstance(value, dict):
        return value
    match [*value.items()]:
        case [("$policy", [codes, weights])]:
            policy = Policy.of(bound)
            policy.weights = dict(zip(map(bound.forms.read, codes), weights, strict=True))
            return policy
        case [("$playout", moves)]:
            return Playout(bound, bound.blank.follow([hashable(move) for move in moves]))
        case [("$key", number)]:
            return Key(number)
        case [("$tuple", entries)]:
            return tuple(decoded(each, bound) for each in entries)
    return {key: decoded(each, bound) for key, each in value.items()}


OFTEN = 0.02
"""Seconds between states of calls of the same depth that are kept."""


class Frame:
    """A call of the function that is under way.

    Attributes
    ----------
    state : object
        What it yielded last, frozen; None before that.
    clean : bool
        Whether the calls above it can be repeated from their states without any playout.
    """

    def __init__(self, level: int, key: Key, state: Any, playouts: int, clean: bool) -> None:
        self.level, self.key, self.clean = level, key, clean
        self.state = self.given = state
        self.playouts = playouts


class Saved(NamedTuple):
    """A state of a job: the calls under way, as level, key and state, and what was found."""

    calls: list[tuple[int, int, Any]]
    found: Findings


class Search:
    """What an algorithm of one's own gets as its first argument.

    Call it with the other arguments, ``search(problem, policy, level - 1, key.child(i))``, to run
    the same algorithm with the same settings; settings may be given to change them.

    Parameters
    ----------
    job : OwnJob
    """

    def __init__(self, job: OwnJob) -> None:
        self._job = job

    def __call__(
        self, problem: Problem[Any, Any], policy: Policy, level: int, key: Key, **settings: Any
    ) -> Playout:
        """Run the algorithm from a policy, and return the best that this finds."""
        return self._job.call(problem, policy, level, key, settings)

    @property
    def best(self) -> Playout | None:
        """The best playout of the job so far; None before the first one."""
        return self._job.played(self._job.found.moves)

    @property
    def playouts(self) -> int:
        """The playouts of the job so far."""
        return self._job.found.playouts

    @property
    def seconds(self) -> float:
        """The seconds of search of the job so far."""
        return self._job.found.seconds

    @property
    def records(self) -> Mapping[str, Any]:
        """What the job has recorded so far, by name."""
        return MappingProxyType(self._job.found.records)

    def record(self, name: str, value: Any) -> None:
        """Keep a result of one's own, which replaces any earlier one of this name.

        It is in the `records` of the result, and survives workers and checkpoints: a resumed job
        has what it had recorded when it yielded its last state.

        Parameters
        ----------
        name : str
        value : object
            Numbers, texts, None, lists, tuples, dicts, `Policy`, `Playout` and `Key`.

        Raises
        ------
        InputError
            If it is made of something else.
        """
        check_text("the name of a record", name)
        if name.startswith(MARK):
            raise InputError(f"the name of a record must not begin with {MARK}")
        self._job.found.records[name] = frozen(value, f"record {name!r:.80}")

    @property
    def initial(self) -> Playout | None:
        """The sequence that the run began with (`initial` of `nestor.solve`), if it had one."""
        return self._job.played(self._job.initial)

    @property
    def state(self) -> Any:
        """The value that this call had yielded when the run was saved; None if it begins."""
        return self._job.frames[-1].given


class OwnJob:
    """A job: its record, which is its meter, and the thread that its function runs in.

    Parameters
    ----------
    algorithm : OwnAlgorithm
    bound : Binding
        The problem.
    key : Key
        The key of the job.
    turns : Turns
        What it has in common with the other jobs.

    Attributes
    ----------
    waits : str or None
        Why it waits, unless for a turn: "playouts", "target", "finished" or "rest".
    playing : bool
        Whether a primitive has begun playouts that count, and has not ended them.
    """

    def __init__(self, algorithm: OwnAlgorithm, bound: Binding, key: Key, turns: Turns) -> None:
        self.algorithm, self.bound, self._key, self._turns = algorithm, bound, key, turns
        self.found = Findings()
        self.initial: list[Any] = []
        self.frames: list[Frame] = []
        self.saved = Saved([], self.found.copy())
        self._before = self.found
        """What a restored job had found, some of it after its state."""
        self.tell: Callable[[list[Any], list[Any]], object] | None = None
        """What is called with new bests, and the moves of the last."""
        self.error: BaseException | None = None
        self.limit, self.target, self.restart = 0, float("inf"), True
        self.playing = False
        self.waits: str | None = None
        self._resumed: deque[tuple[int, int, Any]] = deque()
        self._kept_at: dict[int, float] = {}
        """When a call of this depth last had its state kept."""
        self._begun = time.monotonic()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start the thread, once."""
        if self._thread is None:
            self._begun = time.monotonic() - self.found.seconds
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the thread has not ended."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, seconds: float) -> None:
        """Wait for the end of the thread."""
        if self._thread is not None:
            self._thread.join(seconds)

    @property
    def place(self) -> str:
        """Where the function is now: ", at ideas.py, line 7, in changed"; empty if nobody knows."""
        frame = sys._current_frames().get((self._thread and self._thread.ident) or 0)
        calls = [(each.f_code, line) for each, line in traceback.walk_stack(frame)] if frame else []
        place = place_of(reversed(calls))
        return f", at {place}" if place else ""

    def played(self, moves: list[Any]) -> Playout | None:
        """Return the playout with these moves of the core, if there are any."""
        return Playout(self.bound, self.bound.blank.follow(moves)) if moves else None

    def allow(self) -> tuple[int, float, float | None]:
        """Return how many playouts are left, the target and the best score so far, or wait."""
        with self._turns.lock:
            self._turns.take(self, self._why_not)
            self.playing = True
            return self.limit - self.found.playouts, self.target, self.found.score

    def count(
        self, playouts: int, counts: dict[str, int], improvements: list[NewBest], moves: list[Any]
    ) -> None:
        """Count playouts; see `nestor.research.bound.Meter`."""
        with self._turns.lock:
            self.playing = False
            self._turns.check()
            now = time.monotonic() - self._begun
            for after, score, level in improvements:
                found = self.found.playouts + after
                self.found.improvements.append(
                    {"playouts": found, "seconds": now, "score": score, "level": level}
                )
                self.found.score = score
            if improvements:
                self.found.moves = moves
                self.found.trail.append((self.found.improvements[-1]["playouts"], moves))
                if self.tell is not None and self.found.playouts >= self._before.playouts:
                    self.tell(self.found.improvements[-len(improvements) :], moves)
            self.found.playouts += playouts
            self.found.counts.update(counts)
            self.found.seconds = now

    def _why_not(self) -> str | None:
        """Return why no playout is allowed now, if none is."""
        record = self.found
        if record.score is not None and record.score >= self.target:
            return "target"
        return "playouts" if record.playouts >= self.limit else None

    def _run(self) -> None:
        """Run the function again and again; this is what the thread does."""
        RUNNING.set(Running(self.bound, self))
        try:
            while True:
                with self._turns.lock:
                    self._turns.take(self, self._why_no_more)
                before, fresh = self.found.playouts, not self._resumed
                self.call(
                    self.bound.problem,
                    Policy.of(self.bound),
                    self.algorithm.level,  # type: ignore[attr-defined]
                    self._key.child(self.found.counts["restarts"]),
                    {},
                )
                if fresh and self.found.playouts == before:
                    raise InputError(f"{self.algorithm.name} returned without a single playout")
                self.found.counts["restarts"] += 1
                self._keep()
        except EndedError:
            pass
        except BaseException as error:
            self.error = error
        finally:
            with self._turns.lock:
                self._turns.leave(self)

    def _why_no_more(self) -> str | None:
        """Return why the function does not run again, if it does not."""
        return None if self.restart or not self.found.counts["restarts"] else "finished"

    def call(
        self,
        problem: Problem[Any, Any],
        policy: Policy,
        level: int,
        key: Key,
        settings: dict[str, Any],
    ) -> Playout:
        """Call the function, and run it to its end if it is a generator."""
        name = self.algorithm.name
        if as_number("level", level) < 0:
            raise InputError(
                f"level must not be {level}: {name} calls search(...) below the level at which it "
                "should play itself"
            )
        frame = self._entered(level, key)
        self.frames.append(frame)
        try:
            arguments = {**self.algorithm.own_settings, **settings}
            found = self.algorithm.function(Search(self), problem, policy, level, key, **arguments)
            if isinstance(found, Generator):
                found = self._finished(found, frame)
        finally:
            self.frames.pop()
        if not isinstance(found, Playout):
            raise InputError(f"{name} must return the best Playout it found, not {shown(found)}")
        if found._bound is not self.bound:
            raise InputError(f"{name} must return a Playout of the problem that it was given")
        return found

    def _entered(self, level: int, key: Key) -> Frame:
        """Return the frame of a call, with the state of the call that a file tells of."""
        above = self.frames[-1] if self.frames else None
        clean = above is None or (above.clean and above.playouts == self.found.playouts)
        state = None
        if self._resumed:
            saved = self._resumed.popleft()
            if clean and saved[:2] == (level, key.value):
                state = saved[2]
            else:
                self._resumed.clear()
        return Frame(level, key, state, self.found.playouts, clean)

    def _finished(self, generator: Generator[Any, Any, Any], frame: Frame) -> Any:
        """Run a generator to its end, and keep the states that it yields, but not too often."""
        depth = len(self.frames)
        try:
            while True:
                state, now = next(generator), time.monotonic()
                if self._turns.resting or now - self._kept_at.get(depth, 0.0) >= OFTEN:
                    self._kept_at[depth] = now
                    frame.state = frozen(state, f"{self.algorithm.name} yielded")
                    frame.playouts = self.found.playouts
                    if frame.clean:
                        self._keep()
        except StopIteration as stop:
            return stop.value

    def _keep(self) -> None:
        """Keep the state: the function has yielded one, or is between two runs."""
        calls = [(frame.level, frame.key.value, frame.state) for frame in self.frames]
        with self._turns.lock:
            self.saved = Saved(calls, self.found.copy())
            self._turns.take(self, lambda: "rest" if self._turns.resting else None)

    def seen(self) -> Findings:
        """Return what it has found: that it found before, until it is as far again."""
        again = self.found.playouts < self._before.playouts
        return self._before if again else self.found.copy()

    def save(self) -> dict[str, Any]:
        """Return the last state and what is known besides, as JSON-able data."""
        calls, then = self.saved
        return {
            "calls": [[level, key, encoded(state, self.bound)] for level, key, state in calls],
            "found": self._told(then),
            "now": self._told(self.seen()),
            "initial": self.initial,
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Take what `save` returned.

        Raises
        ------
        LookupError, TypeError or ValueError
            If it is damaged.
        """
        self.found = self._restored(data["found"])
        self.saved = Saved(
            [
                (int(level), int(key), decoded(state, self.bound))
                for level, key, state in data["calls"]
            ],
            self.found.copy(),
        )
        self._resumed = deque(self.saved.calls)
        self.initial = moves_of(data["initial"])
        self._before = self._restored(data["now"])

    def _told(self, found: Findings) -> dict[str, Any]:
        return {**found.to_dict(), "records": encoded(found.records, self.bound)}

    def _restored(self, data: dict[str, Any]) -> Findings:
        found = Findings.from_dict(data)
        found.records = {name: decoded(each, self.bound) for name, each in found.records.items()}
        return found
