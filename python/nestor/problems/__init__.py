"""The problems that come with Nestor."""

from nestor.problems.base import NativeProblem, Solution
from nestor.problems.crossword import Crossword
from nestor.problems.morpion import Morpion
from nestor.problems.samegame import SameGame
from nestor.problems.tsptw import TSPTW

PROBLEMS: dict[str, type[NativeProblem]] = {
    p.name: p for p in (TSPTW, SameGame, Morpion, Crossword)
}
"""Problem classes by their name on the command line."""

__all__ = ["PROBLEMS", "TSPTW", "Crossword", "Morpion", "NativeProblem", "SameGame", "Solution"]
