"""Signals that end a search."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

PATIENCE = 3
"""The number of the signal that interrupts again, in case the first had no effect."""


@contextmanager
def interrupts() -> Iterator[None]:
    """Turn the signals that end a program into KeyboardInterrupt, once.

    The second signal does nothing, so that an impatient user does not lose the result while it is
    written. From the third on they raise again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    count = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count == 1 or count >= PATIENCE:
            raise KeyboardInterrupt

    before: dict[int, Any] = {}
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and not (
            name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN
        ):
            before[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
