"""Options made from settings, and the shape of the help."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import or_
from pathlib import Path
from typing import Any

import click

from nestor.algorithms import ALGORITHMS, Algorithm, Auto
from nestor.algorithms.auto import BY_HAND
from nestor.algorithms.own import import_algorithm
from nestor.cli.messages import examples
from nestor.errors import nearest
from nestor.problems.command import Form
from nestor.runs.limits import Budget, Outputs, Resources
from nestor.runs.stopping import FirstSolved, NoImprovement, Stop
from nestor.safe import tell
from nestor.settings import Choice, File, Flag, Setting, defaults_of, settings_of, text_of


class FileName(click.Path):
    """The name of a file, which "-" is not."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the path."""
        if value == "-":
            told = "'-' is neither standard input nor output here: give the name of a file"
            self.fail(told, param, ctx)
        return super().convert(value, param, ctx)


FILE = FileName(path_type=Path)
NAMES = 24
"""Columns of the help for the names of options; longer ones have a line of their own."""
TEXT = 50
"""Columns beside them for what they are."""

KINDS = {name.replace("_", "-"): kind for name, kind in ALGORITHMS.items()}
"""The algorithms by their names on the command line, where an underscore does as well."""

FRONTS = {
    "pareto-local-search": "nestor:ParetoLocalSearch",
    "pareto-nrpa": "nestor:ParetoNRPA",
}
"""Those for fronts, which are written as one's own are."""

CHOSEN = ("level", "iterations")
"""Settings of others that `Auto` sets to suit the budget."""

ALL = (*KINDS, *FRONTS)

CHAPTERS = {"Several": "Problem", "Budget": "Run", "Resources": "Run", "Output": "Run"}
"""Headings of all options, and those that they share with others in the short help."""


class Option(click.Option):
    """An option under a heading of the help; without `basic` only ``--help-all`` shows it.

    `brief` is what the short help says, if it is not the whole.
    """

    def __init__(
        self,
        names: list[str],
        heading: str = "Output",
        basic: bool = True,
        brief: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(names, **more)
        self.heading, self.basic, self.brief = heading, basic, brief

    @property
    def chapter(self) -> str:
        """The heading in the short help, which has fewer."""
        first = self.heading.partition(":")[0]
        return CHAPTERS.get(first, first)


class Command(click.Command):
    """A command whose options stand under their headings, with examples below its help.

    Its name and its help are those of its function, unless others are given.
    """

    def __init__(
        self,
        callback: Callable[..., Any],
        params: Iterable[click.Parameter],
        *lines: str,
        name: str | None = None,
        help: str | None = None,
    ) -> None:
        params = list(params)
        if not all(getattr(each, "basic", True) for each in params):
            params.append(help_all())
        super().__init__(
            name or callback.__name__,
            callback=callback,
            params=params,
            help=help or callback.__doc__,
            epilog=examples(*lines) if lines else None,
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        write_options(self.get_params(ctx), ctx, formatter)


def help_all() -> click.Option:
    """Return the option that shows the help with all options."""

    def show(ctx: click.Context, option: click.Parameter, given: bool) -> None:
        if given:
            ctx.meta["nestor.all"] = True
            tell(ctx.get_help())
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options and exit.",
    )


def write_options(
    params: Iterable[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options that the help is to show, heading by heading."""
    groups: dict[str, list[tuple[str, str]]] = {}
    under = "heading" if shows_all(ctx) else "chapter"
    for each in params:
        if not isinstance(each, click.Option) or each.hidden:
            continue
        if getattr(each, "basic", True) or shows_all(ctx):
            names, text = each.get_help_record(ctx) or ("", "")
            brief = None if shows_all(ctx) else getattr(each, "brief", None)
            last = "Help" if shows_all(ctx) or "Run" not in groups else "Run"
            groups.setdefault(getattr(each, under, last), []).append((names, brief or text))
    width = max(len(names) for records in groups.values() for names, _ in records)
    for heading, records in groups.items():
        with formatter.section(heading):
            formatter.write_dl([(names.ljust(min(width, NAMES)), text) for names, text in records])


def shows_all(ctx: click.Context) -> bool:
    """Whether the help is to show all options."""
    return bool(ctx.meta.get("nestor.all"))


class Word(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """A word of the command line, read as the kind of a setting says."""

    def __init__(self, described: Setting) -> None:
        self.setting = described
        self.name = described.kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the word, or several between commas as a tuple."""
        words = value.split(",") if self.setting.one_per else [value]
        try:
            values = tuple(self.setting.kind.read(word.strip()) for word in words)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return values if len(values) > 1 else values[0]


class Name(click.Choice):  # type: ignore[type-arg]  # generic in newer releases only
    """One of some names, or something `more`; an error suggests the nearest."""

    more = ""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        if value not in self.choices:
            names = ", ".join(self.choices)
            said = f"{value!r} is not one of {names}{self.more}{nearest(value, self.choices)}"
            self.fail(said, param, ctx)
        return value


class AlgorithmName(Name):
    """The name of an algorithm; one with a colon is a user's own."""

    more = " or module:name of your own"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        return value if ":" in value else super().convert(value.replace("_", "-"), param, ctx)


class SearchCommand(Command):
    """A command with an option for each setting of the algorithm that its arguments name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, the name of the algorithm first."""
        if ctx.resilient_parsing:  # Completion in a shell runs no code of the user.
            return super().parse_args(ctx, args)
        name = click.Command(
            "",
            params=[click.Option(["--algorithm"])],
            add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        ).make_context("", [*args], resilient_parsing=True)
        with redirect_stdout(sys.stderr):  # What a module prints is no output of the command.
            self.params = with_settings(name.params["algorithm"], self.params)
        return super().parse_args(ctx, args)


def with_settings(name: str | None, params: Iterable[click.Parameter]) -> list[click.Parameter]:
    """Return options with those of an algorithm of one's own; those of others are not shown.

    A setting with the name of another option is left to ``--set``.
    """
    if name is None or (":" not in name and name.replace("_", "-") not in FRONTS):
        return [*params]
    kind = kind_of(name)
    own, defaults, heading = settings_of(kind), defaults_of(kind), f"Algorithm: {name}"
    others = list[click.Parameter]()
    for each in params:
        if getattr(each, "heading", "").startswith("Algorithm: "):
            each.hidden = True  # type: ignore[attr-defined]  # an option has it
            if each.name in own:
                continue
        others.append(each)
    taken = {each.name for each in others}
    return others + [option(n, own[n], defaults[n], heading) for n in own if n not in taken]


def kind_of(name: str) -> type[Algorithm]:
    """Return the class of an algorithm by its name on the command line."""
    plain = name.replace("_", "-")
    return KINDS[plain] if plain in KINDS else import_algorithm(FRONTS.get(plain, name))


def option(
    name: str, described: Setting, default: Any, heading: str, basic: bool | None = None, **by: Any
) -> Option:
    """Return the option of a setting, which may have another default `by` algorithm."""
    kind, flag = described.kind, "--" + name.replace("_", "-")
    shown = described.usual or _shown(described, default)
    notes = [f"default: {shown}"] if shown else []
    if by and name in CHOSEN:
        notes = [f"set by auto, else {shown}"]
    others: dict[str, list[str]] = {}
    for algorithm, other in by.items():
        if other != default:
            others.setdefault(_shown(described, other), []).append(algorithm)
    notes += [f"{listed(algorithms, 'and')}: {text}" for text, algorithms in others.items()]
    more: dict[str, Any] = {"type": Word(described), "metavar": kind.metavar}
    if described.one_per:
        more["metavar"] = f"{kind.metavar}[,{kind.metavar}...]"
    if isinstance(kind, Choice):
        more["type"] = Name(kind.names)
    elif isinstance(kind, File):
        more = {"type": FILE}
    elif kind.repeated:
        more |= {"multiple": True, "callback": lambda _, __, lists: [*chain(*lists)] or None}
    elif isinstance(kind, Flag):
        more = {"is_flag": True}
        flag += f"/--no-{flag[2:]}" if default or (default is None and described.optional) else ""
    text = described.short.replace("`", "")
    if described.unit:
        text = f"{text[:-1]}, in {described.unit}."
    ranged = [kind.range[0].lower() + kind.range[1:], *notes] if kind.range else notes
    brief, text = (f"{text}  [{'; '.join(n)}]" if n else text for n in (notes, ranged))
    # The short help has a range that takes no more lines.
    short = None if (len(text) - 1) // TEXT == (len(brief) - 1) // TEXT else brief
    basic = described.basic if basic is None else basic
    return Option([flag, name], heading, basic, short, default=None, help=text, **more)


def _shown(described: Setting, default: Any) -> str:
    """Return a default as the help shows it; empty if it goes without saying."""
    if default is None or default is False:
        return described.none
    return described.none or "on" if default is True else text_of(default)


def listed(names: Iterable[str], word: str) -> str:
    """Return "a, b and c", or with another word."""
    *some, last = names
    return f"{', '.join(some)} {word} {last}" if some else last


def algorithm_options() -> list[Option]:
    """Return the options of the algorithms: one for each setting that any of them has.

    Those of the same algorithms stand under one heading.
    """
    choice = Option(
        ["--algorithm"],
        "Algorithm",
        type=AlgorithmName(ALL),
        metavar="NAME",
        default=None,
        help=f"{', '.join(ALL)}, or module:name of your own.  [default: {Auto.name}; "
        f"{BY_HAND.name} if one of its options is given]",
        brief=f"One that `nestor algorithms` lists, or module:name.  [default: {Auto.name}]",
    )
    own = Option(
        ["--set", "own_settings"],
        "Algorithm",
        basic=False,
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of an algorithm of your own whose name another option has; it may be given "
        "several times.",
    )
    kinds = {BY_HAND.name: BY_HAND} | KINDS
    described = {
        n: each for kind in [*kinds.values()][::-1] for n, each in settings_of(kind).items()
    }
    groups: dict[str, list[Option]] = {}
    for name in dict.fromkeys(name for kind in kinds.values() for name in defaults_of(kind)):
        defaults = {each: defaults_of(kind) for each, kind in kinds.items()}
        by = {each: those[name] for each, those in defaults.items() if name in those}
        heading = f"Algorithm: {listed((name for name in KINDS if name in by), 'and')}"
        first = next(iter(by.values()))
        groups.setdefault(heading, []).append(option(name, described[name], first, heading, **by))
    return [choice, own, *chain.from_iterable(groups.values())]


def run_options(leave_out: Iterable[str] = (), basic: Iterable[str] = ()) -> list[Option]:
    """Return the options of a run, and those of what it leaves behind; more of them are `basic`."""
    described = [
        option(name, each, defaults_of(owner)[name], heading, name in basic or None)
        for heading, owner in (("Budget", Budget), ("Resources", Resources), ("Output", Outputs))
        for name, each in settings_of(owner).items()
        if name not in leave_out
    ]
    return [
        *described,
        scheduler("Resources"),
        *(option for option in (INITIAL, *STOPS) if option.name not in leave_out),
        Option(["--save"], type=FILE, help="Write the result, to verify or replay later."),
        Option(["--plot"], type=FILE, help="Draw the solution: .svg, .png or .pdf."),
        JSON,
        Option(["--quiet", "-q"], basic=False, is_flag=True, help="Show no progress."),
    ]


def scheduler(heading: str) -> Option:
    """Return the option that names a dask scheduler."""
    return Option(
        ["--scheduler"],
        heading,
        basic=False,
        metavar="ADDRESS",
        help="Use the workers of a dask scheduler, as in tcp://host:8786.",
    )


def take_scheduler(given: dict[str, Any], run: dict[str, Any]) -> None:
    """Take the address of a scheduler out of what click gives; it stands for workers."""
    if (address := given.pop("scheduler")) is not None:
        if "workers" in run:
            raise click.UsageError("--scheduler cannot be combined with --workers")
        run["workers"] = address


OWN = (
    Option(
        ["--problem"],
        metavar="MODULE:NAME",
        help="The problem that was solved, if it is one of your own.",
    ),
    Option(
        ["--trust"], is_flag=True, help="Run the code that the file names: only if you trust it."
    ),
)
"""Where the user's own problem of a file comes from."""

INITIAL = Option(
    ["--initial"],
    "Resources",
    basic=False,
    type=FILE,
    help="Start from the sequence of this file: a saved result, a JSON list of moves, the "
    "schedule of a tour or the names of its stops, an RNA sequence (FASTA; or give "
    "the sequence itself), a record of Morpion Solitaire, or the grid of a crossword.",
)
_stop = partial(Option, heading="Budget", basic=False)
STOPS = (
    _stop(
        ["--no-improvement"],
        type=float,
        metavar="X",
        help="Stop when nothing has improved for this many seconds.",
    ),
    _stop(
        ["--no-improvement-playouts"],
        type=Word(settings_of(Budget)["playouts"]),
        metavar="N",
        help="Stop when nothing has improved for this many playouts, those of all jobs counted.",
    ),
    _stop(
        ["--first-solved"],
        is_flag=True,
        help="Stop when the best solution meets every constraint.",
    ),
)
JSON = Option(
    ["--json", "as_json"],
    is_flag=True,
    help="Print one JSON object, and all else on stderr.",
)


@dataclass(frozen=True)
class Request:
    """What the options ask for: settings of the run, and what to do with its result."""

    run: dict[str, Any]
    save: Path | None
    plot: Path | None
    as_json: bool
    checkpoint: Path | None = None
    problem: str | None = None
    """A problem of the user's own, as it was given."""
    exports: tuple[tuple[Path, Any], ...] = ()
    """More files to write, each with what returns its text for a solution."""

    @classmethod
    def taken(cls, given: dict[str, Any], exports: Mapping[str, tuple[str, Form]] = {}) -> Request:
        """Take what belongs to a request out of the arguments that click gives."""
        paths = {name: given.pop(name) for name in exports}
        run = take(
            given,
            *(name for kind in (Budget, Resources, Outputs) for name in settings_of(kind)),
            "initial",
        )
        take_scheduler(given, run)
        run["stop"] = stop_of(given)
        run["progress"] = not given.pop("quiet")
        return cls(
            run=run,
            save=given.pop("save"),
            plot=given.pop("plot"),
            as_json=given.pop("as_json"),
            checkpoint=run.get("checkpoint"),
            exports=tuple((path, exports[name][1]) for name, path in paths.items() if path),
        )


def stop_of(given: dict[str, Any]) -> Stop | None:
    """Take what says when to stop, besides the budget, out of the arguments that click gives."""
    names = {"no_improvement": "seconds", "no_improvement_playouts": "playouts"}
    still = {names[name]: value for name, value in take(given, *names).items()}
    stops: list[Stop] = [NoImprovement(**still)] if still else []
    if given.pop("first_solved"):
        stops.append(FirstSolved())
    return reduce(or_, stops) if stops else None


def take(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Take the arguments of these names out of those given; return those that are not None."""
    taken = {name: given.pop(name, None) for name in dict.fromkeys(names)}
    return {name: value for name, value in taken.items() if value is not None}


def algorithm_of(given: dict[str, Any]) -> Algorithm:
    """Take the algorithm and its settings out of the arguments that click gives.

    Raises
    ------
    click.UsageError
        If the algorithm has no such setting, or one lacks the setting it needs.
    InputError
        If a setting is out of range.
    """
    name, own = given.pop("algorithm"), given.pop("own_settings")
    if name is None:
        asked = {setting for kind in KINDS.values() for setting in settings_of(kind)}
        by_hand = any(given.get(setting) is not None for setting in asked)
        name = (BY_HAND if by_hand or own else Auto).name
    kind = kind_of(name)
    known = {each: settings_of(other) for each, other in (KINDS | {name: kind}).items()}
    settings = take(given, *(setting for others in known.values() for setting in others))
    for setting in settings:
        flag = "--" + setting.replace("_", "-")
        if setting not in known[name]:
            others = listed([other for other in KINDS if setting in known[other]], "or")
            raise click.UsageError(f"{flag} is for --algorithm {others}, not for {name}")
        needs = known[name][setting].needs
        if needs is None:
            continue
        needed, value = f"--{needs.replace('_', '-')}", (defaults_of(kind) | settings)[needs]
        if value is None or value is False:
            raise click.UsageError(f"{flag} requires {needed}")
        if known[name][needs].is_off(value):
            raise click.UsageError(f"{flag} has no effect with {needed} {text_of(value)}")
    by_name = _read_own(kind, own)
    for twice in settings.keys() & by_name:
        raise click.UsageError(f"{twice} is given twice: leave out --set {twice}")
    return kind(**settings, **by_name)


def _read_own(kind: type[Algorithm], words: Iterable[str]) -> dict[str, Any]:
    """Return the settings of a user's own algorithm that words such as ``patience=5`` give."""
    known, settings = settings_of(kind), dict[str, Any]()
    for word in words:
        name, equals, text = word.partition("=")
        if kind.reference is None:
            raise click.UsageError(f"--set is for an algorithm of your own, not for {kind.name}")
        if not equals or name not in known:
            raise click.UsageError(
                f"--set must be NAME=VALUE with a setting of {kind.name} ({', '.join(known)}), "
                f"not {word!r}{nearest(name, known)}"
            )
        try:
            settings[name] = known[name].kind.read(text)
        except ValueError as error:
            raise click.UsageError(f"--set {name}: {error}") from None
    return settings
