"""NRPA as printed: figure 2 of nrpa-2011, with nothing added.

::

     1 NRPA(level,pol):
     2   IF level==0:  // base rollout policy
           ... a rollout with pol: `playout` ...
    10     RETURN (score(node),seq)
    11   ELSE:  // for nesting levels>=1
    12     best_score = -infinity
    13     FOR N iterations:
    14       (result,new) = NRPA(level-1,pol)
    15       IF result>=best_score THEN:
    16         best_score = result
    17         seq = new
    18       pol = Adapt(pol,seq)
    19   RETURN (best_score,seq)

Lines 21 to 29 are `adapt`. Two things are ours: a playout holds both its score and its sequence,
and the key says which random numbers a search uses. `nestor.reference.nrpa` has the same loop
with all the options.
"""

from __future__ import annotations

import math
from typing import Any

from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.playout import Playout, playout
from nestor.reference.policy import Policy, adapt


def nrpa(
    problem: Problem[Any, Any], level: int, pol: Policy, key: int, n: int = 100, alpha: float = 1.0
) -> Playout:
    """Run one nested search of a level with a policy (nrpa-2011, figure 2)."""
    if level == 0:
        return playout(problem, pol, key)
    best = Playout(-math.inf, [], [])
    for i in range(n):
        new = nrpa(problem, level - 1, pol, child_key(key, i), n, alpha)
        if new.score >= best.score:
            best = new
        pol = adapt(pol, best.steps, alpha)
    return best
