"""A search in a process of its own, whose death is an error."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, TypeVar

from nestor.errors import InputError, RulesError
from nestor.runs.executors import end_with_parent
from nestor.runs.packing import pack, unpack
from nestor.runs.segments import RemoteError, portable
from nestor.runs.spawning import obstacle

Found = TypeVar("Found")

GRACE = 10.0
"""Seconds after the end of the budget, or Ctrl-C, in which the process may start, compile and
answer."""

inside = False
"""Whether this is such a process."""


def isolated(
    search: Callable[..., Found], arguments: dict[str, Any], name: str, module: str
) -> Found:
    """Return what a search returns in a process of its own.

    On Ctrl-C that process ends its search as any other does.

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

    Raises
    ------
    RulesError
        If the process dies, or does not end in time.
    InputError
        If no process can be started here, or an argument cannot be sent there.
    KeyboardInterrupt
        If the process does not answer after Ctrl-C.
    """
    for option in ("progress", "callback", "on_improvement", "workers"):
        if arguments.get(option):
            raise InputError(f"{option} must not be given for an isolated problem")
    if reason := obstacle(module):
        raise InputError(f"an isolated problem cannot be searched here: {reason}")
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(theirs, pack((search, arguments))), daemon=True)
    process.start()
    theirs.close()
    seconds = arguments.get("seconds")
    end = None if seconds is None else time.monotonic() + seconds + GRACE
    fine, interrupt, status = False, None, 0
    failure = "a method did not return: the process was ended"
    try:
        try:
            answered = _wait(ours, end)
        except KeyboardInterrupt as raised:
            interrupt = raised
            os.kill(process.pid, signal.SIGINT)  # type: ignore[arg-type]
            answered = _wait(ours, time.monotonic() + GRACE)
        if answered:
            fine, answer = unpack(ours.recv_bytes())
            failure = ""
    except EOFError:
        process.join()
        status = process.exitcode or 0
        failure = f"the process of its code died with exit code {status}"
    finally:
        process.kill()
        process.join()
    if fine:
        return answer  # type: ignore[no-any-return]
    if not failure:
        error, error.nestor_result, text = answer
        raise error from RemoteError(text)
    if interrupt is not None:
        raise interrupt
    raise RulesError(f"{name}: {failure}", status=status)


def _wait(pipe: Any, end: float | None) -> bool:
    """Wait for an answer, or for the death of who should give it, and return whether it came."""
    while not pipe.poll(0.05):
        if end is not None and time.monotonic() > end:
            return False
    return True


def _search(pipe: Any, packed: bytes) -> None:
    """Search in the new process."""
    global inside
    inside = True
    end_with_parent()
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # Ctrl-C of a terminal goes to whoever waits for us, who passes it on once.
    try:
        search, arguments = unpack(packed)
        answer = True, search(**arguments)
    except KeyboardInterrupt:  # There is nothing to answer yet.
        return
    except Exception as error:
        told: Any = portable(error)
        # Not every exception keeps its attributes on the way.
        answer = False, (told, getattr(error, "nestor_result", None), told.nestor_traceback)
    pipe.send_bytes(pack(answer))
