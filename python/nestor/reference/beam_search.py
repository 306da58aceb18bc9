"""Beam search: all games grow by one move at a time, and only the best beginnings go on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from nestor.biases import betas_of
from nestor.exact import child_key
from nestor.problem import Problem
from nestor.reference.adoption import Playouts
from nestor.reference.playout import Legal, Playout
from nestor.reference.policy import allowed

WIDEST = 2**18
"""The widest beam."""


@dataclass
class Node:
    """A beginning of a game, its value, and the codes of its moves."""

    state: Any
    path: list[Any]
    value: float = 0.0
    codes: Counter[Any] = field(default_factory=Counter)


def search(problem: Problem[Any, Any], algorithm: object, key: int, seen: Playouts) -> None:
    """Run one search; each has a beam twice as wide as the one before."""
    width, betas = min(2**seen.restarts, WIDEST), betas_of(problem)
    beam, ply = [Node(problem.initial(), [])], 0
    while beam:
        found: list[tuple[float, int, Node, Any, Any]] = []
        for node in beam:
            legal = Legal.of(problem, node.state, betas)
            if not legal.moves:
                seen.append(Playout.at(problem, node.state, node.path, []))
                continue
            for k in allowed(legal.biases):
                chance = child_key(child_key(key, ply), len(found))
                loss = -(node.value + legal.biases[k])
                found.append((loss, chance, node, legal.moves[k], legal.codes[k]))
        beam, known = [], set[frozenset[Any]]()
        for loss, _, node, move, code in sorted(found, key=lambda child: child[:2]):
            codes = node.codes + Counter([code])
            if len(beam) < width and frozenset(codes.items()) not in known:
                known.add(frozenset(codes.items()))
                state = problem.play(node.state, move)
                beam.append(Node(state, [*node.path, move], -loss, codes))
        ply += 1
