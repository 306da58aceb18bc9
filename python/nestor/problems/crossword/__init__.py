"""Crossword construction: place as many words of a list as possible on a grid."""

from nestor.problems.crossword.problem import Crossword, State
from nestor.problems.crossword.rules import Move
from nestor.problems.crossword.solution import Puzzle, format_points

__all__ = ["Crossword", "Move", "Puzzle", "State", "format_points"]
