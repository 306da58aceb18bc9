"""A log of improvements that grows while a search runs, with one JSON object per line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nestor.errors import InputError
from nestor.files import check_kind, parse_json, read_bytes

LIMIT = 1 << 30
"""The largest size of a log that is continued, in bytes."""


class ImprovementLog:
    """Writes each new best score of each job as a line, and flushes it at once.

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
        try:
            check_kind(path)
            if resume and path.exists():
                self._continue()
            elif path.exists() and path.stat().st_size:
                raise InputError(f"{path} exists: name another log, or remove it")
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror or error}") from None

    def _continue(self) -> None:
        """Count the lines of each job and cut off an incomplete one."""
        what = "a log of improvements"
        text = read_bytes(self._path, what, LIMIT)
        kept = text[: text.rfind(b"\n") + 1]
        for line in kept.splitlines():
            job = parse_json(line, self._path, what).get("job")
            if not isinstance(job, int):
                raise InputError(f"{self._path}: not {what}")
            self._written[job] = self._written.get(job, 0) + 1
        if len(kept) < len(text):
            with self._path.open("r+b") as file:
                file.truncate(len(kept))

    def update(self, by_job: Sequence[Sequence[Mapping[str, Any]]]) -> None:
        """Write the new ones of the improvements of each job."""
        for job, improvements in enumerate(by_job):
            written = self._written.get(job, 0)
            # JSON has no infinite scores.
            finite = [each for each in improvements if math.isfinite(each["score"])]
            for found in finite[written:]:
                line = {
                    "job": job,
                    "level": found["level"],
                    "playouts": found["playouts"],
                    "seconds": round(found["seconds"], 6),
                    "score": self._natural(found["score"]),
                }
                self._file.write(json.dumps(line) + "\n")
            self._written[job] = max(written, len(finite))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
