"""Errors, on standard error, and the examples below the help."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import click

from nestor.errors import is_ours, users_frames
from nestor.safe import tell

RESULT = "nestor_result"
"""The attribute of exceptions from a search that has the best result before."""

CLICK = (str(Path(click.__file__).parent) + os.sep,)
"""How the files of the library begin that calls the commands."""

KEPT = "exception's attribute"
"""What is in notes for those who can ask an exception for what was found before it."""


def examples(*lines: str) -> str:
    """Return an epilog of examples, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def say(message: str, kind: str = "Error") -> None:
    """Print an error, or a warning, as one line on standard error.

    What is wrong in several places of a table has a line for each.
    """
    # What a message says to give is an argument of Python: time_unit='seconds'.
    line = re.sub(
        r"\b([a-z]+_[a-z]+)='(\w+)'",
        lambda found: f"--{found[1].replace('_', '-')} {found[2]}",
        ";\n".join(" ".join(part.splitlines()) for part in message.split(";\n")),
    )
    tell(f"{kind}: {line}", error=True)


@contextlib.contextmanager
def read_or_not() -> Iterator[None]:
    """Drop what is printed for nobody: a closed pipe is no fault of what was found."""
    try:
        yield
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """Drop what is left in the buffer of standard output, so that the exit does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_traceback(error: BaseException) -> None:
    """Print the traceback of an error on standard error, from the user's own code on.

    If a search says what is wrong with an answer of that code, there is nothing to trace.
    """
    users = users_frames(error.__traceback__, CLICK)
    said = users is None and isinstance(error, TypeError | ValueError) and is_ours(error)
    if said and hasattr(error, RESULT):
        say(str(error))
        return
    notes = [note for note in getattr(error, "__notes__", []) if KEPT not in note]
    if users is None and (elsewhere := getattr(error, "nestor_traceback", None)):
        more = [note for note in notes if note not in elsewhere]
        lines = [f"{line}\n" for line in (elsewhere, *more)]
    else:
        error.__traceback__, error.__notes__ = users or error.__traceback__, notes
        lines = traceback.format_exception(error)
    tell("".join(lines), error=True, end="")
