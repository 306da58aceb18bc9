"""`solve` and `resume`: from a problem, an algorithm and a budget to a verified result."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from nestor import _core, algorithms
from nestor.algorithms import GNRPA, Algorithm
from nestor.algorithms.sampling import Unlearned
from nestor.biases import in_force
from nestor.checks import check_count, is_integer, is_number
from nestor.errors import InputError
from nestor.files import check_writable
from nestor.prior import Prior
from nestor.problem import Problem
from nestor.problems import PROBLEMS
from nestor.problems.base import BaseProblem
from nestor.problems.own import adapt
from nestor.result import Result, load_problem
from nestor.runs.checkpoint import Checkpoint, unpack
from nestor.runs.run import Budget, Callback, Outputs, Record, Run, StopReason


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
    checkpoint: Path | str | None = None,
    checkpoint_every: float = 60.0,
    log: Path | str | None = None,
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
        Stop at this natural score or better. By default the problem's `optimum`, which no solution
        can beat, if it has one (a completed square).
    seed : int, default 0
        0 to 2^64 - 1.
    threads : int, optional
        Threads to use, by default one for each core available.
    jobs : int, optional
        Independent searches side by side. By default 1 if `playouts` or no budget is given, so that
        threads cannot change the answer; otherwise as many as threads.
    checkpoint : path, optional
        File that keeps the state of the run, written at intervals and on every stop, even by an
        exception. If it exists, it must be of the same problem, algorithm, seed and jobs: the run
        is then resumed (see `resume`).
    checkpoint_every : float, default 60.0
        Seconds between two checkpoints, positive.
    log : path, optional
        JSON-lines file to which each new best score of a job is written at once (see
        `nestor.runs.log.ImprovementLog`).
    progress : bool, default False
        Show a live display on standard error.
    callback : callable, optional
        Called some 20 times a second with a `Progress`; returning False ends the search.

    Returns
    -------
    Result
        It has a verified solution.

    Raises
    ------
    InputError
        If an argument is out of range.
    VerificationError
        If the verifier rejects what the search found: an error of this package.
    Exception
        An exception of a method of the user's own problem. The best result before it, or None, is
        the exception's attribute `nestor_result`.
    """
    algorithm = GNRPA() if algorithm is None else algorithm
    adapted = adapt(problem)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm must be an Algorithm such as NRPA(), not {algorithm!r}")
    if not (is_integer(seed) and 0 <= seed < 2**64):
        raise InputError(f"seed must be an integer from 0 to 2^64 - 1, not {seed!r}")
    budget = _budget(seconds, playouts, target)
    outputs = _outputs(checkpoint, checkpoint_every, log)
    threads = _count("threads", threads, default=_cores(), most=1024)
    one_job = playouts is not None or seconds is None
    jobs = _count("jobs", jobs, default=1 if one_job else threads, most=100_000)
    run = _start(adapted, algorithm, seed, jobs, threads, budget)
    if outputs.checkpoint is not None and outputs.checkpoint.exists():
        run = _resumed(run, Checkpoint.read(outputs.checkpoint), outputs.checkpoint)
    with (
        Record(run, outputs) as record,
        _keeping_best(run),
        _shown(run, progress, callback) as seen,
    ):
        reason = run.advance(seen, record)
    return _result(run, reason)


def resume(
    checkpoint: Path | str,
    *,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | None = None,
    threads: int | None = None,
    checkpoint_every: float = 60.0,
    log: Path | str | None = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Result:
    """Resume a run from its checkpoint.

    With a playout budget the result is that of a run that was never stopped. New checkpoints
    replace the old one.

    Parameters
    ----------
    checkpoint : path
        File that `solve` wrote. That of a user's own problem holds pickled data: resume only
        files you trust.
    seconds, playouts, target : optional
        New limits of the whole run, including what is done. Without any, those of the run.
    threads, checkpoint_every, log, progress, callback
        See `solve`. The log is continued.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        If the file is missing, damaged, of another version or not a checkpoint, or if an argument
        is out of range.
    """
    path = Path(checkpoint)
    saved = Checkpoint.read(path)
    budget = _budget(seconds, playouts, target)
    if not budget.limited:
        budget = Budget(**saved.asked["budget"])
    outputs = _outputs(path, checkpoint_every, log)
    threads = _count("threads", threads, default=_cores(), most=1024)
    asked = saved.asked
    codes: list[Any] = []
    if saved.own:
        problem, codes = unpack(path, saved.own)
    else:
        problem = load_problem(asked["problem"], asked["data"], asked["digest"])
    algorithm = algorithms.from_dict(asked["algorithm"])
    if asked["prior"] is not None:
        algorithm = replace(algorithm, prior=Prior.from_dict(asked["prior"]))  # type: ignore[call-arg]
    run = _start(adapt(problem), algorithm, asked["seed"], asked["jobs"], threads, budget, codes)
    run = _restored(run, saved, path)
    with (
        Record(run, outputs) as record,
        _keeping_best(run),
        _shown(run, progress, callback) as seen,
    ):
        reason = run.advance(seen, record)
    return _result(run, reason)


def _start(
    problem: BaseProblem,
    algorithm: Algorithm,
    seed: int,
    jobs: int,
    threads: int,
    budget: Budget,
    codes: Sequence[Any] = (),
) -> Run:
    """Start a run."""
    if budget.playouts is not None and budget.playouts < jobs:
        raise InputError(
            f"playouts must be at least one for each of {jobs} jobs, not {budget.playouts}"
        )
    if isinstance(algorithm, Unlearned):
        _check_policy(problem, algorithm.playout_policy)
    settings = algorithm.bias_settings
    biases, betas = in_force(problem, settings)
    core, others, prior = problem.cores(biases, betas, codes)
    if betas:
        biases.append(settings.prior_name)
    if isinstance(algorithm, GNRPA):
        _check_biases(problem, algorithm, biases)
    search = _core.Search(core, algorithm.core(), seed, jobs, prior, others)
    bias = "+".join(biases) or "none"
    return Run(problem, algorithm, bias, seed, jobs, threads, budget, core, search)


def _resumed(run: Run, saved: Checkpoint, path: Path) -> Run:
    """Give a new run the state of a checkpoint, if it is of the same run."""
    identity = json.loads(json.dumps(run.identity()))
    differing = [name for name, value in identity.items() if saved.asked.get(name) != value]
    if differing:
        raise InputError(f"{path} is of another run: it differs in {', '.join(differing)}")
    if saved.own:
        _, codes = unpack(path, saved.own)
        run = _start(run.problem, run.algorithm, run.seed, run.jobs, run.threads, run.budget, codes)
    return _restored(run, saved, path)


def _restored(run: Run, saved: Checkpoint, path: Path) -> Run:
    try:
        run.search.restore(saved.jobs)
    except ValueError as error:
        raise InputError(f"{path}: a damaged checkpoint: {error}") from None
    run.elapsed = saved.asked["elapsed"]
    return run


@contextmanager
def _shown(run: Run, progress: bool, callback: Callback | None) -> Iterator[Callback | None]:
    """Yield the callback, with a live display if one is wanted."""
    if not progress:
        yield callback
        return
    from nestor.runs.display import Display

    with Display(run, callback) as display:
        yield display


@contextmanager
def _keeping_best(run: Run) -> Iterator[None]:
    """Store what was found before the user's code failed in the exception."""
    try:
        yield
    except Exception as error:
        error.nestor_result = None  # type: ignore[attr-defined]
        if not run.search.playouts:
            raise
        try:
            error.nestor_result = Result.of(run, "interrupted")  # type: ignore[attr-defined]
            error.add_note("the best result so far is this exception's attribute nestor_result")
        except Exception as again:
            error.add_note(
                f"the best score so far is {run.search.score}; its moves have the numbers "
                f"{run.search.moves} among the legal ones (replaying them failed: {again!r})"
            )
        raise


def _result(run: Run, reason: StopReason) -> Result:
    try:
        return Result.of(run, reason)
    except KeyboardInterrupt:
        return Result.of(run, "interrupted")


def _check_policy(problem: BaseProblem, policy: str | None) -> None:
    """Check that the problem supplies a playout policy of this name."""
    if policy is None or policy in problem.policies:
        return
    known = [f"{p!r} for {name}" for name, kind in PROBLEMS.items() for p in kind.policies]
    raise InputError(f"playout_policy must be {', '.join(known)}; {problem.name} has no {policy!r}")


def _check_biases(problem: BaseProblem, algorithm: GNRPA, biases: Sequence[str]) -> None:
    """Check that there are biases whose weights can be learned, and as many as weights."""
    if algorithm.bias_learning is None:
        return
    if not biases:
        raise InputError(
            f"bias_learning needs a bias or a prior: {problem.name} has none by default"
        )
    weights = algorithm.bias_weight
    if isinstance(weights, tuple) and len(weights) != len(biases):
        raise InputError(
            f"bias_weight must be a number, or one for each of the biases {', '.join(biases)}; "
            f"it has {len(weights)}"
        )


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _budget(seconds: Any, playouts: Any, target: Any) -> Budget:
    if seconds is not None and not (is_number(seconds) and 0 < seconds <= 1e9):
        raise InputError(f"seconds must be positive (at most 1e9), not {seconds!r}")
    if playouts is not None and not (is_integer(playouts) and 1 <= playouts < 2**63):
        raise InputError(f"playouts must be a positive integer, not {playouts!r}")
    if target is not None and not (is_number(target) and not math.isnan(target)):
        raise InputError(f"target must be a number, not {target!r}")
    return Budget(seconds, playouts, target)


def _outputs(checkpoint: Any, every: Any, log: Any) -> Outputs:
    if not (is_number(every) and 0 < every <= 1e9):
        raise InputError(f"checkpoint_every must be positive (at most 1e9), not {every!r}")
    paths = [None if path is None else Path(path) for path in (checkpoint, log)]
    for path in paths:
        if path is not None:
            check_writable(path)
    return Outputs(paths[0], every, paths[1])


def _count(name: str, value: int | None, default: int, most: int) -> int:
    if value is None:
        return default
    check_count(name, value, 1, most)
    return value
