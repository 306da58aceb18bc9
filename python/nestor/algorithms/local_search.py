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
    ': its class may have an attribute change = "order", "set" or "cover" (see '
    "docs/local-search.md)"
)
"""What those who wrote a problem can do."""


@described
@dataclass(frozen=True)
class LocalSearch(Algorithm):
    """Local search, for problems that have an improver: it makes finished sequences better.

    A tour, an order or a set is improved by ruin and recreate. A part of it is taken out and put
    back as well as possible. The change is kept if it is not much worse: how much is annealed, in
    cycles each twice as long as the one before (those of tours grow more slowly), or planned for a
    budget. If a cycle of an order finds nothing better, one from a new order follows.
    Of a crossword one word is taken out; the others stay as far as they can, and new ones come in.
    Latin squares, Kakuro and SameGame have improvers of their own (``docs/puzzles.md``), and so has
    RNA (`Counterexamples`): they begin again after 200 evaluations, or as many as are planned,
    which RNA counts since the last gain. There is nothing to tune, and no policy. Every sequence
    that is evaluated counts as a playout.
    """

    name: ClassVar[str] = "local_search"
    evaluations: int | None = setting(
        None,
        Integer(1, 10**15),
        "Evaluations that its cycles are planned for: the last one ends with them. `Auto` sets it.",
        optional=True,
        none="ever longer cycles",
    )
    plays: ClassVar[bool] = False
    no_strength: ClassVar[str] = "it has no policy"
    core_name: ClassVar[str] = "local_search"
    example: ClassVar[str] = "tsptw tour.txt"

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that the problem has an improver."""
        if not problem.improver:
            raise InputError(
                f"{self.name} is for problems with an improver; {problem.name} has none"
                + HOW_TO_CHANGE * (problem.reference is not None)
            )

    @property
    def bias_settings(self) -> BiasSettings:
        """The default bias of the problem."""
        return BiasSettings()
