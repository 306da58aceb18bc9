"""Code that does not return: searches in processes of their own, and what checkpoints say of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from nestor.answer import keeping_best
from nestor.checks import in_json
from nestor.errors import NestorError, RulesError, attach, warn
from nestor.problems.base import BaseProblem
from nestor.result import Result
from nestor.runs import isolation
from nestor.runs.checkpoint import Checkpoint, locked
from nestor.runs.run import Run, StopReason
from nestor.runs.stopping import note_interrupted

STUCK = "stuck"
"""What a checkpoint calls the code that did not return, and what was found before."""


def isolated(
    search: Callable[..., Result], given: dict[str, Any], problem: BaseProblem, path: Path | None
) -> Result:
    """Return what a search returns in a process of its own; what it has told of is kept."""
    apart = isolation.Isolated(search, given, problem.name, problem.module)
    try:
        result: Result = apart.answer()
        if apart.cancelled and result.stop_reason == "interrupted":
            result = replace(result, stop_reason="cancelled")
        note_interrupted(result.stop_reason)
        return result
    except (Exception, KeyboardInterrupt) as error:
        if (run := apart.run) is None or hasattr(error, "nestor_result"):
            raise
        if isinstance(error, KeyboardInterrupt) and run.search.playouts:
            what = "cancel" if apart.cancelled else "interrupt"
            warn(f"the {what} cut off {apart.blamed}, which did not return")
            reason: StopReason = "cancelled" if apart.cancelled else "interrupted"
            note_interrupted(reason)
            return Result.of(run, reason)
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
        saved.asked[STUCK] = {"code": run.problem.code_digest, "found": in_json(found)}
        saved.write(path)


def check_not_stuck(run: Run, saved: Checkpoint, path: Path) -> None:
    """Check that the code of a run is not the code that did not return there before."""
    stuck = saved.asked.get(STUCK)
    if stuck is None or stuck["code"] is None or stuck["code"] != run.problem.code_digest:
        return
    error = RulesError(
        f"{path}: a method of {run.problem.name} did not return in this run, and would not "
        "return again at the same place: fix it, then the run can be resumed"
    )
    found, problem = stuck["found"], run.problem.original
    attach(error, Result.of_saved(found, path, problem) if found else None)
    raise error
