"""Games that are played while the speed is measured, before the search: what they find counts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor.runs import choosing
from support.commands import HOUR


class Costs:
    """The costs of orders, as they were asked for; at some calls there is Ctrl-C instead."""

    def __init__(self, *interrupted: int, seconds: float = 0.0) -> None:
        self.interrupted, self.seconds = interrupted, seconds
        self.calls, self.known = 0, list[float]()

    def __call__(self, order: list[int]) -> float:
        self.calls += 1
        if self.calls in self.interrupted:
            raise KeyboardInterrupt
        time.sleep(self.seconds)
        self.known.append(float(sum(k * item for k, item in enumerate(order))))
        return self.known[-1]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the speed be measured until there were enough games, on a machine however busy."""
    monkeypatch.setattr(choosing, "MOST", HOUR)


@pytest.fixture(params=[100])
def slowly(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[int]:
    """Have the speed be that of so many games in all; the list has how many were measured."""
    measured, played = choosing._measured, list[int]()

    def slow(*given: Any) -> Any:
        search, taken, _, interrupted = measured(*given)
        played.append(search.playouts)
        return search, taken, request.param / given[1], interrupted

    monkeypatch.setattr(choosing, "_measured", slow)
    monkeypatch.setattr(choosing, "MOST", 0.02)
    return played


def solve(costs: Callable[[list[int]], float], **given: Any) -> nestor.Result:
    return nestor.solve(nestor.Order(9, costs), **{"seconds": HOUR, "jobs": 1, "seed": 1, **given})


def test_ctrl_c_while_the_speed_is_measured_returns_the_best() -> None:
    """To verify it, its score is asked for once."""
    costs = Costs(6, seconds=0.01)
    result = solve(costs)
    assert (result.stop_reason, result.verified) == ("interrupted", True)
    assert (result.playouts, costs.calls) == (5, 5 + 1 + 1)
    assert result.score == min(costs.known)


@pytest.mark.parametrize("call", [1, 3, 40])
def test_an_exception_meanwhile_is_raised_with_the_best(call: int) -> None:
    class Failing(Costs):
        def __call__(self, order: list[int]) -> float:
            if self.calls + 1 == call:
                self.calls += 1
                raise ConnectionError("the service is down")
            return super().__call__(order)

    costs = Failing(seconds=0.001)
    with pytest.raises(ConnectionError, match="is down") as raised:
        nestor.solve(nestor.Order(20, costs), seconds=HOUR / 10, seed=1, jobs=1)
    assert costs.calls <= call + 1  # The best is asked for once more.
    if call > 1:
        assert raised.value.nestor_result.score == min(costs.known)  # type: ignore[attr-defined]


def test_of_several_jobs_only_that_one_has_begun(tmp_path: Path) -> None:
    result = solve(Costs(6), jobs=2, threads=1, checkpoint=tmp_path / "run")
    assert (result.stop_reason, result.playouts, result.jobs) == ("interrupted", 5, 1)
    more = nestor.resume(tmp_path / "run", problem=nestor.Order(9, Costs()), playouts=50)
    assert more.score <= result.score


def test_a_sequence_to_begin_with_is_the_first_of_them() -> None:
    worst = list(range(9))
    result = solve(Costs(2), initial=worst)
    assert (result.stop_reason, result.playouts) == ("interrupted", 1)
    assert result.moves == worst


def test_ctrl_c_before_the_first_game_is_over_has_no_result() -> None:
    with pytest.raises(KeyboardInterrupt):
        solve(Costs(1))


def test_the_search_begins_with_the_best_of_them(slowly: list[int]) -> None:
    costs = Costs()
    result = solve(costs, target=-1.0, stop=nestor.NoImprovement(playouts=20))
    assert result.improvements[0].score == min(costs.known[: slowly[0]])
    assert result.algorithm == nestor.LocalSearch(evaluations=100)


@pytest.mark.parametrize("slowly", [100, 10**6], indirect=True)
def test_ctrl_c_before_the_search_has_played_returns_it(slowly: list[int], tmp_path: Path) -> None:
    class Interrupting(Costs):
        def __call__(self, order: list[int]) -> float:
            if slowly and not self.interrupted:
                self.interrupted = (self.calls + 1,)
            return super().__call__(order)

    costs = Interrupting()
    log = tmp_path / "log"
    result = solve(costs, jobs=2, threads=1, log=log)
    assert (result.stop_reason, result.verified) == ("interrupted", True)
    assert (result.playouts, result.score) == (slowly[0], min(costs.known))
    assert json.loads(log.read_text().splitlines()[-1])["score"] == result.score


def test_no_other_game_is_played_once_the_time_is_up() -> None:
    costs = Costs(seconds=0.02)
    result = solve(costs, seconds=0.001, jobs=2, threads=1)
    assert (result.playouts, result.jobs, costs.calls) == (1, 1, 2)
