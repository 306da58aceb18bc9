"""`solve` and `resume`: from a problem, an algorithm and a budget to a verified result."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nestor import _core, algorithms
from nestor.algorithms import GNRPA, Algorithm
from nestor.algorithms.sampling import Unlearned
from nestor.biasing import Biasing, bias_methods
from nestor.checkpoint import Checkpoint, unpack
from nestor.checks import check_count, is_integer, is_number
from nestor.errors import InputError
from nestor.files import check_writable
from nestor.prior import Prior, WithPrior, family_of
from nestor.problem import Problem
from nestor.problems import PROBLEMS
from nestor.problems.base import NativeProblem
from nestor.problems.custom import check_methods
from nestor.result import Result, load_problem
from nestor.run import Budget, Callback, Outputs, Run


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
        Stop at this natural score or better. By default the one that no solution can beat, where
        the problem has one (its `optimum`: a completed square).
    seed : int, default 0
        0 to 2^64 - 1.
    threads : int, optional
        Threads to use, by default one for each core available.
    jobs : int, optional
        Independent searches side by side. By default 1 when `playouts` or no budget is given, so
        that threads cannot change the answer; as many as threads otherwise.
    checkpoint : path, optional
        File that keeps the state of the run, written on a period and on every stop, even by an
        exception. If it exists, it must be of the same problem, algorithm, seed and jobs: the run
        then goes on where it was (see `resume`).
    checkpoint_every : float, default 60.0
        Seconds between two checkpoints, positive.
    log : path, optional
        JSON-lines file that each new best score of a job is written to at once (see
        `nestor.log.ImprovementLog`).
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
    check_methods(problem)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm must be an Algorithm such as NRPA(), not {algorithm!r}")
    if not (is_integer(seed) and 0 <= seed < 2**64):
        raise InputError(f"seed must be an integer from 0 to 2^64 - 1, not {seed!r}")
    budget = _budget(seconds, playouts, target)
    outputs = _outputs(checkpoint, checkpoint_every, log)
    threads = _count("threads", threads, default=_cores(), most=1024)
    one_job = playouts is not None or seconds is None
    jobs = _count("jobs", jobs, default=1 if one_job else threads, most=100_000)
    run = _start(problem, algorithm, seed, jobs, threads, budget)
    if outputs.checkpoint is not None and outputs.checkpoint.exists():
        saved = Checkpoint.read(outputs.checkpoint)
        run = _go_on(run, saved, outputs.checkpoint)
    return _finish(run, callback, progress, outputs)


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
    """Go on with a run where its checkpoint left it.

    With a playout budget the result is that of a run that was never stopped. The checkpoint goes on
    being written.

    Parameters
    ----------
    checkpoint : path
        File that `solve` wrote. That of a problem of the user's own holds pickled data: resume only
        files you trust.
    seconds, playouts, target : optional
        New limits of the whole run, what is done included. Without any, those of the run.
    threads, checkpoint_every, log, progress, callback
        As of `solve`. A log that the run has begun is gone on with.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        If the file is missing, no checkpoint, of another version or damaged, or an argument is out
        of range.
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
    run = _start(problem, algorithm, asked["seed"], asked["jobs"], threads, budget, codes)
    return _finish(_restored(run, saved, path), callback, progress, outputs)


def _start(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    seed: int,
    jobs: int,
    threads: int,
    budget: Budget,
    codes: Sequence[Any] = (),
) -> Run:
    """Begin a run."""
    if budget.playouts is not None and budget.playouts < jobs:
        raise InputError(
            f"playouts must be at least one for each of {jobs} jobs, not {budget.playouts}"
        )
    if isinstance(algorithm, Unlearned):
        _check_policy(problem, algorithm.playout_policy)
    searched = _biased(problem, algorithm.biasing, list(codes))
    if isinstance(algorithm, GNRPA):
        _check_biases(problem, algorithm, searched.biases)
    core, *others = searched.cores
    search = _core.Search(core, algorithm.core(), seed, jobs, searched.prior, others)
    return Run(
        searched.problem,
        algorithm,
        "+".join(searched.biases) or "none",
        seed,
        jobs,
        threads,
        budget,
        core,
        search,
    )


def _go_on(run: Run, saved: Checkpoint, path: Path) -> Run:
    """Give a run just begun the state of a checkpoint, if it is of the same run."""
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


def _finish(run: Run, callback: Callback | None, progress: bool, outputs: Outputs) -> Result:
    if not progress:
        return run.to_end(callback, outputs)
    from nestor.progress import Display

    budget = run.budget
    with Display(run.label, budget.seconds, budget.playouts, callback, run.show_score) as display:
        return run.to_end(display, outputs)


def _check_policy(problem: Problem[Any, Any], policy: str | None) -> None:
    """Check that the problem supplies a playout policy of this name."""
    if policy is None or (isinstance(problem, NativeProblem) and policy in problem.policies):
        return
    known = [f"{p!r} for {name}" for name, kind in PROBLEMS.items() for p in kind.policies]
    raise InputError(
        f"playout_policy must be {', '.join(known)}; {family_of(problem)} has no {policy!r}"
    )


def _check_biases(problem: Problem[Any, Any], algorithm: GNRPA, biases: Sequence[str]) -> None:
    """Check that there are biases to learn the weights of, and as many as there are weights."""
    if algorithm.bias_learning is None:
        return
    if not biases:
        raise InputError(
            f"bias_learning needs a bias or a prior: {family_of(problem)} has none by default"
        )
    weights = algorithm.bias_weight
    if isinstance(weights, tuple) and len(weights) != len(biases):
        raise InputError(
            f"bias_weight must be a number, or one for each of the biases {', '.join(biases)}; "
            f"it has {len(weights)}"
        )


@dataclass(frozen=True)
class _Searched:
    """What the core searches.

    Attributes
    ----------
    problem : Problem
        With the first of its biases in force.
    biases : sequence of str
        Names of all that are in force, a prior last.
    cores : sequence of object
        The core's problem, with the first bias, and once more with each of the others.
    prior : dict or None
        beta by prior code, for the core's own problems.
    """

    problem: Problem[Any, Any]
    biases: Sequence[str]
    cores: Sequence[object]
    prior: dict[int, float] | None = None


def _biased(problem: Problem[Any, Any], biasing: Biasing, codes: list[Any]) -> _Searched:
    """Put biases and prior of the algorithm in force."""
    betas = biasing.betas(family_of(problem))
    names = _names(problem, biasing, bool(betas))
    biases = [*names, _prior_name(biasing)] if betas else names
    if isinstance(problem, NativeProblem):
        problems = [problem.biased(name) for name in names or ["none"]]
        return _Searched(problems[0], biases, [each.core() for each in problems], betas or None)  # type: ignore[arg-type]
    kinds: list[tuple[Problem[Any, Any], str | None]] = [(problem, name) for name in names]
    if betas:
        kinds.append((WithPrior(problem, betas), "bias"))
    first, *others = kinds or [(problem, None)]
    # Codes are asked of the first one alone.
    cores = [_core.PythonProblem(*first, codes), *(_core.PythonProblem(*kind) for kind in others)]
    return _Searched(problem, biases, cores)


def _names(problem: Problem[Any, Any], biasing: Biasing, prior: bool) -> list[str]:
    """Return the names of the problem's biases that are to be in force."""
    bias = biasing.bias
    known: Sequence[str]
    default: Sequence[str]
    names: Sequence[str]
    if isinstance(problem, NativeProblem):
        known, default = problem.biases, (problem.default_bias,)
    else:
        methods = bias_methods(problem)
        known = ("none", *methods)
        default = methods if biasing.learns_weights else methods[:1]
    if bias is None:
        names = () if prior else default
    else:
        names = bias if isinstance(bias, tuple) else (bias,)
    for name in names:
        if name not in known:
            raise InputError(
                f"bias must be one of {', '.join(map(repr, known))} for {family_of(problem)}, "
                f"not {name!r}"
            )
    return [name for name in names if name != "none"]


def _prior_name(biasing: Biasing) -> str:
    prior = biasing.prior
    return f"prior {prior.name if isinstance(prior, Prior) else prior}"


def _cores() -> int:
    """Return the number of cores this process may use."""
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
