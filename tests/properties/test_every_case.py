"""What holds for every problem with every algorithm: a test per property over one table."""

from __future__ import annotations

import json
import pickle

import pytest

from nestor import GNRPA, NRPA, Algorithm, BeamNRPA
from nestor.algorithms import from_dict
from nestor.problems import Morpion, SameGame
from nestor.runs.session import Limits
from properties.table import (
    DECIDED,
    FORBIDDEN,
    FORBIDDING,
    Case,
    every_case,
    product,
)
from support.searching import begin, check_threads, compare, found
from support.settings import BEAMS, EVERY, LEARNING, LEVEL_PARALLEL, NESTED, WIDE_OPTIONS

# For these the twin would take too long.
POLISHED_BY_DEFAULT = list(
    product(
        DECIDED[:3],
        [
            NRPA(2, 20, polish=True),
            NRPA(2, 20, width=(4, 1), polish=True),
            GNRPA(2, (9, 20), width=(3, 2), polish=True, force_explore=True),
            NRPA(3, (2, 3, 20), width=(1, 2, 1), polish=True),
            BeamNRPA(2, 9, beam=(2, 3), polish=True),
        ],
    )
)


@every_case
def test_core_equals_twin(case: Case) -> None:
    compare(case.subject, case.algorithm, seed=11, restarts=case.restarts)


@every_case
def test_stopped_saved_and_restored_at_every_step(case: Case) -> None:
    """Another search continues each time, from nothing but what the one before saved.

    With more threads it stops at every second or third playout.
    """
    most = 300 if case.long else 120
    wide = getattr(case.algorithm, "width", 1) != 1
    unbroken = case.subject.begin(case.algorithm, seed=9)
    unbroken.advance(Limits(1000.0, 1, most))
    for threads in (1, 2, 3) if wide else (1,):
        stepped = case.subject.begin(case.algorithm, seed=9)
        saved, codes = None, list[list[object]]()
        for playouts in range(threads, most + 1, threads):
            stepped.advance(Limits(1000.0, threads, playouts))
            restored = case.subject.begin(case.algorithm, seed=9)
            if saved is not None:
                restored.restore(saved, codes)
                assert restored.save() == saved
            restored.advance(Limits(1000.0, threads, playouts))
            saved, codes = restored.save(), restored.codes
        outcomes = [(found(s), s.counts, s.progress) for s in (unbroken, stepped, restored)]
        assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize(
    "case", POLISHED_BY_DEFAULT, ids=lambda case: f"{case.subject}: {case.algorithm}"
)
def test_polish_is_saved_and_restored_at_every_step(case: Case) -> None:
    test_stopped_saved_and_restored_at_every_step(case)


@every_case
def test_threads_change_nothing(case: Case) -> None:
    """These are the threads within a search with a width, or those that run the jobs of another."""
    jobs = 3 if getattr(case.algorithm, "width", 1) == 1 else 1
    playouts = 430 if case.subject.own else 1000
    check_threads(lambda: case.subject.begin(case.algorithm, 2, jobs), playouts)


@pytest.mark.parametrize("case", list(product(FORBIDDING, FORBIDDEN)), ids=str)
def test_forbidden_moves_are_never_played_unless_all_are(case: Case) -> None:
    forbidden = case.subject.twin.forbidden
    best = compare(case.subject, case.algorithm)
    assert len(forbidden) == 3 or not forbidden & set(best.moves)


@pytest.mark.parametrize(
    "algorithm",
    [NESTED[1], NESTED[4], NESTED[7], BEAMS[3], WIDE_OPTIONS[1], LEVEL_PARALLEL[0], LEARNING[5]],
    ids=Algorithm.describe,
)
def test_a_damaged_state_is_refused_or_searched_on(algorithm: Algorithm) -> None:
    """Nothing in a state can lead to a crash."""
    problem = SameGame(("01201", "12012", "00121")).with_bias("size")
    game = problem if algorithm in LEARNING else Morpion("4D")
    search = begin(game, algorithm, 5)
    search.advance(Limits(1000.0, 1, 40))
    (saved,) = search.save()
    refused = 0
    for place in range(0, len(saved), max(1, len(saved) // 100)):
        for flip in (1, 64, 255):
            damaged = saved[:place] + bytes([saved[place] ^ flip]) + saved[place + 1 :]
            other = begin(game, algorithm, 5)
            try:
                other.restore([damaged])
            except ValueError:
                refused += 1
            else:
                other.advance(Limits(0.01, 1, 60))
    assert refused > 10


@pytest.mark.parametrize("algorithm", EVERY, ids=Algorithm.describe)
def test_settings_survive_json_and_pickling(algorithm: Algorithm) -> None:
    assert from_dict(json.loads(json.dumps(algorithm.to_dict()))) == algorithm
    assert pickle.loads(pickle.dumps(algorithm)) == algorithm
