"""The command line of TSPTW."""

from nestor.problems.command import Command
from nestor.problems.tsptw.problem import TSPTW

COMMAND = Command(
    TSPTW,
    "FILE",
    """Travelling salesman with time windows.

    FILE has the number of nodes, the matrix of distances, and a line "earliest latest" for each
    node, the depot first. The score is the cost of the tour plus 1,000,000 for each window missed.
    """,
    (
        "rc_204.1.txt --seconds 60 --plot tour.svg",
        "rc_204.1.txt --level 4 --temperature 1.4",
        "rc_204.1.txt --bias none --no-selective --target 880",
    ),
    TSPTW.read,
)
