"""Where the benchmark instances are, and how to get the public ones.

They are not part of the package. They are looked for in the folder that the environment variable
``NESTOR_DATA`` names, and in the folder ``nestor`` of the user's cache folder, where `fetch` puts
them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nestor.checks import check_text, shown
from nestor.errors import FetchError, InputError, missing_extra, nearest
from nestor.files import exists

__all__ = ["BenchmarkSet", "fetch", "find", "folder", "sets"]

VARIABLE = "NESTOR_DATA"


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
        if not Path(named).is_dir():
            raise InputError(f"{VARIABLE} must name a folder, not {named!r}")
        return Path(named)
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
    if found is None:
        raise InputError(
            f"no benchmark data: put them into {_cache()} or set {VARIABLE} to their folder"
        )
    for place in (found, _cache()):
        if exists(str(place / name)):
            return place / name
    known = [key for key, each in sets().items() if name in each.paths]
    advice = f": nestor.data.fetch({known[0]!r}) gets it" if known else ""
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
        If something is to be downloaded, and pooch is not installed.
    FetchError
        If a file cannot be downloaded, for example offline, or is another one than expected.
    """
    if not isinstance(name, str) or name not in sets():
        known = ", ".join(sets())
        raise InputError(f"name must be one of {known}, not {name!r}{nearest(name, sets())}")
    wanted = sets()[name]
    given = folder()
    if given not in (None, _cache()) and all((given / path).exists() for path in wanted.paths):
        return given / wanted.folder
    target = _cache() / wanted.folder
    try:
        import pooch
    except ImportError:
        raise missing_extra("nestor.data.fetch", "data") from None
    from rich.progress import track

    from nestor.console import Console

    pooch.get_logger().setLevel("WARNING")
    files = track(wanted.files.items(), name, console=Console(stderr=True), disable=not progress)
    for file, checksum in files:
        _download(name, wanted, file, checksum, target)
    return target


def _download(name: str, wanted: BenchmarkSet, file: str, checksum: str, target: Path) -> None:
    """Make sure that a file is in a folder: it is there already, or one of the addresses has it."""
    import pooch
    from requests import ConnectionError, HTTPError, RequestException

    path, reasons = target / file, []
    for address in wanted.addresses:
        try:
            pooch.retrieve(address + file, f"sha256:{checksum}", path.name, path.parent)
        except HTTPError as error:
            reasons.append(str(error))
        except RequestException as error:
            host = address.split("/")[2]
            reasons.append(f"no answer from {host} ({type(error).__name__})")
            if isinstance(error, ConnectionError):
                break
        except ValueError:
            reasons.append(f"{address}{file} is not the file that was published (checksum)")
        except OSError as error:
            reasons.append(f"cannot write {path}: {error.strerror}")
        else:
            return
    raise FetchError(
        f"cannot fetch {name!r}: {reasons[-1]}; "
        f"without a network, put the files of {wanted.source} into {target}"
    )


def _cache() -> Path:
    """Return our folder in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("nestor", appauthor=False, opinion=False)
