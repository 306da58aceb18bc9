"""`solve_async`: a search that a program with an event loop awaits."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import Any, ParamSpec

from nestor.errors import attach
from nestor.result import Result
from nestor.runs.stopping import Cancel, check_stop
from nestor.solving import solve

Arguments = ParamSpec("Arguments")


def _called_as(
    other: Callable[Arguments, Result],
) -> Callable[[Callable[..., Any]], Callable[Arguments, Coroutine[Any, Any, Result]]]:
    """Return a decorator that gives a coroutine function the parameters of another function."""

    def declare(function: Any) -> Any:
        function.__signature__ = inspect.signature(other)
        return function

    return declare


@_called_as(solve)
async def solve_async(*args: Any, **given: Any) -> Result:
    """Search as `solve` does, in a thread of its own, while the event loop keeps running.

    When the task is cancelled, the search ends, with its threads and processes, before the
    `asyncio.CancelledError` propagates. What it has found is then the attribute `nestor_result` of
    this exception, or None; a task that is cancelled before it starts lacks it, for nothing of it
    has run. A checkpoint and a log are written as at any other end. A timeout
    (`asyncio.timeout`, `asyncio.wait_for`) also cancels the task: there it is an attribute of the
    ``__cause__`` of the TimeoutError. To end a search early and get its result, give a `Cancel` as
    stop.

    Parameters
    ----------
    *args, **given
        Those of `solve`. `callback` and `on_improvement` are called in the thread of the search; to
        touch anything in the event loop, they must use `loop.call_soon_threadsafe`.

    Returns
    -------
    Result

    Raises
    ------
    asyncio.CancelledError
        If the task is cancelled.
    Exception
        What `solve` raises; a RuntimeError in place of StopIteration, which no task can raise.

    Examples
    --------
    >>> import asyncio
    >>> import nestor
    >>> async def both():
    ...     games = (nestor.problems.Morpion(variant) for variant in ("4D", "4T"))
    ...     return await asyncio.gather(*(nestor.solve_async(g, playouts=500) for g in games))
    >>> [result.playouts for result in asyncio.run(both())]
    [500, 500]
    """
    cancel, stop = Cancel(), check_stop(given.pop("stop", None))
    given["stop"] = cancel if stop is None else stop | cancel
    with ThreadPoolExecutor(1, "nestor") as thread:
        call = copy_context().run

        def search() -> Result:
            try:
                return call(solve, *args, **given)
            except StopIteration as error:
                wrapped = RuntimeError("StopIteration was raised, which no task can raise")
                attach(wrapped, getattr(error, "nestor_result", None))
                raise wrapped from error

        searching = asyncio.get_running_loop().run_in_executor(thread, search)
        try:
            return await asyncio.shield(searching)
        except asyncio.CancelledError as error:
            cancel.set()
            while not searching.done():
                # Another cancellation does not make the search end sooner.
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([searching])
            failed = searching.exception()
            kept = getattr(failed, "nestor_result", None) if failed else searching.result()
            attach(error, kept)
            raise
