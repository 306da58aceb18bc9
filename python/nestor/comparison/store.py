"""The file of a comparison: one JSON object per line, which grows by a line with each run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from nestor import algorithms
from nestor.checks import in_json, plain, shown
from nestor.comparison.fields import check_row
from nestor.comparison.row import NOTHING, Key, Row, RunBudget, key_of
from nestor.errors import InputError, errors_of
from nestor.files import check_writable, parse_json, read_bytes, writing
from nestor.runs.checkpoint import locked
from nestor.runs.saved import difference
from nestor.settings import from_settings

WHAT = "a file of runs"
LIMIT = 4 << 30
"""The largest size of a file of runs, in bytes."""

BEGINNING = b'{"problem": '
"""How each line begins."""


def read(path: Path) -> list[Row]:
    """Return the rows of a file; the beginning of a row at its end is left out.

    Raises
    ------
    InputError
        If the file cannot be read, a line is not a run, or a run has two scores; it names the line.
    """
    data = read_bytes(path, WHAT, LIMIT)
    end = data.rfind(b"\n") + 1
    lines = data[: end if _is_torn(data[end:]) else None].splitlines()
    rows, scores = list[Row](), dict[Key, float]()
    for number, line in enumerate(lines, 1):
        place = f"{path}:{number}"
        row = parse_json(line, place, WHAT)
        with errors_of(f"{place}: not {WHAT}"):
            check_row(row)
        for each in (row, *row["improvements"]):
            # NumPy has no integers as large as those of JSON.
            each["score"] = each["score"] and float(each["score"])
        if (score := row["score"]) is not None and scores.setdefault(key_of(row), score) != score:
            raise InputError(f"{place}: a line before has another score of this run")
        rows.append(row)
    return rows


def known(path: Path, wanted: Mapping[Key, Row]) -> dict[Key, Row]:
    """Return the rows that a file has of those wanted; of several with one key the last.

    Runs that raised an exception are not among them: they are tried again.

    Raises
    ------
    InputError
        If the file is of another comparison.
    """
    rows = read(path)
    cut_torn_line(path)
    done = {}
    for row in rows:
        expected = wanted.get(key_of(row), {})
        there = _asked(row) if expected else {}
        bias, had = expected.get("bias"), there.get("bias")
        # A failed run has none, and what Auto chooses may race others without the usual one.
        if not bias or had is None or f"{had} / ".startswith(f"{bias} / "):
            there["bias"] = bias
        for field, value in expected.items():
            if (now := in_json(value)) != there.get(field):
                what, how = field, difference(there.get(field), now)
                if field in ("digest", "prior"):  # Two digests tell nobody more than this.
                    what, how = field.replace("digest", "instance"), "another one there"
                raise InputError(
                    f"{path} has runs of another comparison: {what} of {row['problem']}, "
                    f"{row['algorithm']}: {how}"
                )
        if expected and row["error"] is None:
            done[key_of(row)] = row
    names = {name for problem, algorithm, _ in wanted for name in (problem, algorithm)}
    if rows and not any({row["problem"], row["algorithm"]} & names for row in rows):
        raise InputError(
            f"{path} has runs of another comparison: none of its problems and algorithms is here"
        )
    return done


def _asked(row: Row) -> Row:
    """Return a row whose settings and budget are as this version has them.

    It may have more of them than the version that wrote the row, or other names.
    """
    asked = dict(row)
    with suppress(InputError):  # They are not those of any algorithm of this version.
        asked["settings"] = in_json(algorithms.from_dict(row["settings"]).to_dict())
    with suppress(InputError):
        asked["budget"] = from_settings(RunBudget, row["budget"]).to_dict()
    return asked


@contextmanager
def appending(path: Path | None) -> Iterator[Callable[[Row], Row]]:
    """Give a function that appends a row to a file, and returns it; it is on the disk then.

    A row that has no JSON form is written, and returned, as that of a run that has failed. No other
    comparison writes to the file meanwhile. Without a path nothing is written.

    Raises
    ------
    InputError
        If the file cannot be written, or another comparison is writing to it.
    """
    if path is None:
        yield lambda row: row
        return
    check_writable(path)
    with locked(path):
        with writing(path):
            file = path.open("ab")

        def append(row: Row) -> Row:
            if (fault := fault_of(row)) is not None:
                kept = {"seconds": row["seconds"], "improvements": [], "error": fault}
                row = row | NOTHING | kept
            with writing(path):
                file.write(text_of(row).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            return row

        try:
            yield append
        finally:
            with suppress(OSError):  # Each row is on the disk, or its error is raised.
                file.close()


def _is_torn(rest: bytes) -> bool:
    """Whether what is behind the last new line is the beginning of a row.

    Other text that ends without a new line is none of ours, and is not to be lost.
    """
    return rest.startswith(BEGINNING) or BEGINNING.startswith(rest)


def cut_torn_line(path: Path) -> None:
    """Remove an incomplete last line, which a killed process has left; end one that is whole."""
    with path.open("rb+") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        if _is_torn(data[end:]):
            file.truncate(end)
        else:
            file.write(b"\n")


def fault_of(row: Row) -> str | None:
    """Return which field of a row has no JSON form; None if all have one."""
    for name, value in row.items():
        try:
            text_of(value)
        except (TypeError, ValueError):
            return f"{name} cannot be saved: {shown(value)} has no JSON form"
    return None


def text_of(value: Any) -> str:
    """Return a row as a line, or one of its fields."""
    return json.dumps(value, default=plain, allow_nan=False)
