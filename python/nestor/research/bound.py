"""What all policies and playouts of a problem share, so that they have the same codes."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, NamedTuple, Protocol
from weakref import WeakValueDictionary

from nestor import _core
from nestor.errors import InputError
from nestor.prior import WithPrior
from nestor.problem import Problem
from nestor.problems.base import BaseProblem, Cores
from nestor.problems.codes import CodeForms
from nestor.problems.faults import LONGEST, endless, faults_named
from nestor.problems.own import adapt


class Binding:
    """A problem and its core.

    Attributes
    ----------
    problem : Problem
    adapted : BaseProblem
        The same as searches see it, without its prior.
    core : _core.Problem
    blank : _core.Policy
        A policy without weights.
    """

    def __init__(self, problem: Problem[Any, Any], adapted: BaseProblem, cores: Cores) -> None:
        self.problem, self.adapted = problem, adapted
        self.core = cores.first
        self.blank = cores.first.policy(cores.prior)

    @classmethod
    def of(cls, problem: Problem[Any, Any]) -> Binding:
        """Return what a problem shares, with its own bias or prior."""
        if isinstance(problem, WithPrior):
            adapted = adapt(problem.problem)
            return cls(problem, adapted, adapted.cores((), problem.betas))
        adapted = adapt(problem)
        return cls(problem, adapted, adapted.cores(adapted.bias_in_force, {}))

    @cached_property
    def forms(self) -> CodeForms:
        """What writes codes as JSON-able data, and reads them again."""
        return CodeForms(self.problem)

    def written(self, codes: Iterable[Hashable]) -> list[Any]:
        """Return codes as JSON-able data.

        Raises
        ------
        InputError
            If they have no such form.
        """
        try:
            return list(map(self.forms.written, codes))
        except TypeError as error:
            raise InputError(
                "checkpoints and workers of an algorithm in Python need codes of numbers, texts, "
                f"tuples, enumerations, frozensets and frozen dataclasses: {error}; a method code "
                "can return them"
            ) from None

    def identity(self) -> dict[str, Any]:
        """Return what a file says about the problem, without bias and prior."""
        return {"problem": self.adapted.name, "digest": self.adapted.digest}


NewBest = tuple[int, float, int]
"""The playouts done when it was found, its score and its level."""


class Meter(Protocol):
    """What the primitives ask before a slice of playouts, and tell after it."""

    def allow(self) -> tuple[int, float, float | None]:
        """Return how many playouts are left, the target and the best score so far, or wait."""

    def count(
        self, playouts: int, counts: dict[str, int], improvements: list[NewBest], moves: list[Any]
    ) -> None:
        """Count playouts, what is counted besides, by name, and new bests.

        The moves are those of the last one.
        """


class Running(NamedTuple):
    """The algorithm that `nestor.solve` runs in this thread: its problem and its meter."""

    bound: Binding
    meter: Meter


RUNNING: ContextVar[Running | None] = ContextVar("RUNNING", default=None)


def meter_for(bound: Binding) -> Meter | None:
    """Return what counts the playouts of a problem: of the one that `nestor.solve` was given."""
    running = RUNNING.get()
    return None if running is None or running.bound is not bound else running.meter


@contextmanager
def playing(bound: Binding, argument: str, longest: int | None = LONGEST) -> Iterator[Meter | None]:
    """Yield what counts playouts; say what is wrong with an argument, or with the problem.

    In a run of `nestor.solve`, that says how long a game may be.
    """
    meter, problem = meter_for(bound), bound.adapted
    if meter is None:
        bound.core.cut(None, longest)
    try:
        with faults_named(problem.original, problem.known_as, argument):
            yield meter
    except _core.CutOffError as cut:
        if meter is not None:
            raise
        more = "; if it is longer, have nestor.solve run your algorithm, with a larger `longest`"
        raise endless(problem.name, cut.args[0], more) from None


_BOUND: WeakValueDictionary[Hashable, Binding] = WeakValueDictionary()
_BINDING = threading.Lock()


def bind(problem: Problem[Any, Any]) -> Binding:
    """Return what a problem shares: the same for the same object, and for equal native problems."""
    running = RUNNING.get()
    if running is not None and running.bound.problem is problem:
        return running.bound
    bound = _BOUND.get(id(problem))
    if bound is not None:  # Its problem is then alive, so no other object has its id.
        return bound
    name = adapt(problem).identity or id(problem)
    with _BINDING:
        bound = _BOUND.get(name)
        if bound is None:
            bound = Binding.of(problem)
            _BOUND[name] = _BOUND[id(problem)] = bound
    return bound
