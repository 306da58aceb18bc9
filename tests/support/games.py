"""Games of random moves."""

from __future__ import annotations

import random
from typing import Any


def random_game(problem: Any, seed: int = 0) -> tuple[list[Any], list[Any]]:
    """Return the states, including the first one, and the moves of a random game."""
    rng = random.Random(seed)
    states, played = [problem.initial()], []
    while moves := problem.moves(states[-1]):
        played.append(rng.choice(moves))
        states.append(problem.play(states[-1], played[-1]))
    return states, played
