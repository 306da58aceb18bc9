"""Reasons to stop besides the budget, and who is told of new best solutions."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nestor
from nestor import NRPA, FirstSolved, InputError, NoImprovement, Sampling, VerificationError, solve
from nestor.problems import LatinSquare, Morpion
from nestor.problems.base import Solution
from nestor.runs.session import Limits
from nestor.runs.stopping import Watch
from support.instances import small_tsptw
from support.own import Interrupting, Subset

GAME = Morpion("4D")
SQUARE = LatinSquare([[1, 2, 3, 4], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize("algorithm", [NRPA(2, 12), NRPA(1, 50, width=4), Sampling()])
@pytest.mark.parametrize("jobs", [1, 3])
def test_playouts_without_improvement_end_the_run_at_the_same_place(
    algorithm: Any, jobs: int
) -> None:
    one, two = (
        solve(
            GAME,
            algorithm,
            stop=NoImprovement(playouts=200),
            jobs=jobs,
            threads=threads,
            seed=2,
            callback=lambda progress: None,
        )
        for threads in (1, 2)
    )
    assert (one.score, one.moves, one.playouts) == (two.score, two.moves, two.playouts)
    assert one.stop_reason == "no_improvement"
    assert one.reproducible
    assert one.options == {"stop": "NoImprovement(playouts=200)"}
    last = one.improvements[-1].playouts
    assert one.playouts == jobs * (last + -(-200 // jobs))


def test_with_islands_and_through_a_checkpoint(tmp_path: Path) -> None:
    given: dict[str, Any] = {"jobs": 3, "exchange": 70, "seed": 2, "stop": NoImprovement(None, 600)}
    whole = solve(GAME, NRPA(2, 12), **given)
    path = tmp_path / "run.ckpt"
    solve(GAME, NRPA(2, 12), playouts=301, checkpoint=path, **given)
    resumed = nestor.resume(path, seconds=1000, stop=given["stop"])
    assert (resumed.moves, resumed.playouts) == (whole.moves, whole.playouts)
    assert resumed.stop_reason == whole.stop_reason == "no_improvement"


def test_time_without_improvement_ends_the_run() -> None:
    result = solve(GAME, Sampling(), stop=NoImprovement(seconds=0.2), seconds=100)
    assert result.stop_reason == "no_improvement"
    assert not result.reproducible


def test_a_budget_may_come_first() -> None:
    stop = NoImprovement(playouts=10**6) | NoImprovement(seconds=1e6)
    assert solve(GAME, Sampling(), stop=stop, playouts=50).stop_reason == "playouts"
    best = solve(GAME, Sampling(), stop=stop, seconds=0.1)
    assert best.stop_reason == "seconds"
    assert best.options == {
        "stop": "NoImprovement(playouts=1000000) | NoImprovement(seconds=1000000.0)"
    }


def test_the_first_solution_that_meets_every_constraint() -> None:
    result = solve(small_tsptw(), Sampling(), stop=FirstSolved(), seconds=100)
    assert result.stop_reason == "first_solved"
    assert result.solution.solved
    either = NoImprovement(playouts=40) | FirstSolved()
    tight = small_tsptw(selective=False)
    assert solve(tight, Sampling(), stop=either).stop_reason in ("no_improvement", "first_solved")
    assert solve(SQUARE, stop=FirstSolved(), seconds=100).solution.solved
    with pytest.raises(InputError, match="stop: morpion has no constraints"):
        solve(GAME, stop=FirstSolved(), playouts=10)


@pytest.mark.parametrize("problem", [GAME, Subset(), small_tsptw()], ids=str)
def test_improvements_come_with_verified_solutions(problem: Any) -> None:
    told: list[tuple[float, Solution]] = []
    result = solve(
        problem,
        NRPA(2, 20),
        playouts=2000,
        on_improvement=lambda score, solution: told.append((score, solution)),
    )
    scores = [score for score, _ in told]
    assert scores[-1] == result.score
    assert scores == sorted(set(scores), reverse=scores[0] > scores[-1])
    for score, solution in told:
        assert isinstance(solution, Solution)
        assert solution.score == pytest.approx(score)


def test_a_slow_verifier_leaves_the_time_to_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=partial(next, count()))  # Whatever is timed takes a second.
    monkeypatch.setattr("nestor.runs.stopping.time", clock)
    told: list[float] = []
    search = SimpleNamespace(moves=[])
    watch = Watch(GAME, search, on_improvement=lambda score, _: told.append(score))
    monkeypatch.setattr(type(GAME.solution([])), "confirm_within", lambda *_: 0.0)
    for second in (1, 5, 10, 11, 12, math.inf):
        search.score = second
        watch.look(second)
    assert told == [1, 11, math.inf]


@pytest.mark.parametrize(
    ("problem", "given"),
    [
        (GAME, {"seconds": 1e-9}),
        (GAME, {"seconds": 1e-9, "workers": ThreadPoolExecutor(1)}),
        (Interrupting(), {"playouts": 100}),
    ],
    ids=["first playout", "workers", "interrupted"],
)
def test_what_the_end_of_a_run_finds_is_told(problem: Any, given: dict[str, Any]) -> None:
    told: list[float] = []

    def fail(score: float, solution: Solution) -> None:
        told.append(score)
        raise ZeroDivisionError

    late = pytest.warns(match="first playouts came back") if "workers" in given else nullcontext()
    with pytest.raises(ZeroDivisionError) as caught, late:
        solve(problem, NRPA(2, 20), on_improvement=fail, **given)
    result = caught.value.nestor_result  # type: ignore[attr-defined]
    assert (told, result.verified) == ([result.score], True)


def test_callbacks_may_end_the_run() -> None:
    for name in ("callback", "on_improvement"):
        given: dict[str, Any] = {name: lambda *_: False}
        result = solve(GAME, NRPA(3), **given)
        assert result.stop_reason == "callback"
        assert result.verified


def test_what_on_improvement_raises_comes_through_with_the_best_so_far() -> None:
    def fail(score: float, solution: Solution) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        solve(GAME, Sampling(), playouts=100, on_improvement=fail)
    assert caught.value.nestor_result.verified  # type: ignore[attr-defined]


def test_a_wrong_solution_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Solution) -> None:
        raise VerificationError("wrong")

    told: list[float] = []
    monkeypatch.setattr(type(GAME.solution([])), "verify", refuse)
    with (
        pytest.warns(RuntimeWarning, match="refused by the verifier: wrong"),
        pytest.raises(VerificationError, match="wrong"),
    ):
        solve(GAME, playouts=10, on_improvement=lambda score, _: told.append(score))
    assert told == []


def run(**given: Any) -> None:
    """Run a search with these arguments."""
    solve(GAME, **given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NoImprovement(), "NoImprovement needs seconds or playouts"),
        (lambda: NoImprovement(seconds=-1), "seconds must be positive"),
        (lambda: NoImprovement(playouts=0), "playouts must be 1"),
        (lambda: run(stop=5), "stop must be NoImprovement"),
        (lambda: run(stop=NoImprovement), "stop must be NoImprovement"),
        (lambda: run(on_improvement=5), "on_improvement must be callable"),
    ],
)
def test_wrong_input(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
    with pytest.raises(TypeError):
        FirstSolved() | make


def test_the_core_refuses_what_is_no_time_and_no_job() -> None:
    problem, algorithm = Morpion("4D").core(), NRPA(1, 5).core()
    search = problem.search(algorithm, 1, 1)
    for seconds in (math.nan, -1.0, 1e30):
        with pytest.raises(ValueError, match=r"Duration|negative"):
            search.advance(Limits(seconds, 1, 5))
    assert search.advance(Limits(1.0, 1, 5, cut=1e30)) == "playouts"
    for jobs, first in ((0, 0), (1, 2**32), (2, 2**64 - 2)):
        with pytest.raises(ValueError, match="jobs must be at least 1"):
            problem.search(algorithm, 1, jobs, first=first)
