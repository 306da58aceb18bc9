"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nestor.errors import InputError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a temporary file in the folder of `path`, which takes its place if all goes well.

    Links are followed: what they point to is replaced.

    Raises
    ------
    InputError
        If the file cannot be written, or `path` is a folder, a device or the like.
    """
    try:
        target = path.resolve()
        _check_kind(target)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".nestor-")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(_mode(target))
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise _cannot_write(path, error) from None


def check_writable(path: Path) -> None:
    """Check that `whole` can write a file, and leave no trace.

    Raises
    ------
    InputError
        If it cannot.
    """
    try:
        target = path.resolve()
        _check_kind(target)
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except (OSError, RuntimeError) as error:
        raise _cannot_write(path, error) from None


def _check_kind(path: Path) -> None:
    """Raise OSError if something else than a regular file is at `path`."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _mode(path: Path) -> int:
    """Return the permissions of the file that is replaced, or those of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _cannot_write(path: Path, error: OSError | RuntimeError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    if not path.parent.is_dir():
        reason = f"{path.parent} is no folder"
    return InputError(f"cannot write {path}: {reason}")
