"""Local search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nestor.algorithms.base import Algorithm
from nestor.biases import BiasSettings
from nestor.errors import InputError
from nestor.problems.base import BaseProblem
from nestor.settings import Integer, described, setting

HOW_TO_CHANGE = (
    ': its class may have an attribute change = "order" or change = "set" (see '
    "docs/local-search.md)"
)
"""What those who wrote a problem can do."""


@described
@dataclass(frozen=True)
class LocalSearch(Algorithm):
    """Local search by ruin and recreate, for problems that say what may be changed.

    A part of a finished sequence is taken out and put back as well as possible. The change is kept
    if it is not much worse: how much is annealed, in cycles each twice as long as the one before,
    or planned for a budget. There is nothing to tune, and no policy. Every changed sequence counts
    as a playout.
    """

    name: ClassVar[str] = "local_search"
    evaluations: int | None = setting(
        None,
        Integer(1, 10**15),
        "Evaluations that its cycles are planned for: the last one ends with them. `Auto` sets it.",
        optional=True,
        none="doubling cycles",
    )
    plays: ClassVar[bool] = False
    core_name: ClassVar[str] = "local_search"
    example: ClassVar[str] = "tsptw tour.txt"

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that the problem says what may be changed."""
        if problem.change not in ("order", "set"):
            raise InputError(
                f"{self.name} is for problems that say what may be changed; {problem.name} does "
                "not say so" + HOW_TO_CHANGE * (problem.reference is not None)
            )

    @property
    def bias_settings(self) -> BiasSettings:
        """The default bias of the problem."""
        return BiasSettings()
