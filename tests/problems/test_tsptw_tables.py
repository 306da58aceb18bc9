"""TSPTW: tables of stops, and files in the styles of Solomon and VRPLIB."""

from __future__ import annotations

import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from nestor.errors import InputError
from nestor.picture import Text
from nestor.problems import TSPTW
from nestor.problems.tsptw import schedule
from nestor.problems.tsptw.checks import NEVER
from support.files import refusal, written

TABLE = """name,x,y,ready,due,service
Depot,0,0,0,100,
Mill,3,4,10,20,2
"Bakery, old",6,8,0,,1.5
Farm,0,8,,90,0
"""
CLOCK = """name,lat,lon,ready,due,service
Depot,48.85,2.35,08:00,18:00,
Mill,48.86,2.34,9:30,10:00,0:10
Farm,48.88,2.36,,26:00,5
"""


def write(folder: Path, content: str | bytes, name: str = "stops.csv") -> Path:
    """Write a file."""
    return written(folder / name, content)


def test_a_table_is_read(tmp_path: Path) -> None:
    problem = TSPTW.read(write(tmp_path, TABLE), objective="makespan", speed=0.5)
    assert problem.names == ("Depot", "Mill", "Bakery, old", "Farm")
    assert problem.matrix[0].tolist() == [0, 10, 20, 16]
    assert problem.service is not None
    assert problem.service.tolist() == [0, 2, 1.5, 0]
    assert problem.windows.tolist() == [[0, 100], [10, 20], [0, NEVER], [0, 90]]
    assert (problem.label, problem.objective, problem.clock) == ("stops.csv", "makespan", False)


RULES = """name,x,y,due,before,position,penalty
Depot,0,0,,,,
Mill,3,4,20,Farm,,
Farm,0,8,,,last,
Inn,9,8,,,,7
"""


def test_arguments_beside_the_columns_of_a_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = write(tmp_path, RULES.replace(",,7", ",,"))
    stops = pandas.read_csv(path)
    for read in partial(TSPTW.read, path), partial(TSPTW.from_frame, stops):
        for given in ([("Inn", "Mill")], "Inn -> mill", "3->1;"):
            assert read(before=given).before == ((1, 2), (3, 1))
        with pytest.raises(InputError, match="before: 'Inn' is not a pair such as Home -> Mill"):
            read(before="Inn; Mill -> Farm")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert read(last="Farm", first="Mill", before=[]).last == 2
        with pytest.warns(RuntimeWarning, match=r"last: 3 \(Inn\) takes the place of 2 \(Farm\)"):
            assert read(last="Inn").last == 3
    with pytest.warns(RuntimeWarning, match=r"penalty: .* the column, which has 3 \(Inn\) 7$"):
        problem = TSPTW.read(write(tmp_path, RULES), penalty=[None, None, None, 8])
    assert problem.left_out[3] == 8


def test_times_of_day_are_minutes_and_latitudes_kilometres(tmp_path: Path) -> None:
    problem = TSPTW.read(write(tmp_path, CLOCK))
    assert problem.clock
    assert problem.geographic
    assert problem.windows.tolist() == [[480, 1080], [570, 600], [0, 1560]]
    assert problem.service is not None
    assert problem.service.tolist() == [0, 10, 5]
    assert problem.matrix[0, 1] == pytest.approx(1.3307, abs=1e-3)


@pytest.mark.parametrize(
    "content",
    [
        TABLE.replace(",", ";").replace("Bakery;", "Bakery,").replace("1.5", "1,5"),
        TABLE.replace(",", "\t").replace("Bakery\t", "Bakery,"),
        TABLE.replace(",", "|").replace("Bakery|", "Bakery,"),
        TABLE.replace("1.5", '"1,5"'),
        "\ufeff" + TABLE.replace("\n", "\r\n"),
        TABLE.replace("\n", "\r"),
        TABLE.replace("\n", "\n\n , ,, ,,\n") + "\n\n",
        TABLE.replace("\n", ",,\n"),
        TABLE.replace("name", "Stop").replace("ready", "READY TIME").replace("due", "Due_Date"),
        "\n" + TABLE,
        TABLE.replace("name,x,y,ready", '"name","x","y","ready"'),
        TABLE.replace("name,x,y,ready", '"name","x","y","ready"')
        .replace(",", ";")
        .replace("Bakery;", "Bakery,"),
        TABLE.replace("name", "customer").replace(",", "\t").replace("Bakery\t", "Bakery,"),
        TABLE.encode("utf-16"),
    ],
)
def test_tables_are_written_in_many_ways(tmp_path: Path, content: str | bytes) -> None:
    assert TSPTW.read(write(tmp_path, content)) == TSPTW.read(write(tmp_path, TABLE, "other.csv"))


def test_arguments_take_the_place_of_what_the_file_says(tmp_path: Path) -> None:
    names = ["a", "b", "c", "d"]
    problem = TSPTW.read(write(tmp_path, TABLE), label="x", service=3, names=names)
    assert (problem.label, problem.names) == ("x", tuple(names))
    assert problem.service is not None
    assert problem.service.tolist() == [0, 3, 3, 3]
    assert problem.windows.tolist()[:2] == [[0, 100], [10, 20]]


def test_other_columns_are_named_in_one_warning(
    tmp_path: Path,
) -> None:
    table = "name,x,y,due,state,late,town\nDepot,0,0,9,BY,?,Ulm\nMill,3,4,9,,,\n"
    with pytest.warns(RuntimeWarning) as caught:
        problem = TSPTW.read(write(tmp_path, table))
    assert problem.windows.tolist() == [[0, 9], [0, 9]]
    assert [(str(each.message), each.filename) for each in caught] == [
        (
            f"{tmp_path}/stops.csv:1: ignored columns: 'state', 'late', 'town'",
            __file__,
        )
    ]


@pytest.mark.parametrize("name", ["Customer 1", "CUST", "DIMENSION"])
@pytest.mark.parametrize("delimiter", ",;\t|")
def test_stops_may_be_called_as_other_formats_begin(
    tmp_path: Path, name: str, delimiter: str
) -> None:
    table = f"name,x,y,due\n{name},0,0,9\nMill,3,4,9\n".replace(",", delimiter)
    problem = TSPTW.read(write(tmp_path, table))
    assert problem.names == (name, "Mill")


def test_lines_end_only_where_editors_end_them(tmp_path: Path) -> None:
    names = "A\u2028B", "C\x85D", "E\x0bF"
    rows = [f"{name},{k},0,9" for k, name in enumerate(names)]
    for end in ("\n", "\r\n", "\r"):
        problem = TSPTW.read(write(tmp_path, end.join(["name,x,y,due", *rows])))
        assert problem.names == ("A B", "C D", "E F")


def test_a_table_need_not_be_called_csv(tmp_path: Path) -> None:
    assert TSPTW.read(write(tmp_path, TABLE, "stops.txt")).nodes == 4


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("3,4,10,20,2", "3,north,10,20,2", ":3: column 'y': 'north' is not a number"),
        ("3,4,10,20,2", "3,,10,20,2", ":3: column 'y': is empty: write a number here"),
        ("3,4,10,20,2", "3,nan,10,20,2", ":3: column 'y': is empty: write a number here"),
        ("3,4,10,20,2", "3,1e99,10,20,2", ":3: column 'y': must be from -1e+15"),
        ("3,4,10,20,2", "3,1_0,10,20,2", ":3: column 'y': '1_0' is not a number"),
        ("3,4,10,20,2", "3,4,10,20", ":3: 5 cells in a table of 6 columns (the last is 'service')"),
        ("3,4,10,20,2", "3,5,4,10,20,2", ":3: 7 cells in a table of 6 columns"),
        ("3,4,10,20,2", "3,4,30,20,2", ":3: column 'due': 20 comes before 30, when the stop opens"),
        ("3,4,10,20,2", "3,4,-1e16,20,2", ":3: column 'ready': must be from -1e+15"),
        ("3,4,10,20,2", "3,4,10,20,-2", ":3: column 'service': must not be negative"),
        ("3,4,10,20,2", "3,4,10,20,0:02", ":3: column 'service': '0:02' is not a number"),
        ("3,4,10,20,2", "3,4,ten,20,2", ":3: column 'ready': 'ten' is not a number"),
        ("Mill", "", ":3: column 'name': a stop without a name"),
        ("Farm,0,8,,90,0", "Total:,,,,,2", ":5: this looks like a row of totals, and each row is"),
        ("Farm,0,8,,90,0", ",,,,,2", ":5: this looks like a row of totals, and each row is"),
        ("Farm,0,8,,90,0", ",-,,,SUM,2", ":5: this looks like a row of totals, and each row is"),
        ("Mill,3,4,10,20,2", "Mill,3,4,10,20,2 min", "'2 min' is not a number"),
        ("Mill", '"Mill', ":3: cannot be split into cells"),
        ("name,x,y", "name,x,z", ":1: columns x and y, or lat and lon, are needed"),
        ("name,x,y", "customer,x,z", ":1: columns x and y, or lat and lon, are needed"),
        ("name,x,y", "name,x,x", ":1: columns 'x' and 'x' both stand for 'x'"),
        ("ready,due", "redy,due", ":1: column 'redy': did you mean 'ready'?"),
        ("service", "service (h)", ":1: column 'service (h)': did you mean 'service' (in minutes"),
        ("10,20,2", "0800,1700,2", ":3: column 'ready': '0800' seems to be a time of day: write"),
        ("ready,due", "von,due", ":1: column 'von': did you mean 'ready'? If so, rename"),
        (
            "name,x,y,ready,due,service",
            "Art;Weg;Ort",
            "such as name, lat, lon, ready, due, service",
        ),
        ("name,x,y,ready,due,service", "Art;Weg;Ort", "not 'Art', 'Weg', 'Ort'"),
        (
            "name,x,y,ready,due,service",
            "Kunde;PLZ;Breite;Länge",
            ":1: column 'Kunde': did you mean 'name'? column 'Breite': did you mean 'lat'? column "
            "'Länge': did you mean 'lon'? If so, rename the column, or give columns='Kunde=name, "
            "Breite=lat, Länge=lon' (--columns); if not, give it another name",
        ),
        ("name,x,", "Adresse,Kunde,", ":1: column 'Kunde': did you mean 'name'? If so, rename"),
        ("name,x,", "Stopp,Adresse,", ":1: column 'Stopp': did you mean 'stop'? If so, rename"),
        ("name,", "Adresse,", ":1: column 'Adresse': did you mean 'address'? If so, rename"),
        ("ready,due", "arrive,go", ":1: a column ready or due is needed"),
        ("name,x,y,ready", "lat,lon,x,y", ":1: columns x, y and lat, lon: keep one pair"),
        ("name,x,y,ready", "lat,x,y,ready", ":1: columns x, y and lat, lon: keep one pair"),
        ("name,x,y,ready,due,service\n", "", ":1: the first row must name the columns"),
        ("Farm", "F\x00rm", ": binary data, not a table of stops"),
        ("Mill,3,4,10,20,2\n", "Farm,1,1,1,1,1\n" * 2000, ": a tour needs 2 to 2000 stops"),
    ],
)
def test_bad_tables_are_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert TABLE.count(old) == 1
    assert expected in refusal(TSPTW.read, write(tmp_path, TABLE.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "9:30",
            "9.30",
            ":3: column 'ready': '9.30' is a number where other times are HH:MM: write 9:30",
        ),
        ("9:30", "9:3O", ":3: column 'ready': '9:3O' is not a time such as 08:15"),
        ("9:30", "9:60", ":3: column 'ready': '9:60' is not a time"),
        ("9:30", "9:30 XM", ":3: column 'ready': '9:30 XM' is not a time"),
        ("9:30", "13:30 PM", ":3: column 'ready': '13:30 PM' is not a time"),
        ("0:10", "10 m", ":3: column 'service': '10 m' is not a number"),
        ("10:00", "02:00", ":3: column 'due': 02:00 comes before 9:30, when the stop opens; 26:00"),
        ("48.86", "98.86", ":3: column 'lat': the latitude must be from -90 to 90 degrees"),
        ("2.34", "182.34", ":3: column 'lon': the longitude must be from -180 to 180 degrees"),
    ],
)
def test_bad_times_of_day_and_degrees_are_refused(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert CLOCK.count(old) == 1
    assert expected in refusal(TSPTW.read, write(tmp_path, CLOCK.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("9:30", "9:30 AM"),
        ("10:00", "10:00am"),
        ("18:00", "06:00 p.m."),
        ("26:00,5", "26:00,5 min"),
        *(("0:10", text) for text in ("10 Minuten", "10'", "10\xa0min", '"0,1 h 4"', "0:10")),
        *(
            ("9:30", text)
            for text in ("9:30 Uhr", "9h30", "9.30 Uhr", "9:30h", "ab 9:30", "ab 9h30", "nach 9:30")
        ),
        *(
            ("10:00", text)
            for text in (
                *("10 Uhr", "10h", "10 am", "bis 10 Uhr", "until 10", "by 10:00", "vor 10 Uhr"),
                *("10:00 a. m.", "10\u202f:00", "10\xa0:\xa000"),
            )
        ),
        ("26:00,5", '26:00,"5,0Minutes"'),
        ("2.36,,26", "2.36,-,26"),
        ("08:00,18:00,", "08:00,18:00,\u2013"),
    ],
)
def test_cells_as_people_write_them(old: str, new: str, tmp_path: Path) -> None:
    assert CLOCK.count(old) == 1
    path = write(tmp_path, CLOCK.replace(old, new))
    assert TSPTW.read(path) == TSPTW.read(write(tmp_path, CLOCK, "other.csv"))


WINDOWS = CLOCK.replace("ready,due", "Hours").replace(",08:00,18:00", ",8-18")


@pytest.mark.parametrize(
    "cell",
    [
        "9:30-10:00",
        "9.30 - 10.00",
        "9:30 \u2013 10",
        "von 9:30 bis 10 Uhr",
        "9h30-10h",
        "9:30 am to 10 am",
        "9:30-10am",
        "9:30 a. m. - 10 a.m.",
        "9.30-10.00 Uhr",
        "de 9h30 \u00e0 10h",
        "dalle 9:30 alle 10",
        "van 9:30 tot 10",
        "entre 9h30 et 10h",
        "zw. 9:30 und 10 Uhr",
        "zwischen 9:30 und 10",
        "between 9:30 and 10:00",
        "9\u202f:30 - 10\xa0:00",
    ],
)
def test_a_window_may_be_in_one_cell(cell: str, tmp_path: Path) -> None:
    whole = WINDOWS.replace("9:30,10:00", cell).replace(",26:00", "until 26:00")
    wanted = TSPTW.read(write(tmp_path, CLOCK, "other.csv"))
    assert TSPTW.read(write(tmp_path, whole.replace("2.36until", "2.36,until"))) == wanted


def test_several_windows_may_be_in_one_cell(tmp_path: Path) -> None:
    table = "name;x;y;window\nDepot;0;0;\nMill;1;1;8-12, 14-18 Uhr\nFarm;1;2;bis 9 und ab 16:30\n"
    stops = TSPTW.read(write(tmp_path, table))
    assert stops.closed == ((), ((720.0, 840.0),), ((540.0, 990.0),))
    for cell, said in (
        ("9:00", "'9:00' is not a window such as 8:00-10:00, from 8:00, until 10:00 or, for"),
        ("um 10:30", "'um 10:30' is not a window such as 8:00-10:00, from 8:00, until 10:00 or"),
        ("8.30-12:00", "'8.30' is a number where other times are HH:MM: write 8:30"),
        ("zw. 9 und 9 pm", "'zw. 9 und 9 pm' is not a window"),
        ("8.75-12:00", "'8.75' is a number where other times are HH:MM"),
        ("9am-11", "'9am-11' is not a window"),
        ("13-3 pm", "'13-3 pm' is not a window"),
        ("10-8", "8:00 comes before 10:00"),
        ("8-12, 11-13", "11:00 is too early: the window before this one closes at 12:00"),
    ):
        wrong = write(tmp_path, table.replace("8-12, 14-18 Uhr", cell))
        assert f":3: column 'window': {said}" in refusal(TSPTW.read, wrong)
    noon = write(tmp_path, table.replace("8-12, 14-18 Uhr", "9 - noon, 12 noon - 14:00"))
    assert TSPTW.read(noon).windows[1].tolist() == [540.0, 840.0]
    for cell, wanted in (
        ("2-4pm", [14, 16]),
        ("8:00-9:30 p. m.", [20, 21.5]),
        ("between 11 and 1 pm", [11, 13]),
        ("12-1 pm", [12, 13]),
        ("de 9h \u00e0 midi", [9, 12]),
        ("midi-14h", [12, 14]),
        ("1 d 02:00 - 1 d 03:00", [26, 27]),
        ("9:00-1 d 02:00", [9, 26]),
    ):
        with warnings.catch_warnings(action="ignore"):
            problem = TSPTW.read(write(tmp_path, table.replace("8-12, 14-18 Uhr", cell)))
        assert problem.windows[1].tolist() == [60 * hour for hour in wanted]
    pm = TSPTW.read(write(tmp_path, table.replace("8-12, 14-18 Uhr", "9-11am, 2-4pm")))
    assert pm.windows[1].tolist() == [540, 960]
    assert pm.closed is not None
    assert pm.closed[1] == ((660, 840),)
    # One error for a cell.
    refusal(TSPTW.read, write(tmp_path, table.replace("8-12, 14-18 Uhr", "soon und later")))
    both = write(tmp_path, CLOCK.replace("service", "opening hours"))
    assert ":1: columns 'opening hours' and 'due' both have hours" in refusal(TSPTW.read, both)


@pytest.mark.parametrize(
    "day",
    ["2026-11-25 ", "2026-11-25T", "2026-11-25\xa0", "25.11.26 ", "25.11.2026 ", "11/25/2026 "],
)
def test_one_date_before_all_times_is_left_out(day: str, tmp_path: Path) -> None:
    clock = CLOCK.replace("26:00", "16:00")
    dated = clock
    for time in ("08:00", "18:00", "9:30", "10:00", "16:00"):
        dated = dated.replace(time, day + time)
    path = write(tmp_path, dated)
    assert TSPTW.read(path) == TSPTW.read(write(tmp_path, clock, "other.csv"))
    other = write(tmp_path, dated.replace(f"{day}10:00", "2026-12-01 10:00"))
    assert ":3: column 'due': '2026-12-01 10:00' differs in its date from the" in refusal(
        TSPTW.read, other
    )


@pytest.mark.parametrize(("closes", "late"), [("24:00", False), ("24:01", True)])
def test_midnight_is_the_end_of_the_day(closes: str, late: bool, tmp_path: Path) -> None:
    path = write(tmp_path, CLOCK.replace("26:00", closes))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        TSPTW.read(path)
    assert any("on the next day" in str(each.message) for each in told) == late


@pytest.mark.filterwarnings("ignore:.*on the next day")
def test_spaces_that_do_not_break_a_line_are_read_in_numbers(tmp_path: Path) -> None:
    for space in "\xa0\u202f":
        table = TABLE.replace("100", f"1{space}200").replace("Mill", f"Mill 1{space}200")
        problem = TSPTW.read(path := write(tmp_path, table))
        assert problem.windows[0].tolist() == [0, 1200]
        assert problem.names is not None
        assert problem.names[1] == "Mill 1 200"
        matrix = write(tmp_path, f"0;1{space}200;3;4\n" + "9;9;9;9\n" * 3, "m.csv")
        assert TSPTW.read(path, matrix=matrix).matrix[0, 1] == 1200


def test_dates_of_spreadsheets_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, CLOCK.replace("9:30", "46154.39"))
    said = "'46154.39' is a number where other times are HH:MM: spreadsheets count days since"
    assert said in refusal(TSPTW.read, path)
    serial = (
        "name,lat,lon,due\nDepot,48.85,2.35,46154.75\nMill,48.86,2.34,46154.5\nFarm,48.88,2.3,\n"
    )
    with pytest.warns(RuntimeWarning, match=r":1: '46154.\d+' is read as a number, .* since 1900"):
        TSPTW.read(write(tmp_path, serial))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (("46154.333", "46154.75", "46154.5"), "'46154.333' is .* since 1900"),
        (("0,333", "0,75", "0,5"), "'0,333' is read as a number, .* parts of a day"),
    ],
)
@pytest.mark.parametrize("place", ["", "48.85"])
def test_days_of_spreadsheets_are_no_other_unit_of_a_matrix(
    times: tuple[str, ...], said: str, place: str, tmp_path: Path
) -> None:
    opens, closes, due = times
    header = "name;ready;due;lat;lon" if place else "name;ready;due;note;more"
    rows = (f"{each};{place};{place}" for each in (f"A;{opens};{closes}", f"B;;{due}", "C;;"))
    path = write(tmp_path, "\n".join([header, *rows]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TSPTW.read(path, matrix=10 * (1 - np.eye(3)))
    told = [str(each.message) for each in caught]
    assert len([each for each in told if re.search(f":1: {said}", each)]) == 1
    assert not [each for each in told if "divided by" in each]


def test_times_days_later_are_written_with_the_days_and_read(tmp_path: Path) -> None:
    late = CLOCK.replace("18:00", "").replace("9:30,10:00", "150:16:49,6 d 07:00")
    problem = TSPTW.read(write(tmp_path, late))
    assert problem.windows[1].tolist() == pytest.approx([9016 + 49 / 60, 9060])
    tour = problem.solution([2, 1])
    assert "6 d 06:16" in str(tour)
    assert "150:" not in str(tour) + schedule.csv_text(tour)
    rows = schedule.rows(tour)
    assert rows[2]["start"] == "6 d 06:16:49"
    assert TSPTW.read(write(tmp_path, late.replace("150:16:49", rows[2]["start"]))) == problem
    times = [shape.text for shape in tour.picture().shapes if isinstance(shape, Text)]
    assert {"2 d 00:00", "4 d 00:00", "6 d 00:00"} <= {*times}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            (("9:30", "soon"), ("0:10", "long"), ("48.88", "north"), ("2.36", "east")),
            (
                "3: column 'ready': 'soon' is not a time such as 08:15 or 16:30",
                "3: column 'service': 'long' is not a number, or a length such as 10 min",
                "4: column 'lat': 'north' is not a number",
                "4: column 'lon': 'east' is not a number",
            ),
        ),
        (
            (("service", "deu2,demand"), ("9:30,10:00", "10:00,9:30"), ("48.88", "98.88")),
            (
                "1: column 'demand' is not supported: one vehicle without loads makes the tour; "
                "PyVRP plans several vehicles and capacities; if it does not matter, remove the "
                "column, or give columns='demand=note' (--columns). column 'deu2': did you mean "
                "'due2'? If so, rename the column, or give columns='deu2=due2' (--columns); if "
                "not, give it another name",
                "2: 6 cells in a table of 7 columns (the last is 'demand')",
                "3: 6 cells in a table of 7 columns (the last is 'demand')",
                "4: 6 cells in a table of 7 columns (the last is 'demand')",
            ),
        ),
        (
            (("service", "demand"), ("9:30,10:00", "10:00,9:30"), ("26:00,5", "26:00,5\n,,,,,20")),
            (
                "1: column 'demand' is not supported: one vehicle without loads makes the tour; "
                "PyVRP plans several vehicles and capacities; if it does not matter, remove the "
                "column, or give columns='demand=note' (--columns)",
                "3: column 'due': 9:30 comes before 10:00, when the stop opens; 26:00 is two "
                "o'clock on the next day",
                "5: this looks like a row of totals, and each row is a stop: take it out",
            ),
        ),
    ],
)
def test_all_that_is_wrong_is_told_at_once(
    changes: tuple[tuple[str, str], ...], expected: tuple[str, ...], tmp_path: Path
) -> None:
    wrong = CLOCK
    for old, new in changes:
        assert wrong.count(old) == 1
        wrong = wrong.replace(old, new)
    with pytest.raises(InputError) as caught:
        TSPTW.read(path := write(tmp_path, wrong))
    assert str(caught.value).split(";\n") == [f"{path}:{fault}" for fault in expected]


def test_of_many_faults_ten_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, "x,y,due\n0,0,9\n" + "one,two,1\n" * 11)
    with pytest.raises(InputError) as caught:
        TSPTW.read(path)
    first, *_, last = told = str(caught.value).split(";\n")
    assert (first, len(told), last) == (
        f"{path}:3: column 'x': 'one' is not a number",
        11,
        "and 12 more",
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "48.86,2.34",
            "2.34,48.86",
            ":3: column 'lat': 'Mill' is far from most other stops: latit",
        ),
        ("48.86,2.34", "0,0", ":3: column 'lat': 'Mill' is far from most other stops: 0, 0 is at"),
        ("48.86,2.34", "40.4,-3.7", None),
        (
            CLOCK[CLOCK.index("08:00") :],
            "0.33333,0.75,\nA,48.9,2.3,0.4,1,\n",
            ":1: '0.33333' is read as",
        ),
    ],
)
def test_what_is_hardly_meant_is_warned_of(
    old: str, new: str, said: str | None, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    table = CLOCK.replace("26:00", "16:00")
    old = old.replace("26:00", "16:00")
    assert table.count(old) == 1
    TSPTW.read(path := write(tmp_path, table.replace(old, new)))
    told = [str(each.message) for each in recwarn]
    assert [each[: len(f"{path}{said}")] for each in told] == ([f"{path}{said}"] if said else [])


@pytest.mark.parametrize("title", ["Stops of Monday", "Monday,by,me,,,\n,,,,,", "\n,,Monday"])
@pytest.mark.parametrize("name", ["stops.csv", "stops.txt"])
def test_a_title_above_the_header_is_passed_over(title: str, name: str, tmp_path: Path) -> None:
    header = 3 + title.count("\n")
    abroad = "Montag, 24.11.;;\nKunde;Breite;Länge;bis\nA;1;2;9\n"
    assert ":2: column 'Kunde': did you mean" in refusal(TSPTW.read, write(tmp_path, abroad, name))
    matrix = np.ones((3, 3))
    path = write(tmp_path, f"{title}\n\n{CLOCK}", name)
    for read in TSPTW.read, partial(TSPTW.read, matrix=matrix):
        assert read(path) == read(write(tmp_path, CLOCK, "plain.csv"))
    wrong = write(tmp_path, f"{title}\n\n{CLOCK.replace('9:30', 'soon')}", name)
    assert f":{header + 2}: column 'ready'" in refusal(TSPTW.read, wrong)
    crowded = write(tmp_path, f"who,where,1,2,3,4\n{CLOCK}", name)
    said = ":1: this line does not name columns; the header seems to be line 2: take"
    for given in (None, matrix):
        assert said in refusal(partial(TSPTW.read, matrix=given), crowded)


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    assert ": is empty" in refusal(TSPTW.read, write(tmp_path, ""))
    for nothing in ("\n , \n", ";;;\n", "||\n", "\t\n"):
        assert ": is empty" in refusal(TSPTW.read, write(tmp_path, nothing))
    few = write(tmp_path, "x,y,due\n")
    assert "2 to 2000 stops, the depot first, not 0" in refusal(TSPTW.read, few)
    for end in (b"\n", b"\r"):
        other = TABLE.replace("Mill", "\x81").encode("l1").replace(b"\n", end)
        assert ":3: not UTF-8 text" in refusal(TSPTW.read, write(tmp_path, other))
        with pytest.warns(RuntimeWarning, match=r"csv:3: this is not UTF-8, so it is read in the"):
            found = TSPTW.read(write(tmp_path, other.replace(b"\x81", b"\xe9\x80")))
        assert (found.names or ())[1] == "é€"
    assert "binary data" in refusal(TSPTW.read, write(tmp_path, b"PK" + bytes(100)))
    table = write(tmp_path, TABLE, "good.csv")
    for begins in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        book = write(tmp_path, begins + bytes(100), "book.xlsx")
        for make in (TSPTW.read, lambda book: TSPTW.read(table, matrix=book)):
            assert ": a spreadsheet, it seems: save it as CSV" in refusal(make, book)
    with pytest.raises(InputError, match="speed must be positive"):
        TSPTW.read(write(tmp_path, TABLE), speed=0)


SOLOMON = """R101x

VEHICLE
NUMBER     CAPACITY
  1         200

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE TIME

    0      0         0          0          0        230          0
    1      3         4          10        161       171         10
    2      6.5       8          7          50        60         10
"""


def test_solomon_files(tmp_path: Path) -> None:
    problem = TSPTW.read(write(tmp_path, SOLOMON, "R101x.txt"))
    assert problem.matrix[0, 1] == 5
    assert problem.windows.tolist() == [[0, 230], [161, 171], [50, 60]]
    assert problem.durations[1, 0] == 15
    assert problem.names is None
    assert TSPTW.read(write(tmp_path, SOLOMON.replace("\n", "\r"), "R101x.txt")) == problem
    # The style of Dumas' files: nodes from 1, and a last row that is none.
    table = SOLOMON[SOLOMON.index("CUST NO") :].splitlines()
    rows = ["!! n2w20", "", *table[:2], *(f"{k} {row[8:]}" for k, row in enumerate(table[2:], 1))]
    dumas = TSPTW.read(write(tmp_path, "\n".join([*rows, "999 0 0 0 0 0 0", ""]), "n2w20.txt"))
    assert dumas.names == ("1", "2", "3")
    assert np.array_equal(dumas.durations, problem.durations)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  1         200", "  25        200", ":5: column 'NUMBER': an instance for 25 vehicles"),
        ("  1         200", f"  1{'0' * 400} 2", ":5: column 'NUMBER': an instance for inf"),
        ("  1         200", "  1         16", ":5: column 'CAPACITY': the demands are 17 in all"),
        ("  1         200", "  1         all", ":5: column 'CAPACITY': 'all' is not a number"),
        ("    2      6.5", "    1      6.5", ":12: column 'CUST NO.': '1' is the number in line"),
        ("    2      6.5", "  1.7      6.5", ":12: column 'CUST NO.': '1.7' is not a whole number"),
        ("    2      6.5", "   -2      6.5", ":12: column 'CUST NO.': must not be negative"),
        ("6.5", "six", ":12: column 'XCOORD.': 'six' is not a number"),
        ("7          50", "50", ":12: 6 numbers, not 7"),
        ("50        60", "70        60", ":12: column 'DUE DATE': 60 is before 70"),
        ("READY TIME", "", ": no line with the columns CUST NO."),
    ],
)
def test_bad_solomon_files_are_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert SOLOMON.count(old) == 1
    assert expected in refusal(TSPTW.read, write(tmp_path, SOLOMON.replace(old, new), "s.txt"))


VRPLIB = """NAME : three
TYPE : VRPTW
VEHICLES : 1
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
SERVICE_TIME : 10
NODE_COORD_SECTION
1 0 0
2 3 4
3 6 8
TIME_WINDOW_SECTION
1 0 230
2 161 171
3 50 60
DEMAND_SECTION
1 0
2 5
3 40
DEPOT_SECTION
1
-1
EOF
"""
EXPLICIT = VRPLIB.replace("EUC_2D", "EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_ROW").replace(
    "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n", "EDGE_WEIGHT_SECTION\n5\n10 5\n"
)


def test_vrplib_files(tmp_path: Path) -> None:
    problem = TSPTW.read(write(tmp_path, VRPLIB, "three.vrp"))
    assert problem.durations.tolist() == [[0, 5, 10], [15, 0, 15], [20, 15, 0]]
    assert problem.windows.tolist() == [[0, 230], [161, 171], [50, 60]]
    assert TSPTW.read(write(tmp_path, VRPLIB.replace("\n", "\r"), "three.vrp")) == problem
    explicit = TSPTW.read(write(tmp_path, EXPLICIT, "explicit.vrp"))
    assert np.array_equal(explicit.matrix, problem.matrix)
    assert explicit.positions is None
    with pytest.raises(InputError, match="speed is for files with coordinates"):
        TSPTW.read(tmp_path / "explicit.vrp", speed=2.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("VEHICLES : 1", "VEHICLES : 3", ":3: VEHICLES: an instance for 3 vehicles"),
        ("DIMENSION : 3", "DIMENSION : 4", ": TIME_WINDOW_SECTION has 3 rows, not 4"),
        ("DIMENSION : 3", "DIMENSION : x", ":4: DIMENSION: 'x' is not a number"),
        ("2 3 4", "2 3", ":9: NODE_COORD_SECTION: '2 3' is not the row of node 2 of 3"),
        ("2 3 4", "4 3 4", ":9: NODE_COORD_SECTION: '4 3 4' is not the row of node 2 of 3"),
        ("2 161 171", "2 181 171", ":13: a window that closes before it opens"),
        ("EUC_2D", "GEO", ":5: EDGE_WEIGHT_TYPE must be EUC_2D or EXPLICIT, not GEO"),
        ("SECTION\n1\n-1", "SECTION\n2\n-1", ":20: the only depot must be node 1"),
        ("TIME_WINDOW", "TIME", ": no TIME_WINDOW_SECTION"),
        ("NODE_COORD", "NODE", ": no NODE_COORD_SECTION"),
        ("VEHICLES : 1\n", "CAPACITY : 10\n", ":3: CAPACITY: the demands are 45 in all, more than"),
        ("VEHICLES : 1\n", "CAPACITY : much\n", ":3: CAPACITY: 'much' is not a number"),
    ],
)
def test_bad_vrplib_files_are_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert VRPLIB.count(old) == 1
    assert expected in refusal(TSPTW.read, write(tmp_path, VRPLIB.replace(old, new), "three.vrp"))


def test_a_file_of_several_vehicles_leads_to_a_solver_of_them(tmp_path: Path) -> None:
    carried = write(tmp_path, VRPLIB.replace("VEHICLES : 1", "CAPACITY : 45"), "carried.vrp")
    assert TSPTW.read(carried) == TSPTW.read(write(tmp_path, VRPLIB, "three.vrp"))
    plain = VRPLIB.replace("VEHICLES : 1", "CAPACITY : 40").replace("TIME_WINDOW", "TIME")
    for text in plain, VRPLIB.replace("VEHICLES : 1", "VEHICLES : 2"):
        assert "PyVRP plans several vehicles" in refusal(TSPTW.read, write(tmp_path, text, "a.vrp"))


def test_bad_explicit_distances_are_refused(tmp_path: Path) -> None:
    for old, new, expected in (
        ("10 5", "10", ": EDGE_WEIGHT_SECTION has 2 numbers, not 3"),
        ("10 5", "10 -5", ":10: EDGE_WEIGHT_SECTION: must not be negative"),
        ("LOWER_ROW", "ROWS", ":6: EDGE_WEIGHT_FORMAT must be FULL_MATRIX"),
    ):
        assert expected in refusal(TSPTW.read, write(tmp_path, EXPLICIT.replace(old, new), "e.vrp"))
