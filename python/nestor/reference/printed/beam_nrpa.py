"""Beam NRPA as printed: algorithm 3 of beam-nrpa-2012, with nothing added.

::

    beamNRPA(level, pol)
      if level = 0 then
        ... a rollout with pol: `playout` ...
        return (score(node), seq, pol)
      beam = {(-infinity, {}, pol)}
      for N iterations do
        newBeam = {}
        for (r, s, p) in beam do
          insert (r, s, p) in newBeam
          beam1 = beamNRPA(level-1, p)
          for (r1, s1, p1) in beam1 do
            p1 = Adapt(p, s1)
            insert (r1, s1, p1) in newBeam
        beam = B best scores of newBeam
      return beam

The paper minimises, and so begins with infinity. Of equal scores, which it leaves open, new entries
are kept rather than old ones. B is the beam of level 1; the levels above have 1, as it recommends.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.playout import Playout, playout
from nestor.reference.policy import Policy, adapt


class Entry(NamedTuple):
    """An entry of a beam: a sequence with its score, and its policy."""

    found: Playout
    policy: Policy


def beam_nrpa(
    problem: Problem[Any, Any], level: int, pol: Policy, key: int, b: int, n: int = 100
) -> list[Entry]:
    """Run one Beam NRPA search (beam-nrpa-2012, algorithm 3); return the beam, best first."""
    if level == 0:
        return [Entry(playout(problem, pol, key), pol)]
    size = b if level == 1 else 1
    beam = [Entry(Playout(-math.inf, [], []), pol)]
    for iteration in range(n):
        new: list[Entry] = []
        for number, (_, p) in enumerate(beam):
            below = child_key(key, iteration * size + number)
            for found, _ in beam_nrpa(problem, level - 1, p, below, b, n):
                new.append(Entry(found, adapt(p, found.steps, 1.0)))
        beam = sorted([*new, *beam], key=lambda entry: -entry.found.score)[:size]
    return beam
