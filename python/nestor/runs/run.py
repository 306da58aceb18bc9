"""A run: a search advances until it reaches a limit, and writes files on the way."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from nestor import _core
from nestor.algorithms import Algorithm
from nestor.errors import InputError
from nestor.prior import Prior
from nestor.problems.base import BaseProblem
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.limits import Budget, Outputs
from nestor.runs.log import ImprovementLog
from nestor.version import version

StopReason = Literal["target", "seconds", "playouts", "finished", "interrupted"]

SLICE = 0.05
"""Seconds of search between checks of the keyboard and updates of the progress display."""


@dataclass(frozen=True)
class Progress:
    """How far a search is, as a callback sees it.

    Attributes
    ----------
    seconds : float
        Wall time so far.
    playouts : int
        Playouts of all jobs so far.
    score : float or None
        Best natural score so far; None before the first playout.
    levels : list of (int, int)
        Iterations done and to do of each level of the first job, from level 1 upwards.
    restarts : int
        Searches completed by all jobs.
    """

    seconds: float
    playouts: int
    score: float | None
    levels: list[tuple[int, int]]
    restarts: int


Callback = Callable[[Progress], object]


@dataclass
class Run:
    """A search with the facts that its result states, and its limits.

    Attributes
    ----------
    core : object
        The core's problem.
    elapsed : float
        Seconds of the run so far.
    resumed : bool
        Whether it has the state of a checkpoint.
    """

    problem: BaseProblem
    algorithm: Algorithm
    bias: str
    seed: int
    jobs: int
    threads: int
    budget: Budget
    core: Any
    search: _core.Search
    elapsed: float = 0.0
    resumed: bool = False

    @property
    def label(self) -> str:
        """The name of the problem and of the instance."""
        return f"{self.problem.short_name} {self.problem.label}".rstrip()

    def advance(self, callback: Callback | None, record: Record) -> StopReason:
        """Advance the search in slices until it reaches a limit, and return which one."""
        begun = time.monotonic() - self.elapsed
        seconds, playouts = self.budget.seconds, self.budget.playouts
        target = self.problem.optimum if self.budget.target is None else self.budget.target
        goal = None if target is None else self.problem.natural(target)
        try:
            while True:
                left = math.inf if seconds is None else begun + seconds - time.monotonic()
                if left <= 0 and self.search.playouts:
                    return "seconds"
                status = self.search.advance(
                    max(0.0, min(SLICE, left)), self.threads, playouts, goal, self.budget.limited
                )
                self.elapsed = time.monotonic() - begun
                record.update()
                if callback is not None and callback(self.progress()) is False:
                    return "interrupted"
                if status != "seconds":
                    return status
        except KeyboardInterrupt:
            if not self.search.playouts:
                raise
            return "interrupted"
        finally:
            self.elapsed = time.monotonic() - begun

    def progress(self) -> Progress:
        """Return how far the search is."""
        score = self.search.score
        return Progress(
            seconds=self.elapsed,
            playouts=self.search.playouts,
            score=None if score is None else self.problem.natural(score),
            levels=self.search.progress,
            restarts=self.search.restarts,
        )

    def checkpoint(self) -> Checkpoint:
        """Return what a checkpoint file says about the run."""
        prior = self.algorithm.bias_settings.prior
        asked = {
            **self.identity(),
            "version": version(),
            "own": self.problem.reference,
            "data": self.problem.to_dict(),
            "prior": prior.to_dict() if isinstance(prior, Prior) else None,
            "budget": vars(self.budget),
            "elapsed": self.elapsed,
        }
        return Checkpoint(asked, self.search.save(), self.problem.pack(self.core))

    def identity(self) -> dict[str, Any]:
        """Return what a run and a checkpoint must have in common for the run to resume it."""
        return {
            "problem": self.problem.short_name,
            "digest": self.problem.digest,
            "algorithm": self.algorithm.to_dict(),
            "bias": self.bias,
            "seed": self.seed,
            "jobs": self.jobs,
        }


class Record:
    """The log and the checkpoints of a run; use it as a context manager.

    Both are written at the end, however the run ends.

    Parameters
    ----------
    run : Run
    outputs : Outputs

    Raises
    ------
    InputError
        If the log cannot be written, or the problem cannot be pickled for checkpoints.
    """

    def __init__(self, run: Run, outputs: Outputs) -> None:
        self._run = run
        self._outputs = outputs
        self._log: ImprovementLog | None = None

    def __enter__(self) -> Record:
        run, path = self._run, self._outputs.log
        if self._outputs.checkpoint is not None:
            run.problem.pack(run.core)
        if path is not None:
            self._log = ImprovementLog(path, run.problem.natural, run.resumed)
        # The first checkpoint at once, so that a run that is killed early can be resumed.
        self._save()
        return self

    def __exit__(self, *raised: object) -> None:
        with suppress(KeyboardInterrupt):
            if self._log is not None:
                self._log.update(self._run.search)
                self._log.close()
            self._save()

    def update(self) -> None:
        """Write new improvements to the log, and a checkpoint if it is time for one."""
        if self._log is not None:
            self._log.update(self._run.search)
        if time.monotonic() - self._saved >= self._outputs.checkpoint_every:
            self._save()

    def _save(self) -> None:
        """Write a checkpoint. A full disk does not end the search: it is a warning."""
        self._saved = time.monotonic()
        if self._outputs.checkpoint is None:
            return
        try:
            self._run.checkpoint().write(self._outputs.checkpoint)
        except InputError as error:
            warnings.warn(f"no checkpoint: {error}", RuntimeWarning, stacklevel=2)
