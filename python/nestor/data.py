"""Where the benchmark instances are.

They are not part of the package. They are looked for in the folder that the environment variable
``NESTOR_DATA`` names, or without it in the folder ``nestor`` of the user's cache folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from nestor.errors import InputError

VARIABLE = "NESTOR_DATA"


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
    found = folder()
    if found is None:
        raise InputError(
            f"no benchmark data: put them into {_cache()} or set {VARIABLE} to their folder"
        )
    path = found / name
    if not path.exists():
        raise InputError(f"no {name!r} in the data folder {found}")
    return path


def _cache() -> Path:
    """Return our folder in the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("nestor", appauthor=False, opinion=False)
