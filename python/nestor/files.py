"""Files: names of files, bytes read within limits, and files written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from nestor.checks import shown
from nestor.errors import InputError
from nestor.fast_json import parsed
from nestor.safe import visible

try:
    import fcntl
except ImportError:  # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]
LOCKS = fcntl is not None
"""Whether the system has locks of files."""

MIB = 1 << 20
"""A mebibyte, in bytes."""

KINDS = {
    "a checkpoint of Nestor": rb"NESTOR CHECKPOINT ",
    "a saved result": rb'\{\s*"schema": *\d+,\s*"problem"',
    "a log of improvements": rb'\{"job"',
    "a file of runs": rb'\{"problem": *"([^"\\]|\\.)*", *"algorithm": *"',
    "a game of Morpion Solitaire": rb'MS1:|\{\s*"version": *("0\.1"|1),\s*"variant"',
}
"""How files of some kinds begin, so that an error can say what was given in place of another."""


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open a file to read its bytes; nothing waits for a pipe.

    Raises
    ------
    InputError
        If it cannot be read, or is something other than a file.
    """
    path = as_path("path", path)
    try:
        with open(path, "rb", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError("it is not a regular file")
            yield file
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_bytes(path: str | os.PathLike[str], what: str, limit: int = MIB) -> bytes:
    """Return the bytes of a file.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for errors: "a saved result".
    limit : int
        The largest size in bytes, in whole MiB.

    Raises
    ------
    InputError
        If the file cannot be read, is something other than a file, or is too large.
    """
    parts, size = list[bytes](), 0
    with opened(path) as file:
        while part := file.read(MIB):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise InputError(f"{path}: larger than {limit // MIB} MiB: not {what}")
    return b"".join(parts)


def whole_lines(
    file: BufferedReader, path: object, what: str, longest: int = MIB
) -> Iterator[bytes]:
    """Yield the lines of a file from where it is, without a last one that has no end.

    Raises
    ------
    InputError
        If a line is longer than so many bytes, in whole MiB.
    """
    while (line := file.readline(longest)).endswith(b"\n"):
        yield line
    if len(line) == longest:
        raise InputError(f"{path}: a line of more than {longest // MIB} MiB: not {what}")


def inflated(packed: bytes, limit: int, wbits: int = 15) -> bytes:
    """Return what zlib has packed.

    Parameters
    ----------
    packed : bytes
    limit : int
        The most bytes that it may have unpacked.
    wbits : int, default 15
        The form of what surrounds it: see `zlib.decompressobj`.

    Raises
    ------
    InputError
        If it is larger, or damaged. No more than the limit is unpacked to find that out.
    """
    import zlib

    unpacker = zlib.decompressobj(wbits)
    try:
        found = unpacker.decompress(packed, limit + 1)
    except zlib.error as error:
        raise InputError(f"damaged packed data: {error}") from None
    if len(found) > limit:
        raise InputError(f"larger than {limit:,} bytes unpacked")
    if not unpacker.eof or unpacker.unused_data:
        raise InputError("damaged packed data: cut off, or more follows its end")
    return found


def read_text(path: str | os.PathLike[str], what: str, limit: int = MIB) -> str:
    """Return the text of a file; the parameters and errors are those of `read_bytes`."""
    data = read_bytes(path, what, limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        check_what(data, path, what)
        raise _not_text(path, what) from None


def check_what(data: bytes, path: str | os.PathLike[str], what: str) -> None:
    """Raise `InputError` if a file begins like one of another of the `KINDS`."""
    kind = kind_of(data)
    if kind is not None and kind not in what:
        raise InputError(f"{path}: not {what}: it seems to be {kind}")


def kind_of(data: bytes) -> str | None:
    """Return which of the `KINDS` a file is, by how it begins; None if it is none of them."""
    start = data[:256].removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((kind for kind, begin in KINDS.items() if re.match(begin, start)), None)


def parse_json(data: bytes, path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    """Return the JSON object that a file holds.

    Raises
    ------
    InputError
        If it does not; the message names the file and, where it can, the line.
    """
    try:
        found = parsed(data)
    except UnicodeDecodeError:
        raise _not_text(path, what) from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON, so not {what}: {error.msg}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not {what}: too deep or too large") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: not {what}: the top level must be an object")
    return found


def _not_text(path: str | os.PathLike[str], what: str) -> InputError:
    return InputError(f"{path}: not UTF-8 text, so not {what}")


@contextmanager
def parsing(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn errors about the content of a file into `InputError` with the name of the file."""
    try:
        yield
    except InputError as error:
        named = str(error).startswith(visible(path))
        raise InputError(str(error) if named else f"{path}: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        missing = f"it has no {error}" if isinstance(error, KeyError) else None
        told = missing or f"{type(error).__name__}: {error}"
        raise InputError(f"{path}: not {what}: {told}") from None
    except RecursionError:
        raise InputError(f"{path}: not {what}: too deep") from None


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
        raise InputError(f"{name} must be the name of a file, not {shown(value)}")
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

    Links are followed, and what they point to is replaced. On Linux the file has no name until
    then. If the process is killed just while it has one, the next that writes `path` removes it.

    Raises
    ------
    InputError
        If the file cannot be written, or `path` is something other than a file.
    """
    path = as_path("path", path)
    with writing(path):
        target = path.resolve()
        check_kind(target)
        prefix = _prefix(target.name)
        _sweep(target.parent, prefix)
        named = target.with_name(f"{prefix}{os.getpid()}-{secrets.token_hex(4)}")
        with _nameless(target.parent) as nameless:
            temporary = nameless or named
            if nameless is None:
                named.touch(0o666, exist_ok=False)
            try:
                yield temporary
                if target.exists():
                    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
                if nameless is not None:
                    # With a folder's handle it is what the link points to that gets the name.
                    os.link(nameless, named, src_dir_fd=0, follow_symlinks=True)
                named.replace(target)
            finally:
                named.unlink(missing_ok=True)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, all of it or nothing; see `whole`."""
    with whole(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the system while a file is written into InputError."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        if not path.parent.is_dir():
            why = "is not a folder" if path.parent.exists() else "does not exist"
            reason = f"{path.parent} {why}"
        raise InputError(f"cannot write {path}: {reason}") from None


def lock(handle: int, path: Path) -> None:
    """Keep every other run from an open file until it is closed, where the system has such locks.

    Raises
    ------
    InputError
        If another run has the file.
    """
    try:
        if LOCKS:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"{path}: another run is using it") from None
    except OSError:  # A file system without locks.
        pass


def _prefix(name: str) -> str:
    """Return how the temporary files for a name begin that processes of this machine write."""
    import hashlib
    import platform

    whose = f"{platform.node()}/{name}".encode(errors="surrogateescape")
    return f".nestor-{hashlib.sha256(whose).hexdigest()[:12]}-"


def _sweep(folder: Path, prefix: str) -> None:
    """Remove temporary files of processes that are dead."""
    with os.scandir(folder) as entries:
        names = [each.name for each in entries if each.name.startswith(prefix)]
    for name in names:
        pid = name.removeprefix(prefix).partition("-")[0]
        if pid.isascii() and pid.isdigit() and not _is_alive(int(pid)):
            (folder / name).unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # To ask would be a Ctrl-C.
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # It is another user's.
        pass
    return True


@contextmanager
def _nameless(folder: Path) -> Iterator[Path | None]:
    """Give the path of a file without a name in a folder; None if the system has no such files."""
    try:
        handle = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    except (AttributeError, OSError):
        yield None
        return
    try:
        path = Path(f"/proc/self/fd/{handle}")
        yield path if path.exists() else None
    finally:
        os.close(handle)


def check_writable(path: Path) -> None:
    """Check that `whole` can write a file, without leaving a trace.

    Raises
    ------
    InputError
        If it cannot.
    """
    with writing(path):
        target = path.resolve()
        check_kind(target)
        with tempfile.TemporaryFile(dir=target.parent):
            pass


def check_kind(path: Path) -> None:
    """Raise OSError if there is something other than a regular file at `path`."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
