"""Primitives to write nested algorithms of one's own: `Policy`, `playout`, `adapt`, `run_level`.

What they do runs in the core without the GIL, and all randomness comes from the `Key` they are
given: NRPA written with them equals `nestor.solve` to the last bit. They take the problems that
come with Nestor and any object with the methods of `nestor.Problem`, each with the bias it has:
that of `NativeProblem.biased`, that of a prior (`nestor.prior.WithPrior`), or the default one of
the user's own class. ``docs/primitives.md`` shows how to build an algorithm from them.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self
from weakref import WeakValueDictionary

from nestor import _core
from nestor.algorithms import GNRPA
from nestor.biasing import Biasing, bias_methods
from nestor.checks import check_integer, is_number
from nestor.errors import InputError
from nestor.exact import child_key
from nestor.files import whole
from nestor.prior import WithPrior, family_of, hashable
from nestor.problem import Problem
from nestor.problems.base import NativeProblem, Solution
from nestor.problems.custom import check_methods
from nestor.reference import Step
from nestor.result import decode
from nestor.run import replay

__all__ = ["Key", "Playout", "Policy", "Step", "adapt", "playout", "playouts", "run_level"]

SCHEMA = 1
"""Version of the file format of policies."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a place in the search tree, from which all its randomness comes.

    The key of the search that `nestor.solve` runs is ``Key(seed).child(job).child(restart)``, job
    and restart from 0; that of the search a level runs in its iteration i is child number i of the
    level's. ``docs/exactness.md`` tells more.

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
        check_integer("key", self.value, least=0, most=2**64 - 1)

    def child(self, index: int) -> Key:
        """Return the key of the child with this number, 0 to 2^63 - 1.

        Raises
        ------
        InputError
            If the number is out of range.
        """
        check_integer("index", index, least=0, most=2**63 - 1)
        return Key(child_key(self.value, index))


class Policy:
    """A policy of one problem: a weight for each code.

    A move of code c and bias beta is played with probability proportional to exp(w[c] + beta). The
    weights are those of the papers divided by the temperature.

    Parameters
    ----------
    problem : Problem
        One of `nestor.problems`, any object with the methods of `nestor.Problem`, or one of these
        with a prior.
    weights : mapping of code to float, optional
        As of the attribute `weights`; all zero by default.

    Attributes
    ----------
    problem : Problem
        A policy that was pickled has its own copy of a problem of the user's own: use that one
        with it.

    Raises
    ------
    InputError
        If the problem lacks a method or the weights are not as said.

    Notes
    -----
    Playouts and levels may use a policy on several threads at once; while they do, it cannot be
    changed (RuntimeError).
    """

    def __init__(
        self, problem: Problem[Any, Any], weights: Mapping[Any, float] | None = None
    ) -> None:
        self._bound = _bind(problem)
        self._core = self._bound.blank.copy()
        if weights is not None:
            self.weights = weights

    @property
    def problem(self) -> Problem[Any, Any]:
        """The problem it is for."""
        return self._bound.problem

    @property
    def weights(self) -> dict[Hashable, float]:
        """The weights that are not zero, by code: a copy. Setting it replaces all weights.

        Codes are those of the user's own class, and the core's numbers (0 to 2^64 - 1) for a
        problem that comes with Nestor, as `Playout.steps` has them.
        """
        numbered = self._core.weights()
        codes = self._bound.codes([number for number, _ in numbered])
        return {code: weight for code, (_, weight) in zip(codes, numbered, strict=True)}

    @weights.setter
    def weights(self, weights: Mapping[Any, float]) -> None:
        if not isinstance(weights, Mapping):
            raise InputError(f"weights must be a mapping of code to number, not {weights!r:.80}")
        for code, weight in weights.items():
            if not (is_number(weight) and math.isfinite(weight)):
                raise InputError(f"weights must be finite numbers, not {weight!r} (code {code!r})")
        numbers = self._bound.numbers(list(weights))
        pairs = list(zip(numbers, map(float, weights.values()), strict=True))
        try:
            self._core.set_weights(pairs)
        except ValueError as error:
            raise InputError(f"weights: {error}") from None

    def copy(self) -> Self:
        """Return a policy that changes apart from this one."""
        copied = object.__new__(type(self))
        copied._bound = self._bound
        copied._core = self._core.copy()
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy: the problem, which nothing changes, is not copied."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the problem and the weights."""
        return type(self), (self.problem, self.weights)

    def __repr__(self) -> str:
        return f"Policy({type(self.problem).__name__}, {len(self._core.weights())} weights)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights as JSON, exactly; the problem itself is not written.

        Raises
        ------
        InputError
            If the file cannot be written or a code of the user's own has no JSON form.
        """
        weights = self.weights
        data = {
            "schema": SCHEMA,
            **self._bound.identity(),
            "codes": list(weights),
            "weights": list(weights.values()),
        }
        try:
            text = json.dumps(data, separators=(",", ":")) + "\n"
        except (TypeError, ValueError) as error:
            raise InputError(f"the codes of this policy have no JSON form: {error}") from None
        with whole(Path(path)) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem[Any, Any]) -> Self:
        """Read a policy that `save` wrote.

        Parameters
        ----------
        path : path
        problem : Problem
            That of the policy.

        Raises
        ------
        InputError
            If the file cannot be read, is no policy, or is one of another problem.
        """
        policy = cls(problem)
        try:
            data = json.loads(Path(path).read_bytes())
            schema, codes = data["schema"], map(hashable, data["codes"])
            weights = dict(zip(codes, data["weights"], strict=True))
            identity = {name: data[name] for name in policy._bound.identity()}
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{path}: not a policy: {error!r}") from None
        if schema != SCHEMA:
            raise InputError(f"{path}: a policy of another version ({schema!r})")
        if identity != policy._bound.identity():
            raise InputError(f"{path}: a policy of another problem, {identity['problem']}")
        try:
            policy.weights = weights
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        return policy


class Playout:
    """A playout, or the best of a search: its score, and what `adapt` needs, kept in the core.

    Made by `playout`, `playouts` and `run_level` alone.
    """

    def __init__(self, bound: _Bound, core: _core.Playout) -> None:
        self._bound = bound
        self._core = core
        self.score: float = core.score
        """The engine's score: higher is better for every problem."""

    @property
    def natural(self) -> float:
        """The natural score (a tour's cost, a game's points), as of `nestor.Result.score`."""
        native = self._bound.native
        return self.score if native is None else native.natural(self.score)

    @cached_property
    def moves(self) -> list[Any]:
        """The moves, as the problem's `moves` gives them."""
        moves = self._core.moves
        return moves if self._bound.native else replay(self._bound.problem, moves)

    @property
    def steps(self) -> list[Step]:
        """For each move the codes and biases of the moves that were legal, and which it was."""
        codes_of = self._bound.codes
        return [Step(codes_of(codes), betas, k) for codes, betas, k in self._core.steps]

    @property
    def solution(self) -> Solution:
        """What the moves stand for, with `verify` and `plot` (see `nestor.Result.solution`)."""
        return decode(self._bound.native or self._bound.problem, self.moves)

    def __repr__(self) -> str:
        return f"Playout(score={self.score!r}, {len(self._core.moves)} moves)"


def playout(
    problem: Problem[Any, Any], policy: Policy, n: int = 1, *, key: Key, first: int = 0
) -> Playout:
    """Run playouts and return the best, of equal ones the last (gnrpa-2020, algorithm 4).

    Parameters
    ----------
    problem : Problem
    policy : Policy
        Of the problem; it is not changed.
    n : int, default 1
        Playouts to run, 1 to 10^15.
    key : Key
        The i-th of them has the key ``key.child(first + i)``, i from 0.
    first : int, default 0
        0 to 2^62.

    Returns
    -------
    Playout

    Raises
    ------
    InputError
        If an argument is out of range, or the policy is of another problem.
    Exception
        What a method of the user's own problem raises.
    KeyboardInterrupt
        On Ctrl-C, at once.
    """
    _check(problem, policy, key)
    check_integer("n", n, least=1, most=10**15)
    check_integer("first", first, least=0, most=2**62)
    found = policy._core.playouts(key.value, first, n, False)
    return Playout(policy._bound, found[0])


def playouts(
    problem: Problem[Any, Any], policy: Policy, n: int, *, key: Key, first: int = 0
) -> list[Playout]:
    """Run playouts and return all, in order.

    Parameters
    ----------
    problem, policy, key, first
        As of `playout`.
    n : int
        Playouts to run, 1 to 10^6; each takes a few kilobytes.

    Returns
    -------
    list of Playout

    Raises
    ------
    InputError, Exception, KeyboardInterrupt
        As `playout`.
    """
    _check(problem, policy, key)
    check_integer("n", n, least=1, most=10**6)
    check_integer("first", first, least=0, most=2**62)
    found = policy._core.playouts(key.value, first, n, True)
    return [Playout(policy._bound, each) for each in found]


def adapt(policy: Policy, sequence: Playout, alpha: float = 1.0, temperature: float = 1.0) -> None:
    """Change a policy, in place, so that it makes a sequence likelier (gnrpa-2020, algorithm 6).

    One step of the gradient: for each step of the sequence and each of its legal moves, of
    probability p, w -= alpha / temperature * (p - delta), where delta is 1 for the move played and
    0 for the others. Weights are kept divided by the temperature, so that they change by
    alpha / temperature^2. Adapt a `Policy.copy` where the policy is still needed as it is.

    Parameters
    ----------
    policy : Policy
    sequence : Playout
        Of the same problem.
    alpha : float, default 1.0
        Positive.
    temperature : float, default 1.0
        tau, positive; that of all playouts with this policy.

    Raises
    ------
    InputError
        If an argument is out of range, or the sequence is of another problem.
    RuntimeError
        If another thread is using the policy.
    """
    if not isinstance(policy, Policy):
        raise InputError(f"policy must be a nestor.research.Policy, not {policy!r:.80}")
    if not isinstance(sequence, Playout):
        raise InputError(f"sequence must be a nestor.research.Playout, not {sequence!r:.80}")
    if sequence._bound is not policy._bound:
        raise InputError("sequence must be of the policy's problem, not of another one")
    policy._core.adapt(sequence._core, _rate(alpha, temperature))


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
    """Run a level of NRPA below a policy and return its best sequence, of equal ones the last.

    It is the search that a level above runs as one of its iterations (gnrpa-2020, algorithm 5).

    Parameters
    ----------
    problem : Problem
    policy : Policy
        Of the problem; it is not changed.
    level : int
        0 to 20; level 0 is one playout, with the key itself.
    iterations, alpha, temperature
        As of `nestor.GNRPA`; level 0 has no use for them.
    key : Key
        Key of the search in the tree of searches.
    threads : int, default 1
        Threads that share the children of a level with a width; they change no result. 1 to 1024.
    **settings
        Further settings of the levels, such as ``width`` and ``repetitions``, as of
        `nestor.GNRPA`. Bias and prior are the problem's.

    Returns
    -------
    Playout

    Raises
    ------
    InputError
        If an argument is out of range, or the policy is of another problem.
    Exception
        What a method of the user's own problem raises.
    KeyboardInterrupt
        On Ctrl-C, at once.
    """
    _check(problem, policy, key)
    check_integer("level", level, least=0, most=20)
    check_integer("threads", threads, least=1, most=1024)
    for name in settings:
        if name in _OF_THE_PROBLEM:
            raise InputError(f"{name} belongs to the problem here: see nestor.research")
        if name in ("bias_learning", "bias_weight"):
            raise InputError(f"{name} is of whole searches: a research.Policy has no bias weight")
    if level == 0:
        return Playout(policy._bound, policy._core.playout(key.value))
    _rate(1.0, temperature)
    try:
        algorithm = GNRPA(level, iterations, alpha, temperature, bias="none", **settings)  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError(f"settings of run_level: {error}") from None
    if algorithm.policies != "shared":
        raise InputError("policies: run_level is for policies that are shared")
    found = policy._core.run_levels(algorithm.core(), key.value, threads)
    return Playout(policy._bound, found)


_OF_THE_PROBLEM = {entry.name for entry in fields(Biasing)}


class _Bound:
    """A problem and its core: all its policies and playouts share it, and so agree on codes.

    Attributes
    ----------
    problem : Problem
    inner : Problem
        The same without the prior it may have.
    native : NativeProblem or None
        The same if it comes with Nestor.
    blank : _core.Policy
    """

    def __init__(self, problem: Problem[Any, Any]) -> None:
        self.problem = problem
        self.inner = problem.problem if isinstance(problem, WithPrior) else problem
        self.native = self.inner if isinstance(self.inner, NativeProblem) else None
        if self.native is None:
            bias = next(iter(bias_methods(problem)), None)
            self._own = _core.PythonProblem(problem, bias)
            self.blank = _core.Policy(self._own)
        elif isinstance(problem, WithPrior):
            self.blank = _core.Policy(self.native.biased("none").core(), _betas(problem))
        else:
            self.blank = _core.Policy(self.native.core())

    def identity(self) -> dict[str, Any]:
        """Return what a file says of the problem; nothing of bias and prior."""
        digest = self.native.digest if self.native else None
        return {"problem": family_of(self.inner), "digest": digest}

    def codes(self, numbers: list[int]) -> list[Any]:
        """Return the codes with these numbers."""
        if self.native:
            return numbers
        codes = self._own.codes
        return [codes[number] for number in numbers]

    def numbers(self, codes: list[Any]) -> list[int]:
        """Return the numbers of codes."""
        if self.native is None:
            return self._own.numbers(codes)
        for code in codes:
            check_integer("a code", code, least=0, most=2**64 - 1)
        return codes


_BOUND: WeakValueDictionary[Hashable, _Bound] = WeakValueDictionary()
_BINDING = threading.Lock()


def _bind(problem: Problem[Any, Any]) -> _Bound:
    """Return what a problem shares: the same for the same object, and for equal native problems."""
    bound = _BOUND.get(id(problem))
    if bound is not None:  # Then its problem is alive, and the id is no other object's.
        return bound
    check_methods(problem)
    with _BINDING:
        name: Hashable = id(problem)
        if isinstance(problem, NativeProblem):
            name = problem.name, problem.digest, problem.bias_name
        bound = _BOUND.get(name)
        if bound is None:
            bound = _Bound(problem)
            _BOUND[name] = _BOUND[id(problem)] = bound
    return bound


def _betas(problem: WithPrior) -> dict[int, float]:
    """Return the betas of a native problem's prior, checked."""
    for code, beta in problem.betas.items():
        check_integer("a code of the prior", code, least=0, most=2**64 - 1)
        if not (is_number(beta) and beta <= 700.0):
            raise InputError(f"betas must be numbers of at most 700, not {beta!r} (code {code})")
    return dict(problem.betas)  # type: ignore[arg-type]


def _check(problem: Problem[Any, Any], policy: Policy, key: Key) -> None:
    if not isinstance(policy, Policy):
        raise InputError(f"policy must be a nestor.research.Policy, not {policy!r:.80}")
    if problem is not policy._bound.problem and _bind(problem) is not policy._bound:
        raise InputError("policy must be of this problem, not of another one")
    if not isinstance(key, Key):
        raise InputError(f"key must be a nestor.research.Key such as Key(seed), not {key!r:.80}")


def _rate(alpha: float, temperature: float) -> float:
    """Return alpha / temperature^2."""
    for name, value in (("alpha", alpha), ("temperature", temperature)):
        if not (is_number(value) and 0 < value <= 1e6):
            raise InputError(f"{name} must be a positive number (at most 1e6), not {value!r}")
    square = temperature * temperature
    if square == 0 or not math.isfinite(alpha / square):
        raise InputError(f"temperature must not be as small as {temperature}")
    return alpha / square
