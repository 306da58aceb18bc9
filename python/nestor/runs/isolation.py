"""A search in a separate process; if that dies, an error is raised.

That process tells of each new best at once, so that what it has found stands here whatever becomes
of it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from nestor import batch_bias
from nestor.errors import InputError, RulesError, attach
from nestor.runs.elsewhere.executors import follow_parent
from nestor.runs.elsewhere.processes import obstacle, pack, starting, unpack
from nestor.runs.elsewhere.segments import RemoteError, portable
from nestor.runs.improvements import ImprovementLog
from nestor.runs.run import Run
from nestor.runs.session import Findings, Session
from nestor.runs.stopping import Stop, is_cancelled

GRACE = 10.0
"""Seconds of processor time after the end of the budget, or Ctrl-C, in which the process may
compile and answer."""

ASLEEP = 60.0
"""Seconds after which a process that uses no processor time does not answer any more."""

OVERRUN = 3.0
"""Seconds after the end of the budget in which a call of a model may return: of processor time and
of sleep. Those in which it waits for a processor do not count."""

LOOK = 0.05
"""Seconds between looks at the process."""

_parent: Connection | None = None
"""The way to who waits for us, in such a process."""


class IsolatedJobs(Session):
    """The jobs of a search in a process of its own, as far as it has told of them."""

    reports: Sequence[Findings] = ()
    """How each job stood when it was last heard of."""

    def __init__(self, reports: list[Findings]) -> None:
        self.reports = reports

    def take(self, job: int, improvements: list[Any], moves: list[Any]) -> None:
        """Take the new bests of a job, and the moves of the last."""
        found, last = self.reports[job], improvements[-1]
        found.improvements += improvements
        found.playouts, found.score, found.moves = last["playouts"], last["score"], moves
        found.trail.append((last["playouts"], moves))


class Isolated:
    """A search in a process of its own. On Ctrl-C that process ends it as any other does.

    Parameters
    ----------
    search : callable
        A function that can be imported.
    arguments : dict
        What it is called with; it has been checked. `seconds` among them limits the process, too.
    name : str
        How errors name the problem.
    module : str
        The module of the problem.

    Attributes
    ----------
    run : Run or None
        What is known of the search once it has begun.
    stuck : bool
        Whether a method of the problem did not return in time.
    blamed : str
        What did not return if something did not: the problem, or the model.
    cancelled : bool
        Whether its stop was cancelled, which the process is told as Ctrl-C.

    Raises
    ------
    InputError
        If no process can be started here, or an argument cannot be sent there.
    """

    def __init__(
        self, search: Callable[..., Any], arguments: dict[str, Any], name: str, module: str
    ) -> None:
        for option in ("progress", "callback", "on_improvement", "workers"):
            if arguments.get(option):
                raise InputError(f"{option} must not be given for an isolated problem")
        if reason := obstacle(module):
            raise InputError(f"an isolated problem cannot be searched here: {reason}")
        self.run: Run | None = None
        self.stuck, self.cancelled = False, False
        self.blamed = f"a method of {name}"
        algorithm = arguments.get("algorithm")
        self._models = [] if algorithm is None else [each.name for each in algorithm.guides]
        stop: Stop | None = arguments.get("stop")
        self._stop = stop
        self._name, self._seconds = name, arguments.get("seconds")
        self._path = arguments.get("log")
        self._log: ImprovementLog | None = None
        self._packed = pack((search, {**arguments, "log": None}))

    def answer(self) -> Any:
        """Return what the search returns.

        Raises
        ------
        RulesError
            If the process dies, or does not end in time.
        KeyboardInterrupt
            If the process does not answer after Ctrl-C.
        """
        context = get_context("spawn")
        with starting("SIGTERM", "SIGINT"):  # It takes the second once it can answer.
            self._pipe, theirs = context.Pipe(duplex=False)
            self._calls = context.RawArray("Q", 2)
            given = theirs, self._packed, self._calls, sys.stdout is sys.stderr
            self._process = context.Process(target=_search, args=given, daemon=True)
            self._process.start()
        theirs.close()
        try:
            self._end = self._ending(None)  # What it takes to start and to import does not count.
            try:
                answer = self._answered()
            except KeyboardInterrupt:
                os.kill(self._process.pid, signal.SIGINT)  # type: ignore[arg-type]
                self._end = self._ending(0.0)
                try:
                    answer = self._answered()
                except EOFError:  # It had nothing yet.
                    answer = None
                if answer is None:
                    raise
        except EOFError:
            self._process.join()
            status = self._process.exitcode or 0
            text = f"{self._name}: the process of its code died with exit code {status}"
            raise RulesError(text, status=status) from None
        finally:
            self._process.kill()
            self._process.join()
            if self._log is not None:
                self._log.close()
        if answer is None:
            raise RulesError(f"{self.blamed} did not return: the process was ended")
        fine, value = answer
        if fine:
            return value
        error, found, text = value
        attach(error, found)
        raise error from RemoteError(text)

    def _answered(self) -> tuple[bool, Any] | None:
        """Wait for the answer, and hear what comes before it; None if it does not come in time."""
        while True:
            known = self.run is not None and self.run.search.playouts > 0
            if known and not self.cancelled and is_cancelled(self._stop):
                self.cancelled = True
                raise KeyboardInterrupt
            if not self._pipe.poll(LOOK):
                if self._end.is_over():
                    self.stuck = not self._end.calling
                    if self._end.calling:
                        self.blamed = f"the model {' or '.join(dict.fromkeys(self._models))}"
                    return None
                continue
            kind, *told = unpack(self._pipe.recv_bytes())
            if kind == "answer":
                return told[0], told[1]
            if kind == "loaded":
                self._end = self._ending(self._seconds)
            elif kind == "begun":
                self._begin(*told)
            else:
                run: Any = self.run
                run.search.take(*told)
            if self._log is not None and self.run is not None:
                self._log.update(self.run.search.improvements)

    def _begin(self, run: Run) -> None:
        """Take what a search says of itself when it begins."""
        self.run = run
        if run.budget.seconds is not None:
            self._end = self._ending(run.budget.seconds - run.elapsed)
        if self._path is not None:
            self._log = run.log(Path(self._path))

    def _ending(self, seconds: float | None) -> _End:
        """Return the end of the time of the process, which is so many seconds ahead."""
        return _End(self._process.pid, seconds, self._calls)


class _End:
    """The end of the time of a process: by what it uses of the processor, which others share.

    Parameters
    ----------
    pid : int
    seconds : float or None
        Wall time until its end, after which it has `GRACE`; None if it has no end.
    calls : sequence of int, default (0, 0)
        How many calls of models have begun in it, and how many of them have returned.

    Attributes
    ----------
    calling : bool
        Whether it was over because a call of a model did not return.
    """

    def __init__(
        self, pid: int | None, seconds: float | None, calls: Sequence[int] = (0, 0)
    ) -> None:
        self._pid, self._calls, self.calling = pid, calls, False
        self._at = float("inf") if seconds is None else time.monotonic() + seconds
        self._first: float | None = None
        self._last, self._moved = 0.0, 0.0
        self._call, self._began, self._slept = (0, 0), 0.0, 0.0

    def is_over(self) -> bool:
        """Whether the process has had its time and its grace, or is asleep."""
        now = time.monotonic()
        if now < self._at:
            return False
        used = _processor_seconds(self._pid)
        if used is None:
            return now - self._at > GRACE
        if self._first is None:
            self._first = used
        begun, returned = call = self._calls[0], self._calls[1]
        if call != self._call:
            self._call, self._began, self._slept = call, used, 0.0
        if _sleeps(self._pid):
            self._slept += LOOK
        if used != self._last:
            self._last, self._moved = used, now
        self.calling = begun > returned and used - self._began + self._slept > OVERRUN
        return self.calling or used - self._first > GRACE or now - self._moved > ASLEEP


def _processor_seconds(pid: int | None) -> float | None:
    """Return the processor time of a process; None if the system does not tell it."""
    try:
        fields = _status(Path(f"/proc/{pid}"))
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return None


def _sleeps(pid: int | None) -> bool:
    """Whether all threads of a process wait, and for neither a processor nor a disk."""
    with suppress(OSError):
        return all(_status(task)[0] == b"S" for task in Path(f"/proc/{pid}/task").iterdir())
    return False  # A thread has just ended.


def _status(task: Path) -> list[bytes]:
    """Return what the system says of a process or a thread, after its name."""
    return (task / "stat").read_bytes().rpartition(b")")[2].split()


def inside() -> bool:
    """Whether this is such a process."""
    return _parent is not None


def tell(run: Run) -> None:
    """Tell who waits for us of a search that begins, and of each new best of it."""
    if (pipe := _parent) is None:
        return
    search: Any = run.search
    sending = threading.Lock()

    def send(*told: Any) -> None:
        with sending:
            pipe.send_bytes(pack(told))

    reports = [Findings.found_by(search, job) for job in range(run.jobs)]
    heard: Any = IsolatedJobs(reports)  # type: ignore[abstract]  # it has only found something
    send("begun", replace(run, asked=replace(run.asked), search=heard))
    search.tell(lambda *found: send("found", *found))


def _search(pipe: Connection, packed: bytes, calls: Any, aside: bool) -> None:
    """Search in the new process."""
    global _parent
    _parent = pipe
    follow_parent(aside)
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # Ctrl-C of a terminal goes to whoever waits for us, who passes it on once.
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        search, arguments = unpack(packed)
        batch_bias.calls = calls
        pipe.send_bytes(pack(("loaded",)))
        answer: tuple[bool, Any] = True, search(**arguments)
    except KeyboardInterrupt:  # There is nothing to answer yet.
        return
    except (Exception, SystemExit) as error:
        told: Any = portable(error)
        # Not every exception keeps its attributes on the way.
        answer = False, (told, getattr(error, "nestor_result", None), told.nestor_traceback)
    pipe.send_bytes(pack(("answer", *answer)))
