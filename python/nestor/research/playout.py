"""Playouts with a policy, and the keys that say which random numbers they use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from nestor import _core
from nestor.checks import as_count, as_integer, as_list, as_number, is_number, shown
from nestor.errors import InputError
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.problems.base import Solution
from nestor.reference import Step
from nestor.research.bound import Binding, bind, playing
from nestor.research.policy import Policy


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a place in the search tree, from which all its randomness comes.

    The search of `nestor.solve` has the key ``Key(seed).child(job).child(restart)``, with job and
    restart from 0. The search that a level runs in its iteration i has child number i of the
    level's key. ``docs/concepts/exactness.md`` says more. ``random.Random(key.value)`` gives random
    numbers of your own.

    Parameters
    ----------
    value : int
        0 to 2^64 - 1: a seed, or the key of a place.

    Raises
    ------
    InputError
        If it is out of range.
    """

    value: int

    def __post_init__(self) -> None:
        value = as_integer("key", self.value, 0, 2**64 - 1)
        object.__setattr__(self, "value", value)

    def child(self, index: int) -> Key:
        """Return the key of the child with this number, 0 to 2^63 - 1.

        Raises
        ------
        InputError
            If the number is out of range.
        """
        return Key(child_key(self.value, as_count("index", index)))


class Playout:
    """A playout, or the best one of a search: its score and, in the core, what `adapt` needs.

    Only `playout`, `playouts`, `replay`, `run_level` and `run_search` make it.
    """

    def __init__(self, bound: Binding, core: _core.Playout) -> None:
        self._bound = bound
        self._core = core

    @property
    def score(self) -> float:
        """The engine's score, higher is better: what steers the search if the problem shapes it."""
        return self._core.score

    @property
    def natural(self) -> float:
        """The natural score (a tour's cost, a game's points), see `nestor.Result.score`."""
        return self._bound.adapted.natural(self._core.reported)

    @cached_property
    def moves(self) -> list[Any]:
        """The moves, as the problem's `moves` gives them."""
        return self._bound.adapted.moves_of(self._core.moves)

    @property
    def steps(self) -> list[Step]:
        """For each move the codes and biases of the legal moves, and the index of the move."""
        codes_of = partial(self._bound.adapted.codes_of, self._bound.core)
        steps = self._core.steps
        return [Step(codes_of(s["codes"]), s["biases"], s["chosen"]) for s in steps]

    @property
    def solution(self) -> Solution:
        """The decoded solution, with `verify` and `plot` (see `nestor.Result.solution`)."""
        return self._bound.adapted.solution(self.moves)

    def __repr__(self) -> str:
        return f"Playout(score={self.score!r}, {len(self._core.moves)} moves)"


Steps = float | Sequence[float]
"""A number for all steps, or one for each step; the last one is for all later steps."""


def playout(
    problem: Problem[Any, Any],
    policy: Policy,
    n: int = 1,
    *,
    key: Key,
    first: int = 0,
    after: Sequence[Any] = (),
    epsilon: Steps = 0.0,
    temperature: Steps = 1.0,
) -> Playout:
    """Run playouts and return the best, the last one of equals (gnrpa-2020, algorithm 4).

    Parameters
    ----------
    problem : Problem
    policy : Policy
        A policy of the problem; it is not changed.
    n : int, default 1
        Playouts to run, 1 to 10^15.
    key : Key
        Playout i (from 0) has the key ``key.child(first + i)``.
    first : int, default 0
        0 to 2^62. Iteration i of a level 1 gives ``key=key, first=i``, as the core does;
        ``key=key.child(i)`` draws other playouts. With n playouts in each iteration it is
        ``first=i * n``, or random numbers recur.
    after : sequence of moves, optional
        The moves that every playout begins with: a node of the tree, as the problem's `moves` gives
        them. They are steps of the playout like all others.
    epsilon : float or sequence of float, default 0
        The probability that a move is drawn without regard to the policy, 0 to 1: all moves that no
        bias forbids are then equally likely. A sequence has a value for each step of the game,
        counted from the root, and the last value applies to all later steps.
    temperature : float or sequence of float, default 1
        A move is played with probability proportional to exp((w + beta) / temperature), 1e-6
        to 1e6. A sequence as with `epsilon`.

    Returns
    -------
    Playout

    Raises
    ------
    InputError
        If an argument is out of range, a move of `after` is not legal, or the policy is of another
        problem.
    Exception
        An exception in a method of a user's own problem.
    KeyboardInterrupt
        On Ctrl-C, immediately.
    """
    n = as_integer("n", n, 1, 10**15)
    return _played(problem, policy, n, False, key, first, after, epsilon, temperature)[0]


def playouts(
    problem: Problem[Any, Any],
    policy: Policy,
    n: int,
    *,
    key: Key,
    first: int = 0,
    after: Sequence[Any] = (),
    epsilon: Steps = 0.0,
    temperature: Steps = 1.0,
) -> list[Playout]:
    """Run playouts and return all, in order.

    Parameters
    ----------
    problem, policy, key, first, after, epsilon, temperature
        See `playout`.
    n : int
        Playouts to run, 1 to 10^6; each takes a few kilobytes.

    Returns
    -------
    list of Playout

    Raises
    ------
    InputError, Exception, KeyboardInterrupt
        See `playout`.
    """
    n = as_integer("n", n, 1, 10**6)
    return _played(problem, policy, n, True, key, first, after, epsilon, temperature)


def _played(
    problem: Problem[Any, Any],
    policy: Policy,
    n: int,
    all_of_them: bool,
    key: Key,
    first: int,
    after: Sequence[Any],
    epsilon: Steps,
    temperature: Steps,
) -> list[Playout]:
    """Run playouts, and return all or the best."""
    check_arguments(problem, policy, key)
    first = as_integer("first", first, 0, 2**62)
    bound = policy._bound
    after = bound.adapted.first_moves(as_list("after", after))
    epsilon = steps_of("epsilon", epsilon, 0.0, lambda name, each: as_number(name, each, 0, 1))
    temperature = steps_of(
        "temperature", temperature, 1.0, lambda name, each: as_number(name, each, 1e-6, 1e6)
    )
    with playing(bound, "after") as meter:
        found = policy._core.playouts(
            key.value, first, n, all_of_them, after, epsilon, temperature, meter
        )
    return [Playout(bound, each) for each in found]


def steps_of(
    name: str, given: Steps, usual: float, check: Callable[[str, Any], float]
) -> list[float]:
    """Return the numbers of the steps; none if all are the usual one."""
    if not is_number(given) and (isinstance(given, str | bool) or not isinstance(given, Iterable)):
        raise InputError(f"{name} must be a number or a sequence of numbers, not {shown(given)}")
    values = [given] if is_number(given) else as_list(name, given)
    numbers = [float(check(name, each)) for each in values]
    if not numbers:
        raise InputError(f"{name} must have at least one number")
    return [] if set(numbers) == {usual} else numbers


def replay(problem: Problem[Any, Any], moves: Sequence[Any]) -> Playout:
    """Return the playout with these moves, to adapt to: a solution that you already have.

    Parameters
    ----------
    problem : Problem
    moves : sequence
        A complete sequence of moves, as the problem's `moves` gives them.

    Returns
    -------
    Playout

    Raises
    ------
    InputError
        If a move is not legal, or the game goes on after the last one.
    Exception
        An exception in a method of a user's own problem.
    """
    bound = bind(problem)
    numbers = bound.adapted.core_moves(as_list("moves", moves), "moves")
    with playing(bound, "moves", longest=None) as meter:
        best = None if meter is None else meter.allow()[2]
        played = Playout(bound, bound.blank.follow(numbers))
    if meter is not None:
        score = played._core.reported
        meter.count(1, {}, [(1, score, 0)] if best is None or score > best else [], numbers)
    return played


def check_policy(policy: Policy) -> None:
    """Check that a policy is one.

    Raises
    ------
    InputError
        If it is not.
    """
    if not isinstance(policy, Policy):
        raise InputError(f"policy must be a nestor.research.Policy, not {shown(policy)}")


def check_arguments(problem: Problem[Any, Any], policy: Policy, key: Key) -> None:
    """Check that a policy is of this problem, and that a key is a `Key`.

    Raises
    ------
    InputError
        If it is not.
    """
    check_policy(policy)
    if problem is not policy._bound.problem and bind(problem) is not policy._bound:
        raise InputError("policy must be of this problem, not of another one")
    if not isinstance(key, Key):
        raise InputError(f"key must be a nestor.research.Key such as Key(seed), not {shown(key)}")
