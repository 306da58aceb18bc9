"""The core equals its Python twin to the last bit."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from nestor import GNRPA, NRPA, Algorithm, Sampling, _core, exact, reference
from nestor.algorithms import from_dict
from nestor.problems import Morpion
from nestor.testing import HashTree, check_problem
from support.instances import TREES, real_problems
from support.own import Forbidding
from support.searching import compare, running_maxima

ALGORITHMS: list[Algorithm] = [
    Sampling(),
    NRPA(level=1, iterations=60),
    NRPA(level=2, iterations=8),
    NRPA(level=4, iterations=3),
    NRPA(level=2, iterations=15, alpha=300.0),
    GNRPA(level=3, iterations=(5, 3, 4), alpha=(0.5, 1.0, 2.0), temperature=1.4),
    NRPA(level=2, iterations=10, width=4),
    GNRPA(level=3, iterations=6, width=(3, 6, 2)),
    NRPA(level=2, iterations=(10, 7), width=4, policies="local", inherit=True),
    NRPA(level=2, iterations=8, width=(1, 3), policies="local", share=False),
    GNRPA(3, 5, temperature=1.4, width=(1, 2, 1), policies="local", inherit=True),
    NRPA(level=3, iterations=(7, 4, 3), width=3, policies="local"),
    NRPA(level=2, iterations=6, width=(64, 1), policies="local", share=False, inherit=True),
    NRPA(level=2, iterations=5, alpha=300.0, width=(3, 1), policies="local"),
]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"tree{tree.root}")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_core_equals_twin_on_trees(tree: HashTree, algorithm: Algorithm) -> None:
    compare(tree, algorithm, seed=11, restarts=3)


@pytest.mark.parametrize("problem", real_problems(), ids=lambda p: f"{p.name}-{p.label}")
@pytest.mark.parametrize("algorithm", [NRPA(2, 6), GNRPA(2, 5, temperature=1.4)], ids=str)
def test_core_equals_twin_on_real_problems(problem: Any, algorithm: Algorithm) -> None:
    compare(problem, algorithm, seed=3, restarts=2)


@pytest.mark.parametrize("problem", [*real_problems(), *TREES[:2]], ids=str)
def test_conformance(problem: Any) -> None:
    check_problem(problem)


def test_exp_is_the_twins() -> None:
    rng = random.Random(0)
    for x in [
        0.0,
        -0.0,
        708.0,
        -708.0,
        709.0,
        -800.0,
        *(rng.uniform(-750, 750) for _ in range(2000)),
    ]:
        assert _core.exp(x) == exact.exp(x)
        if abs(x) < 700:
            assert math.isclose(exact.exp(x), math.exp(x), rel_tol=1e-14)


def scores_of(problem: Any, algorithm: Algorithm, seed: int, playouts: int) -> Any:
    """Return what a search of this many playouts found."""
    search = _core.Search(problem.core(), algorithm.core(), seed, 1)
    search.advance(1000.0, 1, playouts)
    return search.moves, [(p, s) for p, _, s, _ in search.improvements[0]]


@pytest.mark.parametrize("problem", [TREES[0], *real_problems()[:4], Morpion("5D")], ids=str)
def test_gnrpa_without_bias_and_temperature_is_nrpa(problem: Any) -> None:
    gnrpa = GNRPA(level=2, iterations=10, temperature=1.0, bias="none")
    assert scores_of(problem, gnrpa, 1, 300) == scores_of(problem, NRPA(2, 10), 1, 300)


def test_temperature_and_alpha_replace_each_other() -> None:
    """gnrpa-2020, section 4.2: alpha_1 = (tau_1 / tau_2)^2 alpha_2 is the same search."""
    tree = TREES[1]
    hot = GNRPA(level=2, iterations=20, temperature=2.0, alpha=4.0)
    assert scores_of(tree, hot, 1, 400) == scores_of(tree, GNRPA(2, 20), 1, 400)


def test_stopping_and_going_on_changes_nothing() -> None:
    """A search moved in many small steps ends where one long step ends."""
    tree, algorithm = TREES[2], NRPA(3, 7)
    search = _core.Search(tree.core(), algorithm.core(), 9, 1)
    for playouts in range(1, 700, 13):
        search.advance(1000.0, 1, playouts)
    search.advance(1000.0, 1, 700)
    stepped = search.moves, [(p, s) for p, _, s, _ in search.improvements[0]]
    assert stepped == scores_of(tree, algorithm, 9, 700)


WIDE = [
    NRPA(level=3, iterations=(30, 3, 3), width=(8, 2, 1)),
    NRPA(level=3, iterations=(10, 8, 3), width=(1, 4, 1)),
    GNRPA(level=3, iterations=(5, 6, 7), width=(1, 1, 3)),
    NRPA(level=2, iterations=(20, 10), width=16, policies="local", inherit=True),
    NRPA(level=3, iterations=(5, 9, 3), width=(1, 4, 1), policies="local", share=False),
]


@pytest.mark.parametrize("problem", [TREES[1], *real_problems()[:4], Morpion("4T")], ids=str)
@pytest.mark.parametrize("algorithm", WIDE, ids=str)
def test_threads_within_a_search_change_nothing(problem: Any, algorithm: NRPA) -> None:
    """Children that share a policy run on any number of threads, stopped and moved on anywhere."""
    found = []
    for threads in (1, 2, 4):
        search = _core.Search(problem.core(), algorithm.core(), 2, 1)
        for playouts in (3, 50, 51, 400):
            search.advance(1000.0, threads, playouts)
        while search.advance(0.0005, threads, 1000) != "playouts":
            pass
        improvements = [(p, s, level) for p, _, s, level in search.improvements[0]]
        found.append((search.score, search.moves, improvements, search.playouts))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("policies", ["shared", "local"])
@pytest.mark.parametrize("width", [16, (1, 8, 1)])
def test_threads_reach_a_target_after_the_same_playout(width: Any, policies: Any) -> None:
    algorithm = NRPA(3, 20, width=width, policies=policies)
    found = []
    for threads in (1, 2):
        search = _core.Search(Morpion("5D").core(), algorithm.core(), 2, 1)
        assert search.advance(1000.0, threads, None, 66.0) == "target"
        search.advance(1000.0, threads, search.playouts + 500)
        found.append((search.score, search.moves, search.playouts))
    assert found[0] == found[1]


def test_what_threads_have_found_so_far_is_told() -> None:
    """A batch of long searches that the clock stops counts all the same."""
    search = _core.Search(Morpion("5D").core(), NRPA(4, width=(1, 1, 1, 4)).core(), 2, 1)
    search.advance(0.3, 2)
    assert search.playouts > 10
    assert search.score is not None
    assert search.score > 40
    assert len(search.moves) == search.score


@pytest.mark.parametrize("jobs", [1, 3, 5])
@pytest.mark.parametrize("algorithm", [NRPA(2, 10), *WIDE], ids=str)
def test_jobs_and_threads_within_them_change_nothing(algorithm: NRPA, jobs: int) -> None:
    """Every parallel form, and jobs of each, on more threads than cores, too."""
    found = []
    for threads in (1, 2, 4, 8):
        search = _core.Search(TREES[0].core(), algorithm.core(), 2, jobs)
        while search.advance(0.01, threads, 2003) != "playouts":
            pass
        improvements = [[(p, s) for p, _, s, _ in job] for job in search.improvements]
        found.append((search.score, search.moves, improvements, search.playouts))
    assert found[0] == found[1] == found[2] == found[3]
    assert found[0][3] == 2003


class Counting:
    """Moves of a binary tree; counts its playouts and raises at one of them."""

    def __init__(self, fails_at: int) -> None:
        self.left = fails_at

    def initial(self) -> tuple[int, ...]:
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("once")
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [] if len(state) == 6 else [0, 1]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        return float(hash(state) % 1009)

    def code(self, state: tuple[int, ...], move: int) -> tuple[int, int]:
        return len(state), move


@pytest.mark.parametrize("algorithm", [NRPA(2, 10, width=4), *WIDE], ids=str)
def test_a_failing_callback_on_any_thread_loses_nothing(algorithm: NRPA) -> None:
    outcomes = []
    for threads, fails_at in ((1, -1), (2, 40), (2, 41), (4, 200)):
        problem = Counting(fails_at)
        search = _core.Search(_core.PythonProblem(problem, None), algorithm.core(), 1, 2)
        if fails_at > 0:
            with pytest.raises(RuntimeError, match="once"):
                search.advance(100.0, threads, 600)
        assert search.advance(100.0, threads, 600) == "playouts"
        outcomes.append((search.score, search.moves, found_by(search)))
    assert outcomes.count(outcomes[0]) == 4


def found_by(search: Any) -> list[list[tuple[int, float, int]]]:
    """Return the improvements of each job, without the times."""
    return [[(p, s, level) for p, _, s, level in job] for job in search.improvements]


@pytest.mark.parametrize("algorithm", [NRPA(2, 10**6, width=16), *WIDE], ids=str)
def test_a_deadline_reaches_every_thread_between_two_playouts(algorithm: NRPA) -> None:
    """Each playout sleeps: after the deadline each thread ends its own and begins no other."""

    class Slow(Counting):
        def initial(self) -> tuple[int, ...]:
            time.sleep(0.01)
            return super().initial()

    problem = Slow(-1)
    search = _core.Search(_core.PythonProblem(problem, None), algorithm.core(), 1, 1)
    for _ in range(5):
        begun = -1 - problem.left
        search.advance(0.0, 2, 10**9)
        assert -1 - problem.left - begun <= 2
        search.advance(0.02, 2, 10**9)


@pytest.mark.parametrize("forbidden", [{0}, {2}, {0, 2}, {0, 1, 2}])
def test_forbidden_moves_are_never_played_unless_all_are(forbidden: set[int]) -> None:
    problem = Forbidding(frozenset(forbidden))
    best, scores = reference.search(problem, GNRPA(2, 10), seed=1)
    search = _core.Search(_core.PythonProblem(problem, "bias"), GNRPA(2, 10).core(), 1, 1)
    search.advance(100.0, 1, len(scores))
    assert [(p, s) for p, _, s, _ in search.improvements[0]] == running_maxima(scores)
    if len(forbidden) < 3:
        assert not forbidden & set(best.moves)


def test_the_same_in_another_process() -> None:
    code = (
        "import nestor; r = nestor.solve(nestor.problems.Morpion('5D'), nestor.NRPA(2, 20),"
        "playouts=1000, seed=4); print(r.moves, r.score)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) > 100


def test_algorithms_survive_json() -> None:
    for algorithm in ALGORITHMS:
        assert from_dict(algorithm.to_dict()) == algorithm


def test_a_native_search_releases_the_gil() -> None:
    search = _core.Search(Morpion("5D").core(), NRPA(3).core(), 1, 1)
    thread = threading.Thread(target=search.advance, args=(0.5, 1))
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert search.playouts > 100
    assert ticks > 20
