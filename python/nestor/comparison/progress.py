"""How far a comparison is, on standard error."""

from __future__ import annotations

from contextlib import suppress
from typing import Self

from nestor.comparison.row import Row


class Watched:
    """A line that shows how many runs are done and the time left; use it as a context manager.

    Parameters
    ----------
    total : int
        Runs of the comparison.
    done : int
        Those that are there at the beginning.
    """

    def __init__(self, total: int, done: int) -> None:
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
        self._bar = Progress(*columns, console=Console(stderr=True), speed_estimate_period=3600)
        self._task = self._bar.add_task("comparing", total=total, completed=done)
        self._failed = 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(OSError):
            self._bar.stop()

    def made(self, row: Row) -> None:
        """Count a run."""
        self._failed += row["error"] is not None
        failed = f" ({self._failed} failed)" if self._failed else ""
        with suppress(OSError):
            self._bar.update(self._task, advance=1, description=f"comparing{failed}")
