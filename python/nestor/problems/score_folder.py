"""Folders of scores, which later runs and other processes share."""

from __future__ import annotations

import math
import sqlite3
import struct
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nestor.errors import InputError, warn
from nestor.problems.remembered import Memory, Score

FILE = "scores.sqlite3"
"""The file of a folder of scores."""

WAIT = 60.0
"""Seconds to wait for another process that writes scores."""

NUMBER = struct.calcsize("<d")

TABLE = (
    "CREATE TABLE score "
    "(instance TEXT, game BLOB, score BLOB, PRIMARY KEY (instance, game)) WITHOUT ROWID"
)
"""All that a file of scores has, in the words in which SQLite keeps it."""

FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; its messages on a damaged file may hold bytes that are no text."""


class Folder(Memory):
    """The scores of a folder, which other processes and later runs share.

    A file of SQLite has for each instance and game the eight bytes of each number of its score, and
    nothing that could run: one with a view, a trigger or another table is refused.

    Parameters
    ----------
    path : Path
        The folder; it is made if there is none.
    instance : str
        What stands for the code and the instance.
    tuples : bool, default False
        Whether scores are tuples.

    Raises
    ------
    InputError
        If it cannot be written, or holds something other than scores.
    """

    def __init__(self, path: Path, instance: str, tuples: bool = False) -> None:
        super().__init__()
        self._path, self._instance, self._tuples = path, instance, tuples
        self._file: sqlite3.Connection | None = None
        self._warned = False
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._opened().execute("SELECT count(*) FROM score WHERE instance = ''")
        except (OSError, *FAULTS) as error:
            raise InputError(f"cache: {path / FILE} cannot be used: {error}") from None

    def _opened(self) -> sqlite3.Connection:
        if self._file is None:
            # Callers take turns, so threads may share it.
            path = self._path / FILE
            file = sqlite3.connect(path, WAIT, isolation_level=None, check_same_thread=False)
            # Of a crash of the machine the last scores may be lost, and nothing else.
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")
            file.execute(TABLE.replace("TABLE", "TABLE IF NOT EXISTS"))
            if file.execute("SELECT type, sql FROM sqlite_master").fetchall() != [("table", TABLE)]:
                raise sqlite3.DatabaseError("it holds something other than the scores of Nestor")
            self._file = file
        return self._file

    def get(self, game: Hashable) -> Score | None:
        """Return the score of a game, if it is known here or to another process."""
        if (known := super().get(game)) is not None:
            return known
        asked = "SELECT score FROM score WHERE instance = ? AND game = ?"
        found = None
        with self._warning():
            found = self._opened().execute(asked, (self._instance, game)).fetchone()
        data = found[0] if found else None
        if not isinstance(data, bytes) or not data or len(data) % NUMBER:
            return None
        parts = struct.unpack(f"<{len(data) // NUMBER}d", data)
        if any(map(math.isnan, parts)) or (len(parts) > 1) != self._tuples:
            return None
        score = parts if self._tuples else parts[0]
        super().put(game, score)
        return score

    def put(self, game: Hashable, score: Score) -> None:
        """Remember the score of a game, in the folder, too."""
        super().put(game, score)
        told = "INSERT OR REPLACE INTO score VALUES (?, ?, ?)"
        with self._warning():
            parts = score if isinstance(score, tuple) else (score,)
            data = struct.pack(f"<{len(parts)}d", *parts)
            self._opened().execute(told, (self._instance, game, data))

    def other(self, game: object) -> Hashable:
        """Refuse a game without a written form."""
        raise InputError(
            "cache: a folder keeps scores by moves of numbers, strings, tuples, enumerations and "
            "dataclasses, or by what a method key(state) returns of these"
        )

    @contextmanager
    def _warning(self) -> Iterator[None]:
        """Say once that the folder fails; the search goes on with what is in memory."""
        try:
            yield
        except FAULTS as error:
            if not self._warned:
                self._warned = True
                told = f"cache: {self._path / FILE} fails, and scores are kept in memory alone"
                warn(f"{told}: {error}")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_scores": {}, "_file": None}
