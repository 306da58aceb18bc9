"""Whether each part of a choice that fits does so, too."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from nestor.problems.functions import Subset

DRAWN = 30
"""The choices that are drawn for a game."""


def fault_of_fits(problem: Subset, played: Sequence[Hashable], rng: random.Random) -> str | None:
    """Return a choice that fits and has a part that does not, if one is drawn.

    No game shows it: it adds one thing at a time. So two or three are added at once to a part of a
    game, and others are drawn of any size. Of what fits one thing after the other is taken away.
    """

    def chosen(things: Sequence[Hashable]) -> tuple[Hashable, ...]:
        return tuple(item for item in problem.items if item in things)

    for number in range(DRAWN):
        others = [item for item in problem.items if item not in played]
        drawn = rng.sample(others, min(len(others), rng.randint(2, 3)))
        drawn += rng.sample(played, rng.randint(0, len(played)))
        if number % 2:
            drawn = rng.sample(problem.items, rng.randint(0, len(problem.items)))
        rng.shuffle(drawn)
        fitting = bool(problem.fits(chosen(drawn)))
        while drawn and fitting:
            whole = chosen(drawn)
            gone = drawn.pop()
            if not problem.fits(chosen(drawn)):
                return (
                    "fits() must be true of each part of what fits: it is true of "
                    f"{whole!r:.1000}, and not without {gone!r:.80}"
                )
    return None
