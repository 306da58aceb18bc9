"""`solve`: from a problem, an algorithm and a budget to a verified result."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nestor import _core
from nestor.algorithms import GNRPA, Algorithm, Biasing
from nestor.errors import InputError
from nestor.prior import Prior, WithPrior, family_of
from nestor.problem import Problem
from nestor.problems.base import NativeProblem
from nestor.problems.custom import check_methods
from nestor.result import Improvement, Result, StopReason, decode

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


def solve(
    problem: Problem[Any, Any],
    algorithm: Algorithm | None = None,
    *,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    jobs: int | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Result:
    """Search for the best sequence of moves.

    A finished search starts again with the next random key while budget is left; the best of all
    counts. Without a budget one search runs to its end. Ctrl-C ends the search and returns the best
    so far.

    Parameters
    ----------
    problem : Problem
        One of `nestor.problems`, or any object with the methods of `nestor.Problem`.
    algorithm : Algorithm, default GNRPA()
    seconds : float, optional
        Wall time, positive.
    playouts : int, optional
        Playouts of all jobs together, at least 1.
    target : float, optional
        Stop at this natural score or better.
    seed : int, default 0
        0 to 2^64 - 1.
    threads : int, optional
        Threads to use, by default one for each core available.
    jobs : int, optional
        Independent searches side by side. By default 1 when `playouts` or no budget is given, so
        that threads cannot change the answer; as many as threads otherwise.
    progress : bool, default False
        Show a live display on standard error.
    callback : callable, optional
        Called some 20 times a second with a `Progress`; returning False ends the search.

    Returns
    -------
    Result
        With a verified solution.

    Raises
    ------
    InputError
        If an argument is out of range.
    VerificationError
        If the verifier rejects what the search found, which would be an error of this package.
    Exception
        What a method of the user's own problem raises. The best result before it, or None, is the
        exception's attribute `nestor_result`.
    """
    algorithm = GNRPA() if algorithm is None else algorithm
    _check(problem, algorithm, seconds, playouts, target, seed)
    threads = _count("threads", threads, default=_cores(), most=1024)
    one_job = playouts is not None or seconds is None
    jobs = _count("jobs", jobs, default=1 if one_job else threads, most=100_000)
    if playouts is not None and playouts < jobs:
        raise InputError(f"playouts must be at least one for each of {jobs} jobs, not {playouts}")
    searched = _biased(problem, algorithm.biasing)
    search = _core.Search(searched.core, algorithm.core(), seed, jobs, searched.prior)
    run = _Run(searched.problem, algorithm, searched.bias, seed, jobs, threads, search)
    if not progress:
        return run.to_end(seconds, playouts, target, callback)
    from nestor.progress import Display

    with Display(run.label, seconds, playouts, callback) as display:
        return run.to_end(seconds, playouts, target, display)


@dataclass
class _Run:
    """A search and what its result will say about it."""

    problem: Problem[Any, Any]
    algorithm: Algorithm
    bias: str
    seed: int
    jobs: int
    threads: int
    search: _core.Search

    @property
    def label(self) -> str:
        """What is searched, for people."""
        if isinstance(self.problem, NativeProblem):
            return f"{self.problem.name} {self.problem.label}"
        return type(self.problem).__name__

    def to_end(
        self,
        seconds: float | None,
        playouts: int | None,
        target: float | None,
        callback: Callback | None,
    ) -> Result:
        """Advance the search in slices until a limit is met."""
        start = time.monotonic()
        limited = seconds is not None or playouts is not None or target is not None
        engine_target = None if target is None else self._natural(target)
        reason: StopReason
        try:
            while True:
                left = math.inf if seconds is None else start + seconds - time.monotonic()
                if left <= 0 and self.search.playouts:
                    reason = "seconds"
                    break
                status = self.search.advance(
                    max(0.0, min(SLICE, left)), self.threads, playouts, engine_target, limited
                )
                if callback is not None and callback(self._progress(start)) is False:
                    reason = "interrupted"
                    break
                if status != "seconds":
                    reason = status
                    break
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

    def _natural(self, score: float) -> float:
        """Return the natural score of an engine score, and the other way round."""
        return self.problem.natural(score) if isinstance(self.problem, NativeProblem) else score

    def _progress(self, start: float) -> Progress:
        score = self.search.score
        return Progress(
            seconds=time.monotonic() - start,
            playouts=self.search.playouts,
            score=None if score is None else self._natural(score),
            levels=self.search.progress,
            restarts=self.search.restarts,
        )

    def _result(self, start: float, reason: StopReason) -> Result:
        seconds = time.monotonic() - start
        moves = self.search.moves
        if not isinstance(self.problem, NativeProblem):
            moves = _replay(self.problem, moves)
        score = self.search.score
        assert score is not None
        result = Result(
            problem=self.problem,
            algorithm=self.algorithm,
            bias=self.bias,
            seed=self.seed,
            jobs=self.jobs,
            threads=self.threads,
            score=self._natural(score),
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
            (playouts, job, seconds, score)
            for job, improvements in enumerate(self.search.improvements)
            for playouts, seconds, score in improvements
        )
        kept: list[Improvement] = []
        best = -math.inf
        for playouts, job, seconds, score in found:
            if score > best or not kept:
                best = score
                kept.append(Improvement(seconds, playouts, job, self._natural(score)))
        return tuple(kept)


@dataclass(frozen=True)
class _Searched:
    """What the core searches: the problem with its bias, that bias's name, and any prior."""

    problem: Problem[Any, Any]
    bias: str
    core: object
    prior: dict[int, float] | None = None


def _biased(problem: Problem[Any, Any], biasing: Biasing) -> _Searched:
    """Put bias or prior of the algorithm in force."""
    betas = biasing.betas(family_of(problem))
    if isinstance(problem, NativeProblem):
        if betas:
            problem = problem.biased("none")
            return _Searched(problem, _prior_name(biasing), problem.core(), betas)  # type: ignore[arg-type]
        bias = problem.default_bias if biasing.bias is None else biasing.bias
        problem = problem.biased(bias)
        return _Searched(problem, bias, problem.core())
    if betas:
        core = _core.PythonProblem(WithPrior(problem, betas), True)
        return _Searched(problem, _prior_name(biasing), core)
    biases = ("none", "bias") if callable(getattr(problem, "bias", None)) else ("none",)
    bias = biases[-1] if biasing.bias is None else biasing.bias
    if bias not in biases:
        raise InputError(
            f"bias must be one of {', '.join(map(repr, biases))} for {type(problem).__name__}, "
            f"not {bias!r}"
        )
    return _Searched(problem, bias, _core.PythonProblem(problem, bias == "bias"))


def _prior_name(biasing: Biasing) -> str:
    prior = biasing.prior
    return f"prior {prior.name if isinstance(prior, Prior) else prior}"


def _replay(problem: Problem[Any, Any], choices: list[int]) -> list[Any]:
    """Return the moves of a user's problem that a sequence of choices stands for."""
    state = problem.initial()
    moves = []
    for choice in choices:
        moves.append(list(problem.moves(state))[choice])
        state = problem.play(state, moves[-1])
    return moves


def _cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check(
    problem: object,
    algorithm: object,
    seconds: float | None,
    playouts: int | None,
    target: float | None,
    seed: int,
) -> None:
    check_methods(problem)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm must be an Algorithm such as NRPA(), not {algorithm!r}")
    if seconds is not None and not (_is_number(seconds) and 0 < seconds <= 1e9):
        raise InputError(f"seconds must be positive (at most 1e9), not {seconds!r}")
    if playouts is not None and not (_is_integer(playouts) and 1 <= playouts < 2**63):
        raise InputError(f"playouts must be a positive integer, not {playouts!r}")
    if target is not None and not (_is_number(target) and not math.isnan(target)):
        raise InputError(f"target must be a number, not {target!r}")
    if not (_is_integer(seed) and 0 <= seed < 2**64):
        raise InputError(f"seed must be an integer from 0 to 2^64 - 1, not {seed!r}")


def _count(name: str, value: int | None, default: int, most: int) -> int:
    if value is None:
        return default
    if not (_is_integer(value) and 1 <= value <= most):
        raise InputError(f"{name} must be an integer from 1 to {most}, not {value!r}")
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
