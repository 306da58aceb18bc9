"""A row: one run of a comparison, as data and as a line of a file."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from typing import Any

from nestor import _core
from nestor.algorithms import Algorithm
from nestor.problems.own import adapt
from nestor.result import Result
from nestor.runs.machine import machine
from nestor.solving import solve

Row = dict[str, Any]
"""Plain data; `Runs` says what it holds."""

Key = tuple[str, str, int]
"""Problem, algorithm and seed: what tells the runs of a comparison apart."""


def key_of(row: Row) -> Key:
    """Return what tells a row from the others of its comparison."""
    return row["problem"], row["algorithm"], row["seed"]


def asked(key: Key, problem: Any, algorithm: Algorithm, budget: Mapping[str, Any]) -> Row:
    """Return the part of a row that is known before the run.

    A row of a file with the same key belongs to the same comparison if this part is equal.
    """
    adapted = adapt(problem)
    return {
        "problem": key[0],
        "algorithm": key[1],
        "seed": key[2],
        "digest": adapted.digest,
        "sense": adapted.sense,
        "settings": algorithm.to_dict(),
        "budget": dict(budget),
    }


def run(
    key: Key, problem: Any, algorithm: Algorithm, budget: Mapping[str, Any], threads: int
) -> Row:
    """Run a search and return its row; an exception of the problem is recorded in it.

    Raises
    ------
    KeyboardInterrupt
        If the run was interrupted.
    """
    begun, error, result = time.monotonic(), None, None
    try:
        result = solve(problem, algorithm, seed=key[2], jobs=1, threads=threads, **budget)
    except Exception as raised:
        error = "".join(traceback.format_exception_only(raised)).strip()
    row = asked(key, problem, algorithm, budget) | {
        "score": None,
        "shown": None,
        "solved": None,
        "verified": False,
        "stop_reason": None,
        "playouts": None,
        "seconds": time.monotonic() - begun,
        "improvements": [],
        "moves": None,
        "error": error,
        "version": _core.__version__,
        "machine": machine(),
    }
    if result is None:
        return row
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return row | _found(result)


def _found(result: Result) -> Row:
    """Return what the row says about a result."""
    return {
        "score": result.score,
        "shown": result.show_score(result.score),
        "solved": result.solution.solved,
        "verified": result.verified,
        "stop_reason": result.stop_reason,
        "playouts": result.playouts,
        "seconds": result.seconds,
        "improvements": [
            {
                "playouts": each.playouts,
                "seconds": each.seconds,
                "score": each.score,
                "shown": result.show_score(each.score),
            }
            for each in result.improvements
        ],
        "moves": result.moves,
    }
