"""NRPA as printed in its paper is NRPA in the core."""

from __future__ import annotations

from typing import Any

import pytest

from nestor import NRPA
from nestor.exact import child_key
from nestor.problems import Morpion
from nestor.reference import Policy, nrpa
from support.instances import TREES, small_tsptw
from support.searching import begin, improvements, running_maxima


@pytest.mark.parametrize(("level", "n", "alpha"), [(1, 60, 0.3), (2, 8, 1.0), (3, 4, 0.3)])
@pytest.mark.parametrize("problem", [*TREES[:3], small_tsptw(), Morpion("4D")], ids=str)
def test_figure_2_is_what_the_core_does(
    problem: Any, level: int, n: int, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores: list[float] = []
    score = type(problem).score

    def noted(problem: Any, state: Any) -> float:
        scores.append(score(problem, state))
        return scores[-1]

    monkeypatch.setattr(type(problem), "score", noted)
    best = nrpa(problem, level, Policy(), child_key(child_key(7, 0), 0), n, alpha)
    search = begin(problem, NRPA(level, n, alpha), seed=7)
    search.advance(1000.0, 1, n**level)
    assert [(p, s) for p, s, _ in improvements(search)[0]] == running_maxima(scores)
    assert search.score == best.score
