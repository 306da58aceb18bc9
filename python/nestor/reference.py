"""Readable twins of the core's algorithms, equal to it to the last bit.

Slow on purpose: plain Python beside the papers' pseudo-code, the oracle of the tests. Arithmetic
and random numbers are those of `nestor.exact`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nestor.algorithms import (
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    LevelSettings,
    Sampling,
    Unlearned,
)
from nestor.biasing import betas_of
from nestor.exact import child_key, cumulate, exp, uniform, uniforms
from nestor.problem import Problem, code_of


@dataclass
class Policy:
    """Weights of codes, kept divided by the temperature, and of each bias, where learned."""

    weights: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))
    bias_weights: tuple[float, ...] | None = None

    def copy(self) -> Policy:
        """Return a policy that changes apart from this one."""
        return Policy(self.weights.copy(), self.bias_weights)

    def step(
        self,
        codes: Sequence[Hashable],
        biases: Sequence[float],
        further: Sequence[Sequence[float]] = (),
    ) -> list[float]:
        """Return exp(w + beta) of each move, up to a common factor; `further` as of `Step`."""
        if self.bias_weights is not None:
            biases = [self.weigh(betas) for betas in zip(biases, *further, strict=True)]
        weights = [self.weights.get(code, 0.0) for code in codes]
        values = [exp(w) * exp(beta) for w, beta in zip(weights, biases, strict=True)]
        if 1e-280 <= cumulate(values)[-1] < 1e280:
            return values
        logs = [w + beta for w, beta in zip(weights, biases, strict=True)]
        greatest = max(logs)
        return [1.0 if greatest == -math.inf else exp(log - greatest) for log in logs]

    def weigh(self, betas: Sequence[float]) -> float:
        """Return the bias of a move from its beta by each bias: forbidden if one forbids it."""
        assert self.bias_weights is not None
        if -math.inf in betas:
            return -math.inf
        first, *others = (
            v * _feature(beta) for v, beta in zip(self.bias_weights, betas, strict=True)
        )
        for other in others:
            first += other
        return first


def _feature(beta: float) -> float:
    """Return beta where its weight is learned: bounded, so that what follows is finite."""
    return beta if beta == -math.inf else min(max(beta, -1e100), 1e100)


@dataclass
class Step:
    """A decision: codes and biases of the legal moves, and the index of the chosen one.

    With several biases, whose weights are learned, `further` has the biases by the others.
    """

    codes: list[Hashable]
    biases: list[float]
    chosen: int
    further: list[list[float]] = field(default_factory=list)


@dataclass
class Playout:
    """A score, the moves played and, for adapt, what could have been played."""

    score: float
    moves: list[Any]
    steps: list[Step]


def draw(weights: Sequence[float], u: float) -> int:
    """Return the first index whose cumulative weight exceeds `u` (in [0, 1)) times the total."""
    sums = cumulate(weights)
    threshold = min(u * sums[-1], math.nextafter(sums[-1], 0.0))
    return next(k for k, total in enumerate(sums) if total > threshold)


def playout(
    problem: Problem[Any, Any], policy: Policy, key: int, known: Playout | None = None
) -> Playout:
    """Play from the root to a leaf, moves drawn with the policy (gnrpa-2020, algorithm 4).

    With force explore, `known` is the sequence not to play again.
    """
    random = uniforms(key)
    played = play_on(problem, policy, random, problem.initial(), [])
    if known is not None and _same(played, known):
        return play_other(problem, policy, random, played)
    return played


def play_on(
    problem: Problem[Any, Any],
    policy: Policy,
    random: Iterator[float],
    state: Any,
    path: Sequence[Any],
) -> Playout:
    """Play likewise from the state that the moves of `path` lead to."""
    moves = list(path)
    steps: list[Step] = []
    betas = betas_of(problem)
    while legal := list(problem.moves(state)):
        codes = [code_of(problem, state, move) for move in legal]
        biases, *further = [[float(beta(state, move)) for move in legal] for beta in betas]
        chosen = 0
        if len(legal) > 1:
            chosen = draw(policy.step(codes, biases, further), next(random))
        steps.append(Step(codes, biases, chosen, further))
        moves.append(legal[chosen])
        state = problem.play(state, legal[chosen])
    return Playout(problem.score(state), moves, steps)


def play_other(
    problem: Problem[Any, Any], policy: Policy, random: Iterator[float], played: Playout
) -> Playout:
    """Play a sequence again up to a step with a choice, there another move, then on."""
    others = [
        [k for k in _allowed(step.biases, *step.further) if k != step.chosen]
        for step in played.steps
    ]
    choices = [number for number, indices in enumerate(others) if indices]
    if not choices:
        return played
    last = choices[int(next(random) * len(choices))]
    chosen = others[last][int(next(random) * len(others[last]))]
    state = problem.initial()
    for move in played.moves[:last]:
        state = problem.play(state, move)
    path = [*played.moves[:last], list(problem.moves(state))[chosen]]
    rest = play_on(problem, policy, random, problem.play(state, path[-1]), path)
    changed = replace(played.steps[last], chosen=chosen)
    return Playout(rest.score, rest.moves, [*played.steps[:last], changed, *rest.steps])


def _allowed(*biases: Sequence[float]) -> Sequence[int]:
    """Return the indices of the moves that no bias forbids, or all if all are forbidden."""
    moves = list(zip(*biases, strict=True))
    return [k for k, betas in enumerate(moves) if -math.inf not in betas] or range(len(moves))


def play_unlearned(
    problem: Any, algorithm: Unlearned, random: Iterator[float], state: Any, path: Sequence[Any]
) -> Playout:
    """Play from a state as an algorithm that learns nothing does."""
    if algorithm.policy is None:
        return play_on(problem, Policy(), random, state, path)
    moves = list(path)
    while problem.moves(state):
        moves.append(problem.choose(state, random))
        state = problem.play(state, moves[-1])
    return Playout(problem.score(state), moves, [])


def adapt(
    policy: Policy, steps: Sequence[Step], rate: float, bias_rate: float | None = None
) -> Policy:
    """Return the policy after a gradient step towards a sequence (gnrpa-2020, algorithm 6).

    `rate` is alpha / temperature^2, `bias_rate` the step of the weights of the biases. All
    probabilities are those of the unmodified policy.
    """
    adapted = policy.copy()
    if bias_rate is not None:
        adapted.bias_weights = adapt_biases(policy, steps, bias_rate)
    for step in steps:
        if len(step.codes) == 1:
            continue
        values = policy.step(step.codes, step.biases, step.further)
        inverse = 1.0 / cumulate(values)[-1]
        for code, value in zip(step.codes, values, strict=True):
            adapted.weights[code] -= rate * (value * inverse)
        adapted.weights[step.codes[step.chosen]] += rate
    return adapted


def adapt_biases(policy: Policy, steps: Sequence[Step], rate: float) -> tuple[float, ...]:
    """Return the weights of the biases after a gradient step towards a sequence (BLGNRPA)."""
    assert policy.bias_weights is not None
    gradient = [0.0] * len(policy.bias_weights)
    for step in steps:
        if len(step.codes) == 1:
            continue
        values = policy.step(step.codes, step.biases, step.further)
        inverse = 1.0 / cumulate(values)[-1]
        for k, biases in enumerate([step.biases, *step.further]):
            features = [0.0 if beta == -math.inf else _feature(beta) for beta in biases]
            expected = 0.0
            for value, feature in zip(values, features, strict=True):
                expected += (value * inverse) * feature
            gradient[k] += features[step.chosen] - expected
    learned = zip(policy.bias_weights, gradient, strict=True)
    return tuple(min(max(v + rate * g, -1e6), 1e6) for v, g in learned)


@dataclass(frozen=True)
class Local:
    """Local policies: the level that has them, from 1 upwards, and how (see `NRPA`)."""

    level: int
    share: bool
    inherit: bool


def nrpa(
    problem: Problem[Any, Any],
    levels: Sequence[LevelSettings],
    policy: Policy,
    key: int,
    seen: list[Playout],
    known: Playout | None = None,
    local: Local | None = None,
) -> Playout:
    """Run one nested search (nrpa-2011, figure 2; gnrpa-2020, algorithm 5).

    Parameters
    ----------
    problem : Problem
    levels : sequence of LevelSettings
        From level 1 upwards; without any the search is one playout.
    policy : Policy
    key : int
        Key of the search in the tree of searches.
    seen : list of Playout
        Every playout is appended.
    known : Playout or None
        What a playout may not be, with force explore.
    local : Local or None
        Which level has local policies, None for none.
    """
    if not levels:
        seen.append(playout(problem, policy, key, known))
        return seen[-1]
    if local is not None and len(levels) == local.level:
        return nrpa_local(problem, levels, policy, key, seen, local.share)[0]
    *below, level = levels
    best: Playout | None = None
    repeated, known = 0, None
    scores: list[float] = []
    warm = level.warm_start is None
    for iteration in range(level.iterations):
        child = child_key(key, iteration)
        if local is not None and local.inherit and len(below) == local.level:
            new, returned = nrpa_local(problem, below, policy, child, seen, local.share)
            if best is None or new.score >= best.score:
                policy = returned
        else:
            new = nrpa(problem, below, policy, child, seen, known, local)
        if best is not None and _same(new, best):
            repeated += 1
        elif best is None or new.score >= best.score:
            best, repeated = new, 0
        if level.warm_start is not None:
            rank = 1 + sum(score > new.score for score in scores)
            scores.append(new.score)
            i, n = iteration + 1, level.iterations
            warm = warm or rank <= i * level.warm_start / (n + 1 - i)
        if (iteration + 1) % level.width == 0:
            if level.repetitions is not None and repeated >= level.repetitions:
                break
            if not warm:
                continue
            policy = adapt(policy, best.steps, level.rate, level.bias_rate)
            known = best if level.explore else None
    assert best is not None
    return best


def nrpa_local(
    problem: Problem[Any, Any],
    levels: Sequence[LevelSettings],
    policy: Policy,
    key: int,
    seen: list[Playout],
    share: bool,
) -> tuple[Playout, Policy]:
    """Run one search whose children have local policies.

    That is distributed-nrpa-samegame-2017, algorithm 5. The lanes run one child after the other and
    meet after each.

    Parameters
    ----------
    problem, levels, policy, key, seen
        As of `nrpa`.
    share : bool
        Whether lanes that are worse than the best take over its sequence.

    Returns
    -------
    best : Playout
    policy : Policy
        That of the lane with the best, the last one of equals.
    """
    *below, level = levels
    lanes = min(level.width, level.iterations)
    policies = [policy] * lanes
    bests: list[Playout] = []
    for first in range(0, level.iterations, lanes):
        running = range(min(lanes, level.iterations - first))
        for lane in running:
            new = nrpa(problem, below, policies[lane], child_key(key, first + lane), seen)
            if first == 0:
                bests.append(new)
            elif new.score >= bests[lane].score:
                bests[lane] = new
        winner = max(range(lanes), key=lambda lane: (bests[lane].score, lane))
        if share and first + lanes < level.iterations:
            best = bests[winner]
            bests = [best if own.score < best.score else own for own in bests]
        for lane in running:
            steps = bests[lane].steps
            policies[lane] = adapt(policies[lane], steps, level.rate, level.bias_rate)
    return bests[winner], policies[winner]


@dataclass
class Node:
    """A node that NMCS has come to: its state, the way to it, and the best game through it."""

    state: Any
    path: list[Any]
    best: Playout | None = None

    def follow(self, problem: Problem[Any, Any], game: Playout) -> Node:
        """Return the next node of a game that goes through this one, which it may end with."""
        depth = len(self.path)
        if len(game.moves) == depth:
            return Node(self.state, self.path, game)
        move = game.moves[depth]
        return Node(problem.play(self.state, move), [*self.path, move], game)


def nmcs(
    problem: Problem[Any, Any],
    algorithm: NMCS,
    level: int,
    key: int,
    seen: list[Playout],
    state: Any,
    path: Sequence[Any] = (),
) -> Playout:
    """Run one nested Monte Carlo search (nrpa-2011, figure 1 and section 4.1).

    Parameters
    ----------
    problem : Problem
    algorithm : NMCS
    level : int
        0 for a playout, as is the search of a leaf.
    key : int
        Key of the search in the tree of searches.
    seen : list of Playout
        Every playout is appended, with all its moves from the root.
    state : Any
        Where the search begins.
    path : sequence of moves
        The way to it from the root.
    """
    path = list(path)
    if level == 0 or not problem.moves(state):
        played = play_unlearned(problem, algorithm, uniforms(key), state, path)
        seen.append(played)
        return played
    size = algorithm.beams()[level - 1]
    beam: list[Node] = [Node(state, path)]
    ply = 0
    while any(problem.moves(node.state) for node in beam):
        found = [(node.best, node) for node in beam if node.best is not None]
        for entry, node in enumerate(beam):
            here = child_key(key, ply * size + entry)
            for number, child in enumerate(_children(problem, algorithm, node.state, here)):
                below = problem.play(node.state, child), [*node.path, child]
                new = nmcs(problem, algorithm, level - 1, child_key(here, number), seen, *below)
                found.append((new, node))
        beam = []
        # Sorting is stable: of equal scores, those found first come first.
        for game, node in sorted(found, key=lambda pair: -pair[0].score):
            following = node.follow(problem, game)
            if len(beam) < size and all(following.path != other.path for other in beam):
                beam.append(following)
        ply += 1
    assert beam[0].best is not None
    return beam[0].best


def _children(problem: Problem[Any, Any], algorithm: NMCS, state: Any, key: int) -> list[Any]:
    """Return the moves that a level of NMCS searches, in order."""
    samples = algorithm.samples
    legal = list(problem.moves(state))
    if not legal:
        return []
    beta = betas_of(problem)[0]
    biases = [float(beta(state, move)) for move in legal]
    if samples is None:
        return [legal[k] for k in _allowed(biases)]
    codes = [code_of(problem, state, move) for move in legal]
    weights = Policy().step(codes, biases)
    draws = child_key(key, samples)
    return [legal[draw(weights, uniform(draws, number))] for number in range(samples)]


@dataclass
class Entry:
    """An entry of a beam: a score, its sequence (moves and steps) and a policy."""

    score: float
    moves: list[Any]
    steps: list[Step]
    policy: Policy


def beam_nrpa(
    problem: Problem[Any, Any],
    algorithm: BeamNRPA,
    level: int,
    policy: Policy,
    key: int,
    seen: list[Playout],
) -> list[Entry]:
    """Run one Beam NRPA search (beam-nrpa-2012, algorithm 3).

    Parameters
    ----------
    problem : Problem
    algorithm : BeamNRPA
    level : int
        0 for a playout.
    policy : Policy
    key : int
        Key of the search in the tree of searches.
    seen : list of Playout
        Every playout is appended.

    Returns
    -------
    list of Entry
        The beam, best first.
    """
    if level == 0:
        played = playout(problem, policy, key)
        seen.append(played)
        return [Entry(played.score, played.moves, played.steps, policy)]
    iterations, rate, size = algorithm.levels()[level - 1]
    beam = [Entry(-math.inf, [], [], policy)]
    for iteration in range(iterations):
        old, new = [], []
        for number, entry in enumerate(beam):
            p = entry.policy
            below = child_key(key, iteration * size + number)
            for found in beam_nrpa(problem, algorithm, level - 1, p, below, seen):
                adapted = adapt(p, found.steps, rate)
                new.append(Entry(found.score, found.moves, found.steps, adapted))
            if algorithm.adapt_all:
                p = adapt(p, entry.steps, rate)
            old.append(Entry(entry.score, entry.moves, entry.steps, p))
        # Sorting is stable: of equal scores, new entries come first, then those found first.
        beam = []
        for entry in sorted(new + old, key=lambda entry: -entry.score):
            near = any(_too_near(algorithm, entry, other) for other in beam)
            if not near and len(beam) < size:
                beam.append(entry)
    return beam


def _same(one: Playout | Entry, other: Playout | Entry) -> bool:
    """Whether two have the same sequence."""
    chosen, others = ([step.chosen for step in p.steps] for p in (one, other))
    return chosen == others and one.score == other.score


def _too_near(algorithm: BeamNRPA, entry: Entry, other: Entry) -> bool:
    """Whether two entries are not to be kept both."""
    if algorithm.unique and _same(entry, other):
        return True
    codes, others = ({step.codes[step.chosen] for step in e.steps} for e in (entry, other))
    return max(len(codes), len(others)) - len(codes & others) < algorithm.diversity


def _local(algorithm: NRPA) -> Local | None:
    """Return the level with local policies: the one that is wide."""
    if algorithm.policies == "shared":
        return None
    widths = [level.width for level in algorithm.levels()]
    return Local(widths.index(max(widths)) + 1, algorithm.share, algorithm.inherit)


def _first_bias_weights(problem: Problem[Any, Any], algorithm: NRPA) -> tuple[float, ...] | None:
    """Return the first weight of each bias; None where they are not learned."""
    weights = algorithm.first_bias_weights
    if weights is None or len(weights) > 1:
        return weights
    return weights * len(betas_of(problem))


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
    root = child_key(seed, job)
    for restart in range(restarts):
        key = child_key(root, restart)
        match algorithm:
            case NMCS():
                nmcs(problem, algorithm, algorithm.level, key, seen, problem.initial())
            case BeamNRPA():
                beam_nrpa(problem, algorithm, algorithm.level, Policy(), key, seen)
            case NRPA():
                policy = Policy(bias_weights=_first_bias_weights(problem, algorithm))
                nrpa(problem, algorithm.levels(), policy, key, seen, local=_local(algorithm))
            case Sampling():
                random = uniforms(key)
                seen.append(play_unlearned(problem, algorithm, random, problem.initial(), []))
    best = max(seen, key=lambda playout: playout.score)
    return best, [playout.score for playout in seen]
