"""What all policies and playouts of a problem share, so that they have the same codes."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any
from weakref import WeakValueDictionary

from nestor.prior import WithPrior
from nestor.problem import Problem
from nestor.problems.own import adapt


class Bound:
    """A problem and its core.

    Attributes
    ----------
    problem : Problem
    adapted : BaseProblem
        The same as searches see it, without its prior.
    blank : _core.Policy
        A policy without weights.
    """

    def __init__(self, problem: Problem[Any, Any]) -> None:
        self.problem = problem
        if isinstance(problem, WithPrior):
            self.adapted = adapt(problem.problem)
            self._core, _, prior = self.adapted.cores((), problem.betas)
        else:
            self.adapted = adapt(problem)
            self._core, _, prior = self.adapted.cores(self.adapted.bias_in_force, {})
        self.blank = self._core.policy(prior)

    def identity(self) -> dict[str, Any]:
        """Return what a file says about the problem, without bias and prior."""
        return {"problem": self.adapted.name, "digest": self.adapted.digest}

    def codes(self, numbers: list[int]) -> list[Any]:
        """Return the codes with these numbers."""
        return self.adapted.codes_of(self._core, numbers)

    def numbers(self, codes: list[Any]) -> list[int]:
        """Return the numbers of codes."""
        return self.adapted.numbers_of(self._core, codes)


_BOUND: WeakValueDictionary[Hashable, Bound] = WeakValueDictionary()
_BINDING = threading.Lock()


def bind(problem: Problem[Any, Any]) -> Bound:
    """Return what a problem shares: the same for the same object, and for equal native problems."""
    bound = _BOUND.get(id(problem))
    if bound is not None:  # Its problem is then alive, so no other object has its id.
        return bound
    name = adapt(problem).identity or id(problem)
    with _BINDING:
        bound = _BOUND.get(name)
        if bound is None:
            bound = Bound(problem)
            _BOUND[name] = _BOUND[id(problem)] = bound
    return bound
