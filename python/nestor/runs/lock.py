"""One run at a time: the lock of a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nestor.errors import InputError

try:
    import fcntl
except ImportError:  # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep every other run from a file: a lock beside it, which the system drops at our death.

    Raises
    ------
    InputError
        If another run has the file.
    """
    if fcntl is None:
        yield
        return
    target = path.resolve()
    lock = target.with_name(f".{target.name}.lock")
    handle = _taken(lock, path)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def _taken(lock: Path, path: Path) -> int:
    """Return the open lock file, which no other run has and which is still in its place."""
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(f"cannot write {lock}: {error.strerror}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same(handle, lock):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise InputError(f"{path}: another run is using it") from None
        except OSError:  # A file system without locks.
            return handle
        os.close(handle)


def _same(handle: int, lock: Path) -> bool:
    """Whether the lock file was not removed by the run that had it before."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), lock.stat())
    return False
