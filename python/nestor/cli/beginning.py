"""`nestor new`: a small project to begin with."""

from __future__ import annotations

import shlex
from importlib.util import find_spec

import click

from nestor.cli.options import Command, Name, Option
from nestor.safe import tell
from nestor.templates import KINDS, write


def new(kind: str, name: str, compiled: bool) -> None:
    """Begin a project: a class, a checker, tests and a script that runs.

    KIND is order (things to put in the best order), set (things to choose
    from), cover (things to choose until it is enough), game (moves whose
    order matters) or algorithm. NAME is the name of the folder and of the
    module. A folder that exists is refused.
    """
    written = write(kind, name, compiled)
    tell(f"{name}: {KINDS[kind]}")
    for path in written:
        tell(f"  {path}")
    steps = ["pytest", "python run.py --seconds 5"]
    if find_spec("pytest") is None:
        steps.insert(0, "pip install pytest")
    if kind != "algorithm":
        steps.insert(0, f"nestor check {name}:{''.join(map(str.capitalize, name.split('_')))}")
    tell("\nNext:")
    for step in (f"cd {shlex.quote(name)}", *steps):
        tell(f"  {step}")


new_command = Command(
    new,
    [
        click.Argument(["kind"], type=Name(list(KINDS)), metavar="KIND"),
        click.Argument(["name"]),
        Option(
            ["--compiled"],
            is_flag=True,
            help="Write the class for @nestor.compiled (extra compiled).",
        ),
    ],
    "nestor new set packing",
    "nestor new order tours --compiled",
)
