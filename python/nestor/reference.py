"""Readable twins of the core's algorithms, equal to it to the last bit.

Slow on purpose: plain Python beside the papers' pseudo-code, the oracle of the tests. The
arithmetic is defined here and in the core alike, so that no result depends on the machine: `exp` is
a polynomial, sums go in blocks of four, and every random number comes from the key of the playout.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nestor.algorithms import Algorithm
from nestor.problem import Problem, bias_of, code_of

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def child_key(key: int, index: int) -> int:
    """Return the key of a child in the search tree: output number `index` of SplitMix64."""
    return _mix((key + _GOLDEN * (index + 1)) & _MASK)


def uniform(key: int, index: int) -> float:
    """Return draw number `index` of the playout with this key, in [0, 1)."""
    return (child_key(key, index) >> 11) * 2.0**-53


_TAYLOR = [1.0 / math.factorial(k) for k in range(11, -1, -1)]


def exp(x: float) -> float:
    """Return e to the power x by range reduction and the Taylor series of order 11."""
    if x < -708.0:
        return 0.0
    if x > 708.0:
        return math.inf
    whole = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    r = (x - whole * 6.931471803691238e-1) - whole * 1.9082149292705877e-10
    total = _TAYLOR[0]
    for coefficient in _TAYLOR[1:]:
        total = total * r + coefficient
    power: float = struct.unpack("<d", struct.pack("<Q", int(whole) + 1023 << 52))[0]
    return total * power


def cumulate(values: Sequence[float]) -> list[float]:
    """Return the cumulative sums, taken in blocks a, b, c, d of four (padded with zeros)."""
    sums: list[float] = []
    before = 0.0
    for start in range(0, len(values), 4):
        a, b, c, d = [*values[start : start + 4], 0.0, 0.0, 0.0][:4]
        block = [before + a, before + (a + b), before + ((a + b) + c)]
        before = before + ((a + b) + (c + d))
        sums += [*block, before][: len(values) - start]
    return sums


@dataclass
class Policy:
    """Weights of codes, kept divided by the temperature."""

    weights: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))

    def copy(self) -> Policy:
        """Return a policy that changes apart from this one."""
        return Policy(self.weights.copy())

    def step(self, codes: Sequence[Hashable], biases: Sequence[float]) -> list[float]:
        """Return exp(w + beta) of each move, up to a common factor."""
        weights = [self.weights.get(code, 0.0) for code in codes]
        values = [exp(w) * exp(beta) for w, beta in zip(weights, biases, strict=True)]
        if 1e-280 <= cumulate(values)[-1] < 1e280:
            return values
        logs = [w + beta for w, beta in zip(weights, biases, strict=True)]
        greatest = max(logs)
        return [1.0 if greatest == -math.inf else exp(log - greatest) for log in logs]


@dataclass
class Step:
    """A decision: codes and biases of the legal moves, and the index of the chosen one."""

    codes: list[Hashable]
    biases: list[float]
    chosen: int


@dataclass
class Playout:
    """A score, the moves played and, for adapt, what could have been played."""

    score: float
    moves: list[Any]
    steps: list[Step]


def playout(problem: Problem[Any, Any], policy: Policy, key: int) -> Playout:
    """Play from the root to a leaf, moves drawn with the policy (gnrpa-2020, algorithm 4)."""
    state = problem.initial()
    moves: list[Any] = []
    steps: list[Step] = []
    draws = 0
    while legal := list(problem.moves(state)):
        codes = [code_of(problem, state, move) for move in legal]
        biases = [bias_of(problem, state, move) for move in legal]
        chosen = 0
        if len(legal) > 1:
            sums = cumulate(policy.step(codes, biases))
            threshold = min(uniform(key, draws) * sums[-1], math.nextafter(sums[-1], 0.0))
            draws += 1
            chosen = next(k for k, total in enumerate(sums) if total > threshold)
        steps.append(Step(codes, biases, chosen))
        moves.append(legal[chosen])
        state = problem.play(state, legal[chosen])
    return Playout(problem.score(state), moves, steps)


def adapt(policy: Policy, steps: Sequence[Step], rate: float) -> Policy:
    """Return the policy after a gradient step towards a sequence (gnrpa-2020, algorithm 6).

    `rate` is alpha / temperature^2. All probabilities are those of the unmodified policy.
    """
    adapted = policy.copy()
    for step in steps:
        if len(step.codes) == 1:
            continue
        values = policy.step(step.codes, step.biases)
        inverse = 1.0 / cumulate(values)[-1]
        for code, value in zip(step.codes, values, strict=True):
            adapted.weights[code] -= rate * (value * inverse)
        adapted.weights[step.codes[step.chosen]] += rate
    return adapted


def nrpa(
    problem: Problem[Any, Any],
    levels: Sequence[tuple[int, float]],
    policy: Policy,
    key: int,
    seen: list[Playout],
) -> Playout:
    """Run one nested search (nrpa-2011, figure 2; gnrpa-2020, algorithm 5).

    Parameters
    ----------
    problem : Problem
    levels : sequence of (iterations, rate)
        From level 1 upwards; without any the search is one playout.
    policy : Policy
    key : int
        Key of the search in the tree of searches.
    seen : list of Playout
        Every playout is appended.
    """
    if not levels:
        seen.append(playout(problem, policy, key))
        return seen[-1]
    *below, (iterations, rate) = levels
    best: Playout | None = None
    for iteration in range(iterations):
        new = nrpa(problem, below, policy, child_key(key, iteration), seen)
        if best is None or new.score >= best.score:
            best = new
        policy = adapt(policy, best.steps, rate)
    assert best is not None
    return best


def search(
    problem: Problem[Any, Any],
    algorithm: Algorithm,
    *,
    seed: int = 0,
    job: int = 0,
    restarts: int = 1,
) -> tuple[Playout, list[float]]:
    """Run whole searches with fresh policies, as the core does while budget is left.

    Returns
    -------
    best : Playout
        The first playout of the greatest score.
    scores : list of float
        Engine scores of all playouts in order.
    """
    seen: list[Playout] = []
    root = child_key(seed & _MASK, job)
    for restart in range(restarts):
        nrpa(problem, algorithm.levels(), Policy(), child_key(root, restart), seen)
    best = max(seen, key=lambda playout: playout.score)
    return best, [playout.score for playout in seen]
