"""A search of a problem that knows its optimum stops there."""

from __future__ import annotations

import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NMCS, NRPA, Algorithm, InputError, Sampling, compare, resume, solve, solve_many
from nestor.diagnosis import diagnose
from nestor.testing import check_problem
from support.own import Subset


class Bounded(Subset):
    """The sum of the whole set is a bound that no solution reaches."""

    optimum = float(sum(Subset.values))


class Known(Subset):
    """The best sum is known."""

    optimum = 37


@pytest.mark.parametrize("algorithm", [NRPA(2, 50), NMCS(3), Sampling()], ids=Algorithm.describe)
def test_a_search_stops_at_the_optimum(algorithm: Algorithm) -> None:
    result = solve(Known(), algorithm, playouts=20_000, seed=1)
    wanted = solve(Subset(), algorithm, playouts=20_000, target=37, seed=1)
    for reached in (result, wanted):
        assert (reached.score, reached.stop_reason) == (37, "target")
    assert list(wanted.moves) == list(result.moves)
    assert result.playouts == wanted.playouts < 20_000


@pytest.mark.parametrize("known", [{"optimum": 0}, {}])
def test_a_search_whose_speed_is_measured_stops_there_too(known: dict[str, Any]) -> None:
    asked = []
    order = nestor.Order(6, lambda order: asked.append(order) or 0, **known)  # type: ignore[func-returns-value]
    result = solve(order, seconds=60, target=0, seed=1)
    assert (result.playouts, result.stop_reason) == (1, "target")
    assert len(asked) == 2, "once by the search, once to verify the best"


def test_an_optimum_that_is_not_reached_changes_nothing() -> None:
    problems = Subset(), Bounded()
    results = [solve(problem, NRPA(2, 20), playouts=300, seed=2) for problem in problems]
    assert [r.stop_reason for r in results] == ["playouts", "playouts"]
    assert results[0].moves == results[1].moves


KINDS = [np.int64(37), np.float32(37.0), Decimal(37), Fraction(37)]


@pytest.mark.parametrize("optimum", KINDS, ids=repr)
def test_the_optimum_may_be_a_number_of_any_kind(optimum: Any) -> None:
    problem = Subset()
    problem.optimum = optimum  # type: ignore[attr-defined]
    result = solve(problem, NRPA(2, 50), playouts=20_000, seed=1)
    assert (result.score, result.stop_reason) == (37, "target")
    result = solve(Subset(), NRPA(2, 50), target=optimum, seed=1)
    assert (result.score, result.stop_reason) == (37, "target")


@pytest.mark.parametrize("kind", [Decimal, Fraction, np.float32], ids=repr)
def test_the_optimum_of_functions_is_saved_as_a_number(kind: Any, tmp_path: Path) -> None:
    problem = nestor.Order(4, lambda order: kind(order[0]) + kind("0.5"), optimum=kind("0.5"))
    result = solve(problem, playouts=50, seed=1)
    assert (result.score, result.stop_reason) == (0.5, "target")
    result.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json", problem=problem).moves == result.moves


@pytest.mark.parametrize(("sense", "wrong", "right"), [("max", 1, 40), ("min", 1e9, 0)])
def test_an_optimum_that_games_beat_is_wrong(sense: str, wrong: float, right: float) -> None:
    problem: Any = Subset()
    problem.sense, problem.optimum = sense, wrong
    with pytest.raises(
        AssertionError, match=r"the score [\d.]+ is better than the optimum [\d.]+ of "
    ):
        check_problem(problem)
    with pytest.warns(RuntimeWarning, match="better than the optimum .* of .*:Subset, which is wr"):
        assert solve(problem, Sampling(), playouts=20).stop_reason == "target"
    problem.optimum = right
    check_problem(problem)
    solve(problem, Sampling(), playouts=20)


def test_rounding_beats_no_optimum() -> None:
    problem = type("Rounded", (Subset,), {"score": lambda *_: 0.1 + 0.2, "optimum": 0.3})()
    check_problem(problem)
    solve(problem, Sampling(), playouts=5)


@pytest.mark.parametrize(("sense", "by"), [("max", -4e-15), ("min", 4e-15)])
def test_an_optimum_that_rounding_misses_is_told(sense: str, by: float) -> None:
    class Rounded(Subset):
        optimum = 5.7

        def score(self, state: Any) -> float:
            return 5.7 + by * (1 if len(state) > 1 else 100)

    problem: Any = Rounded()
    problem.sense = sense
    said = (
        f"the best score {5.7 + by!r} is within 1e-9 of the optimum 5.7, but not equal, .*: round"
    )
    with pytest.warns(RuntimeWarning, match=said):
        assert solve(problem, Sampling(), playouts=50).stop_reason == "playouts"
    assert re.search(said, str(diagnose(problem, 1)))
    with warnings.catch_warnings(action="error"):
        solve(type("Less", (Known,), {"score": lambda *_: 36})(), Sampling(), playouts=50)


def test_the_optimum_must_be_a_number() -> None:
    problem = Subset()
    for wrong in ("37", True, np.bool_(True), math.nan, math.inf, 10**400):
        problem.optimum = wrong  # type: ignore[attr-defined]
        with pytest.raises(InputError, match=r"optimum of the problem must be a (finite )?number"):
            solve(problem, NRPA(2))


def test_a_target_may_be_too_large() -> None:
    with pytest.raises(InputError, match="target must be a number that a float can hold"):
        solve(Subset(), target=10**309)


@pytest.mark.parametrize(("sense", "optimum", "beyond"), [("max", 37, 38), ("min", 3, 2.5)])
def test_a_target_beyond_the_optimum_is_refused(sense: str, optimum: int, beyond: float) -> None:
    problem: Any = Subset()
    problem.sense, problem.optimum = sense, optimum
    problem.distance = lambda one, others: len(set(one) ^ set(others))
    said = f"target must not be beyond the optimum of the problem, {optimum}, not {beyond}"
    for search in (
        lambda: solve(problem, target=beyond),
        lambda: compare([problem], [Sampling()], seeds=1, playouts=5, target=beyond),
        lambda: solve_many(problem, distinct=2, playouts=5, target=beyond),
    ):
        with pytest.raises(InputError, match=said):
            search()


def test_a_resumed_run_has_no_target_beyond_the_optimum(tmp_path: Path) -> None:
    problem, path = Bounded(), tmp_path / "run.ckpt"
    solve(problem, NRPA(1, 20), playouts=5, checkpoint=path)
    with pytest.raises(InputError, match="target must not be beyond the optimum"):
        resume(path, problem=problem, target=problem.optimum + 1)


def test_a_target_as_far_as_rounding_beyond_the_optimum_is_reached() -> None:
    problem = type("Rounded", (Subset,), {"score": lambda *_: 0.3, "optimum": 0.3})()
    assert solve(problem, Sampling(), playouts=5, target=0.1 + 0.2).stop_reason == "target"
