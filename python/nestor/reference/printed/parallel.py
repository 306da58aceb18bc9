"""Par1 and Par2 as printed: algorithms 4 and 5 of distributed-nrpa-samegame-2017.

::

     1 NRPA-Par1(level, policy)                     1 NRPA-Par2(level, policy-ref)
     2   best-score = -infinity                     3   for i in 1..M do
     3   num-iter = N/M                             4     (score_i, sequence_i, policy_i) = spawn
     4   for i in 1..num-iter do                            NRPA-Sub(level, policy, best-score)
     5     for j in 1..M do                         6   wait
     6       (score_j, sequence_j) = spawn          7   max = argmax_i score_i
               NRPA(level-1, policy)                8   policy-ref = policy_max
     8     wait                                     9   return (score_max, sequence_max)
     9     for j in 1..M do
    10       if score_j >= best-score then          1 NRPA-Sub(level, policy, best-score)
    11         best-score = score_j                 5   for i in 1..N/M do
    12         best-sequence = sequence_j           6     (score, sequence) =
    14     policy =                                         NRPA(level-1, local-policy)
             Adapt(policy, best-sequence, M)        7     if score >= local-best-score then
    17   return (best-score, best-sequence)             ...   keep it
                                                   11     local-policy = Adapt(local-policy,
                                                              best-sequence, alpha)

The level L = `parallel` runs one of them, all others are NRPA. Two readings are ours. Par1 adapts
once when all calls have completed, as the text says; the line stands within the loop over j in
print. Par2 replaces the policy of the level above only if its sequence is accepted there, as the
text says ("if it has achieved a better score"); of equal lanes the last one is the best.
"""

from __future__ import annotations

import math
from typing import Any

from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.playout import Playout, playout
from nestor.reference.policy import Policy, adapt

BestAndPolicy = tuple[Playout, Policy | None]
"""What a call returns: the best sequence, and the policy that Par2 leaves behind."""


def nrpa_par(
    problem: Problem[Any, Any],
    level: int,
    pol: Policy,
    key: int,
    parallel: int,
    m: int,
    n: int = 100,
    local: bool = False,
) -> BestAndPolicy:
    """Run NRPA with one parallel level, by Par1 or, if `local`, by Par2."""
    if level == 0:
        return playout(problem, pol, key), None
    if level == parallel:
        return (par2 if local else par1)(problem, level, pol, key, parallel, m, n)
    best = Playout(-math.inf, [], [])
    for i in range(n):
        below = child_key(key, i)
        new, left = nrpa_par(problem, level - 1, pol, below, parallel, m, n, local)
        if new.score >= best.score:
            best, pol = new, left or pol
        pol = adapt(pol, best.steps, 1.0)
    return best, None


def par1(
    problem: Problem[Any, Any], level: int, pol: Policy, key: int, parallel: int, m: int, n: int
) -> BestAndPolicy:
    """Run a level whose children share its policy, M at a time (algorithm 4)."""
    best = Playout(-math.inf, [], [])
    for i in range(n // m):
        spawned = [
            nrpa_par(problem, level - 1, pol, child_key(key, i * m + j), parallel, m, n)[0]
            for j in range(m)
        ]
        for new in spawned:
            if new.score >= best.score:
                best = new
        pol = adapt(pol, best.steps, float(m))
    return best, None


def par2(
    problem: Problem[Any, Any], level: int, pol: Policy, key: int, parallel: int, m: int, n: int
) -> BestAndPolicy:
    """Run M lanes with a policy each, and leave the policy of the best (algorithm 5)."""
    bests, policies = [], []
    for j in range(m):
        local, best = pol, Playout(-math.inf, [], [])
        for i in range(n // m):
            below = child_key(key, i * m + j)
            new, _ = nrpa_par(problem, level - 1, local, below, parallel, m, n)
            if new.score >= best.score:
                best = new
            local = adapt(local, best.steps, 1.0)
        bests.append(best)
        policies.append(local)
    winner = max(range(m), key=lambda j: (bests[j].score, j))
    return bests[winner], policies[winner]
