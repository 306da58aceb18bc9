"""The problems that come with Nestor: one line for each."""

from nestor.problems.base import Solution as Solution
from nestor.problems.crossword import Crossword as Crossword
from nestor.problems.kakuro import Kakuro as Kakuro
from nestor.problems.latin_square import LatinSquare as LatinSquare
from nestor.problems.morpion import Morpion as Morpion
from nestor.problems.native import NativeProblem as NativeProblem
from nestor.problems.rna import RNA as RNA
from nestor.problems.samegame import SameGame as SameGame
from nestor.problems.tsptw import TSPTW as TSPTW

PROBLEMS: dict[str, type[NativeProblem]] = {p.name: p for p in NativeProblem.__subclasses__()}
"""Problem classes by their name on the command line."""
