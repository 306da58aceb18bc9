"""A readable twin of the improver of SameGame, equal to the bit (see `docs/puzzles.md`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from nestor.exact import exp
from nestor.problems import SameGame
from nestor.problems.samegame import rules
from nestor.problems.samegame.rules import Cell

from .draws import Draws

CHANGES, HOT, COOLING = 3, 10.0, math.log(10)


class Game:
    """A game by its clicks, each by the place of its cell on the first board."""

    def __init__(self, problem: SameGame) -> None:
        """Begin."""
        self.problem, self.state = problem, problem.initial()
        columns = enumerate(self.state.position)
        self.cells = [[(x, y) for y in range(len(column))] for x, column in columns]
        self.clicks: list[Cell] = []
        self.moves: list[Cell] = []

    def click(self, cell: Cell) -> None:
        """Remove the group of a cell, if it is left and not alone."""
        places = [(x, y) for x, col in enumerate(self.cells) for y, at in enumerate(col)
                  if at == cell]  # fmt: skip
        group = rules.group_of(self.state.position, places[0]) if places else []
        if len(group) >= 2:
            self.clicks.append(cell)
            self.moves.append(group[0])
            self.state = self.problem.play(self.state, group[0])
            left = [[at for y, at in enumerate(col) if (x, y) not in group]
                    for x, col in enumerate(self.cells)]  # fmt: skip
            self.cells = [column for column in left if column]

    def play(self, move: Cell) -> None:
        """Make a move."""
        self.click(self.cells[move[0]][move[1]])

    @property
    def value(self) -> float:
        """What counts."""
        return replace(self.problem, shaping=True).shaped(self.state)


class Clicks:
    """The search for better games."""

    def __init__(self, problem: SameGame, key: int) -> None:
        """Begin with a random game."""
        self.problem, self.draws = problem, Draws(key)
        self.cells = [cell for column in Game(problem).cells for cell in column]
        self.present = self.best = self.completed(Game(problem))
        self.number = 0

    def adopt(self, moves: Sequence[Cell]) -> None:
        """Go on from a game."""
        self.present = self.best = Game(self.problem)
        for move in moves:
            self.present.play(move)
        self.number = 0

    def completed(self, game: Game) -> Game:
        """Return a game with random moves to its end."""
        while moves := self.problem.moves(game.state):
            game.play(moves[self.draws.below(len(moves))])
        return game

    def changed(self, clicks: list[Cell]) -> list[Cell]:
        """Return a list with one to three changes."""
        for _ in range(1 + self.draws.below(CHANGES)):
            takes, puts = [(True, False), (False, True), (True, True)][self.draws.below(3)]
            if takes and clicks:
                cell = clicks.pop(self.draws.below(len(clicks)))
            else:
                cell = self.cells[self.draws.below(len(self.cells))]
            if puts:
                clicks.insert(self.draws.below(len(clicks) + 1), cell)
        return clicks

    def tried(self, patience: int) -> Game:
        """Return the game of the next try."""
        if self.number >= patience:
            self.number, self.present = 0, self.best
        game = Game(self.problem)
        for cell in self.changed(list(self.present.clicks)):
            game.click(cell)
        self.completed(game)
        temperature = HOT * exp(-COOLING * (self.number / patience))
        gain = game.value - self.present.value
        if gain >= 0 or self.draws.uniform() < exp(gain / temperature):
            self.present = game
        if game.value > self.best.value:
            self.best = game
        self.number += 1
        return game
