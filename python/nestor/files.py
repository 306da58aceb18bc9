"""Names of files, and files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nestor.checks import shown
from nestor.errors import InputError


def as_path(name: str, value: object) -> Path:
    """Return an argument, a string or another path, as a path that a file can have.

    Raises
    ------
    InputError
        If it is something else.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise InputError(f"{name} must be a path, not {shown(value)}")
    path = Path(value)
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeError:
        possible = False
    if not possible:
        raise InputError(f"{name} must be a path, which {shown(value)} cannot be")
    return path


def exists(text: str) -> bool:
    """Whether a text is the name of a file or folder; one that cannot be a name is not."""
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file in the folder of `path`; it replaces `path` if all goes well.

    Links are followed, and what they point to is replaced.

    Raises
    ------
    InputError
        If the file cannot be written, or `path` is something other than a file.
    """
    path = as_path("path", path)
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
