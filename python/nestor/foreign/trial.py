"""Playouts of a compiled problem and its uncompiled twin, side by side, equal to the bit."""

from __future__ import annotations

import random
import struct
import time
from typing import Any

from nestor import _core
from nestor.errors import RulesError
from nestor.foreign.twin import Twin

PLAYOUTS = 300
"""Playouts of a trial."""

LEAST = 10
"""Playouts that a trial finishes, however long they take."""

SECONDS = 5.0
"""Seconds after which a trial begins no more playouts."""

LONGEST = 10_000
"""The most moves of a game that are played."""


def bits(values: list[float]) -> bytes:
    """Return numbers as bytes, so that equal means equal to the bit."""
    return struct.pack(f"{len(values)}d", *values)


def try_out(name: str, twin: Twin, core: _core.Problem, biased: bool) -> None:
    """Play at random with both.

    Parameters
    ----------
    name : str
        How errors name the problem.
    twin : Twin
    core : _core.Problem
        What was compiled.
    biased : bool
        Whether its moves have biases.

    Raises
    ------
    RulesError
        If they differ, if a method raises an exception, or if a game does not end.
    """
    end = time.monotonic() + SECONDS
    for number in range(PLAYOUTS):
        if number >= LEAST and time.monotonic() > end:
            break
        rng, played = random.Random(number), list[int]()
        try:
            _play(twin, core, biased, rng, played)
        except RulesError:
            raise
        except Exception as error:
            raise RulesError(
                f"{name}: {type(error).__name__}: {error}{_after(played)}", "", played
            ) from error


def _after(played: list[int]) -> str:
    return f", after the moves {played!r:.1000}" if played else ""


def _play(
    twin: Twin, core: _core.Problem, biased: bool, rng: random.Random, played: list[int]
) -> None:
    """Play one game."""

    def same(method: str, of_twin: Any, compiled: Any) -> None:
        if of_twin != compiled:
            raise RulesError(
                f"{method}() gives {compiled!r:.200} compiled and {of_twin!r:.200} uncompiled"
                f"{_after(played)}: whole numbers of more than 64 bits, or a function that rounds "
                "differently?",
                method,
                played,
            )

    state = twin.initial()
    same("initial", state, core.initial())
    while True:
        out, (moves, codes, biases) = twin.listed(state), core.moves(state)
        same("moves", out.moves, moves)
        same("moves", out.codes, codes)
        same("moves", bits(out.biases if biased else []), bits(biases))
        if len(set(codes)) < len(codes):
            raise RulesError(f"two moves have the same code{_after(played)}", "moves", played)
        if not moves:
            break
        if len(played) == LONGEST:
            raise RulesError(f"the game does not end within {LONGEST} moves", "moves", played)
        move = rng.choice(moves)
        played.append(move)
        following = twin.play(state, move)
        same("play", following, core.play(state, move))
        state = following
    sign = -1.0 if twin.sense == "min" else 1.0
    same("score", bits([sign * twin.score(state)]), bits([core.judge(state, False)]))
    if twin.change == "order":
        same("guide", bits([sign * twin.guide(state)]), bits([core.judge(state, True)]))
