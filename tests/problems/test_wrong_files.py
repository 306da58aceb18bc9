"""Files that are not instances are refused in one line that names the file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nestor.errors import InputError
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, SameGame
from nestor.problems.morpion import load_record

READERS: dict[str, Callable[[Any], object]] = {
    "tsptw": TSPTW.read,
    "samegame": SameGame.read_all,
    "morpion": load_record,
    "crossword": lambda path: Crossword.read(path, 9),
    "grid": lambda path: Crossword(["AB"], 3).read_grid(path),
    "latin": LatinSquare.read,
    "kakuro": Kakuro.read,
    "rna": RNA.read,
}

WRONG: dict[str, list[tuple[Any, str]]] = {
    "samegame": [
        (b"", "there is no board"),
        (b"\n \n", "there is no board"),
        (b"01\n10\n\n012\n01\n", "file.txt:5: the row has 2 cells, those above it have 3"),
        (b"01\n1a\n", "file.txt:2: cell 2 is 'a'"),
        (b"0 1\n12 0\n", "file.txt:2: cell 1 is '12'"),
        (b"01\n\n..\n", "file.txt:3: the board has no coloured cell"),
        (b"\xff\xfe0\x001", "not UTF-8 text"),
        (b"\x00\x01\x02\x03", "file.txt:1: cell 1 is"),
        (b"0" * 3_000_000, "more than 32 cells"),
        (b"x " * 2_000_000, "more than 32 cells"),
        (b"0\n" * 1_000_000, "more than 32 rows"),
        (b"7" * 5_000_000, "larger than 4 MiB"),
    ],
    "morpion": [
        (b"", "file.txt:1: not JSON"),
        (b"{\n\n nonsense", "file.txt:3: not JSON"),
        (b"\x00\x01\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "not a game of Morpion Solitaire: too deep"),
        (b"9" * 10_000, "not a game of Morpion Solitaire: too deep"),
        (b" " * (2 << 20), "larger than 1 MiB"),
        ([], "the top level must be an object"),
        ({}, "no 'variant' and no 'moves'"),
        ({"variant": "5D"}, "no 'moves'"),
        ({"variant": "6T", "moves": []}, "variant must be"),
        ({"variant": ["5T"], "moves": []}, "variant must be"),
        ({"variant": "5T", "moves": {"x": 1}}, "moves must be a sequence, not {'x': 1}"),
        ({"variant": "5T", "moves": [], "version": "9"}, "version must be '0.1'"),
        ({"variant": "5T", "moves": [], "score": 3}, "score is 3, but there are 0 moves"),
        ({"variant": "5T", "moves": [], "score": "many"}, "score must be a number"),
        ({"variant": "5T", "moves": [], "terminal": 1}, "terminal must be"),
        ({"variant": "5T", "moves": [], "terminal": True}, "not over after move 0"),
        ({"variant": "5T", "moves": [], "author": 5}, "author must be a string"),
        ({"variant": "5T", "moves": [17]}, "move 1 must be \\(x, y, dir, pos\\), not 17"),
        ({"variant": "5T", "moves": ["3H"]}, "move 1 must be"),
        ({"variant": "5T", "moves": [{"x": 1, "y": 2}]}, "move 1: no 'dir', 'pos'"),
        (
            {"variant": "5T", "moves": [[3, -1, "U", 0]]},
            "move 1: dir must be one of 'H', 'V', 'DP', 'DN'",
        ),
        ({"variant": "5T", "moves": [[3, -1, 4, 0]]}, "move 1: dir must be an integer from 0 to 3"),
        ({"variant": "4T", "moves": [[3, -1, "V", 4]]}, "pos must be an integer from 0 to 3"),
        ({"variant": "5T", "moves": [[3.0, -1, "V", 0]]}, "x must be an integer"),
        ({"variant": "5T", "moves": [[True, -1, "V", 0]]}, "x must be an integer"),
        ({"variant": "5T", "moves": [[10**40, -1, "V", 0]]}, "x must be .* not 10000"),
        ({"variant": "5T", "moves": [[501, -1, "V", 0]]}, "x must be an integer from -500 to 500"),
        ({"variant": "5T", "moves": [[float("nan"), -1, "V", 0]]}, "x must be an integer"),
        ({"variant": "5T", "moves": [[3, -1, "V", 0], [3, -1, "V", 0]]}, "move 2, .*dot already"),
        ({"variant": "5D", "moves": [[400, -1, "V", 0]]}, "move 1, .* no dot at"),
    ],
    "crossword": [
        (b"", "file.txt: there are no words"),
        (b"# nothing\n\n", "file.txt: there are no words"),
        (b"BOISE\n\nST PAUL", "file.txt:3: 'ST PAUL' is not a word"),
        ("QUÉBEC".encode(), "file.txt:1: 'QUÉBEC' is not a word"),
        (b"A1", "file.txt:1: 'A1' is not a word"),
        (b"BOISE\nA", "file.txt:2: 'A' has 1 letter; words for a grid of 9x9 have 2 to 9"),
        (b"BOISE\nSACRAMENTO", "file.txt:2: 'SACRAMENTO' has 10 letters"),
        (b"BOISE\nDOVER\nboise", "file.txt:3: BOISE is in the list twice, first at .*file.txt:1"),
        (b"\x00\x01\x02", "file.txt:1: .* is not a word"),
        (b"\x80\xff", "not UTF-8"),
        (b"x" * (2 << 20), "larger than 1 MiB"),
        (b"x" * 1000, "file.txt:1: 'x{40}...' has 1000 letters"),
    ],
    "grid": [
        ("", "file.txt:1: the row has 0 cells, not 3"),
        ("AB.\n", "file.txt: the grid has 1 rows, not 3"),
        ("AB.\n..\n...", "file.txt:2: the row has 2 cells, not 3"),
        ("AB.\n...\n...\n...", "file.txt:4: the grid has more than 3 rows"),
        ("AB.\n. .\n...", "file.txt:2: the row has 2 cells, not 3"),
        ("AB.\n.-.\n...", "file.txt:2: cell 2 is '-'"),
        ("AB.\n...\n.é.", "file.txt:3: cell 2 is 'é'"),
    ],
    "latin": [
        ("", "file.txt:1: the first line is the order, 1 to 64, not nothing"),
        ("# only\n", "not nothing"),
        ("2 2\n", "not '2 2'"),
        ("0\n", "the first line is the order"),
        ("65\n", "the first line is the order"),
        ("-1\n", "the first line is the order"),
        ("\u0665\n", "the first line is the order"),
        ("9" * 100_000, "the first line is the order"),
        ("2\n1 2\n", "file.txt:2: the file ends after 1 of 2 rows"),
        ("2\n", "file.txt:1: the file ends after 0 of 2 rows"),
        ("2\n1 2\n2 1\n1 2\n", "file.txt:4: one line too many"),
        ("2\n1\n", "file.txt:2: a row has 2 values, this one 1"),
        ("2\n1 2 0\n", "file.txt:2: a row has 2 values, this one 3"),
        ("2\n1 3\n", "file.txt:2: value 2 must be 1 to 2, or 0 for a hole, not '3'"),
        ("2\n1 x\n", "not 'x'"),
        ("2\n1 -1\n", "not '-1'"),
        ("2\n1 1.0\n", "not '1.0'"),
        ("2\n\n0 0\n# x\n1 1\n", "file.txt:5: row 2 has the value 1 twice, in columns 1 and 2"),
        ("# CR\r2\r1 0\r1 0\r", "file.txt:4: column 1 has the value 1 twice, in rows 1 and 2"),
        ("2\n1 0\n1 0\n", "file.txt:3: column 1 has the value 1 twice, in rows 1 and 2"),
        ("3\n0 1 2\n3 0 0\n0 0 0\n", "file.txt: no completion exists"),
        (b"2\n\x00 \x00\n", "binary"),
        (b"\xff\xfe2\n", "not UTF-8"),
        (b"7 " * (1 << 20), "larger than 1 MiB"),
    ],
    "kakuro": [
        ("", "there is no puzzle"),
        ("# nothing\n\n", "there is no puzzle"),
        ("hello world\n", "file.txt:1: cell 1 must be"),
        ("\\ 3\\\n\n\\3 . .\n", "file.txt:3: the row has 3 cells, the first one has 2"),
        ("\\ 3\\\n\\3 x\n", "file.txt:2: cell 2 must be '.'"),
        ("\\ 3\\ 4\\\n\\4 . .\n\\ . .\n", "file.txt:3: the 2 cells across from cell 2 have no"),
        ("\\ \\\n", "file.txt: a grid has 1 to 4096 cells to fill, not 0"),
        ("\\ 3\\\n\\4 .\n", "file.txt: no solution exists: all sums across make 4"),
        ("2 5\n4 3\n", "file.txt:2: after the first line there must be a line of row sums"),
        ("2 5\n", "file.txt:1: after the first line there must be"),
        ("2 5\n4 3\n3 4\n1 3\n", "file.txt:4: after the first line there must be .* not 3 lines"),
        ("2 5 6\n4 3\n3 4\n", "file.txt:1: the first line must be a row of a grid, or"),
        ("2 5\n4\n3 4\n", "file.txt:2: 2 row sums are needed, not 1"),
        ("2 5\n4 3\n3 4 5\n", "file.txt:3: 2 column sums are needed, not 3"),
        ("2 65\n4 3\n3 4\n", "file.txt:1: a number from 1 to 64 is needed, not '65'"),
        ("0 5\n\n\n", "file.txt:1: a number from 1 to 64 is needed, not '0'"),
        ("2 5\n4 x\n3 4\n", "file.txt:2: a number from 1 to 9999 is needed, not 'x'"),
        ("2 5\n4 0\n3 4\n", "not '0'"),
        ("2 5\n4 " + "9" * 100_000 + "\n3 4\n", "not '9999"),
        ("\u00b2 \u0665\n4 3\n3 4\n", "file.txt:1: a number"),
        (b"\\ 3\\\n\\3 \x00\n", "binary"),
        (b"\xff\xfe\\\n", "not UTF-8"),
        (b". " * (1 << 20), "larger than 1 MiB"),
    ],
    "rna": [
        (b"", "there is no target"),
        (b"\n\n", "there is no target"),
        (b">title only\n", "there is no target"),
        (b"((..)\n", r":1: target: the '\(' at position 1 is never closed"),
        (b"GGG\n(...)\n", ":1: these letters belong to no structure"),
        (b"(...)\nGNNNN\nGNNNN\n", ":3: these letters belong to no structure"),
        (b">a\nGNNNN\n", ":2: these letters belong to no structure"),
        (b">a\nGNNNN\n>b\n(...)\n", ":2: these letters belong to no structure"),
        (b"(...)\nGNN\n", ":1: sequence must have a letter for each"),
        (b"(...) free\n", ":1: .*only an energy .* may follow it, not 'free'"),
        (b"(( ... ))\n", ":1: a structure has no spaces"),
        (b"(...)x\n", ":1: target: position 6 is 'x'; .* without pseudoknots or bases"),
        (b"((..[[..))..]]\n", ":1: target: position 5 is '\\['; .* without pseudoknots"),
        (b"[[...]]\n", r":1: target: position 1 is '\['"),
        (b"((((&))))\n", ":1: target: position 5 is '&'; .* for one strand"),
        (b">a\nGGGG&CCCC\n((((&))))\n", ":2: a line is '>title', a structure of"),
        (b">a\n((((\n....\n))))\n", ":2: target: .* is never closed; a structure is one line"),
        (b">a\nGGGG\nAAACCCC\n((((...))))\n", ":3: .* a sequence is one line after a structure"),
        (b">a\n(---)\n", ":2: target: position 2 is '-'; .* and nothing else"),
        (b">a\nA...A\n(...)\n", ":2: a line is"),
        (b">a\nANNNA\n(...)\n", ":3: sequence: A at position 1 and A .* C and G can"),
        (b"hello world\n", ":1: a line is '>title'"),
        (b"\xff\xfe\x00\n", "not UTF-8 text"),
        (b"\x00\x01\x02", ":1: a line is"),
        (b"A" * 100_000, ":1: a line is"),
        (b"(" * 100_000, "at most 5000 positions"),
    ],
}


def refusal(reader: str, path: Path | str) -> str:
    """Return why a file is refused, which is one line that names the file."""
    with pytest.raises(InputError) as caught:
        READERS[reader](path)
    message = str(caught.value)
    assert str(path).replace("\0", "\\x00") in message
    assert "\n" not in message
    assert len(message) < 2 * len(str(path)) + 300
    return message


@pytest.mark.parametrize(
    ("reader", "content", "expected"),
    [(reader, *row) for reader, rows in WRONG.items() for row in rows],
)
def test_a_wrong_file_is_refused(reader: str, content: Any, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    if isinstance(content, list | dict):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert re.search(expected, refusal(reader, path))


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_refused(reader: str, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        os.truncate(file.fileno(), 100 << 20)
    for path in (tmp_path, tmp_path / "missing.txt"):
        assert "cannot be read" in refusal(reader, path)
    assert "must be the name of a file" in refusal(reader, "nul\0byte")
    assert re.search("larger than|binary|too large", refusal(reader, tmp_path / "huge"))
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(reader, tmp_path / "pipe")
