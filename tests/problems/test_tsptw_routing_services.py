"""Matrices as routing services answer them, and those whose unit is not that of the times."""

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

SECONDS: list[list[Any]] = [[0, 600, None], [660, 0, 540.6], [1200, 480, 0]]
MINUTES = [[0, 10, np.inf], [11, 0, 9.01], [20, 8, 0]]
OSRM = {"code": "Ok", "durations": SECONDS, "sources": [{"name": "A street", "distance": 4.2}]}
SERVICE = {"durations": SECONDS, "metadata": {"service": "matrix"}}
STOPS = "name,ready,due,service\nDepot,08:00,18:00,\nMill,09:00,,10\nBakery,,12:00,5\n"


def stops_of(folder: Path, table: str = STOPS) -> Path:
    (folder / "stops.csv").write_text(table)
    return folder / "stops.csv"


@pytest.mark.parametrize("answer", [OSRM, SERVICE, SECONDS], ids=["OSRM", "service", "rows"])
@pytest.mark.parametrize("name", ["osrm.json", "answer.txt"])
@pytest.mark.parametrize("indent", [None, 1])
def test_the_answer_of_a_routing_service_is_a_matrix(
    answer: Any, name: str, indent: int | None, tmp_path: Path, run: Nestor
) -> None:
    file = tmp_path / name
    file.write_text(json.dumps(answer, indent=indent))
    stops = stops_of(tmp_path)
    unit: Any = "seconds" if answer is SECONDS else None
    for matrix in (answer, file):
        problem = TSPTW.read(stops, matrix=matrix, time_unit=unit)
        assert problem.matrix == pytest.approx(np.array(MINUTES), rel=1e-12)
    nestor.solve(problem, playouts=50).solution.verify()
    if unit is None:
        assert TSPTW.read(stops, matrix=file, time_unit="seconds") == problem
        wrong: Any
        for wrong in ("minutes", "hours"):
            with pytest.raises(InputError, match=rf"durations of .* are in seconds, not {wrong}"):
                TSPTW.read(stops, matrix=file, time_unit=wrong)
    alone = TSPTW.read(file)
    factor = 60 if answer is SECONDS else 1
    assert alone.matrix == pytest.approx(factor * np.array(MINUTES), rel=1e-12)
    if name.endswith("json"):
        assert run("solve", "tsptw", str(file), "--playouts", "9").code == 0


@pytest.mark.parametrize("windows", [[("08:00", "18:00"), None, None], [None] * 3])
def test_an_answer_is_a_matrix_in_python(windows: Any) -> None:
    problem = TSPTW(OSRM, windows)
    assert problem.matrix == pytest.approx(np.array(MINUTES), rel=1e-12)
    for rows in (SECONDS, tuple(map(tuple, SECONDS))):
        assert TSPTW(rows, [None] * 3).matrix[0].tolist() == [0, 600, np.inf]
    later = [(480, 1080), None, None]
    assert TSPTW(OSRM, later, clock=True).matrix[1, 0] == 11
    for numbers in (later, np.array([(480, 1080)] * 3)):
        with pytest.raises(InputError, match="matrix: durations are seconds, and the windows are"):
            TSPTW(OSRM, numbers)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"code": "Ok", "distances": [[0]]}, r"no 'durations': ask .*annotations=duration"),
        ({"code": "InvalidUrl", "message": "bad"}, "no 'durations', but 'bad': ask the service"),
        ({"error": {"message": "key"}}, "no 'durations', but {'message': 'key'}: ask"),
        ({"durations": [[0, "a"], [1, 0]]}, r"must be real numbers, not 'a' at \[0, 1\]"),
        ({"durations": [[0, 1]]}, "must be square"),
        ({"durations": "none"}, "must be real numbers, not 'none'"),
        ([[0, 1], [2]], "rows of equal length; row 1 has 1, and row 0 has 2"),
        ("[[0, 1], [2, ", "not JSON: "),
    ],
)
def test_an_answer_without_durations_is_refused(answer: Any, said: str, tmp_path: Path) -> None:
    file = tmp_path / "osrm.json"
    file.write_text(answer if isinstance(answer, str) else json.dumps(answer))
    with pytest.raises(InputError, match=rf"osrm.json.*{said}"):
        TSPTW.read(stops_of(tmp_path), matrix=file)
    if not isinstance(answer, str):
        with pytest.raises(InputError, match=rf"matrix.*{said}"):
            TSPTW(answer, [None] * 3)


def test_durations_beside_windows_that_are_numbers_are_refused(tmp_path: Path) -> None:
    stops = stops_of(tmp_path, "name,ready,due\nD,0,100\nA,0,50\nB,,\n")
    with pytest.raises(InputError, match="the windows are numbers, whose unit is not known"):
        TSPTW.read(stops, matrix=OSRM)


@pytest.mark.parametrize("cell", ["null", "", "None", "-"])
def test_a_cell_without_a_number_is_told_how_no_way_is_written(cell: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(f"0,1,2\n1,0,{cell}\n1,2,0\n")
    with pytest.raises(InputError, match=r"m.csv:2: column 3: .* number; inf is no way"):
        TSPTW.read(stops_of(tmp_path), matrix=tmp_path / "m.csv")


@pytest.mark.parametrize(
    ("factor", "told", "cure"),
    [
        (60, r"enough if it is in seconds \(a factor of 60\), or in metres at 30 km/h", "60"),
        (900, r"enough if it is in metres at 30 km/h \(a factor of 500\)", "500"),
        (60_000, r"enough if it is in milliseconds \(a factor of 60000\)", "60000"),
    ],
)
def test_a_matrix_in_a_smaller_unit_is_told_with_what_fits(
    factor: int, told: str, cure: str, tmp_path: Path
) -> None:
    ways = 20.0 * factor * (1 - np.eye(11))
    day: list[Any] = [("08:00", "18:00"), *[None] * 10]
    with pytest.warns(RuntimeWarning, match=rf"matrix: .*{told}.*: if so, divide it by {cure}"):
        TSPTW(ways, day)
    stops = stops_of(tmp_path, "name,due\nD,18:00\n" + "".join(f"{k},\n" for k in range(10)))
    say = r"say so with time_unit='seconds', or" if factor == 60 else f"divide it by {cure}, or say"
    with pytest.raises(InputError, match=rf"{told}.*{say} time_unit='minutes' if it is right"):
        TSPTW.read(stops, matrix=ways)
