"""Search by counterexamples: the same bits anywhere, and designs that other searches miss."""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import Counterexamples, InputError, Sampling, resume, solve
from nestor.problems import RNA, Kakuro
from nestor.problems.rna import energy
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.folding import folded, random_sequence
from support.searching import whole_and_interrupted

BRANCHED = "((((.((((....)))).((.((...)).)).((((....)))).))))...(((..(((....)))..)))"
HARD = "((.((..(...)..)).(.((...)).).(((....)))...(...)..))"
"""Helices of one pair do not hold: nothing folds into it."""


def found(result: nestor.Result) -> tuple[float, list[str], int, list[tuple[int, float]]]:
    steps = [(each.playouts, each.score) for each in result.improvements]
    return result.score, result.moves, result.playouts, steps


def test_a_branched_target_is_solved_in_a_few_folds() -> None:
    result = solve(RNA(BRANCHED), Counterexamples(), playouts=50, seed=1)
    assert result.solution.solved
    assert result.playouts < 50
    result.solution.verify()


@pytest.mark.parametrize("options", [{"threads": 2}, {"workers": 2}])
def test_what_runs_where_does_not_matter(options: dict[str, Any]) -> None:
    problem, algorithm = RNA(HARD), Counterexamples(patience=3)
    one = solve(problem, algorithm, playouts=16, jobs=2, seed=3, threads=1)
    assert found(solve(problem, algorithm, playouts=16, jobs=2, seed=3, **options)) == found(one)


def test_it_stops_and_goes_on_anywhere() -> None:
    asked = Setup(RNA(HARD), Counterexamples(patience=5), 7)
    whole, other = whole_and_interrupted(asked, (1, 2, 8, 17))
    assert (other.moves, other.score) == (whole.moves, whole.score)
    assert other.counts["restarts"] == whole.counts["restarts"] > 0
    # The time that was taken is in the file as well.
    assert abs(len(other.save()[0]) - len(whole.save()[0])) < 14


def test_a_run_is_resumed(tmp_path: Path) -> None:
    problem, path = RNA(HARD), tmp_path / "run.ckpt"
    solve(problem, Counterexamples(), playouts=7, seed=2, checkpoint=path)
    whole = solve(problem, Counterexamples(), playouts=15, seed=2)
    assert found(resume(path, playouts=15)) == found(whole)


def test_a_damaged_state_is_refused() -> None:
    asked = Setup(RNA(HARD), Counterexamples(), 7)
    search, other = asked.search(1), Setup(RNA(BRANCHED), Counterexamples(), 7).search(1)
    search.advance(Limits(60.0, 1, playouts=5))
    with pytest.raises(ValueError, match=r"not one of the problem|cannot be read"):
        other.restore(search.save())
    for cut in (10, 60, 200):
        with pytest.raises(ValueError, match="cannot be read"):
            asked.search(1).restore([search.save()[0][:-cut]])


def test_it_goes_on_from_a_solution() -> None:
    problem = RNA(BRANCHED)
    solved = solve(problem, Counterexamples(), playouts=50, seed=1)
    result = solve(problem, Counterexamples(), playouts=3, seed=2, initial=solved)
    assert result.score == 1.0


@pytest.mark.parametrize("seed", range(12))
def test_designs_are_legal_no_worse_than_their_beginning_and_the_same_after_a_stop(
    seed: int,
) -> None:
    """Of targets that some sequence folds into, with any model and any wishes."""
    choose = random.Random(seed)
    target, _ = folded(random_sequence(choose, choose.randrange(20, 70)))
    model = choose.choice(energy.MODELS)
    wishes: dict[str, Any] = {"max_defect": 0.05, "gc": (0.3, 0.7)} if seed % 2 else {}
    problem = RNA(target, model=model, **wishes)
    initial = solve(problem, Sampling(), playouts=5, seed=seed)
    algorithm = Counterexamples(patience=4)
    result = solve(problem, algorithm, playouts=25, seed=seed, initial=initial)
    assert result.score >= initial.score
    result.solution.verify()  # ViennaRNA folds it again.
    for move, legal in zip(result.moves, legal_along(problem, result.moves), strict=True):
        assert move in legal
    whole, other = whole_and_interrupted(Setup(problem, algorithm, seed), (1, 3, 9, 20))
    assert (other.moves, other.score) == (whole.moves, whole.score)


def legal_along(problem: RNA, moves: list[str]) -> list[list[str]]:
    """Return the legal moves at each step of a game."""
    states = accumulate(moves[:-1], problem.play, initial=problem.initial())
    return [problem.moves(state) for state in states]


def test_constraints_are_kept() -> None:
    problem = RNA(BRANCHED, sequence="GGSS" + "N" * (len(BRANCHED) - 5) + "R")
    solution = solve(problem, Counterexamples(), playouts=100, seed=1).solution
    assert solution.solved
    solution.verify()


@pytest.mark.parametrize("model", ["turner1999-d1", "turner1999-d2"])
def test_other_energy_models(model: str) -> None:
    result = solve(RNA(BRANCHED, model=model), Counterexamples(), playouts=50, seed=1)
    assert result.solution.solved
    assert result.playouts < 50


def test_targets_without_pairs_and_the_smallest() -> None:
    for target in (".", "......", "(...)", "((((....))))"):
        result = solve(RNA(target), Counterexamples(), playouts=5, seed=1)
        assert result.playouts in range(1, 6)


def test_other_problems_are_refused() -> None:
    with pytest.raises(InputError, match="say why a sequence fails"):
        solve(Kakuro.generate(3, 5, pruning=False), Counterexamples(), playouts=5)
    with pytest.raises(InputError, match="patience"):
        Counterexamples(patience=0)
