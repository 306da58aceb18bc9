"""Errors, on standard error, and the examples below the help."""

from __future__ import annotations

import contextlib
import os
import re
import traceback
from pathlib import Path
from types import TracebackType

import click

from nestor.errors import OURS
from nestor.safe import tell

RESULT = "nestor_result"
"""The attribute of exceptions from a search that has the best result before."""

KEPT = "exception's attribute"
"""What is in notes for those who can ask an exception for what was found before it."""


def examples(*lines: str) -> str:
    """Return an epilog of examples, one per line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def say(message: str, kind: str = "Error") -> None:
    """Print an error, or a warning, as one line on standard error."""
    # What a message says to give is an argument of Python: time_unit='seconds'.
    line = re.sub(
        r"\b([a-z]+_[a-z]+)='(\w+)'",
        lambda found: f"--{found[1].replace('_', '-')} {found[2]}",
        " ".join(message.splitlines()),
    )
    with contextlib.suppress(OSError):
        tell(f"{kind}: {line}", error=True)


def show_traceback(error: BaseException) -> None:
    """Print the traceback of an error on standard error, from the user's own code on.

    If a search says what is wrong with an answer of that code, there is nothing to trace.
    """
    users = _users_own(error.__traceback__)
    if users is None and isinstance(error, TypeError | ValueError) and hasattr(error, RESULT):
        say(str(error))
        return
    error.__traceback__ = users or error.__traceback__
    error.__notes__ = [note for note in getattr(error, "__notes__", []) if KEPT not in note]
    with contextlib.suppress(OSError):
        tell("".join(traceback.format_exception(error)), error=True, end="")


def _users_own(frames: TracebackType | None) -> TracebackType | None:
    """Skip the frames of this package and of click that lead to other code."""
    own = (*OURS, str(Path(click.__file__).parent) + os.sep)
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(own):
        frames = frames.tb_next
    return frames
