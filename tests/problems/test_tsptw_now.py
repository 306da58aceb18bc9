"""When a tour goes on that has begun: `now` in the forms that times have."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError
from nestor.problems import TSPTW
from nestor.problems.tsptw import Tour

WAYS = [[0, 12, 20], [11, 0, 9], [19, 9, 0]]
LIMITS = [
    (datetime(2026, 11, 30, 8), datetime(2026, 12, 1, 18)),
    None,
    (None, datetime(2026, 12, 1, 10)),
]
MORNING = datetime(2026, 12, 1, 11)


def over_two_days(now: Any) -> list[TSPTW]:
    """Return the same day from a frame and from windows."""
    columns = zip(*(pair or (None, None) for pair in LIMITS), strict=True)
    data = {"name": ["Depot", "A", "B"], **dict(zip(("ready", "due"), columns, strict=True))}
    frames = [pytest.importorskip(library).DataFrame(data) for library in ("pandas", "polars")]
    given: dict[str, Any] = {"pinned": [1], "now": now, "late": "time"}
    found = [TSPTW.from_frame(frame, matrix=WAYS, **given) for frame in frames]
    return [*found, TSPTW(WAYS, LIMITS, **given)]


@pytest.mark.parametrize(
    "now",
    [
        MORNING,
        np.datetime64(MORNING),
        MORNING.replace(tzinfo=UTC),
        *("2026-12-01 11:00", "01.12.2026 11 Uhr", "2026-12-01T11:00:00Z"),
        *("35:00", "1 d 11:00", 35 * 60),
    ],
)
def test_the_date_of_now_counts_where_the_times_have_dates(now: Any) -> None:
    for problem in over_two_days(now):
        assert problem.now == 35 * 60
        tour = nestor.solve(problem, playouts=20, seed=1).solution
        assert isinstance(tour, Tour)
        assert tour.lateness == 60 + 9


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("11:00", "'11:00' has no date, and the other times have: 2026-11-30 to 2026-12-01"),
        (time(11), "has no date, and the other times have"),
        ("12/01/2026 11:00", "write its date as those of the other times, 2026-11-30 to"),
        (datetime(2026, 12, 3, 11), "2026-12-03 is not among the days of the other times"),
        ("2026-11-29 11:00", "2026-11-29 is not among the days of the other times"),
    ],
)
def test_a_date_that_is_missing_or_wrong_is_told(now: Any, said: str) -> None:
    with pytest.raises(InputError, match=f"now: .*{said}"):
        over_two_days(now)


def test_now_may_be_on_the_day_after_that_of_the_times(tmp_path: Path) -> None:
    (path := tmp_path / "stops.csv").write_text(
        "name,x,y,ready,due\nDepot,0,0,30.11.2026 8:00,30.11.2026 23:00\nA,1,1,,\nB,2,2,,\n"
    )
    for now, wanted in (
        ("9:00", 540.0),
        ("30.11.2026 9:00", 540.0),
        ("2026-12-01 00:30", 1470.0),
        (datetime(2026, 12, 1, 0, 30), 1470.0),
    ):
        assert TSPTW.read(path, pinned=["A"], now=now).now == wanted
    # Midnight ends the day.
    closes = (datetime(2026, 11, 30, 8), datetime(2026, 12, 1))
    assert TSPTW(WAYS, [closes, None, None], pinned=[1], now="9:00").now == 540


def test_now_is_taken_to_the_time_zone_of_the_times() -> None:
    zone = timezone(timedelta(hours=1))
    opens = datetime(2026, 11, 30, 8, tzinfo=zone)
    nows: list[Any] = [datetime(2026, 11, 30, 8, tzinfo=UTC), "2026-11-30T08:00Z"]
    for now in nows:
        assert TSPTW(WAYS, [(opens, None), None, None], pinned=[1], now=now).now == 540


@pytest.mark.parametrize(
    "now",
    [
        *("11:10\u00a0Uhr", "11:10\u202fam", "11:10\u202fa.\u00a0m.", "2026-11-30\u00a011:10"),
        *("2026-11-30T11:10:00Z", "2026-11-30T11:10:00+01:00", "2026-11-30T11:10:00.000"),
        np.datetime64("2026-11-30T11:10"),
    ],
)
def test_now_is_read_as_the_times_of_tables_and_programs_are(now: Any) -> None:
    assert TSPTW(WAYS, [("08:00", "18:00"), None, None], pinned=[1], now=now).now == 670


def test_times_before_the_day_may_be_durations() -> None:
    windows = [(timedelta(minutes=-90), timedelta(hours=8)), None, None]
    assert TSPTW(WAYS, windows).windows[0].tolist() == [-90, 480]
