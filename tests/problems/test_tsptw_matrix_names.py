"""Names of the rows and columns of a matrix, which may be the numbers of customers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nestor import InputError
from nestor.problems import TSPTW

WAYS = [[0, 10, 50], [11, 0, 20], [51, 21, 0]]
"""From and to the stops 101, 102 and 103."""

TURNED = [2, 0, 1]
IDS = ["103", "101", "102"]


def turned() -> list[list[int]]:
    return [[WAYS[a][b] for b in TURNED] for a in TURNED]


def written(path: Path, names: list[str], ways: list[list[int]], corner: str = "") -> Path:
    rows = [[corner, *names]]
    rows += [[name, *map(str, row)] for name, row in zip(names, ways, strict=True)]
    path.write_text("\n".join(map(",".join, rows)))
    return path


def stops(library: str, names: list[Any]) -> Any:
    frames = pytest.importorskip(library)
    return frames.DataFrame({"name": names, "due": ["18:00"] * len(names)})


def test_whole_numbers_are_names_of_a_frame_if_those_of_the_stops() -> None:
    pandas = pytest.importorskip("pandas")
    day = stops("pandas", [101, 102, 103])
    ids = list(map(int, IDS))
    matrix = pandas.DataFrame(turned(), index=ids, columns=ids)
    assert TSPTW.from_frame(day, matrix=matrix).matrix.tolist() == WAYS
    assert TSPTW.from_frame(day, matrix=matrix[ids[::-1]]).matrix.tolist() == WAYS
    with pytest.warns(RuntimeWarning, match="2 of its 3 rows are used"):
        fewer = TSPTW.from_frame(day[1:].reset_index(drop=True), matrix=matrix)
    assert fewer.matrix.tolist() == [[0, 20], [21, 0]]
    for names in ([1, 2, 0], ["Depot", "Mill", "Inn"]):
        # Those that only count the rows are no names.
        counted = TSPTW.from_frame(stops("pandas", names), matrix=pandas.DataFrame(WAYS))
        assert counted.matrix.tolist() == WAYS
    by_place = TSPTW.from_frame(stops("pandas", ["Depot", "Mill", "Inn"]), matrix=matrix)
    assert by_place.matrix.tolist() == turned()


@pytest.mark.parametrize("corner", ["", "name", "id"])
def test_whole_numbers_are_names_of_a_file_if_rows_and_columns_have_them(
    corner: str, tmp_path: Path
) -> None:
    day = tmp_path / "stops.csv"
    day.write_text("name,due\n101,18:00\n102,\n103,\n")
    path = written(tmp_path / "m.csv", IDS, turned(), corner)
    assert TSPTW.read(day, matrix=path).matrix.tolist() == WAYS
    assert TSPTW.read(path).names == (*IDS,)
    day.write_text("name,due\n102,18:00\n103,\n")
    with pytest.warns(RuntimeWarning, match="2 of its 3 rows are used"):
        assert TSPTW.read(day, matrix=path).matrix.tolist() == [[0, 20], [21, 0]]
    day.write_text("name,due\nDepot,18:00\n101,\n102,\n103,\n")
    with pytest.raises(InputError, match=r"stops.csv:2: .* no row of .*m.csv is named 'Depot'"):
        TSPTW.read(day, matrix=path)
    path.write_text(path.read_text().replace("101,102", "102,101", 1))
    with pytest.raises(InputError, match="the rows must have the names of the columns, in the sam"):
        TSPTW.read(day, matrix=path)


def test_each_row_needs_a_column_with_a_name(tmp_path: Path) -> None:
    day, path = tmp_path / "stops.csv", tmp_path / "m.csv"
    day.write_text("name,due\nMill,18:00\nFarm,\n")
    path.write_text("Mill,Inn,Farm\n0,9\n8,0\n")
    with pytest.raises(InputError, match=r"m.csv:1: 3 columns are named, and there are 2 rows; .*"):
        TSPTW.read(day, matrix=path)


def test_a_unit_of_time_is_one_of_a_matrix(tmp_path: Path) -> None:
    day = tmp_path / "stops.csv"
    day.write_text("name,due\n101,18:00\n102,\n103,\n")
    path = written(tmp_path / "m.csv", IDS, turned())
    unit: Any = "hour"
    with pytest.raises(InputError, match=r"time_unit must be one of .*did you mean 'hours'"):
        TSPTW.read(day, matrix=path, time_unit=unit)
    for alone in (day, path):
        with pytest.raises(InputError, match="time_unit is the unit of a matrix beside a table"):
            TSPTW.read(alone, time_unit="hours")


def test_an_empty_diagonal_is_no_name(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(",25,31\n25,,18\n31,18,\n")
    assert TSPTW.read(path).matrix.tolist() == [[0, 25, 31], [25, 0, 18], [31, 18, 0]]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("names", [["Depot", "Mill", "Inn"], [101, 102, 103]])
def test_the_first_column_of_a_frame_may_have_the_names(library: str, names: list[Any]) -> None:
    frames = pytest.importorskip(library)
    order = [names[k] for k in TURNED]
    columns = [*zip(*turned(), strict=True)]
    data = {"to": order} | {f"{name}": column for name, column in zip(order, columns, strict=True)}
    day = stops(library, names)
    assert TSPTW.from_frame(day, matrix=frames.DataFrame(data)).matrix.tolist() == WAYS
    data["to"] = ["Depot", "Mill", "Zoo"]
    with pytest.raises(
        InputError, match=r"rows and columns must have the same names; '.*' is only"
    ):
        TSPTW.from_frame(day, matrix=frames.DataFrame(data))
