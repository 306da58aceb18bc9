"""Folders of scores, which later runs and other processes share."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import sqlite3
import struct
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from nestor.errors import InputError, warn
from nestor.problems.remembered import Memory, Score, written

FILE = "scores.sqlite3"
"""The file of a folder of scores."""

WAIT = 60.0
"""Seconds to wait for another process that writes scores."""

NUMBER = struct.calcsize("<d")


class Folder(Memory):
    """The scores of a folder, which other processes and later runs share.

    A file of SQLite has for each instance and game the eight bytes of each number of its score, and
    nothing that could run.

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
        If it cannot be written.
    """

    def __init__(self, path: Path, instance: str, tuples: bool = False) -> None:
        super().__init__()
        self._path, self._instance, self._tuples = path, instance, tuples
        self._file: sqlite3.Connection | None = None
        self._warned = False
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._opened().execute("SELECT count(*) FROM score WHERE instance = ''")
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"cache: {path / FILE} cannot be used: {error}") from None

    def _opened(self) -> sqlite3.Connection:
        if self._file is None:
            # Callers take turns, so threads may share it.
            path = self._path / FILE
            file = sqlite3.connect(path, WAIT, isolation_level=None, check_same_thread=False)
            # Of a crash of the machine the last scores may be lost, and nothing else.
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")
            file.execute(
                "CREATE TABLE IF NOT EXISTS score "
                "(instance TEXT, game BLOB, score BLOB, PRIMARY KEY (instance, game)) WITHOUT ROWID"
            )
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
        except sqlite3.Error as error:
            if not self._warned:
                self._warned = True
                told = f"cache: {self._path / FILE} fails, and scores are kept in memory alone"
                warn(f"{told}: {error}")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_scores": {}, "_file": None}


def code_digest(problem: object) -> str:
    """Return a digest of the files that a problem's class, its bases and functions it has are in.

    Without such a file the code of their methods counts. So does plain data that methods and
    functions have from a function around them.
    """
    parts = []
    for kind in type(problem).__mro__[:-1]:
        parts.append(f"{kind.__module__}.{kind.__qualname__} {_source(kind, vars(kind))}")
        parts += _enclosed(vars(kind))
    own = getattr(problem, "__dict__", {})
    functions = {name: each for name, each in own.items() if callable(each)}
    for name, function in functions.items():
        while isinstance(function, partial):
            given = function.args, tuple(function.keywords.items())
            parts += [f"{name} {plain}" for plain in _plain(given)]
            function = function.func
        function = functions[name] = inspect.unwrap(function)
        told = function if inspect.isroutine(function) else type(function)
        parts.append(f"{name} {told.__qualname__} {_source(told, {name: function})}")
    parts += _enclosed(functions)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _source(of: Any, methods: Mapping[str, Any]) -> str:
    """Return a digest of the file that something is in, or else of the code of methods."""
    try:
        source = Path(inspect.getsourcefile(of) or "").read_bytes()
    except (OSError, TypeError):
        source = repr(sorted(_codes(methods))).encode()
    return hashlib.sha256(source).hexdigest()


def _enclosed(methods: Mapping[str, Any]) -> list[str]:
    """Return the plain variables that methods have from functions around them."""
    found = []
    for name, method in methods.items():
        names = getattr(getattr(method, "__code__", None), "co_freevars", ())
        for variable, cell in zip(names, getattr(method, "__closure__", None) or (), strict=True):
            with suppress(ValueError):  # It has no value yet.
                found += [f"{name} {variable} {plain}" for plain in _plain(cell.cell_contents)]
    return found


def _plain(value: Any) -> list[str]:
    """Return a text for a value if it is plain, or none."""
    with suppress(TypeError, ValueError):
        return [json.dumps(written(value))]
    return []


def _codes(methods: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the code and the constants of methods in hexadecimal and words."""
    codes = ((name, getattr(each, "__code__", None)) for name, each in methods.items())
    return [
        (name, f"{code.co_code.hex()} {code.co_names} {_constants(code)}")
        for name, code in codes
        if code is not None
    ]


def _constants(code: Any) -> list[str]:
    """Return the constants of code, those of code within it included."""
    return [
        f"{each.co_code.hex()} {each.co_names} {_constants(each)}"
        if hasattr(each, "co_code")
        else repr(each)
        for each in code.co_consts
    ]
