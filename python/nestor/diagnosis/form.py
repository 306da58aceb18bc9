"""What may be changed in a game, as random games show it, beside what the class says."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from nestor.diagnosis.games import Games
from nestor.problem import Problem, item_of, states_along, task_of
from nestor.problems.faults import check_order, check_parts, is_hashable

EFFORT = 1.0
"""Seconds of processor time after which no other game is tried."""

TRIED, LEAST = 20, 2
"""The most games that are tried, and the fewest that show anything."""


def fault_of_form(problem: Problem[Any, Any], games: Games, seed: int) -> str | None:
    """Return what is missing or wrong in what a class says that may be changed in a game."""
    change, played = getattr(problem, "change", "none"), games.played
    if change not in ("none", "order") or hasattr(problem, "shaped"):
        return None
    same = _same_moves(problem, played)
    if change == "none" and same and _holds(problem, check_order, played, seed):
        return (
            "all games have the same moves, and any order of them can be played: this is an "
            'order; say change = "order", and the default is local search'
        )
    if same:
        return None
    is_set = _holds(problem, check_parts, played, seed)
    if change == "none" and is_set:
        return (
            "any subset of the moves of a game can be played, in any order: this is a set; say "
            'change = "set", and the default is local search'
        )
    if change == "order":
        least, most = min(games.lengths), max(games.lengths)
        have = f"{least} to {most} moves" if least < most else "different moves"
        instead = 'this is a set: say change = "set"' if is_set else "leave change out"
        return (
            f'games have {have}, and change = "order" keeps those of the first: nothing else is '
            f"ever chosen; {instead}"
        )
    return None


def _same_moves(problem: Problem[Any, Any], played: Sequence[Sequence[Any]]) -> bool:
    """Whether all games have the same moves, or do the same tasks."""
    seen: list[Counter[Any]] = []
    for moves in played[:TRIED]:
        names = []
        for state, move in zip(states_along(problem, moves), moves, strict=False):
            name = (
                task_of(problem, move)
                if hasattr(problem, "task")
                else item_of(problem, state, move)
            )
            if not is_hashable(name):
                return False
            names.append(name)
        seen.append(Counter(names))
    return bool(seen[0]) and all(names == seen[0] for names in seen)


def _holds(
    problem: Problem[Any, Any],
    check: Callable[[Any, Sequence[Any], random.Random], None],
    played: Sequence[Any],
    seed: int,
) -> bool:
    """Whether games whose moves are played in other orders show no fault."""
    rng, end, tried = random.Random(f"{seed}/form"), time.process_time() + EFFORT, 0
    for moves in (each for each in played[:TRIED] if len(each) > 1):
        try:
            check(problem, moves, rng)
        except Exception:  # The rules may know nothing of such states.
            return False
        tried += 1
        if tried >= LEAST and time.process_time() >= end:
            break
    return tried >= LEAST
