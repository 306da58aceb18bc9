"""Local search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nestor.algorithms.base import Algorithm
from nestor.biases import BiasSettings
from nestor.settings import described


@described
@dataclass(frozen=True)
class LocalSearch(Algorithm):
    """Local search by ruin and recreate, for problems that say what may be changed.

    A part of a finished sequence is taken out and put back as well as possible. The change is kept
    if it is not much worse: how much is annealed, in cycles each twice as long as the one before.
    There is nothing to tune, and no policy. Every changed sequence counts as a playout.
    """

    name: ClassVar[str] = "local_search"
    core_name: ClassVar[str] = "local_search"
    example: ClassVar[str] = "tsptw tour.txt"

    @property
    def bias_settings(self) -> BiasSettings:
        """The default bias of the problem."""
        return BiasSettings()
