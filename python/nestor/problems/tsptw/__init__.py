"""The travelling salesman problem with time windows."""

from nestor.problems.tsptw.problem import TSPTW
from nestor.problems.tsptw.rules import State
from nestor.problems.tsptw.solution import Tour

__all__ = ["TSPTW", "State", "Tour"]
