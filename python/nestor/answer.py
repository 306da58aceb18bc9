"""What a run ends with: the best result that the verifier accepts, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from inspect import signature
from operator import itemgetter
from traceback import walk_tb

from nestor.errors import InputError, VerificationError, attach, warn
from nestor.front import Front
from nestor.naming import SCRIPT
from nestor.problem import InCore
from nestor.problems.base import BaseProblem
from nestor.problems.faults import ChangedError, fault_of_game, state_of_nothing
from nestor.problems.importing import name_of_script, place_of
from nestor.result import Result, bests_of
from nestor.runs.run import Run, StopReason
from nestor.text import counted

BEST = "the best result so far is this exception's attribute nestor_result"
"""How the note of an exception from a search begins that has such a result."""

KEPT = (
    "scores came from the cache: if its folder has old ones, because data or code outside the "
    "class was edited since, use another folder"
)
"""What is said of a refused score where scores are remembered."""

UNDONE = (
    "most often undo() fails because a method, such as play(), score() or undo() itself, changes "
    "the state that it is given: each must leave it as it was"
)
"""How the note of an exception in a user's undo() begins."""

SILENT = 1000
"""Playouts of a job in which something better than the first is found if the problem is sound."""

MORE = "; more playouts may find better, or nestor.Sampling() where there are few answers"
"""What else may help with an assignment, if costs differ."""

NAME: ContextVar[str] = ContextVar("NAME", default="")
"""What warnings of a run begin with if it is one of many."""

QUICK = 0.005
"""Seconds of a playout, below which scores may be asked for to judge the rules."""

REPEATED = 20
"""Slow scores that were asked again before a cache is suggested."""


def answer(run: Run, reason: StopReason) -> Result:
    """Return the result of a run that ended for this reason: the best that the verifier accepts.

    Raises
    ------
    VerificationError
        If it accepts nothing of what is known.
    """
    try:
        return Result.of(run, reason)
    except VerificationError as error:
        if run.problem.remembered is not None:
            error.args = (f"{error}; {KEPT}",)
        result = _best_accepted(run, reason)
        if result is None:
            raise
        what = f"the best that the search found, of score {run.progress().score},"
        kept = f"the result is the best that it accepts, of score {result.score}"
        if result.front is not None:
            what = "some of what the search found"
            kept = f"the front is what it accepts, {counted(len(result.front), 'solution')}"
        warn(f"{what} is refused by the verifier: {error}; {kept}")
        return result


def _warn_of_silence(run: Run, result: Result) -> None:
    """Warn of a problem in Python of which nothing better was found than the first playouts.

    It looks at what the result has: no playout is spent on it, but for some costs of an assignment.
    """
    own = run.problem.original is not run.problem and not run.problem.front
    better = any(each.playouts > result.jobs for each in result.improvements[-1:])
    met = result.score == run.problem.optimum or result.stop_reason == "target"
    found_early = run.early is not None and len(run.early.improvements[0]) > 1
    known = met or run.initial is not None or found_early or result.stop_reason == "interrupted"
    if own and not (better or known) and result.playouts >= SILENT * result.jobs:
        cause = getattr(run.problem.original, "_cause", None)
        warn(
            f"{NAME.get()}nothing better was found than the first of {result.playouts:,} playouts: "
            f"if that is not the best there is, {_check_of(run.problem)} looks for the reason, "
            "such as a score with few values" + (MORE if cause == "" else cause or "")
        )


def _check_of(problem: BaseProblem) -> str:
    """Return how a problem in Python is checked: by a command, if it can import it, or a call."""
    rules = problem.original
    if place := place_of(rules):
        return f"`nestor check {place}`"
    module, _, kind = problem.known_as.partition(":")
    if not kind:
        return "`nestor.testing.check_problem(problem)`"
    module, given = name_of_script() if module in SCRIPT else module, "..."
    with suppress(TypeError, ValueError):  # It needs arguments, or nobody knows.
        signature(type(rules)).bind()
        given = ""
    if given or not module or "<locals>" in kind:
        return f"`nestor.testing.check_problem({problem.short_name}({given}))`"
    return f"`nestor check {module}:{kind}`"


def _warn_of_rules(run: Run, result: Result) -> None:
    """Warn of a problem in Python if the best game shows that its rules are wrong."""
    problem = run.problem.original
    if isinstance(problem, InCore) or result.playouts == 1:
        return
    at_once = min(result.jobs, len(result.workers) or result.threads)
    asked = result.playouts - (result.remembered or 0)  # What is remembered takes no time.
    quick = at_once * result.seconds < QUICK * asked
    if found := fault_of_game(problem, result.moves, quick):
        warn(
            f"the best game shows a fault in {run.problem.known_as}: {found}; "
            f"{_check_of(run.problem)} tells more"
        )


def _warn_of_prior(run: Run, result: Result) -> None:
    """Warn of a prior that knows no legal move of the best game."""
    _, betas = run.asked.in_force
    codes = [code for code, *_ in run.problem.count_codes(result.moves, "moves")] if betas else []
    if codes and betas.keys().isdisjoint(codes):
        warn(
            f"{NAME.get()}none of the {len(betas):,} codes of "
            f"{run.algorithm.bias_settings.prior_name} occurs in the best game, where it makes no "
            "difference: learn one from instances like this one (learn_prior), or leave it out"
        )


def _warn_of_repeats(run: Run, result: Result) -> None:
    """Warn of slow scores that were asked again for the same game, where a cache would help."""
    slow, again = run.search.slow_scores
    mostly = 2 * slow >= result.playouts  # a fast one is slow now and then on a busy machine
    if mostly and again >= max(REPEATED, slow // 10):
        warn(
            f"of {slow:,} slow scores {again:,} were of games that had been scored before: "
            "cache='memory' asks for each score once"
        )


def warn_of_all(run: Run, result: Result) -> None:
    """Warn of what a result shows of the rules, the prior and the scores of its run."""
    for warn_of in (_warn_of_silence, _warn_of_rules, _warn_of_prior, _warn_of_repeats):
        warn_of(run, result)


def _front_accepted(run: Run, found: Result) -> Result | None:
    """Return a result with what the verifier accepts of the front, or None."""
    with suppress(Exception):
        front = Front.of(run.problem, run.search.records, bests_of(run), accepted=True)
        score, better = front[0].scores[0], max if found.sense == "max" else min
        return replace(
            found,
            front=front,
            score=score,
            moves=front[0].moves,
            solution=front[0].solution,
            improvements=tuple(e for e in found.improvements if better(e.score, score) == score),
            verified=True,
        )
    return None


def _best_accepted(run: Run, reason: StopReason) -> Result | None:
    """Return the best of the last improvements of all jobs that the verifier accepts, or None."""
    problem, search = run.problem, run.search
    found = Result.of(run, reason, decode=False)
    if problem.front:
        return _front_accepted(run, found)
    scores = [{each["playouts"]: each["score"] for each in job} for job in search.improvements]
    known = [
        (scores[job][playouts], moves)
        for job, last in enumerate(search.trail)
        for playouts, moves in last
    ]
    for score, numbers in sorted(known, key=itemgetter(0), reverse=True):
        # The rules of a user's own problem may raise anything.
        with suppress(Exception):
            moves = problem.moves_of(numbers, score)
            kept = [each for each in found.improvements if problem.natural(each.score) <= score]
            result = replace(
                found,
                score=problem.natural(score),
                moves=moves,
                solution=problem.solution(moves),
                improvements=tuple(kept),
            )
            result.verify()
            return result
    return None


@contextmanager
def keeping_best(run: Run) -> Iterator[None]:
    """Store in an exception what was found before it, such as one of the user's code."""
    try:
        yield
    except BaseException as error:
        attach(error, None)
        if isinstance(error, Exception) and any(
            frame.f_code.co_name == "undo" for frame, _ in walk_tb(error.__traceback__)
        ):
            error.add_note(f"{UNDONE}; {_check_of(run.problem)} says which does not")
        said = str(error)
        if isinstance(error, ChangedError | VerificationError) and run.search.elsewhere:
            error.args = (run.search.doubted(said),)  # type: ignore[attr-defined]
        first, rules, found = not run.search.playouts, run.problem.original, None
        if rules is not run.problem and isinstance(error, Exception):
            found = fault_of_game(rules, None, quick=False) if first else None
            found = found or state_of_nothing(rules, error)
            told = said.removeprefix(f"{run.problem.known_as}: ").partition(", after the moves ")[0]
            if found and not found.startswith(told):
                error.add_note(found)
        if first:
            raise
        reason: StopReason = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        try:
            attach(error, answer(run, reason))
            error.add_note(BEST)
        except BaseException as again:  # SystemExit comes again, too
            native = run.problem.original is run.problem
            refused = native or isinstance(again, InputError | VerificationError)
            accepted = None
            with suppress(Exception):  # The moves of another process may not be legal here.
                accepted = _best_accepted(run, reason) if refused else None
            if accepted is not None or native:
                score = run.progress().score
                attach(error, accepted)
                kept = BEST if accepted else "no result is known that is legal"
                error.add_note(f"{kept}; the search has come to {score}")
            elif run.search.played is None:
                error.add_note(
                    f"the best score so far is {run.progress().score}; its moves have the numbers "
                    f"{run.search.moves} among the legal ones"
                    + ("" if str(again) == said else f" (replaying them failed: {again!r})")
                )
            else:
                attach(error, Result.of(run, reason, decode=False))
                error.add_note(f"{BEST}; it is not verified: playing its moves again failed")
        raise
