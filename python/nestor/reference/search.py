"""Whole searches, restarted as the core restarts them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from nestor.algorithms import Algorithm
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.playout import Playout


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
    # The twin of a search has the name of the search in the core.
    twin = import_module(f"nestor.reference.{algorithm.core_name}")
    for restart in range(restarts):
        twin.search(problem, algorithm, child_key(root, restart), seen)
    best = max(seen, key=lambda playout: playout.score)
    return best, [playout.score for playout in seen]
