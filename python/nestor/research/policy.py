"""Policies of a problem."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, Self

from nestor import _core
from nestor.checks import as_finite, as_mapping
from nestor.errors import InputError, errors_of
from nestor.files import MIB, parse_json, parsing, read_bytes, write_file
from nestor.problem import Problem, hashable
from nestor.research.bound import Binding, bind

SCHEMA = 1
"""The version of the file format of policies."""

LIMIT = 64 * MIB
"""The largest size of a file, in bytes."""


class Policy:
    """A policy of one problem: a weight for each code.

    A move with code c and bias beta is played with probability proportional to exp(w[c] + beta).
    The weights are those of the papers, divided by the temperature.

    Parameters
    ----------
    problem : Problem
        One of `nestor.problems`, any object with the methods of `nestor.Problem`, or one of these
        with a prior.
    weights : mapping of code to float, optional
        See the attribute `weights`; all zero by default.

    Attributes
    ----------
    problem : Problem
        A policy that was pickled has its own copy of a user's own problem. Use that copy with
        it.

    Raises
    ------
    InputError
        If the problem lacks a method or the weights are malformed.

    Notes
    -----
    Playouts and levels may use a policy on several threads at once. Meanwhile it cannot be changed
    (RuntimeError).
    """

    def __init__(
        self, problem: Problem[Any, Any], weights: Mapping[Any, float] | None = None
    ) -> None:
        self._bound = bind(problem)
        self._core = self._bound.blank.copy()
        if weights is not None:
            self.weights = weights

    @property
    def problem(self) -> Problem[Any, Any]:
        """The problem that it is for."""
        return self._bound.problem

    @property
    def weights(self) -> Mapping[Hashable, float]:
        """The weights that are not zero, by code, to be read. Setting it replaces all weights.

        The codes are those of a user's own class, or the core's numbers (0 to 2^64 - 1) for a
        problem that comes with Nestor, as in `Playout.steps`.
        """
        bound, numbered = self._bound, self._core.weights()
        codes = bound.adapted.codes_of(bound.core, [number for number, _ in numbered])
        found = {code: weight for code, (_, weight) in zip(codes, numbered, strict=True)}
        return MappingProxyType(found)  # What is set in a copy would be lost in silence.

    @weights.setter
    def weights(self, weights: Mapping[Any, float]) -> None:
        weights = as_mapping("weights", weights)
        values = [
            as_finite(f"the weight of code {code!r:.80}", weight)
            for code, weight in weights.items()
        ]
        numbers = self._bound.adapted.numbers_of(self._bound.core, list(weights))
        pairs = list(zip(numbers, values, strict=True))
        with errors_of("weights", ValueError):
            self._core.set_weights(pairs)

    @classmethod
    def of(cls, bound: Binding, core: _core.Policy | None = None) -> Self:
        """Return a policy of a problem that is bound already; `nestor.solve` makes blank ones."""
        policy = object.__new__(cls)
        policy._bound, policy._core = bound, (core or bound.blank).copy()
        return policy

    def copy(self) -> Self:
        """Return an independent copy."""
        return self.of(self._bound, self._core)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy; the problem never changes and is not copied."""
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the problem and the weights."""
        return type(self), (self.problem, dict(self.weights))

    def __repr__(self) -> str:
        return f"Policy({type(self.problem).__name__}, {len(self._core.weights())} weights)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the weights exactly, as JSON; the problem itself is not written.

        Raises
        ------
        InputError
            If the file cannot be written or a user's own code has no JSON form.
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
        write_file(path, text)

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem[Any, Any]) -> Self:
        """Read a policy that `save` wrote.

        Parameters
        ----------
        path : path
        problem : Problem
            The problem of the policy.

        Raises
        ------
        InputError
            If the file cannot be read, is not a policy, or is a policy of another problem.
        """
        policy, what = cls(problem), "a policy"
        data = parse_json(read_bytes(path, what, LIMIT), path, what)
        with parsing(path, what):
            if data["schema"] != SCHEMA:
                raise InputError(f"a policy of another version ({data['schema']!r:.80})")
            identity = policy._bound.identity()
            if {name: data[name] for name in identity} != identity:
                raise InputError(f"a policy of another problem, {data['problem']!s:.80}")
            codes = map(hashable, data["codes"])
            policy.weights = dict(zip(codes, data["weights"], strict=True))
        return policy
