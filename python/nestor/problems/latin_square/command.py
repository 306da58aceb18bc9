"""The command line of Latin square completion."""

from nestor.problems.command import Command
from nestor.problems.latin_square.problem import LatinSquare

COMMAND = Command(
    LatinSquare,
    "FILE",
    """Latin square completion: fill the holes, no value twice in a row or column.

    FILE has the order n, at most 64, then n lines of n values, 0 for a hole. The score is the
    number of holes left; the search stops at 0.
    """,
    (
        "square.txt",
        "square.txt --prior latin_square_20 --prior-temperature 4",
        "square.txt --algorithm sampling --no-hidden-singles",
    ),
    LatinSquare.read,
)
