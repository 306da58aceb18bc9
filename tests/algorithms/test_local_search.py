"""Local search: what it promises of every kind of problem, and of tours."""

from __future__ import annotations

import csv
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import nestor
from golden.instances import INSTANCES
from nestor import GNRPA, NRPA, Algorithm, InputError, LocalSearch, Race, Result, resume, solve
from nestor.problems import TSPTW, Morpion
from nestor.runs.session import Limits
from support.instances import line, small_tsptw
from support.own import Subset
from support.searching import begin, check_threads, found, improvements

pytestmark = pytest.mark.filterwarnings("ignore:no solution can meet everything")

LATE = line((1, (0, 0)), (2, (4, 4)))
"""Two windows of it must be missed."""

KINDS: list[Any] = [
    small_tsptw(),
    small_tsptw(objective="makespan"),
    LATE,
    TSPTW([[0, 3], [4, 0]], [(0, 9), (1, 2)]),
    TSPTW([[0, 0], [0, 0]], [(0, 0), (0, 0)]),
]
"""A problem of every kind, and what is special."""

every_kind = pytest.mark.parametrize("problem", KINDS, ids=lambda problem: problem.label or "line")


@every_kind
def test_stopped_saved_and_restored_anywhere(problem: Any) -> None:
    """Another search continues each time, from nothing but what the one before saved."""
    unbroken = begin(problem, LocalSearch(), 9)
    unbroken.advance(Limits(1000.0, 1, 300))
    saved = None
    for playouts in (*range(1, 60), *range(61, 300, 13), 300):
        restored = begin(problem, LocalSearch(), 9)
        if saved is not None:
            restored.restore(saved)
            assert restored.save() == saved
        restored.advance(Limits(1000.0, 1, playouts))
        saved = restored.save()
    assert (found(unbroken), unbroken.progress) == (found(restored), restored.progress)


def test_a_tour_combined_from_two_is_scored_at_once_and_saved_before() -> None:
    rng, clock, last = random.Random(1), 0, 0
    points = [(rng.randrange(100), rng.randrange(100)) for _ in range(300)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    windows = [(0, 10**6)] * 300
    for stop in sorted(range(1, 300), key=lambda stop: (points[stop][0] // 10, points[stop][1])):
        clock, last = clock + matrix[last][stop], stop
        windows[stop] = (max(0, clock - 300), clock + 300)
    problem, saved = TSPTW(matrix, windows), None
    # The second cycle ends with playout 21,001.
    for playouts in (21_000, 21_001, 21_002, 21_100):
        search = begin(problem, LocalSearch(), 3)
        if saved is not None:
            search.restore(saved)
        search.advance(Limits(1000.0, 1, playouts))
        saved = search.save()
    assert 21_002 in [better[0] for better in improvements(search)[0]]
    whole = begin(problem, LocalSearch(), 3)
    whole.advance(Limits(1000.0, 1, 21_100))
    assert found(whole) == found(search)


@every_kind
def test_threads_change_nothing(problem: Any) -> None:
    check_threads(lambda: begin(problem, LocalSearch(), 2, 3), 1000)


@every_kind
def test_every_playout_is_evaluated_and_the_best_verifies(problem: Any, tmp_path: Path) -> None:
    result = solve(problem, LocalSearch(), playouts=500, seed=3)
    assert result.verified
    assert result.playouts == result.evaluated == 500
    result.save(tmp_path / "run.json")
    assert Result.load(tmp_path / "run.json").evaluated == 500


@every_kind
def test_what_comes_from_outside_is_never_lost(problem: Any) -> None:
    search, other = begin(problem, LocalSearch(), 1), begin(problem, LocalSearch(), 2)
    other.advance(Limits(1000.0, 1, 400))
    assert other.score is not None
    search.advance(Limits(1000.0, 1, 1))
    search.adopt(0, list(other.moves), 1)
    search.advance(Limits(1000.0, 1, 50))
    assert search.score is not None
    assert search.score >= other.score


RACED = Race([GNRPA(2, 5), NRPA(1, 20)], 10, improve_every=12)
IMPROVED = (
    "tsptw",
    "order",
    "set",
    "crossword",
    "latin-hard",
    "kakuro-pruned",
    "samegame",
    "rna-never",
)


@pytest.mark.parametrize("algorithm", [LocalSearch(), LocalSearch(evaluations=7), RACED])
@pytest.mark.parametrize("name", IMPROVED)
def test_the_improver_of_any_problem_runs_alone_and_in_races(
    name: str, algorithm: Algorithm, tmp_path: Path
) -> None:
    if "rna" in name:
        pytest.importorskip("RNA")
    problem, path = INSTANCES[name](), tmp_path / "run.ckpt"
    whole = solve(problem, algorithm, playouts=45, seed=1, jobs=1)
    assert whole.verified
    if algorithm == RACED and whole.playouts == 45:
        assert whole.evaluated == 9
    solve(problem, algorithm, playouts=min(17, whole.playouts), seed=1, jobs=1, checkpoint=path)
    again = resume(path, problem=problem, playouts=45)
    assert (again.score, again.moves) == (whole.score, whole.moves)
    assert (again.playouts, again.evaluated) == (whole.playouts, whole.evaluated)


def random_days(count: int) -> list[TSPTW]:
    """Return tours of up to seven stops, in some of which windows must be missed."""
    rng = random.Random(8)
    days = []
    for number in range(count):
        n = rng.randint(2, 7)
        matrix = [[rng.randint(0, 20) for _ in range(n)] for _ in range(n)]
        opens = [rng.randint(0, 60) for _ in range(n)]
        windows = [(0, 150), *((start, start + rng.randint(0, 50)) for start in opens[1:])]
        objective = "cost" if number % 2 else "makespan"
        days.append(TSPTW(matrix, windows, objective=objective))
    return days


def test_small_tours_are_the_best_of_all() -> None:
    """With all windows met, or as few missed as can be."""
    for problem in random_days(60):
        cities = range(1, problem.nodes)
        tours = [problem.solution(order) for order in permutations(cities)]
        result = solve(problem, LocalSearch(), playouts=3000, seed=1)
        best = min(tour.score for tour in tours)
        assert result.score // 1e6 == best // 1e6
        assert best >= 1e6 or result.score == best


@pytest.mark.parametrize("name", ["SolomonPotvinBengio", "SolomonPesant"])
def test_published_tours_are_the_best_known(data_dir: Path, name: str) -> None:
    with (data_dir / "tsptw" / f"{name}_best_known.csv").open() as file:
        known = {row["instance"]: float(row["recomputed_cost"]) for row in csv.DictReader(file)}
    for instance, cost in known.items():
        problem = TSPTW.read(data_dir / "tsptw" / name / instance)
        result = solve(problem, playouts=200_000, target=cost + 0.005, jobs=1, seed=1)
        assert result.stop_reason == "target", (instance, result.score)
        assert result.solution.solved


def many_stops(width: float, count: int = 300) -> TSPTW:
    """Return stops in a spiral of legs, whose windows a tour by number meets."""
    points = [(k * k * 37 % 211, k * 53 % 197) for k in range(count + 1)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]
    times = [0.0]
    for k in range(count):
        times.append(times[-1] + matrix[k][k + 1])
    opens = [max(0.0, time - k * 29 % width) for k, time in enumerate(times)]
    return TSPTW(matrix, [(0, 1e6), *((time, time + width) for time in opens[1:])])


@pytest.mark.parametrize("width", [100, 2000])
def test_no_window_of_many_stops_is_missed(width: float) -> None:
    result = solve(many_stops(width), LocalSearch(), playouts=3000, seed=1)
    assert result.solution.solved


def test_it_goes_on_for_as_long_as_it_may() -> None:
    """Without a budget it ends with a cycle; with one it goes on from there."""
    ended = solve(LATE, LocalSearch(), seed=1)
    assert ended.stop_reason == "finished"
    longer = solve(LATE, LocalSearch(), playouts=ended.playouts + 5000, jobs=1, seed=1)
    assert longer.playouts == ended.playouts + 5000
    assert longer.score <= ended.score


def test_a_problem_must_have_an_improver() -> None:
    for problem in (Subset(), Morpion("4D")):
        with pytest.raises(InputError, match="local_search is for problems with an improver"):
            solve(problem, LocalSearch(), playouts=10)


def test_settings_of_older_versions_are_named_and_their_files_load() -> None:
    with pytest.raises(InputError, match=r"candidates is no longer a setting: .*LocalSearch"):
        nestor.NRPA(2, 5, polish=True, candidates=3)  # type: ignore[call-arg]
    older = {**nestor.NRPA(2, 5).to_dict(), "candidates": 12, "pool": 10, "stretch": 50}
    assert nestor.algorithms.from_dict(older) == nestor.NRPA(2, 5)
