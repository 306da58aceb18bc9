"""Whether each part of a choice that fits does so, too."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from nestor.problems.faults import GameFaultError
from nestor.problems.functions import Subset

DRAWN = 30
"""The choices that are drawn for a game."""


def check_fits(problem: Subset, played: Sequence[Hashable], rng: random.Random) -> None:
    """Check that no choice that is drawn fits and has a part that does not.

    No game shows it: it adds one thing at a time. So two or three are added at once to a part of a
    game, and others are drawn of any size. Of what fits one thing after the other is taken away.
    """
    for number in range(DRAWN):
        others = [item for item in problem.items if item not in played]
        drawn = rng.sample(others, min(len(others), rng.randint(2, 3)))
        drawn += rng.sample(played, rng.randint(0, len(played)))
        if number % 2:
            drawn = rng.sample(problem.items, rng.randint(0, len(problem.items)))
        rng.shuffle(drawn)
        if found := problem.fault_of_part(drawn):
            raise GameFaultError(found)
