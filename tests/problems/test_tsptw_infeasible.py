"""TSPTW instances of which no tour meets all windows."""

from __future__ import annotations

import itertools
import random
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nestor
from nestor import GNRPA, Result
from nestor.data import find
from nestor.problems import TSPTW
from support.instances import line


def late(problem: TSPTW, order: tuple[int, ...]) -> set[int]:
    """Return the nodes that a tour reaches too late."""
    return set(problem.solution(order).violations)


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.booleans())
def test_what_is_named_no_tour_meets(seed: int, whole: bool) -> None:
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    matrix = [[rng.uniform(0, 9) for _ in range(n)] for _ in range(n)]
    windows = [(start := rng.uniform(0, 15), start + rng.uniform(0, 9)) for _ in range(n)]
    problem = TSPTW(np.rint(matrix) if whole else matrix, np.rint(windows) if whole else windows)
    tours = [late(problem, order) for order in itertools.permutations(range(1, n))]
    for impossible in problem.impossible:
        assert all(missed & set(impossible.nodes) for missed in tours), impossible.reason


def test_what_is_impossible_is_told_of_where_stops_may_be_left_out() -> None:
    times = 60.0 * (1 - np.eye(4))
    windows = [("08:00", "10:30"), None, (None, "08:30"), ("10:00", None)]
    depot, farm = "the depot closes at 10:30, the earliest possible", "stop 2 closes at 08:30, the"
    for penalty, named, told in (
        (None, [(2,), (0,)], []),
        ([None, 5, None, None], [(2,), (0,)], []),
        ([None, 5, 6, None], [(0,)], [farm]),
        ([None, None, 7, 8], [], [farm, depot]),
    ):
        problem = TSPTW(times, windows, penalty=penalty, late="time")
        assert [each.nodes for each in problem.impossible] == named
        kept = [node for node in (1, 2, 3) if problem.left_out[node] == np.inf]
        text = " ".join(str(problem.solution(kept)).split())
        assert text.count("Out of reach") == len(told)
        assert all(f"Out of reach: {each}" in text for each in told)
    assert "2 stops left out (penalties or prizes 15)" in text


@pytest.mark.filterwarnings("ignore:no solution can meet everything")
@pytest.mark.parametrize(
    "seeds", [range(200), pytest.param(range(200, 5200), marks=pytest.mark.long)], ids=len
)
def test_as_few_windows_are_missed_as_must_be(seeds: range) -> None:
    missed, worse = 0, []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7 if len(seeds) <= 200 else 9))
        opens = rng.integers(0, 60, n)
        windows = np.stack([opens, opens + rng.integers(5, 40, n)], axis=1)
        windows[0] = (0, rng.integers(50, 300))
        objective = ("cost", "makespan")[seed % 2]
        problem = TSPTW(rng.integers(1, 32, (n, n)), windows, objective=objective)
        tours = itertools.permutations(range(1, n))
        best = min(problem.solution(tour).score for tour in tours)
        found = nestor.solve(problem, playouts=3_000 if n < 7 else 12_000, seed=seed)
        assert found.score // 1e6 == best // 1e6, (seed, found.moves)
        worse += [seed] if found.score > best else []
        missed += best >= 1e6
    assert missed > len(seeds) / 4
    # Of seven or eight nodes, a few tours cost more than they must, with as few missed.
    assert len(worse) <= len(seeds) // 250, worse


def test_a_city_the_depot_and_a_pair_are_named() -> None:
    assert line().impossible == ()
    (city,) = line((3, (0, 2))).impossible
    assert city.nodes == (3,)
    assert "stop 3 closes at 2" in city.reason
    (depot,) = line((0, (0, 7))).impossible
    assert depot.nodes == (0,)
    assert "the depot closes at 7" in depot.reason
    (pair,) = line((1, (9, 9)), (4, (9, 9))).impossible
    assert pair.nodes == (1, 4)
    assert "exclude each other" in pair.reason


def test_a_stop_is_named_that_another_before_it_makes_late() -> None:
    windows = [None, (14, 15), (8, 12), None]
    matrix = 1.0 - np.eye(4)
    late = "stop 2 closes at 12, the earliest possible arrival there after stop 1 is 15"
    for before, said in (
        ([(1, 2)], [late]),
        ([(1, 3), (3, 2)], [late]),
        ([(2, 1), (3, 2)], []),
    ):
        assert [*map(str, TSPTW(matrix, windows, before=before).impossible)] == said
    matrix[[1, 3], 2] = np.inf
    (gap,) = TSPTW(matrix, [None] * 4, before=[(1, 2)], end="open").impossible
    assert (gap.nodes, str(gap)) == ((2,), "there is no way from stop 1 to stop 2")


def test_a_way_around_is_no_exclusion() -> None:
    """The direct way takes too long, the way over a third city does not."""
    matrix = [[0, 1, 1, 1], [1, 0, 50, 1], [1, 50, 0, 1], [1, 1, 1, 0]]
    problem = TSPTW(matrix, [(0, 99), (0, 9), (0, 9), (0, 9)])
    assert problem.impossible == ()


def test_they_stand_in_the_warning_the_text_and_the_file(tmp_path: object) -> None:
    problem = line((3, (0, 2)))
    with pytest.warns(RuntimeWarning, match="stop 3 closes at 2") as told:
        result = nestor.solve(problem, playouts=50)
    assert told[0].filename == __file__
    assert "No tour can meet this: stop 3 closes at 2" in str(result.solution)
    path = f"{tmp_path}/run.json"
    result.save(path)
    assert Result.load(path).solution.to_dict() == result.solution.to_dict()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_tour_that_must_be_late_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    """Through several cycles, in which stops are out and late by turns."""
    rng = np.random.default_rng(5)
    places = rng.uniform(0, 100, (30, 2))
    opens = rng.integers(0, 180, 30)
    windows = [(0, 300), *((time, time + 60) for time in opens[1:].tolist())]
    problem = TSPTW.from_coordinates(places.tolist(), windows, late="count")
    whole = nestor.solve(problem, playouts=90_000, seed=3)
    path = tmp_path / "run.ckpt"
    for playouts in (7_000, 15_000, 40_000, 90_000):
        part = nestor.solve(problem, playouts=playouts, seed=3, checkpoint=path)
    assert whole.score > 1e6
    assert (part.score, part.moves) == (whole.score, whole.moves)
    # A search that begins with a tour is no worse than it.
    assert nestor.solve(problem, playouts=200, seed=4, initial=whole).score <= whole.score


NAMES = ("rc_204.1", "rc_202.3", "rc_203.1", "rc_205.1", "rc_206.2")


def infeasible(name: str, kind: str) -> tuple[list[list[float]], list[tuple[float, float]]]:
    """Return a published instance whose windows have been made impossible to meet."""
    problem = TSPTW.read(find(f"tsptw/SolomonPotvinBengio/{name}.txt"))
    rng = random.Random(7)
    depot, *windows = map(tuple, problem.windows.tolist())
    if kind == "one":
        windows[rng.randrange(len(windows))] = (0.0, 0.5)
    elif kind == "five":
        for city in rng.sample(range(len(windows)), 5):
            windows[city] = (windows[city][0], windows[city][0] + 1)
    elif kind == "half":
        windows = [(a / 2, b / 2) for a, b in windows]
    else:
        windows = [(a, a + 0.15 * (b - a)) for a, b in windows]
    return problem.matrix.tolist(), [depot, *windows]


def chance(successes: int, failures: int) -> float:
    """Return the probability of at least so many successes if both are equally likely."""
    n = successes + failures
    return sum(comb(n, k) for k in range(successes, n + 1)) * 0.5**n


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["one", "five", "half", "narrow"])
@pytest.mark.parametrize("name", NAMES)
def test_selective_moves_miss_no_more_windows_than_all_moves(
    data_dir: object, name: str, kind: str
) -> None:
    """A sign test over 20 seeds: fewer are missed in 15 of the 20 instances, in none more.

    The other five are equal within chance: both mostly find what can be found (rc_203.1 one
    and half, rc_205.1 five), or both are far from it (rc_204.1 and rc_202.3, half). One of these
    also has a lower mean without selection, 13.8 against 13.95; over 100 seeds it is 13.99 against
    14.02.
    """
    matrix, windows = infeasible(name, kind)

    def missed(selective: bool, seed: int) -> int:
        problem = TSPTW(matrix, windows, selective=selective)
        result = nestor.solve(problem, GNRPA(3), playouts=20_000, seed=seed)
        return len(result.solution.violations)  # type: ignore[attr-defined]

    pairs = [(missed(True, seed), missed(False, seed)) for seed in range(20)]
    fewer, more = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    assert chance(more, fewer) > 0.05
    equal = {"rc_204.1": "half", "rc_202.3": "half", "rc_203.1": "one half", "rc_205.1": "five"}
    if kind not in equal.get(name, ""):
        assert chance(fewer, more) < 0.01
