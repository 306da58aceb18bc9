"""NMCS as printed: figure 1 of nrpa-2011, and Sample-k NMCS of its section 4.1.

::

     1 NMCS(level,node):
     2   IF level==0:  // base rollout policy
           ... a uniform rollout from node: `play_on` ...
     9     RETURN (score(node),seq)
    11   ELSE:  // for nesting levels>=1
    12     ply = 0, seq = {}
    13     best_score = -infinity
    14     WHILE num_children(node)>0:
    15       FOR children i of node:
    16         temp = child(node,i)
    17         (result,new) = NMCS(level-1,temp)
    18         IF result>best_score THEN:
    19           best_score = result
    20           seq[ply] = i
    21           seq[ply+1...] = new
    22       node = child(node,seq[ply])
    23       ply += 1
    24     RETURN (best_score,seq)

Sample-k NMCS searches k children in line 15, drawn with replacement. A playout holds its moves from
the root, and the search of a leaf is a rollout at any level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nestor.exact import child_key, uniform, uniforms
from nestor.problem import Problem
from nestor.reference.playout import Playout, play_on
from nestor.reference.policy import Policy, draw


def nmcs(
    problem: Problem[Any, Any],
    level: int,
    node: Any,
    path: Sequence[Any],
    key: int,
    k: int | None = None,
) -> Playout:
    """Run one search from a node, to which the moves of `path` lead (nrpa-2011, figure 1)."""
    if level == 0 or not problem.moves(node):
        return play_on(problem, Policy(), uniforms(key), node, path)
    ply, path, best = 0, list(path), Playout(-math.inf, [], [])
    while children := list(problem.moves(node)):
        here = child_key(key, ply)
        sampled = children if k is None else sample(children, k, here)
        for number, child in enumerate(sampled):
            temp = problem.play(node, child), [*path, child]
            new = nmcs(problem, level - 1, *temp, child_key(here, number), k)
            if new.score > best.score:
                best = new
        path.append(best.moves[len(path)])
        node = problem.play(node, path[-1])
        ply += 1
    return best


def sample(children: Sequence[Any], k: int, key: int) -> list[Any]:
    """Return k children, drawn with replacement."""
    draws = child_key(key, k)
    return [children[draw([1.0] * len(children), uniform(draws, i))] for i in range(k)]
