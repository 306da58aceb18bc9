"""A readable twin of the exchange by which the core completes Latin squares, equal to the bit."""

from __future__ import annotations

from collections.abc import Iterator

from nestor.exact import child_key, exp, uniform
from nestor.problems import LatinSquare
from nestor.problems.cells import Move, bits

TRIES, SPELL = 256, 32
COSTS = (5.4, 6.8)
Need = tuple[int, int, int]


def exchange(problem: LatinSquare, key: int) -> Iterator[list[Move]]:
    """Yield the moves of playout after playout, until the square is complete."""
    root, n = problem.initial(), problem.order
    needs: dict[Move, list[Need]] = {}
    for row in range(n):
        for value in range(1, n + 1):
            for column in bits(root.places[row][value]):
                needs[row, column, value] = [
                    (0, row, column), (1, row, value), (2, column, value)
                ]  # fmt: skip
    options: dict[Need, list[Move]] = {}
    for entry, three in needs.items():
        for need in three:
            options.setdefault(need, []).append(entry)
    met: dict[Need, Move] = {}
    unmet = sorted(options)
    draws, chance = 0, 0
    for playout in range(10**9):
        if playout % SPELL == 0:
            cost = -COSTS[0] - uniform(key, draws) * (COSTS[1] - COSTS[0])
            draws, chance = draws + 1, int(exp(cost) * 2**20)
        for _ in range(TRIES * len(root.domains)):
            if not unmet:
                break
            drawn = child_key(key, draws)
            draws += 1
            choice = options[unmet[(drawn >> 40) * len(unmet) >> 24]]
            entry = choice[(drawn >> 20 & 0xFFFFF) * len(choice) >> 20]
            if sum(need in met for need in needs[entry]) < 2 or drawn & 0xFFFFF < chance:
                _enter(entry, needs, met, unmet)
        yield _game(problem, met)
        if not unmet:
            return


def _enter(
    entry: Move, needs: dict[Move, list[Need]], met: dict[Need, Move], unmet: list[Need]
) -> None:
    """Put an entry in; those that it clashes with go out."""
    for need in needs[entry]:
        if need in met:
            for opened in needs[met[need]]:
                del met[opened]
                unmet.append(opened)
    for need in needs[entry]:
        met[need] = entry
        last = unmet.pop()
        if last != need:
            unmet[unmet.index(need)] = last


def _game(problem: LatinSquare, met: dict[Need, Move]) -> list[Move]:
    """Return the game in which each hole gets its value, or else the first that is left."""
    moves: list[Move] = []
    state = problem.initial()
    while legal := problem.moves(state):
        row, column, _ = legal[0]
        entry = met.get((0, row, column))
        moves.append(entry if entry in legal else legal[0])
        state = problem.play(state, moves[-1])
    return moves
