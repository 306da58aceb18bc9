"""`nestor solve` and `nestor resume`: the commands that search."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

import nestor
from nestor.cli.messages import examples, say
from nestor.cli.options import (
    FILE,
    OWN,
    Command,
    Option,
    Request,
    SearchCommand,
    algorithm_of,
    algorithm_options,
    help_all,
    kind_of,
    option,
    run_options,
    shows_all,
    take,
    write_options,
)
from nestor.cli.output import check_outputs, delivered, only_json
from nestor.cli.several import several_options, solve_several
from nestor.errors import InputError, nearest
from nestor.files import exists, parsing
from nestor.problems import PROBLEMS
from nestor.problems import command as problems
from nestor.problems.importing import without_suffix
from nestor.problems.own import adapt, import_problem
from nestor.runs.checkpoint import WHAT, Checkpoint
from nestor.settings import defaults_of

KEPT = {"longest", "seed", "jobs", "checkpoint"}
KEPT |= {"exchange", "topology", "initial", "initial_strength"}
"""What a run that is resumed has from its checkpoint."""


class SolveGroup(click.Group):
    """A command for each problem; any name with a colon is a user's own problem."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the problems."""
        return sorted(PROBLEMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a problem."""
        if ":" in cmd_name:
            return own_problem(cmd_name)
        return known_problem(cmd_name) if cmd_name in PROBLEMS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a problem, or say which problems there are."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            fleet = "; PyVRP plans several vehicles" if "vrp" in args[0].lower() else ""
            raise click.UsageError(
                f"the problem must be {', '.join(PROBLEMS)} or module:Class, not {args[0]!r}"
                f"{without_suffix(args[0]) or nearest(args[0], PROBLEMS)}{fleet}",
                ctx,
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the problems, and all options that they share if asked for."""
        shared = [*algorithm_options(), *run_options()] if shows_all(ctx) else []
        helps = [(name, known_problem(name).get_short_help_str(99)) for name in PROBLEMS]
        with formatter.section("Problems"):
            formatter.write_dl(sorted(helps))
        write_options([*shared, *self.get_params(ctx)], ctx, formatter)


@click.group(
    "solve",
    cls=SolveGroup,
    invoke_without_command=True,
    subcommand_metavar="PROBLEM [OPTIONS] ...",
    params=[help_all()],
    epilog=examples(
        "nestor solve tsptw rc_204.1.txt --seconds 60 --threads 2 --seed 1",
        "nestor solve samegame boards.txt --board 3 --plot game.svg",
        "nestor solve morpion 5D --algorithm nrpa --level 4 --save run.json",
        "nestor solve mymodule:MyProblem --playouts 1e6 --json",
    ),
)
@click.pass_context
def solve_command(context: click.Context) -> None:
    """Search for the best solution of a problem.

    Besides the problems below, PROBLEM may be one of your own: module:Class or
    module:instance, looked for in the current folder and the installed packages.
    nestor solve PROBLEM --help has what each takes.

    Without --seconds, --playouts or --target one search runs until it ends. With
    one, searches follow each other until it is used up or reached, and the best solution of
    all counts. Ctrl-C ends a search early and keeps its best.
    """
    if context.invoked_subcommand is None:
        raise click.UsageError("a problem is missing", context)


def known_problem(name: str) -> click.Command:
    """Return the command of a problem that comes with Nestor."""
    command = problems.command_of(PROBLEMS[name])
    return SearchCommand(
        partial(solve, command),
        [
            *problem_parameters(command),
            *(
                Option([f"--{export}"], "Problem", type=FILE, help=help)
                for export, (help, _) in command.exports.items()
            ),
            *several_options(command).values(),
            *(_unsupported(*each) for each in command.unsupported.items()),
            *algorithm_options(),
            *run_options(),
        ],
        *(f"nestor solve {name} {example}" for example in command.examples),
        name=name,
        help=command.help,
    )


def _unsupported(name: str, instead: str) -> click.Option:
    """Return an option that is not shown, and says what to do instead."""

    def refuse(context: click.Context, parameter: click.Parameter, given: object) -> None:
        if given is not None:
            raise click.UsageError(f"--{name} is not supported: {instead}", context)

    return click.Option([f"--{name}"], hidden=True, expose_value=False, callback=refuse)


def problem_parameters(command: problems.Command) -> list[click.Parameter]:
    """Return the argument and the options that make a problem."""
    defaults = defaults_of(command.problem)
    return [
        click.Argument(["argument"], metavar=command.argument),
        *(
            option(
                setting,
                each,
                defaults.get(setting),
                "Problem",
                basic=each.basic or setting not in command.options,
            )
            for setting, each in command.settings.items()
        ),
    ]


def own_problem(name: str) -> click.Command:
    """Return the command of a user's own problem."""
    return SearchCommand(
        partial(solve, None, argument=name),
        [*algorithm_options(), *run_options()],
        f"nestor solve {name} --playouts 1e6 --save run.json",
        name=name,
        help=f"The problem {name} of your own.\n\nIt has the methods of nestor.Problem.",
    )


def solve(command: problems.Command | None, argument: str, **given: Any) -> int:
    """Solve a problem, deliver the result and return the exit code.

    Without a `command` the argument names a user's own problem.
    """
    several = take(given, *several_options(command))
    if several.keys() == {"min_distance"}:
        raise click.UsageError("--min-distance requires --designs")
    request = Request.taken(given, command.exports if command else {})
    check_outputs(request, Path(argument) if command and exists(argument) else None)
    for name, note in (command.notes if command else {}).items():
        if given[name] is not None:
            say(note, "Note")
    with only_json(request.as_json):
        algorithm = algorithm_of(given)
        problem: Any = (
            command.load(argument, **take(given, *given)) if command else import_problem(argument)
        )
        if not command:
            request = replace(request, problem=argument)
            module = sys.modules[argument.partition(":")[0]]
            check_outputs(request, Path(module.__file__) if module.__file__ else None)
        if request.save or request.as_json:
            adapt(problem).check_savable()
    if several:
        assert command is not None
        return solve_several(command, problem, algorithm, several, request)
    exports = ((path, form(problem, path)) for path, form in request.exports)
    request = replace(request, exports=tuple(exports))
    with delivered(request) as delivery, warnings.catch_warnings():
        if adapt(problem).impossible:
            warnings.filterwarnings("ignore", "no solution can meet everything")
            say("no solution can meet everything: the result has the reasons", "Warning")
        delivery.result = nestor.solve(problem, algorithm, **_run_of(request, problem))
        if adapt(problem).farthest == 0:
            say("the input is already complete: nothing to search; showing its evaluation", "Note")
    return delivery.code


def resume(
    checkpoint: Path, problem: str | None, algorithm: str | None, trust: bool, **given: Any
) -> int:
    """Resume a run from its checkpoint.

    CHECKPOINT is a file that --checkpoint wrote. New checkpoints replace it. New limits are for the
    whole run, including what is already done. A run of your own problem needs --problem, one of
    your own algorithm needs --algorithm; --trust replaces both.
    """
    request = replace(Request.taken(given), checkpoint=checkpoint, problem=problem)
    check_outputs(request, checkpoint)
    with delivered(request) as delivery:
        own = None if problem is None else import_problem(problem)
        if algorithm is not None:
            _check_algorithm(checkpoint, algorithm)
        run = request.run if own is None else _run_of(request, own)
        delivery.result = nestor.resume(checkpoint, problem=own, trust=trust, **run)
    return delivery.code


def _check_algorithm(checkpoint: Path, named: str) -> None:
    """Import an algorithm, if it is that of the run; the checkpoint has its settings."""
    given = kind_of(named)
    saved = Checkpoint.read(checkpoint)
    with parsing(checkpoint, WHAT):
        of = saved.asked["algorithm"]["name"]
    if given.name != of:
        raise InputError(f"{checkpoint}: algorithm: the run is of {of}, not of {given.name}")


def _run_of(request: Request, problem: Any) -> dict[str, Any]:
    """Return the settings of the run of a problem, of which an isolated one shows no progress."""
    if not (request.run["progress"] and adapt(problem).isolated):
        return request.run
    say("no progress is shown of a search in a process of its own (isolated=True)", "Note")
    return request.run | {"progress": False}


resume_command = Command(
    resume,
    [
        click.Argument(["checkpoint"], type=FILE),
        *OWN,
        Option(
            ["--algorithm"],
            metavar="MODULE:NAME",
            help="The algorithm of the run, if it is one of your own.",
        ),
        *run_options(leave_out=KEPT, basic=("log",)),
    ],
    "nestor resume run.ckpt",
    "nestor resume run.ckpt --seconds 86400 --save run.json",
)
