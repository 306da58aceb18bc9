"""The problems that come with Nestor."""

from nestor.problems.base import NativeProblem, Solution
from nestor.problems.morpion import Morpion
from nestor.problems.samegame import SameGame
from nestor.problems.tsptw import TSPTW

PROBLEMS: dict[str, type[NativeProblem]] = {p.name: p for p in (TSPTW, SameGame, Morpion)}
"""Problem classes by their name on the command line."""

__all__ = ["PROBLEMS", "TSPTW", "Morpion", "NativeProblem", "SameGame", "Solution"]
