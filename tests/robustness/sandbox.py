"""Calls in a child process under limits: what hangs, swells or dies is only a failure."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import json
import os
import random
import re
import signal
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support import commands
from support.commands import HOUR

resource: Any = pytest.importorskip("resource", reason="limits of a process are those of Unix")

FILES = {
    "tour.txt": commands.TSPTW,
    "boards.txt": commands.SAMEGAME,
    "words.txt": commands.WORDS,
    "square.txt": commands.SQUARE,
    "puzzle.txt": commands.KAKURO,
    "targets.fasta": commands.TARGETS,
    "own.py": commands.OWN,
}
"""A small file of each kind."""

Call = Callable[[], object]
FINE = ("returned", "InputError", "VerificationError", "MissingExtraError")
"""How the outcomes begin that a stranger may see."""

MOST = 20.0
"""Seconds of the processor that a call may take: many times what it does, beside other programs."""


def outcomes(calls: Iterable[Call], megabytes: int = 500) -> list[str]:
    """Make calls one after the other and tell of each what it did: "returned" or its error.

    A call that kills its process (too long on the processor, an hour asleep, or aborted) is told as
    the signal; the ones after it are made in a new one.
    """
    waiting, told = list(calls), list[str]()
    while len(told) < len(waiting):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _serve(waiting[len(told) :], writer, megabytes)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8", errors="replace") as lines:
            told += [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        if len(told) < len(waiting):
            code = os.waitstatus_to_exitcode(status)
            told.append(f"died: {signal.Signals(-code).name if code < 0 else f'exit {code}'}")
    return told


def _serve(calls: list[Call], writer: int, megabytes: int) -> None:
    """Make the calls and exit; never returns."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    faulthandler.disable()
    gc.freeze()  # A collection of all that the tests before have left would take seconds.
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    for call in calls:
        signal.setitimer(signal.ITIMER_PROF, MOST)
        signal.setitimer(signal.ITIMER_REAL, HOUR)
        try:
            value = call()
            told = f"returned {value!r:.300}" if isinstance(value, str | int) else "returned"
        except BaseException as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            name = next((name for name in names if name in FINE), names[0])
            told = f"{name}: {str(error)[:300]}"
        os.write(writer, (json.dumps(told) + "\n").encode())
    os._exit(0)


def faults(
    calls: Mapping[Any, Call], fine: Callable[[str], bool] | None = None, **limits: Any
) -> str:
    """Return the calls whose outcome is not fine, grouped by outcome, deaths first."""
    seen: dict[str, list[Any]] = {}
    for name, told in zip(calls, outcomes(calls.values(), **limits), strict=True):
        if not (told.startswith(FINE) if fine is None else fine(told)):
            seen.setdefault(re.sub(r"\d+", "#", told), []).append(name)
    order = sorted(seen, key=lambda told: (not told.startswith("died"), -len(seen[told])))
    return "\n".join(f"{len(seen[told])} x {told}: {seen[told][:2]}" for told in order[:25])


TOKENS = re.compile(r'-?\d[\w.+-]*|"[^"]*"|\w+|\s+|.', re.DOTALL)
ODD = (
    *("0", "-1", "1", "2", "65", "1e400", "NaN", "-Infinity", "1e308", "1" + "0" * 400, "0.5"),
    *("null", "true", '"x"', '""', "[]", "{}", "[[]]", "x", "\\", "\n", "\n\n", " ", "#", ">"),
    *("\0", "\ufeff", "é", "٣", "\U0001f600", "(", ")", ".", ",", ":", '"', "[" * 3000, "9" * 5000),
)
"""What mutations put in the place of a token."""


WRONG: list[Any] = [
    None,
    True,
    -1,
    0,
    10**400,
    1e308,
    "x",
    "NaN",
    [],
    {},
    [[]],
    {"x": [None]},
    "\0",
]
WRONG += [float("nan"), float("-inf"), 10**9, 2**63, 0.5, [1e400], "\ud800", "../x", "9" * 5000]
"""What is put in the place of a value of JSON."""


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return a file with one to three faults, in its bytes or in its tokens."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        if rng.random() < 0.5:
            start = rng.randrange(len(content) + 1)
            end = min(len(content), start + rng.choice((0, 1, 1, 2, 8, 64, 1 << 20)))
            new = rng.choice((b"", rng.randbytes(1), rng.randbytes(4), content[start:end] * 2))
            content = content[:start] + new + content[end:]
        else:
            tokens = TOKENS.findall(content.decode("utf-8", "surrogateescape"))
            if tokens:
                place, other = rng.randrange(len(tokens)), rng.choice(tokens)
                tokens[place] = rng.choice((rng.choice(ODD), rng.choice(ODD), other, ""))
            content = "".join(tokens).encode("utf-8", "surrogateescape")
    return content


def command(*arguments: str) -> int:
    """Run the command line here, which must end with 0 to 2 and tell each fault in one line."""
    from nestor import InputError, VerificationError
    from nestor.cli import main

    with (
        contextlib.redirect_stderr(io.StringIO()) as err,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            main(arguments, prog_name="nestor")
        except SystemExit as exit:
            code = exit.code
    said = err.getvalue()
    if code == 0 and "Traceback" not in said:
        return 0
    if code in (1, 2) and re.fullmatch(r"(Warning: .+\n)*Error: (.+;\n)*.+\n", said):
        raise InputError(said) if code == 2 else VerificationError(said)
    raise AssertionError(f"exit {code}: {said.strip()[-150:].splitlines()[-1:]}")
