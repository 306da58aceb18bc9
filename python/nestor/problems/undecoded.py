"""Moves in the place of a solution that there was no time to decode."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nestor.picture import Picture
from nestor.problems.base import BaseProblem, Solution


@dataclass(frozen=True, repr=False)
class Undecoded(Solution):
    """The best moves of a run that was interrupted while they were decoded.

    Attributes
    ----------
    problem : BaseProblem
    moves : tuple
    """

    problem: BaseProblem
    moves: tuple[Any, ...]

    @cached_property
    def decoded(self) -> Solution:
        """The solution, decoded when it is asked for."""
        return self.problem.solution(self.moves)

    @property
    def score(self) -> float:
        """The natural score."""
        return self.decoded.score

    def verify(self) -> None:
        """Decode and check the solution; see `Solution.verify`."""
        self.decoded.verify()

    def confirm(self, score: float) -> None:
        """Decode and check the solution and its score; see `Solution.confirm`."""
        self.decoded.confirm(score)

    def to_dict(self) -> dict[str, Any]:
        """Return the moves."""
        return {"moves": list(self.moves)}

    def text(self) -> str:
        """Return a text picture."""
        moves = f"moves: {', '.join(map(str, self.moves))}"
        return textwrap.fill(moves, 80, subsequent_indent="  ")

    def picture(self) -> Picture:
        """Decode and draw the solution."""
        return self.decoded.picture()
