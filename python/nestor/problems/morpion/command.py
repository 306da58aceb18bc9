"""The command line of Morpion Solitaire."""

from nestor.problems.command import Command
from nestor.problems.morpion.problem import Morpion
from nestor.problems.morpion.solution import Game

COMMAND = Command(
    Morpion,
    "VARIANT",
    """Morpion Solitaire: draw as many lines of dots as possible.

    VARIANT is 5T, 5D, 4T or 4D: the dots of a line, and whether lines of one direction may touch
    (T) or must be disjoint (D). The score is the number of lines.
    """,
    ("5D --level 4 --plot grid.svg", "5T --seconds 3600 --save run.json --record game.json"),
    Morpion,
    exports={"record": ("Write the game as a record, for others (JSON, MSR 0.1).", Game.record)},
)
