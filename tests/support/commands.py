"""What tests of the command line share: instances, a user's own problem, and how to run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from inspect import getsource
from pathlib import Path
from typing import Any, NamedTuple

from support.own import Failing, Subset

TSPTW = """\
5
0 3 4 5 6
3 0 2 4 5
4 2 0 3 4
5 4 3 0 2
6 5 4 2 0
0 100
0 20
5 30
0 40
10 50
"""
SAMEGAME = "0110\n1221\n0210\n\n0022\n1122\n1100\n"
WORDS = "mercury\nvenus\nearth\nmars\n"
SQUARE = "3\n1 0 0\n0 0 0\n0 0 0\n"
KAKURO = "\\ 3\\ 4\\\n\\4 . .\n\\3 . .\n"
TARGETS = ">first\n((....))\n>second\n((((....))))\n"

OWN = f"""
import time
Chosen = tuple[int, ...]

{getsource(Subset)}
{getsource(Failing)}
subset = Subset()

class FailingAtOnce(Subset):
    def moves(self, state):
        raise ZeroDivisionError("the first")

class Unborn(Subset):
    def __init__(self):
        raise KeyError("nothing to begin with")

class Loud(Subset):
    def score(self, state):
        print("loud")
        return super().score(state)

class Slow(Subset):
    def score(self, state):
        time.sleep(0.01)
        return super().score(state)

class Stuck(Subset):
    def score(self, state):
        print("stuck", flush=True)
        time.sleep(60)

class Bytes(Subset):
    def moves(self, state):
        return [] if state else [b"move"]
"""


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Nestor = Callable[..., Outcome]

HOUR = 3600.0
"""Seconds after which a process hangs, on a machine however busy."""


def process(folder: Path, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start the command as a separate process."""
    return subprocess.Popen(
        [sys.executable, "-m", "nestor", *arguments],
        cwd=folder,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


SMALL = ("--level", "2", "--iterations", "5")
MORPION = ("solve", "morpion", "5D")
