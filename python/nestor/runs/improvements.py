"""The new best scores of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nestor.problems.base import BaseProblem


@dataclass(frozen=True)
class Improvement:
    """A new best score of one job.

    Attributes
    ----------
    seconds : float
        Search time of the job when it was found.
    playouts : int
        Playouts of the job when it was found, including itself.
    job : int
        Number of the job, from 0.
    score : float
        The natural score.
    level : int
        The highest level that had already adapted its policy (in NMCS: made a move) in that search;
        0 if none had.
    moves : list or None
        The sequence, if it is among the last ones of its job.
    """

    seconds: float
    playouts: int
    job: int
    score: float
    level: int
    moves: list[Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the improvement as JSON-able data, with the moves if they are known."""
        return {name: value for name, value in vars(self).items() if value is not None}


def merged(
    found: Sequence[Sequence[Mapping[str, Any]]],
    trail: Sequence[Sequence[tuple[int, list[Any]]]],
    problem: BaseProblem,
) -> tuple[Improvement, ...]:
    """Merge the jobs' improvements by their playouts, whose order does not depend on time.

    A score of -inf is none: it has no place in a file.

    Parameters
    ----------
    found, trail : sequences
        For each job its improvements, and the playouts and the moves of the last of them.
    problem : BaseProblem
    """
    moves = {(job, playouts): each for job, last in enumerate(trail) for playouts, each in last}
    ordered = sorted(
        (each["playouts"], job, each["seconds"], each["score"], each["level"])
        for job, improvements in enumerate(found)
        for each in improvements
    )
    kept: list[Improvement] = []
    best = -math.inf
    for playouts, job, seconds, score, level in ordered:
        if score > best:
            best = score
            natural, known = problem.natural(score), moves.get((job, playouts))
            kept.append(Improvement(seconds, playouts, job, natural, level, known))
    return tuple(kept)
