"""The command line of crossword construction."""

from typing import Any

from nestor.files import exists
from nestor.problems.command import Command
from nestor.problems.crossword.problem import Crossword


def load(words: str, **settings: Any) -> Crossword:
    """Return the problem of a file of words or of a contest."""
    contests = {"crossc": Crossword.crossc, "crossp": Crossword.crossp}
    if words in contests and not exists(words):
        return contests[words]()
    return Crossword.read(words, **settings)


COMMAND = Command(
    Crossword,
    "WORDS",
    """Crossword construction: place as many words as possible.

    WORDS is a file with one word per line, or the name of one of the contests of the NRPA paper:
    crossc or crossp. The score is the number of words, then the sum of their lengths; --target
    takes 370259 for 37;259.
    """,
    ("words.txt --size 15 --plot grid.svg", "crossc --algorithm nrpa --seconds 300"),
    load,
)
