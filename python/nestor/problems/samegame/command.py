"""The command line of SameGame."""

from nestor.problems.command import Command
from nestor.problems.samegame.problem import SameGame
from nestor.settings import Integer, Setting

COMMAND = Command(
    SameGame,
    "FILE",
    """SameGame: clear a board of coloured cells.

    FILE has boards of digits, one row per line, with an empty line between boards. The score is the
    points of the game.
    """,
    (
        "boards.txt --seconds 60",
        "boards.txt --board 3 --tabu 2 --shaping --level 4",
        "boards.txt --bias none --tabu none --json",
    ),
    SameGame.read,
    {"board": Setting(Integer(1, 10**6), "Which board of the file, from 1.", none="1")},
)
