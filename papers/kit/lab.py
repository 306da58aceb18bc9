"""The lab: where one item makes its runs, at the scale and with the workers asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from kit.searches import Effort, Measured, Searches
from nestor import Runs, compare
from nestor.files import whole

SCALES = ("smoke", "quick", "day", "paper")
"""smoke: seconds, to see that everything runs; quick: 45 minutes for all papers on 2 cores; paper:
the original size."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class Scale:
    """How large the runs are.

    Attributes
    ----------
    name : {"smoke", "quick", "day", "paper"}
    """

    name: str

    def runs(self, quick: int, day: int, paper: int) -> int:
        """Return the number of runs."""
        return self.pick(2, quick, day, paper)

    def playouts(self, quick: float, day: float, paper: float) -> int:
        """Return the playouts of a run."""
        return int(self.pick(max(quick / 300, 40), quick, day, paper))

    def number(self, quick: int, day: int, paper: int) -> int:
        """Return another number that grows with the scale."""
        return self.pick(min(quick, 3), quick, day, paper)

    def pick(self, smoke: Value, quick: Value, day: Value, paper: Value) -> Value:
        """Return what this scale has."""
        return dict(zip(SCALES, (smoke, quick, day, paper), strict=True))[self.name]


@dataclass
class Lab:
    """What one item is given.

    Attributes
    ----------
    folder : Path
        Where its runs are kept.
    at : Scale
    planned : sequence of Effort
        The searches that it may make.
    workers : object
        See `nestor.compare`.
    far : bool
        Whether these are on other machines, each with a run at a time.
    progress : bool
    changes : mapping of str to float
        Limits that are not those of the scale.
    made : dict of str to Runs
        The comparisons of the item.
    others : int
        Searches that were no comparison.
    """

    folder: Path
    at: Scale
    planned: Sequence[Effort]
    workers: Any = None
    far: bool = False
    progress: bool = True
    changes: Mapping[str, float] = field(default_factory=dict)
    made: dict[str, Runs] = field(default_factory=dict)
    others: int = 0

    @property
    def label(self) -> str:
        """The scale, and what was changed of it."""
        return "-".join([self.at.name, *(f"{k}-{v:g}" for k, v in self.changes.items())])

    def runs(self, *names: str) -> Runs:
        """Return the runs of planned searches; those that are there are not made again."""
        return Runs([row for name in names for row in self._compared(name)])

    def kept(self, name: str) -> Any:
        """Return plain data that planned searches made before, or make and keep it."""
        measured = self._planned(name, Measured)
        self.others += measured.searches
        path = self.folder / f"{name}-{self.label}.json"
        if not path.exists():
            with whole(path) as temporary:
                temporary.write_text(json.dumps(measured.make()))
        return json.loads(path.read_text())

    def _planned(self, name: str, kind: type[Value]) -> Value:
        (found,) = (each for each in self.planned if each.name == name)
        assert isinstance(found, kind)
        return found

    def _compared(self, name: str) -> Runs:
        if name in self.made:
            return self.made[name]
        searches = self._planned(name, Searches)
        runs = compare(
            {key: make() for key, make in searches.problems.items()},
            searches.algorithms,
            seeds=range(1, 1 + searches.runs),
            playouts=searches.playouts,
            seconds=searches.seconds,
            target=searches.target,
            jobs=searches.jobs,
            threads=searches.threads,
            save=self.folder / f"{name}-{self.label}.jsonl",
            workers=self.workers if self.far or not searches.alone else None,
            progress=self.progress,
        )
        if runs.missing:
            raise KeyboardInterrupt
        self.made[name] = runs
        return runs

    @property
    def failed(self) -> list[str]:
        """The errors of runs that raised one."""
        return [str(row["error"]) for runs in self.made.values() for row in runs.failed]

    @property
    def effort(self) -> str:
        """How many runs there were, with which seeds, and what they cost in all."""
        rows = [row for runs in self.made.values() for row in runs]
        parts = [f"{len(rows) + self.others:,} runs"]
        if rows:
            seeds = sorted({row["seed"] for row in rows})
            parts.append(
                f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
            )
            spent = sum(row.get("cpu") or row["seconds"] for row in rows)
            parts.append(f"{spent:,.0f} s of processor time")
        return ", ".join(parts)
