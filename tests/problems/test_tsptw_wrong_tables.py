"""Tables, matrices and data frames with one fault each: the error says where it is, and what.

A good day is drawn from a seed and one thing in it is made wrong. The test knows which place that
is; the error must name it.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nestor import InputError
from nestor.problems import TSPTW

Table = list[list[str]]
"""The header and the rows."""
Fault = tuple[str, list[str]]
"""Where the fault is, as ``LINE: column 'NAME'``, and what else the error must say."""

SHORT, LONG = 100, 2000


def clock(time: int) -> str:
    return f"{time // 60:02}:{time % 60:02}"


def good_table(rng: Random) -> Table:
    geographic, timed = rng.random() < 0.5, rng.random() < 0.5
    place = ["lat", "lon"] if geographic else rng.choice([["x", "y"], ["XCOORD", "YCOORD"]])
    header = ["name", *place, *rng.choice([["ready", "due"], ["open", "close"]]), "service"]
    show: Callable[[int], str] = clock if timed else str
    rows = []
    for k in range(rng.randint(3, 12)):
        opens = rng.randint(400, 800)
        # The depot has both, so that one time is always there.
        window = ["" if k and rng.random() < 0.3 else show(opens + add) for add in (0, 300)]
        where = [f"{rng.uniform(-80, 80):.4f}" for _ in place]
        rows.append([f"Stop {k}", *where, *window, rng.choice(["", "5", "12.5"])])
    return with_more([header, *rows], rng, show)


def with_more(table: Table, rng: Random, show: Callable[[int], str]) -> Table:
    """Add some of the columns that ask for more."""
    count = len(table) - 1
    if rng.random() < 0.4:
        table[0] += rng.choice([["open2", "close2"], ["ready 2", "due 2"], ["From_2", "Until_2"]])
        for k, row in enumerate(table[1:]):
            again = k and row[4] and rng.random() < 0.5
            row += [show(1200 + k), show(1300)] if again else ["", ""]
    if rng.random() < 0.4:
        table[0].append(rng.choice(["penalty", "Prize"]))
        for k, row in enumerate(table[1:]):
            row.append(rng.choice(["0", "12.5", "30"]) if k in range(3, count) else "")
    if rng.random() < 0.4:
        table[0].append(rng.choice(["before", "after"]))
        for k, row in enumerate(table[1:]):
            row.append("Stop 2" if k == 1 else "")
    elif rng.random() < 0.4:
        table[0].append("position")
        for k, row in enumerate(table[1:]):
            row.append(rng.choice(["first", "LAST", "end"]) if k == 1 and count < 4 else "")
    return table


def is_timed(table: Table) -> bool:
    return ":" in table[1][3]


def cell(table: Table, rng: Random, column: int, value: str) -> int:
    """Write a value into a row; return its line."""
    line = rng.randint(2, len(table))
    table[line - 1][column] = value
    return line


def wrong_place(table: Table, rng: Random) -> Fault:
    column = rng.choice([1, 2])
    value, said = rng.choice(
        [
            ("", "is empty: write a number here"),
            ("north", "'north' is not a number"),
            ("1,2,3", "'1,2,3' is not a number"),
            ("nan", "is empty: write a number here"),
            ("1e400", "must be from"),
            ("1_0", "'1_0' is not a number"),
            ("=A1", "'=A1' is not a number"),
        ]
    )
    return f"{cell(table, rng, column, value)}: column {table[0][column]!r}", [said]


def far_away(table: Table, rng: Random) -> Fault:
    if table[0][1] != "lat":
        return wrong_place(table, rng)
    column, value, said = rng.choice(
        [(1, "91", "from -90 to 90 degrees, not 91"), (2, "-181", "-180 to 180 degrees, not -181")]
    )
    return f"{cell(table, rng, column, value)}: column {table[0][column]!r}", [said]


def wrong_time(table: Table, rng: Random) -> Fault:
    column = rng.choice([3, 4])
    timed = is_timed(table)
    value, said = rng.choice(
        [
            ("8:60", "is not a time such as 08:15"),
            ("13:00 AM", "is not a time such as 08:15"),
            ("2026-05-01 08:00", "differs in its date from the times above"),
            ("480", "is a number where other times are HH:MM"),
        ]
        if timed
        else [
            ("soon", "'soon' is not a number"),
            ("1e16", "must be from"),
            ("inf", "must be from"),
            ("8;30", "'8;30' is not a number"),
        ]
    )
    # The depot keeps its times: without them all, the table would have another kind.
    line = rng.randint(3, len(table))
    table[line - 1][column] = value
    return f"{line}: column {table[0][column]!r}", [said]


def closed_before_open(table: Table, rng: Random) -> Fault:
    line = rng.randint(2, len(table))
    table[line - 1][3:5] = ["12:00", "9:30"] if is_timed(table) else ["720", "570"]
    return f"{line}: column {table[0][4]!r}", ["comes before", "when the stop opens"]


def wrong_service(table: Table, rng: Random) -> Fault:
    value, said = rng.choice([("-5", "must not be negative"), ("five", "is not a number")])
    return f"{cell(table, rng, 5, value)}: column 'service'", [said]


def without_name(table: Table, rng: Random) -> Fault:
    return f"{cell(table, rng, 0, ' ')}: column 'name'", ["a stop without a name"]


def in_vain(table: Table, rng: Random) -> Fault:
    word = rng.choice(["Demand", "vehicle", "capacity", "Skill", "pickup"])
    for row in table:
        row.append("1")
    table[0][-1] = word
    return f"1: column {word!r}", ["is not supported"]


def misspelt(table: Table, rng: Random) -> Fault:
    column = rng.choice([0, 5])
    word = {0: "custmer", 5: "srevice"}[column]
    table[0][column] = word
    return f"1: column {word!r}", ["did you mean"]


def twice(table: Table, rng: Random) -> Fault:
    column = rng.randint(1, 5)
    for row in table:
        row.append(row[column])
    return "1: columns", [repr(table[0][column]), "both stand for"]


def without_place(table: Table, rng: Random) -> Fault:
    column = rng.choice([1, 2])
    for row in table:
        del row[column]
    return "1: columns x and y, or lat and lon, are needed", []


def without_windows(table: Table, rng: Random) -> Fault:
    for row in table:
        del row[3:5]
    return "1: a column ready or due is needed", []


def added(table: Table, names: list[str], rows: list[list[str]]) -> list[int]:
    """Take columns away that are there, and add them behind the others with these cells."""
    stems = {"".join(filter(str.isalpha, name)).lower() for name in names}
    if stems & {"open", "close"}:
        stems |= {"open", "close", "ready", "due", "from", "until"}
    words = {"before", "after", "penalty", "prize", "position"}
    stems |= words if stems & words else set()
    plain = [("".join(filter(str.isalpha, cell)).lower(), k) for k, cell in enumerate(table[0])]
    for k in [k for stem, k in plain if stem in stems and k > 5][::-1]:
        for row in table:
            del row[k]
    table[0] += names
    for k, row in enumerate(table[1:]):
        row += rows[k] if k < len(rows) else [""] * len(names)
    return [len(table[0]) - len(names) + k for k in range(len(names))]


def wrong_second_window(table: Table, rng: Random) -> Fault:
    timed = is_timed(table)
    show: Callable[[int], str] = clock if timed else str
    cells, column, said = rng.choice(
        [
            ([show(600), show(1300)], 0, "is too early: the window before this one closes at "),
            (["", show(1300)], 0, "is empty"),
            ([show(1200), show(1100)], 1, "comes before"),
            (["soon", show(1300)], 0, "is not a"),
        ]
    )
    table[1][3:5] = [show(400), show(1250)]
    table[2][3:5] = [show(500), show(1000)]
    added(table, ["open2", "close2"], [["", ""], cells])
    return f"3: column {['open2', 'close2'][column]!r}", [said]


def two_windows_of_the_depot(table: Table, rng: Random) -> Fault:
    last = table[1][4]
    show: Callable[[int], str] = clock if is_timed(table) else str
    added(table, ["open2", "close2"], [[show(1400), show(1500)]])
    return "2: column 'open2'", ["the depot has one window only"] if last else []


def window_after_one_without_end(table: Table, rng: Random) -> Fault:
    show: Callable[[int], str] = clock if is_timed(table) else str
    line = rng.randint(2, len(table) - 1)
    table[line][4] = ""
    added(table, ["open2", "close2"], [["", ""]] * (line - 1) + [[show(1400), show(1500)]])
    return f"{line + 1}: column 'open2'", ["does not close", show(1400)]


def closing_without_opening(table: Table, rng: Random) -> Fault:
    added(table, ["close2"], [])
    return "1: column 'close2' needs another one", ["'ready2'"]


def wrong_penalty(table: Table, rng: Random) -> Fault:
    word = rng.choice(["penalty", "Prize"])
    line = rng.randint(1, len(table) - 1)
    value, said = rng.choice(
        [("-1", "must not be negative"), ("much", "'much' is not a number"), ("1e10", "to 1e+09")]
    )
    if line == 1:
        value, said = "5", "must be empty: the depot cannot be left out"
    added(table, [word], [[""]] * (line - 1) + [[value]])
    return f"{line + 1}: column {word!r}", [said]


def wrong_order(table: Table, rng: Random) -> Fault:
    word = rng.choice(["before", "After"])
    line = rng.randint(2, len(table) - 1)
    own = table[line][0]
    other = table[3 if line == 2 else 2][0]
    value, said = rng.choice(
        [
            ("Stop 77", "no stop is named 'Stop 77'"),
            ("77", "a stop is a name or a number"),
            ("0", "a stop is a name or a number"),
            ("Stop 0", "is the depot, not a stop"),
            (own, "would come before itself"),
            (f"{other}; {own}", "would come before itself"),
            (f"{other}, Shop", "no stop is named 'Shop'"),
        ]
    )
    added(table, [word], [[""]] * (line - 1) + [[value]])
    return f"{line + 1}: column {word!r}", [said]


def circle(table: Table, rng: Random) -> Fault:
    word = rng.choice(["before", "After"])
    names = [row[0] for row in table[1:]]
    added(table, [word], [[""], [names[2]], [names[1]]])
    return f"3: column {word!r}", [f"stop {names[1]!r} would come before itself: {names[1]!r} -> "]


def optional_and_fixed(table: Table, rng: Random) -> Fault:
    names = [row[0] for row in table[1:]]
    word, value = rng.choice([("before", names[2]), ("after", names[2]), ("position", "last")])
    added(table, [word, "penalty"], [["", ""], [value, "5"]])
    return f"3: column {word!r}", [f"stop {names[1]!r} has a penalty"]


def wrong_position(table: Table, rng: Random) -> Fault:
    names = [row[0] for row in table[1:]]
    one, other, said = rng.choice(
        [
            ("first", "3", "must be first, last, end or empty"),
            ("first", "First", "is first already"),
            ("end", "last", "is end already, and both say where the tour ends: keep one"),
            ("", "last", f"cannot be last: {names[2]!r} comes before {names[1]!r}"),
        ]
    )
    added(table, ["position", "After"], [["", ""], [one, "" if one else names[2]], [other, ""]])
    return "4: column 'position'", [said]


MORE_FAULTS = (
    *(wrong_second_window, two_windows_of_the_depot, window_after_one_without_end),
    *(closing_without_opening, wrong_penalty, wrong_order, circle, optional_and_fixed),
    wrong_position,
)

TABLE_FAULTS = (
    *(wrong_place, far_away, wrong_time, closed_before_open, wrong_service, without_name),
    *(in_vain, misspelt, twice, without_place, without_windows, *MORE_FAULTS),
)


def short_row(table: Table, rng: Random) -> Fault:
    line = rng.randint(2, len(table))
    del table[line - 1][-1]
    wide = len(table[0])
    return f"{line}: {wide - 1} cells in a table of {wide} columns", [repr(table[0][-1])]


def long_row(table: Table, rng: Random) -> Fault:
    line = rng.randint(2, len(table))
    table[line - 1].insert(1, "Main Street 1")
    table[line - 1][-1] = "5"
    wide = len(table[0])
    return f"{line}: {wide + 1} cells in a table of {wide} columns", ["quote cells with commas"]


def too_few(table: Table, rng: Random) -> Fault:
    del table[2:]
    return " a tour needs 2 to 2000 stops", ["not 1"]


FILE_FAULTS = (*TABLE_FAULTS, short_row, long_row, too_few)


def text_of(table: Table, rng: Random) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=rng.choice(",;\t|"), lineterminator="\n").writerows(table)
    return file.getvalue()


def refused(where: str, said: list[str], make: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            make()
    message = str(caught.value)
    assert where in message
    for part in said:
        assert part in message


def wrong_file(seed: int, folder: Path) -> None:
    rng = Random(seed)
    table = good_table(rng)
    path = folder / "stops.csv"
    path.write_text(text_of(table, rng))
    TSPTW.read(path)
    where, said = rng.choice(FILE_FAULTS)(table, rng)
    path.write_text(text_of(table, rng))
    refused(f"stops.csv:{where}", said, lambda: TSPTW.read(path))


def value_of(text: str) -> Any:
    """Return the value that a frame would have for a cell."""
    try:
        return text if "_" in text else float(text)
    except ValueError:
        return text or None


def frame_of(table: Table, library: Any) -> Any:
    header, *rows = table
    columns = [[value_of(cell) for cell in column] for column in zip(*rows, strict=True)]
    if library.__name__ == "polars":
        made = [
            library.Series(name, column, dtype=library.Object if mixed else None, strict=False)
            for name, column in zip(header, columns, strict=True)
            for mixed in [len({type(each) for each in column if each is not None}) > 1]
        ]
        return library.DataFrame(made)
    return library.DataFrame(dict(zip(header, columns, strict=True)))


def strange_value(table: Table, rng: Random) -> Fault:
    """Leave a mark where `wrong_frame` puts a value of another type."""
    column = rng.choice([1, 2, 3, 4, 5])
    line = rng.randint(3, len(table))
    return f"{line}: column {table[0][column]!r}", ["STRANGE"]


FRAME_FAULTS = (
    *(wrong_place, far_away, wrong_time, closed_before_open, wrong_service, without_name),
    *(in_vain, misspelt, without_place, without_windows, strange_value, *MORE_FAULTS),
)


def wrong_frame(seed: int) -> None:
    rng = Random(seed)
    library = rng.choice([pytest.importorskip(name) for name in ("pandas", "polars")])
    table = good_table(rng)
    TSPTW.from_frame(frame_of(table, library))
    where, said = rng.choice(FRAME_FAULTS)(table, rng)
    line, _, rest = where.partition(":")
    where = f"stops: row {int(line) - 2}: {rest[1:]}" if int(line) > 1 else f"stops: {rest[1:]}"
    # In a frame NaN is no value, and 1e400 is infinite.
    said = ["is needed" if said == ["must be from"] else each for each in said]
    frame = frame_of(table, library)
    if said == ["STRANGE"]:
        column = table[0].index(rest.split("'")[1])
        library = pytest.importorskip("pandas")
        frame = library.DataFrame(frame_of(table, library).astype(object))
        frame.iat[int(line) - 2, column] = rng.choice([[1], {}, True, object(), date(2026, 5, 1)])
        said = ["is not a"]
    if said == ["is needed"]:
        said = []
    refused(where, said, lambda: TSPTW.from_frame(frame))


def wrong_matrix(seed: int, folder: Path) -> None:
    rng = Random(seed)
    n = rng.randint(3, 8)
    names = [f"Stop {k}" for k in range(n)]
    rows = [[name, *(str(rng.randint(1, 99)) for _ in names)] for name in names]
    table = [["", *names], *rows]
    stops = folder / "stops.csv"
    stops.write_text("name,due\n" + "".join(f"{name},9000\n" for name in names))
    path = folder / "m.csv"

    def read() -> TSPTW:
        path.write_text(text_of(table, rng))
        return TSPTW.read(stops, matrix=path)

    read()
    line, column = rng.randint(2, n + 1), rng.randint(1, n)
    if line == column + 1:
        column = column % n + 1
    value, said = rng.choice(
        [
            ("x", "'x' is not a number"),
            ("-1", "must not be negative"),
            ("", "a cell without a number; inf is no way"),
            ("nan", "'nan' is not a number; inf is no way"),
            ("SHORT", f"{n - 1} numbers in a matrix of {n} rows"),
            ("NAME", "the rows must have the names of the columns"),
            ("STOP", "m.csv is named"),
            ("ROW", f"{n} columns are named, and there are {n - 1} rows"),
        ]
    )
    where = f"m.csv:{line}: column 'Stop {column - 1}'"
    if value == "SHORT":
        del table[line - 1][-1]
        where = f"m.csv:{line}:"
    elif value == "NAME":
        table[line - 1][0] = "Another"
        where = f"m.csv:{line}: column 1"
    elif value == "STOP":
        table[line - 1][0] = table[0][line - 1] = "Another"
        where = f"stops.csv:{line}: column 'name': no row of "
    elif value == "ROW":
        del table[line - 1]
        where = "m.csv:1:"
    else:
        table[line - 1][column] = value
    refused(where, [said], read)


def wrong(seeds: range, folder: Path) -> None:
    for seed in seeds:
        try:
            wrong_file(seed, folder)
            wrong_frame(seed)
            wrong_matrix(seed, folder)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise


def test_the_error_of_a_wrong_table_names_the_place(tmp_path: Path) -> None:
    wrong(range(SHORT), tmp_path)


@pytest.mark.long
def test_the_errors_of_many_wrong_tables_name_the_place(tmp_path: Path) -> None:
    wrong(range(SHORT, SHORT + LONG), tmp_path)
