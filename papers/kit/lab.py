"""The lab: where one item makes its runs, at the scale and with the workers asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
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
    """What one item is given.

    Attributes
    ----------
    folder : Path
        Where its runs are kept.
    scale : {"smoke", "quick", "day", "paper"}
    workers : object
        See `nestor.compare`.
    progress : bool
    made : list of Runs
        The comparisons of the item.
    others : int
        Searches that were no comparison.
    """

    folder: Path
    scale: str = "quick"
    workers: Any = None
    progress: bool = True
    made: list[Runs] = field(default_factory=list)
    others: int = 0

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
        self.made.append(runs)
        return runs

    def kept(self, name: str, searches: int, make: Callable[[], Value]) -> Value:
        """Return plain data that so many searches made before, or make and keep it."""
        self.others += searches
        path = self.folder / f"{name}-{self.scale}.json"
        if not path.exists():
            with whole(path) as temporary:
                temporary.write_text(json.dumps(make()))
        return json.loads(path.read_text())  # type: ignore[no-any-return]

    @property
    def failed(self) -> list[str]:
        """The errors of runs that raised one."""
        return [str(row["error"]) for runs in self.made for row in runs.failed]

    @property
    def effort(self) -> str:
        """How many runs there were, with which seeds, and how long they took in all."""
        rows = [row for runs in self.made for row in runs]
        parts = [f"{len(rows) + self.others:,} runs"]
        if rows:
            seeds = sorted({row["seed"] for row in rows})
            parts.append(
                f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
            )
            parts.append(f"{sum(row['seconds'] for row in rows):,.0f} s of search")
        return ", ".join(parts)
