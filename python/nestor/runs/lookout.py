"""Calls of a user's code that do not return: what is said of them, and a way out."""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import Any

from nestor.errors import warn

OVERDUE = 5.0
"""Seconds after the time or an interrupt from which on a call is told of."""

LOOKS = 0.25
"""Seconds between two looks."""

INTERRUPTED = 130
"""What a process that Ctrl-C has ended tells the shell."""


class Lookout:
    """A thread that tells of a call that goes on long after the time was up, or after Ctrl-C.

    While the main thread waits in the core for calls in other threads, nobody there hears Ctrl-C.
    Once a call was told of, Ctrl-C leaves the process.

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
        interrupts, first, leaving = 0, math.inf, math.inf
        while not self._ended.wait(LOOKS):
            now = time.monotonic()
            if hear is not None and (new := hear()):
                interrupts, first = interrupts + new, min(first, now)
            late = now - max(min(self.end, first), self._waiting_since)
            if interrupts >= leaving and not self._ended.wait(1) and self._waiting_since < now:
                with suppress(Exception):
                    self._leave()
                os._exit(INTERRUPTED)
            if leaving == math.inf and (late > OVERDUE or (interrupts > 1 and late > LOOKS)):
                leaving = interrupts + 1
                since = "Ctrl-C" if first < self.end else "the time was up"
                self._tell(f"{late:.0f} s after {since}", hear is not None)

    def _tell(self, late: str, hears: bool) -> None:
        """Warn of the calls that have not returned."""
        here = threading.get_ident()
        found = [self._call(frame) for t, frame in sys._current_frames().items() if t != here]
        told = next(filter(None, found), "a call")
        leaves = "Ctrl-C now leaves the process; " if hears else ""
        with suppress(Warning):
            warn(
                f"{told} has not returned {late}, and nothing in this process can end it: {leaves}"
                "with workers=1 (--workers 1) calls are made in another process, which is ended"
            )

    def _call(self, frame: FrameType) -> str | None:
        """Return the name of the outermost call in a stack that is known, and where it stands."""
        name, line = None, f"line {frame.f_lineno} of {frame.f_code.co_filename}"
        above: FrameType | None = frame
        while above is not None:
            name = self._calls.get(above.f_code, name)
            above = above.f_back
        return name and f"{name}, in {line},"


def calls_of(rules: Any, name: str, models: Iterable[Any]) -> dict[CodeType, str]:
    """Return the code of the methods of a problem and of models, with their names."""
    found = {f"{each}() of {name}": getattr(type(rules), each, None) for each in dir(type(rules))}
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
