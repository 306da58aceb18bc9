"""The lab: where an item makes its runs, at the scale and with the workers asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nestor import Runs, compare
from nestor.files import whole

SCALES = ("smoke", "quick", "day", "paper")
"""smoke: seconds, to see that everything runs; quick: 45 minutes for all papers on 2 cores; paper:
the original size."""
Value = TypeVar("Value")


@dataclass
class Lab:
    """What an item is given.

    Attributes
    ----------
    folder : Path
        Where its runs are kept.
    scale : {"smoke", "quick", "day", "paper"}
    workers : object
        See `nestor.compare`.
    """

    folder: Path
    scale: str = "quick"
    workers: Any = None
    progress: bool = True

    def runs(self, quick: int, day: int, paper: int) -> range:
        """Return the seeds of the runs."""
        return range(1, 1 + self._pick(2, quick, day, paper))

    def playouts(self, quick: float, day: float, paper: float) -> int:
        """Return the playouts of a run."""
        return int(self._pick(max(quick / 300, 40), quick, day, paper))

    def number(self, quick: int, day: int, paper: int) -> int:
        """Return another number that grows with the scale."""
        return self._pick(min(quick, 3), quick, day, paper)

    def _pick(self, *values: Value) -> Value:
        return dict(zip(SCALES, values, strict=True))[self.scale]

    def compare(
        self, name: str, problems: Any, algorithms: Any, here: bool = False, **given: Any
    ) -> Runs:
        """Return the runs of a comparison; those that are there are not made again.

        With `here` they are made one after the other, in this process.
        """
        path = self.folder / f"{name}-{self.scale}.jsonl"
        workers = None if here else self.workers
        runs = compare(
            problems, algorithms, save=path, workers=workers, progress=self.progress, **given
        )
        if runs.missing:
            raise KeyboardInterrupt
        return runs

    def kept(self, name: str, make: Callable[[], Value]) -> Value:
        """Return plain data that was made before, or make and keep it."""
        path = self.folder / f"{name}-{self.scale}.json"
        if not path.exists():
            with whole(path) as temporary:
                temporary.write_text(json.dumps(make()))
        return json.loads(path.read_text())  # type: ignore[no-any-return]
