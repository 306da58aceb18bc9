"""A run: a search moved on until a limit is met, and what is written on the way."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nestor import __version__, _core
from nestor.algorithms import Algorithm
from nestor.checkpoint import Checkpoint, pack
from nestor.errors import InputError
from nestor.log import ImprovementLog
from nestor.prior import Prior
from nestor.problem import Problem, optimum_of
from nestor.problems.base import NativeProblem
from nestor.result import Improvement, Result, StopReason, decode
from nestor.text import format_score

SLICE = 0.05
"""Seconds of search between two looks at the keyboard and the progress display."""


@dataclass(frozen=True)
class Progress:
    """A search under way, as a callback sees it.

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


@dataclass(frozen=True)
class Budget:
    """How far a run goes; None for no limit.

    Attributes
    ----------
    seconds : float or None
        Wall time, that of the run before it was resumed included.
    playouts : int or None
        Playouts of all jobs together.
    target : float or None
        Natural score to stop at.
    """

    seconds: float | None = None
    playouts: int | None = None
    target: float | None = None

    @property
    def limited(self) -> bool:
        """Whether there is any limit; without one a search ends when it is finished."""
        return (self.seconds, self.playouts, self.target) != (None, None, None)


@dataclass(frozen=True)
class Outputs:
    """Where a run writes to while it is under way.

    Attributes
    ----------
    checkpoint : Path or None
    checkpoint_every : float
        Seconds between two checkpoints.
    log : Path or None
        JSON-lines file of improvements.
    """

    checkpoint: Path | None = None
    checkpoint_every: float = 60.0
    log: Path | None = None


@dataclass
class Run:
    """A search, what its result will say about it, and how far it goes.

    Attributes
    ----------
    core : object
        The core's problem.
    elapsed : float
        Seconds of the run before it was resumed.
    """

    problem: Problem[Any, Any]
    algorithm: Algorithm
    bias: str
    seed: int
    jobs: int
    threads: int
    budget: Budget
    core: object
    search: _core.Search
    elapsed: float = 0.0

    @property
    def label(self) -> str:
        """What is searched, for people."""
        if isinstance(self.problem, NativeProblem):
            return f"{self.problem.name} {self.problem.label}"
        return type(self.problem).__name__

    @property
    def target(self) -> float | None:
        """Natural score to stop at: that of the budget, else one that no solution can beat."""
        target = self.budget.target
        return optimum_of(self.problem) if target is None else target

    def to_end(self, callback: Callback | None, outputs: Outputs) -> Result:
        """Advance the search in slices until a limit is met."""
        start = time.monotonic() - self.elapsed
        if outputs.checkpoint is not None and not isinstance(self.problem, NativeProblem):
            pack(self.problem, [])
        with self._log(outputs.log) as log:
            try:
                reason = self._advance(start, callback, outputs, log)
            except KeyboardInterrupt:
                if not self.search.playouts:
                    raise
                reason = "interrupted"
            except Exception as error:
                self._attach_best(error, start)
                raise
        try:
            return self._result(start, reason)
        except KeyboardInterrupt:
            return self._result(start, "interrupted")

    def _log(self, path: Path | None) -> AbstractContextManager[ImprovementLog | None]:
        if path is None:
            return nullcontext()
        return ImprovementLog(path, self.natural, self.elapsed > 0)

    def _advance(
        self,
        start: float,
        callback: Callback | None,
        outputs: Outputs,
        log: ImprovementLog | None,
    ) -> StopReason:
        # The first one at once: a run that is killed early can be gone on with, too.
        self._checkpoint(start, outputs.checkpoint)
        written = time.monotonic()
        try:
            while True:
                reason = self._slice(start, callback)
                if log is not None:
                    log.update(self.search)
                if reason is not None:
                    return reason
                if time.monotonic() - written >= outputs.checkpoint_every:
                    self._checkpoint(start, outputs.checkpoint)
                    written = time.monotonic()
        finally:
            if log is not None:
                log.update(self.search)
            self._checkpoint(start, outputs.checkpoint)

    def _slice(self, start: float, callback: Callback | None) -> StopReason | None:
        """Advance the search a little; return why it ended, if it did."""
        seconds, target = self.budget.seconds, self.target
        left = math.inf if seconds is None else start + seconds - time.monotonic()
        if left <= 0 and self.search.playouts:
            return "seconds"
        status = self.search.advance(
            max(0.0, min(SLICE, left)),
            self.threads,
            self.budget.playouts,
            None if target is None else self.natural(target),
            self.budget.limited,
        )
        if callback is not None and callback(self._progress(start)) is False:
            return "interrupted"
        return None if status == "seconds" else status

    def _checkpoint(self, start: float, path: Path | None) -> None:
        """Write a checkpoint. A full disk must not end the search: it is told as a warning."""
        if path is None:
            return
        try:
            self.checkpoint(time.monotonic() - start).write(path)
        except InputError as error:
            warnings.warn(f"no checkpoint: {error}", RuntimeWarning, stacklevel=2)

    def checkpoint(self, elapsed: float) -> Checkpoint:
        """Return the run as it is written."""
        native = self.problem if isinstance(self.problem, NativeProblem) else None
        prior = self.algorithm.biasing.prior
        asked = {
            **self.identity(),
            "version": __version__,
            "data": native.to_dict() if native else None,
            "prior": prior.to_dict() if isinstance(prior, Prior) else None,
            "budget": vars(self.budget),
            "elapsed": elapsed,
        }
        own = b""
        if isinstance(self.core, _core.PythonProblem):
            own = pack(self.problem, self.core.codes)
        return Checkpoint(asked, self.search.save(), own)

    def identity(self) -> dict[str, Any]:
        """Return what two runs must have in common for one to go on with the other's state."""
        native = self.problem if isinstance(self.problem, NativeProblem) else None
        return {
            "problem": native.name if native else type(self.problem).__name__,
            "digest": native.digest if native else None,
            "algorithm": self.algorithm.to_dict(),
            "bias": self.bias,
            "seed": self.seed,
            "jobs": self.jobs,
        }

    def _attach_best(self, error: Exception, start: float) -> None:
        """Keep what was found before a failure of the user's code on the exception."""
        error.nestor_result = None  # type: ignore[attr-defined]
        if not self.search.playouts:
            return
        try:
            error.nestor_result = self._result(start, "interrupted")  # type: ignore[attr-defined]
            error.add_note("the best result so far is this exception's attribute nestor_result")
        except Exception as again:
            error.add_note(
                f"the best score so far is {self.search.score}, by choosing of the legal moves in "
                f"turn the numbers {self.search.moves} (replaying them failed: {again!r})"
            )

    def natural(self, score: float) -> float:
        """Return the natural score of an engine score, and the other way round."""
        return self.problem.natural(score) if isinstance(self.problem, NativeProblem) else score

    def show_score(self, score: float) -> str:
        """Return a natural score as people write it."""
        if isinstance(self.problem, NativeProblem):
            return self.problem.show_score(score)
        return format_score(score)

    def _progress(self, start: float) -> Progress:
        score = self.search.score
        return Progress(
            seconds=time.monotonic() - start,
            playouts=self.search.playouts,
            score=None if score is None else self.natural(score),
            levels=self.search.progress,
            restarts=self.search.restarts,
        )

    def _result(self, start: float, reason: StopReason) -> Result:
        seconds = time.monotonic() - start
        moves = self.search.moves
        if not isinstance(self.problem, NativeProblem):
            moves = replay(self.problem, moves)
        score = self.search.score
        assert score is not None
        result = Result(
            problem=self.problem,
            algorithm=self.algorithm,
            bias=self.bias,
            seed=self.seed,
            jobs=self.jobs,
            threads=self.threads,
            score=self.natural(score),
            moves=moves,
            solution=decode(self.problem, moves),
            improvements=self._improvements(),
            playouts=self.search.playouts,
            seconds=seconds,
            stop_reason=reason,
            verified=True,
        )
        result.verify()
        return result

    def _improvements(self) -> tuple[Improvement, ...]:
        """Merge the jobs' improvements by their playouts, which time cannot reorder."""
        found = sorted(
            (playouts, job, seconds, score, level)
            for job, improvements in enumerate(self.search.improvements)
            for playouts, seconds, score, level in improvements
        )
        kept: list[Improvement] = []
        best = -math.inf
        for playouts, job, seconds, score, level in found:
            if score > best or not kept:
                best = score
                kept.append(Improvement(seconds, playouts, job, self.natural(score), level))
        return tuple(kept)


def replay(problem: Problem[Any, Any], choices: list[int]) -> list[Any]:
    """Return the moves of a user's problem that a sequence of choices stands for."""
    state = problem.initial()
    moves = []
    for choice in choices:
        moves.append(list(problem.moves(state))[choice])
        state = problem.play(state, moves[-1])
    return moves
