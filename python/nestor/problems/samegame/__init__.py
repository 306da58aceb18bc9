"""SameGame: clear a board of coloured cells, group by group, for the most points."""

from nestor.problems.samegame.problem import SameGame, State
from nestor.problems.samegame.solution import Game

__all__ = ["Game", "SameGame", "State"]
