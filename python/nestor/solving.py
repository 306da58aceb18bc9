"""`solve` and `resume`: from a problem, an algorithm and a budget to a verified result."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from nestor import algorithms
from nestor.algorithms import Algorithm, Auto
from nestor.algorithms.auto import Choice
from nestor.answer import answer, keeping_best, warn_of_all
from nestor.batch_bias import unbiased
from nestor.checks import as_flag, check_callable, in_json
from nestor.errors import InputError, VerificationError, errors_of, warn
from nestor.files import as_path, opened, parsing
from nestor.problem import Problem
from nestor.problems import PROBLEMS
from nestor.problems.base import BaseProblem
from nestor.problems.faults import EDITED, ChangedError, faults_named
from nestor.problems.own import adapt, is_pickled, unpickled
from nestor.result import Result
from nestor.runs import isolation
from nestor.runs.adopting import STRENGTH, Exchange, Initial
from nestor.runs.checkpoint import WHAT, Checkpoint, differing_fields, locked
from nestor.runs.choosing import Chosen, chosen
from nestor.runs.elsewhere.executors import Team, team_for
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.elsewhere.workers import WorkersSearch
from nestor.runs.limits import Budget, Outputs, Resources
from nestor.runs.machine import check_fits
from nestor.runs.progress import Callback
from nestor.runs.run import Identity, Recorder, Run
from nestor.runs.saved import algorithm_of, difference, load_problem
from nestor.runs.session import Session
from nestor.runs.stopping import (
    OnImprovement,
    Stop,
    Watch,
    check_stop,
    note_interrupted,
    terminable,
)
from nestor.settings import from_settings, with_parameters
from nestor.stuck import check_not_stuck, isolated


@with_parameters(Budget, Resources, Outputs)
@terminable()
def solve(
    problem: Problem[Any, Any],
    algorithm: Algorithm | None = None,
    *,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | tuple[float, ...] | None = None,
    longest: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    jobs: int | None = None,
    workers: Any = None,
    exchange: int | None = None,
    topology: Literal["all", "ring"] = "all",
    initial: Any = None,
    initial_strength: int | None = None,
    cache: Path | str | None = None,
    stop: Stop | None = None,
    checkpoint: Path | str | None = None,
    checkpoint_every: float = 60.0,
    log: Path | str | None = None,
    progress: bool = False,
    callback: Callback | None = None,
    on_improvement: OnImprovement | None = None,
) -> Result:
    """Search for the best sequence of moves.

    A finished search starts again with the next random key while budget is left; the best of all
    counts. Without a budget one search runs until it ends. Ctrl-C ends the search and returns the
    best so far. So does SIGTERM in the main thread of a program that does not handle it itself.

    Parameters
    ----------
    problem : Problem
        One of `nestor.problems`, or any object with the methods of `nestor.Problem`.
    algorithm : Algorithm, default Auto()
        By default it is chosen to suit the problem and the budget; the result says what and why.
    initial : Result, Solution, list of moves, path or RNA sequence, optional
        A complete sequence to start from, such as a solution that you have. It is replayed by the
        rules, is the first playout of each job, and is never lost. The top level adapts to it; a
        restart of the search begins without it. Things that a cover does not need where they come
        are left out, with a warning. A file is a saved result, a JSON list of moves,
        whole numbers between blanks (the cities of a tour), a schedule of a tour or names of its
        stops, or for RNA a sequence of bases (FASTA); for Morpion Solitaire a record, and for a
        crossword its grid. For an assignment it may be a dict of variable to value, and for a front
        a front, a result or a file with all its points, or a list of fronts, results or points.
    stop : Stop, optional
        `NoImprovement`, `FirstSolved` or `Cancel`, or several joined with ``|``: when to stop
        besides the budget.
    progress : bool, default False
        Show a live display on standard error.
    callback : callable, optional
        Called some 20 times a second with a `Progress`; returning False ends the search.
    on_improvement : callable, optional
        Called with each new best natural score and its verified solution; of several found within a
        twentieth of a second, or ten times as long as it takes to verify one, with the best.
        Returning False ends the search.

    Returns
    -------
    Result
        It has a verified solution. If the verifier refuses the best that was found, which is an
        error of this package or of a user's own problem, it is the best that it accepts; a warning
        names both scores.

    Raises
    ------
    InputError
        If an argument is out of range, or another run uses the checkpoint.
    VerificationError
        If the verifier accepts nothing of what the search found.
    Exception
        An exception in a method of a user's own problem. The best result before it, or None, is
        the exception's attribute `nestor_result`.

    Examples
    --------
    >>> import nestor
    >>> def cost(order):
    ...     return sum(place * item for place, item in enumerate(order))
    >>> result = nestor.solve(nestor.Order(6, cost), playouts=200, seed=1)
    >>> result.score, result.moves
    (20.0, [5, 4, 3, 2, 1, 0])
    """
    given, begun = dict(locals()), time.monotonic()
    algorithm = Auto() if algorithm is None else algorithm
    adapted = adapt(problem)
    algorithms.check_kind(algorithm)
    budget = Budget(seconds, playouts, target, longest)
    outputs = Outputs(checkpoint, checkpoint_every, log)  # type: ignore[arg-type]
    _check_outputs(outputs, algorithm)
    used = Resources(seed, threads, jobs, workers, exchange, topology, initial_strength, cache)
    stop = check_stop(stop)
    if (adapted.isolated or algorithm.isolated) and not isolation.inside():
        return isolated(solve, given, adapted, outputs.checkpoint)
    if used.cache is not None:
        adapted.remember(used.cache)
    start = Initial.of(initial, used.initial_strength, adapted, algorithm)
    _warn_of_impossible(adapted)
    _prepare(adapted, budget)
    adapted.begin()
    with (
        _held(outputs.checkpoint) as saved,
        team_for(_as_saved(used, saved, outputs), budget, adapted, algorithm) as (used, team),
    ):
        found = Chosen(Choice(algorithm, ""))
        if algorithm.chooses:
            width = (used.threads if team is None else team.width) or 1
            found = chosen(adapted, budget, used, width, saved, start, stop)
        meetings = Exchange.of(used, budget, stop, found.choice.algorithm)
        before = None if saved is None else saved.asked["elapsed"]

        def begin(found: Chosen) -> Run:
            alone = found.search is not None
            return _start(
                Setup(adapted, found.choice.algorithm, used.seed),
                replace(used, jobs=1) if alone else used,
                budget,
                None if alone else team,
                found.search,
                begun=begun,
                before=before,
                searched=before or found.searched,
                exchange=meetings,
                initial=start and start.beginning(),
                stop=stop,
                auto=found.choice.reason or None,
                measured=found.measured,
                stopped=found.stopped,
                early=found.early.search if found.early is not None and found.few else None,
            )

        run = begin(found)
        if saved is not None and outputs.checkpoint is not None:
            _resume(run, saved, outputs.checkpoint)
        try:
            if saved is None and found.search is None:
                if start is not None:
                    start.adopt(run.search)
                if run.early is not None:
                    _begin_with(run.early, run.search)
            return _finish(run, outputs, progress, callback, on_improvement)
        except (Exception, KeyboardInterrupt) as error:
            if found.early is None or getattr(error, "nestor_result", None) is not None:
                raise
            run = begin(found.early._replace(stopped=error))
            return _finish(run, outputs, progress, callback, on_improvement)


@terminable()
def resume(
    checkpoint: Path | str,
    *,
    problem: Problem[Any, Any] | None = None,
    algorithm: Algorithm | None = None,
    trust: bool = False,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | tuple[float, ...] | None = None,
    threads: int | None = None,
    workers: Any = None,
    cache: Path | str | None = None,
    stop: Stop | None = None,
    checkpoint_every: float = 60.0,
    log: Path | str | None = None,
    progress: bool = False,
    callback: Callback | None = None,
    on_improvement: OnImprovement | None = None,
) -> Result:
    """Resume a run from its checkpoint.

    With a playout budget the result is that of a run that was never stopped. New checkpoints
    replace the old one.

    Parameters
    ----------
    checkpoint : path
        File that `solve` wrote.
    problem : Problem, optional
        The problem of the run. A run of a user's own problem needs it, unless the file is trusted.
    algorithm : Algorithm, optional
        The algorithm of the run. A run of a user's own algorithm needs it, unless this process has
        imported its module, or the file is trusted.
    trust : bool, default False
        Whether the file may run code: import the module of a user's own problem or algorithm, and
        load codes that are pickled because they have no JSON form (docs/faq.md).
    seconds, playouts, target : optional
        New limits of the whole run, including what is already done. By default, the run's own.
    threads, workers, cache, stop, checkpoint_every, log, progress, callback, on_improvement
        See `solve`. The log is continued. A checkpoint keeps neither `stop` nor `cache`: a run with
        `exchange` that had no other limit needs one again.

    Returns
    -------
    Result

    Raises
    ------
    InputError
        If the file is missing, damaged, of another version, not a checkpoint or used by another
        run, if the problem or the algorithm is missing or is a different one, or if an argument is
        out of range.
    """
    given, begun = dict(locals()), time.monotonic()
    path = as_path("checkpoint", checkpoint)
    with opened(path):
        pass  # A file that cannot be read cannot be locked.
    budget = Budget(seconds, playouts, target)
    used = Resources(threads=threads, workers=workers, cache=cache)
    outputs = Outputs(path, checkpoint_every, log)  # type: ignore[arg-type]
    stop = check_stop(stop)
    if as_flag("trust", trust) and problem is None:
        problem = _problem_of(path, Checkpoint.read(path), None, trust)
    if algorithm is not None:
        algorithms.check_kind(algorithm)
    apart = algorithm is not None and algorithm.isolated
    if problem is None and apart:
        raise InputError("problem: a search in a process of its own (isolated) needs it again")
    if problem is not None and not isolation.inside():
        adapted = adapt(problem)
        if adapted.isolated or apart:
            given["problem"] = problem
            return isolated(resume, given, adapted, path)
    with locked(path):
        saved = Checkpoint.read(path)
        asked = saved.asked
        problem = _problem_of(path, saved, problem, trust)
        with parsing(path, WHAT):
            of_run = from_settings(Budget, asked["budget"])
            budget = replace(budget, longest=of_run.longest) if budget.limited else of_run
            algorithm = algorithm_of(asked, algorithm, trust).with_priors(asked["prior"])
            used = replace(used, seed=asked["seed"], jobs=asked["jobs"])
            before = Identity.saved(asked)
            if (met := before.exchange) is not None:
                used = replace(used, exchange=met.every, topology=met.topology)
            exchange = Exchange.of(used, budget, stop, algorithm)
        adapted = adapt(problem)
        if used.cache is not None:
            adapted.remember(used.cache)
        with team_for(used, budget, adapted, algorithm) as (used, team):
            with errors_of(path):
                run = _start(
                    Setup(adapted, algorithm, used.seed),
                    used,
                    budget,
                    team,
                    begun=begun,
                    before=asked["elapsed"],
                    searched=asked["elapsed"],
                    exchange=exchange,
                    initial=before.initial,
                    stop=stop,
                    auto=asked.get("auto"),
                    measured=asked.get("measured") is True,
                )
            _restore(run, saved, path, trust)
            return _finish(run, outputs, progress, callback, on_improvement)


def standing(
    checkpoint: Path, problem: Problem[Any, Any] | None = None, trust: bool = False
) -> Result | None:
    """Return the best in a checkpoint, without a search; None before the first playout.

    It needs neither the lock of the file nor the code of the algorithm.

    Parameters
    ----------
    checkpoint : Path
    problem : Problem, optional
    trust : bool, default False
        See `resume`.

    Raises
    ------
    InputError
        If the file cannot be used, or the problem is missing or is a different one.
    """
    saved = Checkpoint.read(checkpoint)
    adapted = adapt(_problem_of(checkpoint, saved, problem, trust))
    with parsing(checkpoint, WHAT):
        before = Identity.saved(saved.asked)
        algorithm = algorithms.from_dict(saved.asked["algorithm"])
        for guide in algorithm.guides:
            vars(guide)["f"] = unbiased
        if algorithm.has_code:
            algorithm = algorithm.with_priors(saved.asked["prior"])
        asked = Setup(adapted, algorithm, before.seed)
        budget = from_settings(Budget, saved.asked["budget"])
        jobs, spent = before.jobs, saved.asked["elapsed"]
        search = asked.search(jobs)
        run = Run(asked, before.bias, jobs, 1, budget, search, begun=0.0, ended=spent)
    _restore(run, saved, checkpoint, trust)
    return Result.of(run, "interrupted") if run.search.playouts else None


def _problem_of(path: Path, saved: Checkpoint, problem: Any, trust: bool) -> Any:
    """Return the problem of a checkpoint, a user's own from its pickle if it is not given."""
    with parsing(path, WHAT):
        name = saved.asked.get("own") or saved.asked["problem"]
        if name not in PROBLEMS and is_pickled(saved.own):
            pickled, _ = unpickled(saved.own, trust)
            problem = pickled if problem is None else problem
    return load_problem(path, name, saved.asked, problem, trust)


@contextmanager
def _held(path: Path | None) -> Iterator[Checkpoint | None]:
    """Keep every other run from a checkpoint, and yield what it says; None if there is none.

    It is read under its lock: another run may have gone further until then.
    """
    with nullcontext() if path is None else locked(path):
        yield None if path is None or not path.exists() else Checkpoint.read(path)


def _as_saved(used: Resources, saved: Checkpoint | None, outputs: Outputs) -> Resources:
    """Return what a run uses, with the jobs of its checkpoint if nobody asks for others."""
    if saved is None or outputs.checkpoint is None or used.jobs is not None:
        return used
    with parsing(outputs.checkpoint, WHAT):
        return replace(used, jobs=Identity.saved(saved.asked).jobs)


def _check_outputs(outputs: Outputs, algorithm: Algorithm) -> None:
    """Check that the state of an algorithm and its prior can be saved, if they are to be."""
    if outputs.checkpoint is None:
        return
    if not algorithm.resumable:
        raise InputError(
            f"checkpoint: {algorithm.name} has no state that could be saved; for that it must be a "
            "generator, which yields its state now and then"
        )
    try:
        json.dumps(algorithm.prior_data)
    except (TypeError, ValueError) as error:
        raise InputError(f"checkpoint: the prior has no JSON form: {error}") from None


def _warn_of_impossible(problem: BaseProblem) -> None:
    """Warn of what no solution can meet."""
    if impossible := problem.impossible:
        more = f" (and {len(impossible) - 3} more)" if len(impossible) > 3 else ""
        reasons = "; ".join(map(str, impossible[:3]))
        warn(f"no solution can meet everything: {reasons}{more}")


def _prepare(problem: BaseProblem, budget: Budget) -> None:
    """Prepare a problem for searches, and warn if the time for that is missing."""
    begun = time.monotonic()
    told = problem.prepare()
    spent = time.monotonic() - begun
    if told and budget.seconds is not None and spent > max(0.1, budget.seconds / 4):
        left = max(0.0, budget.seconds - spent)
        warn(
            f"getting ready took {spent:.1f} s, which leaves {left:.1f} s of the "
            f"{budget.seconds:g} s for the search: {told}"
        )


def _start(
    asked: Setup,
    used: Resources,
    budget: Budget,
    team: Team | None,
    search: Any = None,
    **known: Any,
) -> Run:
    """Start a run, unless its search has begun, of which more is known (see `Run`)."""
    threads, jobs = used.threads, used.jobs
    assert threads is not None
    assert jobs is not None
    searches = jobs * len(asked.entrants)
    if budget.playouts is not None and budget.playouts < searches:
        raced = "" if searches == jobs else f" of {len(asked.entrants)} searches"
        raise InputError(
            f"playouts must be at least one for each of {jobs} jobs{raced}, not {budget.playouts}"
        )
    biases = asked.check()
    asked.problem.goal_of(budget.target)
    if search is None:
        now = time.monotonic()
        left = budget.searching(asked.problem.playout_seconds) or math.inf
        left -= now - known.get("begun", now) + (known.get("before") or 0.0)
        if told := asked.problem.end_in(left):
            warn(told)
        check_fits(jobs, asked.search)
        search = asked.search(jobs) if team is None else WorkersSearch(asked, jobs, team)
    return Run(asked, biases, jobs, threads, budget, search, **known)


def _begin_with(early: Session, search: Session) -> None:
    """Have a search begin with the best of an earlier one, if it has nothing better."""
    # If the rules fail, they fail again in the run, which says so.
    with suppress(Exception):
        if search.score is None or (early.score is not None and early.score > search.score):
            search.adopt(0, early.moves, STRENGTH)


def _resume(run: Run, saved: Checkpoint, path: Path) -> None:
    """Give a new run the state of a checkpoint, if it is of the same run."""
    with parsing(path, WHAT):
        before = Identity.saved(saved.asked)
        differing = run.identity.differing(before)
    # The algorithm says only how its prior is called.
    if not differing and not run.algorithm.same_priors(saved.asked["prior"]):
        differing = ["prior"]
    if differing:
        there, now = (in_json(each.algorithm) for each in (before, run.identity))
        more = {
            "digest": differing_fields(run.problem.to_dict(), saved.asked.get("data")),
            "jobs": f"jobs ({before.jobs}, not {run.jobs})",
            "algorithm": f"algorithm ({difference(there, now)})",
        }
        told = ", ".join(more.get(each, each) for each in differing)
        raise InputError(
            f"{path} is of another run: it differs in {told}; to begin anew, name another file; "
            "nestor.resume goes on with that run"
        )
    _restore(run, saved, path, trust=False)


def _restore(run: Run, saved: Checkpoint, path: Path, trust: bool) -> None:
    with parsing(path, WHAT):
        check_not_stuck(run, saved, path)
        codes = run.problem.unpack(saved.own, run.jobs, trust)
        opening = saved.asked.get("opening") or {}  # Older files have none.
        _check_opening(run, opening)
        try:
            run.search.restore(saved.jobs, codes)
            for job, trail in enumerate(run.search.trail):
                for moves in (run.search.job_moves(job), *(moves for _, moves in trail)):
                    if moves:
                        run.problem.check_moves(moves)
        except ValueError as error:
            other = _other(run, saved)
            if not other and opening.get("undo") and not hasattr(run.problem.original, "undo"):
                other = (
                    f"{run.problem.known_as} has no method undo() any more, and the search goes on "
                    "only with it: put it back, or begin anew"
                )
            raise InputError(other or f"a damaged checkpoint: {error}") from None
    if not run.problem.tells_instance and run.search.score is not None:
        _check_found(run, saved, path)


def _check_opening(run: Run, before: dict[str, Any]) -> None:
    """Check that the first state of a user's own problem has the legal moves that it had."""
    now = run.problem.opening
    if not before or now is None:
        return
    if before["moves"] != now["moves"]:
        differ = f"{before['moves']:,} moves were legal at first, and {now['moves']:,} are now"
    elif before["codes"] != now["codes"]:
        differ = "the moves that are legal at first have other codes now, or another order"
    else:
        return
    raise InputError(f"this is not the problem that was solved: {differ}. {EDITED}")


def _other(run: Run, saved: Checkpoint) -> str:
    """Return that a checkpoint is of a problem of another name; empty if it is not."""
    of, told = saved.asked.get("own"), run.problem.reference or run.problem.name
    return f"it is of {of}, and {told} is another problem" if of and of != told else ""


def _check_found(run: Run, saved: Checkpoint, path: Path) -> None:
    """Check that the best moves of a run lead to their score: the digest does not tell all."""
    try:
        Result.of(run, "interrupted")
    except (InputError, VerificationError) as error:
        said = error.later if isinstance(error, ChangedError) else error
        why = _other(run, saved) or f"this is not the problem that was solved: {said}"
        raise InputError(f"{path}: {why}") from None


def _finish(
    run: Run,
    outputs: Outputs,
    progress: bool,
    callback: Callback | None,
    on_improvement: OnImprovement | None,
) -> Result:
    """Advance a run to its end."""
    progress = as_flag("progress", progress)
    for name, given in (("callback", callback), ("on_improvement", on_improvement)):
        if given is not None:
            check_callable(name, given)
    watch = Watch(run.problem, run.search, run.stop, on_improvement)
    named = faults_named(run.problem.original, run.problem.known_as)
    done = None if run.before is None else run.search.playouts
    isolation.tell(run)
    with Recorder(run, outputs) as record, keeping_best(run), named:
        if progress:
            from nestor.runs.display import Display

            with Display(run, callback) as display:
                reason = run.advance(display, record, watch)
            display.close()
        else:
            reason = run.advance(callback, record, watch)
            run.warn_of_overrun()
    run.warn_of_optimum()
    if done == run.search.playouts and reason in ("target", "seconds", "playouts", "finished"):
        warn(f"nothing was left to do: limits are for the whole run (playouts so far: {done:,})")
    with keeping_best(run):
        try:
            if on_improvement is not None:
                # The end of a search may have found more, and the last one may still wait.
                watch.look(math.inf)
            result = answer(run, reason)
            warn_of_all(run, result)
        except KeyboardInterrupt:
            result = Result.of(run, "interrupted", decode=False)
    note_interrupted(result.stop_reason)
    return result
