"""Checkpoints: the state of a run in one file, so that it can be resumed after any stop.

The file has a line that names the format and an SHA-256 of the rest. Then comes a line of JSON that
says what was asked for (the problem and its digest, the algorithm, seed, budgets and versions), and
the states of the jobs, compressed. A user's own problem and its codes are pickled: resume only
files that you trust.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nestor.errors import InputError
from nestor.files import whole

NAME = b"NESTOR CHECKPOINT "
"""How a file begins."""

MAGIC = NAME + b"2\n"
"""First line of a file; the number is the version of the format."""


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
        A user's own (problem, codes), pickled; otherwise empty.
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
        parts = [zlib.compress(part, 1) for part in (*self.jobs, self.own)]
        line = json.dumps({**self.asked, "parts": [len(part) for part in parts]}).encode() + b"\n"
        body = line + b"".join(parts)
        with whole(path) as temporary:
            temporary.write_bytes(MAGIC + hashlib.sha256(body).digest() + body)

    @classmethod
    def read(cls, path: Path) -> Checkpoint:
        """Read and check a file.

        Raises
        ------
        InputError
            If it cannot be read, is not a checkpoint, is of another version, or is damaged.
        """
        try:
            with path.open("rb") as file:
                magic = file.read(len(MAGIC))
                if not magic.startswith(NAME):
                    raise InputError(f"{path}: not a checkpoint of Nestor")
                if magic != MAGIC:
                    raise InputError(f"{path}: a checkpoint of another version of Nestor")
                digest, body = file.read(32), file.read()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from None
        if hashlib.sha256(body).digest() != digest:
            raise InputError(f"{path}: a damaged checkpoint: it was cut off or changed")
        line, _, rest = body.partition(b"\n")
        asked = json.loads(line)
        parts = []
        for length in asked.pop("parts"):
            parts.append(zlib.decompress(rest[:length]))
            rest = rest[length:]
        return cls(asked, parts[:-1], parts[-1])


def unpack(path: Path, own: bytes) -> tuple[Any, list[Any]]:
    """Return the user's problem and its codes (see `OwnProblem.pack`).

    Raises
    ------
    InputError
        If they cannot be loaded, most often because the problem's module is not found.
    """
    try:
        problem, codes = pickle.loads(own)
    except Exception as error:
        raise InputError(f"{path}: the problem cannot be loaded: {error}") from None
    return problem, codes
