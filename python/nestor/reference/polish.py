"""Polish: local search over the decisions of finished sequences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nestor.algorithms.polish import Polished
from nestor.exact import uniforms
from nestor.problem import Problem
from nestor.reference.decisions import climb
from nestor.reference.playout import Playout
from nestor.reference.policy import Policy

KICKS = 3
"""How many changes at random a kick is."""


@dataclass
class Pool:
    """The best that the polishes of one search of level 2 have found."""

    algorithm: Polished
    best: tuple[float, list[Any]] | None = None
    waiting: list[tuple[float, list[Any]]] = field(default_factory=list)

    def let_in(self) -> None:
        """Let in what waits: all children that share a policy are done."""
        for score, moves in self.waiting:
            if self.best is None or score >= self.best[0]:
                self.best = score, moves
        self.waiting = []

    def adopt(self, found: Playout) -> None:
        """Let in a sequence from outside, between two children of level 2."""
        self.waiting.append((found.score, found.moves))
        self.let_in()

    def polish(
        self,
        problem: Problem[Any, Any],
        policy: Policy,
        found: Playout,
        key: int,
        seen: list[Playout],
    ) -> Playout:
        """Return a result of level 1, or the best one of level 2 after a kick, polished.

        `seen` gets every changed sequence; the score of one that is no gain is minus infinity.
        """
        random = uniforms(key)
        kicked = self.best is not None and next(random) < self.algorithm.kick
        moves = self.best[1] if self.best is not None and kicked else found.moves
        kicks, tries = KICKS if kicked else 0, self.algorithm.tries
        polished = climb(problem, policy, moves, kicks, tries, random, seen)
        self.waiting.append((polished.score, polished.moves))
        return polished
