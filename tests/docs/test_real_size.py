"""The classes of the pages find the optimum at the size that people have, too."""

from __future__ import annotations

import math
import random
import re
import runpy
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest

import nestor
from support.commands import HOUR
from support.pages import ROOT, blocks


def test_separators_share_sixty_jobs_out() -> None:
    (code,) = (b for b in blocks("python", ROOT / "docs" / "local-search.md") if "all_done" in b)
    names: dict[str, Any] = {"nestor": nestor}
    exec(code, names)
    parts = [*range(15), 60, *range(15, 30), 61, *range(30, 45), 62, *range(45, 60)]
    found = nestor.solve(nestor.Order(63, names["all_done"]), playouts=2000, seed=1, initial=parts)
    assert found.score < 0.8 * names["all_done"](parts)
    assert sum(place > 59 for place in found.moves) == 3


@pytest.mark.long
def test_two_hundred_things() -> None:
    """5402 is the optimum, by dynamic programming."""
    rules = runpy.run_path(str(ROOT / "examples" / "own_problem.py"))["Knapsack"]
    best = [0] * (rules.limit + 1)
    for weight, value in zip(rules.weights, rules.values, strict=True):
        for room in range(rules.limit, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    found = nestor.solve(rules(), playouts=200_000, target=best[-1], seed=1)
    assert found.score == best[-1] == 5402


@pytest.mark.long
def test_sixty_cities_without_windows() -> None:
    """Cities on a circle: the shortest tour goes round."""
    places = [(math.cos(k * math.tau / 60), math.sin(k * math.tau / 60)) for k in range(60)]
    random.Random(1).shuffle(places)
    shortest = 60 * 2 * math.sin(math.pi / 60)
    matrix = [[math.dist(a, b) for b in places] for a in places]
    tour = nestor.solve(nestor.problems.TSPTW(matrix, [(0, 1e6)] * 60), playouts=100_000, seed=1)
    assert tour.score == pytest.approx(shortest)

    def length(order: list[int]) -> float:
        return sum(matrix[a][b] for a, b in pairwise([*order, order[0]]))

    order = nestor.solve(nestor.Order(60, length), playouts=300_000, seed=1)
    assert order.score == pytest.approx(shortest)


@pytest.mark.long
def test_a_hundred_jobs() -> None:
    """The sum of weighted ends is least in the order of weight to length (Smith 1956)."""
    names: dict[str, Any] = {}
    page = ROOT / "docs" / "local-search.md"
    for code in blocks("python", page):
        if "class Lateness" in code or "class Costed" in code:
            exec(code.partition("check_problem(")[0], names)
    draw = random.Random(1)

    jobs = tuple((draw.randint(1, 30), 0, draw.randint(1, 9)) for _ in range(100))
    ends = names["Costed"]()
    ends.jobs = jobs

    time = least = 0
    for length, _, weight in sorted(jobs, key=lambda job: job[0] / job[2]):
        time += length
        least += weight * time
    found = nestor.solve(ends, playouts=2_000_000, target=least, seed=1)
    assert found.score == least


@pytest.mark.long
@pytest.mark.parametrize("script", ["guided_tours", "guided_boards", "guided_torch"])
def test_a_network_is_better_than_the_biases_by_hand(script: str) -> None:
    """On tours and boards that it has not seen, with as many playouts."""
    if script == "guided_torch":
        pytest.importorskip("torch", reason="no extra of Nestor brings it")
    path = str(ROOT / "examples" / f"{script}.py")
    command = [sys.executable, path, "--train", "200", "--test", "200"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HOUR)
    told = re.findall(r"network better (\d+), worse (\d+)", done.stdout)
    beside = [(int(better), int(worse)) for better, worse in told[1:]]
    assert beside
    assert all(better > worse for better, worse in beside), done.stdout
