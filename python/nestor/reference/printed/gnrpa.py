"""GNRPA as printed: algorithms 4 and 5 of gnrpa-2020, with nothing added.

::

     1 playout(state, policy)                       1 Adapt(policy, sequence)
     2   sequence = []                              2   polp = policy
     3   while true do                              3   state = root
     4     if state is terminal then                4   for b in sequence do
     5       return (score(state), sequence)        5     z = 0
     7     z = 0                                    6     for m in possible moves for state do
     8     for m in possible moves for state do     7       o[m] = ... as on the left
     9       o[m] = exp(policy[code(m)]/tau         8       z = z + o[m]
                        + beta(m))                 10     for m in possible moves for state do
    10       z = z + o[m]                          11       polp[code(m)] -= alpha/tau
    12     choose a move with probability o/z                         * (o[m]/z - delta_bm)
    13     state = play(state, move)               13     state = play(state, b)
    14     sequence = sequence + move              15   policy = polp

The levels above are those of NRPA. A policy holds w/tau, so its step is alpha/tau^2. A step keeps
codes and biases (section 5.1), so that `adapt` needs no rules. A forced move takes no random
number.

The sign of beta: it is added, so the move of greater beta is likelier. For TSPTW the paper prints
beta = 10 (d - min) / (max - min), which favours far cities. Ours is -10 (d - min) / (max - min): a
cost is a bias with a minus sign, and with it the paper's scores appear (`nestor.problems.TSPTW`).
"""

from __future__ import annotations

import math
from typing import Any

from nestor.biases import betas_of
from nestor.exact import child_key, cumulate, uniforms
from nestor.problem import Problem, code_of
from nestor.reference.playout import Playout
from nestor.reference.policy import Policy, Step, draw


def playout(problem: Problem[Any, Any], pol: Policy, key: int) -> Playout:
    """Play from the root to a leaf (gnrpa-2020, algorithm 4)."""
    beta, random = betas_of(problem)[0], uniforms(key)
    state, sequence = problem.initial(), []
    steps: list[Step] = []
    while possible := list(problem.moves(state)):
        codes = [code_of(problem, state, m) for m in possible]
        betas = [float(beta(state, m)) for m in possible]
        o = pol.step(codes, betas)
        chosen = draw(o, next(random)) if len(possible) > 1 else 0
        steps.append(Step(codes, betas, chosen))
        sequence.append(possible[chosen])
        state = problem.play(state, possible[chosen])
    return Playout.at(problem, state, sequence, steps)


def adapt(pol: Policy, steps: list[Step], tau: float, alpha: float) -> Policy:
    """Return the policy after a gradient step towards a sequence (gnrpa-2020, algorithm 5)."""
    polp, rate = pol.copy(), alpha / (tau * tau)
    for codes, betas, b in ((step.codes, step.biases, step.chosen) for step in steps):
        if len(codes) == 1:
            continue
        o = pol.step(codes, betas)
        inverse = 1.0 / cumulate(o)[-1]
        for m, code in enumerate(codes):
            polp.weights[code] -= rate * (o[m] * inverse)
        polp.weights[codes[b]] += rate
    return polp


def gnrpa(
    problem: Problem[Any, Any],
    level: int,
    pol: Policy,
    key: int,
    n: int = 100,
    alpha: float = 1.0,
    tau: float = 1.0,
) -> Playout:
    """Run one nested search of a level with a policy (gnrpa-2020, algorithm 3)."""
    if level == 0:
        return playout(problem, pol, key)
    best = Playout(-math.inf, [], [])
    for i in range(n):
        new = gnrpa(problem, level - 1, pol, child_key(key, i), n, alpha, tau)
        if new.score >= best.score:
            best = new
        pol = adapt(pol, best.steps, tau, alpha)
    return best
