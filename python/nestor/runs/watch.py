"""The watch over a run: it tells of new best solutions, and says when to stop because of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from nestor.errors import InputError, VerificationError, warn
from nestor.problems.base import BaseProblem, Solution
from nestor.runs.advancing import Status
from nestor.runs.stopping import Reason, Stop

OnImprovement = Callable[[float, Solution], object]


class Watch:
    """Looks at the jobs of a run between slices of search.

    Parameters
    ----------
    problem : BaseProblem
    search : _core.Search
    stop : Stop, optional
    on_improvement : callable, optional
        See `nestor.solve`.

    Attributes
    ----------
    status : str
        What the search returned last.
    still : float
        Wall time since the last new best score, or since this part of the run began.
    solved : bool or None
        Whether the best solution meets every constraint.
    """

    def __init__(
        self,
        problem: BaseProblem,
        search: Any,
        stop: Stop | None = None,
        on_improvement: OnImprovement | None = None,
    ) -> None:
        self._problem, self._search = problem, search
        self._stop, self._on_improvement = stop, on_improvement
        self._score: float | None = None
        self._improved: float | None = None
        self.status: Status = "seconds"
        self.still = 0.0
        self.solved: bool | None = None
        self._warned = False

    @property
    def job_playouts(self) -> list[int]:
        """The playouts of each job."""
        return self._search.job_playouts  # type: ignore[no-any-return]

    @property
    def improvements(self) -> list[list[Any]]:
        """For each job its new best scores in order."""
        return self._search.improvements  # type: ignore[no-any-return]

    def meeting(self) -> int | None:
        """Return how many playouts each job may do before the next look."""
        return None if self._stop is None else self._stop.meeting(self)

    def look(
        self, elapsed: float, status: Status = "seconds"
    ) -> Reason | Literal["callback"] | None:
        """Look at the jobs after so many seconds of the run; return the reason to stop, if any.

        Of the first solution that the verifier refuses it warns; of none it tells.

        Raises
        ------
        InputError
            If the run is to stop at a solution of a problem without constraints.
        """
        self.status = status
        score = self._search.score
        if self._improved is None:
            self._improved = elapsed
        if score is not None and (self._score is None or score > self._score):
            self._score, self._improved = score, elapsed
            if self._improvement(score) is False:
                return "callback"
        self.still = elapsed - self._improved
        return None if self._stop is None else self._stop.reason(self)

    def _improvement(self, score: float) -> object:
        """Tell of a new best score; return what the user's function returns."""
        wanted = self._stop is not None and self._stop.solutions
        if not wanted and self._on_improvement is None:
            return None
        natural = self._problem.natural(score)
        solution = self._problem.solution(self._problem.moves_of(self._search.moves, score))
        try:
            solution.confirm(natural)
        except VerificationError as error:
            if not self._warned:
                warn(f"a solution of score {natural} is refused by the verifier: {error}")
            self._warned = True
            return None
        self.solved = solution.solved
        if wanted and self.solved is None:
            raise InputError(f"stop: {self._problem.name} has no constraints that make it solved")
        return None if self._on_improvement is None else self._on_improvement(natural, solution)
