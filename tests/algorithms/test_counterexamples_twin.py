"""Search by counterexamples for RNA: the core and its Python twin agree to the last bit."""

from __future__ import annotations

from itertools import count

import pytest

from nestor import Counterexamples, solve
from nestor.exact import child_key
from nestor.problems import RNA

pytest.importorskip("RNA")

from nestor.reference.counterexamples import Design
from nestor.reference.playout import Playout

BRANCHED = "((((.((((....)))).((.((...)).)).((((....)))).))))...(((..(((....)))..)))"
LOOPS = "((((..((....)).((....)).((....))..))))"
BULGES = "(((.((.(((....))).)).((..((....)).))..)))"


HARD = "(((.(..((.((....)).((....)).))..).(....).)))"
"""A part of it never folds by itself."""


@pytest.mark.parametrize(
    ("target", "playouts", "patience", "seed"),
    [
        ("((((....))))", 9, 2, 1),
        (BRANCHED, 8, 200, 1),
        (BRANCHED, 8, 200, 2),
        (LOOPS, 10, 4, 1),
        (LOOPS, 10, 4, 2),
        (BULGES, 10, 3, 1),
        (BULGES, 10, 3, 2),
        pytest.param(HARD, 4, 4, 2, marks=pytest.mark.long),
    ],
)
def test_core_and_twin_agree(target: str, playouts: int, patience: int, seed: int) -> None:
    problem, algorithm = RNA(target).with_bias("nemo"), Counterexamples(patience=patience)
    result = solve(RNA(target), algorithm, playouts=playouts, seed=seed)
    twin, root = Design(problem), child_key(seed, 0)
    seen: list[Playout] = []
    for restart in count():
        if len(seen) >= playouts:
            break
        twin.run(child_key(root, restart), patience, seen)
    best, improvements = -float("inf"), []
    for number, playout in enumerate(seen[:playouts], start=1):
        if playout.score > best:
            best = playout.score
            improvements.append((number, best))
    assert [(each.playouts, each.score) for each in result.improvements] == improvements
    assert result.moves in [playout.moves for playout in seen if playout.score == best]
