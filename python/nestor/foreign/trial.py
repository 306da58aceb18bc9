"""Playouts of a compiled problem and its uncompiled twin, side by side, equal to the bit."""

from __future__ import annotations

import random
import struct
import time
from functools import reduce
from typing import Any

from nestor import _core
from nestor.errors import InputError, RulesError
from nestor.foreign.twin import Twin
from nestor.problems.faults import (
    fault_of_listed,
    fault_of_order,
    fault_of_set,
    fault_of_shuffled,
    of_game,
    tasks_shuffled,
)

PLAYOUTS = 300
"""Playouts of a trial."""

SECONDS = 2.0
"""Seconds of processor time after which a trial ends, wherever it is."""

LEAST = 10
"""Games of whose moves other orders and parts are played, too."""

CHECKED = 20
"""That takes at most so many times as long as the game itself."""

LONGEST = 10_000
"""The most moves of a game that are played."""


def bits(values: list[float]) -> bytes:
    """Return numbers as bytes, so that equal means equal to the bit."""
    return struct.pack(f"{len(values)}d", *values)


def try_out(name: str, twin: Twin, core: _core.Problem, biased: bool) -> float:
    """Play at random with both, and return about how long a game takes uncompiled, in seconds.

    The clock is looked at after each state: the moves of one are listed whole.

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
    end, longest = time.process_time() + SECONDS, 0.0
    for number in range(PLAYOUTS):
        played: list[int] = []
        try:
            over, spent = _play(twin, core, biased, number, played, end)
        except RulesError:
            raise
        except Exception as error:
            said = error if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            raise RulesError(f"{name}: {said}{_after(played)}", "", played) from error
        longest = max(longest, spent)
        if not over:
            break
    return longest


def _after(played: list[int]) -> str:
    return f", after the moves {played!r:.1000}" if played else ", at the beginning"


def _same(method: str, of_twin: Any, compiled: Any, played: list[int]) -> None:
    if of_twin != compiled:
        raise _differ(method, of_twin, compiled, played)


def _differ(method: str, of_twin: Any, compiled: Any, played: list[int]) -> RulesError:
    return RulesError(
        f"{method}() gives {compiled!r:.200} compiled and {of_twin!r:.200} uncompiled"
        f"{_after(played)}: random numbers, whole numbers of more than 64 bits, or a function "
        "that rounds differently?",
        method,
        played,
    )


def _same_numbers(
    method: str, of_twin: list[float], compiled: list[float], played: list[int]
) -> None:
    """Compare numbers to the bit, and tell the first that differ."""
    for one, other in zip(of_twin, compiled, strict=True):
        if bits([one]) != bits([other]):
            raise _differ(method, one, other, played)


def _same_state(
    method: str, twin: Twin, of_twin: bytes, compiled: bytes, played: list[int]
) -> None:
    """Compare states, and tell the first field that differs."""
    one, other = twin.fields(of_twin), twin.fields(compiled)
    for name, value in one.items() if of_twin != compiled else ():
        _same(method, {name: value}, {name: other[name]}, played)
    _same(method, of_twin, compiled, played)


def _play(
    twin: Twin,
    core: _core.Problem,
    biased: bool,
    number: int,
    played: list[int],
    end: float,
) -> tuple[bool, float]:
    """Play one game; return whether it was over in time, and its seconds of the processor."""
    rng = random.Random(number)
    began, state = time.process_time(), twin.initial()
    _same_state("initial", twin, state, core.initial(), played)
    while True:
        out = twin.listed(state)
        for told in (out.moves, out.codes):
            if found := fault_of_listed(out.moves, told, "moves"):
                raise RulesError(f"{found}{_after(played)}", "moves", played)
        moves, codes, biases = core.moves(state)
        _same("moves", out.moves, moves, played)
        _same("moves", out.codes, codes, played)
        _same_numbers("moves", out.biases if biased else [], biases, played)
        if core.said["tasks"]:
            tasks = [twin.task(move) for move in moves]
            _same("task", tasks, [core.task(move) for move in moves], played)
        if not moves:
            break
        if (now := time.process_time()) > end:
            return False, now - began
        if len(played) == LONGEST:
            raise RulesError(f"the game does not end within {LONGEST} moves", "moves", played)
        move = rng.choice(moves)
        played.append(move)
        following = twin.play(state, move)
        _same_state("play", twin, following, core.play(state, move), played)
        state = following
    sign = -1.0 if twin.minimises else 1.0
    of_twin, judged = _numbers(twin, core, twin.score(state), sign * core.judge(state, False))
    _same_numbers("score", of_twin, judged, played)
    spent = time.process_time() - began
    if twin.change == "set":
        _take_back(twin, core, rng, state, played)
        now = time.process_time()
        looked = number < LEAST and now + CHECKED * (now - began) < end
        if looked and (found := fault_of_set(twin, played, state, rng)) is not None:
            raise RulesError(f"{found}{of_game(played)}", "moves", played)
    if twin.change == "order":
        if core.said["tasks"]:
            if (found := fault_of_order(twin, played, rng)) is not None:
                raise RulesError(f"{found}{of_game(played)}", "moves", played)
            shuffled, _ = tasks_shuffled(twin, played, rng)
        else:
            shuffled = rng.sample(played, len(played))
            if (found := fault_of_shuffled(twin, shuffled)) is not None:
                raise RulesError(found, "moves", shuffled)
        for order in (list(played), shuffled):
            _replay(twin, core, sign, order)
    return True, spent


def _take_back(
    twin: Twin, core: _core.Problem, rng: random.Random, state: bytes, played: list[int]
) -> None:
    """Take the moves of a game back, if the problem can do so."""
    if not core.said["undoes"]:
        return
    for move in rng.sample(played, len(played)):
        following = twin.undo(state, move)
        _same_state("undo", twin, following, core.undo(state, move), played)
        state = following


def _numbers(
    twin: Twin, core: _core.Problem, of_twin: Any, compiled: float
) -> tuple[list[float], list[float]]:
    """Return the numbers of a score, and those that the core has judged just now, natural."""
    if core.said["front"]:
        return [*of_twin], core.last_parts()
    return [twin.number(of_twin)], [compiled]


def _replay(twin: Twin, core: _core.Problem, sign: float, order: list[int]) -> None:
    """Replay an order of the moves of a game as polish does."""
    end = reduce(twin.play, order, twin.initial())
    played = getattr(twin, "guide", twin.score)(end)
    value, bounds, joined = twin.replayed(order)
    found, *limits = core.replayed(order)
    of_twin, compiled = _numbers(twin, core, value, sign * found)
    _same_numbers("guide", of_twin, compiled, order)
    if bits(of_twin) != bits(_numbers(twin, core, played, sign * found)[0]):
        raise RulesError(
            f"step() leads to {value}, and play() to {played}{_after(order)}",
            "step",
        )
    guide = twin.number(played)
    for method, told, compiled in zip(("bound", "joined"), (bounds, joined), limits, strict=True):
        _same_numbers(method, told, [sign * number for number in compiled], order)
        for place, number in enumerate(told, 1):
            if sign * number < sign * guide:
                raise RulesError(
                    f"{method}() gives {twin.shown(number)} after {place} of the moves "
                    f"{order!r:.1000}, but they come to {twin.shown(guide)}, which is better",
                    method,
                    order,
                )
