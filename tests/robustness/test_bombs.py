"""Files that are small and would be large once read: refused within 1 GiB and 10 s of processor."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA, InputError, Prior, Result
from nestor.files import MIB
from nestor.problems import Morpion
from nestor.runs.checkpoint import LIMIT, MAGIC, Checkpoint
from robustness.sandbox import command, faults
from support.instances import small_tsptw
from support.parts import partly

LISTS = b"[" + b"[]," * (10 * MIB) + b"[]]"
"""30 MiB of JSON, of which Python would make lists of 1 GiB."""


def signed(asked: dict[str, Any], parts: list[bytes]) -> bytes:
    """Return a checkpoint with its digest, whatever it says of its parts."""
    body = json.dumps(asked).encode() + b"\n" + b"".join(parts)
    return MAGIC + hashlib.sha256(body).digest() + body


def checkpoints(valid: Path) -> Iterator[tuple[str, bytes]]:
    """Yield checkpoints that say something wrong of their parts."""
    content = valid.read_bytes()[len(MAGIC) + 32 :]
    asked = json.loads(content.partition(b"\n")[0])
    size = 256 * MIB
    bomb = zlib.compress(bytes(size), 9)
    small = zlib.compress(b"x")
    for jobs in (2, 50, 12_000):
        parts = [bomb if jobs < 100 else small] * jobs + [zlib.compress(b"")]
        about = {"jobs": jobs, "parts": list(map(len, parts))}
        sizes = {
            "told": [*[size if jobs < 100 else 1] * jobs, 0],
            "as few": [*[1] * jobs, 0],
            "none": [0] * (jobs + 1),
            "negative": [*[-size] * jobs, 0],
            "in sum": [*[LIMIT // 2 + 1] * jobs, 0],
            "huge": [*[10**400] * jobs, 0],
            "null": [None] * (jobs + 1),
            "one": [size],
        }
        yield f"{jobs} parts, no sizes", signed({**asked, **about, "sizes": None}, parts)
        for name, each in sizes.items():
            yield f"{jobs} parts, {name}", signed({**asked, **about, "sizes": each}, parts)
    parts, old = [bomb, bomb], {k: v for k, v in asked.items() if k != "sizes"}
    about = {"parts": list(map(len, parts))}
    yield "an older file", signed({**old, **about}, parts)
    yield "of an own problem", signed({**old, **about, "own": "mine:Problem"}, parts)
    for wrong in (0, -1, 10**18, "1", None):
        yield f"{wrong!r} jobs", signed({**asked, **about, "jobs": wrong, "sizes": [1, 1]}, parts)
    wrong_lengths: list[Any] = [[], [len(bomb)], [len(bomb) * 2, 0], [-1, 2 * len(bomb) + 1], "x"]
    for lengths in wrong_lengths:
        yield f"lengths {lengths}", signed({**asked, "parts": lengths, "sizes": [1, 1]}, parts)
    codes = zlib.compress(b'{"codes":[' + LISTS.rpartition(b",")[0] + b"]]}")
    parts = [zlib.compress(b"")] * asked["jobs"] + [codes]
    own = {"own": "mine:Problem", "parts": list(map(len, parts))}
    yield "codes", signed({**old, **own}, parts)
    line = b'{"schema":1,"x":' + LISTS + b"}\n"
    yield "a line of lists", MAGIC + hashlib.sha256(line).digest() + line


def attempt(write: Callable[[Path], object], read: Callable[[Path], object], path: Path) -> Any:
    """Return the call that writes a file and reads it, and is refused."""

    def call() -> str:
        write(path)
        try:
            read(path)
        except InputError as error:
            return "" if path.name in str(error) else f"WRONG: without the file: {error}"
        return "WRONG: read"

    return call


def fine(told: str) -> bool:
    return told.startswith("returned") and "WRONG" not in told


def refused(calls: dict[Any, Any]) -> None:
    """Check that each is refused in little memory and time."""
    found = faults(calls, fine, megabytes=1024)
    assert not found, found


def bytes_of(content: bytes) -> Callable[[Path], object]:
    """Return what writes bytes."""
    return lambda path: path.write_bytes(content)


def test_checkpoints(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    nestor.solve(small_tsptw(), NRPA(2, 5), playouts=20, checkpoint=path)
    readers: list[Callable[[Path], object]] = [
        lambda path: nestor.resume(path, playouts=40, trust=False),
        lambda path: nestor.resume(path, problem=small_tsptw(), playouts=40),
        lambda path: command("resume", str(path), "--playouts", "40"),
    ]
    refused(
        {
            (name, number): attempt(bytes_of(content), read, path)
            for name, content in checkpoints(path)
            for number, read in enumerate(readers[: 3 if "told" in name else 1])
        }
    )


def of_prior(codes: bytes, count: bytes = b"", nb: bytes = b"") -> bytes:
    return (
        b'{"schema":1,"name":"x","problem":"y","provenance":{},"codes":[%b],"count":[%b],"nb":[%b]}'
        % (codes, count, nb)
    )


PRIORS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: gzip.compress(bytes(64 * MIB), 1),
    "blanks": lambda: gzip.compress(b" " * 64 * MIB, 1),
    "one more": lambda: gzip.compress(b" " * (16 * MIB) + b"{}", 1),
    "lists": lambda: gzip.compress(of_prior(b"[]," * (2 * MIB) + b"[]"), 1),
    "lists in lists": lambda: gzip.compress(of_prior(b"[[[[[[[[]]]]]]]]," * (MIB // 4) + b"[]"), 1),
    "objects": lambda: gzip.compress(of_prior(b"{}," * (5 * MIB) + b"{}"), 1),
    "members": lambda: gzip.compress(bytes(8 * MIB)) * 64,
    "cut off": lambda: gzip.compress(bytes(8 * MIB))[:-20],
}


@pytest.mark.parametrize("name", partly(PRIORS, "one more", "cut off"))
def test_priors(name: str, tmp_path: Path) -> None:
    path = tmp_path / "prior.json.gz"
    refused({name: attempt(bytes_of(PRIORS[name]()), Prior.load, path)})


@pytest.mark.long
def test_the_largest_prior_is_read_and_a_larger_one_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "prior.json.gz"
    count = 16 * MIB // 13 - 10_000
    codes = b",".join(b"%d" % code for code in range(10**7, 10**7 + count))
    ones = b",".join([b"1"] * count)

    def load() -> int:
        path.write_bytes(gzip.compress(of_prior(codes, ones, ones), 1))
        return len(Prior.load(path).counts)

    found = faults({0: load}, lambda told: told == f"returned {count}", megabytes=1024)
    assert not found, found
    with pytest.raises(InputError, match=r"prior\.json\.gz: .* more than 16 MiB"):
        Prior("mine:Problem", {"x" * (17 * MIB): (1, 1)}).save(path)


def test_logs_and_saved_files(tmp_path: Path) -> None:
    nestor.solve(small_tsptw(), NRPA(2, 5), playouts=20, checkpoint=tmp_path / "run.ckpt")
    lines = b'{"job": 0, "level": 0, "playouts": 1, "seconds": 0, "score": 1}\n'

    def sparse(path: Path) -> None:
        path.write_bytes(lines)
        os.truncate(path, 100 << 30)

    def log(path: Path) -> Any:
        return nestor.resume(tmp_path / "run.ckpt", playouts=40, log=path)

    def watch(path: Path) -> Any:
        return command("watch", str(path), "--once")

    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    game = base64.b64encode(raw.compress(bytes(32 * MIB)) + raw.flush())
    long = b'{"job": 0, "x": "%b"}\n' % bytes(2 * MIB).replace(b"\0", b"x")
    file = tmp_path / "file.json"
    refused(
        {
            "a log of one line": attempt(sparse, log, file),
            "a watched log of one line": attempt(sparse, watch, file),
            "a log with a long line": attempt(bytes_of(lines + long), log, file),
            "a result of lists": attempt(
                bytes_of(b'{"schema":1,"x":' + LISTS + b"}"), Result.load, file
            ),
            "a result that is sparse": attempt(sparse, Result.load, file),
            "moves of lists": attempt(
                bytes_of(LISTS), lambda path: nestor.solve(small_tsptw(), initial=path), file
            ),
            "a game": attempt(bytes_of(b"MS1:" + game), Morpion.read, file),
        }
    )


def test_states_beyond_the_limit_are_not_packed(tmp_path: Path) -> None:
    """What a large run has written can be read, and a run of jobs that are small together, too."""
    path = tmp_path / "run.ckpt"
    for size in (LIMIT // 4, LIMIT // 2 + 1):
        Checkpoint({"jobs": 2, "elapsed": 1.0}, [bytes(size)] * 2, b"own").write(path)
        assert (path.stat().st_size < LIMIT) == (2 * size < LIMIT)
        found = Checkpoint.read(path)
        assert found.asked == {"jobs": 2, "elapsed": 1.0}
        assert (found.jobs, found.own) == ([bytes(size)] * 2, b"own")
