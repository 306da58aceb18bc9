"""What is kept of a search that fails: the best before, and word of code that did not return."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from nestor.checks import plain
from nestor.errors import NestorError, RulesError, warn
from nestor.problems.base import BaseProblem
from nestor.result import Result
from nestor.runs import isolation
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.lock import locked
from nestor.runs.run import Run, StopReason

STUCK = "stuck"
"""What a checkpoint calls the code that did not return, and what was found before."""

BEST = "the best result so far is this exception's attribute nestor_result"
"""How the note of an exception from a search begins that has such a result."""


@contextmanager
def keeping_best(run: Run) -> Iterator[None]:
    """Store what was found before the user's code failed in the exception."""
    try:
        yield
    except BaseException as error:
        error.nestor_result = None  # type: ignore[attr-defined]
        if not run.search.playouts:
            raise
        reason: StopReason = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        try:
            error.nestor_result = Result.of(run, reason)  # type: ignore[attr-defined]
            error.add_note(BEST)
        except BaseException as again:  # SystemExit comes again, too
            if run.problem.original is run.problem:
                error.nestor_result = Result.best_verified(run)  # type: ignore[attr-defined]
                kept = BEST if error.nestor_result else "no result is known that is legal"  # type: ignore[attr-defined]
                error.add_note(f"{kept}; the search has come to {run.progress().score}")
            elif run.search.played is None:
                error.add_note(
                    f"the best score so far is {run.progress().score}; its moves have the numbers "
                    f"{run.search.moves} among the legal ones (replaying them failed: {again!r})"
                )
            else:
                error.nestor_result = Result.of(run, reason, decode=False)  # type: ignore[attr-defined]
                error.add_note(f"{BEST}; it is not verified: playing its moves again failed")
        raise


def isolated(
    search: Callable[..., Result], given: dict[str, Any], problem: BaseProblem, path: Path | None
) -> Result:
    """Return what a search returns in a process of its own; what it has told of is kept."""
    apart = isolation.Isolated(search, given, problem.name, problem.module)
    try:
        return apart.answer()  # type: ignore[no-any-return]
    except (Exception, KeyboardInterrupt) as error:
        if (run := apart.run) is None or hasattr(error, "nestor_result"):
            raise
        if isinstance(error, KeyboardInterrupt) and run.search.playouts:
            warn(f"the interrupt cut off a method of {problem.name} that did not return")
            return Result.of(run, "interrupted")
        with keeping_best(run):
            raise
    finally:
        if apart.stuck and path is not None and apart.run is not None:
            _mark_stuck(path, apart.run)


def _mark_stuck(path: Path, run: Run) -> None:
    """Have a checkpoint say that its run got stuck, and what it had found."""
    with suppress(NestorError), locked(path):
        saved = Checkpoint.read(path)
        found = Result.of(run, "failed").to_dict() if run.search.playouts else None
        kept = None if found is None else json.loads(json.dumps(found, default=plain))
        saved.asked[STUCK] = {"code": run.problem.code_digest, "found": kept}
        saved.write(path)


def check_not_stuck(run: Run, saved: Checkpoint, path: Path) -> None:
    """Check that the code of a run is not the code that did not return there before."""
    stuck = saved.asked.get(STUCK)
    if stuck is None or stuck["code"] is None or stuck["code"] != run.problem.code_digest:
        return
    error = RulesError(
        f"{path}: a method of {run.problem.name} did not return in this run, and would not "
        "return again at the same place: mend it, then the run can be resumed"
    )
    found, problem = stuck["found"], run.problem.original
    error.nestor_result = Result.of_saved(found, path, problem) if found else None  # type: ignore[attr-defined]
    raise error
