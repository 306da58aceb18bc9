"""Where the benchmark instances are, and how to get the public ones.

They are not part of the package. They are looked for in the folder that the environment variable
``NESTOR_DATA`` names, and in the folder ``nestor`` of the user's cache folder, where `fetch` puts
them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread

from nestor.checks import check_choice, check_text, shown
from nestor.errors import FetchError, InputError, extra_module
from nestor.files import MIB, exists, read_bytes, write_file

__all__ = ["BenchmarkSet", "fetch", "find", "folder", "sets"]

VARIABLE = "NESTOR_DATA"

LARGEST = 16 * MIB
"""Bytes that no file of a set has."""

SILENT = 30.0
"""Seconds that a server may say nothing."""

LONGEST = 600.0
"""Seconds that it may take for a file."""

CHUNK = 1 << 16
"""Bytes that are read at once."""


@dataclass(frozen=True)
class BenchmarkSet:
    """A public benchmark set.

    Attributes
    ----------
    title : str
        What it has.
    folder : str
        Its place in the data folder.
    source : str
        Who publishes it.
    addresses : sequence of str
        Where its files are. They are tried in this order.
    files : mapping of str to str
        The SHA-256 checksum of each file.
    """

    title: str
    folder: str
    source: str
    addresses: tuple[str, ...]
    files: Mapping[str, str]

    @property
    def paths(self) -> list[str]:
        """The files' places in the data folder."""
        return [f"{self.folder}/{file}" for file in self.files]


@cache
def sets() -> dict[str, BenchmarkSet]:
    """Return the sets that `fetch` knows, by name."""
    known = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return {
        name: BenchmarkSet(**{**fields, "addresses": tuple(fields["addresses"])})
        for name, fields in known.items()
    }


def folder() -> Path | None:
    """Return the data folder, or None if there is none.

    Raises
    ------
    InputError
        If `NESTOR_DATA` names something that is not a folder.
    """
    named = os.environ.get(VARIABLE)
    if named:
        with suppress(OSError):
            if Path(named).is_dir():
                return Path(named)
        raise InputError(f"{VARIABLE} must name a folder, not {named!r}")
    cached = _cache()
    return cached if cached.is_dir() else None


def find(name: str) -> Path:
    """Return the path of a benchmark file.

    Parameters
    ----------
    name : str
        Path within the data folder, with forward slashes: "samegame/problems.txt".

    Raises
    ------
    InputError
        If it is missing; the message says where it was looked for.
    """
    check_text("name", name)
    found = folder()
    known = [key for key, each in sets().items() if name in each.paths]
    advice = f": `nestor fetch {known[0]}` gets it" if known else ""
    if found is None:
        raise InputError(
            f"no {shown(name)} in {_cache()}, and {VARIABLE} names no other folder{advice}"
        )
    for place in (found, _cache()):
        if exists(str(place / name)):
            return place / name
    raise InputError(f"no {shown(name)} in the data folder {found}{advice}")


def fetch(name: str, *, progress: bool = True) -> Path:
    """Return the folder of a public benchmark set; download what is missing (extra ``data``).

    Files are kept in the user's cache folder, and their checksums are those of the files that the
    tests and benchmarks of Nestor use. A set that `NESTOR_DATA` has is taken from there.

    Parameters
    ----------
    name : str
        One of `sets`, such as "samegame".
    progress : bool, default True
        Show on standard error how many files there are.

    Raises
    ------
    InputError
        If there is no such set.
    MissingExtraError
        If something is to be downloaded, and requests is not installed.
    FetchError
        If a file cannot be downloaded or written, for example offline, or is not the expected one.
    """
    check_choice("name", name, [*sets()])
    wanted = sets()[name]
    given = folder()
    if given not in (None, _cache()) and all((given / path).exists() for path in wanted.paths):
        return given / wanted.folder
    target = _cache() / wanted.folder
    extra_module("requests", "nestor.data.fetch", "data")
    from rich.progress import track

    from nestor.console import Console

    files = track(wanted.files.items(), name, console=Console(stderr=True), disable=not progress)
    for file, checksum in files:
        if not _is_there(target / file, checksum):
            _download(name, wanted, file, checksum, target)
    return target


def _is_there(path: Path, checksum: str) -> bool:
    """Whether a file has a checksum."""
    try:
        return _checksum(read_bytes(path, "a file of a set", LARGEST)) == checksum
    except InputError:
        return False


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _download(name: str, wanted: BenchmarkSet, file: str, checksum: str, target: Path) -> None:
    """Put a file into a folder, from the first of the addresses that has it."""
    from requests import ConnectionError, HTTPError, RequestException

    path, reasons = target / file, []
    for address in wanted.addresses:
        try:
            content = _content(address + file)
        except HTTPError as error:
            reasons.append(str(error))
        except (RequestException, ValueError) as error:  # A ValueError is a wrong redirect.
            host = address.split("/")[2]
            reasons.append(f"no answer from {host} ({type(error).__name__})")
            if isinstance(error, ConnectionError):
                break
        else:
            if content is not None and _checksum(content) == checksum:
                _keep(path, content, name)
                return
            reasons.append(f"{address}{file} is not the file that was published (checksum)")
    raise FetchError(
        f"cannot fetch {name!r}: {reasons[-1]}; "
        f"without a network, put the files of {wanted.source} into {target}"
    )


def _content(address: str) -> bytes | None:
    """Return what is at an address; None if it is larger than any file of a set.

    Raises
    ------
    requests.RequestException
        If it does not come, or not in `LONGEST` seconds. Each read waits for as long as a little
        comes now and then, so that a thread reads, which is left alone then.
    """
    from requests import Timeout

    answer: Future[bytes | None] = Future()

    def read() -> None:
        try:
            answer.set_result(_read(address))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=read, daemon=True).start()
    try:
        return answer.result(LONGEST)
    except FutureTimeout:
        raise Timeout(f"{address} took more than {LONGEST:g} seconds") from None


def _read(address: str) -> bytes | None:
    """Read what is at an address. Nothing is unpacked: it has as many bytes as are sent."""
    import requests

    plain, content = {"Accept-Encoding": "identity"}, bytearray()
    with requests.get(address, headers=plain, timeout=SILENT, stream=True) as answer:
        answer.raise_for_status()
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            return None
        for part in answer.iter_content(CHUNK):
            content += part
            if len(content) > LARGEST:
                return None
    return bytes(content)


def _keep(path: Path, content: bytes, name: str) -> None:
    """Write a file and its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)
    except OSError as error:
        raise FetchError(f"cannot fetch {name!r}: cannot write {path}: {error.strerror}") from None
    except InputError as error:
        raise FetchError(f"cannot fetch {name!r}: {error}") from None


def _cache() -> Path:
    """Return our folder in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("nestor", appauthor=False, opinion=False)
