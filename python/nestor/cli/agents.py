"""`nestor agents`: the page for programs that write programs."""

from __future__ import annotations

from importlib.resources import files

from nestor.cli.options import Command
from nestor.safe import tell


def agents() -> None:
    """Print what a program that writes programs should know.

    The contract of a problem, ten model answers, the errors with their cures,
    and how to verify an answer, as Markdown.
    """
    tell(files("nestor").joinpath("agents.md").read_text("utf-8").rstrip())


agents_command = Command(agents, [], "nestor agents", "nestor agents > llms.txt")
