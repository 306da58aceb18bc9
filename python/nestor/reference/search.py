"""Whole searches, restarted as the core restarts them."""

from __future__ import annotations

from typing import Any

from nestor.algorithms import NMCS, NRPA, Algorithm, BeamNRPA, Sampling
from nestor.exact import child_key, uniforms
from nestor.problem import Problem
from nestor.reference.beam import beam_nrpa
from nestor.reference.nmcs import nmcs, play_unlearned
from nestor.reference.options import first_policy, nested
from nestor.reference.playout import Playout
from nestor.reference.policy import Policy


def search(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    *,
    seed: int = 0,
    job: int = 0,
    restarts: int = 1,
) -> tuple[Playout, list[float]]:
    """Run whole searches, each with a fresh policy, as the core does while budget is left.

    Returns
    -------
    best : Playout
        The first playout of the greatest score.
    scores : list of float
        Engine scores of all playouts in order.
    """
    seen: list[Playout] = []
    root = child_key(seed, job)
    for restart in range(restarts):
        key = child_key(root, restart)
        match algorithm:
            case NMCS():
                nmcs(problem, algorithm, algorithm.level, key, seen, problem.initial())
            case BeamNRPA():
                beam_nrpa(problem, algorithm, algorithm.level, Policy(), key, seen)
            case NRPA():
                first = first_policy(problem, algorithm)
                nested(problem, algorithm, algorithm.level, first, key, seen)
            case Sampling():
                random = uniforms(key)
                seen.append(play_unlearned(problem, algorithm, random, problem.initial(), []))
    best = max(seen, key=lambda playout: playout.score)
    return best, [playout.score for playout in seen]
