"""Polish of single decisions: another move at one step, and the later moves as far as legal.

Every changed sequence is played from the root.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from nestor.biases import betas_of
from nestor.problem import Problem, engine_score
from nestor.reference.playout import Legal, Playout, follow
from nestor.reference.policy import Policy, Step, allowed

TRIES = 100
"""How many changes in vain a try stands for: a decision has no list of candidates."""


def climb(
    problem: Problem[Any, Any],
    policy: Policy,
    moves: Sequence[Any],
    kicks: int,
    tries: int,
    random: Iterator[float],
    seen: list[Playout],
) -> Playout:
    """Return what local search makes of a sequence, after so many changes whatever they give."""
    present = follow(problem, moves)
    for _ in range(kicks):
        present = change(problem, policy, present, random) or present
    seen.append(present)
    idle = 0
    while idle < TRIES * tries and any(len(step.codes) > 1 for step in present.steps):
        idle += 1
        tried = change(problem, policy, present, random)
        if tried is None:
            continue
        gain = tried.score > present.score
        seen.append(tried if gain else Playout(-math.inf, [], []))
        if tried.score >= present.score:
            present = tried
        if gain:
            idle = 0
    return present


def change(
    problem: Problem[Any, Any], policy: Policy, present: Playout, random: Iterator[float]
) -> Playout | None:
    """Return a changed sequence, or None if the step drawn has no other move."""
    choices = [number for number, step in enumerate(present.steps) if len(step.codes) > 1]
    if not choices:
        return None
    u = next(random)
    changed = choices[-1 - int(u * u * u * u * len(choices))]
    step = present.steps[changed]
    others = [k for k in allowed(step.biases, *step.further) if k != step.chosen]
    if not others:
        return None
    other = others[int(next(random) * len(others))]
    # Of steps with the same code, the last one counts.
    places = {step.codes[step.chosen]: place for place, step in enumerate(present.steps)}

    state, moves = problem.initial(), []
    steps: list[Step] = []
    betas = betas_of(problem)
    while (legal := Legal.of(problem, state, betas)).moves:
        kept = [places[code] for code in legal.codes if places.get(code, -1) > changed]
        if len(steps) < changed:
            chosen = present.steps[len(steps)].chosen
        elif len(steps) == changed:
            chosen = other
        elif kept:
            chosen = [places.get(code) for code in legal.codes].index(min(kept))
        else:
            chosen = legal.drawn(policy, random)
        steps.append(legal.step(chosen))
        moves.append(legal.moves[chosen])
        state = problem.play(state, moves[-1])
    return Playout(engine_score(problem, state), moves, steps)
