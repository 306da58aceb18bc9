"""Latin square completion: fill the holes so that no row or column has a value twice."""

from nestor.problems.latin_square.problem import LatinSquare, NoCompletionError
from nestor.problems.latin_square.rules import Board
from nestor.problems.latin_square.solution import Square

__all__ = ["Board", "LatinSquare", "NoCompletionError", "Square"]
