"""NRPA and GNRPA with their options, each in its place of the loop that is printed.

Width and repetitions are a line or two of the loop. Force explore, warm start, local policies and
bias weights follow it, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from nestor.algorithms import NRPA
from nestor.algorithms.base import rate
from nestor.biases import betas_of
from nestor.exact import child_key, cumulate, uniforms
from nestor.problem import Problem
from nestor.reference.adoption import adopted
from nestor.reference.playout import Playout, play_on, same
from nestor.reference.policy import AnyPolicy, Policy, Step, adapt, allowed
from nestor.reference.polish import Pool


def nested(
    problem: Problem[Any, Any],
    algorithm: NRPA,
    level: int,
    policy: Policy,
    key: int,
    seen: list[Playout],
    learned: Playout | None = None,
) -> tuple[Playout, Policy | None]:
    """Run one nested search (nrpa-2011, figure 2; gnrpa-2020, algorithm 5).

    The bias is that of `playout`, whatever the algorithm; `search` has that of `nestor.solve`.
    `seen` gets every playout. With force explore, a playout must not repeat the sequence `learned`.
    Return the best playout, and the policy that the level above inherits, if any.
    """
    if level == 0:
        played = explore(problem, policy, key, learned)
        seen.append(played)
        return played, None
    settings = algorithm.levels()[level - 1]
    rates = rates_of(algorithm, level)
    if algorithm.policies == "local" and settings.width > 1:
        return nested_local(problem, algorithm, level, policy, key, seen)
    best: Playout | None = None
    repeated, learned = 0, None
    pool = Pool(algorithm)
    warm_start = WarmStart(settings.warm_start, settings.iterations)
    top = level == algorithm.level
    for i in range(settings.iterations):
        outside = adopted(seen, top and i % settings.width == 0)
        if outside is not None and algorithm.polish and level == 2:
            pool.adopt(outside[0])
        if outside is not None and (best is None or outside[0].score >= best.score):
            best, repeated = outside[0], 0
            for _ in range(outside[1]):
                policy = adapt_with_biases(policy, best.steps, *rates)
                learned = best if settings.force_explore else None
        below = child_key(key, i)
        new, inherited = nested(problem, algorithm, level - 1, policy, below, seen, learned)
        if algorithm.polish and level == 2:
            place = child_key(below, algorithm.levels()[0].iterations)
            new = pool.polish(problem, policy, new, place, seen)
        if best is None or new.score >= best.score:
            repeated = repeated + 1 if i > 0 and best is not None and same(new, best) else 0
            best, policy = new, inherited or policy
        warm_start.look_at(new.score)
        if (i + 1) % settings.width == 0:
            pool.let_in()
            if settings.repetitions is not None and repeated >= settings.repetitions:
                break
            if warm_start.over:
                policy = adapt_with_biases(policy, best.steps, *rates)
                learned = best if settings.force_explore else None
    assert best is not None
    return best, None


def rates_of(algorithm: NRPA, level: int) -> tuple[float, float | None]:
    """Return the gradient steps of a level for the weights and for the weights of the biases.

    A policy that M children share adapts with M times as much if the width rate is "sum".
    """
    settings = algorithm.levels()[level - 1]
    summed = algorithm.width_rate == "sum" and algorithm.policies == "shared"
    step = settings.width if summed else 1
    learning = getattr(algorithm, "bias_learning", None)
    weights = rate(settings.alpha, getattr(algorithm, "temperature", 1.0)) * step
    return weights, None if learning is None else learning * step


def explore(
    problem: Problem[Any, Any], policy: Policy, key: int, learned: Playout | None
) -> Playout:
    """Play from the root to a leaf, but not the sequence `learned`.

    A playout that would repeat it is followed up to a step with a choice. There another move is
    played, and the policy plays the rest.
    """
    random = uniforms(key)
    played = play_on(problem, policy, random, problem.initial(), [])
    if learned is None or not same(played, learned):
        return played
    others = [
        [k for k in allowed(step.biases, *step.further) if k != step.chosen]
        for step in played.steps
    ]
    choices = [number for number, indices in enumerate(others) if indices]
    if not choices:
        return played
    last = choices[int(next(random) * len(choices))]
    chosen = others[last][int(next(random) * len(others[last]))]
    state = reduce(problem.play, played.moves[:last], problem.initial())
    path = [*played.moves[:last], list(problem.moves(state))[chosen]]
    rest = play_on(problem, policy, random, problem.play(state, path[-1]), path)
    changed = replace(played.steps[last], chosen=chosen)
    steps = [*played.steps[:last], changed, *rest.steps]
    return Playout(rest.score, rest.moves, steps, reported=rest.reported)


@dataclass
class WarmStart:
    """Whether a level of `iterations` may adapt yet: c is None for no warm start."""

    c: float | None
    iterations: int
    scores: list[float] = field(default_factory=list)
    over: bool = False

    def look_at(self, score: float) -> None:
        """End the warm start if this result ranks high enough among those so far."""
        if self.c is None or self.over:
            self.over = True
            return
        rank = 1 + sum(other > score for other in self.scores)
        self.scores.append(score)
        i, n = len(self.scores), self.iterations
        self.over = rank <= i * self.c / (n + 1 - i)


def nested_local(
    problem: Problem[Any, Any],
    algorithm: NRPA,
    level: int,
    policy: Policy,
    key: int,
    seen: list[Playout],
) -> tuple[Playout, Policy | None]:
    """Run one search whose lanes have a policy each (distributed-nrpa-samegame-2017, algorithm 5).

    The lanes run one child each, then look at each other's best sequence, and so on. Arguments and
    returned values are those of `nested`.
    """
    settings = algorithm.levels()[level - 1]
    rates = rates_of(algorithm, level)
    lanes = min(settings.width, settings.iterations)
    policies = [policy] * lanes
    nothing = Playout(-math.inf, [], [])
    bests = [nothing] * lanes
    top = level == algorithm.level
    for first in range(0, settings.iterations, lanes):
        running = range(min(lanes, settings.iterations - first))
        if outside := adopted(seen, top):
            for lane in range(lanes):
                if outside[0].score >= bests[lane].score:
                    bests[lane] = outside[0]
                    for _ in range(outside[1]):
                        adapted = adapt_with_biases(policies[lane], outside[0].steps, *rates)
                        policies[lane] = adapted
        for lane in running:
            below = child_key(key, first + lane)
            new, _ = nested(problem, algorithm, level - 1, policies[lane], below, seen)
            if new.score >= bests[lane].score:
                bests[lane] = new
        winner = max(range(lanes), key=lambda lane: (bests[lane].score, lane))
        if algorithm.share and first + lanes < settings.iterations:
            best = bests[winner]
            bests = [best if own.score < best.score else own for own in bests]
        for lane in running:
            policies[lane] = adapt_with_biases(policies[lane], bests[lane].steps, *rates)
    return bests[winner], policies[winner] if algorithm.inherit else None


@dataclass
class BiasLearning(Policy):
    """A policy that learns the weight of each bias, too (BLGNRPA)."""

    bias_weights: tuple[float, ...] = ()

    def weigh(self, biases: Sequence[float], further: Sequence[Sequence[float]]) -> Sequence[float]:
        """Return the weighted sum of the biases of each move."""
        return [self._weighted(betas) for betas in zip(biases, *further, strict=True)]

    def _weighted(self, betas: Sequence[float]) -> float:
        if -math.inf in betas:
            return -math.inf
        first, *others = (v * _bounded(b) for v, b in zip(self.bias_weights, betas, strict=True))
        for other in others:
            first += other
        return first


def _bounded(beta: float) -> float:
    """Return a bias within bounds, so that all that is worked out from it is finite."""
    return beta if beta == -math.inf else min(max(beta, -1e100), 1e100)


def adapt_with_biases(
    policy: AnyPolicy, steps: Sequence[Step], rate: float, bias_rate: float | None
) -> AnyPolicy:
    """Return the policy after `adapt`, with the weights of the biases adapted as well."""
    adapted = adapt(policy, steps, rate)
    if isinstance(policy, BiasLearning) and isinstance(adapted, BiasLearning):
        assert bias_rate is not None
        adapted.bias_weights = adapt_biases(policy, steps, bias_rate)
    return adapted


def adapt_biases(policy: BiasLearning, steps: Sequence[Step], rate: float) -> tuple[float, ...]:
    """Return the weights of the biases after a gradient step towards a sequence."""
    gradient = [0.0] * len(policy.bias_weights)
    for step in steps:
        if len(step.codes) == 1:
            continue
        values = policy.step(step.codes, step.biases, step.further)
        inverse = 1.0 / cumulate(values)[-1]
        for k, biases in enumerate([step.biases, *step.further]):
            features = [0.0 if beta == -math.inf else _bounded(beta) for beta in biases]
            expected = 0.0
            for value, feature in zip(values, features, strict=True):
                expected += (value * inverse) * feature
            gradient[k] += features[step.chosen] - expected
    learned = zip(policy.bias_weights, gradient, strict=True)
    return tuple(min(max(v + rate * g, -1e6), 1e6) for v, g in learned)


def first_policy(problem: Problem[Any, Any], algorithm: NRPA) -> Policy:
    """Return the policy that a search begins with."""
    weights = getattr(algorithm, "first_bias_weights", None)  # NRPA has none
    if weights is None:
        return Policy()
    return BiasLearning(bias_weights=weights * (len(betas_of(problem)) if len(weights) == 1 else 1))


def search(problem: Problem[Any, Any], algorithm: NRPA, key: int, seen: list[Playout]) -> None:
    """Run one whole search."""
    nested(problem, algorithm, algorithm.level, first_policy(problem, algorithm), key, seen)
