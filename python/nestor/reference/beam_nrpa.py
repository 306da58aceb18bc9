"""Beam NRPA with its options, each in its place of the loop that is printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nestor.algorithms import BeamNRPA
from nestor.algorithms.base import rate
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.adoption import adopted
from nestor.reference.playout import Playout, playout, same
from nestor.reference.policy import Policy, adapt
from nestor.reference.polish import Pool


@dataclass
class Entry(Playout):
    """An entry of a beam: a playout with its policy."""

    policy: Policy


def beam_nrpa(
    problem: Problem[Any, Any],
    algorithm: BeamNRPA,
    level: int,
    policy: Policy,
    key: int,
    seen: list[Playout],
) -> list[Entry]:
    """Run one Beam NRPA search (beam-nrpa-2012, algorithm 3); return the beam, best first.

    `seen` gets every playout. Level 0 is a playout.
    """
    if level == 0:
        played = playout(problem, policy, key)
        seen.append(played)
        return [Entry(played.score, played.moves, played.steps, policy)]
    settings = algorithm.levels()[level - 1]
    size = settings.beam
    step = rate(settings.alpha, algorithm.temperature)
    beam = [Entry(-math.inf, [], [], policy)]
    pool = Pool(algorithm)
    for iteration in range(settings.iterations):
        if outside := adopted(seen, level == algorithm.level):
            followed, strength = outside
            if algorithm.polish and level == 2:
                pool.adopt(followed)
            p = beam[0].policy
            for _ in range(strength):
                p = adapt(p, followed.steps, step)
            entry = Entry(followed.score, followed.moves, followed.steps, p)
            beam = _best(algorithm, [entry, *beam], size)
        old, new = [], []
        for number, entry in enumerate(beam):
            p = entry.policy
            below = child_key(key, iteration * size + number)
            results: Sequence[Playout] = beam_nrpa(problem, algorithm, level - 1, p, below, seen)
            if algorithm.polish and level == 2:
                first = algorithm.levels()[0].iterations * algorithm.levels()[0].beam
                results = [
                    pool.polish(problem, p, found, child_key(below, first + e), seen)
                    if found.moves
                    else found
                    for e, found in enumerate(results)
                ]
                pool.let_in()
            for found in results:
                adapted = adapt(p, found.steps, step)
                new.append(Entry(found.score, found.moves, found.steps, adapted))
            if algorithm.adapt_all:
                p = adapt(p, entry.steps, step)
            old.append(Entry(entry.score, entry.moves, entry.steps, p))
        beam = _best(algorithm, new + old, size)
    return beam


def search(problem: Problem[Any, Any], algorithm: BeamNRPA, key: int, seen: list[Playout]) -> None:
    """Run one whole search."""
    beam_nrpa(problem, algorithm, algorithm.level, Policy(), key, seen)


def _best(algorithm: BeamNRPA, entries: list[Entry], size: int) -> list[Entry]:
    """Return the best entries: of equal scores, the first ones."""
    beam: list[Entry] = []
    for entry in sorted(entries, key=lambda entry: -entry.score):
        near = any(_too_near(algorithm, entry, other) for other in beam)
        if not near and len(beam) < size:
            beam.append(entry)
    return beam


def _too_near(algorithm: BeamNRPA, entry: Entry, other: Entry) -> bool:
    """Whether two entries are too alike to be kept both."""
    if algorithm.unique and same(entry, other):
        return True
    codes, others = ({step.codes[step.chosen] for step in e.steps} for e in (entry, other))
    return max(len(codes), len(others)) - len(codes & others) < algorithm.diversity
