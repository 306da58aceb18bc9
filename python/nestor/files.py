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
    """Give a temporary file in the folder of `path`; it replaces `path` if all goes well.

    Links are followed, and what they point to is replaced.

    Raises
    ------
    InputError
        If the file cannot be written, or `path` is something other than a file.
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
    """Check that `whole` can write a file, without leaving a trace.

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
    """Raise OSError if there is something other than a regular file at `path`."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _mode(path: Path) -> int:
    """Return the permissions of the file to replace, or those of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _cannot_write(path: Path, error: OSError | RuntimeError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    if not path.parent.is_dir():
        reason = f"{path.parent} is not a folder"
    return InputError(f"cannot write {path}: {reason}")
