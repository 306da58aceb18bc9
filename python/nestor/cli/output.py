"""What a search leaves behind: a saved result, a picture, a summary or a JSON object."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.text import Text

from nestor.checks import plain
from nestor.cli.advice import next_commands
from nestor.cli.interrupts import note_printed
from nestor.cli.messages import drop_output, say, show_traceback
from nestor.cli.options import Request
from nestor.console import Console
from nestor.errors import InputError, NestorError, RulesError
from nestor.files import check_writable, kind_of, opened, write_file
from nestor.problems.undecoded import Undecoded
from nestor.render import check_suffix, require_matplotlib
from nestor.result import Result, rows
from nestor.safe import tell

STYLES = {"score": "bold green"}

PRECIOUS = ("a checkpoint of Nestor", "a log of improvements", "a file of runs")
"""Kinds of files that no result replaces: other commands go on from them."""


def check_outputs(request: Request, source: Path | None) -> None:
    """Check, before the search, that the files a request asks for can be written.

    None may replace `source`, the file that the problem is read from.
    """
    exported = (path for path, _ in request.exports)
    run = (request.run.get(name) for name in ("checkpoint", "log"))
    wanted = (request.save, request.plot, *exported, *run)
    outputs = [path for path in wanted if path is not None]
    for path in outputs:
        check_writable(path)
    resolved = [path.resolve() for path in outputs]
    for number, (path, target) in enumerate(zip(outputs, resolved, strict=True)):
        # Path.resolve fails at links in a circle; who reads the source refuses them.
        if source is not None and target == Path(os.path.realpath(source)):
            raise InputError(f"{path} is the file of the problem and would be replaced")
        if target in resolved[:number]:
            raise InputError(f"outputs must be different files, not twice {path}")
    if request.plot is not None:
        check_suffix(request.plot)
        require_matplotlib()
    for path in (request.save, request.plot, *(path for path, _ in request.exports)):
        if path is not None and path.is_file():
            with opened(path) as file:
                kind = kind_of(file.read(256))
            if kind in PRECIOUS:
                raise InputError(f"{path} seems to be {kind} and would be replaced")


@dataclass
class Delivery:
    """The result of a search, or None, and the exit code of its command."""

    result: Result | None = None
    code: int = 0


@contextmanager
def delivered(request: Request) -> Iterator[Delivery]:
    """Yield what takes the result of a search; save, draw and print it at the end.

    It is delivered even if the search was interrupted or the user's own problem raised an error.
    """
    delivery = Delivery()
    error: BaseException | None = None
    try:
        with only_json(request.as_json):
            yield delivery
    except KeyboardInterrupt as raised:
        # What is delivered says that it was interrupted.
        delivery.result = getattr(raised, "nestor_result", None)
        if delivery.result is None:
            raise
    except (Exception, SystemExit) as raised:
        if not hasattr(raised, "nestor_result"):
            raise
        error, delivery.result = raised, raised.nestor_result
    result = delivery.result
    # What contradicts itself has no place in a file; of what only failed, the best is kept.
    refused = isinstance(error, InputError) and result is not None and not result.verified
    if refused:
        request = replace(request, save=None, plot=None, exports=())
    code = 0 if result is None else deliver(result, request, not refused, error)
    if error is not None:
        if isinstance(error, InputError | RulesError):
            notes = getattr(error, "__notes__", []) if result is None else []
            say("; ".join([str(error), *notes]))
        else:
            show_traceback(error)
        code = 1
    delivery.code = code


def deliver(
    result: Result, request: Request, advise: bool = True, error: BaseException | None = None
) -> int:
    """Save, draw and print a result, say what to do next, and return the exit code.

    JSON tells the error that ended the search, if there was one.
    A failure of one does not stop the others; standard error says what failed. Once it is
    interrupted, nothing more is decoded or drawn.
    """
    files = _write_files(result, request)
    try:
        if request.as_json:
            ours = isinstance(error, NestorError)
            told = {"error": str(error) if ours else f"{type(error).__name__}: {error}"}
            print_json(result.to_dict() | (told if error is not None else {}))
        else:
            print_result(result, files.written)
            saved = ("saved", str(request.save)) in files.written
            if (
                advise
                and request.run["progress"]
                and (commands := next_commands(result, request, saved))
            ):
                tell("\n".join(["\nNext:", *commands]))
    except InputError as error:
        files.errors.append(error)
        if request.as_json:
            tell(str(result), error=True)
    except BrokenPipeError:
        drop_output()
    files.tell()
    if files.errors:
        return 2
    if files.left_out or result.stop_reason in ("interrupted", "cancelled"):
        # The run would not go on from where it is, however often it is started again.
        return 2 if result.unsaved else 130
    return 1 if result.stop_reason == "lost" else 0


@dataclass
class Files:
    """The files of a request: what was done with which, what failed, and what was left out."""

    written: list[tuple[str, str]] = field(default_factory=list)
    errors: list[NestorError] = field(default_factory=list)
    left_out: list[Path] = field(default_factory=list)

    def write(self, done: str, path: Path, file: Any) -> None:
        """Write a file by a function of its path, unless one was left out before."""
        if self.left_out:
            self.left_out.append(path)
            return
        try:
            file(path)
            self.written.append((done, str(path)))
        except NestorError as error:
            self.errors.append(error)
        except KeyboardInterrupt:
            self.left_out.append(path)

    def tell(self) -> None:
        """Say on standard error what is not written, and why."""
        for failure in self.errors:
            say(str(failure))
        for path in self.left_out:
            say(f"interrupted: {path} is not written")


def _write_files(result: Result, request: Request) -> Files:
    """Save and draw a result and export it; one that is not decoded is only saved."""
    files = Files()
    if request.save is not None:
        files.write("saved", request.save, lambda path: save(result, path))
    if isinstance(result.solution, Undecoded):
        decoded = (request.plot, *(path for path, _ in request.exports))
        files.left_out += [path for path in decoded if path is not None]
        return files
    if request.plot is not None:
        files.write("drawn", request.plot, result.plot)
    for path, text in request.exports:
        files.write(
            "exported", path, lambda path, text=text: write_file(path, text(result.solution))
        )
    return files


def save(result: Result, path: Path) -> None:
    """Save a result, in the folder for temporary files if its own place has no room any more."""
    try:
        result.save(path)
    except NestorError as error:
        spare = None
        try:
            spare = Path(tempfile.mkdtemp(prefix="nestor-"), path.name)
            result.save(spare)
        except (OSError, NestorError):
            if spare is not None:
                spare.parent.rmdir()
            raise error from None
        raise InputError(f"{error}; the result is saved as {spare}") from None


@contextmanager
def only_json(as_json: bool) -> Iterator[None]:
    """Send what a user's own problem prints, also in C, to standard error if the output is JSON."""
    if not as_json:
        yield
        return
    with contextlib.redirect_stdout(sys.stderr):
        try:
            kept = os.dup(1)
            os.dup2(2, 1)
        except OSError:  # One of them is closed.
            yield
            return
        try:
            yield
        finally:
            import ctypes

            ctypes.pythonapi.fflush(None)  # What C has not yet printed.
            os.dup2(kept, 1)
            os.close(kept)


def print_json(data: dict[str, Any]) -> None:
    """Print one JSON object on a line of standard output."""
    try:
        text = json.dumps(data, allow_nan=False, default=plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"the result has no JSON form: {error}") from None
    tell(text)
    note_printed()


def print_result(result: Result, written: list[tuple[str, str]]) -> None:
    """Print a result for people, and what was done with which file."""
    facts = [*rows(result), *written]
    width = max(len(name) for name, _ in facts)
    text = Text(result.heading, "bold")
    for name, value in facts:
        text.append(f"\n  {name:{width}}  ", "not bold dim")
        text.append(value, f"not bold {STYLES.get(name, '')}")
    show(text)
    tell(f"\n{result.solution}")


def show(text: Any) -> None:
    """Print styled text or a table on standard output; plain if it is not a terminal."""
    Console(file=sys.stdout, highlight=False, soft_wrap=isinstance(text, Text)).print(text)
