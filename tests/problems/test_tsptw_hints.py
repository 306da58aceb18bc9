"""Errors say what would be right, in the words of somebody who has a table of stops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError
from nestor.problems import TSPTW
from support.commands import Nestor

HEADER = "name,x,y,ready,due\nDepot,0,0,08:00,18:00\n"
CLOSED = "; a stop that is closed cannot be visited: take its row out"
ALWAYS = "; a stop that is always open has an empty cell"
NUMBER = "is a number where other times are HH:MM"


def table(folder: Path, text: str, name: str = "stops.csv") -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        ("0.4791666,", f"{NUMBER}: as a part of a day, as spreadsheets save times, it is 11:30"),
        ('"0,5",', f"{NUMBER}: as a part of a day, as spreadsheets save times, it is 12:00"),
        ("7.3,", f"'7.3' {NUMBER}: write 7:30 if that is meant"),
        ("7.30,", f"'7.30' {NUMBER}: write 7:30"),
        ("0930,", f"'0930' {NUMBER}: write 09:30"),
        ("9,", f"'9' {NUMBER}: write 9:00 if that is meant"),
        ("closed,", f"'closed' is not a time such as 08:15 or 16:30{CLOSED}"),
        (",Ruhetag", f"'Ruhetag' is not a time such as 08:15 or 16:30{CLOSED}"),
        ("geschlossen,", f"is not a time such as 08:15 or 16:30{CLOSED}"),
        ("Fermé,", f"is not a time such as 08:15 or 16:30{CLOSED}"),
        ("24h,", f"'24h' is not a time such as 08:15 or 16:30{ALWAYS}"),
        (",ganztägig", f"is not a time such as 08:15 or 16:30{ALWAYS}"),
        (",ab 9 Uhr", "'ab 9 Uhr' is when the stop opens, and this column is when it closes: give"),
        ("bis 9 Uhr,", "'bis 9 Uhr' is when it closes, and this column is when the stop opens"),
        ("8-10,", "'8-10' is when the stop opens and when it closes, and this column is when the"),
    ],
)
def test_what_is_no_time_is_told_with_what_would_be(hours: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        TSPTW.read(table(tmp_path, f"{HEADER}A,1,1,{hours}\n"))
    assert said in str(caught.value)
    assert ";\n" not in str(caught.value)


def test_a_stop_may_close_at_24h(tmp_path: Path) -> None:
    problem = TSPTW.read(table(tmp_path, f"{HEADER}A,1,1,9h,24h\n"))
    assert problem.windows[1].tolist() == [540, 1440]


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ("7.30", "an appointment, 10:30-10:30: write that as 7:30-7:30"),
        ("9 Uhr", "an appointment, 10:30-10:30: write that as 9 Uhr-9 Uhr"),
        ("Ruhetag", f"an appointment, 10:30-10:30{CLOSED}"),
        ("24 h", f"an appointment, 10:30-10:30{ALWAYS}"),
    ],
)
def test_what_is_no_window_is_told_with_what_would_be(
    window: str, said: str, tmp_path: Path
) -> None:
    text = f"name,x,y,window\nDepot,0,0,08:00-18:00\nA,1,1,{window}\n"
    with pytest.raises(InputError) as caught:
        TSPTW.read(table(tmp_path, text))
    assert str(caught.value).endswith(said)


@pytest.mark.parametrize("names", ["geo_lat,geo_lng", "stop_lat,stop_lon"])
def test_longer_names_of_coordinates_are_told_with_what_to_give(names: str, tmp_path: Path) -> None:
    stops = table(tmp_path, f"name,{names},due\nD,48.7,9.1,\nA,48.8,9.2,18:00\n")
    lat, lon = names.split(",")
    with pytest.raises(InputError) as caught:
        TSPTW.read(stops)
    assert f"column {lat!r}: did you mean 'lat'?" in str(caught.value)
    columns = f"{lat}=lat, {lon}=lon"
    assert f"give columns={columns!r}" in str(caught.value)
    assert TSPTW.read(stops, columns=columns).geographic


def test_a_quote_that_is_not_closed_is_told(tmp_path: Path) -> None:
    for row, said in (
        ('"A,1,1,,\n', 'stops.csv:3: .*: a quote (") that begins a cell here, or further down'),
        ('"A"B",1,1,,\n', "stops.csv:3: .*; a quote within a cell is written twice"),
    ):
        with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
            TSPTW.read(table(tmp_path, f"{HEADER}{row}B,2,2,,\n"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"late": 0.0}, "late must be more than 0, not 0.0: where lateness costs nothing, leave "),
        ({"late": -1}, "late must be more than 0, not -1"),
        (
            {"end": "none"},
            "end: no stop is named 'none'; .*; or give 'open', for wherever the last",
        ),
    ],
)
def test_arguments_are_told_with_what_would_be_right(asked: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        TSPTW(1 - np.eye(3), [None] * 3, names=["D", "A", "B"], **asked)


def test_a_stop_that_is_there_twice_is_named() -> None:
    problem = TSPTW(1 - np.eye(4), [None] * 4, names=["D", "A", "B", "C"])
    said = r"initial: move number 2 \(1\) is not legal: stop 1 \(A\) is there already"
    with pytest.raises(InputError, match=said):
        nestor.solve(problem, initial=[1, 1, 2], playouts=9)
    with pytest.raises(InputError, match="a stop is a number from 1 to 3, not 4"):
        problem.part([4])
    with pytest.raises(InputError, match="these are 2 stops, 1 of them different"):
        problem.solution([1, 1])


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (2, "the earliest possible end at stop 2 (Ost) after stop 1 (Mitte) is 18:06"),
        (1, "the earliest possible end at stop 1 (Mitte) is 18:05"),
        ("open", "the earliest possible end at stop 1 (Mitte) is 18:05"),
        (None, "the earliest possible return from stop 1 (Mitte) is 18:06"),
    ],
)
def test_where_nobody_returns_the_end_is_told(end: Any, said: str) -> None:
    windows = [("08:00", "18:00"), ("17:55", None), None]
    names = ["Depot", "Mitte", "Ost"]
    problem = TSPTW(1 - np.eye(3), windows, service=[0, 10, 0], names=names, end=end)
    (told,) = problem.impossible
    assert str(told) == f"the depot closes at 18:00, {said}"


def test_a_missing_way_to_the_end_is_told() -> None:
    ways = [[0, 1, 1], [1, 0, np.inf], [1, 1, 0]]
    told, _ = TSPTW(ways, [("08:00", "18:00"), None, None], end=2).impossible
    assert str(told) == "there is no way from stop 1 to stop 2"


def test_each_fault_of_a_table_has_a_line_of_its_own(tmp_path: Path, run: Nestor) -> None:
    stops = table(tmp_path, HEADER + "".join(f"S{k},1,1,soon,\n" for k in range(12)))
    with pytest.raises(InputError) as caught:
        TSPTW.read(stops)
    assert run("solve", "tsptw", str(stops)).err == f"Error: {caught.value}\n"
    assert str(caught.value).count("\n") == 10


# A tour of another day, where stops have the same name


TWICE = ["D", "Kiosk", "A", "Kiosk", "B"]


@pytest.mark.parametrize(
    ("given", "order"),
    [
        (["B", "Kiosk", "A", "Kiosk"], [4, 1, 2, 3]),
        (["D", "Kiosk", "Kiosk", "B", "A", "D"], [1, 3, 4, 2]),
        (["Kiosk", "A", "B"], None),
        (["Kiosk", "Kiosk", "A", "Kiosk", "B"], None),
    ],
)
@pytest.mark.filterwarnings("ignore:names")
def test_stops_of_one_name_are_matched_in_their_order(
    given: list[str], order: list[int] | None, tmp_path: Path
) -> None:
    problem = TSPTW(1 - np.eye(5), [None] * 5, names=TWICE)
    path = table(tmp_path, json.dumps(given), "tour.json")
    for told, where in ((given, "initial"), (path, f"{path}: initial")):
        if order is None:
            with pytest.raises(InputError) as caught:
                nestor.solve(problem, nestor.Sampling(), initial=told, playouts=1)
            count = given.count("Kiosk")
            said = f"2 stops are named 'Kiosk', 1 and 3, and the tour has {count}: give them"
            assert f"{where}: {said}" in str(caught.value)
            with pytest.raises(InputError, match=f"^previous: ?.*{said}"):
                TSPTW(1 - np.eye(5), [None] * 5, names=TWICE, previous=told, change_cost=1)
        else:
            begun = nestor.solve(problem, nestor.Sampling(), initial=told, playouts=1)
            assert begun.moves == order
            day = TSPTW(1 - np.eye(5), [None] * 5, names=TWICE, previous=told, change_cost=1)
            assert day.previous == tuple(order)


def test_the_end_may_have_the_name_of_the_depot() -> None:
    with pytest.warns(RuntimeWarning, match="only if they have it as often"):
        problem = TSPTW(1 - np.eye(4), [None] * 4, names=["D", "A", "B", "D"], end=3)
    found = nestor.solve(problem, nestor.Sampling(), initial=["D", "B", "A", "D"], playouts=1)
    assert found.moves == [2, 1, 3]
