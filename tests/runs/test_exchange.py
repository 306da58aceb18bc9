"""Islands: jobs that take over sequences of others, on any threads and through checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NMCS, NRPA, Algorithm, BeamNRPA, InputError, Result, Sampling, solve
from nestor.problems import Morpion
from nestor.runs.adopting import Exchange, sources_of
from support.own import Subset

GAME = Morpion("4D")
ISLANDS: dict[str, Any] = {"jobs": 4, "exchange": 150, "seed": 3}


def facts(result: Result) -> Any:
    """Return all of a result but the times."""
    found = [(i.playouts, i.job, i.score, i.level) for i in result.improvements]
    return result.score, result.moves, result.playouts, found, result.stop_reason


class Jobs:
    """Jobs that note what they take over."""

    def __init__(self, *jobs: tuple[int, float | None]) -> None:
        self.job_playouts = [playouts for playouts, _ in jobs]
        self.job_scores = [score for _, score in jobs]
        self.taken: list[tuple[int, list[str], int]] = []

    def job_moves(self, job: int) -> list[str]:
        return [f"of {job}"]

    def adopt(self, job: int, moves: list[str], strength: int) -> float:
        self.taken.append((job, moves, strength))
        return 0.0


@pytest.mark.parametrize(
    ("topology", "scores", "sources"),
    [
        ("all", [1, 3, 2, 3], [1, None, 1, None]),
        ("ring", [1, 3, 2, 3], [3, None, 1, None]),
        ("ring", [4, 3, 2, 1], [None, 0, 1, 2]),
        ("all", [2, 2], [None, None]),
        ("ring", [None, 2], [1, None]),
    ],
)
def test_who_takes_over_from_whom(
    topology: str, scores: list[float | None], sources: list[int | None]
) -> None:
    assert sources_of(scores, topology) == sources


def test_jobs_meet_where_all_have_done_equally_many() -> None:
    exchange = Exchange(100, "all")
    jobs: Any
    for jobs, until in (
        (Jobs((0, None), (0, None)), 100),
        (Jobs((100, 5), (60, 3)), 100),
        (Jobs((100, 5), (101, 5)), 200),
        (Jobs((150, 5), (150, 3)), 200),
    ):
        assert exchange.meet(jobs, None) == until
        assert jobs.taken == []
    jobs = Jobs((100, 5), (100, 3), (100, 4))
    assert exchange.meet(jobs, None) == 200
    assert jobs.taken == [(1, ["of 0"], 1), (2, ["of 0"], 1)]
    used_up: Any = Jobs((100, 3), (100, 3), (100, 5))
    exchange.meet(used_up, 301)
    assert used_up.taken == [(0, ["of 2"], 1)]


@pytest.mark.parametrize("topology", ["all", "ring"])
@pytest.mark.parametrize("algorithm", [NRPA(2, 12), NRPA(2, 8, width=4), BeamNRPA(2, 4), NMCS(1)])
def test_threads_change_nothing(algorithm: Algorithm, topology: Any) -> None:
    one, three = (
        solve(GAME, algorithm, playouts=2402, threads=threads, topology=topology, **ISLANDS)
        for threads in (1, 3)
    )
    assert facts(one) == facts(three)
    assert one.playouts == 2402
    assert one.reproducible
    assert one.options == {"exchange": {"every": 150, "topology": topology}}
    assert f"exchange every 150 playouts ({topology})" in str(one)


def test_what_one_job_finds_changes_the_others() -> None:
    alone = solve(GAME, NRPA(2, 12), jobs=4, playouts=2400, seed=3)
    islands = solve(GAME, NRPA(2, 12), playouts=2400, **ISLANDS)
    assert facts(alone) != facts(islands)
    before = [i for i in alone.improvements if i.playouts <= 150]
    assert [(i.playouts, i.score) for i in before] == [
        (i.playouts, i.score) for i in islands.improvements if i.playouts <= 150
    ]


@pytest.mark.parametrize("problem", [GAME, Subset()], ids=["morpion", "own"])
def test_a_checkpoint_anywhere_changes_nothing(problem: Any, tmp_path: Path) -> None:
    whole = solve(problem, NRPA(2, 12), playouts=1600, **ISLANDS)
    for stop in (400, 600, 603) if problem is GAME else (600,):
        path = tmp_path / f"{stop}.ckpt"
        solve(problem, NRPA(2, 12), playouts=stop, checkpoint=path, **ISLANDS)
        resumed = nestor.resume(path, problem=problem, playouts=1600)
        assert facts(resumed) == facts(whole)
        assert resumed.options == whole.options
        with pytest.warns(RuntimeWarning, match="nothing was left to do"):
            again = solve(problem, NRPA(2, 12), playouts=1600, checkpoint=path, **ISLANDS)
        assert facts(again) == facts(whole)
        with pytest.raises(InputError, match="differs in exchange"):
            solve(problem, NRPA(2, 12), jobs=4, seed=3, playouts=1600, checkpoint=path)


@pytest.mark.parametrize("exchange", [None, 150])
def test_a_budget_may_be_lowered(exchange: int | None, tmp_path: Path) -> None:
    given: dict[str, Any] = {**ISLANDS, "exchange": exchange, "checkpoint": tmp_path / "run.ckpt"}
    solve(GAME, NRPA(2, 12), playouts=700, **given)
    for stop in (None, nestor.NoImprovement(playouts=10**6)):
        with pytest.warns(RuntimeWarning, match="nothing was left to do"):
            lowered = nestor.resume(given["checkpoint"], playouts=100, stop=stop)
        assert (lowered.stop_reason, lowered.playouts) == ("playouts", 700)


def test_a_run_that_had_only_a_stop_needs_one_again(tmp_path: Path) -> None:
    path, stop = tmp_path / "run.ckpt", nestor.NoImprovement(playouts=60)
    solve(GAME, NRPA(1, 30), jobs=3, exchange=2, stop=stop, checkpoint=path)
    with pytest.raises(InputError, match="exchange needs a budget"):
        nestor.resume(path, callback=lambda progress: False)
    assert nestor.resume(path, stop=stop).stop_reason == "no_improvement"
    assert nestor.resume(path, playouts=900).stop_reason == "playouts"


def test_the_clock_may_end_it_anywhere() -> None:
    result = solve(GAME, NRPA(2, 12), seconds=0.2, threads=2, **ISLANDS)
    assert result.stop_reason == "seconds"
    assert result.verified


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"exchange": 0}, "exchange must be"),
        ({"exchange": 2.5}, "exchange must be an integer"),
        ({"topology": "star"}, "topology must be"),
        ({"topology": "ring", "exchange": None}, "topology has no effect"),
        ({"jobs": 1}, "exchange needs several jobs"),
        ({"playouts": None}, "exchange needs a budget"),
        ({"algorithm": Sampling()}, "sampling has no level"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, Any], message: str) -> None:
    asked = {"algorithm": NRPA(2, 12), "playouts": 400, **ISLANDS, **given}
    with pytest.raises(InputError, match=message):
        solve(GAME, **asked)
