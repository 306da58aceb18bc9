"""Data frames of stops with what spreadsheets put into them."""

from __future__ import annotations

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
