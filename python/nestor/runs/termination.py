"""SIGTERM, which ends a search as Ctrl-C does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process


@contextmanager
def terminable() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt in the main thread, unless somebody else handles it.

    A process that `multiprocessing` has started is left alone: who has started it may want its end.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or parent_process() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
