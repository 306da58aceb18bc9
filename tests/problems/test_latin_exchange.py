"""Latin squares are completed by exchange: large ones, the same bits anywhere, saved states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nestor import Counterexamples, LocalSearch, Result, resume, solve
from nestor.problems import LatinSquare
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.searching import whole_and_interrupted

IMPOSSIBLE = LatinSquare(
    [
        [0, 0, 1, 0, 4, 0],
        [0, 5, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 3],
        [0, 2, 0, 6, 0, 0],
        [0, 3, 0, 0, 0, 5],
        [0, 0, 0, 0, 3, 2],
    ]
)
"""The rules do not see at the root that it has no completion."""


def found(result: Result) -> tuple[float, list[Any], int, list[tuple[int, float]]]:
    steps = [(each.playouts, each.score) for each in result.improvements]
    return result.score, result.moves, result.playouts, steps


@pytest.mark.parametrize("hidden_singles", [True, False])
@pytest.mark.parametrize(
    ("order", "holes"), [(1, 1), (2, 1), (3, 1), (12, 0.42), (30, 0.42), (50, 0.4)]
)
def test_squares_are_completed(order: int, holes: float, hidden_singles: bool) -> None:
    square = LatinSquare.generate(order, holes, 1, hidden_singles=hidden_singles)
    result = solve(square, playouts=300, seed=1)
    assert isinstance(result.algorithm, LocalSearch)
    assert result.solution.solved
    result.solution.verify()


@pytest.mark.long
@pytest.mark.parametrize(("order", "holes"), [(60, 0.4), (50, 0.3), (60, 0.3), (64, 0.5)])
def test_large_squares_are_completed(order: int, holes: float) -> None:
    assert solve(LatinSquare.generate(order, holes, 1), playouts=10_000, seed=1).solution.solved


def test_an_impossible_square_ends_with_holes() -> None:
    result = solve(IMPOSSIBLE, LocalSearch(evaluations=3), playouts=40, seed=1)
    assert result.score >= 1
    assert result.playouts == 40
    result.solution.verify()


@pytest.mark.parametrize("square", [IMPOSSIBLE, LatinSquare.generate(20, 0.42, 14)])
def test_it_is_local_search_by_any_name(square: LatinSquare) -> None:
    default = solve(square, playouts=60, seed=5)
    assert default.algorithm == LocalSearch()
    for same in (LocalSearch(evaluations=200), Counterexamples(patience=200)):
        assert found(solve(square, same, playouts=60, seed=5)) == found(default)


@pytest.mark.parametrize("options", [{"threads": 2}, {"workers": 2}])
def test_what_runs_where_does_not_matter(options: dict[str, Any]) -> None:
    one = solve(IMPOSSIBLE, playouts=40, jobs=2, seed=3, threads=1)
    assert found(solve(IMPOSSIBLE, playouts=40, jobs=2, seed=3, **options)) == found(one)


def test_it_stops_and_goes_on_anywhere() -> None:
    asked = Setup(IMPOSSIBLE, LocalSearch(evaluations=5), 7)
    whole, other = whole_and_interrupted(asked, (1, 3, 17, 40))
    assert (other.moves, other.score) == (whole.moves, whole.score)
    assert other.counts["restarts"] == whole.counts["restarts"] > 0


def test_a_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    solve(IMPOSSIBLE, playouts=7, seed=2, checkpoint=path)
    assert found(resume(path, playouts=15)) == found(solve(IMPOSSIBLE, playouts=15, seed=2))


def test_a_damaged_state_is_refused() -> None:
    asked = Setup(IMPOSSIBLE, LocalSearch(), 7)
    search = asked.search(1)
    search.advance(Limits(60.0, 1, playouts=5))
    (saved,) = search.save()
    for cut in (5, 20, 60):
        with pytest.raises(ValueError, match="cannot be read"):
            asked.search(1).restore([saved[:-cut]])
    refused = 0
    for place in range(len(saved)):
        changed = bytearray(saved)
        changed[place] ^= 1
        try:
            asked.search(1).restore([bytes(changed)])
        except ValueError:
            refused += 1
    assert refused > len(saved) / 3
