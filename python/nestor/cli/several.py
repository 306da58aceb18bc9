"""`nestor solve` for several solutions that differ from each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource

import nestor
from nestor.algorithms import Algorithm
from nestor.cli.messages import read_or_not, say
from nestor.cli.options import Option, Request, listed, option
from nestor.cli.output import Files, print_json
from nestor.errors import InputError
from nestor.files import write_file
from nestor.problems import command as problems
from nestor.safe import tell
from nestor.settings import Integer, Setting

RUN = {"seconds", "playouts", "target", "seed", "threads", "jobs", "as_json", "quiet"}
"""The options of a run and its output that go with several solutions."""
FLAGS = {"distinct": "--designs", "designs": "--designs", "min_distance": "--min-distance"}
FLAGS |= {name: f"--{name}" for name in ("seconds", "playouts")}
"""The options that give the arguments of `nestor.solve_many`."""
ASKED = {
    "designs": Setting(Integer(1, 10**6), "How many different solutions to find."),
    "min_distance": Setting(Integer(1, 10**9), "Least distance between two of them.", none="1"),
}


def several_options(command: problems.Command | None) -> dict[str, Option]:
    """Return the options that ask for several solutions, by name; none if it finds only one."""
    if command is None or command.several is None:
        return {}
    return {name: option(name, each, None, "Several", basic=True) for name, each in ASKED.items()}


def solve_several(
    command: problems.Command,
    problem: Any,
    algorithm: Algorithm,
    asked: dict[str, Any],
    request: Request,
) -> int:
    """Find several solutions, write and print them, and return the exit code."""
    assert command.several is not None
    _check_run()
    run = {name: value for name, value in request.run.items() if value is not None}
    with _options_named():
        for name, value in asked.items():
            ASKED[name].kind.check(name, value)
        many = nestor.solve_many(
            problem,
            algorithm,
            distinct=asked["designs"],
            min_distance=asked.get("min_distance", 1),
            **run,
        )
    texts = {form: command.several[n] for n, (_, form) in command.exports.items()}
    files = Files()
    for path, form in request.exports:
        files.write("exported", path, lambda path, form=form: write_file(path, texts[form](many)))
    with read_or_not():
        print_json(many.to_dict()) if request.as_json else tell(str(many))
    files.tell()
    if len(many) < many.asked:
        best = many.other and f"; the best of the others: {many.other.solution.headline()}"
        say(f"only {len(many)} of {many.asked} were found{best or ''}")
    if files.errors:
        return 2
    if files.left_out or many.stop_reason == "interrupted":
        return 130
    return 0 if len(many) == many.asked else 1


@contextmanager
def _options_named() -> Iterator[None]:
    """Name options where an error names arguments: before its "must be"."""
    try:
        yield
    except InputError as error:
        names, must, rest = str(error).partition(" must be ")
        flags = [FLAGS.get(word, word) for word in names.split(" ")]
        error.args = (" ".join(flags) + must + rest,)
        raise


def _check_run() -> None:
    """Check that no option of the command is given that is for one solution."""
    context = click.get_current_context()
    wrong = [
        each.opts[0]
        for each in context.command.params
        if isinstance(each, Option)
        and each.heading in ("Budget", "Resources", "Output")
        and each.name not in RUN
        and context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
    ]
    if wrong:
        raise click.UsageError(f"{listed(wrong, 'and')} cannot be combined with --designs")
