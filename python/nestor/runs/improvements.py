"""The new best scores of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from nestor.problems.base import BaseProblem

PER_REPLAY = 50
"""Playouts for each sequence that rules in Python play again, so that it takes little time."""


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
        The sequence, if it is among the last ones of its job. The rules of a problem in Python must
        play it again for that, so there it is also None unless it is among the last n of a run of
        50 n playouts.
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
    playouts: int,
) -> tuple[Improvement, ...]:
    """Merge the jobs' improvements by their playouts, whose order does not depend on time.

    A score of -inf is none: it has no place in a file.

    Parameters
    ----------
    found, trail : sequences
        For each job its improvements, and the playouts and the moves of the last of them.
    problem : BaseProblem
    playouts : int
        Playouts of all jobs. For each `PER_REPLAY` of them rules in Python play one sequence again.
    """
    moves = {(job, playouts): each for job, last in enumerate(trail) for playouts, each in last}
    ordered = sorted(
        (each["playouts"], job, each["seconds"], each["score"], each["level"])
        for job, improvements in enumerate(found)
        for each in improvements
    )
    kept: list[Improvement] = []
    best = -math.inf
    for after, job, seconds, score, level in ordered:
        if score > best:
            best = score
            natural, known = problem.natural(score), moves.get((job, after))
            kept.append(Improvement(seconds, after, job, natural, level, known))
    return tuple(kept if problem.original is problem else _replayed(kept, problem, playouts))


def _replayed(
    found: list[Improvement], problem: BaseProblem, playouts: int
) -> Iterator[Improvement]:
    """Yield improvements with the moves of a problem in Python, of the last if not of all."""
    first = len(found) - playouts // PER_REPLAY
    for place, each in enumerate(found):
        moves = None
        if place >= first and each.moves is not None:
            # Rules that change from call to call are told with the best sequence.
            with suppress(Exception):
                moves = problem.moves_of(each.moves, problem.natural(each.score))
        yield replace(each, moves=moves)
