"""Whole searches: the twin of an algorithm with its options, from its first playout to its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from typing import Any

from nestor.algorithms import Algorithm
from nestor.biases import WithBiases, in_force, in_python
from nestor.errors import InputError
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.problems.base import BaseProblem
from nestor.reference.adoption import LimitError, Playouts

Search = Callable[[int, Playouts], None]
"""What runs a search with a key; every playout goes to the second argument."""


def begin(problem: Problem[Any, Any], algorithm: Algorithm) -> Search:
    """Return what runs a whole search of an algorithm, once for each restart.

    Raises
    ------
    InputError
        If the algorithm has no twin.
    """
    # The twin of a search has the name of the search in the core.
    module = f"nestor.reference.{algorithm.core_name}"
    if not algorithm.core_name or find_spec(module) is None:
        raise InputError(f"{algorithm.name} has no twin in nestor.reference")
    return partial(import_module(module).search, problem, algorithm)


def restarted(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    root: int,
    seen: Playouts,
    restarts: int | None = None,
) -> Playouts:
    """Run so many whole searches, or as many as the limit of `seen` takes; return `seen`."""
    run = begin(problem, algorithm)
    try:
        for restart in count() if restarts is None else range(restarts):
            seen.restarts = restart
            run(child_key(root, restart), seen)
            seen.take()  # A restart begins blank.
    except LimitError:
        pass
    return seen


def twin_of(problem: BaseProblem, algorithm: Algorithm) -> WithBiases:
    """Return the problem with the biases that `nestor.solve` would use."""
    if algorithm.guides:
        raise InputError("bias: a BatchBias has no twin in nestor.reference")
    names, betas = in_force(problem, algorithm.bias_settings)
    prior = [algorithm.bias_settings.prior_name] if betas else []
    algorithm.check_fits(problem, [*names, *prior])
    return in_python(problem, names, betas)
