"""The problems that come with Nestor."""

from nestor.problems.base import NativeProblem, Solution
from nestor.problems.crossword import Crossword
from nestor.problems.kakuro import Kakuro
from nestor.problems.latin_square import LatinSquare
from nestor.problems.morpion import Morpion
from nestor.problems.rna import RNA
from nestor.problems.samegame import SameGame
from nestor.problems.tsptw import TSPTW

PROBLEMS: dict[str, type[NativeProblem]] = {
    p.name: p for p in (TSPTW, SameGame, Morpion, Crossword, LatinSquare, Kakuro, RNA)
}
"""Problem classes by their name on the command line."""

__all__ = [
    "PROBLEMS",
    "RNA",
    "TSPTW",
    "Crossword",
    "Kakuro",
    "LatinSquare",
    "Morpion",
    "NativeProblem",
    "SameGame",
    "Solution",
]
