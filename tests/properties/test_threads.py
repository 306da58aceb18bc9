"""Threads change nothing, stop in time, and lose nothing when something fails."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from nestor import NRPA, Algorithm, solve
from nestor.problems import Kakuro, Morpion
from nestor.runs.session import Limits
from properties.table import BIASED, SEVERAL, Case, product
from support.instances import TREES, name_of
from support.own import Chosen, FailingOnce, Forbidding
from support.parts import partly
from support.searching import begin, check_threads, found, ticks_during
from support.settings import WIDE, WIDE_LEARNING, WIDE_OPTIONS

some = pytest.mark.parametrize("algorithm", [NRPA(2, 10), *WIDE], ids=Algorithm.describe)


@some
@pytest.mark.parametrize("jobs", [1, 3, 5])
def test_jobs_and_threads_within_them_change_nothing(algorithm: NRPA, jobs: int) -> None:
    """Every parallel form, and jobs of each, also on more threads than cores."""
    outcomes = []
    for threads in (1, 2, 4, 8):
        search = begin(TREES[0], algorithm, 2, jobs)
        while search.advance(Limits(0.01, threads, 2003)) != "playouts":
            pass
        outcomes.append(found(search))
    assert outcomes.count(outcomes[0]) == 4
    assert search.playouts == 2003


LONG = [
    *product([BIASED[1], BIASED[3], Morpion("4D")], [*WIDE, *WIDE_OPTIONS]),
    *product([BIASED[1], BIASED[3], BIASED[5], SEVERAL[0]], WIDE_LEARNING),
]


@pytest.mark.parametrize(
    "case",
    partly(LONG, *(case for case in LONG if not case.long)),
    ids=lambda case: f"{case.subject}: {case.algorithm}",
)
def test_threads_of_long_searches_change_nothing(case: Case) -> None:
    check_threads(lambda: case.subject.begin(case.algorithm, 2))


@pytest.mark.parametrize("policies", ["shared", "local"])
@pytest.mark.parametrize("width", [16, (1, 8, 1)])
def test_threads_reach_a_target_after_the_same_playout(width: Any, policies: Any) -> None:
    outcomes = []
    for threads in (1, 2):
        search = begin(Morpion("5D"), NRPA(3, 20, width=width, policies=policies), 2)
        assert search.advance(Limits(1000.0, threads, None, 66.0)) == "target"
        search.advance(Limits(1000.0, threads, search.playouts + 500))
        outcomes.append((search.score, search.moves, search.playouts))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("problem", [Morpion("5D"), Kakuro.generate(4, 5, 1)], ids=name_of)
def test_what_is_called_reproducible_is(problem: Any, jobs: int) -> None:
    """With a target or an optimum only one job is, whatever the threads and how often."""
    target = None if problem.optimum is not None else 62
    for seed, width in ((1, 1), (2, 4)):
        given: dict[str, Any] = {"playouts": 30_000, "target": target, "seed": seed, "jobs": jobs}
        runs = [
            solve(problem, NRPA(2, 30, width=(width, 1)), threads=threads, **given)
            for threads in (1, 1, 2, 3)
        ]
        assert {run.stop_reason for run in runs} == {"target"}
        assert {run.reproducible for run in runs} == {jobs == 1}
        if jobs == 1:
            outcomes = [(run.score, run.moves, run.playouts) for run in runs]
            assert outcomes.count(outcomes[0]) == len(outcomes)


def test_what_threads_have_found_so_far_counts() -> None:
    """A batch of long searches counts even if the clock stops it."""
    search = begin(Morpion("5D"), NRPA(4, width=(1, 1, 1, 4)), 2)
    while search.playouts < 100:
        search.advance(Limits(0.1, 2))
    assert search.score is not None
    assert search.score > 40
    assert len(search.moves) == search.score


@some
def test_a_failure_on_any_thread_loses_nothing(algorithm: NRPA) -> None:
    outcomes = []
    for threads, number in ((1, 0), (2, 40), (2, 41), (4, 200)):
        search = begin(FailingOnce("initial", number), algorithm, 1, 2)
        if number:
            with pytest.raises(RuntimeError, match="once"):
                search.advance(Limits(100.0, threads, 600))
        assert search.advance(Limits(100.0, threads, 600)) == "playouts"
        outcomes.append(found(search))
    assert outcomes.count(outcomes[0]) == 4


@pytest.mark.parametrize("algorithm", [NRPA(2, 10**6, width=16), *WIDE], ids=Algorithm.describe)
def test_a_deadline_reaches_every_thread_between_two_playouts(algorithm: NRPA) -> None:
    """Each playout sleeps: after the deadline each thread ends its own and begins no other."""

    class Slow(Forbidding):
        begun = 0

        def initial(self) -> Chosen:
            self.begun += 1
            time.sleep(0.01)
            return super().initial()

    problem = Slow()
    search = begin(problem, algorithm)
    for _ in range(5):
        before = problem.begun
        search.advance(Limits(0.0, 2, 10**9))
        assert problem.begun - before <= 2
        search.advance(Limits(0.02, 2, 10**9))


def test_a_native_search_releases_the_gil() -> None:
    search = begin(Morpion("5D"), NRPA(3))
    ticks = ticks_during(lambda: search.advance(Limits(1e9, 1, 40_000)))
    assert search.playouts == 40_000
    assert ticks > 2


def test_another_process_finds_the_same() -> None:
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
