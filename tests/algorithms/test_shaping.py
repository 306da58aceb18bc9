"""Shaping: what steers a search is not what is reported. The best is kept by what is reported."""

from __future__ import annotations

from typing import Any

import pytest

import nestor
from nestor import NMCS, NRPA, BeamNRPA, InputError, Sampling, reference, solve
from nestor.problems import SameGame
from nestor.research import Key, Policy, playouts
from nestor.testing import check_problem
from support.instances import SMALL_BOARD
from support.own import Subset

ALGORITHMS = [
    Sampling(),
    NMCS(1),
    NRPA(2, 8),
    NRPA(2, 6, width=3),
    NRPA(2, 8, width=(1, 4)),
    NRPA(2, 8, width=(1, 4), policies="local"),
    NRPA(2, 8, width=(4, 1), policies="local"),
    BeamNRPA(2, 4, beam=3),
]
SHAPED = SameGame(SMALL_BOARD, tabu=False, shaping=True)


class Odd(Subset):
    """The sum counts, but odd sums steer the search."""

    def shaped(self, state: Any) -> float:
        return float(self.score(state) + 100 * (sum(state) % 2))


class Least(Odd):
    """The same for the smallest sum."""

    sense = "min"

    def shaped(self, state: Any) -> float:
        return float(self.score(state) - 100 * (sum(state) % 2))


@pytest.mark.parametrize("seed", [4, 5])
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda each: each.describe())
@pytest.mark.parametrize("problem", [SHAPED, Odd(), Least()], ids=lambda p: type(p).__name__)
def test_the_core_is_the_twin(problem: Any, algorithm: Any, seed: int) -> None:
    found = solve(problem, algorithm, seed=seed)
    bare = problem.with_bias("none") if problem is SHAPED else problem
    twin, scores = reference.whole_searches(bare, algorithm, seed=seed)
    better = [score for i, score in enumerate(scores) if score > max([*scores[:i], -1e9])]
    assert [abs(each.score) for each in found.improvements] == [abs(each) for each in better]
    assert found.score == twin.natural
    assert found.verified
    assert found.moves == twin.moves


def test_what_is_shaped_is_not_polished() -> None:
    class Polished(Odd):
        change = "decisions"

    with pytest.raises(InputError, match=r"change of the problem must be 'none' beside .*shaped"):
        solve(Polished(), seed=1)


def test_the_search_is_steered_and_the_best_kept() -> None:
    problem = Odd()
    found = playouts(problem, Policy(problem), 20, key=Key(1))
    assert {each.score - each.natural for each in found} == {0.0, 100.0}
    low = playouts(problem := Least(), Policy(problem), 20, key=Key(1))
    assert {-each.score - each.natural for each in low} == {0.0, -100.0}
    seen = solve(Odd(), NRPA(1, 40), seed=1)
    assert seen.score == max(each.score for each in seen.improvements)


def test_shaping_clears_boards_and_reports_points() -> None:
    board = SameGame(["0110221", "1200122", "2011021", "0122010"], tabu=False)
    for problem in (board, SameGame(board.board, tabu=False, shaping=True)):
        found = solve(problem, NRPA(2, 20), seed=2)
        assert found.to_dict()["score"] == problem.solution(found.moves).total
    state = SHAPED.initial()
    assert SHAPED.shaped(state) == max(0, 1000 - 50 * sum(map(len, state.position)))
    check_problem(SHAPED, playouts=3)


def test_tabu_colours_and_variants() -> None:
    board = SameGame(["0112", "0122", "1120"])
    assert board.colours == {0: 3, 1: 5, 2: 4}
    assert board.tabu_colour == 1
    assert SameGame(board.board, tabu=2).tabu_colour == 2
    assert SameGame(board.board, tabu=False).tabu_colour is None
    assert [*board.variants()] == [f"tabu {colour}, shaping" for colour in range(3)]
    assert SameGame(board.board, tabu=2).variants() == {}
    large = SameGame(["0" * 10] * 6 + ["1202120212"])
    assert [*large.variants()] == ["tabu 0, shaping", "tabu 0"]
    race = nestor.Race([NRPA(1, 10)], first=10)
    assert len(solve(board, race, playouts=100, seed=1).race) == 3


def test_old_settings_keep_their_digest() -> None:
    board = SameGame(["0112", "0122", "1120"])
    assert board.to_dict()["tabu"] is True
    assert "shaping" not in board.to_dict()
    again = SameGame(board.board, tabu=2, shaping=True)
    assert SameGame.from_dict(again.to_dict()) == again
    assert len({board.digest, again.digest, SameGame(board.board, tabu=1).digest}) == 3


@pytest.mark.parametrize("tabu", [9, -1, 1.5, "1", None, [1]])
def test_wrong_colours(tabu: Any) -> None:
    with pytest.raises(InputError, match=r"tabu must be .* a colour, True \(the commonest\)"):
        SameGame(["0112"], tabu=tabu)
