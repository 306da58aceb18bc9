"""Inverse RNA folding of long targets: who folds them, and when a search stops."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

import nestor
from nestor import Counterexamples, VerificationError
from nestor.problems.rna import RNA, energy
from nestor.runs.session import Limits
from support.folding import random_sequence
from support.searching import begin, found

pytest.importorskip("RNA", reason="ViennaRNA is not installed")

HELIX = "(((((....)))))....."


def only_short(folding: energy.Folding, sequence: str) -> tuple[str, float]:
    """Fold with ViennaRNA what is not long."""
    assert len(sequence) <= energy.LONG, "ViennaRNA folds"
    return folding.compound(sequence).mfe()  # type: ignore[no-any-return]


@pytest.mark.parametrize("model", ["turner2004-d2", "turner1999-d2"])
def test_the_core_folds_long_sequences_in_place_of_vienna(model: str) -> None:
    """With the same structure, and the energies that ViennaRNA gives."""
    folding, n = energy.folding(model), energy.LONG + 1
    sequence = random_sequence(random.Random(1), n)
    target = "((((....))))".ljust(n, ".")
    assert folding.folds_here(n)
    assert not folding.folds_here(n - 1)
    assert folding.fold(sequence, target)[:2] == folding.own.fold(sequence)
    structure, minimum, above = folding.energies(sequence, target)
    assert folding.fold(sequence, target) == (structure, round(minimum * 100), round(above * 100))


def test_a_long_design_is_folded_by_vienna_if_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = RNA("((((((((((....))))))))))...." * 2 + "." * 960)
    with monkeypatch.context() as patch:
        patch.setattr(energy, "_minimum", only_short)
        patch.setattr(energy, "fold_seconds", lambda *_: 3600.0)
        with pytest.warns(RuntimeWarning, match="verified in part: .* about 1 h"):
            result = nestor.solve(problem, Counterexamples(), seconds=600, seed=1, threads=1)
        assert (result.solution.solved, result.verified) == (True, False)
        with pytest.raises(AssertionError, match="ViennaRNA folds"):
            result.verify()
        with pytest.raises(AssertionError, match="ViennaRNA folds"):
            nestor.solve(problem, Counterexamples(), seconds=7300, seed=1, threads=1)
        with pytest.warns(RuntimeWarning, match="verified in part"):  # though it is not solved
            nestor.solve(problem, nestor.Sampling(), playouts=1, seconds=1800, threads=1)
    result.verify()
    assert result.verified
    design: Any = result.solution
    assert design.confirm_within(result.score, 0.0) > 0
    wrong = [{"energy": design.energy - 0.1}, {"structure": "." * len(problem.target)}]
    for each in wrong:
        with pytest.raises(VerificationError):
            dataclasses.replace(design, **each).confirm_within(result.score, 0.0)
    with pytest.raises(VerificationError, match="the search said"):
        design.confirm_within(result.score - 0.1, 0.0)


def test_a_search_stops_within_a_fold_and_goes_on_with_it() -> None:
    problem = RNA(HELIX * 150)
    whole, stopped = (begin(problem, Counterexamples()) for _ in range(2))
    whole.advance(Limits(1e9, 1, 2))
    stops = 0
    while stopped.advance(Limits(1e-3, 1, 2)) == "seconds":
        stops += 1
    assert stops > 4
    assert found(stopped) == found(whole)


@pytest.mark.long
def test_jobs_that_take_turns_finish_their_folds() -> None:
    """Each takes the tables of a thread from the other one."""
    problem = RNA(HELIX * 150)
    whole, stopped = (begin(problem, Counterexamples(), jobs=2) for _ in range(2))
    whole.advance(Limits(1e9, 1, 4))
    for _ in range(100):
        if stopped.advance(Limits(1e-3, 1, 4)) != "seconds":
            break
    assert found(stopped) == found(whole)
