"""A finished crossword, and a check of it that shares nothing with the rules of the search."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nestor.errors import VerificationError
from nestor.problems.base import Solution
from nestor.problems.crossword.rules import ACROSS, DOWN, Move
from nestor.text import WIDTH, counted

WORD_POINTS = 10_000
"""What a word adds to the score, besides its length."""

LISTED = 100
"""For a list of at most this many words, the unused words are named."""

TIE = "\N{NO-BREAK SPACE}"
"""A space at which no line is broken."""

RUN = re.compile("[A-Z]{2,}")


def format_points(score: float) -> str:
    """Return a score as "words;letters".

    Parameters
    ----------
    score : float
        10,000 for each word, plus the letters of all words.

    Examples
    --------
    >>> format_points(370259.0)
    '37;259'
    """
    words, letters = divmod(int(score), WORD_POINTS)
    return f"{words};{letters}"


@dataclass(frozen=True, repr=False)
class Puzzle(Solution):
    """A crossword made of words of a list.

    Attributes
    ----------
    words : tuple of str
        The list.
    rows : tuple of str
        The grid from the top: capitals, and "." for empty cells.
    placed : tuple of Move
        The words on the grid, in the order in which they were placed.
    count : int
        The number of words on the grid.
    letters : int
        The sum of their lengths: a letter where two words cross counts twice.
    title : str
        Name of the instance.
    """

    words: tuple[str, ...]
    rows: tuple[str, ...]
    placed: tuple[Move, ...]
    count: int
    letters: int
    title: str = field(default="", compare=False)

    @property
    def score(self) -> float:
        """10,000 for each word plus the sum of the lengths: words first, then letters."""
        return float(self.count * WORD_POINTS + self.letters)

    @property
    def left_over(self) -> list[str]:
        """The words of the list that are not on the grid, in the order of the list."""
        used = {move.word for move in self.placed}
        return [word for word in self.words if word not in used]

    def numbers(self) -> dict[tuple[int, int], int]:
        """Return the number of each cell (column, row) where a word begins.

        Cells are numbered row by row, from 1; two words that begin in the same cell share its
        number.
        """
        firsts = sorted({(move.row, move.column) for move in self.placed})
        return {(column, row): number for number, (row, column) in enumerate(firsts, start=1)}

    @property
    def parts(self) -> frozenset[Any]:
        """The words with their places."""
        return frozenset(self.placed)

    @property
    def played(self) -> tuple[Move, ...]:
        """The words placed, in order."""
        return self.placed

    def verify(self) -> None:
        """Check the grid against the list, from what is written on it.

        All maximal runs of two or more letters, in rows and columns, must be different words of the
        list and the words in `placed`. Every letter must be part of one, and the letters must be
        connected.

        Raises
        ------
        VerificationError
            If they are not, or if `count` or `letters` is wrong.
        """
        _check_form(self.rows)
        runs = list(find_runs(self.rows))
        _check_words(runs, self.words)
        _check_placed(runs, self.placed)
        _check_connected(self.rows, runs)
        if self.count != len(runs):
            raise VerificationError(f"the grid has {len(runs)} words, not {self.count}")
        letters = sum(len(run.word) for run in runs)
        if self.letters != letters:
            raise VerificationError(f"the words have {letters} letters, not {self.letters}")

    def to_dict(self) -> dict[str, Any]:
        """Return grid, words and counts as JSON-able data."""
        return {
            "rows": list(self.rows),
            "placed": [move._asdict() for move in self.placed],
            "words": self.count,
            "letters": self.letters,
        }

    def headline(self) -> str:
        """Return the result in one line."""
        size = f"{counted(self.count, 'word')}, {counted(self.letters, 'letter')}"
        name = f"{self.title}: " if self.title else ""
        return f"{name}{format_points(self.score)} ({size})"

    def text(self) -> str:
        """Return a text picture."""
        lines = [self.headline(), "", *(" ".join(row) for row in self.rows)]
        numbers = self.numbers()
        for direction in (ACROSS, DOWN):
            clues = sorted(
                (numbers[move.column, move.row], move.word)
                for move in self.placed
                if move.direction == direction
            )
            listed = ", ".join(f"{number}{TIE}{word}" for number, word in clues)
            lines += ["", *_wrapped(direction.capitalize(), listed or "none")]
        left = self.left_over
        listed = ", ".join(left) if len(self.words) <= LISTED else f"{len(left)} words"
        lines += ["", *_wrapped("Left over", listed or "none")]
        return "\n".join(lines)


def find_runs(rows: tuple[str, ...]) -> Iterator[Move]:
    """Yield the maximal runs of two or more letters: first those of the rows, then the columns."""
    for y, row in enumerate(rows):
        yield from (Move(run[0], run.start(), y, ACROSS) for run in RUN.finditer(row))
    for x, column in enumerate(zip(*rows, strict=True)):
        runs = RUN.finditer("".join(column))
        yield from (Move(run[0], x, run.start(), DOWN) for run in runs)


def _check_form(rows: tuple[str, ...]) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows) or not re.fullmatch("[A-Z.]*", row):
            raise VerificationError(
                f"row {number} must be {len(rows)} capitals or dots, not {row!r:.60}"
            )


def _check_words(runs: list[Move], words: tuple[str, ...]) -> None:
    known = set(words)
    for run in runs:
        if run.word not in known:
            raise VerificationError(f"{run} is not a word of the list")
    for word, times in Counter(run.word for run in runs).items():
        if times > 1:
            raise VerificationError(f"{word} is {times} times on the grid")


def _check_placed(runs: list[Move], placed: tuple[Move, ...]) -> None:
    claimed = Counter(placed)
    for move, times in claimed.items():
        if move not in runs:
            raise VerificationError(f"{move} is not on the grid as a separate word")
        if times > 1:
            raise VerificationError(f"{move} is placed {times} times")
    for run in runs:
        if run not in claimed:
            raise VerificationError(f"{run} is on the grid, but is not one of the words placed")


def _check_connected(rows: tuple[str, ...], runs: list[Move]) -> None:
    """Join words that share cells; all letters must end up in one part."""
    heaps: list[set[tuple[int, int]]] = []
    for run in runs:
        down = run.direction == DOWN
        joined = {
            (run.column, run.row + k) if down else (run.column + k, run.row)
            for k in range(len(run.word))
        }
        apart = []
        for heap in heaps:
            if heap.isdisjoint(joined):
                apart.append(heap)
            else:
                joined |= heap
        heaps = [*apart, joined]
    covered: set[tuple[int, int]] = set().union(*heaps)
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell != "." and (x, y) not in covered:
                raise VerificationError(f"the {cell} at ({x}, {y}) is not part of a word")
    if len(heaps) > 1:
        raise VerificationError(f"the words fall into {len(heaps)} parts that do not touch")


def _wrapped(title: str, text: str) -> list[str]:
    lines = textwrap.wrap(f"{title}: {text}", WIDTH, subsequent_indent="  ")
    return [line.replace(TIE, " ") for line in lines]
