"""TSPTW: coordinates, times of service, names and times of day."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, InputError, VerificationError
from nestor.picture import Circle, Line, Text
from nestor.problems import TSPTW
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.coordinates import on_paper
from nestor.problems.tsptw.schedule import csv_text
from nestor.testing import check_problem
from support.commands import Nestor

XY = [(0, 0), (3, 4), (6, 8), (0, 8)]
NAMES = ["Depot", "Mill", "Bakery", "Farm"]
WINDOWS = [("08:00", "09:00"), ("08:10", "08:20"), None, (None, "08:20")]


def town(**changes: Any) -> TSPTW:
    """Return an instance with everything: names, positions, service and times of day."""
    given = {"service": [3, 2, 4, 1], "names": NAMES, "label": "town", **changes}
    return TSPTW.from_coordinates(XY, WINDOWS, **given)


def test_times_are_those_of_a_clock_on_the_way() -> None:
    tour = town().solution([1, 2, 3])
    tour.verify()
    # Leaves at 08:03, reaches the mill at 08:08 and waits until 08:10, and so on.
    assert tour.visits == (
        (480, 0, 480, 483),
        (488, 2, 490, 492),
        (497, 0, 497, 501),
        (507, 0, 507, 508),
        (516, 0, 516, 516),
    )
    assert (tour.cost, tour.makespan, tour.violations) == (24, 516, (3,))
    assert tour.score == 7_000_024
    assert town(late="count").solution([1, 2, 3]).score == 1_000_024


def test_the_schedule_as_rows_and_as_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    tour = town().solution([1, 2, 3])
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = tour.frame()
    assert [row["name"] for row in rows] == ["Depot", "Mill", "Bakery", "Farm", "Depot"]
    assert [row["arrival"] for row in rows] == ["08:00", "08:08", "08:17", "08:27", "08:36"]
    assert [row["leave"] for row in rows] == ["08:03", "08:12", "08:21", "08:28", "08:36"]
    assert [row["wait"] for row in rows] == [0, 2, 0, 0, 0]
    assert [row["slack"] for row in rows] == [2, 0, 0, 0, 24]
    assert [row["late"] for row in rows] == [0, 0, 0, 7, 0]
    read = list(csv.DictReader(io.StringIO(csv_text(tour))))
    assert read[3] == {
        "order": "3",
        "stop": "3",
        "name": "Farm",
        "arrival": "08:27",
        "wait": "0",
        "start": "08:27",
        "leave": "08:28",
        "slack": "0",
        "late": "7",
    }
    plain = TSPTW(town().matrix, [(0, 100)] * 4).solution([1, 2, 3]).frame()
    assert plain[1] == {
        "order": 1,
        "stop": 1,
        "name": "1",
        "arrival": 5.0,
        "wait": 0.0,
        "start": 5.0,
        "leave": 5.0,
        "slack": 76.0,
        "late": 0.0,
    }


@pytest.mark.parametrize("seed", range(40))
def test_who_is_later_by_the_slack_makes_nobody_miss_a_window(seed: int) -> None:
    rng = np.random.default_rng(seed)
    opens = rng.integers(0, 60, 6)
    windows: list[Any] = [(a, a + b) for a, b in zip(opens, rng.integers(9, 99, 6), strict=True)]
    windows[0], windows[3] = (0, 200), [(5, 20), (40, 60), (90, 120)]
    problem = TSPTW(rng.integers(1, 25, (6, 6)), windows, service=rng.integers(0, 9, 6))
    tour = problem.solution([1, 2, 3, 4, 5])
    for row, visit in list(zip(schedule.rows(tour), tour.visits, strict=True))[1:]:
        missed = []
        for later in (row["slack"], row["slack"] + 0.5):
            here, time = row["stop"], visit.start + later
            late = {here} if time > problem.windows[here, 1] else set()
            inside = any(a < time < b for a, b in (problem.closed or [()] * 6)[here])
            for node in [*tour.order, 0][row["order"] :]:
                leg = problem.leg(here, time, node)
                late |= {node} if leg.late else set()
                here, time = node, leg.leaves
            missed.append(late - {*tour.violations})
        assert not missed[0]
        assert missed[1] or inside or tour.violations


def test_the_schedule_as_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = town().solution([1, 2, 3]).frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["late"].sum() == 7


def test_texts_have_names_and_times_of_day() -> None:
    assert (
        str(town().solution([1, 2, 3]))
        == """\
town: 1 of 3 windows missed, 7.0 min late in all; cost 24.0 min, back at 08:36
Late: Farm 7.0 min.
It can begin service as late as 08:02, and leave at 08:05: that adds no
  lateness, and the tour ends no later.

Tour, by the numbers in column stop:
  0 1 2 3 0

name    order  stop  earliest  latest  arrival  wait  leave  late
Depot       0     0                                   08:03
Mill        1     1     08:10   08:20    08:08     2  08:12
Bakery      2     2                      08:17        08:21
Farm        3     3             08:20    08:27        08:28     7
Depot       4     0             09:00    08:36"""
    )
    closed = town(names=["a", "b", "c", "d"], speed=0.1)
    assert str(closed.impossible[0]) == (
        "stop 1 (b) closes at 08:20, the earliest possible arrival there is 08:53"
    )


def test_service_apart_is_the_same_search_as_service_in_the_matrix() -> None:
    rng = np.random.default_rng(1)
    xy = rng.integers(0, 50, (12, 2))
    starts = rng.integers(0, 300, 12)
    windows = np.stack([starts, starts + 150], axis=1)
    windows[0] = 0, 1000
    apart = TSPTW.from_coordinates(np.round(xy), windows, service=10, metric=_taxi)
    together = TSPTW(apart.durations, windows, late="time")
    for objective in ("cost", "makespan"):
        results: list[Any] = [
            nestor.solve(TSPTW.from_dict({**p.to_dict(), "objective": objective}), NRPA(2, 20))
            for p in (apart, together)
        ]
        one, other = results
        assert one.moves == other.moves
        assert one.solution.arrivals == other.solution.arrivals
        assert one.score == other.score - (110 if objective == "cost" else 0)
        assert one.solution.score == one.score
    check_problem(apart)
    check_problem(town())


def _taxi(one: tuple[float, float], other: tuple[float, float]) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def test_the_verifier_knows_service() -> None:
    tour = town().solution([1, 2, 3])
    without = TSPTW.from_coordinates(XY, WINDOWS)
    object.__setattr__(tour, "instance", without)
    with pytest.raises(VerificationError, match="makespan is"):
        tour.verify()


def test_metrics() -> None:
    windows = [(0, 100)] * 2
    paris_london = [(48.8566, 2.3522), (51.5074, -0.1278)]
    matrix = TSPTW.from_coordinates(paris_london, windows, metric="haversine").matrix
    assert matrix[0, 1] == matrix[1, 0] == pytest.approx(343.56, abs=0.01)
    assert TSPTW.from_coordinates([(1, 1), (4, 5)], windows, speed=10).matrix[0, 1] == 0.5
    assert TSPTW.from_coordinates([(1, 1), (4, 5)], windows, metric=_taxi).matrix[0, 1] == 7


def test_what_is_left_open_is_no_limit() -> None:
    problem = TSPTW.from_coordinates(XY, [None] * 4, service=5)
    assert problem.solution([2, 1, 3]).feasible
    open_ends = TSPTW.from_coordinates(XY, [(0, 99), None, (1, None), None])
    assert open_ends.windows[0, 1] == 99
    assert (open_ends.windows[1:, 1] >= 99 + open_ends.matrix.max(axis=1).sum()).all()


def test_a_stop_without_limit_is_not_late_after_the_depot_has_closed() -> None:
    problem = TSPTW.from_coordinates(XY, [(0, 10), None, (0, 1), None], service=30, late="time")
    tour = problem.solution([1, 2, 3])
    assert tour.violations == (2, 0)
    assert [row["slack"] for row in tour.frame().to_dict("records")] == [0.0] * 5


def test_a_city_without_limit_may_open_after_the_depot_has_closed() -> None:
    problem = TSPTW.from_coordinates(XY, [(0, 10), (20, None), (60, None), None])
    assert problem.windows[:, 0].tolist() == [0, 20, 60, 0]
    for order in ([1, 2, 3], [3, 2, 1]):
        assert {1, 2}.isdisjoint(problem.solution(order).violations)


def test_all_of_it_is_kept_in_files(tmp_path: Path) -> None:
    result = nestor.solve(town(), NRPA(1, 20))
    result.save(tmp_path / "run.json")
    loaded = nestor.Result.load(tmp_path / "run.json")
    loaded.verify()
    problem: Any = loaded.problem
    assert problem == town()
    assert problem.names == tuple(NAMES)
    assert np.array_equal(problem.positions, XY)
    assert problem.clock
    assert str(loaded.solution) == str(result.solution)
    assert town().digest != town(names=["other"] * 4).digest


def test_instances_without_all_this_are_as_before() -> None:
    problem = TSPTW([[0, 3], [3, 0]], [(0, 20), (0, 20)])
    assert set(problem.to_dict()) == {"label", "matrix", "windows", "selective", "objective"}
    text = (
        '{"matrix":[[0.0,3.0],[3.0,0.0]],"objective":"cost","selective":true,'
        '"windows":[[0.0,20.0],[0.0,20.0]]}'
    )
    assert problem.digest == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"xy": [(0, 0), (1, 2, 3)]}, "xy must have rows of equal length"),
        ({"xy": [0, 1, 2]}, r"xy must be of shape \(n, 2\), n from 2 to 2000, not \(3,\)"),
        ({"xy": [(0, 0), (0, float("nan"))]}, "xy: the y of stop 1 must be from"),
        ({"xy": [(0, 0), (91, 0)], "metric": "haversine"}, "xy: the latitude of stop 1"),
        ({"metric": "manhattan"}, "metric must be"),
        ({"metric": lambda a, b: -1}, r"metric\(.*\) must be a number from 0"),
        ({"metric": lambda a, b: "far"}, r"metric\(.*\) must be a number from 0"),
        ({"speed": 0}, "speed must be positive"),
        ({"speed": "fast"}, "speed must be a number"),
        ({"speed": "40 km/h"}, "40 km/h needs times of day"),
        ({"service": [1]}, "service must be a number or 2 numbers"),
        ({"service": -1}, "service must be 0 to 1e"),
        ({"service": [0, -1]}, "service: that of stop 1 must be from 0"),
        ({"names": ["a"]}, "names must be 2"),
        ({"names": ["a", ""]}, "names: that of stop 1 must not be empty"),
        ({"names": ["a", 3]}, "names: that of stop 1 must be a string"),
        ({"windows": [("8 xm", "09:00"), None]}, "windows: stop 0: '8 xm' is not a time"),
        (
            {"windows": [("08:00", "18:00"), (9, 10)], "names": ["Home", "Mill"]},
            r"windows: stop 1 \(Mill\): 9 is a number where other times are HH:MM",
        ),
        ({"windows": [("08:00", "18:00"), [("8:30", 9), (10, None)]]}, "stop 1: 9 is a number"),
        ({"windows": [(0, 1, 2), None]}, "stop 0 must have two times"),
        ({"windows": None}, "windows must"),
        ({"windows": [(0, 9), (float("inf"), None)]}, "windows: the window of stop 1 must open"),
        ({"windows": [(0, 9), ([], None)]}, "stop 1: each window must have two"),
        ({"windows": [(0, []), (1, None)]}, "stop 0: each window must have two"),
        ({"windows": [(5, 1), None]}, "closes at 1, before it opens at 5"),
    ],
)
def test_bad_arguments_are_refused(changes: dict[str, Any], message: str) -> None:
    given = {"xy": [(0, 0), (3, 4)], "windows": [(0, 9), (0, 9)], **changes}
    with pytest.raises(InputError, match=message):
        TSPTW.from_coordinates(given.pop("xy"), given.pop("windows"), **given)


def test_what_is_hardly_meant_is_warned_of() -> None:
    windows = [(0, 9)] * 3
    with pytest.warns(RuntimeWarning, match="'A' is the name of stop 1 and of stop 2: name these"):
        TSPTW(np.ones((3, 3)) - np.eye(3), windows, names=["D", "A", "A"])
    with pytest.warns(RuntimeWarning, match="from stop 0 to itself it has 5, which is ignored: se"):
        TSPTW([[5, 9], [9, 5]], windows[:2])
    with pytest.warns(RuntimeWarning, match="from stop 0 to itself it has 15, which is ignored"):
        TSPTW([[15, 9], [9, 16]], windows[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TSPTW(np.array([[99, 9], [9, np.inf]]), windows[:2])


def test_positions_fit_the_matrix() -> None:
    with pytest.raises(InputError, match=r"positions must be of shape \(2, 2\)"):
        TSPTW([[0, 1], [1, 0]], [(0, 9)] * 2, positions=[(0, 0)] * 3)


def test_the_command(run: Nestor) -> None:
    lines = ["name,lat,lon,ready,due,service", "Depot,48.8,2.3,08:00,18:00,0"]
    lines += ["Mill,48.9,2.3,09:00,10:00,10", "Farm,48.8,2.4,,11:00,5"]
    Path("stops.csv").write_text("\n".join(lines))
    done = run(
        "solve", "tsptw", "stops.csv", "--speed", "0.5", "--playouts", "50", "--csv", "t.csv"
    )
    assert done.code == 0
    assert "back at" in done.out
    assert "Mill" in done.out
    rows = list(csv.DictReader(io.StringIO(Path("t.csv").read_text())))
    assert [rows[0]["name"], rows[-1]["name"]] == ["Depot", "Depot"]


def test_pictures_have_names_and_true_positions() -> None:
    tour = town().solution([1, 2, 3])
    shapes = tour.picture().shapes
    texts = {shape.text for shape in shapes if isinstance(shape, Text)}
    assert {"Depot", "Mill", "Farm", "1 Mill", "3 Farm", "08:00", "service"} <= texts
    assert "map found from distances" not in texts
    discs = [shape for shape in shapes if isinstance(shape, Circle) and shape.edge == "white"]
    mill, bakery, farm = discs
    # North is up, and both axes have one scale.
    assert mill.x < bakery.x
    assert mill.y > bakery.y == farm.y
    assert (bakery.x - mill.x) / 3 == pytest.approx((mill.y - bakery.y) / 4)
    red = {type(shape) for shape in shapes if "#d62839" in vars(shape).values()}
    assert red == {Circle, Line, Text}
    assert farm.fill == "#d62839"


def test_latitudes_are_drawn_with_the_north_up() -> None:
    spots = on_paper(np.array([(60.0, 179.0), (62.0, -179.0)]), geographic=True)
    (x0, y0), (x1, y1) = spots.tolist()
    assert x1 - x0 == pytest.approx(2 * np.cos(np.radians(61)))
    assert y1 - y0 == -2


@pytest.mark.parametrize("count", range(4))
def test_a_part_of_a_tour_is_drawn(count: int) -> None:
    tour = town().part([1, 2, 3][:count])
    assert tour.complete is (count == 3)
    assert len(tour.visits) == count + 1 + tour.complete
    assert len([s for s in tour.picture().shapes if isinstance(s, Line) and s.arrow]) == len(
        tour.legs
    )
    assert str(tour)
    with pytest.raises(InputError, match="of them different"):
        town().part([1, 1])
    if not tour.complete:
        assert f"{count} of 3 stops" in tour.headline()
        with pytest.raises(VerificationError):
            tour.verify()


def test_a_speed_that_nobody_drives_is_told() -> None:
    places, day = [(48.1, 11.5), (48.2, 11.6)], [("08:00", "18:00")] * 2
    with pytest.raises(InputError, match=r"are 2400 km/h.*give 0.6667, or '40km/h', for 40 km/h"):
        TSPTW.from_coordinates(places, day, metric="haversine", speed=40)
    slow, *named, fast = (
        TSPTW.from_coordinates(places, day, metric="haversine", speed=speed)
        for speed in (40 / 60, "40 km/h", "40 kmh", "40kph", "40 km / h", "900km/h")
    )
    assert all(slow == each for each in named)
    assert fast.speed == pytest.approx(15)
    with pytest.warns(RuntimeWarning, match="no leg takes a whole minute"):
        TSPTW.from_coordinates([(0, 0), (3, 4)], day, speed=40)


@pytest.mark.parametrize(
    ("speed", "latest", "told"),
    [
        (30, 1080, "1800 km/h if times up to 1080 are minutes: .* give 0.5 for 30 km/h"),
        (None, 64800, "3600 km/h if times up to 64800 are seconds: .* give 0.008333 for 30 km/h"),
        (0.5, 1080, None),
        (30, 18, None),
        (None, 1080, None),
        (30, None, None),
    ],
)
def test_a_speed_that_nobody_drives_is_told_for_times_without_a_unit(
    speed: float | None, latest: float | None, told: str | None, tmp_path: Path
) -> None:
    (path := tmp_path / "stops.csv").write_text(
        f"lat,lon,ready,due\n48.1,11.5,0,{latest or ''}\n48.2,11.6,,\n"
    )
    places, windows = [(48.1, 11.5), (48.2, 11.6)], [(0, latest), None]
    more: Any = {} if speed is None else {"speed": speed}
    for from_file in (True, False):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if from_file:
                TSPTW.read(path, **more)
            else:
                TSPTW.from_coordinates(places, windows, metric="haversine", **more)
        found = [str(each.message) for each in caught]
        assert len(found) == (told is not None)
        assert told is None or re.search(told, found[0])
