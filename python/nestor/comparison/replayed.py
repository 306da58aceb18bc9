"""Rows of a file, replayed: whether their moves lead to what they say of their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nestor.archive import hypervolume
from nestor.checks import shown
from nestor.comparison.row import Row
from nestor.errors import InputError, VerificationError
from nestor.front import ROUNDING, Point
from nestor.objectives import Pareto
from nestor.problem import Problem, agrees
from nestor.problems.base import BaseProblem
from nestor.problems.own import adapt
from nestor.text import format_score

LONGEST = 1.0
"""What takes longer to verify in a row is left out, in seconds: a fold of thousands of bases, and
the score of a known instance whose playouts took longer."""


def check_replayed(path: Path, row: Row, problem: Problem[Any, Any]) -> None:
    """Check that the moves of a row lead to its score, with the problem that is given.

    The row may be of another instance, which no digest tells, or somebody may have changed it.

    Raises
    ------
    InputError
        If they do not.
    """
    adapted = adapt(problem)
    if adapted.tells_instance and row["seconds"] > LONGEST * (row["playouts"] or 0):
        return
    try:
        told = _of_front(adapted, row) if row.get("front") else _of_moves(adapted, row)
        for name, found in told.items():
            if row.get(name, found) != found:
                raise VerificationError(f"{name} is {shown(row[name])}, and should be {found!r}")
    except Exception as error:  # The rules of another instance may raise anything.
        raise InputError(
            f"{path} has runs of another comparison: the moves of {row['problem']}, "
            f"{row['algorithm']}, seed {row['seed']} do not lead to the score {row['score']} with "
            f"the problem that is given: {error}"
        ) from error


def _of_moves(problem: BaseProblem, row: Row) -> Row:
    """Return what a row should say of the score that its moves have; refuse another score."""
    solution, score = problem.solution(row["moves"]), row["score"]
    solution.confirm_within(score, LONGEST)
    return {
        "shown": solution.shown_score or problem.show_score(score),
        "missed": problem.split_score(score)[0],
        "solved": solution.solved,
    }


def _of_front(problem: BaseProblem, row: Row) -> Row:
    """Return what a row should say of the hypervolume of its front; refuse what has no moves."""
    objectives = problem.objectives
    assert isinstance(objectives, Pareto)
    losses = []
    for each in row["front"]:
        point = Point.of(
            problem, (0, 0, 0.0, tuple(each["scores"]), problem.moves_from(each["moves"]))
        )
        point.verify()
        losses.append(objectives.losses(point.scores))
    volume = hypervolume(losses, objectives.losses(row["reference"]))
    if not agrees(row["score"], volume, ROUNDING):
        raise VerificationError(f"the hypervolume of its front is {volume}")
    return {"shown": format_score(row["score"])}
