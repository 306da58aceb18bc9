"""Small text files."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from nestor.errors import InputError

MIB = 1 << 20
"""Bytes."""


def read_text(path: str | PathLike[str], what: str, limit: int = MIB) -> str:
    """Return the text of a file.

    Parameters
    ----------
    path : path
    what : str
        What the file should hold, for errors: "RNA targets".
    limit : int
        The largest size in bytes, in whole MiB.

    Raises
    ------
    InputError
        If the file cannot be read, is a device or a pipe, is too large, or is not text.
    """
    place = Path(path)
    try:
        if place.exists() and not place.is_file() and not place.is_dir():
            raise OSError("not a regular file")
        with place.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None
    if len(data) > limit:
        raise InputError(f"{path}: larger than {limit // MIB} MiB: not a file of {what}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text, so not a file of {what}") from None


def words_by_line(path: str | PathLike[str], what: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the words of each line of a file that has any.

    ``#`` starts a comment that ends with the line.

    Parameters
    ----------
    path, what
        See `read_text`.

    Raises
    ------
    InputError
        As in `read_text`, and if the file is binary.
    """
    text = read_text(path, what)
    if "\0" in text:
        raise InputError(f"{path}: binary data, not a file of {what}")
    for number, line in enumerate(text.split("\n"), start=1):
        if words := line.partition("#")[0].split():
            yield number, words


def shown(word: str) -> str:
    """Return a word of a file in the form that errors show."""
    return repr(word if len(word) <= 40 else word[:40] + "...")
