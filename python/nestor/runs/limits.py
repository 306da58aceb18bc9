"""The settings of a run: how far it goes, what it uses and what it writes on the way."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nestor.checks import HIGHEST, shown
from nestor.errors import InputError
from nestor.files import as_path, check_writable
from nestor.problems.faults import LONGEST
from nestor.settings import (
    SEED_MAX,
    Choice,
    File,
    Integer,
    Kind,
    Number,
    Positive,
    Settings,
    optional,
    setting,
)


class Target(Number):
    """A natural score: a number, or a tuple of numbers for a problem with objectives."""

    type = "float or tuple"

    def check(self, name: str, value: Any) -> Any:
        """Return the score; a tuple with numbers of Python."""
        if isinstance(value, tuple | list):
            return tuple(super(Target, self).check(name, part) for part in value)
        return super().check(name, value)

    def read(self, text: str) -> Any:
        """Read a number, or several with commas between them."""
        if "," in text:
            return tuple(super(Target, self).read(part) for part in text.split(","))
        return super().read(text)


@dataclass(frozen=True)
class Budget(Settings):
    """How far a run goes. Without any limit a search ends when it is finished."""

    seconds: float | None = optional(
        Positive(1e9),
        "Wall time. It includes the time before the run was resumed.",
        unit="seconds",
        basic=True,
    )
    playouts: int | None = optional(
        Integer(1, HIGHEST), "Playouts of all jobs together.", basic=True
    )
    target: Any = optional(
        Target(),
        "Stop at this score or better. By default at the `optimum` of the problem, which "
        "no solution can beat, if it has one (a completed square); nothing beyond it is a target. "
        "A tuple for scores that are tuples.",
        basic=True,
    )
    longest: int = setting(
        LONGEST,
        Integer(1, HIGHEST),
        "The most moves that a game of your own problem may have. A longer one counts as endless: "
        "it ends the search with an error.",
        unit="moves",
    )

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return (self.seconds, self.playouts, self.target) != (None, None, None)

    def searching(self, answer: float) -> float | None:
        """Return the seconds of the search, given those of the answer: at most half is kept."""
        return self.seconds and max(self.seconds - answer, self.seconds / 2)


class Workers(Integer):
    """A number of processes, the address of a scheduler, or an object that runs calls elsewhere."""

    type = "int, str, Executor or Client"

    def __init__(self) -> None:
        super().__init__(1, 1024)

    def check(self, name: str, value: Any) -> Any:
        """Return the value; a number as an integer."""
        runs_calls = callable(getattr(value, "submit", None)) and not isinstance(value, type)
        if isinstance(value, str) and value.isdecimal():
            raise InputError(
                f"{name} must be a number without quotes, {name}={value}, or an address"
            )
        if isinstance(value, str) or runs_calls:
            return value
        try:
            return super().check(name, value)
        except InputError as error:
            if isinstance(value, int | float):
                raise
            raise InputError(
                f"{name} must be a number of processes, an executor as in concurrent.futures, a "
                f"client of dask or the address of its scheduler, not {shown(value)}"
            ) from error


class Cache(Kind):
    """Where scores are remembered."""

    type, metavar = "str or path", "memory|FOLDER"

    def check(self, name: str, value: Any) -> Path | str:
        """Return "memory" or the path of a folder."""
        if isinstance(value, str) and value == "memory":
            return "memory"
        path = as_path(name, value)
        try:
            wrong = path.exists() and not path.is_dir()
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}: {shown(str(path))}") from None
        if wrong:
            raise InputError(f'{name} must be "memory" or a folder, not {path}')
        return path


@dataclass(frozen=True)
class Resources(Settings):
    """What a run uses: random numbers, threads, workers and searches side by side."""

    seed: int = setting(0, Integer(0, SEED_MAX), "Seed of all random choices.", basic=True)
    threads: int | None = optional(
        Integer(1, 1024),
        "Threads to use. With workers, the threads of each segment of a job.",
        none="all cores; with workers, or for rules in Python, 1",
        basic=True,
    )
    jobs: int | None = optional(
        Integer(1, 100_000),
        "Independent searches side by side. With a playout budget or none there is one by default, "
        "so that threads cannot change the answer. On Linux more than fit into memory are refused.",
        none="1 with --playouts and with no budget, else one for each worker or thread; for rules "
        "in Python and for BeamSearch 1 without workers",
    )
    workers: Any = optional(
        Workers(),
        "Run jobs in this many processes of this machine, or on an executor (as in "
        "`concurrent.futures`), a dask client, or the dask scheduler at this address. The result "
        "is the same as with threads.",
        none="threads of this process; for rules in Python and RNA, with --seconds 10 or more and "
        "neither --playouts nor --threads, a process for each core",
    )
    exchange: int | None = optional(
        Integer(1, HIGHEST),
        "Playouts of each job after which jobs take over better sequences of others. The top level "
        "adapts to such a sequence once. It counts as a playout. Needs several jobs and a budget.",
        none="never",
        source="distributed-nrpa-samegame-2017, section 3.1, names the need; the rule is ours",
    )
    topology: str = setting(
        "all",
        Choice(["all", "ring"]),
        "Whose best sequence a job takes over: the best of all jobs, or that of the job before it.",
        needs="exchange",
    )
    initial_strength: int | None = optional(
        Integer(0, 1_000),
        "How often the top level adapts to the sequence that the search starts from (`initial`).",
        none="1",
    )

    cache: Path | str | None = optional(
        Cache(),
        'Remember the scores of games of your own problem: "memory", or a folder for later runs '
        "and other processes. The score of a game that was played before is not asked for again; a "
        "game is known by its moves, or by a method `key(state)`. The result is the same, since "
        "methods are pure.",
    )

    def _check(self) -> None:
        super()._check()
        if self.topology != "all" and self.exchange is None:
            raise InputError("topology has no effect without exchange, which is off")

    def chosen(
        self, budget: Budget, parallel: bool = True, alone: bool = False, width: int | None = None
    ) -> Resources:
        """Return what a run uses: the defaults depend on the machine and the budget.

        Parameters
        ----------
        budget : Budget
        parallel : bool, default True
            Whether the rules of the problem run on several threads at once.
        alone : bool, default False
            Whether one job on all threads does more than a job on each.
        width : int, optional
            How many jobs run at once on workers; None without workers.
        """
        threads = self.threads or (cores() if width is None and parallel else 1)
        at_once = width or (threads if parallel and not alone else 1)
        one_job = budget.playouts is not None or budget.seconds is None
        jobs = self.jobs or (1 if one_job else at_once)
        return replace(self, threads=threads, jobs=jobs)


@dataclass(frozen=True)
class Outputs(Settings):
    """Files that a run writes to while it is under way; their names may be text."""

    checkpoint: Path | None = optional(
        File(),
        "Save the run's state here; resume if it exists. The file is written at intervals and "
        "whenever the run stops, even by an exception. An existing file must be of the same "
        "problem, algorithm, seed and, if they are given, jobs (see `resume`).",
        basic=True,
    )
    checkpoint_every: float = setting(
        60.0,
        Positive(1e9),
        "Time between checkpoints, at most: the first ones come sooner.",
        unit="seconds",
    )
    log: Path | None = optional(
        File(),
        "Write each new best score of a job to this file at once. One JSON object per line.",
    )

    def _check(self) -> None:
        for path in filter(None, (self.checkpoint, self.log)):
            check_writable(path)
        if self.log and self.checkpoint and self.log.resolve() == self.checkpoint.resolve():
            raise InputError(f"checkpoint and log must be different files, not {self.log}")


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
