"""A readable twin of the exchange by which the core completes Latin squares, equal to the bit."""

from __future__ import annotations

from collections.abc import Iterator

from nestor.exact import child_key, exp
from nestor.problems import LatinSquare
from nestor.problems.cells import Move, bits

TRIES, HALVINGS = 256, 3
HOT, HOTTEST, COOLING = 38.0, 0.125, 0.8

Need = tuple[int, int, int]
"""What it leaves open (0 the row, 1 the column, 2 the value), and the other two."""


def needs(entry: Move) -> tuple[Need, Need, Need]:
    """Return the needs that an entry meets."""
    row, column, value = entry
    return (0, column, value), (1, row, value), (2, row, column)


class Entries:
    """The entries, which do not clash, and the needs that they do not meet."""

    def __init__(self, problem: LatinSquare) -> None:
        """Begin with no entry."""
        root = problem.initial()
        self.holes = len(root.domains)
        self.options: dict[Need, list[Move]] = {}
        for row in range(problem.order):
            for value in range(1, problem.order + 1):
                for column in bits(root.places[row][value]):
                    for need in needs((row, column, value)):
                        self.options.setdefault(need, []).append((row, column, value))
        for entries in self.options.values():
            entries.sort()
        self.met: dict[Need, Move] = {}
        self.unmet = sorted(self.options)

    def enter(self, entry: Move) -> None:
        """Put an entry in; those that it clashes with go out."""
        for need in needs(entry):
            if need in self.met:
                for opened in needs(self.met[need]):
                    if opened != need:
                        del self.met[opened]
                        self.unmet.append(opened)
            else:
                last = self.unmet.pop()
                if last != need:
                    self.unmet[self.unmet.index(need)] = last
            self.met[need] = entry

    def chosen(self, drawn: int, chance: int) -> Move | None:
        """Return an entry that would meet a need that is not met."""
        options = self.options[self.unmet[(drawn >> 40) * len(self.unmet) >> 24]]
        if drawn & 0xFFFFF >= chance:
            clashes = [sum(need in self.met for need in needs(entry)) for entry in options]
            least = min(clashes)
            options = [
                entry
                for entry, count in zip(options, clashes, strict=True)
                if count == least < 2
            ]  # fmt: skip
        return options[(drawn >> 20 & 0xFFFFF) * len(options) >> 20] if options else None


def exchange(problem: LatinSquare, key: int, patience: int = 200) -> Iterator[list[Move]]:
    """Yield the moves of playout after playout, until the square is complete."""
    entries, draws = Entries(problem), 0
    hottest = min(HOT / entries.holes, HOTTEST)
    for halvings in reversed(range(HALVINGS + 1)):
        length = max(patience >> halvings, 1)
        for playout in range(length):
            chance = int(hottest * exp(-COOLING * (playout / length)) * 2**20)
            for _ in range(TRIES * entries.holes):
                if not entries.unmet:
                    break
                entry = entries.chosen(child_key(key, draws), chance)
                draws += 1
                if entry:
                    entries.enter(entry)
            yield _game(problem, entries.met)
            if not entries.unmet:
                return


def _game(problem: LatinSquare, met: dict[Need, Move]) -> list[Move]:
    """Return the game in which each hole gets its value, or else the first that is left."""
    moves: list[Move] = []
    state = problem.initial()
    while legal := problem.moves(state):
        row, column, _ = legal[0]
        entry = met.get((2, row, column))
        moves.append(entry if entry in legal else legal[0])
        state = problem.play(state, moves[-1])
    return moves
