"""Small text files, read whole and no further."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from nestor.errors import InputError

LIMIT = 1 << 20
"""The most bytes a file may have."""


def words_by_line(path: str | PathLike[str], what: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the words of each line of a file that has any.

    ``#`` begins a comment that goes to the end of the line.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for errors: "a Latin square".

    Raises
    ------
    InputError
        If the file cannot be read, is larger than `LIMIT` or is no text.
    """
    for number, line in enumerate(_read(path, what).split("\n"), start=1):
        if words := line.partition("#")[0].split():
            yield number, words


def shown(word: str) -> str:
    """Return a word of a file as errors show it."""
    return repr(word if len(word) <= 20 else word[:20] + "...")


def _read(path: str | PathLike[str], what: str) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None
    if len(data) > LIMIT:
        raise InputError(f"{path}: larger than {LIMIT >> 20} MiB: not a file of {what}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text, so not a file of {what}") from None
    if "\0" in text:
        raise InputError(f"{path}: binary data, not a file of {what}")
    return text
