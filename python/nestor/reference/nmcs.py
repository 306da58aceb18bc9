"""NMCS with its options, and the playouts of the algorithms that learn nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nestor.algorithms.sampling import Unlearned
from nestor.biases import betas_of
from nestor.exact import child_key, uniform, uniforms
from nestor.problem import Problem, code_of
from nestor.reference.adoption import adopted
from nestor.reference.playout import Playout, play_on
from nestor.reference.policy import Policy, allowed, draw


def play_unlearned(
    problem: Any, algorithm: Unlearned, random: Iterator[float], state: Any, path: Sequence[Any]
) -> Playout:
    """Play from `state` to a leaf, with the playout policy of the problem or with its biases."""
    if algorithm.playout_policy is None:
        return play_on(problem, Policy(), random, state, path)
    moves = list(path)
    while problem.moves(state):
        moves.append(problem.choose(state, random))
        state = problem.play(state, moves[-1])
    return Playout.at(problem, state, moves, [])


@dataclass
class Node:
    """A node of NMCS: its state, the moves that lead to it, and the best game through it."""

    state: Any
    path: list[Any]
    best: Playout | None = None

    def follow(self, problem: Problem[Any, Any], game: Playout) -> Node:
        """Return the node one move on in a game through this one; itself where the game ends."""
        depth = len(self.path)
        if len(game.moves) == depth:
            return Node(self.state, self.path, game)
        move = game.moves[depth]
        return Node(problem.play(self.state, move), [*self.path, move], game)


def nmcs(
    problem: Problem[Any, Any],
    algorithm: Unlearned,
    level: int,
    key: int,
    seen: list[Playout],
    state: Any,
    path: Sequence[Any] = (),
) -> Playout:
    """Run one nested Monte Carlo search (nrpa-2011, figure 1 and section 4.1).

    It starts from `state`, to which the moves of `path` lead. `seen` gets every playout, with all
    its moves from the root. The search of a leaf is a playout at any level.
    """
    path = list(path)
    if level == 0 or not problem.moves(state):
        played = play_unlearned(problem, algorithm, uniforms(key), state, path)
        seen.append(played)
        return played
    size, samples = algorithm.levels()[level - 1].beam, getattr(algorithm, "samples", None)
    beam: list[Node] = [Node(state, path)]
    ply = 0
    while any(problem.moves(node.state) for node in beam):
        found = [(node.best, node) for node in beam if node.best is not None]
        for entry, node in enumerate(beam):
            here = child_key(key, ply * size + entry)
            for number, child in enumerate(_children(problem, samples, node.state, here)):
                if outside := adopted(seen, level == len(algorithm.levels())):
                    found += _through(beam, outside[0])
                below = problem.play(node.state, child), [*node.path, child]
                new = nmcs(problem, algorithm, level - 1, child_key(here, number), seen, *below)
                found.append((new, node))
        beam = []
        # Sorting is stable: of equal scores, those found first come first.
        for game, node in sorted(found, key=lambda pair: -pair[0].score):
            following = node.follow(problem, game)
            if len(beam) < size and all(following.path != other.path for other in beam):
                beam.append(following)
        ply += 1
    assert beam[0].best is not None
    return beam[0].best


def _through(beam: Sequence[Node], game: Playout) -> list[tuple[Playout, Node]]:
    """Return a game with the node that it goes through, if there is one."""
    return [(game, node) for node in beam if game.moves[: len(node.path)] == node.path]


def search(problem: Problem[Any, Any], algorithm: Unlearned, key: int, seen: list[Playout]) -> None:
    """Run one whole search; sampling is level 0."""
    nmcs(problem, algorithm, len(algorithm.levels()), key, seen, problem.initial())


def _children(problem: Problem[Any, Any], samples: int | None, state: Any, key: int) -> list[Any]:
    """Return the moves that a level of NMCS searches, in order."""
    legal = list(problem.moves(state))
    if not legal:
        return []
    beta = betas_of(problem)[0]
    biases = [float(beta(state, move)) for move in legal]
    if samples is None:
        return [legal[k] for k in allowed(biases)]
    codes = [code_of(problem, state, move) for move in legal]
    weights = Policy().step(codes, biases)
    draws = child_key(key, samples)
    return [legal[draw(weights, uniform(draws, number))] for number in range(samples)]
