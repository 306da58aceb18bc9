"""The command line of Kakuro."""

from nestor.problems.command import Command
from nestor.problems.kakuro.problem import Kakuro

COMMAND = Command(
    Kakuro,
    "FILE",
    r"""Kakuro: fill a grid so that each run has different values and the right sum.

    FILE has one row of the grid per line, in words: . for a cell to fill, \ for a black one, 16\23
    for a black one with the sums of the run below it and the run to its right. A square without
    black cells is three lines: n and the largest value, the n row sums, the n column sums.

    The score is what is missing: the number of wrong sums in a full grid, otherwise the cells left
    and all sums. The search stops at 0.
    """,
    ("puzzle.txt --plot puzzle.svg", "square.txt --prior kakuro_10_11 --prior-temperature 4"),
    Kakuro.read,
)
