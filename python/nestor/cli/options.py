"""The options that every problem shares, and the shape of the help."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from nestor.algorithms import ALGORITHMS, GNRPA, Algorithm

Function = TypeVar("Function", bound=Callable[..., Any])


def examples(*lines: str) -> str:
    """Return an epilog of examples, one a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class Option(click.Option):
    """An option that stands under a heading of the help."""

    def __init__(self, *args: Any, heading: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading


class Command(click.Command):
    """A command whose options stand under their headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                groups.setdefault(getattr(parameter, "heading", "Other"), []).append(record)
        width = max(len(names) for records in groups.values() for names, _ in records)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(names.ljust(width), text) for names, text in records])


def whole_number(text: str) -> int:
    """Read a whole number, which may be written 1e6."""
    with contextlib.suppress(ValueError):
        return int(text)
    with contextlib.suppress(ValueError, OverflowError):
        number = float(text)
        if number == int(number) and abs(number) <= 2**53:
            return int(number)
    raise click.BadParameter(f"{text!r} is not a whole number")


def real_number(text: str) -> float:
    """Read a number."""
    with contextlib.suppress(ValueError):
        return float(text)
    raise click.BadParameter(f"{text!r} is not a number")


def per_level(number: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a reader of one number, or of a tuple of one for each level between commas."""

    def numbers(text: str) -> Any:
        parts = [number(part.strip()) for part in text.split(",")]
        return tuple(parts) if len(parts) > 1 else parts[0]

    return numbers


def names(text: str) -> str | tuple[str, ...]:
    """Read one name, or a tuple of several between commas."""
    parts = tuple(part.strip() for part in text.split(","))
    return parts if len(parts) > 1 else parts[0]


@dataclass(frozen=True)
class Request:
    """What the shared options ask for.

    Attributes
    ----------
    algorithm : Algorithm
    limits : dict
        The keyword arguments of `nestor.solve` that were given.
    outputs : dict
        The keyword arguments for files written while the search runs.
    save, plot : Path or None
        Files to write at the end.
    exports : tuple of (Path, callable)
        More files to write at the end, each with what returns its text for a solution.
    as_json : bool
        Whether to print one JSON object.
    quiet : bool
        Whether to show no progress.
    """

    algorithm: Algorithm
    limits: dict[str, Any]
    outputs: dict[str, Any]
    save: Path | None
    plot: Path | None
    as_json: bool
    quiet: bool
    exports: tuple[tuple[Path, Callable[[Any], str]], ...] = ()


SETTINGS = (
    *("level", "iterations", "alpha", "temperature"),
    *("width", "policies", "share", "inherit"),
    *("width_rate", "repetitions", "force_explore", "warm_start"),
    *("samples", "playout_policy", "beam", "adapt_all", "unique", "diversity"),
    *("bias", "bias_learning", "bias_weight", "prior", "prior_temperature", "smoothing"),
)
OUTPUTS = ("checkpoint", "checkpoint_every", "log")
LIMITS = ("seconds", "playouts", "target", "jobs", "threads", "seed")


def _option(
    heading: str, *names: str, **attributes: Any
) -> tuple[str, Callable[[Function], Function]]:
    """Return the name of an option's argument, and its decorator."""
    argument = names[-1] if names[-1].isidentifier() else names[0].lstrip("-").replace("-", "_")
    return argument, click.option(*names, cls=Option, heading=heading, **attributes)


FILE = click.Path(path_type=Path)

SHARED = (
    _option(
        "Algorithm",
        "--algorithm",
        type=click.Choice(list(ALGORITHMS)),
        metavar="NAME",
        default="gnrpa",
        help=f"{', '.join(ALGORITHMS)}.  [default: gnrpa]",
    ),
    _option(
        "Algorithm",
        "--level",
        type=whole_number,
        metavar="N",
        help="Levels of nesting, 1 to 20.  [default: 3; with nmcs 2]",
    ),
    _option(
        "Algorithm",
        "--iterations",
        type=per_level(whole_number),
        metavar="N[,N...]",
        help="Of all levels, or of each from level 1 upwards.  [default: 100]",
    ),
    _option(
        "Algorithm",
        "--alpha",
        type=per_level(real_number),
        metavar="X[,X...]",
        help="Learning rate, likewise.  [default: 1]",
    ),
    _option(
        "Algorithm",
        "--width",
        type=per_level(whole_number),
        metavar="N[,N...]",
        help="Playouts side by side, for threads, or one a level.  [default: 1]",
    ),
    _option(
        "Algorithm",
        "--policies",
        type=click.Choice(["shared", "local"]),
        metavar="NAME",
        help="Of what runs side by side: one for all (shared), or each its own (local).  "
        "[default: shared]",
    ),
    _option(
        "Algorithm",
        "--no-share",
        "share",
        flag_value=False,
        default=None,
        help="Have local policies adapt to the best sequence of their own, not of all.",
    ),
    _option(
        "Algorithm",
        "--inherit",
        "inherit",
        flag_value=True,
        default=None,
        help="Have the best local policy replace that of the level above.",
    ),
    _option(
        "Algorithm",
        "--width-rate",
        type=click.Choice(["sum", "once"]),
        metavar="NAME",
        help="Adapt a shared policy with alpha times the width (sum), or alpha (once).  "
        "[default: sum]",
    ),
    _option(
        "Algorithm",
        "--repetitions",
        type=per_level(whole_number),
        metavar="R[,R...]",
        help="End a level when its best is found again so many times, or one number a level.",
    ),
    _option(
        "Algorithm",
        "--force-explore",
        is_flag=True,
        default=None,
        help="Change a playout that would repeat what its level 1 has adapted to.",
    ),
    _option(
        "Algorithm",
        "--warm-start",
        type=real_number,
        metavar="C",
        help="Adapt a level only after a result of good relative rank; 2.3 in the paper.",
    ),
    _option(
        "Algorithm",
        "--temperature",
        type=real_number,
        metavar="X",
        help="Of the policy, with gnrpa and beam-nrpa.  [default: 1]",
    ),
    _option(
        "Algorithm",
        "--samples",
        type=whole_number,
        metavar="K",
        help="Children that nmcs draws at each node, in place of searching all.",
    ),
    _option(
        "Algorithm",
        "--playout-policy",
        metavar="NAME",
        help="Playouts of sampling and nmcs with the problem's own policy: tuned, of morpion.",
    ),
    _option(
        "Algorithm",
        "--beam",
        type=per_level(whole_number),
        metavar="B[,B...]",
        help="Sequences that beam-nrpa keeps and nodes that nmcs goes on from, at level 1, or at "
        "each level.  [default: 4; with nmcs 1]",
    ),
    _option(
        "Algorithm",
        "--adapt-all/--no-adapt-all",
        "adapt_all",
        default=None,
        help="Whether beam-nrpa adapts to the sequences it has kept, too.  [default: it does]",
    ),
    _option(
        "Algorithm",
        "--unique",
        is_flag=True,
        default=None,
        help="Have beam-nrpa keep a sequence only once.",
    ),
    _option(
        "Algorithm",
        "--diversity",
        type=whole_number,
        metavar="N",
        help="Codes by which sequences that beam-nrpa keeps differ at least.  [default: 3]",
    ),
    _option(
        "Algorithm",
        "--bias",
        type=names,
        metavar="NAME[,NAME...]",
        help="One of the problem's biases, with any but nrpa; none for none; several with "
        "--bias-learning.  [default: with gnrpa the problem's own]",
    ),
    _option(
        "Algorithm",
        "--bias-learning",
        type=real_number,
        metavar="X",
        help="Learn the weights of the biases of gnrpa, with this learning rate, such as 0.01.",
    ),
    _option(
        "Algorithm",
        "--bias-weight",
        type=per_level(real_number),
        metavar="X[,X...]",
        help="The weight to begin with, or one for each bias.  [default: 1]",
    ),
    _option(
        "Algorithm",
        "--prior",
        metavar="NAME|FILE",
        help="Learned prior in place of a bias, likewise; beside it with --bias-learning.",
    ),
    _option(
        "Algorithm",
        "--prior-temperature",
        type=real_number,
        metavar="X",
        help="Weight of the prior.  [default: 1]",
    ),
    _option(
        "Algorithm",
        "--smoothing",
        type=real_number,
        metavar="X",
        help="Laplace smoothing of the prior.  [default: 0]",
    ),
    _option("Budget", "--seconds", type=real_number, metavar="X", help="Wall time."),
    _option("Budget", "--playouts", type=whole_number, metavar="N", help="Playouts of all jobs."),
    _option(
        "Budget", "--target", type=real_number, metavar="X", help="Stop at this score or better."
    ),
    _option(
        "Resources",
        "--jobs",
        type=whole_number,
        metavar="N",
        help="Independent searches side by side.  "
        "[default: 1 with --playouts or no budget, else one a thread]",
    ),
    _option(
        "Resources",
        "--threads",
        type=whole_number,
        metavar="N",
        help="Threads.  [default: one a core]",
    ),
    _option(
        "Resources",
        "--seed",
        type=whole_number,
        metavar="N",
        help="Of all random choices, 0 to 2^64 - 1.  [default: 0]",
    ),
    _option("Output", "--save", type=FILE, help="Write the result, to verify or replay later."),
    _option("Output", "--plot", type=FILE, help="Draw the solution: .svg, .png or .pdf."),
    _option(
        "Output",
        "--checkpoint",
        type=FILE,
        help="Keep the state of the run, for nestor resume; an existing one is gone on with.",
    ),
    _option(
        "Output",
        "--checkpoint-every",
        type=real_number,
        metavar="X",
        help="Seconds between two checkpoints.  [default: 60]",
    ),
    _option("Output", "--log", type=FILE, help="Write improvements as they come, a line each."),
    _option("Output", "--json", "as_json", is_flag=True, help="Print one JSON object."),
    _option("Output", "--quiet", "-q", is_flag=True, help="Show no progress."),
)


def shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command, which gets them as its first argument, a `Request`."""

    @wraps(function)
    def command(**given: Any) -> Any:
        algorithm = build(given.pop("algorithm"), {name: given.pop(name) for name in SETTINGS})
        limits, outputs = (
            {name: value for name in names if (value := given.pop(name)) is not None}
            for names in (LIMITS, OUTPUTS)
        )
        request = Request(
            algorithm,
            limits,
            outputs,
            *(given.pop(name) for name in ("save", "plot", "as_json", "quiet")),
        )
        return function(request, **given)

    for _, option in reversed(SHARED):
        command = option(command)
    return command


def resume_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options that a resumed run may have again; likewise."""
    again = {"seconds", "playouts", "target", "threads", "checkpoint_every", "log"}
    again |= {"save", "plot", "as_json", "quiet"}

    @wraps(function)
    def command(**given: Any) -> Any:
        limits, outputs = (
            {name: value for name in names if (value := given.pop(name)) is not None}
            for names in (again.intersection(LIMITS), again.intersection(OUTPUTS))
        )
        files = [given.pop(name) for name in ("save", "plot", "as_json", "quiet")]
        return function(Request(GNRPA(), limits, outputs, *files), **given)

    for name, option in reversed(SHARED):
        if name in again:
            command = option(command)
    return command


def build(name: str, settings: dict[str, Any]) -> Algorithm:
    """Return an algorithm.

    Parameters
    ----------
    name : str
        One of `ALGORITHMS`.
    settings : dict
        Its settings; those that are None keep their defaults.

    Raises
    ------
    click.UsageError
        If the algorithm has no such setting.
    InputError
        If a setting is out of range.
    """
    given = {setting: value for setting, value in settings.items() if value is not None}
    known = {other: {field.name for field in fields(kind)} for other, kind in ALGORITHMS.items()}
    for setting in given:
        if setting not in known[name]:
            *some, last = (other for other in ALGORITHMS if setting in known[other])
            others = f"{', '.join(some)} or {last}" if some else last
            raise click.UsageError(
                f"--{setting.replace('_', '-')} goes with --algorithm {others}, not with {name}",
                click.get_current_context(),
            )
    for setting in ("prior_temperature", "smoothing"):
        if setting in given and "prior" not in given:
            raise click.UsageError(
                f"--{setting.replace('_', '-')} goes with --prior", click.get_current_context()
            )
    return ALGORITHMS[name](**given)
