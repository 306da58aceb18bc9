"""`nestor compare`: algorithms on problems over seeds, from the command line or from a file."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from nestor.checks import as_mapping, check_choice, check_text
from nestor.cli.messages import examples, read_or_not, say
from nestor.cli.options import (
    ALL,
    FILE,
    JSON,
    Command,
    Option,
    algorithm_of,
    algorithm_options,
    option,
    scheduler,
    take,
    take_scheduler,
    with_settings,
    write_options,
)
from nestor.cli.output import only_json, print_json
from nestor.cli.solving import SolveGroup, problem_parameters
from nestor.comparison import Runs, compare
from nestor.comparison.compare import seeds_of
from nestor.comparison.runs import check_baseline
from nestor.comparison.statistics import scipy_stats
from nestor.errors import InputError
from nestor.files import check_writable, parsing, read_text
from nestor.problems import PROBLEMS
from nestor.problems import command as problems
from nestor.problems.own import import_problem
from nestor.render import check_suffix, require_matplotlib
from nestor.runs.limits import Budget, Target
from nestor.safe import tell
from nestor.settings import Integer, Setting, settings_of

WHAT = "a comparison"
RUN = {
    "seeds": Setting(Integer(1, 10**6), "How many seeds: 0, 1 and so on."),
    **{name: settings_of(Budget)[name] for name in ("playouts", "seconds", "target")},
    "reference": Setting(
        Target(), "Of fronts: a worse score, for their hypervolumes, such as 12,12.", none="none"
    ),
    "threads": Setting(Integer(1, 1024), "Threads of each run.", none="1"),
    "workers": Setting(Integer(1, 1024), "Run side by side in this many processes.", none="1"),
}
"""What the command line and a file say of the runs, by the names of `nestor.compare`."""


def problem_of(words: Sequence[str]) -> Any:
    """Return the problem of words such as ``morpion 5D`` or ``mymodule:MyProblem``.

    Raises
    ------
    InputError or click.UsageError
        If there is none.
    """
    name, *rest = words
    if ":" in name:
        if rest:
            raise InputError(f"{name} takes no options, not {rest[0]!r}")
        return import_problem(name)
    check_choice("the problem", name, list(PROBLEMS))
    command = problems.command_of(PROBLEMS[name])
    given = _read(problem_parameters(command), rest)
    return command.load(given.pop("argument"), **take(given, *given))


def algorithm_named(words: Sequence[str]) -> Any:
    """Return the algorithm of words such as ``nrpa --level 4``; errors as of `problem_of`."""
    params = with_settings(words[0], algorithm_options())
    return algorithm_of(_read(params, ["--algorithm", *words]))


def _read(params: Sequence[click.Parameter], words: Sequence[str]) -> dict[str, Any]:
    """Return the values that words of the command line give to parameters."""
    command = click.Command("", params=list(params), add_help_option=False)
    return command.make_context("", list(words)).params


def read_spec(path: Path) -> dict[str, Any]:
    """Return the arguments of `compare` that a file in TOML holds.

    Raises
    ------
    InputError
        If the file cannot be read or does not describe a comparison.
    """
    text = read_text(path, WHAT)
    with parsing(path, WHAT):
        try:
            spec = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"not TOML: {error}") from None
        for name in spec:
            check_choice("an entry", name, ("problems", "algorithms", *RUN, "save"))
            if name == "seeds":
                seeds_of(spec[name])
            elif name in RUN:
                RUN[name].check(name, spec[name])
        for table, make in (("problems", problem_of), ("algorithms", algorithm_named)):
            entries = as_mapping(table, spec.get(table, {}))
            if not entries or not all(map(str.strip, entries)):
                raise InputError(f"{table} must have entries, each with a name")
            spec[table] = {
                name: [_made(f"{table}.{name}", each, make) for each in text]
                if isinstance(text, list) and table == "problems"
                else _made(f"{table}.{name}", text, make)
                for name, text in entries.items()
            }
    return spec


def _made(entry: str, text: Any, make: Callable[[list[str]], Any]) -> Any:
    """Return what an entry of a file stands for, in the words of the command line."""
    check_text(entry, text)
    try:
        return make(shlex.split(text) or [""])
    except click.UsageError as error:
        raise InputError(f"{entry}: {error.format_message()}") from None
    except ValueError as error:
        raise InputError(f"{entry}: {error}") from None


class CompareGroup(SolveGroup):
    """A command for each problem, and one for each file that describes a comparison."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a file or of a problem."""
        if cmd_name.endswith(".toml"):
            return Command(
                lambda **given: run(read_spec(Path(cmd_name)), **given),
                [*run_options(None), *OUTPUT],
                name=cmd_name,
                help=f"Make the comparison that {cmd_name} describes.",
            )
        if ":" in cmd_name:
            return _quick(cmd_name, [], lambda: import_problem(cmd_name), cmd_name)
        if cmd_name not in PROBLEMS:
            return None
        command = problems.command_of(PROBLEMS[cmd_name])
        example = shlex.join([cmd_name, shlex.split(command.examples[0])[0]])
        return _quick(cmd_name, problem_parameters(command), command.load, example)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the problems."""
        self.format_commands(ctx, formatter)
        write_options(self.get_params(ctx), ctx, formatter)


def _quick(
    name: str, parameters: list[click.Parameter], load: Callable[..., Any], example: str
) -> click.Command:
    """Return the command that compares algorithms on one problem, such as this one."""
    compared = Option(
        ["--algorithms"],
        "Comparison",
        required=True,
        metavar="NAME,NAME,...",
        help=f"Algorithms to compare: {', '.join(ALL)}, or module:name of your own. Each may have "
        "its options of `nestor solve`, as in 'nrpa --level 4,nmcs --level 2'.",
    )

    def callback(algorithms: str, **given: Any) -> int:
        others = {
            each: given.pop(each) for each in (*RUN, "scheduler", *(o.name or "" for o in OUTPUT))
        }
        words = (given.pop("argument"),) if "argument" in given else ()
        with only_json(others["as_json"]):
            problem = load(*words, **take(given, *given))
        names = [each.strip() for each in algorithms.split(",")]
        made = [_made("algorithms", each, algorithm_named) for each in names]
        named = dict(zip(names, made, strict=True)) if len({*names}) == len(names) else made
        return run({"problems": [problem], "algorithms": named}, **others)

    return Command(
        callback,
        [*parameters, compared, *run_options(20), *OUTPUT],
        f"nestor compare {example} --algorithms nrpa,nmcs --playouts 1e5",
        name=name,
        help=f"Compare algorithms on {name}.",
    )


def run_options(seeds: int | None) -> list[Option]:
    """Return the options that say how runs are made."""
    return [
        *(
            option(name, each, seeds if name == "seeds" else None, "Comparison", True)
            for name, each in RUN.items()
        ),
        scheduler("Comparison"),
    ]


def run(spec: dict[str, Any], **given: Any) -> int:
    """Make a comparison, print its table, draw it and return the exit code."""
    plot, as_json, quiet = given.pop("plot"), given.pop("as_json"), given.pop("quiet")
    baseline = given.pop("baseline")
    if as_json:
        scipy_stats()  # Without it the runs would be made and could not be shown.
    if plot is not None:
        check_suffix(plot)
        require_matplotlib()
        check_writable(plot)
    take_scheduler(given, made := take(given, *(name for name in given if name != "scheduler")))
    spec |= made
    problems, algorithms = spec.pop("problems"), spec.pop("algorithms")
    with only_json(as_json):
        names = [getattr(each, "name", each) for each in algorithms]
        check_baseline(baseline, names, problems)
        runs = compare(problems, algorithms, **spec, progress=not quiet)
    with read_or_not():
        _print(runs, as_json, baseline)
    if plot is not None and runs:
        runs.plot(plot, "playouts")
    if runs.interrupted:
        return 130
    return int(runs.lost or bool(runs.failed))


def _print(runs: Runs, as_json: bool, baseline: str | None) -> None:
    """Print what a comparison has found, and which runs have failed."""
    if as_json:
        try:
            print_json(_as_json(runs, baseline))
        except InputError:
            tell(_table(runs, baseline), error=True)
            raise
        return
    tell(_table(runs, baseline))
    for line in runs.lacking:
        kind, text = line.split(": ", 1)
        say(text, kind)


def _table(runs: Runs, baseline: str | None) -> str:
    return runs.told(baseline) if len(runs) else "no run is complete"


def _as_json(runs: Runs, baseline: str | None) -> dict[str, Any]:
    """Return the statistics of each problem and algorithm."""
    return {
        "runs": len(runs),
        "failed": len(runs.failed),
        "missing": runs.missing,
        "problems": {
            problem: [each._asdict() for each in runs.summary(problem, baseline)]
            for problem in runs.problems
        },
        "families": {
            family: [each._asdict() for each in runs.ranking(family, baseline)]
            for family in runs.families
        },
    }


OUTPUT = [
    Option(["--save"], type=FILE, help="Keep the runs in this file, and continue from it."),
    Option(["--baseline"], metavar="NAME", help="Test the others against this algorithm."),
    Option(["--plot"], type=FILE, help="Draw scores over playouts: .svg, .png or .pdf."),
    JSON,
    Option(["--quiet", "-q"], is_flag=True, help="Show no progress."),
]


@click.group(
    "compare",
    cls=CompareGroup,
    invoke_without_command=True,
    subcommand_metavar="PROBLEM|SPEC.toml [OPTIONS] ...",
    params=[],
    help="""Compare algorithms on problems, over seeds.

    It prints the median score of each algorithm, the quartiles and the best. A
    star marks the best median, and whatever is not significantly worse.
    With --save, the same command continues after a stop. PROBLEM may be one of your own,
    module:Class or module:instance. nestor compare PROBLEM --help has the options, such as
    --algorithms, which must be given.

    \b
    SPEC.toml describes a comparison of several problems:
      playouts = 1e5
      seeds = 20
      save = "runs.jsonl"
      [problems]
      "5D" = "morpion 5D"
      mine = "mymodule:MyProblem"
      [algorithms]
      "NRPA 3" = "nrpa"
      "beam of 8" = "beam-nrpa --beam 8"
    """,
    epilog=examples(
        "nestor compare morpion 5D --algorithms nrpa,beam-nrpa --playouts 1e5",
        "nestor compare mine:Knapsack --algorithms auto,nrpa --seconds 10",
        "nestor compare spec.toml --save runs.jsonl --plot runs.svg",
    ),
)
@click.pass_context
def compare_command(context: click.Context) -> None:
    """Say that a problem or a file is missing, if one is."""
    if context.invoked_subcommand is None:
        raise click.UsageError("a problem or a file is missing", context)
