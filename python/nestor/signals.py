"""Signals that come where an exception would do harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n)]
"""The signals that end a program; Windows has not all of them."""


@contextmanager
def signals_later() -> Iterator[None]:
    """Hold back the signals that end a program, as Ctrl-C does; their handlers run at the end."""
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        found = {number: signal.getsignal(number) for number in ENDING}
        # Others are no functions of Python's: they end the program at once, or do nothing.
        handlers = {number: handler for number, handler in found.items() if callable(handler)}
    came: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda *given: came.append(given))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in came[:1]:
            handlers[number](number, frame)
