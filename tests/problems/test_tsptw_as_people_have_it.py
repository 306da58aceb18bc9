"""Stops, windows and matrices in the forms that people have, and yesterday's tour."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
import unicodedata
import warnings
from datetime import date, datetime, time, timedelta, timezone
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError
from nestor.cli import main
from nestor.picture import Box, Circle, Line, Text
from nestor.problems import TSPTW, tsptw
from nestor.problems.tsptw import geojson, schedule
from nestor.problems.tsptw.draw import WINDOW, draw
from nestor.problems.tsptw.solution import Tour
from nestor.testing import check_problem
from support.commands import Nestor

NAMES = ("Depot", "Mill", "Bakery", "Farm")
TIMES = np.array([[0, 7, 9, 8], [6, 0, 5, 4], [9, 5, 0, 3], [8, 4, 3, 0]], float)
STOPS = "name,ready,due,service\nDepot,08:00,18:00,\nMill,09:00,,10\nBakery,,12:00,5\nFarm,,,5\n"


def frames() -> list[Any]:
    return [pytest.importorskip(name) for name in ("pandas", "polars")]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def matrix_text(times: Any = TIMES, names: Any = None) -> str:
    rows = [",".join(f"{time:g}" for time in row) for row in times]
    if names is None:
        return "\n".join(rows)
    return "\n".join([",".join(["", *names]), *map(",".join, zip(names, rows, strict=True))])


def test_a_matrix_stands_alone_or_beside_the_stops(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", TIMES)
    named = written(tmp_path, "named.csv", matrix_text(names=NAMES))
    plain = written(tmp_path, "plain.csv", matrix_text())
    for path in (named, plain, tmp_path / "m.npy"):
        alone = TSPTW.read(path)
        assert alone.matrix.tolist() == TIMES.tolist()
        assert alone.names == (NAMES if path == named else None)
    stops = written(tmp_path, "stops.csv", STOPS)
    order = [0, 3, 1, 2]
    shuffled = matrix_text(TIMES[np.ix_(order, order)] * 60, [NAMES[k] for k in order])
    other = written(tmp_path, "other.csv", shuffled)
    beside = TSPTW.read(stops, matrix=other, time_unit="seconds")
    assert beside.matrix.tolist() == TIMES.tolist()
    assert beside.names == NAMES
    assert beside.windows[0].tolist() == [480, 1080]
    assert nestor.solve(beside, playouts=50, threads=1).verified


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("7", "x", "m.csv:2: column 'Mill': 'x' is not a number"),
        ("7", "-7", "m.csv:2: column 'Mill': must not be negative"),
        ("7", "", "m.csv:2: column 'Mill': a cell without a number; inf is no way"),
        ("0,7", "0,1,7", "m.csv:2: 5 numbers in a matrix of 4 rows"),
        ("\nMill", "\nMil", "m.csv:3: column 1: the rows must have the names of the columns"),
    ],
)
def test_a_wrong_matrix_is_named_with_its_line(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = matrix_text(names=NAMES).replace(old, new, 1)
    path = written(tmp_path, "m.csv", text)
    stops = written(tmp_path, "stops.csv", STOPS)
    with pytest.raises(InputError) as caught:
        TSPTW.read(stops, matrix=path)
    assert said in str(caught.value)


def test_a_matrix_that_does_not_fit_the_stops_is_named(tmp_path: Path) -> None:
    stops = written(tmp_path, "stops.csv", STOPS)
    for names, said in (
        (
            ("Depot", "Mill", "Bakery", "Farms"),
            "5: column 'name': no row of {m} is named 'Farm' (did you mean 'Farms'?)",
        ),
        (
            ("Depot", "Kiosk"),
            "3: column 'name': no row of {m} is named 'Mill', and 2 others have none",
        ),
        (
            ("Depot", "MILL", "mill", "Bakery", "Farm"),
            "3: column 'name': no row of {m} is named 'Mill' (did you mean 'mill'?)",
        ),
    ):
        path = written(tmp_path, "m.csv", matrix_text(np.zeros((len(names),) * 2), names))
        with pytest.raises(InputError) as caught:
            TSPTW.read(stops, matrix=path)
        assert str(caught.value) == f"{stops}:{said.format(m=path)}"
        frame = frames()[0].DataFrame({"name": NAMES, "due": ["18:00"] * 4})
        with pytest.raises(InputError, match=r"stops: row \d: column 'name': no row of"):
            TSPTW.from_frame(frame, matrix=path)
    nameless = written(tmp_path, "nameless.csv", STOPS.replace("name", "note"))
    path = written(tmp_path, "m.csv", matrix_text(np.zeros((5, 5)), [*NAMES, "Inn"]))
    plain = written(tmp_path, "plain.csv", matrix_text(np.zeros((5, 5))))
    small = written(tmp_path, "small.csv", matrix_text(TIMES[:3, :3]))
    fault = (
        "5 rows, and {} has 4 stops: a matrix has a row for each; of a larger one, rows are taken "
    )
    fault += "by the names of stops, which {} has not"
    for given, matrix, said in (
        (stops, plain, f"plain.csv: {fault.format(stops, plain)}"),
        (nameless, path, f"m.csv: {fault.format(nameless, nameless)}"),
        (stops, small, f"small.csv: 3 rows, and {stops} has 4 stops: a matrix has a row for each"),
    ):
        with warnings.catch_warnings(action="ignore"), pytest.raises(InputError) as caught:
            TSPTW.read(given, matrix=matrix)
        assert str(caught.value) == f"{tmp_path}/{said}"
    path = written(tmp_path, "m.csv", matrix_text())
    with pytest.warns(RuntimeWarning, match="m.csv: in seconds, most legs take less than a minute"):
        TSPTW.read(stops, matrix=path, time_unit="seconds")


def test_of_a_larger_matrix_the_rows_of_the_stops_are_taken(tmp_path: Path) -> None:
    names = ["Inn", "FARM", "Mill", "depot", "Bakery", "Kiosk"]
    order = [5, 3, 1, 0, 2, 4]
    large = np.pad(TIMES, (0, 2), constant_values=99)
    stops = written(tmp_path, "stops.csv", STOPS)
    path = written(tmp_path, "m.csv", matrix_text(large[np.ix_(order, order)], names))
    with pytest.warns(RuntimeWarning, match="m.csv: 4 of its 6 rows are used, by the names of the"):
        problem = TSPTW.read(stops, matrix=path)
    assert problem.matrix.tolist() == TIMES.tolist()
    assert problem.names == NAMES
    frame = frames()[0].DataFrame(large, columns=[*NAMES, "Inn", "Kiosk"])
    for given in (frame, frame.set_axis(frame.columns)):
        with pytest.warns(RuntimeWarning, match="matrix: 4 of its 6 rows are used"):
            assert TSPTW.read(stops, matrix=given).matrix.tolist() == TIMES.tolist()
    other = frame.rename(columns={"Mill": "Farm", "Farm": "Mill"})
    with pytest.raises(InputError, match="matrix: only its columns are named, in another order"):
        TSPTW.read(stops, matrix=other)


HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': %s}"
HEADERS = {
    "not closed": HEADER[:-1] % "(2, 2)",
    "a quote": HEADER.replace("<f8'", "<f8") % "(2, 2)",
    "minus signs": "-" * 9000 + "1",
    "brackets": "(" * 9000,
    "large": HEADER % "(131072, 131072)",
    "larger": HEADER % f"({10**22}, {10**22})",
    "thousands of digits": HEADER % f"(0x{'f' * 8000}, 2)",
    "negative": HEADER % "(-1, -1)",
    "a truth value": HEADER % "(True, True)",
    "a cube": HEADER % "(2, 2, 2)",
    "cut off": HEADER % "(3, 3)",
    "objects": HEADER.replace("<f8", "|O") % "(2, 2)",
    "long floats": HEADER.replace("<f8", "<f99999999999999999999") % "(2, 2)",
    "arrays in cells": HEADER.replace("'<f8'", "('<f8', (999999, 999999))") % "(2, 2)",
    "no kind": HEADER.replace("'<f8'", "{}") % "(2, 2)",
}


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0), (9, 9)])
def test_a_damaged_file_of_numpy_is_told(
    name: str, version: tuple[int, int], tmp_path: Path
) -> None:
    header = HEADERS[name].encode()
    size = len(header).to_bytes(2 if version[0] == 1 else 4, "little")
    path = tmp_path / "m.npy"
    path.write_bytes(b"\x93NUMPY" + bytes(version) + size + header + bytes(32))
    with pytest.raises(
        InputError, match=r"m\.npy: (not an array of NumPy:|a matrix must be square, )"
    ):
        TSPTW.read(path)


def test_a_matrix_with_nan_and_a_list_of_legs_are_told(tmp_path: Path) -> None:
    np.save(tmp_path / "m.npy", np.where(TIMES == 7, np.nan, TIMES))
    stops = written(tmp_path, "stops.csv", STOPS)
    for given in (stops, None):
        with pytest.raises(InputError, match=r"m.npy: the distance from .*, not nan; inf is no w"):
            TSPTW.read(given or tmp_path / "m.npy", matrix=given and tmp_path / "m.npy")
    pairs = [(a, b, TIMES[NAMES.index(a), NAMES.index(b)]) for a in NAMES for b in NAMES if a != b]
    for header in ("from,to,seconds\n", ""):
        rows = header + "".join(f"{a},{b},{time:g}\n" for a, b, time in pairs)
        path = written(tmp_path, "legs.csv", rows)
        with pytest.raises(InputError, match=r"legs.csv:1: this looks like a list of legs: a matr"):
            TSPTW.read(stops, matrix=path)


def test_a_matrix_in_another_unit_is_told_with_its_factor(tmp_path: Path, capsys: Any) -> None:
    stops = written(tmp_path, "stops.csv", STOPS.replace(",,\n", ",17:00,5\n"))
    path = written(tmp_path, "m.csv", matrix_text(TIMES * 100, NAMES))
    with pytest.raises(InputError, match=r"a factor of 60.*time_unit='seconds'"):
        TSPTW.read(stops, matrix=path)
    assert TSPTW.read(stops, matrix=path, time_unit="minutes").matrix[0, 1] == 700
    with pytest.raises(SystemExit):
        main(["solve", "tsptw", str(stops), "--matrix", str(path)])
    said = capsys.readouterr().err
    assert "say so with --time-unit seconds, or --time-unit minutes if it is right" in said


def test_a_matrix_as_fast_as_no_vehicle_is_told_where_places_are_known(tmp_path: Path) -> None:
    table = "name,lat,lon,due\nDepot,51.3,12.3,18:00\nMill,51.4,12.4,\n"
    stops = written(tmp_path, "stops.csv", table)
    path = written(tmp_path, "m.csv", "0,20\n20,0\n")
    # Beside stops without windows, too.
    bare = written(tmp_path, "bare.csv", table.replace("18:00", ""))
    far = written(tmp_path, "far.csv", "0,0.02\n0.02,0\n")
    for given in (stops, bare):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            TSPTW.read(given, matrix=path, time_unit="seconds")
            TSPTW.read(given, matrix=path, time_unit="hours")
            TSPTW.read(given, matrix=far, time_unit="seconds")
        said = [str(each.message) for each in told]
        fast, slow, odd = (each for each in said if "km/h" in each)
        assert "m.csv: in seconds, stops are driven to at about 2,360 km/h" in fast
        assert fast.endswith("; if it is in minutes, at 39 km/h: say so with time_unit='minutes'")
        assert "in hours, stops are driven to at about 0.66 km/h" in slow
        assert odd.endswith("is the unit of time another one?")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            TSPTW.read(given, matrix=path)


@pytest.mark.parametrize(
    ("row", "column", "factor", "said"),
    [
        (2, 0, 0.01, "no vehicle: row 'Stop 2', column 'Depot': 4,003 km/h$"),
        (2, 0, 60, r"no vehicle: row 'Stop 2', column 'Depot': 0\.67 km/h$"),
        (2, 0, 0, "no vehicle: row 'Stop 2', column 'Depot': no time$"),
        # A row in seconds, and one in hours.
        (4, slice(None), 60, r"row 'Stop 4', column 'Depot': 0\.\d\d km/h; .*; and 2 more$"),
        (0, slice(None), 1 / 60, "row 'Depot', column 'Stop 5': 2,528 km/h; .*; and 1 more$"),
        # Whole minutes may be rounded, and places of short legs not be exact.
        (2, 4, 1 / 6, None),
        (1, 0, 0, None),
    ],
)
def test_legs_as_fast_or_slow_as_no_vehicle_are_named(
    row: int, column: int | slice, factor: float, said: str | None, tmp_path: Path
) -> None:
    names = ["Depot", *(f"Stop {k}" for k in range(1, 6))]
    north = [0, 0.006, 0.06, 0.08, 0.10, 0.12]
    rows = (f"{name},{51 + up},12,18:00\n" for name, up in zip(names, north, strict=True))
    stops = written(tmp_path, "stops.csv", "name,lat,lon,due\n" + "".join(rows))
    times = np.array([[round(160 * abs(a - b)) for b in north] for a in north], float)
    times[row, column] *= factor
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        TSPTW.read(stops, matrix=written(tmp_path, "m.csv", matrix_text(times)))
    texts = [str(each.message) for each in told if "vehicle" in str(each.message)]
    assert len(texts) == (said is not None)
    assert said is None or re.search(said, texts[0])


@pytest.mark.parametrize("closes", ["18:00", ""])
def test_legs_of_ten_minutes_in_seconds_are_told_from_legs_of_hours(
    closes: str, tmp_path: Path
) -> None:
    stops = written(
        tmp_path,
        "stops.csv",
        f"name,ready,due\nDepot,08:00,{closes}\nMill,,\nBakery,9:00,\nFarm,,\n",
    )
    legs = 600.0 * (1 - np.eye(4))
    path = written(tmp_path, "m.csv", matrix_text(legs, NAMES))
    with pytest.raises(InputError, match=r"too little time for the legs.*time_unit='seconds'"):
        TSPTW.read(stops, matrix=path)
    hours = written(tmp_path, "hours.csv", matrix_text(legs / 4, NAMES))
    assert TSPTW.read(stops, matrix=hours).matrix[0, 1] == 150


def test_a_matrix_beside_stops_without_windows_has_the_unit_that_is_said(tmp_path: Path) -> None:
    stops = written(tmp_path, "stops.csv", "name,service\nDepot,\nMill,10\nBakery,5\nFarm,5\n")
    path = written(tmp_path, "m.csv", matrix_text(TIMES * 60, NAMES))
    with pytest.warns(RuntimeWarning, match=r"m.csv: most legs take hours .* time_unit='seconds'"):
        TSPTW.read(stops, matrix=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        units: Any = {"seconds": 1, "minutes": 60}
        for unit, factor in units.items():
            found = TSPTW.read(stops, matrix=path, time_unit=unit)
            assert found.matrix.tolist() == pytest.approx(TIMES * factor)
        TSPTW.read(stops, matrix=written(tmp_path, "n.csv", matrix_text()))
    numbers = written(tmp_path, "numbers.csv", "name,due\nDepot,9\nMill,\nBakery,\nFarm,\n")
    with pytest.raises(InputError, match=r"times of day, or none; those of .* are numbers"):
        TSPTW.read(numbers, matrix=path, time_unit="seconds")


def test_frames_are_stops_windows_and_matrix() -> None:
    for library in frames():
        data = {
            "name": NAMES,
            "ready": [time(8), time(9), None, None],
            "due": [time(18), None, time(12), None],
            "service": [None, 10, 5, 5],
        }
        frame = library.DataFrame(data)
        problem = TSPTW.from_frame(frame, matrix=TIMES)
        assert problem.names == NAMES
        assert problem.clock
        assert problem.windows[1, 0] == 540
        assert problem.windows[2, 1] == 720
        assert problem.service is not None
        assert problem.service.tolist() == [0, 10, 5, 5]
        table = library.DataFrame(TIMES)
        pair = library.DataFrame({"ready": [0.0, 5, np.nan, 0], "due": [90.0, np.nan, 50, 40]})
        both = TSPTW(table, pair)
        assert (
            both.windows.tolist()
            == TSPTW(TIMES, [(0, 90), (5, None), (None, 50), (0, 40)]).windows.tolist()
        )
    pandas = frames()[0]
    named = pandas.DataFrame(TIMES, index=NAMES, columns=NAMES)
    assert TSPTW(named[[*reversed(NAMES)]], [None] * 4).matrix.tolist() == TIMES.tolist()
    assert TSPTW(named, [None] * 4).names == NAMES
    with pytest.raises(InputError, match="rows and columns must have the same names"):
        TSPTW(pandas.DataFrame(TIMES, index=NAMES), [None] * 4)
    with pytest.raises(InputError, match="stops: row 2: column 'due': 'soon' is not"):
        TSPTW.from_frame(pandas.DataFrame({"x": [1, 2, 3], "y": [1, 2, 3], "due": [1, 2, "soon"]}))


def test_dates_count_from_the_first_midnight() -> None:
    days = [datetime(2026, 5, 1, 22), datetime(2026, 5, 2, 1, 30)]
    problem = TSPTW(TIMES[:2, :2], [(days[0], None), (None, days[1])])
    assert problem.windows[0, 0] == 1320
    assert problem.windows[1, 1] == 1530


def test_arrays_of_dates_durations_and_texts_are_times() -> None:
    day = np.array([["2026-05-01T08:00", "2026-05-01T18:30"], ["NaT", "2026-05-02T00:10"]])
    wanted = [[480, 1110], [0, 1450]]
    for unit in ("m", "s", "us", "ns"):
        dates = TSPTW(TIMES[:2, :2], day.astype(f"datetime64[{unit}]"))
        assert dates.windows.tolist() == wanted
        assert dates.clock
    assert TSPTW(TIMES[:2, :2], np.array([["08:00", "18:30"], ["", "24:10"]])).windows.tolist() == [
        [480, 1110],
        [0, 1450],
    ]
    durations = np.array([[480, 1110], [0, 1450]], dtype="timedelta64[m]")
    assert TSPTW(TIMES[:2, :2], durations).windows.tolist() == wanted


def test_what_no_one_can_take_for_a_number_is_named_with_its_place() -> None:
    with pytest.raises(InputError, match=r"not datetime.date\(2026, 5, 1\) at \[1, 0\]"):
        TSPTW(TIMES[:2, :2], [(0, None), (date(2026, 5, 1), None)])
    with pytest.raises(InputError, match=r"matrix must be real numbers, not None at \[0, 1\]"):
        TSPTW(np.array([[0, None], [1, 0]]), [None] * 2)


def test_no_column_is_dropped_in_silence(tmp_path: Path) -> None:
    for library in frames():
        frame = library.DataFrame({"ready": [0] * 4, "due": [90] * 4, "due2": [99] * 4})
        with pytest.raises(InputError, match="and no others, not 'ready', 'due', 'due2'"):
            TSPTW(TIMES, frame)
    with pytest.warns(RuntimeWarning, match="csv:1: column 5 has no name"):
        TSPTW.read(written(tmp_path, "a.csv", "name,x,y,due,\nDepot,0,0,9,\nMill,1,1,9,7\n"))
    with pytest.warns(RuntimeWarning, match="csv:1: ignored columns: 'id'"):
        TSPTW.read(written(tmp_path, "b.csv", "id,name,x,y,due\n7,Depot,0,0,9\n8,Mill,1,1,9\n"))
    indexed = written(tmp_path, "c.csv", ",x,y,due\nDepot,0,0,9\nMill,1,1,nan\n")
    assert TSPTW.read(indexed).names == ("Depot", "Mill")


def test_distances_in_another_unit_are_warned_of() -> None:
    day = [("08:00", "10:00")] * 4
    with pytest.warns(
        RuntimeWarning, match=r"in seconds \(a factor of 60\), or in .*: if so, divide it by 60"
    ):
        TSPTW(TIMES * 60, day)
    with pytest.warns(RuntimeWarning, match=r"in hours \(a factor of 60\)"):
        TSPTW(TIMES / 60, day)
    stops = frames()[0].DataFrame({"due": [120] * 4})
    with pytest.warns(RuntimeWarning, match="divided by 60"):
        TSPTW.from_frame(stops, matrix=TIMES * 60)


def test_degrees_in_a_plane_are_warned_of(tmp_path: Path) -> None:
    places = [(48.1, 11.5), (48.2, 11.6), (48.0, 11.4)]
    day = [("8:00", "17:00"), None, ("9:00", None)]
    with pytest.warns(RuntimeWarning, match="look like latitudes and longitudes"):
        TSPTW.from_coordinates(places, day, speed="30km/h")
    text = "x,y,due\n51.5,-0.1,09:00\n51.6,0.1,10:00\n"
    with pytest.warns(RuntimeWarning, match="columns lat and lon"):
        TSPTW.read(written(tmp_path, "stops.csv", text))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TSPTW.from_coordinates(places, day, speed="30km/h", metric="haversine")
        TSPTW.from_coordinates([(0, 0), (3, 4), (2, 1)], day, speed="30km/h")
        TSPTW.from_coordinates(places, [(8, 17), None, None])


def test_a_stop_that_cannot_have_been_reached_by_now_is_told() -> None:
    day = [("07:00", "17:00"), None, ("07:20", None), None]
    asked: dict[str, Any] = {"pinned": [1, 2], "names": NAMES}
    with pytest.warns(RuntimeWarning, match=r"now: at 07:11 .* 2 \(Bakery\), .* before 07:12"):
        TSPTW(TIMES, day, now="07:11", **asked)
    for service, done in (None, "07:20"), (5, "07:25"):
        with pytest.warns(RuntimeWarning, match=rf"by its hours .* cannot be done before {done}"):
            TSPTW(TIMES, day, now="07:19", service=service, **asked)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        problem = TSPTW(TIMES, day, now="07:20", **asked)
    tour = problem.solution([1, 2, 3])
    assert "Driven already: 1 (Mill), 2 (Bakery)." in str(tour)
    assert [row["slack"] for row in schedule.rows(tour)][:3] == [0, 0, 0]


def test_a_service_without_a_value_takes_no_time() -> None:
    for given in (
        [None, 3, math.nan, 4],
        np.array([math.nan, 3, math.nan, 4]),
        *(each.DataFrame({"service": [None, 3, None, 4]})["service"] for each in frames()),
    ):
        problem = TSPTW(TIMES, [None] * 4, service=given)
        assert problem.service is not None
        assert problem.service.tolist() == [0, 3, 0, 4]


def test_stops_with_the_same_name_are_told(tmp_path: Path) -> None:
    table = written(tmp_path, "s.csv", "name,x,y,due\nD,0,0,\nA,1,1,\nB,1,2,\nA,2,2,9\n")
    with pytest.warns(RuntimeWarning, match=r"s.csv:5: column 'name': 'A' is also .*s.csv:3: n.*"):
        stops = TSPTW.read(table)
    found = nestor.solve(stops, playouts=50, threads=1)
    tour = found.solution
    assert isinstance(tour, Tour)
    found.save(tmp_path / "run.json")
    path = written(tmp_path, "tour.csv", schedule.csv_text(tour))
    frame = frames()[0].DataFrame(schedule.rows(tour))
    for own in (found, tour, frame, path, tmp_path / "run.json"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "names: 'A' is the name of stop 1 and of stop 3")
            assert dataclasses.replace(stops, previous=own, change_cost=1).previous == tour.order
            begun = nestor.solve(stops, nestor.Sampling(), initial=own, playouts=1)
        assert begun.moves == [*tour.order]
    # A table with other numbers is that of another day.
    other = TSPTW(np.ones((5, 5)), [None] * 5, names=["D", "B", "C", "A", "A"])
    names = [stops.name_of(node) for node in tour.order]
    order = [1 if name == "B" else 3 + names[:k].count("A") for k, name in enumerate(names)]
    for given in (found, frame, path, tmp_path / "run.json"):
        with pytest.warns(RuntimeWarning, match="initial: new, put where they cost least: 'C'"):
            begun = nestor.solve(other, nestor.Sampling(), initial=given, playouts=1)
        assert [node for node in begun.moves if node != 2] == order
    with pytest.raises(InputError, match="2 stops are named 'A', 3 and 4, and the tour has 1: giv"):
        nestor.solve(other, initial=["A", "B"], playouts=1)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("D,0,0,", "4: column 'name': 'D' is the depot again, and the tour returns there by"),
        ("D,0,0,9", "4: column 'name': 'D' is the depot again, and the tour returns there by"),
        ("D,0,1,", "4: column 'name': 'D' is also the name in"),
        ("A,1,1,8", "4: column 'name': 'A' is the same in everything as .*:3, and is visited"),
        ("A,1,1,9", "4: column 'name': 'A' is also the name in"),
        ("a,1,1,9", "4: column 'name': 'a' looks like 'A' in .*:3: if they are one stop, take"),
        ("d,0,0,", "4: column 'name': 'd' is the depot again, and the tour returns there by"),
        ("a,2,1,8\na,3,1,9", "5: column 'name': 'a' is also the name in .*:4"),
        ("a,2,1,8\nA,1,1,9", "5: column 'name': 'A' is also the name in .*:3"),
        ("D,0,0,\nB,3,3,", "4: column 'name': 'D' is the same in everything as"),
    ],
)
def test_rows_that_seem_to_be_there_in_vain_are_told(row: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, "s.csv", f"name,x,y,due\nD,0,0,\nA,1,1,8\n{row}\n")
    with pytest.warns(RuntimeWarning, match=said) as told:
        TSPTW.from_dict(TSPTW.read(path).to_dict())
    assert len(told) == 1


def test_capitals_of_names_matter_only_where_names_differ_in_nothing_else() -> None:
    names = ["Depot", "Mill", "mill", "Farm, old", "Inn"]
    problem = TSPTW(np.ones((5, 5)), [None] * 5, names=names, pinned="DEPOT; mill; INN", last=3)
    assert problem.pinned == (2, 4)
    assert dataclasses.replace(problem, pinned="farm, Old", last=None).pinned == (3,)
    with pytest.raises(InputError, match=r"no stop is named 'MILL' .*mean 'Mill' or 'mill'"):
        dataclasses.replace(problem, pinned="inn, MILL")
    with pytest.raises(InputError, match="2 stops are named 'a'; give its number"):
        TSPTW(np.ones((3, 3)), [None] * 3, names=["D", "A", "A"], pinned="a")


def test_accents_may_be_characters_of_their_own(tmp_path: Path) -> None:
    names = ["D\u00e9p\u00f4t", "Caf\u00e9", "Inn"]
    apart = [unicodedata.normalize("NFD", name) for name in names]
    rows = "".join(f"{name},\n" for name in names[1:])
    stops = written(tmp_path, "stops.csv", f"name,due\n{names[0]},18:00\n{rows}")
    order = [2, 0, 1]
    turned = matrix_text(TIMES[np.ix_(order, order)], [apart[k] for k in order])
    matrix = written(tmp_path, "m.csv", turned)
    problem = TSPTW.read(stops, matrix=matrix, pinned=apart[:2], last="INN")
    assert problem.matrix.tolist() == TIMES[:3, :3].tolist()
    assert (problem.pinned, problem.last) == ((1,), 2)


def test_service_in_seconds_is_told(tmp_path: Path) -> None:
    text = "x,y,due,service,penalty\n0,0,18:00,,\n1,1,,600,\n1,2,,300,\n0,1,,300,\n"
    said = "service: the stops take 1200 minutes in all, and there are 1080 from .*divide it by 60"
    with pytest.warns(RuntimeWarning, match=said):
        stops = TSPTW.read(written(tmp_path, "s.csv", text))
    with pytest.warns(RuntimeWarning, match="take 1500 minutes in all, and there are 1440 from"):
        TSPTW(TIMES, [None, None, ("8:00", None), None], service=500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TSPTW.from_dict(stops.to_dict())
        TSPTW.read(written(tmp_path, "s.csv", text.replace("600,", "600,5")))
        TSPTW(TIMES, [None] * 4, service=500)


def test_whole_numbers_are_printed_in_full() -> None:
    for least in (0, 1_700_000_000):
        windows = [None, (least, least + 57600), None, (None, least + 7e4)]
        text = str(TSPTW(TIMES, windows, late="time").solution([1, 2, 3]))
        assert f" {least + 57600} " in text
        assert f" {least + 70000} " in text
        assert "e+" not in text.partition("Tour:")[2]


def test_a_depot_that_is_not_the_first_row_is_told(tmp_path: Path) -> None:
    text = "name,x,y,due,position\nA,0,0,,\nB,1,1,,\nDEPOT,1,2,,\nStart,2,2,9,\n"
    said = "s.csv:4: column 'name': 'DEPOT' is not the first row, and 'A' is: put the row of the"
    with pytest.raises(InputError, match=said):
        TSPTW.read(written(tmp_path, "s.csv", text))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for old, new in (("A,", "Base,"), ("DEPOT,1,2,,", "DEPOT,1,2,,end")):
            TSPTW.read(written(tmp_path, "s.csv", text.replace(old, new)))


def test_the_duration_is_in_the_text() -> None:
    day = [("08:00", None), ("09:00", None), None, None]
    tour = TSPTW(TIMES, day, objective="duration").solution([1, 2, 3])
    assert "leaves at 08:53, back at 09:16 after 23.0 min" in tour.headline()


def test_who_leaves_at_the_time_that_is_told_is_not_late() -> None:
    ways = [[0, 5.1, 3], [5.1, 0, 4.35], [3, 4.35, 0]]
    windows: list[Any] = [("08:00", None), ("09:10", "09:10"), None]
    tour = TSPTW(ways, windows, objective="duration", service=[2, 1, 0]).solution([1, 2])
    assert tour.visits[0].leave == pytest.approx(544.9)
    assert (
        "begins service at 09:02, leaves at 09:04, back at 09:18 after 15.5 min" in tour.headline()
    )
    assert str(tour).splitlines()[-4].endswith(" 09:04")
    found = [list(row.values())[3:7] for row in schedule.rows(tour)]
    assert found[0] == ["09:02:54", 0.0, "09:02:54", "09:04:54"]
    assert found[2] == ["09:15:21", 0.0, "09:15:21", "09:15:21"]
    assert ",09:02:54,0,09:02:54,09:04:54," in schedule.csv_text(tour)
    cost = TSPTW(ways, windows, service=[2, 1, 0], late="time").solution([1, 2])
    assert "It can begin service as late as 09:02, and leave at 09:04:" in str(cost)
    late = TSPTW(ways, [("08:00", None), (None, "08:05"), None], late="time")
    with pytest.raises(InputError, match="closes at 08:05:05, before it opens at 08:05:30"):
        TSPTW(ways, [None, ("08:05:30", "08:05:05"), None])
    assert "closes at 08:05, the earliest possible arrival there is 08:05:06" in str(
        late.impossible[0]
    )


@pytest.mark.parametrize(
    ("options", "opens", "told"),
    [
        ({}, "12:00", "It waits 219.0 min even then: the objective duration looks for a shorter"),
        ({"objective": "return"}, "12:00", "It waits 219.0 min even then: the objective"),
        ({"objective": "duration"}, "12:00", None),
        ({"pinned": [1], "now": "08:20"}, "12:00", None),
        ({}, "08:10", None),
    ],
)
def test_a_tour_that_waits_long_names_what_makes_it_shorter(
    options: dict[str, Any], opens: str, told: str | None
) -> None:
    windows = [("08:00", "18:00"), ("08:05", "08:20"), (opens, None)]
    problem = TSPTW.from_coordinates([(0, 0), (1, 0), (2, 0)], windows, **options)
    text = str(problem.solution([1, 2]))
    assert told in text if told else "It waits" not in text


def test_minutes_in_the_file_have_hundredths_by_which_nobody_is_late() -> None:
    windows = [("08:00", "18:00"), (None, "08:01"), ("08:30", None)]
    places = [(0, 0), (1.004, 0), (2.339, 0)]
    tour = TSPTW.from_coordinates(places, windows).solution([1, 2])
    found = list(csv.DictReader(io.StringIO(schedule.csv_text(tour))))
    assert [row["late"] for row in found] == ["0", "0.01", "0", "0"]
    assert [row["wait"] for row in found] == ["0", "0", "27.66", "0"]


def test_the_text_has_the_kilometres_and_the_speed_if_they_are_known() -> None:
    places = [(48.8, 2.3), (48.9, 2.4), (48.7, 2.5)]
    day = [("08:00", None), None, None]
    problem = TSPTW.from_coordinates(places, day, metric="haversine", speed=0.4)
    tour = problem.solution([1, 2])
    assert isinstance(tour, Tour)
    assert tour.distance == pytest.approx(0.4 * tour.cost)
    assert f"for {tour.distance:.1f} km at 24 km/h" in tour.headline()
    other = TSPTW(
        problem.matrix + 1.0, day, positions=np.array(places), geographic=True, clock=True
    ).solution([1, 2])
    assert isinstance(other, Tour)
    assert other.distance is None
    assert "km" not in other.headline()


def test_the_picture_has_no_window_that_nobody_asked_for() -> None:
    windows = [(0, 90), None, (5, None), (None, 50)]
    shapes = draw(TSPTW(TIMES, windows).solution([1, 2, 3])).shapes
    bars = [shape for shape in shapes if isinstance(shape, Box) and shape.fill == WINDOW]
    # Those of nodes 2 and 3, of the depot, and the legend.
    assert len(bars) == 4


def test_nobody_is_later_than_a_limit_that_nobody_gave() -> None:
    for depot in (None, ("07:00", None), (None, "23:00")):
        windows = [depot, ("07:00", "07:30"), None]
        problem = TSPTW(TIMES[:3, :3], windows, pinned=[1], now="20:00", late="time")
        tour = problem.solution([1, 2])
        assert tour.lateness == 0
        assert problem.impossible == ()
        unlimited = depot is None or depot[1] is None
        rows = schedule.rows(tour)
        assert math.isinf(rows[-1]["slack"]) == unlimited
        assert schedule.csv_text(tour).splitlines()[3].endswith(",,0") == unlimited
        assert ("23:00" in str(tour)) != unlimited
        assert f"0 of {1 + (not unlimited)} windows" not in str(tour)
        bars = [each for each in draw(tour).shapes if isinstance(each, Box)]
        assert sum(bar.fill == WINDOW for bar in bars) == 3 - unlimited
    assert "no limits" in str(TSPTW(TIMES, [None] * 4).solution([1, 2, 3]))
    assert "1 of 1 window missed" in str(
        TSPTW(TIMES, [None, (0, 1), None, None]).solution([1, 2, 3])
    )
    beyond = TSPTW(TIMES, [("08:00", "09:00"), (None, "09:30"), None, None]).solution([1, 2, 3])
    assert "09:30" in str(beyond)


def test_the_bias_by_lateness_leaves_out_what_has_no_limit() -> None:
    for late in ("count", "time"):
        windows = [None, (None, 20), None, (None, 30)]
        problem = TSPTW(TIMES, windows, late=late).with_bias("lateness")
        check_problem(problem, playouts=20, report=False)
        start = problem.initial()
        found = [problem.bias(start, city) for city in (1, 2, 3)]
        assert found == [-10 * (13 / 30), -10, -10 * (22 / 30)]


def test_times_before_the_day_need_no_opening() -> None:
    inner = TIMES[:3, :3]
    for depot in (None, ("00:00", "17:00"), ("-2:00", None)):
        problem = TSPTW(inner, [depot, (None, "-0:30"), [(None, "-3:00"), ("-2:00", None)]])
        tour = problem.solution([1, 2])
        assert problem.windows[1, 0] <= problem.windows[1, 1] == -30
        assert (1 in tour.violations) == (depot == ("00:00", "17:00"))
    # Early enough for both.
    assert TSPTW(inner, [None, (None, -5), (None, -5)], late="time").solution([1, 2]).feasible
    ahead = TSPTW(inner, [None, (0, 5), None], pinned=[1], now=-7).solution([1, 2])
    assert ahead.visits[1].leave == -7


def test_a_stop_without_a_way_is_told() -> None:
    for gap, told in (
        ((slice(None), 2), "there is no way from the depot to stop 2"),
        ((2, slice(None)), "there is no way from stop 2 to the depot"),
    ):
        times = TIMES[:3, :3].copy()
        times[gap] = math.inf
        for depot in (("08:00", "17:00"), None):
            problem = TSPTW(times, [depot, None, ("08:00", "16:00")])
            assert [each.reason for each in problem.impossible][:1] == [told]
            with pytest.warns(RuntimeWarning, match="no way"):
                result = nestor.solve(problem, playouts=20, threads=1)
            assert told in str(result)
    split = np.array([[0, 1, 1], [1, 0, math.inf], [math.inf, math.inf, 0]])
    apart = TSPTW(split, [("08:00", None), ("08:00", "08:01"), ("08:00", "08:01")])
    assert "1 first, there is no way to 2" in str(apart.impossible) or apart.impossible


def test_windows_may_open_before_the_day_begins() -> None:
    problem = TSPTW(TIMES, [("-1:00", "08:00"), ("-0:30", "00:10"), None, (None, "-0:20")])
    assert problem.windows.tolist()[0] == [-60, 480]
    result = nestor.solve(problem, playouts=200, threads=1)
    assert isinstance(result.solution, Tour)
    assert result.solution.feasible
    assert result.score == min(
        tour.score
        for tour in map(problem.solution, ([1, 2, 3], [3, 1, 2], [3, 2, 1], [2, 3, 1]))
        if tour.feasible
    )
    assert "-01:00" in str(result.solution)


@pytest.mark.parametrize(
    "column",
    [
        "demand",
        "Vehicle",
        "capacity",
        "priority",
        "break",
        "Penaltey",
        "demnad",
        "servce",
        "colse_2",
        "deu2",
        "nmae ",
        "weight",
        "Fahrzeug",
        "Techniker",
        "voertuig",
    ],
)
def test_columns_that_would_be_in_vain_are_refused(column: str, tmp_path: Path) -> None:
    text = f"x,y,due,{column}\n0,0,9,1\n3,4,9,2\n"
    with pytest.raises(InputError, match=rf"stops.csv:1: column '{column.strip()}'"):
        TSPTW.read(written(tmp_path, "stops.csv", text))


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("Optional", "penalty"),
        ("minutes", "service"),
        ("Minute", "service"),
        ("Duration (min)", "duration"),
        ("service [min]", "service"),
        ("Visit duration", "service"),
        ("opening", "ready"),
        ("Opening hours (Mo-Fr)", "openinghours"),
        ("Close2nd", "close2"),
        ("2nd closing", "due2"),
        ("opening 1", "ready1"),
        ("Service minutes", "service"),
        ("serviceMinutes", "service"),
        ("unloading_min", "service"),
        ("Opens at", "opens"),
        ("Must be before", "before"),
        ("Pos", "position"),
        ("from time", "ready"),
        ("By", "due"),
        *((word, "ready") for word in ("von", "Öffnet", "Zeitfenster von", "desde", "vanaf")),
        *((word, "due") for word in ("bis", "Spätestens", "Fermeture", "hasta", "tot", "entro")),
        *(("\u00e0 partir de", "ready"), ("jusqu\u2019\u00e0", "due")),
        *((word, "service") for word in ("Standzeit", "Dauer (Min.)", "Durée", "DURACIÓN")),
        *((word, "service") for word in ("duur", "sosta", "Standzeit Kunde")),
        *((word, "service") for word in ("minutes on site", "work minutes", "on site", "Vor Ort")),
        *((word, "service") for word in ("work time", "Arbeitszeit", "Minuten vor Ort")),
        *((word, "name") for word in ("Kunde", "Bezeichnung", "nom")),
        *((word, "window") for word in ("Zeitfenster", "Öffnungszeiten", "horario", "Créneau")),
    ],
)
def test_columns_of_hours_and_service_in_other_words_are_refused(
    column: str, meant: str, tmp_path: Path
) -> None:
    other = {"due": "ready", "window": "service", "openinghours": "service"}.get(meant, "due")
    text = f"x,y,{other},{column}\n0,0,9,1\n3,4,9,2\n"
    said = re.escape(
        f"column '{column}': did you mean '{meant}'? If so, rename the column, or give columns="
    )
    with pytest.raises(InputError, match=said):
        TSPTW.read(written(tmp_path, "stops.csv", text))
    full = "name,x,y,ready,due,ready2,due2,service,penalty,before,position,opening0"
    text = f"{full},{column}\nA,0,0,0,9,,,,,,,,1\nB,3,4,0,9,,,,,,,,2\n"
    with pytest.warns(RuntimeWarning, match="ignored columns"):
        TSPTW.read(written(tmp_path, "stops.csv", text))


@pytest.mark.filterwarnings("ignore:.*ignored columns")
@pytest.mark.parametrize(
    "pair",
    [
        *("de,\u00e0", "Du,Au", "dalle,alle", "da,a", "de,a"),
        *("Arrive from,Arrive by", "TW from,TW to", "Time from,Time to"),
    ],
)
def test_short_words_are_hours_if_both_are_there(pair: str, tmp_path: Path) -> None:
    opens, closes = pair.split(",")
    path = written(tmp_path, "s.csv", f"x,y,service,{pair}\n0,0,,8,18\n3,4,5,9,10\n")
    given = f"columns='{opens}=ready, {closes}=due'"
    with pytest.raises(InputError, match=f"'{closes}': did you mean 'due'.*{given}"):
        TSPTW.read(path)
    with pytest.raises(InputError, match=f"column '{closes}': did you mean 'due'"):
        TSPTW.read(path, columns=f"{opens}=ready")
    assert TSPTW.read(path, columns=f"{opens}=ready, {closes}=due").windows[1].tolist() == [9, 10]
    # Alone, they may be anything.
    TSPTW.read(written(tmp_path, "s.csv", f"x,y,due,{closes}\n0,0,9,8\n3,4,9,9\n"))


@pytest.mark.parametrize("times", [("", "10 min", "1h30"), ("5'", "-", "0,25 h")])
def test_lengths_in_a_column_without_a_known_name_are_service(
    times: tuple[str, ...], tmp_path: Path
) -> None:
    text = "x;y;due;Anfahrt\n" + "".join(f"{k};0;9:00;{time}\n" for k, time in enumerate(times))
    with pytest.raises(InputError, match=r"s.csv:1: column 'Anfahrt' has lengths of time, but "):
        TSPTW.read(written(tmp_path, "s.csv", text))
    text = text.replace("due", "due;service").replace("9:00", "9:00;5")
    with pytest.warns(RuntimeWarning, match="ignored columns: 'Anfahrt'"):
        TSPTW.read(written(tmp_path, "s.csv", text))


def test_a_column_of_priorities_is_told_of_once(tmp_path: Path) -> None:
    text = "x,y,due,Priorität\n0,0,9,A\n3,4,9,B\n"
    with pytest.raises(InputError, match="'Priorität' is not supported: say what it costs to"):
        TSPTW.read(written(tmp_path, "s.csv", text))
    more = text.replace("due", "due,penalty").replace("9,", "9,,")
    for header in ("Priorität", "priority"):
        with pytest.warns(RuntimeWarning, match=f"ignored columns: '{header}'$"):
            TSPTW.read(written(tmp_path, "s.csv", more.replace("Priorität", header)))


@pytest.mark.filterwarnings("ignore:.*ignored columns")
@pytest.mark.parametrize("header", ["Lunch from", "Closes again", "by", "ETA"])
@pytest.mark.parametrize("times", [("", "12:30", "13:00:00"), ("-", "9:00", "")])
def test_hours_in_columns_without_a_known_name_are_refused(
    header: str, times: tuple[str, ...], tmp_path: Path
) -> None:
    text = f"x,y,ready,due,{header}\n" + "".join(f"{k},0,8:00,,{t}\n" for k, t in enumerate(times))
    with pytest.raises(
        InputError, match=f"s.csv:1: column '{header}' has times of day, but .*remove the"
    ):
        TSPTW.read(written(tmp_path, "s.csv", text))
    other = text.replace("9:00", "9:00 by Tom").replace("12:30", "12:30?")
    with pytest.warns(RuntimeWarning, match=f"ignored columns: '{header}'$"):
        TSPTW.read(written(tmp_path, "s.csv", other))
    TSPTW.read(written(tmp_path, "s.csv", text), columns={header: "note"})


@pytest.mark.filterwarnings("ignore:.*ignored columns")
def test_hours_with_dates_or_beside_other_texts_are_hours(tmp_path: Path) -> None:
    stops = "x;y;ready;ETA\n0;0;08:00;18:00\n1;0;09:00;10:00\n2;0;;{}\n"
    dated = re.sub(r"\d\d:", r"12/05/2026 \g<0>", stops)
    for text in (dated.format("12/05/2026 11:00"), stops.format("after lunch")):
        path = written(tmp_path, "s.csv", text)
        with pytest.raises(InputError, match=r"s.csv:1: column 'ETA' has times of day, but its"):
            TSPTW.read(path)
    for library in frames():
        for zone in (None, timezone(timedelta(0))):
            due = [datetime(2026, 5, 12, hour, tzinfo=zone) for hour in (18, 10, 11)]
            frame = library.DataFrame({"x": [0, 1, 2], "y": [0, 0, 0], "ready": due, "ETA": due})
            with pytest.raises(InputError, match="stops: column 'ETA' has times of day, but its"):
                TSPTW.from_frame(frame)
    # A date alone is written so by spreadsheets, and times of other days are not those of the tour.
    midnight = re.sub(r"\d\d:00$", "00:00", dated.format("12/05/2026 00:00"), flags=re.MULTILINE)
    for text in (midnight, re.sub(r"12/(?=\S+ \d\d:00$)", "11/", dated, flags=re.MULTILINE)):
        TSPTW.read(written(tmp_path, "s.csv", text.replace(";{}", ";")))


@pytest.mark.filterwarnings("ignore:.*ignored columns")
@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        ("Date", ("12/05/2026", "13/05/2026", ""), "several days, '12/05/2026' and '13/05/2026': "),
        ("Wochentag", ("Mo", "Di", "Mo"), "several days, 'Mo' and 'Di': one tour is of one day"),
        (
            "Tech",
            ("Ann", "Bob", "Ann"),
            "several tours, 'Ann' and 'Bob': one vehicle without loads",
        ),
        ("Tour", ("1", "2", "3"), "several tours, '1' and '2': "),
    ],
)
def test_stops_of_several_days_or_tours_are_refused(
    header: str, cells: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    rows = "".join(f"{k},0,9,{cell}\n" for k, cell in enumerate(cells, 1))
    path = written(tmp_path, "s.csv", f"x,y,due,{header}\n0,0,9,home\n{rows}")
    with pytest.raises(InputError, match=f"s.csv:1: column '{header}' has {said}.*keep the rows"):
        TSPTW.read(path)
    TSPTW.read(path, columns={header: "note"})
    rows = rows.replace(cells[1], cells[0]).replace(cells[2] or "-", cells[0])
    TSPTW.read(written(tmp_path, "same.csv", f"x,y,due,{header}\n0,0,9,home\n{rows}"))


def test_capitals_make_no_several_days(tmp_path: Path) -> None:
    text = "x,y,due,day\n0,0,9,mon\n1,0,9,mon\n2,0,9,MON\n3,0,9,Mon\n"
    TSPTW.read(written(tmp_path, "s.csv", text))


def test_times_of_one_day_are_no_several_days() -> None:
    for library in frames():
        days = [datetime(2026, 5, 1, 9), datetime(2026, 5, 1, 10), datetime(2026, 5, 1, 11)]
        stops = {"x": [0, 1, 2], "y": [0, 1, 2], "due": [9, 9, 9], "day": days}
        with pytest.raises(InputError, match="column 'day' has times of day"):
            TSPTW.from_frame(library.DataFrame(stops))


ABROAD = "Montag;;\nNaam;X;Y;van;tot;Tijd, klant;Auto\nA;0;0;8:00;18:00;;1\nB;3;4;9:00;;5;1\n"
MEANT = {"naam": "name", "van": "ready", " tot": "due", "Tijd, klant": "service", "Auto": "note"}


@pytest.mark.filterwarnings("ignore:.*ignored columns")
def test_columns_may_keep_their_own_names(tmp_path: Path) -> None:
    path = written(tmp_path, "s.csv", ABROAD)
    as_text = "; ".join(map("=".join, MEANT.items()))
    for columns in (MEANT, as_text):
        problem = TSPTW.read(path, columns=columns)
        assert (problem.names, problem.windows[1, 0]) == (("A", "B"), 540)
        assert problem.service is not None
        assert problem.service[1] == 5
        assert problem.dialect.others == (("Auto", ("1", "1")),)
    beside = TSPTW.read(path, columns=MEANT, matrix=[[0, 5], [5, 0]])
    assert np.array_equal(beside.durations, problem.durations)
    for library in frames():
        stops = {"X": [0, 3], "Y": [0, 4], "van": ["8:00", "9:00"], "Minuten": [0, 5]}
        frame = library.DataFrame(stops)
        problem = TSPTW.from_frame(frame, columns="van=ready, Minuten=service")
        assert problem.durations[1, 0] == 10


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"von": "ready"}, r":2: columns: no column is named 'von' \(did you mean 'van'\?\)"),
        ({**MEANT, "tot": "ready"}, ":2: columns 'van' and 'tot' both stand for 'ready'"),
        ({**MEANT, "tot": "deu"}, r"columns: 'deu' is no name of Nestor's \(did you mean 'due'\?"),
        ("van=ready, van=due", "columns: 'van' is there twice"),
        ("van", "columns must be Nestor's names by those of the table, such as .*, not 'van'"),
        ({"van": 1}, "columns must be Nestor's names"),
        (["van"], "columns must be Nestor's names"),
    ],
)
def test_names_of_columns_must_be_clear(columns: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        TSPTW.read(written(tmp_path, "s.csv", ABROAD), columns=columns)


def test_the_error_says_which_names_to_give(tmp_path: Path, run: Nestor) -> None:
    path = written(tmp_path, "s.csv", "Naam,x,y,tot\nA,0,0,9\nB,3,4,9\n")
    with pytest.raises(InputError) as caught:
        TSPTW.read(path)
    told = str(caught.value)
    columns = told[told.index("columns='") + len("columns='") : told.index("' (--columns)")]
    assert TSPTW.read(path, columns=columns).windows[1, 1] == 9
    command = ("solve", "tsptw", str(path), "--playouts", "1")
    assert run(*command).code == 2
    assert run(*command, "--columns", columns).code == 0


def test_all_columns_that_are_wrong_are_told_at_once(tmp_path: Path) -> None:
    text = (
        "x,y,due,priority,minutes on site,opnes,Lunch from\n0,0,9:00,1,5,,\n1,0,,2,5,8:00,12:30\n"
    )
    with pytest.raises(InputError) as caught:
        TSPTW.read(written(tmp_path, "s.csv", text))
    told = str(caught.value)
    for said in (
        *("column 'priority' is not supported", "column 'minutes on site': did you mean 'service'"),
        *("column 'opnes': did you mean 'opens'", "column 'Lunch from' has times of day"),
    ):
        assert told.count(said) == 1
    assert "column 'opnes' has times" not in told


def test_dates_of_ignored_columns_are_no_hours() -> None:
    for library in frames():
        made = [datetime(2026, 4, 30, 9), datetime(2026, 4, 30, 9, 5)]
        stops = {"x": [0, 1], "y": [0, 1], "due": [datetime(2026, 5, 1, 9)] * 2, "made": made}
        with pytest.warns(RuntimeWarning, match="ignored columns: 'made'"):
            problem = TSPTW.from_frame(library.DataFrame(stops))
        assert problem.windows[1, 1] == 540


@pytest.mark.parametrize("header", ["done", "Visited", "delivered"])
def test_a_column_of_visited_stops_is_told_what_says_so(header: str, tmp_path: Path) -> None:
    text = f"x,y,due,{header},done by whom\n0,0,9,,\n3,4,9,x,Tom\n"
    said = rf"'{header}', 'done by whom'; pinned and now \(--pinned, --now\) say which stops"
    with pytest.warns(RuntimeWarning, match=said):
        TSPTW.read(written(tmp_path, "s.csv", text))


def test_two_letters_that_have_changed_places_are_a_misspelt_column(tmp_path: Path) -> None:
    for header in ("x,y,ready,deu", "x,y,ready,deu,ready2,due2"):
        text = f"{header}\n{','.join('0' * (header.count(',') + 1))}\n"
        with pytest.raises(InputError, match="column 'deu': did you mean 'due'"):
            TSPTW.read(written(tmp_path, "stops.csv", text))
    with pytest.warns(RuntimeWarning, match="ignored columns: 'deu'"):
        TSPTW.read(written(tmp_path, "stops.csv", "x,y,due,deu\n0,0,1,1\n0,1,1,1\n"))


def day(names: Any) -> TSPTW:
    places = {name: (float(k % 4), float(k // 4)) for k, name in enumerate(sorted(names))}
    return TSPTW.from_coordinates(
        [places[name] for name in names], [None] * len(names), names=names, late="count"
    )


def test_yesterdays_tour_begins_today(tmp_path: Path) -> None:
    yesterday = day(["Depot", "A", "B", "C", "D", "E", "F"])
    found = nestor.solve(yesterday, playouts=100, threads=1, seed=1)
    found.save(tmp_path / "run.json")
    assert isinstance(found.solution, Tour)
    written(tmp_path, "tour.csv", schedule.csv_text(found.solution))
    today = day(["Depot", "F", "E", "D", "B", "A", "New"])
    order = [yesterday.names[city] for city in found.moves if yesterday.names is not None]
    kept = [today.names.index(name) for name in order if name != "C"] if today.names else []
    results = []
    text = schedule.csv_text(found.solution)
    files = [
        written(tmp_path, "semicolons.csv", text.replace(",", ";")),
        written(tmp_path, "names.json", json.dumps(order)),
        written(tmp_path, "names.txt", "\ufeffDepot\n" + "\n".join(order)),
    ]
    header, *lines = text.splitlines()
    files.append(written(tmp_path, "sorted.csv", "\n".join([header, *sorted(lines, reverse=True)])))
    frame = frames()[0].DataFrame(schedule.rows(found.solution))
    told = [found, found.solution, order, frame, frame["name"], frame["name"].to_numpy()]
    told.append(frame.iloc[::-1])
    for given in (*told, tmp_path / "run.json", tmp_path / "tour.csv", *files):
        with pytest.warns(RuntimeWarning, match=r"no longer there: 'C'; new, .*: 'New'"):
            begun = nestor.solve(today, nestor.NRPA(1, 1), initial=given, playouts=1, threads=1)
        assert [city for city in begun.moves if city != 6] == kept
        results.append(begun.moves)
    assert all(moves == results[0] for moves in results)
    for wrong, said in (("1", "1 is there twice, for "), ("", "'', that of 'Depot', is no number")):
        path = written(tmp_path, "wrong.csv", "\n".join([header, wrong + lines[0][1:], *lines[1:]]))
        for given in (path, frames()[0].read_csv(path, dtype=str, keep_default_na=False)):
            with pytest.raises(InputError, match=f"column 'order': {said}"):
                nestor.solve(today, initial=given, playouts=1)
    with pytest.raises(InputError, match="none of its stops is one of this problem"):
        nestor.solve(today, initial=["X", "Y"], playouts=1)


def test_new_stops_are_put_where_the_score_is_best() -> None:
    # On the way between B and A, and too late there.
    windows = [(0, 99), (0, 99), (0, 99), (0, 3)]
    places = [(0, 0), (10, 0), (10, 10), (10, 4)]
    for asked, tour in (
        ({}, [3, 2, 1]),
        ({"late": 0.01}, [2, 3, 1]),
        ({"pinned": ["B"]}, [2, 3, 1]),
        ({"end": "A"}, [3, 2, 1]),
    ):
        today = TSPTW.from_coordinates(places, windows, names=["Depot", "A", "B", "New"], **asked)
        with pytest.warns(RuntimeWarning, match="new, put where they cost least: 'New'"):
            assert today.beginning(["B", "A"]) == tour


@pytest.mark.parametrize(
    ("given", "asked", "tour", "told"),
    [
        ("ABCAA", {}, [1, 2, 3], "there twice, taken where they come first: 'A'"),
        ("ABC", {"pinned": ["A", "C"]}, [1, 3, 2], "moved to their fixed places: 'C'"),
        ("ABC", {"first": "C", "last": "A"}, [3, 2, 1], "moved to their fixed places: 'C', 'A'"),
        ("CABX", {"end": "C"}, [1, 2, 3], "no longer there: 'X'; moved to their fixed places: 'C'"),
        ("ACBX", {"end": "C"}, [1, 2, 3], "no longer there: 'X'; moved to their fixed places: 'C'"),
    ],
)
def test_what_is_not_taken_as_it_is_in_the_given_tour_is_told(
    given: str, asked: dict[str, Any], tour: list[int], told: str
) -> None:
    problem = TSPTW(TIMES, [None] * 4, names=["Depot", "A", "B", "C"], **asked)
    with pytest.warns(RuntimeWarning, match=f"^initial: {told}$"):
        assert problem.beginning(["Depot", *given, "Depot"]) == tour
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert problem.beginning([(problem.names or ())[node] for node in tour]) == tour
    if "twice" in told:
        with pytest.warns(RuntimeWarning, match=f"^previous: {told}$"):
            assert TSPTW(
                TIMES, [None] * 4, names=problem.names, previous=[*given], change_cost=1
            ).previous == (1, 2, 3)


def test_the_depot_of_another_day_may_be_the_end_today() -> None:
    problem = TSPTW(TIMES, [None] * 4, names=["Van", "A", "B", "Depot"], end="Depot")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert problem.beginning(["Depot", "A", "B", "Depot"]) == [1, 2, 3]


def test_a_tour_of_another_day_without_names_is_told(tmp_path: Path) -> None:
    other = nestor.solve(TSPTW(TIMES[:3, :3], [None] * 3), playouts=10, threads=1)
    other.save(tmp_path / "run.json")
    today = TSPTW(TIMES, [None] * 4)
    for problem in (today, TSPTW(TIMES, [None] * 4, penalty=[None, 5, None, None])):
        for given in (other, list(other.moves), tmp_path / "run.json"):
            with pytest.raises(InputError, match="leaves out 3; a tour of another day is matched"):
                nestor.solve(problem, initial=given, playouts=10)
    with pytest.raises(InputError, match="has 2 stops, and this one has 3; a tour of another day"):
        nestor.solve(TSPTW(TIMES[:3, :3], [None] * 3), initial=[3, 2, 1], playouts=10)


@pytest.mark.parametrize(
    "table",
    [
        'name\nFarm\n"Mill, old"\nBakery\n',
        "Order;Name\n2;Mill, old\n1;Farm\n3;Bakery\n",
        'order,name,arrival\n1,Farm,8:00\n3,Bakery,9:00\n2,"Mill, old",8:30\n',
        "name\nFarm\nMill, old\nBakery\n",
        *(
            f'{stop}\tarrival\nFarm\t8:00\n"Mill, old"\t8:30\nBakery\t9:00\n'
            for stop in ("stop", "node")
        ),
        "order;node;name\n1;3;Farm\n2;1;Mill, old\n3;2;Bakery\n",
    ],
)
def test_the_names_of_a_table_are_a_tour(table: str, tmp_path: Path) -> None:
    stops = TSPTW(TIMES, [None] * 4, names=["Depot", "Mill, old", "Bakery", "Farm"])
    path = written(tmp_path, "tour.csv", table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = nestor.solve(stops, nestor.Sampling(), playouts=1, initial=path)
    assert result.moves == [3, 1, 2]


@pytest.mark.parametrize("table", ["order,place\n1,Farm\n", "Farm; Mill\n", "order,stop\n1,3\n"])
def test_a_tour_in_columns_that_do_not_do_says_which_are_needed(table: str, tmp_path: Path) -> None:
    path = written(tmp_path, "tour.csv", table)
    stops = TSPTW(TIMES, [None] * 4, names=NAMES)
    with pytest.raises(InputError, match=r"the first is .*; a file has .* a column 'name', and 'o"):
        nestor.solve(stops, nestor.Sampling(), playouts=1, initial=path)
    # Without names, nodes are numbers.
    if "stop" in table:
        stops = TSPTW(TIMES, [None] * 4)
        with pytest.warns(RuntimeWarning, match="new, put where they cost least"):
            nestor.solve(stops, nestor.Sampling(), playouts=1, initial=path)


def test_a_second_window_without_a_column_for_its_close_is_told(tmp_path: Path) -> None:
    table = "x,y,open,close,open2\n0,0,8:00,18:00,\n1,1,8:00,12:00,14:00\n"
    with pytest.warns(RuntimeWarning, match=r"a.csv:1: column 'open2' is .*'due2', .*it does not"):
        stops = TSPTW.read(written(tmp_path, "a.csv", table), speed=1)
    assert stops.closed == ((), ((720.0, 840.0),))


def test_times_of_day_with_a_point_are_told(tmp_path: Path) -> None:
    table = "name,x,y,ready,due\nDepot,0,0,8.00,18.00\nMill,1,1,8.30,9.15\n"
    with pytest.warns(RuntimeWarning, match=r"a.csv:1: '8.30' is read as a number.*such as 8:30"):
        TSPTW.read(written(tmp_path, "a.csv", table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for right in ("8.50,9.75", "8.30,9.5", ","):
            TSPTW.read(written(tmp_path, "b.csv", table.replace("8.30,9.15", right)))


def test_yesterdays_tour_is_what_changes_are_counted_from(tmp_path: Path) -> None:
    yesterday = day(["Depot", "A", "B", "C", "D"])
    found = nestor.solve(yesterday, playouts=100, threads=1, seed=1)
    found.save(tmp_path / "run.json")
    assert isinstance(found.solution, Tour)
    written(tmp_path, "tour.csv", schedule.csv_text(found.solution))
    names = ["Depot", "D", "C", "A", "New"]
    order = [yesterday.names[city] for city in found.moves if yesterday.names is not None]
    kept = tuple(names.index(name) for name in order if name != "B")
    asked: dict[str, Any] = {"names": names, "change_cost": 5}
    listed = [["Depot", *order, "Depot"], frames()[1].DataFrame(schedule.rows(found.solution))]
    for given in (found, found.solution, *listed, tmp_path / "run.json", tmp_path / "tour.csv"):
        with pytest.warns(RuntimeWarning, match="previous: .*no longer there: 'B'"):
            assert TSPTW(np.ones((5, 5)), [None] * 5, previous=given, **asked).previous == kept
    with pytest.raises(InputError, match=r"previous: .*none of its stops is one of this problem"):
        TSPTW(TIMES, [None] * 4, previous=written(tmp_path, "x.csv", STOPS), change_cost=5)


def test_a_tour_is_geojson(tmp_path: Path) -> None:
    problem = TSPTW.from_coordinates(
        [(48.8, 2.3), (48.9, 2.4), (48.7, 2.5)],
        [("08:00", None), None, None],
        metric="haversine",
        names=["Depot", "Mill", "Café"],
    )
    found = json.loads(geojson.text(problem.solution([2, 1])))
    line, *points = found["features"]
    assert line["geometry"]["coordinates"][0] == [2.3, 48.8]
    assert [each["properties"]["name"] for each in points] == ["Depot", "Café", "Mill", "Depot"]
    assert points[1]["geometry"]["coordinates"] == [2.5, 48.7]
    with pytest.raises(InputError, match="lat and lon"):
        geojson.check_geographic(TSPTW(TIMES, [None] * 4), tmp_path / "t.geojson")


def test_python_writes_the_files_of_the_command_line(tmp_path: Path, run: Nestor) -> None:
    table = "name;lat;lon;due;Tel\nD;48,8;2,3;18:00;1\nA;48,9;2,4;;2\nB;48,7;2,5;;3\n"
    path = written(tmp_path, "stops.csv", table)
    files = [tmp_path / "t.csv", tmp_path / "t.geojson"]
    options = [f"--csv={files[0]}", f"--geojson={files[1]}", "--playouts=20", "--seed=1"]
    assert run("solve", "tsptw", str(path), *options).code == 0
    problem = TSPTW.read(path)
    tour = nestor.solve(problem, playouts=20, seed=1).solution
    assert isinstance(tour, Tour)
    texts = (tsptw.to_csv(tour, problem.dialect), tsptw.to_geojson(tour))
    assert [file.read_text(encoding="utf-8") for file in files] == [*texts]
    assert ";2,3" not in tsptw.to_csv(tour)
    assert "Tel" not in tsptw.to_csv(tour, tsptw.Dialect(";", ","))
    with pytest.raises(InputError, match=r"^GeoJSON needs stops with lat and lon"):
        tsptw.to_geojson(TSPTW(TIMES, [None] * 4).solution([1, 2, 3]))


def test_files_in_python_are_of_tours_and_in_dialects_that_are_read() -> None:
    problem = TSPTW(TIMES, [None] * 4)
    result: Any = nestor.solve(problem, playouts=20, seed=1)
    for write in (tsptw.to_csv, tsptw.to_geojson):
        with pytest.raises(InputError, match=r"such as result\.solution, not a Result$"):
            write(result)
    others: list[Any] = [("", ""), (".", "."), ("\n", ","), ("x", ","), (";;", ","), ([], ".")]
    for other in others:
        with pytest.raises(InputError, match="dialect: the cells are separated by a comma, semico"):
            tsptw.to_csv(result.solution, tsptw.Dialect(*other))
    wrong: Any = ";"
    with pytest.raises(InputError, match=r'dialect must be such as Dialect\(";", ","\), not \';\''):
        tsptw.to_csv(result.solution, wrong)
    assert tsptw.to_csv(result.solution, tsptw.Dialect("\t")).startswith("order\tstop\t")


def test_a_map_has_names_that_cover_nothing_and_far_stops_that_squeeze_nothing() -> None:
    rng = np.random.default_rng(2)
    xy = rng.random((30, 2))
    xy[7] = 50.0, 50.0
    names = ["Depot", *(f"A shop with quite a long name {k}" for k in range(1, 30))]
    problem = TSPTW.from_coordinates(xy, [None] * 30, names=names)
    shapes = draw(problem.solution(list(range(1, 30)))).shapes
    circles = [each for each in shapes if isinstance(each, Circle) and each.edge == "white"]
    across = sorted(each.x for each in circles)
    assert across[-2] - across[0] > 0.2 * (across[-1] - across[0])
    found = [each for each in shapes if isinstance(each, Text) and each.halo]
    boxes = [
        (each.x - half, each.y - 0.4, each.x + half, each.y + 0.4)
        for each in found
        if each.text in names
        for half in [0.2 * len(each.text)]
    ]
    assert len(boxes) > 3
    assert not any(
        a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        for a, b in combinations(boxes, 2)
    )
    rows = [each.text for each in shapes if isinstance(each, Text) and each.align == "right"]
    assert "1 A shop with quite a long name 1" in rows
    notes = [each.text for each in shapes if isinstance(each, Text)]
    rest = any(note.startswith("names without room are beside the times") for note in notes)
    assert rest == (len(boxes) < 30)


def test_stops_at_one_place_have_their_numbers_and_names_that_lines_lead_to() -> None:
    places = [(0.0, 0.0), *((40.0 + 0.01 * k, 30.0) for k in range(5)), (40.0, 30.0), (80.0, 0.0)]
    names = ["Depot", *(f"Shop {k}" for k in range(1, 8))]
    problem = TSPTW.from_coordinates(places, [None] * 8, names=names)
    shapes = draw(problem.solution([1, 2, 3, 4, 5, 6, 7])).shapes
    dots = [each for each in shapes if isinstance(each, Circle) and each.edge == "white"]
    assert len(dots) == 7
    for one, other in combinations(dots, 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) > one.radius + other.radius
    texts = {each.text: each for each in shapes if isinstance(each, Text) and each.text in names}
    assert texts.keys() == {*names}
    ends = [(each.x1, each.y1) for each in shapes if isinstance(each, Line) and each.width == 0.6]
    for dot, name in zip(dots, names[1:], strict=True):
        text = texts[name]

        def far(spot: Circle, text: Text = text) -> float:
            return math.dist((spot.x, spot.y), (text.x, text.y))

        lead = min((math.dist(end, (text.x, text.y)) for end in ends), default=math.inf)
        assert far(dot) == min(map(far, dots)) or lead < 0.3 * len(name) + 1.0


def test_a_picture_names_what_is_left_out_and_cuts_long_names() -> None:
    rng = np.random.default_rng(5)
    names = ["Depot", *(f"Shop {k}" for k in range(1, 20)), "A" * 200]
    problem = TSPTW.from_coordinates(
        [(0.0, 0.0), *rng.random((20, 2))],
        [None] * 21,
        names=names,
        penalty=[None, 0.1, 0.1, *[None] * 18],
    )
    shapes = draw(problem.solution(list(range(3, 21)))).shapes
    assert shapes == draw(problem.solution(list(range(3, 21)))).shapes
    texts = [each for each in shapes if isinstance(each, Text)]
    for name in names[1:3]:
        assert [each.text for each in texts].count(name) == 2
    assert {"A" * 39 + "…", "18 " + "A" * 69 + "…"} < {each.text for each in texts}
    on_map = [each.y for each in texts if each.halo]
    assert max(on_map) + 0.5 < min(each.y for each in texts if each.text == "left out")


def test_a_map_of_many_stops_has_no_names_that_overlap() -> None:
    rng = np.random.default_rng(3)
    for count, named in ((92, True), (120, False)):
        names = [f"Customer {k}" for k in range(count)]
        problem = TSPTW.from_coordinates(rng.random((count, 2)), [None] * count, names=names)
        texts = [
            each
            for each in draw(problem.solution(list(range(1, count)))).shapes
            if isinstance(each, Text)
        ]
        found = [each for each in texts if each.halo]
        notes = [each.text for each in texts]
        assert bool(found) == named
        rest = any(note.startswith("names without room are beside the times") for note in notes)
        assert rest == (len(found) < count)
        for one, other in combinations(found, 2):
            beside = abs(one.x - other.x) >= 0.36 * 0.75 * (len(one.text) + len(other.text)) / 2
            assert beside or abs(one.y - other.y) >= 0.75


WAYS = [[0, 10, 50], [10, 0, 20], [50, 20, 0]]
"""Minutes from D to A and B, and between them."""


def test_a_matrix_of_which_one_side_is_named_has_the_order_of_the_stops(tmp_path: Path) -> None:
    (stops := tmp_path / "stops.csv").write_text("name,ready,due\nD,08:00,12:00\nA,,\nB,,\n")
    matrix = tmp_path / "matrix.csv"
    for text, named in (
        ("B,D,A\n50,0,10\n20,10,0\n0,50,20\n", "columns"),
        ("A,10,0,20\nD,0,10,50\nB,50,20,0\n", "rows"),
    ):
        matrix.write_text(text)
        with pytest.raises(InputError, match=f"only its {named} are named, in another order"):
            TSPTW.read(stops, matrix=matrix)
    for text in (
        "D,A,B\n0,10,50\n10,0,20\n50,20,0\n",
        ",B,D,A\nB,0,50,20\nD,50,0,10\nA,20,10,0\n",
    ):
        matrix.write_text(text)
        assert TSPTW.read(stops, matrix=matrix).matrix.tolist() == WAYS


def test_frames_and_series_are_taken_by_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    names = ["D", "A", "B"]
    matrix = pandas.DataFrame(WAYS, index=names, columns=names)
    windows: list[Any] = [None, (0, 100), None]
    other = pandas.Series([0, 7, 5], index=["D", "B", "A"])
    problem = TSPTW(matrix, windows, service=other)
    assert problem.service is not None
    assert problem.service.tolist() == [0, 5, 7]
    with pytest.raises(InputError, match="service: its rows must have the names of the stops"):
        TSPTW(matrix, windows, service=other.rename({"B": "C"}))
    turned = matrix[["B", "D", "A"]].reset_index(drop=True)
    limits = pandas.DataFrame({"ready": [0] * 3, "due": [99] * 3}, index=names)
    with pytest.raises(InputError, match="only its columns are named, in another order"):
        TSPTW(turned, limits)
    with pytest.raises(InputError, match="a column of texts"):
        TSPTW(matrix.reset_index()[["D", "A", "index", "B"]], windows)
    assert TSPTW(matrix.reset_index(), windows).names == (*names,)
    places = pandas.DataFrame({"lon": [4, 5], "lat": [45, 46]})
    day = TSPTW.from_coordinates(places, [None, None], metric="haversine")
    assert day.positions is not None
    assert day.positions.tolist() == [[45, 4], [46, 5]]
    with pytest.raises(InputError, match="columns x and y, or lat and lon"):
        TSPTW.from_coordinates(places.rename(columns={"lon": "z"}), [None, None])


def test_names_beside_those_of_a_frame_are_the_same_or_others_for_all() -> None:
    names, wrong, windows = ["D", "A", "B"], ["D", "B", "A"], [None] * 3
    for library in frames():
        matrix = library.DataFrame(dict(zip(names, WAYS, strict=True)))
        if library.__name__ == "pandas":
            matrix.index = names
            limits = library.DataFrame({"ready": [0] * 3, "due": [99] * 3}, index=names)
            places = library.DataFrame({"x": [0, 1, 2], "y": [0, 1, 2]}, index=names)
            with pytest.raises(InputError, match="row 1 must be that of the windows, 'A', not 'B'"):
                TSPTW(WAYS, limits, names=wrong)
            with pytest.raises(InputError, match="names: row 1 must be that of xy, 'A', not 'B'"):
                TSPTW.from_coordinates(places, windows, names=wrong)
            with pytest.raises(InputError, match="windows: row 0 must be that of xy, 'D', not 'B'"):
                TSPTW.from_coordinates(places, limits[::-1])
            assert TSPTW.from_coordinates(places, limits).names == (*names,)
        others: list[Any] = [wrong, np.array(wrong), ["D", "A", "C"]]
        for given in others:
            with pytest.raises(
                InputError, match=r"names: row . must be that of the matrix, '[AB]'"
            ):
                TSPTW(matrix, windows, names=given)
        for other in (names, ["Depot", "Mill", "Bakery"]):
            assert TSPTW(matrix, windows, names=other).names == (*other,)


def test_what_cannot_be_taken_as_it_is_is_told() -> None:
    masked: Any = np.ma.MaskedArray(np.array(WAYS), np.eye(3, dtype=bool))
    with pytest.raises(InputError, match="matrix is masked"):
        TSPTW(masked, [None] * 3)
    zones = [datetime(2026, 1, 1, hour, tzinfo=timezone(timedelta(hours=hour))) for hour in (1, 2)]
    with pytest.raises(InputError, match=r"several time zones, UTC\+01:00 and UTC\+02:00"):
        TSPTW(WAYS, [zones, None, None])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_equal_times_of_return_the_cheapest_is_found_soon(seed: int) -> None:
    ways = [
        [0, 46.755, 3.606, 45.277, 22.091],
        [46.755, 0, 45.967, 37.363, 62.434],
        [3.606, 45.967, 0, 42.107, 20.025],
        [45.277, 37.363, 42.107, 0, 46.239],
        [22.091, 62.434, 20.025, 46.239, 0],
    ]
    windows = [(0, 800), (6, 62), None, None, (330, 344)]
    how: Any = {"service": [0, 15, 5, 10, 15], "late": "time", "objective": "return"}
    found = nestor.solve(TSPTW(ways, windows, **how), playouts=3000, seed=seed)
    assert found.moves == [2, 1, 3, 4]


def test_names_that_are_numbers_are_never_taken_for_places(tmp_path: Path) -> None:
    times = np.array([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0.0]])

    def day(names: list[str], **more: Any) -> TSPTW:
        return TSPTW(times, [None] * 4, names=names, **more)

    clear, unclear = ["100", "101", "102", "103"], ["100", "3", "2", "1"]
    (file := tmp_path / "tour.txt").write_text("103\n102\n101\n")
    for names in ([103, 102, 101], ["103", "102", "101"], np.array([103, 102, 101]), file):
        assert day(clear, previous=names, change_cost=1).previous == (3, 2, 1)
        tour = nestor.solve(day(clear), initial=names, playouts=1).solution
        assert isinstance(tour, Tour)
        assert tour.order == (3, 2, 1)
    assert day(clear, pinned=[103, 101], before=[(103, 102)]).pinned == (3, 1)
    assert day(clear, pinned=[3, 1], end=2).pinned == (3, 1)
    kept = day(unclear, pinned="3; 2", previous=["1", "2"], change_cost=1, before=[("2", "1")])
    assert kept.pinned == (1, 2)
    assert TSPTW.from_dict(json.loads(json.dumps(kept.to_dict()))) == kept
    assert kept.unpruned.pinned == (1, 2)
    for asked in ({"pinned": ["C", "A"]}, {"previous": ["C", "A"], "change_cost": 1}):
        numbered = day(["3", "A", "B", "C"], **asked)
        again = TSPTW.from_dict(json.loads(json.dumps(numbered.to_dict())))
        for each in (numbered, numbered.unpruned, again):
            assert (each.pinned or each.previous) == (3, 1)
    file.write_text("3 2 1")
    for more in (
        {"pinned": [3, 1]},
        {"before": [(1, 3)]},
        {"last": 1},
        {"previous": [1, 2, 3], "change_cost": 1},
        {"previous": file, "change_cost": 1},
    ):
        with pytest.raises(InputError, match="may be a name, or the number of the stop named '"):
            day(unclear, **more)
    for start in ([1, 2, 3], file):
        with pytest.raises(InputError, match="may be a name"):
            nestor.solve(day(unclear), initial=start, playouts=1)
    with pytest.raises(InputError, match="no stop is named"):
        day(clear, first="2")
    table = tmp_path / "stops.csv"
    table.write_text("name,x,y,due,position,before\n9,0,0,,,\n2,1,0,,first,\n1,2,0,,,3\n3,4,0,,,\n")
    assert (TSPTW.read(table).first, TSPTW.read(table).before) == (1, ((2, 3),))


def test_a_van_leaves_before_the_first_time_only_for_what_closes_before_the_day() -> None:
    for window, leaves in (
        (("-1:30", "09:00"), "-01:30"),
        (("-1:30", None), "-01:30"),
        (("06:00", "06:30"), "00:00"),
    ):
        problem = TSPTW(TIMES[:3, :3], [None, window, None])
        assert schedule.rows(problem.solution([1, 2]))[0]["leave"] == leaves
    early = TSPTW(TIMES[:3, :3], [None, (None, "-0:30"), None]).solution([1, 2])
    assert early.feasible
    windows = [None, ("-1:00", "-0:30"), None]
    waits = TSPTW(TIMES[:3, :3], windows, service=[0, 0, 60]).solution([1, 2])
    assert waits.departure < -100
    assert "It can leave as late as -01:07:" in str(waits)
    # Stops that open in the day make no van leave before it.
    for hours, departure in ((("08:00", None), -60), (None, -1062)):
        day = TSPTW(TIMES, [None, ("-1:00", "-0:30"), hours, hours], service=[0, 0, 500, 500])
        assert day.solution([1, 2, 3]).departure == departure


def test_the_slack_at_the_start_is_how_much_later_the_tour_can_leave() -> None:
    tour = TSPTW(TIMES[:3, :3], [("07:00", None), ("08:00", "09:00"), None]).solution([1, 2])
    found = schedule.rows(tour)
    assert found[0]["slack"] == tour.latest_departure - 420 == found[1]["wait"] > 0


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ([None, [("08:00", "12:00"), ("11:00", "18:00")], None], "(A): 11:00 is before 12:00"),
        ([None, [("13:00", "12:00"), ("14:00", "18:00")], None], "(A): 12:00 is before 13:00"),
        ([[("08:00", "12:00"), ("14:00", "18:00")], None, None], "(D) is the depot"),
        ([None, [("08:00", "12:00"), ("14?", "18:00")], None], "(A): '14?' is not a time"),
        ([None, [None, ("14:00", "18:00")], None], "(A): each window must have two times"),
        ([None, [], ("08:00", None)], "(A) must have two times"),
        ([None, ("13:00", "12:00"), None], "(A) closes at 12:00, before it opens at 13:00"),
    ],
)
def test_errors_of_windows_have_names_and_times_as_they_were_given(
    windows: Any, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        TSPTW(TIMES[:3, :3], windows, names=["D", "A", "B"])


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("0,0;1,5;2,5\n1,5;0,0;3,5\n2,5;3,5;0,0\n", [1.5, 2.5]),
        (";A;B;C\nA;0,00;1,25;2,5\nB;1,5;0,0;3,5\nC;2,5;3,5;0,0\n", [1.25, 2.5]),
        ("0,0\t1,5\n1,5\t0,0\n", [1.5]),
    ],
)
def test_a_matrix_may_have_decimal_commas(text: str, times: list[float], tmp_path: Path) -> None:
    (path := tmp_path / "m.csv").write_text(text)
    assert TSPTW.read(path).matrix[0, 1:].tolist() == times


def test_decimal_commas_between_commas_are_told_of(tmp_path: Path) -> None:
    for text in ("0,0,1,5\n1,5,0,0\n", ",A,B\nA,0,0,1,5\nB,1,5,0,0\n"):
        (path := tmp_path / "m.csv").write_text(text)
        with pytest.raises(InputError, match=r"m.csv:[12]: .*put semicolons between the cells"):
            TSPTW.read(path)


def test_a_tour_in_an_encoding_of_windows_is_told_of(tmp_path: Path) -> None:
    (path := tmp_path / "tour.txt").write_bytes("Mill\nCafé\n".encode("cp1252"))
    names = ["D", "Mill", "Café"]
    with pytest.warns(RuntimeWarning, match=r"tour.txt:2: this is not UTF-8, so it is read in the"):
        problem = TSPTW(TIMES[:3, :3], [None] * 3, names=names, previous=path, change_cost=1)
    assert problem.previous == (1, 2)
    path.write_bytes(b"Mill\nCaf\x81\n")
    with pytest.raises(InputError, match=r"tour.txt:2: not UTF-8 text.* save it as UTF-8"):
        TSPTW(TIMES[:3, :3], [None] * 3, names=names, previous=path, change_cost=1)
    path.write_bytes("Mill\nCafé\n".encode("utf-16"))
    problem = TSPTW(TIMES[:3, :3], [None] * 3, names=names, previous=path, change_cost=1)
    assert problem.previous == (1, 2)


def test_a_score_has_the_decimals_of_the_lateness_and_no_time_of_day_where_more_counts() -> None:
    windows = [("08:00", None), ("08:00", "08:01"), None]
    problem = TSPTW(1000.06 * TIMES[:3, :3], windows, late="time")
    tour = problem.solution([1, 2])
    assert f"{tour.lateness:.1f} min late in all" in tour.headline()
    assert problem.show_score(tour.score) == f"{tour.lateness:.1f} min late"
    plain = TSPTW(TIMES[:3, :3], windows, late="time", objective="return")
    assert ":" in plain.show_score(500.0)
    assert ":" not in dataclasses.replace(plain, late=10).show_score(500.0)


def test_files_of_a_tour_have_the_stops_that_are_left_out(tmp_path: Path) -> None:
    places = np.array([[48.8, 2.3], [48.9, 2.4], [48.7, 2.5]])
    problem = TSPTW(
        TIMES[:3, :3],
        [None] * 3,
        names=["D", "A", "B"],
        positions=places,
        geographic=True,
        penalty=[None, None, 0.0],
    )
    tour = problem.solution([1])
    (path := tmp_path / "tour.csv").write_text(schedule.csv_text(tour))
    assert path.read_text().splitlines()[-1] == "left out,2,B,,,,,,"
    assert problem.moves_in(path) == [1, 0]
    points = json.loads(geojson.text(tour))["features"]
    assert points[-1]["properties"] == {"stop": 2, "name": "B", "left_out": True}
    assert points[-1]["geometry"]["coordinates"] == [2.5, 48.7]
    assert tour.to_dict()["names_left_out"] == ["B"]


@pytest.mark.parametrize("now", ["830", "8.30"])
def test_now_is_a_time_of_day_where_the_others_are(now: str, tmp_path: Path) -> None:
    text = "name,x,y,ready,due\ndepot,0,0,08:00,18:00\nmill,1,1,,\nzoo,2,2,09:00,12:00\n"
    path = written(tmp_path, "stops.csv", text)
    with pytest.raises(InputError, match=f"now: '{now}' is a number where other times are HH:MM"):
        TSPTW.read(path, pinned=("mill",), now=now)
    assert TSPTW.read(path, pinned=("mill",), now="08:30").now == 510.0
    for text in (
        "8.30 Uhr",
        "8h30",
        "12.05.2026 08:30",
        "2026-05-12T08:30:00",
        "ab 8:30",
        "8:30 AM",
    ):
        assert TSPTW.read(path, pinned=("mill",), now=text).now == 510.0
    for moment in (datetime(2026, 5, 12, 8, 30), frames()[0].Timestamp("2026-05-12 08:30")):
        assert TSPTW.read(path, pinned=("mill",), now=moment).now == 510.0
    with pytest.raises(InputError, match="now: 'soon' is not a time such as 10:30"):
        TSPTW.read(path, pinned=("mill",), now="soon")
    with pytest.raises(InputError, match="now: '8-10 Uhr' is not a time such as 10:30"):
        TSPTW.read(path, pinned=("mill",), now="8-10 Uhr")
