"""The problem: a list of words, a size, and the twin of the core's rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from nestor.checks import as_integer, as_list, check_choice
from nestor.errors import InputError
from nestor.files import read_text
from nestor.problems.crossword import contests, reading
from nestor.problems.crossword.rules import (
    ACROSS,
    DIRECTIONS,
    DOWN,
    Move,
    in_order,
    letters_of,
    may_be_added,
)
from nestor.problems.crossword.solution import WORD_POINTS, Puzzle, find_runs, format_points
from nestor.problems.fields import Checked, Given, given, title
from nestor.problems.native import NativeProblem
from nestor.settings import Integer, described, setting, settings_of


class State(NamedTuple):
    """A crossword that is not finished yet.

    Attributes
    ----------
    placed : tuple of Move
        The words on the grid, in the order in which they were placed.
    legal : tuple of Move
        The words that may be added, in order.
    """

    placed: tuple[Move, ...]
    legal: tuple[Move, ...]


@described
@dataclass(frozen=True, eq=False, repr=False)
class Crossword(NativeProblem):
    """Crossword construction on a square grid (nrpa-2011, section 3.1).

    A move places a word of the list, across or down, such that

    - the words placed are exactly the maximal runs of two or more letters in rows and columns,
    - no word is placed twice,
    - all letters are connected by the sides of their cells.

    The paper asks that any two adjacent letters are part of one of the placed words. That alone
    would let words of one direction overlap or lie within each other, such as GLACIER on the first
    letters of GLACIERBAY. By the first rule, as in any printed crossword, a word is a whole run. A
    run that happens to be a word of the list counts only if it is placed, so a move that would
    complete one beside its own word is not legal. Grids with a full block of 2x2 letters cannot be
    reached, as the paper notes.

    The first word goes down from the top row, in any column; the others cross words that are
    already there. The game is over when no word can be added. The score is 10,000 for each word
    plus the sum of the lengths of the words (a letter where two words cross counts twice). So more
    words are better and, for equal numbers of words, more letters. It is shown as "37;259".

    A move is (word, column, row, direction), which is also its code. The moves of the first state
    are in the order of the columns, then of the list. After a move, the moves that are still legal
    keep their order, and the new ones follow. These are in the order of the letter that they cross
    in the placed word, then of the place of that letter in the new word, then of the length of the
    new word, then of the list.

    Parameters
    ----------
    words : sequence of str
        1 to 2000 different words of 2 to `size` letters A to Z; small letters become capitals.

    Raises
    ------
    InputError
        If an argument is malformed.

    Examples
    --------
    >>> crossword = Crossword(["SO", "ON", "NE"], 3)
    >>> puzzle = crossword.solution([("SO", 0, 0, "down"), ("ON", 0, 1, "across")])
    >>> puzzle.rows, puzzle.count, puzzle.letters
    (('S..', 'ON.', '...'), 2, 4)
    """

    name = "crossword"
    change = "decisions"
    improver = True

    words: Given[Sequence[str], tuple[str, ...]] = given(
        lambda self, words: _words(words, self.size)
    )
    size: int = setting(
        contests.SIZE, Integer(2, reading.MAX_SIZE), "Rows and columns of the grid."
    )
    _: KW_ONLY
    title: str = title()

    @classmethod
    def read(cls, path: str | PathLike[str], size: int = contests.SIZE) -> Self:
        """Read a list of words.

        Parameters
        ----------
        path : path
            A text file with one word per line; ``#`` starts a comment. Small letters become
            capitals.
        size : int
            Side of the grid, 2 to 32.

        Raises
        ------
        InputError
            If the file cannot be read or is malformed; the message names the file and the line.
        """
        size = settings_of(cls)["size"].check("size", size)
        return cls(Checked(reading.read_words(path, size)), size, title=Path(path).name)

    @classmethod
    def crossc(cls) -> Self:
        """Return CrossC, a contest of 2006: 63 capitals of North America on a grid of 19x19.

        The best known crossword scores 37;259 (nrpa-2011, figure 7a), the contest's winner 36;256.
        """
        return cls(contests.CROSSC, title="CrossC")

    @classmethod
    def crossp(cls) -> Self:
        """Return CrossP, a contest of 1994, without one of its words: 51 national parks, 19x19.

        The contest had 52 words. The 52nd is not known and is left out, and some spellings may
        differ from the contest's. Published scores (28;238 in nrpa-2011, 28;236 for the winner)
        belong to the full list and cannot be compared exactly.
        """
        return cls(contests.CROSSP, title="CrossP (51 words)")

    @property
    def extent(self) -> str:
        """How large the instance is."""
        return f"{len(self.words)} words, {self.size}x{self.size}"

    def show_score(self, score: float) -> str:
        """Return a score as "words;letters"."""
        return format_points(score)

    @property
    def farthest(self) -> int:
        """The number of words."""
        return len(self.words)

    def initial(self) -> State:
        """Return the empty grid."""
        first = (Move(word, column, 0, DOWN) for column in range(self.size) for word in self.words)
        return State((), tuple(first))

    def moves(self, state: State) -> list[Move]:
        """Return the words that may be added, in order."""
        return list(state.legal)

    def play(self, state: State, move: Sequence[Any]) -> State:
        """Return the state after a legal move."""
        move = Move(*move)
        before, placed = letters_of(state.placed), (*state.placed, move)
        after = letters_of(placed)
        kept = [
            other
            for other in state.legal
            if other.word != move.word and may_be_added(other, placed, after, self.size)
        ]
        used, known = {other.word for other in placed}, set(kept)
        added = [
            other
            for place, cell in enumerate(move.cells())
            if cell not in before
            for other in self._through(cell, move.word[place], move.direction)
            if other.word not in used
            and other not in known
            and may_be_added(other, placed, after, self.size)
        ]
        return State(placed, (*kept, *added))

    def _through(self, cell: tuple[int, int], letter: str, direction: str) -> Iterator[Move]:
        """Yield the words across this direction that have this letter in a cell, in order."""
        x, y = cell
        for place in range(self.size):
            for word in self._by_length:
                if word[place : place + 1] == letter:
                    if direction == DOWN:
                        yield Move(word, x - place, y, ACROSS)
                    else:
                        yield Move(word, x, y - place, DOWN)

    @cached_property
    def _by_length(self) -> list[str]:
        return sorted(self.words, key=len)

    def score(self, state: State) -> float:
        """Return 10,000 for each word plus the sum of their lengths."""
        return float(sum(WORD_POINTS + len(move.word) for move in state.placed))

    def code(self, state: State, move: Sequence[Any]) -> Move:
        """Return the move: word, cell and direction."""
        return Move(*move)

    def prior_code(self, state: State, move: Sequence[Any]) -> int:
        """Return the number of the move: lane, place and word, each in its bits.

        Lanes are the rows and then the columns; the place is that of the first letter in the lane,
        and the word's number that in the list.
        """
        word, column, row, direction = Move(*move)
        lane, place = (self.size + column, row) if direction == DOWN else (row, column)
        lane_and_place = (lane << (self.size - 1).bit_length()) | place
        return (lane_and_place << (len(self.words) - 1).bit_length()) | self._numbers[word]

    def solution(self, moves: Sequence[Any]) -> Puzzle:
        """Return the crossword with these words.

        Parameters
        ----------
        moves : sequence of (word, column, row, direction)

        Raises
        ------
        InputError
            If a move has the wrong form, does not fit on the grid, or needs another letter in a
            cell than an earlier one. The verifier checks whether the crossword is legal.
        """
        placed: list[Move] = []
        grid = [["."] * self.size for _ in range(self.size)]
        for number, move in enumerate(as_list("moves", moves), start=1):
            placed.append(self._move(move, number))
            for (x, y), letter in zip(placed[-1].cells(), placed[-1].word, strict=True):
                if grid[y][x] not in (".", letter):
                    raise InputError(
                        f"move {number}, {placed[-1]}: it needs {letter} in the cell ({x}, {y}), "
                        f"where {grid[y][x]} is"
                    )
                grid[y][x] = letter
        return self._puzzle(tuple("".join(row) for row in grid), tuple(placed))

    def grid(self, rows: Sequence[str]) -> Puzzle:
        """Return the crossword that is written on a grid.

        Parameters
        ----------
        rows : sequence of str
            From the top: letters, and "." for empty cells. Every maximal run of two or more
            letters counts as a word; the verifier checks whether it is one. The words of the puzzle
            are in an order in which they can be placed, so it can be an `initial` sequence if one
            of them goes down from the top row and no other word may be added.

        Raises
        ------
        InputError
            If these are not `size` rows of `size` cells.
        """
        checked = reading.checked_grid(as_list("rows", rows), self.size, "rows")
        return self._puzzle(checked, in_order(find_runs(checked), self.size))

    def read_grid(self, path: str | PathLike[str]) -> Puzzle:
        """Read a grid from a text file with one row per line, as results show it (see `grid`).

        Raises
        ------
        InputError
            If the file cannot be read or is malformed; the message names the file and the line.
        """
        return self.grid(reading.read_grid(path, self.size))

    def moves_in(self, path: Path) -> Sequence[Any] | None:
        """Return the words of a grid in a file (see `read_grid`); None if it is JSON."""
        if read_text(path, "words or a grid").lstrip()[:1] in ("{", "["):
            return None
        return self.read_grid(path).played

    def _puzzle(self, rows: tuple[str, ...], placed: tuple[Move, ...]) -> Puzzle:
        letters = sum(len(move.word) for move in placed)
        return Puzzle(self.words, rows, placed, len(placed), letters, self.label)

    def _move(self, move: Any, number: int) -> Move:
        """Return a move after checking that it fits on the grid."""
        if not isinstance(move, Sequence) or isinstance(move, str) or len(move) != 4:
            raise InputError(
                f"move {number} must be (word, column, row, direction), not {move!r:.60}"
            )
        word, column, row, direction = move
        if isinstance(column, float) or isinstance(row, float):
            raise InputError(f"move {number}: column and row must be integers, not {move!r:.60}")
        if not isinstance(word, str) or word not in self._numbers:
            raise InputError(f"move {number}: {word!r:.60} is not a word of the list")
        check_choice(f"move {number}: direction", direction, DIRECTIONS)
        column = as_integer(f"move {number}: column", column, 0, self.size - 1)
        row = as_integer(f"move {number}: row", row, 0, self.size - 1)
        found = Move(word, column, row, direction)
        if max(found.cell(len(word) - 1)) >= self.size:
            raise InputError(f"move {number}: {found} does not fit on the grid")
        return found

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}


def _words(words: Sequence[str], size: int) -> tuple[str, ...]:
    places = ((f"words[{place}]", word) for place, word in enumerate(as_list("words", words)))
    return reading.checked_words(places, size, "words")
