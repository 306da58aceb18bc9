"""Data frames of stops with what spreadsheets put into them."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import numpy as np
import pytest

from nestor import InputError
from nestor.problems import TSPTW

pandas = pytest.importorskip("pandas")


def test_rows_without_anything_are_no_stops() -> None:
    nothing = [None, None, None, " "]
    rows = [["D", 48.7, 9.1, "08:00"], nothing, ["A", 48.8, 9.2, "09:00"], nothing, nothing]
    frame = pandas.DataFrame(rows, columns=["name", "lat", "lon", "ready"])
    problem = TSPTW.from_frame(frame, speed="30 km/h")
    assert problem.names == ("D", "A")
    frame.loc[3, "ready"] = "10:00"
    with pytest.raises(InputError, match="row 3: this looks like a row of totals"):
        TSPTW.from_frame(frame, speed="30 km/h")


DAY = datetime(2026, 11, 30)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (
            [time(8), DAY.replace(hour=9), DAY.replace(day=29)],
            "2026-11-30 09:00:00 has a date, and",
        ),
        ([DAY.replace(hour=8), "09:00", None], "row 1: column 'ready': 09:00 has no date, and the"),
        ([DAY.replace(hour=8), None, timedelta(hours=9)], "row 2: column 'ready': 9:00:00 has no"),
        ([time(8), None, datetime(1900, 1, 1)], "and the times before have none: .*: write 24:00"),
    ],
)
def test_dates_among_times_without_are_refused(times: list[Any], said: str) -> None:
    frame = pandas.DataFrame({"x": [0, 1, 2], "y": [0, 1, 2]})
    frame["ready"] = pandas.Series(times, dtype=object)
    with pytest.raises(InputError, match=said):
        TSPTW.from_frame(frame)
    with pytest.raises(InputError, match=said.split(": ")[-1]):
        TSPTW(1 - np.eye(3), [(each, None) for each in times])


@pytest.mark.parametrize("closes", ["00:00", time(0), timedelta(0)])
def test_midnight_at_the_end_of_the_day_is_told(closes: Any) -> None:
    day = {"x": [0, 1], "y": [0, 1], "ready": ["22:00", "22:00"], "due": ["26:00", closes]}
    with pytest.raises(InputError, match=r"row 1: column 'due': 00:00.*midnight at the .* 24:00$"):
        TSPTW.from_frame(pandas.DataFrame(day))
    with pytest.raises(InputError, match=r"closes at 00:00, before .*midnight at the .* is 24:00$"):
        TSPTW(1 - np.eye(2), [None, ("22:00", closes)])


def test_rows_are_named_by_their_labels_too() -> None:
    frame = pandas.DataFrame({"x": [0, 1, "far", 3], "y": [0, 1, 2, 3], "due": [9] * 4})
    for dropped, said in (([], "row 2: column 'x'"), ([1], r"row 1 \(index 2\): column 'x'")):
        with pytest.raises(InputError, match=f"stops: {said}: 'far' is not a number"):
            TSPTW.from_frame(frame.drop(dropped))


@pytest.mark.parametrize(
    "service", [["", "10 min", "1h"], [None, "10", "1:00"], [np.nan, 10, "60"]]
)
def test_lengths_of_service_are_read_as_in_tables(service: list[Any]) -> None:
    day = [("08:00", "18:00"), None, None]
    for problem in (
        TSPTW(1 - np.eye(3), day, service=service),
        TSPTW.from_coordinates([(0, 0), (3, 4), (6, 8)], day, service=service),
        TSPTW(1 - np.eye(3), [[480, 1080], None, None], clock=True, service=service),
    ):
        assert problem.service is not None
        assert problem.service.tolist() == [0, 10, 60]
    assert TSPTW(1 - np.eye(3), day, service="10 min") == TSPTW(1 - np.eye(3), day, service=10)


@pytest.mark.parametrize(
    ("service", "opens", "said"),
    [
        (["", "long", "1h"], "08:00", r"stop 1 \(A\): 'long' is not a number, or a length such as"),
        (["", "5", "1h"], 480, r"service: stop 2 \(B\): '1h' is not a number; lengths such as 10 "),
        (["", "-5", 0], "08:00", r"service: that of stop 1 \(A\) must be from 0"),
        (["", "8:75", 0], "08:00", r"service: stop 1 \(A\): '8:75' is not a time"),
    ],
)
def test_service_that_is_no_length_is_refused(service: Any, opens: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        TSPTW(1 - np.eye(3), [(opens, None)] * 3, service=service, names=["D", "A", "B"])
