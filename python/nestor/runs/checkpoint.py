"""Checkpoints: the state of a run in one file, so that it can be resumed after any stop.

The file has a line that names the format and an SHA-256 of the rest. Then comes a line of JSON that
says what was asked for (the problem and its digest, the algorithm, seed, budgets and versions), and
the states of the jobs, compressed. The codes of a user's own problem come last: as JSON, or pickled
with the problem if they have no JSON form. A pickle is loaded only if the caller trusts the file.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nestor.algorithms import Algorithm, Race
from nestor.checks import as_integer, as_list
from nestor.errors import InputError
from nestor.files import check_what, opened, parse_json, parsing, whole
from nestor.prior import Prior

NAME = b"NESTOR CHECKPOINT "
"""How a file begins."""

MAGIC = NAME + b"2\n"
"""First line of a file; the number is the version of the format."""

WHAT = "a checkpoint of Nestor"
"""How errors name a file."""

LIMIT = 1 << 30
"""The largest state of a job, in bytes."""


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
        with opened(path) as file:
            magic = file.read(len(MAGIC))
            if not magic.startswith(NAME):
                check_what(magic + file.read(256), path, WHAT)
                raise InputError(f"{path}: not {WHAT}, which --checkpoint writes")
            if magic != MAGIC:
                raise InputError(f"{path}: a checkpoint of another version of Nestor")
            digest, body = file.read(32), file.read()
        if hashlib.sha256(body).digest() != digest:
            raise InputError(f"{path}: a damaged checkpoint: it was cut off or changed")
        line, _, rest = body.partition(b"\n")
        asked = parse_json(line, path, WHAT)
        parts = []
        with parsing(path, WHAT):
            for length in asked.pop("parts"):
                length = as_integer("the length of a part", length, 0, len(rest))
                parts.append(_unpacked(rest[:length]))
                rest = rest[length:]
            return cls(asked, parts[:-1], parts[-1])


def priors_of(algorithm: Algorithm) -> Any:
    """Return the prior of an algorithm as JSON-able data, or those of a race."""
    if isinstance(algorithm, Race):
        return [priors_of(each) for each in algorithm.algorithms]
    prior = algorithm.bias_settings.prior
    return prior.to_dict() if isinstance(prior, Prior) else None


def same_priors(algorithm: Algorithm, priors: Any) -> bool:
    """Whether the priors of an algorithm have the counts that `priors_of` returned.

    Those of which it has only the name are taken for the same.
    """
    if priors is None:
        return True
    if isinstance(algorithm, Race):
        return all(map(same_priors, algorithm.algorithms, as_list("prior", priors)))
    prior = algorithm.bias_settings.prior
    return not isinstance(prior, Prior) or prior.digest == Prior.from_dict(priors).digest


def differing_fields(own: Any, other: Any) -> str:
    """Say that two instances, as JSON-able data, differ, and in which of their fields."""
    if not isinstance(own, dict) or not isinstance(other, dict):
        return "instance"
    own = json.loads(json.dumps(own))
    fields = [name for name in own if name in other and own[name] != other[name]]
    return f"instance ({', '.join(fields)})" if fields else "instance"


def with_priors(algorithm: Algorithm, priors: Any) -> Algorithm:
    """Return an algorithm with the priors that `priors_of` returned."""
    if priors is None:
        return algorithm
    if isinstance(algorithm, Race):
        each = zip(algorithm.algorithms, as_list("prior", priors), strict=True)
        return replace(algorithm, algorithms=tuple(with_priors(*pair) for pair in each))
    return replace(algorithm, prior=Prior.from_dict(priors))  # type: ignore[call-arg]


def _unpacked(packed: bytes) -> bytes:
    reader = zlib.decompressobj()
    try:
        part = reader.decompress(packed, LIMIT)
    except zlib.error as error:
        raise InputError(f"a damaged checkpoint: {error}") from None
    if not reader.eof:
        raise InputError("a damaged checkpoint: a part is cut off or too large")
    return part
