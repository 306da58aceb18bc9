"""Runs of a comparison on workers, side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue

from nestor.comparison.row import Cell, Row
from nestor.problems.own import adapt
from nestor.runs.elsewhere.executors import LostError, Team
from nestor.runs.elsewhere.processes import pack, unpack
from nestor.runs.elsewhere.segments import told_to_stop

DEATHS = 3
"""How many workers may die with a run before it counts as failed."""


def spread(cells: Iterable[Cell], team: Team, width: int) -> Iterator[Row]:
    """Make runs on workers; yield their rows as they come.

    A run whose worker dies is made again elsewhere.

    Raises
    ------
    LostError
        If there is nothing left that could make runs.
    """
    waiting = deque((cell, 0) for cell in cells)
    running: dict[Future[bytes], tuple[Cell, int]] = {}
    # A team has its worker back when those are called that were added before.
    ended: SimpleQueue[Future[bytes]] = SimpleQueue()
    while waiting or running:
        while waiting and len(running) < width:
            cell, deaths = waiting.popleft()
            try:
                packed = pack(cell, problem=cell.problem, algorithm=cell.algorithm)
                future = team.submit(made, team.run, packed)
            except OSError as error:
                text = error.strerror or error
                raise LostError(f"no process can be started: {text}") from None
            running[future] = cell, deaths
            future.add_done_callback(ended.put)
        cell, deaths = running.pop(future := ended.get())
        try:
            yield unpack(future.result())
        except CancelledError:
            raise LostError("the workers cannot be reached any more") from None
        except Exception as error:
            team.check(error)
            deaths += not isinstance(error, ImportError)
            if deaths == DEATHS:
                yield cell.failed(f"{DEATHS} workers have died one after the other")
            else:
                waiting.append((cell, deaths))


def made(run: str, packed: bytes) -> bytes:
    """Make a run on a worker, until that is told to stop; return its row, packed.

    Moves may be objects of a class that pickle alone does not take.

    A run of an isolated problem, which is in a process of its own, goes on to its end.
    """
    cell: Cell = unpack(packed)
    if adapt(cell.problem).isolated:
        return pack(cell.make())
    return pack(cell.make(lambda progress: not told_to_stop(run)))
