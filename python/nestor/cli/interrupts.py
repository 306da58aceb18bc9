"""Signals that end a command, from its first line on."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from nestor.signals import ENDING

INTERRUPTED = 130
"""The exit code of a command that was interrupted."""

TIMES = 3
"""The number of the signal that interrupts again, in case the first had no effect."""


_printed = False
"""Whether the command has printed its JSON object."""


@contextmanager
def interrupts() -> Iterator[None]:
    """Turn the signals that end a program into KeyboardInterrupt, once.

    The second signal does nothing, so that an impatient user does not lose the result while it is
    written. From the third on they raise again.
    """
    global _printed
    _printed = False
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    count = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count == 1 or count >= TIMES:
            raise KeyboardInterrupt

    before: dict[int, Any] = {}
    for number in ENDING:
        # A command under nohup goes on when its terminal is closed, one that a script starts in the
        # background when Ctrl-C ends the script.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an error is an interrupt, or the word of an import for one that came in its midst."""
    return error is not None and (
        isinstance(error, KeyboardInterrupt) or is_interrupt(error.__cause__)
    )


def note_printed() -> None:
    """Note that the command has printed its JSON object."""
    global _printed
    _printed = True


def tell_interrupted(arguments: Sequence[str]) -> int:
    """Say that a command was interrupted before it had a result; return its exit code.

    With ``--json`` standard output has an object that says so.
    """
    with suppress(OSError):
        if "--json" in arguments and not _printed:
            print('{"stop_reason": "interrupted", "playouts": 0}', flush=True)
        print("Error: interrupted", file=sys.stderr, flush=True)
    return INTERRUPTED
