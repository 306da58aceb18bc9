"""Whether moves come in the same order in a process that hashes texts otherwise."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from typing import Any

from nestor.errors import InputError
from nestor.problems.faults import legal_moves
from nestor.problems.own import import_problem
from nestor.problems.remembered import written
from nestor.safe import tell

STATES = 100
"""The most states whose moves are compared."""

EFFORT = 0.5
"""Seconds for which the other process plays games."""

WAIT = 20.0
"""Seconds for which it is waited for: it imports the module of the problem."""

SEED = "PYTHONHASHSEED"

HASHES = ("1", "2", "3", "4")
"""Its values there: a short set of texts has the same order in some processes."""

CODE = "import sys; from nestor.cli.rehashing import _tell; _tell(*sys.argv[1:])"


def check_order(problem: Any, name: str, seed: int) -> None:
    """Check that a process with other hashes of texts gives the moves in the same order.

    Raises
    ------
    InputError
        If it gives the same moves in another one.
    """
    given = [sys.executable, "-c", CODE, name, str(seed)]
    for hashes in HASHES:
        if hashes == os.environ.get(SEED):
            continue
        there = os.environ | {SEED: hashes}
        try:
            done = subprocess.run(
                given, env=there, stdin=subprocess.DEVNULL, capture_output=True, timeout=WAIT
            )
            others = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return  # What it cannot do says nothing of the order.
        for (moves, legal), other in zip(_offered(problem, str(seed)), others, strict=False):
            if legal != other and sorted(legal) == sorted(other):
                raise InputError(
                    f"moves() gives the same moves in another order in another process, after the "
                    f"moves {moves!r:.1000}: a seed finds other games there, and no checkpoint "
                    "goes on. Most often they come from a set of strings, whose order changes from "
                    f"process to process ({SEED}): sort them"
                )


def _offered(problem: Any, seed: str) -> Iterator[tuple[list[Any], list[str]]]:
    """Yield the moves that lead to the states of random games, and what can be played there."""
    rng = random.Random(seed)
    with suppress(TypeError):  # Some moves have no form that could be compared.
        while True:
            state, moves = problem.initial(), list[Any]()
            while legal := legal_moves(problem, state):
                yield [*moves], [json.dumps(written(move)) for move in legal]
                moves.append(rng.choice(legal))
                state = problem.play(state, moves[-1])
            if not moves:
                return


def _tell(name: str, seed: str) -> None:
    """Print what can be played in the states of random games."""
    with redirect_stdout(sys.stderr):  # The module may print.
        end, told = time.monotonic() + EFFORT, list[list[str]]()
        for _, legal in _offered(import_problem(name), seed):
            told.append(legal)
            if len(told) == STATES or time.monotonic() > end:
                break
    tell(json.dumps(told))
