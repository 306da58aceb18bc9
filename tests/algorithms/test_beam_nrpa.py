"""Beam NRPA: a beam of one is NRPA; what unique and diverse beams keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nestor import (
    GNRPA,
    NRPA,
    BeamNRPA,
    reference,
)
from nestor.problems import Morpion
from nestor.reference.beam_nrpa import beam_nrpa
from nestor.testing import HashTree
from support.instances import TREES, real_problems, small_tsptw
from support.searching import run


@pytest.mark.parametrize("problem", [*TREES, *real_problems()], ids=str)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_beam_of_one_that_adapts_all_is_nrpa(problem: Any, level: int) -> None:
    beam = BeamNRPA(level, 7, beam=1)
    assert run(problem, beam, 400) == run(problem, NRPA(level, 7), 400)
    warm = replace(beam, temperature=1.4, unique=True)
    assert run(problem, warm, 400) == run(problem, GNRPA(level, 7, temperature=1.4), 400)


def test_a_printed_beam_of_one_is_not_nrpa() -> None:
    tree = TREES[0]
    assert run(tree, BeamNRPA(2, 10, beam=1, adapt_all=False), 200) != run(tree, NRPA(2, 10), 200)


def test_a_number_is_the_beam_of_level_1() -> None:
    tree = TREES[1]
    assert run(tree, BeamNRPA(3, 4), 300) == run(tree, BeamNRPA(3, 4, beam=(4, 1, 1)), 300)


def test_unique_beams_have_no_sequence_twice() -> None:
    tree = HashTree(1, depth=3, branching=3)
    for unique in (False, True):
        algorithm = BeamNRPA(1, 60, beam=12, unique=unique, diversity=0)
        beam = beam_nrpa(tree, algorithm, 1, reference.Policy(), 7, [])
        sequences = [tuple(entry.moves) for entry in beam]
        assert (len(set(sequences)) == len(sequences)) == unique


@pytest.mark.parametrize("diversity", [1, 3, 6])
def test_diverse_beams_are_apart(diversity: int) -> None:
    """Any two sequences differ in at least this many codes, and the best is there."""
    problem = small_tsptw(selective=False)
    algorithm = BeamNRPA(1, 40, beam=6, diversity=diversity)
    seen: list[reference.Playout] = []
    beam = beam_nrpa(problem, algorithm, 1, reference.Policy(), 7, seen)
    codes = [{step.codes[step.chosen] for step in entry.steps} for entry in beam]
    assert all(len(a - b) >= diversity for k, a in enumerate(codes) for b in codes[:k])
    assert len(beam) > 1
    assert beam[0].score == max(playout.score for playout in seen)


def test_diversity_changes_what_is_kept() -> None:
    runs = [run(Morpion("4D"), BeamNRPA(2, 20, diversity=d), 1000) for d in (0, 1, 5)]
    assert runs[0] != runs[1] != runs[2]
