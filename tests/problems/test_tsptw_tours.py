"""TSPTW: the verifier of tours, their texts and pictures, published tours."""

from __future__ import annotations

import csv
import dataclasses
import math
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nestor.errors import VerificationError
from nestor.picture import Circle, Line, Text
from nestor.problems.tsptw import TSPTW, Tour
from nestor.problems.tsptw.plane import places
from nestor.testing import check_problem
from support.games import random_game
from support.instances import LINE, line
from support.parts import partly


def random_tour(problem: TSPTW) -> Tour:
    return problem.solution(random_game(problem)[1])


# The verifier


def test_the_verifier_finds_every_wrong_claim() -> None:
    problem = line((1, (50, 60)), (3, (0, 10)))
    tour = problem.solution([1, 2, 3, 4])
    tour.verify()
    assert tour.violations == (3,)
    wrong: list[dict[str, Any]] = [
        {"order": (1, 2, 3)},
        {"order": (1, 2, 3, 3)},
        {"order": (1, 2, 3, 0)},
        {"order": (2, 1, 3, 4)},
        {"cost": 7.0},
        {"cost": float("nan")},
        {"makespan": 56.0},
        {"arrivals": (1.0, 51.0, 52.0, 53.0)},
        {"arrivals": (1.0, 51.0, 52.0, 52.0, 57.0)},
        {"waiting": (48.0, 0.0, 0.0, 0.0, 0.0)},
        {"violations": ()},
        {"violations": (3, 4)},
        {"violations": (3, 3)},
        {"violations": (3, 9)},
    ]
    for change in wrong:
        with pytest.raises(VerificationError):
            dataclasses.replace(tour, **change).verify()


def test_the_verifier_compares_to_the_bit() -> None:
    """No number may be the next one, and no window is missed or met by rounding."""
    matrix = np.array(LINE) * 0.1
    tour = TSPTW(matrix, [(0, 1)] * 5, service=0.3).solution([1, 2, 3, 4])
    tour.verify()
    for place, stop in enumerate(tour.arrivals):
        for other in (math.nextafter(stop, 0), math.nextafter(stop, 9)):
            arrivals = (*tour.arrivals[:place], other, *tour.arrivals[place + 1 :])
            with pytest.raises(VerificationError, match=r"arrival|makespan"):
                dataclasses.replace(tour, arrivals=arrivals).verify()
    for name in ("cost", "makespan"):
        for other in (math.nextafter(getattr(tour, name), to) for to in (0, 9)):
            wrong: dict[str, Any] = {name: other}
            with pytest.raises(VerificationError, match=name):
                dataclasses.replace(tour, **wrong).verify()
    for end, late in ((tour.arrivals[1], False), (math.nextafter(tour.arrivals[1], 0), True)):
        windows = [(0, 9), (0, 9), (0, end), (0, 9), (0, 9)]
        just = TSPTW(matrix, windows, service=0.3).solution([1, 2, 3, 4])
        just.verify()
        assert just.violations == ((2,) if late else ())
        with pytest.raises(VerificationError, match="reached too late"):
            dataclasses.replace(just, violations=() if late else (2,)).verify()


# Texts and pictures


def test_the_text_is_a_table_that_fits_a_terminal() -> None:
    text = str(line((1, (50, 60)), (3, (0, 10)), label="line").solution([1, 2, 3, 4]))
    assert (
        text
        == """\
line: cost 8, back at 57, 1 of 5 windows missed
Late: 3 42.

Tour:
  0 1 2 3 4 0

stop  earliest  latest  arrival  wait  late
   1        50      60        1    49
   2                         51
   3                10       52          42
   4                         53
   0               100       57"""
    )


def test_texts_fit_whatever_the_numbers() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 1e7, 1e12):
        matrix = rng.uniform(0, scale, (60, 60))
        starts = rng.uniform(0, 60 * scale, 60)
        problem = TSPTW(matrix, np.stack([starts, starts * 2], axis=1))
        text = str(random_tour(problem))
        assert max(map(len, text.splitlines())) <= 80


def euclidean(n: int, seed: int = 0) -> TSPTW:
    """Return an instance of points in the plane, with times of service in the rows."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 100, (n, 2))
    matrix = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    matrix[1:] += 10.0
    starts = rng.uniform(0, 30 * n, n)
    starts[0] = 0.0
    return TSPTW(matrix, np.stack([starts, starts + 200.0], axis=1))


def test_places_are_recovered_from_distances_and_service_times() -> None:
    problem = euclidean(20)
    spots = places(problem.matrix)
    assert spots is not None
    found = np.hypot(*(spots[:, None] - spots).transpose(2, 0, 1))
    expected = np.array(problem.matrix)
    expected[1:] -= 10.0
    np.fill_diagonal(expected, 0.0)
    assert np.allclose(found, expected, atol=1e-6)


def test_there_is_no_map_where_there_is_no_plane() -> None:
    rng = np.random.default_rng(3)
    assert places(rng.uniform(0, 100, (30, 30))) is None
    assert places(np.zeros((5, 5))) is None


def test_legs_without_a_way_are_no_obstacle_to_a_map() -> None:
    points = np.random.default_rng(1).uniform(0, 9, (6, 2))
    matrix = np.hypot(*(points[:, None] - points[None, :]).transpose(2, 0, 1))
    one_way = matrix.copy()
    one_way[0, 2] = one_way[3, 1] = np.inf
    assert np.array_equal(places(one_way), places(matrix))  # type: ignore[arg-type]
    one_way[2, 0] = np.inf
    assert places(one_way) is None
    for shown in (one_way, np.full((6, 6), np.inf)):
        tour = TSPTW(shown, [None] * 6).solution(range(1, 6))
        assert tour.picture().shapes


@pytest.mark.parametrize("n", [2, 3, 4, 5, 30])
def test_pictures_show_every_stop(n: int) -> None:
    tour = random_tour(euclidean(n))
    picture = tour.picture()
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    copies = 2 if n > 3 else 1
    assert all(texts.count(str(node)) >= copies for node in tour.order)
    x0, y0, x1, y1 = picture.bounds
    for shape in picture.shapes:
        if isinstance(shape, Text | Circle):
            assert x0 <= shape.x <= x1
            assert y0 <= shape.y <= y1
    red = [s for s in picture.shapes if isinstance(s, Line) and s.color == "#d62839"]
    assert len(red) >= len(tour.violations)


@pytest.mark.parametrize(
    "problem",
    [
        TSPTW(np.zeros((5, 5)), [(0, 0)] * 5),
        TSPTW(np.full((4, 4), 1e15), [(1e15, 1e15)] * 4),
        TSPTW(np.full((4, 4), 1e-300), [(0, 1e300)] * 4),
        TSPTW(np.full((4, 4), 5e-324), [(1e15, 1e300)] * 4),
    ],
)
def test_pictures_and_texts_survive_odd_numbers(problem: TSPTW) -> None:
    tour = problem.solution(range(1, problem.nodes))
    tour.verify()
    assert tour.picture().shapes
    assert str(tour)


# Published tours

SETS = ["SolomonPotvinBengio", "SolomonPesant", "Dumas", "GendreauDumasExtended"]


def instance_files(folder: Path, name: str, scratch: Path) -> dict[str, Path]:
    """Return the files of a set by their names, unpacked if necessary."""
    if not (folder / name).is_dir():
        with tarfile.open(folder / f"{name}.tar.xz") as archive:
            archive.extractall(scratch, filter="data")
        folder = scratch
    return {path.name: path for path in folder.rglob("*") if path.parent.name == name}


@pytest.mark.parametrize("name", partly(SETS, "SolomonPesant", "SolomonPotvinBengio"))
def test_best_known_tours_replay_to_their_values(data_dir: Path, tmp_path: Path, name: str) -> None:
    folder = data_dir / "tsptw"
    files = instance_files(folder, name, tmp_path)
    with (folder / f"{name}_best_tours.tsv").open() as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    assert len(rows) >= len(files)
    for instance, objective, value, order in rows:
        objective = {"travel_cost": "cost"}.get(objective, objective)
        problem = TSPTW.read(files[instance], objective=objective)
        tour = problem.solution([int(city) for city in order.split()])
        tour.verify()
        assert tour.feasible, instance
        assert tour.score == pytest.approx(float(value), abs=0.011), instance


@pytest.mark.parametrize(
    ("instance", "cost", "violations"),
    [("rc_201.1", 444.5425, 0), ("rc_201.2", 791.0734, 3), ("rc_204.1", 895.83107, 0)],
)
def test_published_runs_replay(data_dir: Path, instance: str, cost: float, violations: int) -> None:
    folder = data_dir / "tsptw" / "SolomonPotvinBengio"
    *order, depot = (folder / f"{instance}.sol").read_text().split()
    assert depot == "0"
    tour = TSPTW.read(folder / f"{instance}.txt").solution([int(city) for city in order])
    tour.verify()
    assert tour.cost == pytest.approx(cost, abs=1e-9)
    assert len(tour.violations) == violations
    assert tour.score == tour.cost + 1e6 * violations


def test_a_random_tour_of_an_instance_of_the_papers(data_dir: Path) -> None:
    problem = TSPTW.read(data_dir / "tsptw" / "SolomonPotvinBengio" / "rc_204.1.txt")
    assert problem.nodes == 46
    for bias in TSPTW.biases[1:]:
        check_problem(problem.with_bias(bias), playouts=3)
