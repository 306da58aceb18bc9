"""Calls of a user's code that do not return: what is said of them, and a way out."""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from traceback import walk_stack
from types import CodeType, FrameType
from typing import Any

from nestor.algorithms import Algorithm
from nestor.errors import warn
from nestor.problems.base import BaseProblem
from nestor.text import format_seconds

OVERDUE = 5.0
"""Seconds after the time or an interrupt from which on a call is told of."""

LOOKS = 0.25
"""Seconds between two looks."""

INTERRUPTED = 130
"""What a process that Ctrl-C has ended tells the shell."""


class Lookout:
    """A thread that tells of a call or a game that goes on long after the time, or after Ctrl-C.

    While the main thread waits in the core for calls in other threads, nobody there hears Ctrl-C.
    Once one was told of, Ctrl-C leaves the process if it does not end the search.

    Parameters
    ----------
    calls : dict of code to str
        What may be called, with its name.
    leave : callable
        Writes what is known, before the process is left.

    Attributes
    ----------
    end : float
        When the time is up.
    """

    def __init__(self, calls: Mapping[CodeType, str], leave: Callable[[], None]) -> None:
        self.end = math.inf
        self._calls, self._leave = calls, leave
        self._waiting_since = math.inf
        self._open: dict[int, tuple[FrameType, float]] = {}
        self._begun = -math.inf
        self._returned = ""
        self._ended = threading.Event()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Wait for calls in this context."""
        self._waiting_since = time.monotonic()
        try:
            yield
        finally:
            self._waiting_since = math.inf

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look in this context."""
        with _interrupts() as hear:
            thread = threading.Thread(target=self._look, args=(hear,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                self._ended.set()
                thread.join()

    def _look(self, hear: Callable[[], int] | None) -> None:
        interrupts, first, leaving, overdue = 0, math.inf, math.inf, math.inf
        while not self._ended.wait(LOOKS):
            now = time.monotonic()
            self._note(now)
            if hear is not None and (new := hear()):
                interrupts, first = interrupts + new, min(first, now)
            late = now - max(min(self.end, first), self._waiting_since)
            if interrupts >= leaving and not self._ended.wait(1) and self._waiting_since < now:
                with suppress(Exception):
                    self._leave()
                os._exit(INTERRUPTED)
            if not (late > OVERDUE or (interrupts > 1 and late > LOOKS)):
                overdue = math.inf
            elif leaving == math.inf:
                overdue, long = min(overdue, now), now - min(late, OVERDUE) / 2
                # Of such a call it is not known yet whether it takes long.
                if not any(long < since <= overdue for _, since in self._open.values()):
                    leaving = interrupts + 1
                    since = "Ctrl-C" if first < self.end else "the time was up"
                    self._tell(f"{format_seconds(late)} after {since}", hear is not None, long)

    def _note(self, now: float) -> None:
        """Note the known call that each thread is in, since when, and one that has returned."""
        before, self._open = self._open, {}
        for thread, frame in sys._current_frames().items():
            calls = [each for each, _ in walk_stack(frame) if each.f_code in self._calls]
            if not calls:
                continue
            call, since = before.get(thread, (None, now))
            if call is not calls[-1]:
                since = self._begun = now
            self._open[thread] = calls[-1], since
        for thread, (call, _) in before.items():
            if call is not self._open.get(thread, (None,))[0]:
                self._returned = self._calls[call.f_code]

    def _tell(self, late: str, hears: bool, long: float) -> None:
        """Warn of a call that has gone on since this time; of a game if there are only others."""
        frames = sys._current_frames()
        calls = [
            f"{self._calls[call.f_code]}, in line {at.f_lineno} of {at.f_code.co_filename},"
            for thread, (call, since) in self._open.items()
            if since <= long and (at := frames.get(thread)) is not None
        ]
        if calls or self._begun <= long:
            told = calls[0] if calls else "a call"
            leaves = "Ctrl-C now leaves the process; " if hears else ""
            said = (
                f"{told} has not returned {late}, and nothing in this process can end it: {leaves}"
                "with workers=1 (--workers 1), and an algorithm that you name, calls are made in "
                "another process, which is ended"
            )
        else:
            ends = "; Ctrl-C ends the search" if hears else ""
            said = (
                f"a game is not over {late}: it calls {self._returned} again and again, and no "
                f"single call has taken long{ends}"
            )
        with suppress(Warning):
            warn(said)


def runs_code(problem: BaseProblem, algorithm: Algorithm) -> bool:
    """Whether a search of this problem here calls what may not return: rules in Python, a model."""
    return parent_process() is None and (problem.runs_python or bool(algorithm.guides))


def calls_of(problem: BaseProblem, algorithm: Algorithm) -> dict[CodeType, str]:
    """Return the code of the methods of a problem and of models, with their names."""
    kind, name = type(None if problem.reference is None else problem.original), problem.known_as
    models: list[Any] = [guide.f for guide in algorithm.guides]
    found = {f"{each}() of {name}": getattr(kind, each, None) for each in dir(kind)}
    for model in models:
        call = model if hasattr(model, "__code__") else model.__call__
        found[f"the model {getattr(model, '__qualname__', type(model).__qualname__)}"] = call
    codes = {name: getattr(call, "__code__", None) for name, call in found.items()}
    return {code: name for name, code in codes.items() if code is not None}


@contextmanager
def _interrupts() -> Iterator[Callable[[], int] | None]:
    """Yield what says how often Ctrl-C was pressed since it was asked last; None if nothing can."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield None
        return
    ours, told = socket.socketpair()
    with ours, told:
        ours.setblocking(False)
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        if before != -1:  # Somebody else listens.
            signal.set_wakeup_fd(before)
            yield None
            return

        def heard() -> int:
            with suppress(BlockingIOError):
                return sum(each in (signal.SIGINT, signal.SIGTERM) for each in ours.recv(99))
            return 0

        try:
            yield heard
        finally:
            signal.set_wakeup_fd(-1)
