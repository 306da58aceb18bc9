"""Polish: what it promises beyond the properties of every search."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor import GNRPA, NRPA, InputError, Result, solve
from nestor.problems import TSPTW, Morpion
from support.instances import small_tsptw
from support.searching import begin

SHORT = NRPA(2, (5, 20), polish=True)


@pytest.mark.parametrize(
    ("name", "best"), [("rc_208.1.txt", 789.25), ("rc_208.3.txt", 634.44), ("rc_202.1.txt", 771.78)]
)
def test_tours_are_the_best_known(data_dir: Path, name: str, best: float) -> None:
    problem = TSPTW.read(data_dir / "tsptw" / "SolomonPotvinBengio" / name)
    found = solve(problem, GNRPA(2, (5, 50), polish=True), playouts=200_000, seed=2)
    assert round(found.score, 2) <= best
    assert found.solution.solved


def test_playouts_are_drawn_or_evaluated(tmp_path: Path) -> None:
    found = solve(small_tsptw(), SHORT, playouts=3000, seed=1)
    drawn = found.playouts - found.evaluated
    assert found.playouts == 3000
    # Five for each polish, which is at least as long as its patience.
    assert 0 < drawn <= 5 * (1 + found.evaluated / (4 * 12 * 8 / 3))
    assert f"{drawn:,} of them drawn" in str(found)
    found.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json").evaluated == found.evaluated
    assert solve(small_tsptw(), NRPA(2, 10), playouts=100).evaluated == 0


def test_polish_finds_more_than_as_many_playouts() -> None:
    """Without windows that bind, a local optimum is far better than what is drawn."""
    points = [(k * k * 37 % 101, k * 53 % 97) for k in range(30)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    problem = TSPTW(matrix, [(0, 1e6)] * 30)
    polished, plain = (
        solve(problem, NRPA(2, (5, 50), polish=polish), playouts=30_000, seed=3).score
        for polish in (True, False)
    )
    assert polished < 0.8 * plain


def test_a_target_ends_a_polish_at_once_and_it_goes_on_later() -> None:
    search, unbroken = begin(small_tsptw(), SHORT), begin(small_tsptw(), SHORT)
    unbroken.advance(1000.0, 1, 2000)
    assert search.advance(1000.0, 1, None, -100.0) == "target"
    assert search.score is not None
    assert search.score >= -100
    search.advance(1000.0, 1, 2000)
    assert (search.moves, search.improvements[0][-1]["playouts"]) == (
        unbroken.moves,
        unbroken.improvements[0][-1]["playouts"],
    )


def test_where_it_does_not_go() -> None:
    with pytest.raises(InputError, match="polish needs level 2"):
        NRPA(1, polish=True)
    with pytest.raises(InputError, match="polish goes with policies='shared'"):
        NRPA(2, width=4, policies="local", polish=True)
    with pytest.raises(InputError, match="kick must be 0 to 1"):
        NRPA(2, polish=True, kick=1.5)
    with pytest.raises(InputError, match="morpion does not"):
        solve(Morpion("4D"), SHORT, playouts=10)
