"""What is wrong with what a problem says of several states at once, or with its keys of states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from nestor.checks import is_score
from nestor.objectives import objectives_of
from nestor.problem import Problem, agrees, state_after
from nestor.problems.faults import FaultError, is_hashable, judged, legal_moves, listed

ROUNDING = 1e-12
"""What another way of adding up may make of a number, relative to it."""

Game = tuple[list[Any], Any]
"""The moves of a game and its last state."""


def check_together(problem: Problem[Any, Any], games: Sequence[Game]) -> None:
    """Check that `score_batch`, `bias_batch` and `key` say what the methods of one state do."""
    if hasattr(problem, "score_batch"):
        _check_scores(problem, games)
    if hasattr(problem, "bias_batch"):
        _check_biases(problem, games)
    if hasattr(problem, "key"):
        _check_keys(problem, games)


def _check_scores(problem: Any, games: Sequence[Game]) -> None:
    given = listed("score_batch", problem.score_batch([end for _, end in games]))
    if len(given) != len(games):
        must = f"score_batch() must return a score for each of {len(games)} states"
        raise FaultError(f"{must}, not {len(given)}")
    objectives = objectives_of(problem)
    for (moves, end), told in zip(games, given, strict=True):
        score = judged(problem, "score", end)
        pairs = [(told, score)]
        if objectives is not None:
            pairs = [*zip(objectives.parts(told, "score_batch()"), score, strict=True)]
        if not all(is_score(a) and agrees(float(a), float(b), ROUNDING) for a, b in pairs):
            raise FaultError(
                f"score_batch() must give each state the score that score() gives: it gave "
                f"{told!r:.80} where score() gives {score!r:.80}, after the moves {moves!r:.1000}"
            )


def _check_biases(problem: Any, games: Sequence[Game]) -> None:
    """Compare the biases of states on the way of the games, one from each."""
    states, lists, wanted = [], [], []
    for number, (moves, _) in enumerate(games):
        state = state_after(problem, moves[: number % max(1, len(moves))])
        if legal := legal_moves(problem, state):
            states.append(state)
            lists.append(legal)
            wanted += [(move, problem.bias(state, move)) for move in legal]
    given = listed("bias_batch", problem.bias_batch(states, lists))
    if len(given) != len(wanted):
        must = f"bias_batch() must return a bias for each of the {len(wanted)} moves"
        raise FaultError(f"{must} of its {len(states)} states, not {len(given)}")
    for (move, bias), told in zip(wanted, given, strict=True):
        if not (is_score(told) and agrees(float(told), float(bias), ROUNDING)):
            raise FaultError(
                f"bias_batch() must give each move the value that bias() gives: it gave "
                f"{told!r:.80} for {move!r:.80}, where bias() gives {bias!r:.80}"
            )


def _check_keys(problem: Any, games: Sequence[Game]) -> None:
    """Compare the scores of games that have the same key."""
    first = dict[Hashable, Game]()
    for moves, end in games:
        key = problem.key(end)
        if not is_hashable(key):
            continue  # A cache writes it down, or says why it cannot.
        before, other = first.setdefault(key, (moves, end))
        one, two = (judged(problem, "score", state) for state in (other, end))
        if one != two:
            raise FaultError(
                f"key() must tell states of different scores apart: {key!r:.80} stands for the "
                f"moves {before!r:.1000}, whose score is {one!r:.80}, and for "
                f"{moves!r:.1000}, whose score is {two!r:.80}"
            )
