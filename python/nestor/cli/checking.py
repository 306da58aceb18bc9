"""`nestor check`: whether a problem of one's own keeps its contract, and what could be better."""

from __future__ import annotations

import click

from nestor.cli.interrupts import INTERRUPTED
from nestor.cli.messages import RESULT, say
from nestor.cli.options import JSON, Command, Option
from nestor.cli.output import only_json, print_json
from nestor.cli.rehashing import check_order
from nestor.diagnosis import diagnose, stopped
from nestor.errors import InputError, RulesError
from nestor.problems.own import import_problem
from nestor.problems.together import Game
from nestor.safe import tell
from nestor.settings import SEED_MAX, Integer, Setting
from nestor.testing import EFFORT, check_contract
from nestor.testing import GAMES as MOST

GAMES = Setting(
    Integer(1, 10**6),
    f"Random games in which the contract is checked; by default {MOST}, none of which begins after "
    f"{EFFORT:g} seconds.",
)
SEED = Setting(Integer(0, SEED_MAX), "Seed of the games and searches.")


def check(problem: str, playouts: int | None, seed: int, as_json: bool) -> int:
    """Check a problem of your own, and say what could be better.

    PROBLEM is module:Class or module:instance. Random games show whether it
    keeps the contract of nestor.Problem. Then comes what they say about codes,
    lengths and speed, and what the default search finds compared with sampling
    and a greedy game, each move of which has the best score right after it. Each thing
    to look at names a page of the documentation. Games and searches end after
    some time: on a slow machine, or with slow rules, there are fewer of them. A second
    process, which hashes texts otherwise, must give moves in the same order.
    Exit code 1 if the contract is broken, even if only the searches find it; 130 if
    interrupted: the report then has what was done.
    """
    if playouts is not None:
        GAMES.kind.check("--playouts", playouts)
    SEED.kind.check("--seed", seed)
    with only_json(as_json):
        found = import_problem(problem)
        games, asked, code = list[Game](), playouts or MOST, 0
        try:
            check_contract(found, playouts, seed, games=games)
            check_order(found, problem, seed)
            told = diagnose(found, len(games), seed, asked)
        except KeyboardInterrupt as interrupt:
            if not games:
                raise
            told = getattr(interrupt, RESULT, None) or stopped(found, len(games), asked)
            code = INTERRUPTED
        except (AssertionError, InputError, RulesError) as error:
            said = str(error).removeprefix(f"{problem}: ")
            if as_json:
                print_json({"problem": problem, "error": said})
            say(f"{problem}: {said}")
            return 1
    if as_json:
        print_json(told.to_dict())
    else:
        tell(told)
    return code


check_command = Command(
    check,
    [
        click.Argument(["problem"], metavar="PROBLEM"),
        Option(["--playouts"], type=int, metavar="N", help=GAMES.help),
        Option(["--seed"], type=int, default=0, metavar="N", show_default=True, help=SEED.help),
        JSON,
    ],
    "nestor check mine:Knapsack",
    "nestor check mine:Knapsack --json",
)
