"""A readable twin of the exchange by which the core completes Latin squares, equal to the bit."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from nestor.exact import exp, uniforms
from nestor.problems import LatinSquare
from nestor.problems.cells import Move, bits

from .draws import Draws

TRIES, HALVINGS = 256, 3
HOT, HOTTEST, COOLING = 38.0, 0.125, 0.8
WARM = 31.0
ROUNDS, UNMET, LEFT, LEAST_UNMET, LEAST = 300, 3.0, 0.9775804886221127, 0.05, 1e-5
FIRST = 0xBE11EF00

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
        self.weights = belief(self.options)

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

    def chosen(self, draws: Draws, chance: int, biased: bool) -> Move | None:
        """Return an entry that would meet a need that is not met."""
        drawn = draws.bits()
        options = self.options[self.unmet[(drawn >> 40) * len(self.unmet) >> 24]]
        if drawn & 0xFFFFF >= chance:
            clashes = [sum(need in self.met for need in needs(entry)) for entry in options]
            least = min(clashes)
            options = [
                entry
                for entry, count in zip(options, clashes, strict=True)
                if count == least < 2
            ]  # fmt: skip
        if not options:
            return None
        entry = options[(drawn >> 20 & 0xFFFFF) * len(options) >> 20]
        if biased and len(options) > 1:
            drawn = draws.bits()
            other = options[(drawn >> 40) * len(options) >> 24]
            one, two = self.weights[entry], self.weights[other]
            if (drawn & (1 << 40) - 1) * (one + two) >= one * 2**40:
                return other
        return entry


def belief(options: dict[Need, list[Move]]) -> dict[Move, float]:
    """Return the cube of the probability of each entry, by belief propagation."""
    entries = sorted(entry for need, of in options.items() if need[0] == 2 for entry in of)
    draws = uniforms(FIRST)
    told = {e: [(0.5 + next(draws)) / len(options[need]) for need in needs(e)] for e in entries}
    odds, unmet = dict.fromkeys(entries, 0.0), UNMET
    for _ in range(ROUNDS):
        sums = dict.fromkeys(options, unmet)
        for entry in entries:
            for need, of in zip(needs(entry), told[entry], strict=True):
                sums[need] += of
        for entry in entries:
            pairs = zip(needs(entry), told[entry], strict=True)
            others = [max(sums[need] - of, LEAST) for need, of in pairs]
            odds[entry] = limited(1.0 / (others[0] * others[1] * others[2]))
            told[entry] = [
                (of + limited(odds[entry] * other)) / 2.0
                for of, other in zip(told[entry], others, strict=True)
            ]
        unmet = max(unmet * LEFT, LEAST_UNMET)
    chances = {entry: of / (1.0 + of) for entry, of in odds.items()}
    return {entry: single(chance * chance * chance) for entry, chance in chances.items()}


def limited(odds: float) -> float:
    """Return odds within their limits."""
    return min(max(odds, LEAST), 1.0 / LEAST)


def single(number: float) -> float:
    """Return the nearest number of single precision."""
    (nearest,) = struct.unpack("f", struct.pack("f", number))
    return float(nearest)


def exchange(
    problem: LatinSquare, key: int, patience: int = 200, first: int = 0
) -> Iterator[tuple[list[Move], bytes]]:
    """Yield the moves of playout after playout, and the generator after it, until a restart.

    `first` is how many coolings there were before.
    """
    entries, draws = Entries(problem), Draws(key)
    for cooling in range(first, max(first, HALVINGS) + 1):
        length, biased = max(patience >> max(HALVINGS - cooling, 0), 1), cooling % 4 > 0
        hottest = min((WARM if biased else HOT) / entries.holes, HOTTEST)
        for playout in range(length):
            cooled = 0.0 if biased else COOLING * (playout / length)
            chance = int(hottest * exp(-cooled) * 2**20)
            for _ in range(TRIES * entries.holes):
                if not entries.unmet:
                    break
                if entry := entries.chosen(draws, chance, biased):
                    entries.enter(entry)
            yield _game(problem, entries.met), draws.saved
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
