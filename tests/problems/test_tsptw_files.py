"""TSPTW: the reader of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestor.errors import InputError
from nestor.problems.tsptw import TSPTW
from support.files import refusal, written

GOOD = """# four nodes
4
0 1 2 3   # from the depot
1 0 1 2
2 1 0 1
3 2 1 0
0 100
0 1
0 20
5 2e1 # the last
# Sum of service times: 0
"""


def write(folder: Path, content: str | bytes) -> Path:
    """Write an instance."""
    return written(folder / "instance.txt", content)


def test_a_file_is_read(tmp_path: Path) -> None:
    problem = TSPTW.read(write(tmp_path, GOOD), selective=False, objective="makespan")
    assert problem.nodes == 4
    assert problem.matrix[0].tolist() == [0, 1, 2, 3]
    assert problem.windows.tolist() == [[0, 100], [0, 1], [0, 20], [5, 20]]
    assert problem.label == "instance.txt"
    assert (problem.selective, problem.objective) == (False, "makespan")


def test_lines_can_be_broken_anywhere(tmp_path: Path) -> None:
    words = [word for row in GOOD.splitlines() for word in row.split("#")[0].split()]
    expected = TSPTW.read(write(tmp_path, GOOD))
    texts = [end.join(words) for end in (" ", "\n", "\r\n", "\r")]
    for text in (*texts, "\ufeff" + GOOD, GOOD.replace("\n", "\r")):
        assert TSPTW.read(write(tmp_path, text)) == expected
    assert TSPTW.read(str(write(tmp_path, GOOD + "\n\n  \n"))) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("3 2 1 0\n", "3 2 1\n", ":11: the file ends after 23 of 24 numbers"),
        ("5 2e1 # the last\n", "", "the file ends after 22 of 24 numbers"),
        ("# the last", "7 # one more", ":10: '7' comes after the last window; 4 nodes need 4 x 4"),
        ("# Sum of", "Sum of", ":11: 'Sum' comes after the last window"),
        ("2 1 0 1", "2 one 0 1", ":5: 'one' is not a number"),
        ("2 1 0 1", "2 1_0 0 1", ":5: '1_0' is not a number"),
        ("2 1 0 1", "2 \u0661 0 1", "is not a number"),
        ("2 1 0 1", "2 " + 100 * "x" + " 0 1", ":5: 'xxxxxxxxxxxxxxxxxxxx...' is not a number"),
        ("2 1 0 1", "2 -1 0 1", ":5: the distance from stop 2 to stop 1 must be a number from 0"),
        ("2 1 0 1", "2 nan 0 1", ":5: the distance from stop 2 to stop 1"),
        ("2 1 0 1", "2 1 0 inf", ":5: the distance from stop 2 to stop 3"),
        ("2 1 0 1", "2 1 0 1e999", ":5: the distance from stop 2 to stop 3"),
        ("0 20", "0 inf", ":9: the window of stop 2 must end at a finite time, not inf"),
        ("0 20", "0 nan", ":9: the window of stop 2"),
        ("0 20", "-2e15 20", ":9: the window of stop 2 must open at a time from -1e+15"),
        ("0 20", "21 20", ":9: the window of stop 2 closes at 20, before it opens at 21"),
        ("4\n0 1", "1\n0 1", ":2: the number of nodes must come first, 2 to 2000, not '1'"),
        ("4\n0 1", "-4\n0 1", ":2: the number of nodes must come first, 2 to 2000, not '-4'"),
        ("4\n0 1", "4.0\n0 1", ":2: the number of nodes must come first"),
        ("4\n0 1", "2001\n0 1", ":2: the number of nodes must come first, 2 to 2000, not '2001'"),
        ("4\n0 1", "9" * 5000 + "\n0 1", ":2: the number of nodes must come first"),
        ("4\n0 1", "NAME: rc_204\n0 1", ":2: the number of nodes must come first"),
        ("4\n0 1", "3\n0 1", ":6: '0' comes after the last window"),
        ("4\n0 1", "5\n0 1", ":11: the file ends after 24 of 35 numbers"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert GOOD.count(old) == 1
    bad = GOOD.replace(old, new)
    for text in (bad, bad.replace("\n", "\r")):
        assert expected in refusal(TSPTW.read, write(tmp_path, text))


def test_files_that_are_no_instances_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(TSPTW.read, tmp_path / "missing.txt")
    assert "cannot be read" in refusal(TSPTW.read, tmp_path)
    assert "is empty" in refusal(TSPTW.read, write(tmp_path, ""))
    assert "is empty" in refusal(TSPTW.read, write(tmp_path, "# nothing\n\n  "))
    assert "binary" in refusal(TSPTW.read, write(tmp_path, bytes(range(256)) * 10))
    assert "binary" in refusal(TSPTW.read, write(tmp_path, GOOD.encode("utf-16")))
    assert "first" in refusal(TSPTW.read, write(tmp_path, b"\xff\xfe\xfd" * 100))
    with pytest.raises(InputError, match="must be the name of a file"):
        TSPTW.read("a\0b")


@pytest.mark.parametrize(
    ("start", "filler", "expected"),
    [
        (b"", b"x", "number of nodes"),
        (b"", b"7", "number of nodes"),
        (b"", b"\n", "no number in its first 64 KiB"),
        (b"", b"# comment\n", "no number in its first 64 KiB"),
        (b"5\n", b"1 ", "too large for an instance of 5 nodes"),
        (b"5\n", b"x", "too large for an instance of 5 nodes"),
        (b"2000\n", b"x", "is not a number"),
        (b"2000\n", b"x ", "'x' is not a number"),
        (b"2000\n", b"\xff\n", "is not a number"),
    ],
)
def test_garbage_of_many_megabytes_is_refused(
    tmp_path: Path, start: bytes, filler: bytes, expected: str
) -> None:
    size = 5_000_000
    content = start + filler * (size // len(filler))
    assert expected in refusal(TSPTW.read, write(tmp_path, content))
