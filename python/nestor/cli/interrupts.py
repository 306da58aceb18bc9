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
"""The signal that interrupts again, should the first not have been heard."""


@contextmanager
def interrupts() -> Iterator[None]:
    """Have the signals that end a program raise KeyboardInterrupt, once.

    The second does nothing, so that an impatient one does not cost the result while it is written;
    from the third on they raise again.
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
