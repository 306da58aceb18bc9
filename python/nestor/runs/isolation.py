"""A search in a process of its own, whose death is an error."""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, TypeVar

from nestor.errors import InputError, RulesError
from nestor.runs.packing import pack, unpack
from nestor.runs.spawning import obstacle

Found = TypeVar("Found")

GRACE = 10.0
"""Seconds after the end of the budget in which the process may start, compile and answer."""

inside = False
"""Whether this is such a process."""


def isolated(
    search: Callable[..., Found], arguments: dict[str, Any], name: str, module: str
) -> Found:
    """Return what a search returns in a process of its own.

    Parameters
    ----------
    search : callable
        A function that can be imported.
    arguments : dict
        What it is called with. `seconds` among them limits the process, too.
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
    """
    for option in ("progress", "callback", "on_improvement"):
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
    try:
        while not ours.poll(0.05):
            if end is not None and time.monotonic() > end:
                raise RulesError(f"{name}: a method did not return: the process was ended")
        fine, answer = unpack(ours.recv_bytes())
    except EOFError:
        process.join()
        raise RulesError(
            f"{name}: the process of its code died with exit code {process.exitcode}",
            status=process.exitcode or 0,
        ) from None
    finally:
        process.kill()
        process.join()
    if not fine:
        raise answer
    return answer  # type: ignore[no-any-return]


def _search(pipe: Any, packed: bytes) -> None:
    """Search in the new process."""
    global inside
    inside = True
    search, arguments = unpack(packed)
    try:
        answer = True, search(**arguments)
    except Exception as error:
        answer = False, error
    pipe.send_bytes(pack(answer))
