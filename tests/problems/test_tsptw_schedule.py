"""What the text, the table and the files say of a tour, as somebody reads them who plans a day."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

from nestor.problems import TSPTW
from nestor.problems.tsptw import to_csv, to_geojson

PLACES = [(48.7, 9.1), (48.8, 9.1), (48.8, 9.2)]


@pytest.mark.parametrize(
    ("end", "due", "last"),
    [(2, "09:20", 2), ("open", "09:20", 2), (2, "08:50", 2), (None, "08:50", 0)],
)
def test_the_column_late_adds_up_to_the_lateness(end: Any, due: str, last: int) -> None:
    tour = TSPTW.from_coordinates(
        PLACES,
        [("08:00", "09:00"), None, (None, due)],
        service=[0, 20, 45],
        metric="haversine",
        speed="30 km/h",
        end=end,
    ).solution([1, 2])
    table = list(csv.DictReader(io.StringIO(to_csv(tour))))
    points = [each["properties"] for each in json.loads(to_geojson(tour))["features"][1:]]
    late = [row["late"] for row in tour.frame().to_dict("records")]
    assert table[-1]["stop"] == f"{last}"
    assert late[-1] == pytest.approx(tour.delays[0] + (tour.delays.get(last, 0.0) if last else 0.0))
    assert sum(late) == pytest.approx(tour.lateness)
    assert sum(point["late"] for point in points) == pytest.approx(tour.lateness)
    assert sum(float(row["late"]) for row in table) == pytest.approx(tour.lateness, abs=0.03)
    assert str(tour).splitlines()[-1].endswith(f" {late[-1]:.1f}")


@pytest.mark.parametrize("objective", ["duration", "cost"])
@pytest.mark.parametrize("loading", [0, 60])
def test_what_counts_as_the_day_begins_with_the_service_at_the_depot(
    objective: str, loading: int
) -> None:
    ways = [[0, 10], [10, 0]]
    windows = [("08:00", "18:00"), ("10:00", None)]
    problem = TSPTW(ways, windows, service=[loading, 5], objective=objective, late="time")
    tour = problem.solution([1])
    begins = 590 - loading
    assert tour.latest_departure == begins
    assert tour.duration == tour.makespan - tour.departure
    at = f"{begins // 60:02}:{begins % 60:02}"
    text = " ".join(str(tour).split())
    if objective == "duration":
        assert tour.departure == begins
        before = f"begins service at {at}, " if loading else ""
        assert f", {before}leaves at 09:50, back at 10:15 after {25 + loading}.0 min" in text
    else:
        assert tour.departure == 480
        before = f"begin service as late as {at}, and leave at" if loading else "leave as late as"
        assert f"It can {before} 09:50: that adds no lateness" in text


def test_the_text_has_the_opening_of_a_stop_that_closes() -> None:
    windows = [("08:00", "18:00"), ("08:00", "12:00"), ("07:00", "12:00"), ("09:00", None), None]
    problem = TSPTW(1 - np.eye(5), windows, late="time")
    _, *rows, _ = str(problem.solution([1, 2, 3, 4])).split("late\n")[1].splitlines()
    assert [row.split()[1:3] for row in rows] == [
        ["08:00", "12:00"],
        ["07:00", "12:00"],
        ["09:00", "08:03"],
        ["09:01", "09:01"],
    ]
