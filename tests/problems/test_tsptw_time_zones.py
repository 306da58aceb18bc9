"""Times with a date and a time zone in the cells of a table, as programs write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor import InputError
from nestor.problems import TSPTW

HEADER = "name,x,y,ready,due\n"


def read(folder: Path, *rows: str, now: str | None = None) -> TSPTW:
    (folder / "stops.csv").write_text(HEADER + "".join(f"{row}\n" for row in rows))
    return TSPTW.read(folder / "stops.csv", pinned=[1] if now else None, now=now)


@pytest.mark.parametrize("zone", ["+01:00", "Z", "-0330", "+00"])
@pytest.mark.parametrize("form", ["T{}:00", " {}:00", "T{}:00.000", "T{}"])
def test_times_with_a_zone_are_read_as_in_data_frames(zone: str, form: str, tmp_path: Path) -> None:
    def at(day: int, hour: str) -> str:
        return f"2026-11-{day}{form.format(hour)}{zone}"

    rows = f"D,0,0,{at(29, '22:00')},{at(30, '18:00')}", f"A,1,1,,{at(30, '06:30')}", "B,2,2,,"
    problem = read(tmp_path, *rows, now=at(30, "01:00"))
    assert problem.clock
    assert problem.windows[:2, 1].tolist() == [42 * 60, 30.5 * 60]
    assert problem.windows[0, 0] == 22 * 60
    assert problem.now == 25 * 60
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(tmp_path / "stops.csv")
    for column in ("ready", "due"):
        frame[column] = pandas.to_datetime(frame[column], format="ISO8601")
    assert TSPTW.from_frame(frame).windows.tolist() == problem.windows.tolist()


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            "2026-11-30T06:00:00+01:00",
            "09:00",
            "stops.csv:3: column 'due': '09:00' has no date with a time zone, and other times have",
        ),
        (
            "2026-11-30T06:00:00Z",
            "2026-11-30 09:00",
            "stops.csv:3: column 'due': '2026-11-30 09:00' has no date with a time zone, and other",
        ),
        (
            "2026-11-30T06:00:00+01:00",
            "2026-11-30T09:00:00+02:00",
            "stops.csv:1: times are of several time zones, UTC+01:00 and UTC+02:00: convert them",
        ),
        (
            "2026-11-30 06:00",
            "2026-11-30 25h99",
            "stops.csv:3: column 'due': '2026-11-30 25h99' is not a time such as 08:15 or 16:30",
        ),
    ],
)
def test_what_has_no_zone_among_others_is_told_once(
    first: str, second: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"D,0,0,{first},", f"A,1,1,,{second}")
    assert str(caught.value).startswith(f"{tmp_path}/{said}")
    assert ";\n" not in str(caught.value)
