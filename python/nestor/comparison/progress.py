"""How far a comparison is, on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nestor.comparison.row import Row


@contextmanager
def watched(total: int, done: int) -> Iterator[Callable[[Row], None]]:
    """Show a line with how many runs are done and the time left; yield what counts a run.

    Parameters
    ----------
    total : int
        Runs of the comparison.
    done : int
        Those that are there at the beginning.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from nestor.console import Console

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    # The speed of the last hour at most: runs differ in length.
    bar = Progress(*columns, console=Console(stderr=True), speed_estimate_period=3600)
    task, failed = bar.add_task("comparing", total=total, completed=done), 0

    def made(row: Row) -> None:
        nonlocal failed
        failed += row["error"] is not None
        told = "comparing" + f" ({failed} failed)" * bool(failed)
        bar.update(task, advance=1, description=told)

    bar.start()
    try:
        yield made
    finally:
        bar.stop()
