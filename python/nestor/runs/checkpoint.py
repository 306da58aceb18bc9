"""Checkpoints: the state of a run in one file, so that it can be resumed after any stop.

The file has a line that names the format and an SHA-256 of the rest. Then comes a line of JSON that
says what was asked for (the problem and its digest, the algorithm, seed, budgets and versions), and
the states of the jobs, compressed. The codes of a user's own problem come last: as JSON, or pickled
with the problem if they have no JSON form. A pickle is loaded only if the caller trusts the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

from nestor import files
from nestor.checks import as_integer, as_list, as_seconds, in_json
from nestor.errors import InputError


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other run from a file: a lock beside it, which the system drops at our death.

    Raises
    ------
    InputError
        If another run has the file.
    """
    if not files.LOCKS:
        yield
        return
    target = path.resolve()
    beside = target.with_name(f".{target.name}.lock")
    handle = _taken(beside, path)
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        os.close(handle)


def _taken(beside: Path, path: Path) -> int:
    """Return the open lock file, which no other run has and which is still in its place."""
    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(f"cannot write {beside}: {error.strerror}") from None
        try:
            files.lock(handle, path)
        except InputError:
            os.close(handle)
            raise
        if _same(handle, beside):
            return handle
        os.close(handle)


def _same(handle: int, beside: Path) -> bool:
    """Whether the lock file was not removed by the run that had it before."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), beside.stat())
    return False


NAME = b"NESTOR CHECKPOINT "
"""How a file begins."""

MAGIC = NAME + b"2\n"
"""First line of a file; the number is the version of the format."""

WHAT = "a checkpoint of Nestor"
"""How errors name a file."""

LIMIT = 64 * files.MIB
"""The most bytes that all states have together when they are unpacked, unless the file has more."""

HEADER = 128 * files.MIB
"""The longest line of JSON, in bytes."""


@dataclass
class Checkpoint:
    """A run as it is stored in a file.

    Attributes
    ----------
    asked : dict
        Everything that a run needs except its state, as JSON-able data.
    jobs : list of bytes
        The state of each job, as the core writes it.
    own : bytes
        The codes of a user's own problem (see `OwnProblem.pack`); otherwise empty.
    """

    asked: dict[str, Any]
    jobs: list[bytes]
    own: bytes = field(default=b"", repr=False)

    def write(self, path: Path) -> None:
        """Write the file; it appears whole or not at all.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        sizes = [len(part) for part in (*self.jobs, self.own)]
        # What is larger is not packed, so that it may be read.
        level = 1 if sum(sizes) <= LIMIT else 0
        parts = [zlib.compress(part, level) for part in (*self.jobs, self.own)]
        asked = {**self.asked, "parts": [len(part) for part in parts], "sizes": sizes}
        line = json.dumps(asked).encode() + b"\n"
        digest = hashlib.sha256(line)
        for part in parts:
            digest.update(part)
        with files.whole(path) as temporary, temporary.open("wb") as file:
            file.writelines([MAGIC, digest.digest(), line, *parts])

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Read and check a file.

        Raises
        ------
        InputError
            If it cannot be read, is not a checkpoint, is of another version, or is damaged.
        """
        with files.opened(path) as file:
            magic = file.read(len(MAGIC))
            if not magic.startswith(NAME):
                files.check_what(magic + file.read(256), path, WHAT)
                raise InputError(
                    f"{path}: not {WHAT}, which --checkpoint or nestor.Search.save writes"
                )
            if magic != MAGIC:
                raise InputError(f"{path}: a checkpoint of another version of Nestor")
            digest, begin = file.read(32), file.tell()
            if hashlib.file_digest(file, "sha256").digest() != digest:
                raise InputError(f"{path}: a damaged checkpoint: it was cut off or changed")
            end = file.tell()
            file.seek(begin)
            line = next(files.whole_lines(file, path, WHAT, HEADER), b"")
            asked = files.parse_json(line, path, WHAT)
            with files.parsing(path, WHAT):
                as_seconds("elapsed", asked["elapsed"])
                *jobs, own = _parts(asked, file, end - file.tell())
                return cls(asked, jobs, own)


def differing_fields(own: Any, other: Any) -> str:
    """Say that two instances, as JSON-able data, differ, and in which of their fields."""
    if not isinstance(own, dict) or not isinstance(other, dict):
        return "instance"
    own = in_json(own)
    fields = [name for name in own if name in other and own[name] != other[name]]
    return f"instance ({', '.join(fields)})" if fields else "instance"


def _parts(asked: dict[str, Any], file: BufferedReader, room: int) -> Iterator[bytes]:
    """Yield the parts of a file that has so many bytes after its line of JSON."""
    lengths = as_list("parts", asked.pop("parts"))
    # Files of earlier versions do not say how large the parts are when they are unpacked.
    sizes = as_list("sizes", asked.pop("sizes", [None] * len(lengths)))
    if not len(lengths) == len(sizes) == as_integer("jobs", asked["jobs"], 1, len(lengths)) + 1:
        raise InputError(f"a damaged checkpoint: {len(lengths)} parts for {asked['jobs']} jobs")
    most = max(LIMIT, room)
    for name, numbers, limit in (("parts", lengths, room), ("sizes", sizes, most)):
        known = [as_integer(name, each, 0, limit) for each in numbers if each is not None]
        if sum(known) > limit:
            raise InputError(
                f"a damaged checkpoint: {name} are {sum(known):,} bytes, over {limit:,}"
            )
    for length, size in zip(lengths, sizes, strict=True):
        part = files.inflated(file.read(length), most if size is None else size)
        most -= len(part)
        yield part
