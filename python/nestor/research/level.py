"""Adapting a policy to a sequence, and running a whole level of NRPA."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from nestor.algorithms import Algorithm
from nestor.algorithms.auto import BY_HAND
from nestor.algorithms.base import rate
from nestor.biases import BiasSettings
from nestor.checks import as_integer, as_number, as_positive, shown
from nestor.errors import InputError
from nestor.problem import Problem
from nestor.research.bound import playing
from nestor.research.playout import Key, Playout, Steps, check_arguments, check_policy, steps_of
from nestor.research.policy import Policy


def adapt(policy: Policy, sequence: Playout, alpha: Steps = 1.0, temperature: float = 1.0) -> None:
    """Change a policy in place, so that a sequence becomes more likely (gnrpa-2020, algorithm 6).

    It is one step along the gradient. For each step of the sequence and each of its legal moves,
    with probability p, w -= alpha / temperature * (p - delta), where delta is 1 for the move played
    and 0 for the others. Weights are kept divided by the temperature, so they change by
    alpha / temperature^2. Adapt a `Policy.copy` if you still need the policy as it is.

    Parameters
    ----------
    policy : Policy
    sequence : Playout
        A sequence of the same problem.
    alpha : float or sequence of float, default 1.0
        0 to 1e6; 0 changes nothing. A sequence has a value for each step of the game, counted from
        the root, and the last value applies to all later steps.
    temperature : float, default 1.0
        tau, positive; use the same for all playouts with this policy.

    Raises
    ------
    InputError
        If an argument is out of range, or the sequence is of another problem.
    RuntimeError
        If another thread is using the policy.
    """
    check_policy(policy)
    if not isinstance(sequence, Playout):
        raise InputError(f"sequence must be a nestor.research.Playout, not {shown(sequence)}")
    if sequence._bound is not policy._bound:
        raise InputError("sequence must be of the policy's problem, not of another one")
    rates = steps_of("alpha", alpha, math.nan, lambda _, each: _rate(each, temperature))
    policy._core.adapt(sequence._core, rates)


def run_level(
    problem: Problem[Any, Any],
    policy: Policy,
    level: int,
    iterations: int | Sequence[int] = 100,
    alpha: float | Sequence[float] = 1.0,
    temperature: float = 1.0,
    *,
    key: Key,
    threads: int = 1,
    **settings: Any,
) -> Playout:
    """Run a level of NRPA from a policy and return its best sequence, the last one of equals.

    It is the search that a level above runs as one of its iterations (gnrpa-2020, algorithm 5).

    Parameters
    ----------
    problem : Problem
    policy : Policy
        A policy of the problem; it is not changed.
    level : int
        0 to 20; level 0 is one playout, with the key itself. So iteration i of a level 1 gives
        ``key.child(i)``, as levels above do: with ``key`` its playouts would all be the same.
    iterations, alpha, temperature
        See `nestor.GNRPA`; level 0 does not use them.
    key : Key
        Key of the search in the tree of searches.
    threads : int, default 1
        Threads that share the children of a level with a width; they change no result. 1 to 1024.
    **settings
        More settings of the levels, such as ``width`` and ``repetitions``; see `nestor.GNRPA`.
        Bias and prior are the problem's.

    Returns
    -------
    Playout

    Raises
    ------
    InputError
        If an argument is out of range, or the policy is of another problem.
    Exception
        An exception in a method of a user's own problem.
    KeyboardInterrupt
        On Ctrl-C, immediately.
    """
    check_arguments(problem, policy, key)
    level = as_integer("level", level, 0, 20)
    threads = as_integer("threads", threads, 1, 1024)
    for name in settings:
        if name in {entry.name for entry in fields(BiasSettings)}:
            raise InputError(f"{name} belongs to the problem: see nestor.research")
        if name in ("bias_learning", "bias_weight"):
            raise InputError(f"{name} is for whole searches: a research.Policy has no bias weight")
    if level == 0:
        with playing(policy._bound, "key") as meter:
            return Playout(policy._bound, policy._core.playout(key.value, meter))
    _rate(1.0, temperature)
    algorithm = BY_HAND(level, iterations, alpha, temperature, bias="none", **settings)  # type: ignore[arg-type]
    if algorithm.policies != "shared":
        raise InputError("policies: run_level is only for shared policies")
    with playing(policy._bound, "level") as meter:
        found = policy._core.run_levels(algorithm.core(), key.value, threads, meter)
    return Playout(policy._bound, found)


def run_search(
    problem: Problem[Any, Any], policy: Policy, algorithm: Algorithm, *, key: Key
) -> Playout:
    """Run one search of NMCS or Beam NRPA from a policy and return its best sequence.

    The playouts of NMCS are drawn with the policy, and so are its samples. The levels of Beam NRPA
    start from it. It may serve as a level below your own, as `run_level` does for NRPA; with a
    blank policy it is what `nestor.solve` does, if the problem has no bias: NMCS uses none there.

    Parameters
    ----------
    problem : Problem
    policy : Policy
        A policy of the problem; it is not changed.
    algorithm : Algorithm
        One of the two. Its bias and prior are not used: they are the problem's.
    key : Key
        The search is that of ``key.child(0)``: with ``Key(seed).child(0)`` that of `nestor.solve`.

    Returns
    -------
    Playout
        The best by its reported score, the first of equals.

    Raises
    ------
    InputError
        If the algorithm is another one or does not suit the problem, or the policy is of another
        problem.
    Exception
        An exception in a method of a user's own problem.
    KeyboardInterrupt
        On Ctrl-C, immediately.
    """
    check_arguments(problem, policy, key)
    if not isinstance(algorithm, Algorithm) or not algorithm.core_name:
        raise InputError(f"algorithm must be NMCS or Beam NRPA, not {shown(algorithm)}")
    bound = policy._bound
    algorithm.check_fits(bound.adapted, ())
    with playing(bound, "algorithm") as meter:
        found = policy._core.run_search(algorithm.core(), key.value, meter)
    return Playout(bound, found)


def _rate(alpha: float, temperature: float) -> float:
    """Return alpha / temperature^2."""
    return rate(as_number("alpha", alpha, 0, 1e6), as_positive("temperature", temperature))
