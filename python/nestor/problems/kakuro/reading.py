"""Puzzles from text files."""

from __future__ import annotations

from os import PathLike

from nestor.errors import InputError
from nestor.problems.kakuro.grid import MAX_VALUE, Tokens, check_grid
from nestor.problems.textfile import shown, words_by_line


def read(path: str | PathLike[str]) -> tuple[Tokens, int]:
    """Read a puzzle in either format (see `Kakuro.read`).

    Returns
    -------
    rows : tuple of tuple of str
        The grid.
    largest : int
        The largest value.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed; the message names the file and the line.
    """
    lines = list(words_by_line(path, "a Kakuro puzzle"))
    if not lines:
        raise InputError(f"{path}: there is no puzzle")
    if all(word.isdigit() for word in lines[0][1]):
        return _square(lines, str(path))
    rows = tuple(tuple(words) for _, words in lines)
    check_grid(rows, path, lambda row: f"{path}:{lines[row][0]}")
    return rows, 9


def framed(row_sums: list[int], column_sums: list[int]) -> Tokens:
    """Return the grid without black cells for these sums of rows and columns."""
    head = ("\\", *(f"{total}\\" for total in column_sums))
    return (head, *((f"\\{total}", *["."] * len(column_sums)) for total in row_sums))


def _square(lines: list[tuple[int, list[str]]], path: str) -> tuple[Tokens, int]:
    """Read the format without black cells."""
    (first, head), *others = lines
    if len(head) != 2:
        raise InputError(
            f"{path}:{first}: the first line must be a row of a grid, or the number of rows and "
            "the largest value"
        )
    n, largest = (_number(word, 1, MAX_VALUE, f"{path}:{first}") for word in head)
    if len(others) != 2:
        line = lines[min(3, len(others))][0]
        raise InputError(
            f"{path}:{line}: after the first line there must be a line of row sums and a line of "
            f"column sums, not {len(others)} lines"
        )
    sums = []
    for (line, words), name in zip(others, ("row", "column"), strict=True):
        if len(words) != n:
            raise InputError(f"{path}:{line}: {n} {name} sums are needed, not {len(words)}")
        sums.append([_number(word, 1, 9999, f"{path}:{line}") for word in words])
    return framed(*sums), largest


def _number(word: str, least: int, most: int, where: str) -> int:
    if word.isascii() and word.isdigit() and len(word) < 10 and least <= int(word) <= most:
        return int(word)
    raise InputError(f"{where}: a number from {least} to {most} is needed, not {shown(word)}")
