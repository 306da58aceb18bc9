"""The policy: a weight for each code, probabilities from the weights, and adapt."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from nestor.exact import cumulate, exp


@dataclass
class Step:
    """A decision: codes and biases of the legal moves, and the index of the chosen one.

    If there are several biases, `further` holds the biases after the first.
    """

    codes: list[Hashable]
    biases: list[float]
    chosen: int
    further: list[list[float]] = field(default_factory=list)


@dataclass
class Policy:
    """Weights of codes, kept divided by the temperature."""

    weights: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))

    def copy(self) -> Self:
        """Return a copy that can change without changing this one."""
        return replace(self, weights=self.weights.copy())

    def step(
        self,
        codes: Sequence[Hashable],
        biases: Sequence[float],
        further: Sequence[Sequence[float]] = (),
    ) -> list[float]:
        """Return exp(w + beta) of each move, up to a common factor; see `Step` for the arguments.

        Only `BiasLearning` uses the further biases.
        """
        biases = self.weigh(biases, further)
        weights = [self.weights.get(code, 0.0) for code in codes]
        values = [exp(w) * exp(beta) for w, beta in zip(weights, biases, strict=True)]
        if 1e-280 <= cumulate(values)[-1] < 1e280:
            return values
        logs = self.logs(codes, biases)
        greatest = max(logs)
        return [1.0 if greatest == -math.inf else exp(log - greatest) for log in logs]

    def weigh(self, biases: Sequence[float], further: Sequence[Sequence[float]]) -> Sequence[float]:
        """Return the bias of each move."""
        return biases

    def logs(self, codes: Sequence[Hashable], biases: Sequence[float]) -> list[float]:
        """Return w + beta of each move."""
        weights = (self.weights.get(code, 0.0) for code in codes)
        return [w + beta for w, beta in zip(weights, biases, strict=True)]


def draw(weights: Sequence[float], u: float) -> int:
    """Return the first index whose cumulative weight exceeds `u` (in [0, 1)) times the total."""
    sums = cumulate(weights)
    threshold = min(u * sums[-1], math.nextafter(sums[-1], 0.0))
    return next(k for k, total in enumerate(sums) if total > threshold)


def allowed(*biases: Sequence[float]) -> Sequence[int]:
    """Return the indices of the moves that no bias forbids, or of all moves if none is left."""
    moves = list(zip(*biases, strict=True))
    return [k for k, betas in enumerate(moves) if -math.inf not in betas] or range(len(moves))


AnyPolicy = TypeVar("AnyPolicy", bound=Policy)


def adapt(policy: AnyPolicy, steps: Sequence[Step], rate: float | Sequence[float]) -> AnyPolicy:
    """Return the policy after a gradient step towards a sequence (gnrpa-2020, algorithm 6).

    It is Adapt of figure 2 of nrpa-2011, lines 21 to 29, with `rate` = alpha / temperature^2, or
    one of each step, where the last one is for all later steps. All probabilities are those of the
    policy before the step.
    """
    adapted = policy.copy()
    rates = rate if isinstance(rate, Sequence) else [rate]
    for number, step in enumerate(steps):
        if len(step.codes) == 1:
            continue
        rate = rates[min(number, len(rates) - 1)]
        values = policy.step(step.codes, step.biases, step.further)
        inverse = 1.0 / cumulate(values)[-1]
        for code, value in zip(step.codes, values, strict=True):
            adapted.weights[code] -= rate * (value * inverse)
        adapted.weights[step.codes[step.chosen]] += rate
    return adapted
