"""Polish: what it promises beyond the properties of every search."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor import GNRPA, NRPA, InputError, Result, resume, solve
from nestor.problems import Crossword, LatinSquare, Morpion
from nestor.runs.session import Limits
from support.instances import small_tsptw
from support.own import Decided, Subset
from support.searching import begin

SHORT = NRPA(2, (5, 20), polish=True)
WORDS = ("mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "pluto", "ceres")


def test_playouts_are_drawn_or_evaluated(tmp_path: Path) -> None:
    result = solve(Crossword(WORDS, 9), SHORT, playouts=3000, seed=1)
    drawn = result.playouts - result.evaluated
    assert result.playouts == 3000
    # Five for each polish, which is at least as long as its patience.
    assert 0 < drawn <= 5 * (1 + result.evaluated / 400)
    changed = f"{result.evaluated:,} by changing an earlier one, at "
    assert f": {drawn:,} played from the start, {changed}" in str(result)
    result.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json").evaluated == result.evaluated
    assert solve(small_tsptw(), NRPA(2, 10), playouts=100).evaluated == 0
    assert "played from" not in str(solve(small_tsptw(), playouts=1))


def test_polish_finds_more_than_as_many_playouts() -> None:
    square = LatinSquare.generate(45, 0.42, 1)
    polished, plain = (
        solve(square, NRPA(2, (20, 100), polish=polish), playouts=3000, seed=1)
        for polish in (True, False)
    )
    assert polished.solution.solved
    assert plain.score > 20


def test_a_target_ends_a_polish_at_once_and_it_goes_on_later() -> None:
    problem = Crossword(WORDS, 9)
    unbroken = begin(problem, SHORT)
    unbroken.advance(Limits(1000.0, 1, 2000))
    assert unbroken.score is not None
    search = begin(problem, SHORT)
    assert search.advance(Limits(1000.0, 1, None, unbroken.score)) == "target"
    search.advance(Limits(1000.0, 1, 2000))
    assert (search.moves, search.improvements[0][-1]["playouts"]) == (
        unbroken.moves,
        unbroken.improvements[0][-1]["playouts"],
    )


def test_decisions_of_own_problems_are_polished(tmp_path: Path) -> None:
    """With a polish under way in the file, a resumed run is that of one that goes on."""
    unbroken = solve(Decided(), SHORT, playouts=1000, seed=4)
    path = tmp_path / "run.ckpt"
    solve(Decided(), SHORT, playouts=137, seed=4, checkpoint=path)
    resumed = resume(path, problem=Decided(), playouts=1000)
    assert (resumed.score, resumed.moves) == (unbroken.score, unbroken.moves)
    assert resumed.evaluated == unbroken.evaluated > 500


def test_where_it_does_not_go() -> None:
    with pytest.raises(InputError, match="polish needs level 2"):
        NRPA(1, polish=True)
    with pytest.raises(InputError, match="warm_start, polish or a BatchBias"):
        NRPA(2, width=4, policies="local", polish=True)
    with pytest.raises(InputError, match="kick must be 0 to 1"):
        NRPA(2, polish=True, kick=1.5)
    for problem in (Subset(), Morpion("4D")):
        with pytest.raises(InputError, match="polish changes single decisions, which"):
            solve(problem, SHORT, playouts=10)
    with pytest.raises(InputError, match=r"tsptw is improved by nestor.LocalSearch\(\)"):
        solve(small_tsptw(), GNRPA(2, 5, polish=True), playouts=10)


def test_whoever_wrote_a_problem_is_told_how_it_may_be_polished() -> None:
    with pytest.raises(InputError, match=r'may have an attribute change = "decisions"$'):
        solve(Subset(), NRPA(2, 5, polish=True), playouts=5)
    with pytest.raises(InputError, match=r"morpion does not allow$"):
        solve(Morpion("5D"), NRPA(2, 5, polish=True), playouts=5)
