"""The twin of `solve`: what a search with a problem, an algorithm, a budget and a seed finds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nestor.algorithms import Algorithm
from nestor.checks import as_count, as_integer, shown
from nestor.errors import InputError
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.problems.base import BaseProblem
from nestor.problems.own import adapt
from nestor.reference.adoption import Adoption, Limit, Playouts
from nestor.reference.playout import Playout
from nestor.reference.race import raced
from nestor.reference.whole import restarted, twin_of


def search(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    playouts: int | None = None,
    seed: int = 0,
    *,
    job: int = 0,
    adoptions: Sequence[Adoption] = (),
) -> tuple[Playout, list[float]]:
    """Search as ``nestor.solve(problem, algorithm, playouts=playouts, seed=seed)`` does.

    Biases and prior are those that `nestor.solve` would use, and the search ends with the same
    playout: that of the budget, or one that reaches the `optimum` of the problem. A search that has
    ended begins again with the next key while playouts are left.

    Parameters
    ----------
    problem : Problem
        One of `nestor.problems`, or any object with the methods of `nestor.Problem`.
    algorithm : Algorithm
        One that has a twin: sampling, a nested search, or a `Race` of these without an improver.
    playouts : int, optional
        1 to 2^63 - 1. By default one whole search runs to its end.
    seed : int, default 0
        0 to 2^64 - 1.
    job : int, default 0
        Which one of the jobs of a run it is.
    adoptions : sequence of Adoption
        Sequences from outside, in order; they are among the playouts.

    Returns
    -------
    Playout
        The best, the first of equals: its attributes `natural` and `moves` are the `score` and the
        `moves` of the result of `nestor.solve`.
    list of float
        The scores of all playouts in order, as the engine takes them: higher is better. Where lower
        is better, they are the natural ones times -1.

    Raises
    ------
    InputError
        If the algorithm has no twin or does not fit the problem, or an argument is out of range.
    """
    playouts = None if playouts is None else as_count("playouts", playouts, 1)
    seed, job = as_integer("seed", seed, 0, 2**64 - 1), as_count("job", job)
    adapted = adapt(problem)
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm must be an Algorithm such as NRPA(), not {shown(algorithm)}")
    target = math.inf if adapted.optimum is None else adapted.natural(adapted.optimum)
    limit = Limit(math.inf if playouts is None else playouts, target)
    if algorithm.raced is not None:
        seen, best = raced(adapted, algorithm, limit, seed, job)
    else:
        whole = Playouts(problem, adoptions, limit)
        restarts = 1 if playouts is None else None
        twin = twin_of(adapted, algorithm)
        seen = restarted(twin, algorithm, child_key(seed, job), whole, restarts)
        best = max(seen, key=lambda playout: playout.reported)
    return _told(adapted, best, seen)


def whole_searches(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    *,
    seed: int = 0,
    restarts: int = 1,
    adoptions: Sequence[Adoption] = (),
) -> tuple[Playout, list[float]]:
    """Run whole searches of a problem as it is, with all biases that it has; see `search`."""
    whole = Playouts(problem, adoptions)
    seen = restarted(problem, algorithm, child_key(seed, 0), whole, restarts)
    best = max(seen, key=lambda playout: playout.reported)
    return _told(adapt(problem), best, seen)


def _told(
    problem: BaseProblem, best: Playout, seen: Sequence[Playout]
) -> tuple[Playout, list[float]]:
    """Return the best playout with its natural score, and the scores of all."""
    told = replace(best, natural=problem.natural(best.reported))
    return told, [playout.reported for playout in seen]
