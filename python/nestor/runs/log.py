"""A log of improvements that grows while a search runs, with one JSON object per line."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from nestor.errors import InputError, warn
from nestor.files import check_kind, opened, parse_json
from nestor.files import whole_lines as lines_of_file

WHAT = "a log of improvements"
"""How errors name a file."""

BEGINS = b'{"job": '
"""How a line begins."""


class ImprovementLog:
    """Writes each new best score of each job as a line, at once.

    A line has ``job``, ``level``, ``playouts``, ``seconds`` and ``score``, as in `Improvement`.

    Parameters
    ----------
    path : Path
    natural : callable
        Returns the natural score of an engine score.
    resume : bool
        Whether to continue the log of an earlier part of the run. Its lines are not written again:
        a search finds the same improvements in the same order. An incomplete last line is dropped.

    Raises
    ------
    InputError
        If the file cannot be written, or has lines and `resume` is False.
    """

    def __init__(self, path: Path, natural: Callable[[float], float], resume: bool) -> None:
        self._natural = natural
        self._path = path
        self._written: dict[int, int] = {}
        self._behind = False
        try:
            check_kind(path)
            if resume and path.exists():
                self._continue()
            elif path.exists() and path.stat().st_size:
                raise InputError(f"{path} exists: name another log, or remove it")
            # Unbuffered: what could not be written is not kept to be written later.
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from None

    def _continue(self) -> None:
        """Count the lines of each job and cut off an incomplete one."""
        kept = 0
        with opened(self._path) as file:
            for line in whole_lines(file, self._path):
                job = parse_json(line, self._path, WHAT).get("job")
                if not isinstance(job, int):
                    raise InputError(f"{self._path}: not {WHAT}")
                self._written[job] = self._written.get(job, 0) + 1
                kept += len(line)
        if kept < self._path.stat().st_size:
            os.truncate(self._path, kept)

    def update(self, by_job: Sequence[Sequence[Mapping[str, Any]]]) -> None:
        """Write the new ones of the improvements of each job.

        One that cannot be written is a warning, and the next call tries again.
        """
        for job, improvements in enumerate(by_job):
            # JSON has no infinite scores.
            finite = [each for each in improvements if math.isfinite(each["score"])]
            for found in finite[self._written.get(job, 0) :]:
                if not self._append(self._line(job, found)):
                    return
                self._written[job] = self._written.get(job, 0) + 1

    def _line(self, job: int, found: Mapping[str, Any]) -> bytes:
        line = {
            "job": job,
            "level": found["level"],
            "playouts": found["playouts"],
            "seconds": round(found["seconds"], 6),
            "score": self._natural(found["score"]),
        }
        return json.dumps(line).encode() + b"\n"

    def _append(self, line: bytes) -> bool:
        """Append a whole line or nothing. Returns whether that could be done."""
        end = self._file.seek(0, os.SEEK_END)
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(end)
            if not self._behind:
                reason = error.strerror or error
                message = f"the log is behind: cannot write {self._path}: {reason}"
                warn(message)
            self._behind = True
            return False
        self._behind = False
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def whole_lines(file: BufferedReader, path: Path) -> Iterator[bytes]:
    """Yield the lines of a log from where it is, without the last if it is not complete yet.

    Raises
    ------
    InputError
        If that is not the beginning of a line of a log, or a line is too long.
    """
    end = file.tell()
    for line in lines_of_file(file, path, WHAT):
        end += len(line)
        yield line
    file.seek(end)
    last = file.read(len(BEGINS))
    if not BEGINS.startswith(last):
        raise InputError(f"{path}: not {WHAT}: its end is not the beginning of a line of a log")
