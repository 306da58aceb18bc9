"""The command line of Morpion Solitaire."""

from collections.abc import Callable
from operator import methodcaller
from pathlib import Path

from nestor.problems.command import Command
from nestor.problems.morpion.problem import Morpion
from nestor.problems.morpion.solution import Game


def record_form(problem: Morpion, path: Path) -> Callable[[Game], str]:
    """Return what writes a game in the format that the name of a file asks for."""
    Game(problem.variant, (), finished=False).record(path)  # An error comes before the search.
    return methodcaller("record", path)


COMMAND = Command(
    Morpion,
    "VARIANT",
    """Morpion Solitaire: draw as many lines of dots as possible.

    VARIANT is 5T, 5D, 4T or 4D: the dots of a line, and whether lines of one direction may touch
    (T) or must be disjoint (D). The score is the number of lines.
    """,
    ("5D --level 4 --plot grid.svg", "5T --seconds 3600 --save run.json --record game.json"),
    Morpion,
    exports={
        "record": (
            "Write the game as a record, for others: .json or .msr (MSR 0.1), .psol or .txt.",
            record_form,
        )
    },
)
