"""The conformance test that users also have, on every problem with each of its options."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nestor.testing import check_problem
from support.games import random_game
from support.instances import TREES, name_of, real_problems


@pytest.mark.parametrize("problem", [*real_problems(), *TREES[:2]], ids=name_of)
def test_conformance(problem: Any) -> None:
    check_problem(problem, playouts=5)


@pytest.mark.parametrize("problem", real_problems(), ids=name_of)
def test_random_games_verify(problem: Any) -> None:
    for seed in range(4):
        states, played = random_game(problem, seed)
        solution = problem.solution(json.loads(json.dumps(played)))
        solution.verify()
        assert solution.score == problem.natural(problem.score(states[-1]))
        data = solution.to_dict()
        assert json.loads(json.dumps(data)) == data
        assert max(map(len, str(solution).splitlines())) <= 80
        assert solution.picture().shapes
