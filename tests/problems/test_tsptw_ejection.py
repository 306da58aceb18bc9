"""No more windows are missed than must be."""

from __future__ import annotations

import random
from itertools import pairwise, permutations

import pytest

from nestor import GNRPA, NRPA, solve
from nestor.problems import TSPTW
from support.searching import compare

POLISHED = GNRPA(2, (5, 50), polish=True)

pytestmark = pytest.mark.filterwarnings("ignore:no solution can meet everything")


def spoiled(rng: random.Random, cities: int) -> TSPTW:
    """Return cities with windows at random; the depot may close too early."""
    matrix = [[rng.randrange(1, 20) for _ in range(cities + 1)] for _ in range(cities + 1)]
    opens = [0, *(rng.randrange(8 * cities) for _ in range(cities))]
    windows = [(first, first + rng.randrange(12)) for first in opens]
    return TSPTW(matrix, [(0, rng.randrange(8 * cities, 16 * cities)), *windows[1:]])


def missed(problem: TSPTW, order: tuple[int, ...]) -> int:
    """Return how many windows a tour misses."""
    time, late = 0.0, 0
    for origin, node in pairwise((0, *order, 0)):
        time += problem.matrix[origin][node]
        earliest, latest = problem.windows[node]
        late += bool(time > latest)
        time = max(time, earliest)
    return late


@pytest.mark.parametrize("seed", range(8))
def test_as_many_as_in_the_best_of_all_tours(seed: int) -> None:
    problem = spoiled(random.Random(seed), 6)
    fewest = min(missed(problem, order) for order in permutations(range(1, 7)))
    assert 0 < fewest < 7
    assert solve(problem, POLISHED, playouts=10_000).score // 1e6 == fewest


@pytest.mark.parametrize("seed", [1, 2])
def test_one_of_a_group_that_must_be_served_at_the_same_time(seed: int) -> None:
    rng = random.Random(seed)
    points = [(rng.randrange(100), rng.randrange(100)) for _ in range(61)]
    matrix = [[abs(a - c) + abs(b - d) + 1 for c, d in points] for a, b in points]
    windows, time = [(0, 10**5)] * 61, 0
    tour = rng.sample(range(1, 61), 60)
    for origin, city in pairwise([0, *tour]):
        time += matrix[origin][city]
        windows[city] = (max(0, time - rng.randrange(200)), time + rng.randrange(200))
        if city % 20 == 0:
            windows[city] = (time, time)
    for city in (1, 2, 3, 4, 5):
        windows[city] = windows[20 * (1 + city % 3)]
    problem = TSPTW(matrix, windows)
    found = solve(problem, POLISHED, playouts=200_000, target=5_010_000)
    assert found.score // 1e6 == 5


@pytest.mark.parametrize("seed", range(3))
def test_the_twin_makes_room_for_the_same_cities(seed: int) -> None:
    problem = spoiled(random.Random(100 + seed), 8)
    best = compare(problem, NRPA(2, (3, 4), polish=True, tries=1))
    assert best.score < -1e6
