"""The playout: level 0 of every nested search."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from nestor.biases import betas_of
from nestor.exact import uniforms
from nestor.problem import Problem, code_of, engine_score, steering_score
from nestor.reference.policy import Policy, Step, draw


@dataclass
class Playout:
    """A score, the moves played, and for each of them the decision that adapt learns from.

    Attributes
    ----------
    score : float
        What steers the search: higher is better for every problem.
    reported : float
        The score that is reported: the same, unless the problem shapes it.
    natural : float
        The reported score as people have it, such as the cost of a tour: `nestor.Result.score`.
        NaN unless it is a playout that `search` has returned.
    """

    score: float
    moves: list[Any]
    steps: list[Step]
    reported: float = field(default=math.nan, kw_only=True)
    natural: float = field(default=math.nan, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        if math.isnan(self.reported):
            self.reported = self.score

    @classmethod
    def at(
        cls, problem: Problem[Any, Any], state: Any, moves: list[Any], steps: list[Step]
    ) -> Self:
        """Return the playout that ends at a terminal state."""
        score = engine_score(problem, state)
        return cls(steering_score(problem, state, score), moves, steps, reported=score)


class Legal(NamedTuple):
    """The legal moves of a state with their codes, their biases, and those of further biases."""

    moves: list[Any]
    codes: list[Hashable]
    biases: list[float]
    further: list[list[float]]

    @classmethod
    def of(
        cls, problem: Problem[Any, Any], state: Any, betas: Sequence[Callable[[Any, Any], float]]
    ) -> Self:
        """Return those of a state; `betas` are the methods that give the biases in force."""
        moves = list(problem.moves(state))
        codes = [code_of(problem, state, move) for move in moves]
        biases, *further = [[float(beta(state, move)) for move in moves] for beta in betas]
        return cls(moves, codes, biases, further)

    def drawn(self, policy: Policy, random: Iterator[float]) -> int:
        """Return the index of the move that a policy draws; a forced one takes no number."""
        if len(self.moves) == 1:
            return 0
        return draw(policy.step(self.codes, self.biases, self.further), next(random))

    def step(self, chosen: int | None) -> Step:
        """Return the decision for the move with this index; None for one that is not offered.

        That gets no gradient: the step has one move.
        """
        if chosen is None:
            return Step(self.codes[:1], [0.0], 0, [[0.0] for _ in self.further])
        return Step(self.codes, self.biases, chosen, self.further)


def playout(problem: Problem[Any, Any], policy: Policy, key: int) -> Playout:
    """Play from the root to a leaf; the policy draws the moves (gnrpa-2020, algorithm 4).

    If the problem has a `bias`, it is in force, also where `nestor.solve` would use none, as with
    NRPA. For none give ``nestor.biases.WithBiases(problem, [lambda state, move: 0.0])``.
    """
    return play_on(problem, policy, uniforms(key), problem.initial(), [])


def play_on(
    problem: Problem[Any, Any],
    policy: Policy,
    random: Iterator[float],
    state: Any,
    path: Sequence[Any],
) -> Playout:
    """Play from `state` to a leaf; the moves of `path` lead to `state`."""
    moves = list(path)
    steps: list[Step] = []
    betas = betas_of(problem)
    while (legal := Legal.of(problem, state, betas)).moves:
        chosen = legal.drawn(policy, random)
        steps.append(legal.step(chosen))
        moves.append(legal.moves[chosen])
        state = problem.play(state, moves[-1])
    return Playout.at(problem, state, moves, steps)


def follow(problem: Problem[Any, Any], moves: Sequence[Any]) -> Playout:
    """Return the playout with these moves, which must be a whole game.

    They may have moves that the rules leave out.
    """
    state = problem.initial()
    steps: list[Step] = []
    betas = betas_of(problem)
    for move in moves:
        legal = Legal.of(problem, state, betas)
        steps.append(legal.step(legal.moves.index(move) if move in legal.moves else None))
        state = problem.play(state, move)
    return Playout.at(problem, state, list(moves), steps)


def same(one: Playout, other: Playout) -> bool:
    """Whether two playouts have the same choices and the same score."""
    chosen, others = ([(step.chosen, len(step.codes)) for step in p.steps] for p in (one, other))
    return chosen == others and one.score == other.score and one.moves == other.moves
