"""Instances from text files, in the common format of the problem's benchmark sets."""

from __future__ import annotations

from bisect import bisect_right
from os import PathLike
from typing import BinaryIO

from nestor.arrays import np
from nestor.errors import InputError
from nestor.files import opened
from nestor.problems.textfile import number_in
from nestor.problems.tsptw.checks import MAX_NODES, Floats, distance_fault, window_fault

HEAD = 1 << 16
"""The number of nodes must be within this many bytes."""

BYTES = 64
"""The most bytes of a number, including the white space and comments around it."""


def read(path: str | PathLike[str]) -> tuple[Floats, Floats]:
    """Read distances and windows.

    Parameters
    ----------
    path : path
        A text file of numbers: the number of nodes n, then n times n distances row by row, then the
        earliest and latest time of each node. ``#`` begins a comment that goes to the end of
        the line. Lines may be broken anywhere between numbers.

    Returns
    -------
    matrix : array of shape (n, n)
    windows : array of shape (n, 2)

    Raises
    ------
    InputError
        If the file cannot be read or is malformed; the message names the file and the line.
    """
    with opened(path) as file:
        n, data = _load(file, str(path))
    numbers, ends = _numbers(data, n, str(path))
    matrix = numbers[1 : 1 + n * n].reshape(n, n)
    windows = numbers[1 + n * n :].reshape(n, 2)

    def line(index: int) -> int:
        return bisect_right(ends, index) + 1

    if fault := distance_fault(matrix):
        origin, target, message = fault
        raise InputError(f"{path}:{line(1 + origin * n + target)}: {message}")
    if wrong := window_fault(windows):
        node, message = wrong
        raise InputError(f"{path}:{line(1 + n * n + 2 * node)}: {message}")
    np.fill_diagonal(matrix, 0.0)
    matrix.flags.writeable = windows.flags.writeable = False
    return matrix, windows


def _load(file: BinaryIO, path: str) -> tuple[int, bytes]:
    """Return the number of nodes and the bytes of the file, up to as many as it can have."""
    head = file.read(HEAD)
    if b"\0" in head:
        raise InputError(f"{path}: binary data; an instance is a text file of numbers")
    start = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    rows = enumerate(map(_words, head[start:].splitlines()), start=1)
    line, first = next(((line, words[0]) for line, words in rows if words), (0, b""))
    if not first:
        where = "is empty" if len(head) < HEAD else f"has no number in its first {HEAD >> 10} KiB"
        raise InputError(f"{path}: {where}; the number of nodes must come first")
    n = int(first) if first.isdigit() and len(first) < 10 else 0
    if not 2 <= n <= MAX_NODES:
        raise InputError(
            f"{path}:{line}: the number of nodes must come first, 2 to {MAX_NODES}, "
            f"not {_shown(first)}"
        )
    limit = HEAD + BYTES * (n * n + 2 * n)
    data = head + file.read(limit - len(head) + 1)
    if len(data) > limit:
        raise InputError(
            f"{path}: larger than {limit >> 10} KiB: too large for an instance of {n} nodes"
        )
    return n, data[start:]


def _words(line: bytes, most: int = -1) -> list[bytes]:
    """Return the words of a line before a comment; those after `most` are one."""
    return line.partition(b"#")[0].split(None, most)


def _numbers(data: bytes, n: int, path: str) -> tuple[Floats, list[int]]:
    """Return all numbers, and how many there are up to the end of each line."""
    needed = 1 + n * n + 2 * n
    wanted = f"{n} nodes need {n} x {n} distances and {n} windows"
    numbers: list[float] = []
    ends: list[int] = []
    lines = data.splitlines()
    for line, content in enumerate(lines, start=1):
        missing = needed - len(numbers)
        words = _words(content, missing)
        numbers += _floats(words[:missing], f"{path}:{line}")
        ends.append(len(numbers))
        if len(words) > missing:
            extra = _shown(words[missing].split(None, 1)[0])
            raise InputError(f"{path}:{line}: {extra} comes after the last window; {wanted}")
    if len(numbers) < needed:
        raise InputError(
            f"{path}:{len(lines)}: the file ends after {len(numbers) - 1} of "
            f"{needed - 1} numbers; {wanted}"
        )
    return np.array(numbers) + 0.0, ends


def _floats(words: list[bytes], where: str) -> list[float]:
    try:
        if not any(b"_" in word for word in words):
            return list(map(float, words))
    except ValueError:
        pass
    bad = next(word for word in words if number_in(word.decode("latin-1")) is None)
    raise InputError(f"{where}: {_shown(bad)} is not a number")


def _shown(word: bytes) -> str:
    """Return a word for a message, cut off if it is long."""
    text = word[:20].decode("utf-8", "replace")
    return repr(text + "..." if len(word) > 20 else text)
