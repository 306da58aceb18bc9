"""The compiled rules of a class as a problem of their own: what asks a lot is answered at once."""

from __future__ import annotations

from typing import Any

from nestor import _core
from nestor.foreign.problem import ForeignProblem


class Bare(ForeignProblem):
    """The compiled rules of a problem, which Python does not run again: not to be trusted alone.

    Parameters
    ----------
    problem : ForeignProblem
    front : bool, default True
        Whether a front stays one; else the score is its first objective.
    """

    def __init__(self, problem: ForeignProblem, front: bool = True) -> None:
        super().__init__()
        self.name, self.sense, self.change = problem.name, problem.sense, problem.change
        self.optimum, self.isolated = problem.optimum, problem.isolated
        if front or not problem.front:
            self.objectives = problem.objectives
        self.bias_methods, self.biases = problem.bias_methods, problem.biases
        self._problem = problem
        self._cores = dict[bool, _core.Problem]()

    def __reduce__(self) -> Any:
        return Bare, (self._problem, self.front)

    def _open(self, biased: bool) -> _core.Problem:
        if biased not in self._cores:
            self._cores[biased] = self._problem._open(biased)
        return self._cores[biased]

    def guide(self, state: bytes) -> float:
        """Return what guides polish at a terminal state, as the engine sees it."""
        return self.core().judge(state, True)
