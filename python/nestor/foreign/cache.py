"""Compiled code that is kept between processes, under a hash of all that it was made from."""

from __future__ import annotations

import hashlib
import marshal
import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any

from nestor.errors import InputError
from nestor.files import write_file

VARIABLE = "NESTOR_CACHE"
"""The environment variable that names the folder."""


def folder() -> Path:
    """Return the folder of compiled code."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("nestor", appauthor=False) / "compiled"


def read(key: str) -> Any:
    """Return what was kept under a key; None if there is nothing, or not all of it."""
    with suppress(OSError, EOFError, ValueError, TypeError):
        kept = (folder() / key).read_bytes()
        if hashlib.sha256(kept[32:]).digest() == kept[:32]:
            return marshal.loads(kept[32:])
    return None


def write(key: str, value: Any) -> None:
    """Keep a value of bytes, text, numbers, tuples and dicts, if there is a place for it."""
    data = marshal.dumps(value)
    with suppress(OSError, InputError):
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(folder() / key, hashlib.sha256(data).digest() + data)


def key_of(*parts: object) -> str:
    """Return the key for what depends on some things, whose `repr` says all of them."""
    return hashlib.sha256(repr((platform.python_version(), parts)).encode()).hexdigest()
