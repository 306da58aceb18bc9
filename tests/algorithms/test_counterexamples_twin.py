"""Search by counterexamples for RNA: the core and its Python twin agree to the last bit."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from nestor import Counterexamples, solve
from nestor.exact import child_key
from nestor.problems import RNA
from nestor.problems.rna.energy import MODELS

pytest.importorskip("RNA")

from nestor.reference.counterexamples import Design
from nestor.reference.playout import Playout

BRANCHED = "((((.((((....)))).((.((...)).)).((((....)))).))))...(((..(((....)))..)))"
LOOPS = "((((..((....)).((....)).((....))..))))"
BULGES = "(((.((.(((....))).)).((..((....)).))..)))"
HARD = "(((.(..((.((....)).((....)).))..).(....).)))"
"""A part of it never folds by itself."""
INTERNAL = ".(((...((....)).))).."
FORKED = "((((.(((....))).(((....))).))))"


def check(problem: RNA, playouts: int, patience: int, seed: int) -> list[Playout]:
    """Check that the twin plays what the core does; return its playouts."""
    result = solve(problem, Counterexamples(patience=patience), playouts=playouts, seed=seed)
    twin, root = Design(problem.with_bias("nemo")), child_key(seed, 0)
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
    return seen


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
    check(RNA(target), playouts, patience, seed)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("target", [INTERNAL, FORKED])
@pytest.mark.parametrize(
    "wishes",
    [
        {},
        {"min_probability": 0.8},
        {"max_defect": 0.1},
        {"min_probability": 1.0, "max_defect": 0.02, "gc": (0.3, 0.5), "avoid": ["GAAA"]},
    ],
)
def test_they_agree_on_what_is_wished_for(model: str, target: str, wishes: dict[str, Any]) -> None:
    seen = check(RNA(target, model=model, **wishes), playouts=40, patience=6, seed=1)
    solved = any(playout.score == 1.0 for playout in seen)
    improved = any(1 - 1 / len(target) < playout.score < 1.0 for playout in seen)
    assert (solved, improved or solved) == ("gc" not in wishes, True)


@pytest.mark.long
def test_they_agree_where_wishes_contradict_each_other() -> None:
    """What folds right is changed further, though no change will ever do."""
    problem = RNA("........", gc=(0.0, 0.0), avoid=["AA", "UU", "AU"])
    seen = check(problem, playouts=3, patience=9, seed=1)
    assert len({tuple(playout.moves) for playout in seen}) > 2
