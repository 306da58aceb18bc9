"""The prior as printed: algorithm 4 of learned-prior-2024, and the bias of its section 3.

::

    1 Replay(state, sequence)
    2   for b in sequence do
    3     count[code(b)] = count[code(b)] + 1
    4     for m in possible moves for state do
    5       nb[code(m)] = nb[code(m)] + 1
    7     play(state, b)

    beta_m = tau * log(count[code(m)] / nb[code(m)])

A move that was possible and never played has beta = -infinity, so it is forbidden; the bias of one
that was never seen is 0. The paper leaves both open. Betas are rounded to 12 decimals, so that
no platform's logarithm changes a result. `nestor.learn_prior` counts the same in the core.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from nestor.problem import Problem, prior_code_of

Counts = Counter[Hashable]


def replay(problem: Problem[Any, Any], sequence: Sequence[Any], count: Counts, nb: Counts) -> None:
    """Count the moves of a solution, and those that were possible (learned-prior-2024)."""
    state = problem.initial()
    for b in sequence:
        count[prior_code_of(problem, state, b)] += 1
        for m in problem.moves(state):
            nb[prior_code_of(problem, state, m)] += 1
        state = problem.play(state, b)


def bias(count: Counts, nb: Counts, tau: float) -> dict[Hashable, float]:
    """Return beta of each code that was possible."""
    return {
        code: round(tau * math.log(count[code] / seen), 12) if count[code] else -math.inf
        for code, seen in nb.items()
    }
