"""Lists of words and finished grids, from text files and from arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike

from nestor.errors import InputError
from nestor.files import read_text
from nestor.problems.textfile import shown, split_lines
from nestor.text import counted

MAX_SIZE = 32
"""The largest side of a grid."""
MAX_WORDS = 2000
"""The largest number of words in a list."""

EMPTY = "."
"""An empty cell of a grid."""

LETTERS = re.compile("[A-Za-z]+")


def read_words(path: str | PathLike[str], size: int) -> tuple[str, ...]:
    """Read a list of words, one per line, for a grid of this size.

    ``#`` begins a comment that goes to the end of the line; empty lines do not count. Small letters
    become capitals.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed; the message names the file and the line.
    """
    lines = enumerate(split_lines(read_text(path, "words or a grid")), start=1)
    contents = ((f"{path}:{number}", line.partition("#")[0].strip()) for number, line in lines)
    return checked_words(((where, word) for where, word in contents if word), size, str(path))


def checked_words(words: Iterable[tuple[str, object]], size: int, source: str) -> tuple[str, ...]:
    """Return words in capitals.

    Parameters
    ----------
    words : iterable of (where, word)
        Each word, and how errors name its place.
    size : int
        Side of the grid.
    source : str
        How errors name the whole list.

    Raises
    ------
    InputError
        If a word has characters other than A to Z, fewer than two or more than `size` of them, or
        is in the list twice, or if there are no words or too many.
    """
    places: dict[str, str] = {}
    for where, text in words:
        if not isinstance(text, str):
            raise InputError(f"{where}: a word is a string, not {text!r:.40}")
        if not LETTERS.fullmatch(text):
            raise InputError(
                f"{where}: {shown(text)} is not a word; words have only the letters A to Z"
            )
        if not 2 <= len(text) <= size:
            raise InputError(
                f"{where}: {shown(text)} has {counted(len(text), 'letter')}; "
                f"words for a grid of {size}x{size} have 2 to {size}"
            )
        word = text.upper()
        if word in places:
            raise InputError(f"{where}: {word} is in the list twice, first at {places[word]}")
        if len(places) == MAX_WORDS:
            raise InputError(f"{where}: a list has at most {MAX_WORDS} words")
        places[word] = where
    if not places:
        raise InputError(f"{source}: there are no words; a list has one word per line")
    return tuple(places)


def checked_grid(rows: Iterable[object], size: int, where: str) -> tuple[str, ...]:
    """Return the rows of a grid in capitals.

    Parameters
    ----------
    rows : iterable of str
        From the top: letters, and "." for empty cells.
    size : int
        Side of the grid.
    where : str
        How errors name the grid; a colon and the number of the row follow.

    Raises
    ------
    InputError
        If these are not `size` rows of `size` such cells.
    """
    checked: list[str] = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, str):
            raise InputError(f"{where}:{number}: a row is a string, not {row!r:.40}")
        if len(checked) == size:
            raise InputError(f"{where}:{number}: the grid has more than {size} rows")
        wrong = re.search("[^A-Za-z.]", row)
        if wrong:
            raise InputError(
                f"{where}:{number}: cell {wrong.start() + 1} is {wrong[0]!r}; a cell is a letter "
                f"A to Z or '{EMPTY}'"
            )
        if len(row) != size:
            raise InputError(f"{where}:{number}: the row has {len(row)} cells, not {size}")
        checked.append(row.upper())
    if len(checked) < size:
        raise InputError(f"{where}: the grid has {len(checked)} rows, not {size}")
    return tuple(checked)


def read_grid(path: str | PathLike[str], size: int) -> tuple[str, ...]:
    """Read a grid with one row per line (see `checked_grid`); blanks between cells are left out.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed; the message names the file and the line.
    """
    lines = split_lines(read_text(path, "words or a grid").rstrip())
    rows = ["".join(line.split()) for line in lines]
    return checked_grid(rows, size, str(path))
