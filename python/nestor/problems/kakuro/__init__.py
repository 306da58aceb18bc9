"""Kakuro: fill a grid so that every run of cells has different values and the right sum."""

from nestor.problems.kakuro.problem import Kakuro, NoSolutionError
from nestor.problems.kakuro.rules import Board
from nestor.problems.kakuro.solution import Filling

__all__ = ["Board", "Filling", "Kakuro", "NoSolutionError"]
