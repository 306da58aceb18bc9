"""What is wrong with what a problem says of several states at once, or with its keys of states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from nestor.objectives import objectives_of
from nestor.problem import Problem, agrees
from nestor.problems.faults import is_hashable, is_score, judged, legal_moves

ROUNDING = 1e-12
"""What another way of adding up may make of a number, relative to it."""

Game = tuple[list[Any], Any]
"""The moves of a game and its last state."""


def fault_of_together(problem: Problem[Any, Any], games: Sequence[Game]) -> str | None:
    """Return how `score_batch`, `bias_batch` or `key` contradict the methods of one state."""
    return (
        _fault_of_scores(problem, games)
        or _fault_of_biases(problem, games)
        or _fault_of_keys(problem, games)
    )


def _fault_of_scores(problem: Any, games: Sequence[Game]) -> str | None:
    if not hasattr(problem, "score_batch"):
        return None
    given, fault = _listed("score_batch", problem.score_batch([end for _, end in games]))
    if fault or len(given) != len(games):
        must = f"score_batch() must return a score for each of {len(games)} states"
        return fault or f"{must}, not {len(given)}"
    objectives = objectives_of(problem)
    for (moves, end), told in zip(games, given, strict=True):
        score = judged(problem, "score", end)
        pairs = [(told, score)]
        if objectives is not None:
            pairs = [*zip(objectives.parts(told, "score_batch()"), score, strict=True)]
        if not all(is_score(a) and agrees(float(a), float(b), ROUNDING) for a, b in pairs):
            return (
                f"score_batch() must give each state the score that score() gives: it gave "
                f"{told!r:.80} where score() gives {score!r:.80}, after the moves {moves!r:.1000}"
            )
    return None


def _fault_of_biases(problem: Any, games: Sequence[Game]) -> str | None:
    """Compare the biases of states on the way of the games, one from each."""
    if not hasattr(problem, "bias_batch"):
        return None
    states, lists = [], []
    for number, (moves, _) in enumerate(games):
        state = problem.initial()
        for move in moves[: number % max(1, len(moves))]:
            state = problem.play(state, move)
        if legal := legal_moves(problem, state):
            states.append(state)
            lists.append(legal)
    wanted = [
        (move, problem.bias(state, move))
        for state, legal in zip(states, lists, strict=True)
        for move in legal
    ]
    given, fault = _listed("bias_batch", problem.bias_batch(states, lists))
    if fault or len(given) != len(wanted):
        must = f"bias_batch() must return a bias for each of the {len(wanted)} moves"
        return fault or f"{must} of its {len(states)} states, not {len(given)}"
    for (move, bias), told in zip(wanted, given, strict=True):
        if not (is_score(told) and agrees(float(told), float(bias), ROUNDING)):
            return (
                f"bias_batch() must give each move the value that bias() gives: it gave "
                f"{told!r:.80} for {move!r:.80}, where bias() gives {bias!r:.80}"
            )
    return None


def _fault_of_keys(problem: Any, games: Sequence[Game]) -> str | None:
    """Compare the scores of games that have the same key."""
    if not hasattr(problem, "key"):
        return None
    first = dict[Hashable, Game]()
    for moves, end in games:
        key = problem.key(end)
        if not is_hashable(key):
            continue  # A cache writes it down, or says why it cannot.
        before, other = first.setdefault(key, (moves, end))
        one, two = (judged(problem, "score", state) for state in (other, end))
        if one != two:
            return (
                f"key() must tell states of different scores apart: {key!r:.80} stands for the "
                f"moves {before!r:.1000}, whose score is {one!r:.80}, and for "
                f"{moves!r:.1000}, whose score is {two!r:.80}"
            )
    return None


def _listed(method: str, returned: Any) -> tuple[list[Any], str | None]:
    """Return what a method has returned as a list, and what is wrong if it is none."""
    try:
        return list(returned), None
    except TypeError:
        return [], f"{method}() must return a sequence, not {type(returned)}"
