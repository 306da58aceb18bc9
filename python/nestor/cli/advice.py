"""What to do after a search: commands that can be pasted."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import click

from nestor.checks import in_json
from nestor.cli.options import Request
from nestor.problems.own import adapt, is_pickled
from nestor.result import Result
from nestor.runs.checkpoint import Checkpoint


def next_commands(result: Result, request: Request, saved: bool) -> list[str]:
    """Return the commands that take a result further: check it, draw it, search on.

    One that was not to be saved is saved by going on, or by searching again. No command reads a
    file that could not be written.
    """
    # A search in another process gives back a copy of the problem, which has no name here.
    reference = request.problem or adapt(result.problem).reference
    own = ["--problem", reference] if reference else []
    lines: list[list[str]] = []
    if saved:
        lines.append(["verify", str(request.save), *own])
        if request.plot is None and find_spec("matplotlib"):
            lines.append(["plot", str(request.save), *own])
    asked = click.get_current_context().find_root().obj
    save = [] if saved or not _savable(result) else ["--save", _unused("run")]
    longer, checkpoint = _longer(result, request), request.checkpoint
    if checkpoint is not None and checkpoint.exists() and longer is not None:
        # Only a command that trusts pickled codes can go on with them.
        if asked[0] != "resume" and is_pickled(Checkpoint.read(checkpoint).own):
            save = ["--save", str(request.save)] if saved else save
            lines.append(["resume", str(checkpoint), *own, "--trust", *longer, *save])
        else:
            lines.append([*_without(asked, [*longer[:1], *save[:1]]), *longer, *save])
    elif request.save is None and save:
        lines.append([*asked, *save])
    return [f"  {shlex.join(['nestor', *line])}" for line in lines]


def _savable(result: Result) -> bool:
    """Whether the moves have a JSON form."""
    with suppress(TypeError, ValueError):
        in_json(result.moves)
        return True
    return False


def _unused(name: str) -> str:
    """Return the name of a file of results that there is not yet."""
    names = (f"{name}{number}.json" for number in ("", *range(2, 10**6)))
    return next(each for each in names if not Path(each).exists())


def _without(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return arguments without some options and their values."""
    return [
        each
        for before, each in pairwise(["", *arguments])
        if before not in options and each.partition("=")[0] not in options
    ]


def _longer(result: Result, request: Request) -> list[str] | None:
    """Return the limits for a run to go on with, or None if it has come to an end."""
    match result.stop_reason:
        case "interrupted" | "cancelled" | "lost" | "failed":
            return []
        case "seconds":
            seconds = request.run.get("seconds") or result.seconds
            return ["--seconds", str(math.ceil(2 * seconds))]
        case "playouts" | "finished":
            return ["--playouts", str(2 * result.playouts)]
    return None
