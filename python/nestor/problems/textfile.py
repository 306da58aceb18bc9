"""Text files: their lines, and their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from os import PathLike

from nestor.errors import InputError
from nestor.files import read_text


def words_by_line(path: str | PathLike[str], what: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the words of each line of a file that has any.

    ``#`` starts a comment that ends with the line.

    Parameters
    ----------
    path, what
        See `nestor.files.read_text`.

    Raises
    ------
    InputError
        As in `read_text`, and if the file is binary.
    """
    text = read_text(path, what)
    if "\0" in text:
        raise InputError(f"{path}: binary data, not {what}")
    for number, line in enumerate(split_lines(text), start=1):
        if words := line.partition("#")[0].split():
            yield number, words


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, without their ends: line feeds, carriage returns, or both.

    `str.splitlines` also splits at characters that people have in names, such as U+2028.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def number_in(word: str) -> float | None:
    """Return the number that a word is, as programs write it; None if it is none."""
    with suppress(ValueError):
        return float(word) if word.isascii() and "_" not in word else None
    return None


def shown(word: str) -> str:
    """Return a word of a file in the form that errors show."""
    return repr(word if len(word) <= 40 else word[:40] + "...")
