"""Playouts of a compiled problem and its uncompiled twin, side by side, equal to the bit."""

from __future__ import annotations

import random
import struct
import time
from typing import Any

from nestor import _core
from nestor.errors import RulesError
from nestor.foreign.twin import Twin
from nestor.problem import is_unordered, state_after
from nestor.problems import faults

PLAYOUTS = 300
"""Playouts of a trial."""

SECONDS = 2.0
"""Seconds of processor time after which a trial ends, wherever it is."""

LEAST = 10
"""Games of whose moves other orders and parts are played, too."""

CHECKED = 20
"""That takes at most so many times as long as the game itself."""


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
            function = "moves" if isinstance(error, faults.FaultError) else ""
            raise RulesError(f"{name}: {faults.told(error, played)}", function, played) from error
        longest = max(longest, spent)
        if not over:
            break
    return longest


def _same(method: str, of_twin: Any, compiled: Any, played: list[int]) -> None:
    """Compare two answers, numbers to the bit."""
    if isinstance(compiled, float):
        same = bits([of_twin]) == bits([compiled])
    else:
        same = of_twin == compiled
    if not same:
        raise RulesError(
            f"{method}() gives {compiled!r:.200} compiled and {of_twin!r:.200} uncompiled"
            f"{faults.after(played)}: random numbers, whole numbers of more than 64 bits, or a "
            "function that rounds differently (NumPy's sum() of floats does: add them in a loop)?",
            method,
            played,
        )


def _same_numbers(
    method: str, of_twin: list[float], compiled: list[float], played: list[int]
) -> None:
    """Compare numbers, and tell the first that differ."""
    for one, other in zip(of_twin, compiled, strict=True):
        _same(method, one, other, played)


def _same_state(
    method: str, twin: Twin, of_twin: bytes, compiled: bytes, played: list[int]
) -> None:
    """Compare states, and tell the first field that differs."""
    one, other = twin.fields(of_twin), twin.fields(compiled)
    for name, value in one.items() if of_twin != compiled else ():
        _same(method, {name: value}, {name: other[name]}, played)
    _same(method, of_twin, compiled, played)


def _play(
    twin: Twin, core: _core.Problem, biased: bool, number: int, played: list[int], end: float
) -> tuple[bool, float]:
    """Play one game; return whether it was over in time, and its seconds of the processor."""
    rng, began, before = random.Random(number), time.process_time(), b""
    for state, legal in faults.random_game(twin, rng, played, faults.LONGEST):
        reached = core.play(before, played[-1]) if played else core.initial()
        _same_state("play" if played else "initial", twin, state, reached, played)
        before = state
        of_twin = [twin.code(state, move) for move in legal]
        for given in (legal, of_twin):
            faults.check_listed(legal, given, "moves")
        moves, codes, biases = core.moves(state)
        _same("moves", legal, moves, played)
        _same("moves", of_twin, codes, played)
        betas = [twin.bias(state, move) for move in legal if biased]
        _same_numbers("moves", betas, biases, played)
        for move in legal if core.said["tasks"] else ():
            _same("task", twin.task(move), core.task(move), played)
        if legal and (now := time.process_time()) > end:
            return False, now - began
    sign = -1.0 if twin.minimises else 1.0
    scores = _numbers(twin, core, twin.score(state), sign * core.judge(state, False))
    _same_numbers("score", *scores, played)
    spent = time.process_time() - began
    if is_unordered(twin):
        left = state
        for move in rng.sample(played, len(played)) if core.said["undoes"] else ():
            following = twin.undo(left, move)
            _same_state("undo", twin, following, core.undo(left, move), played)
            left = following
        now = time.process_time()
        if number < LEAST and now + CHECKED * (now - began) < end:
            with faults.of_game(played):
                faults.check_set(twin, played, state, rng)
    if twin.change == "order":
        with faults.of_game(played):
            other = faults.check_other_order(twin, played, rng)
        for order in (list(played), other):
            _replay(twin, core, sign, order)
    return True, spent


def _numbers(
    twin: Twin, core: _core.Problem, of_twin: Any, compiled: float
) -> tuple[list[float], list[float]]:
    """Return the numbers of a score, and those that the core has judged just now, natural."""
    if core.said["front"]:
        return [*of_twin], core.last_parts()
    return [twin.number(of_twin)], [compiled]


def _replay(twin: Twin, core: _core.Problem, sign: float, order: list[int]) -> None:
    """Replay an order of the moves of a game as polish does."""
    end = state_after(twin, order)
    played = getattr(twin, "guide", twin.score)(end)
    value, bounds, joined = twin.replayed(order)
    found, *limits = core.replayed(order)
    of_twin, compiled = _numbers(twin, core, value, sign * found)
    _same_numbers("guide", of_twin, compiled, order)
    if bits(of_twin) != bits(_numbers(twin, core, played, sign * found)[0]):
        raise RulesError(
            f"step() leads to {value}, and play() to {played}{faults.after(order)}", "step"
        )
    guide = twin.number(played)
    for method, given, compiled in zip(("bound", "joined"), (bounds, joined), limits, strict=True):
        _same_numbers(method, given, [sign * number for number in compiled], order)
        for place, number in enumerate(given, 1):
            if sign * number < sign * guide:
                raise RulesError(
                    f"{method}() gives {twin.shown(number)} after {place} of the moves "
                    f"{order!r:.1000}, but they come to {twin.shown(guide)}, which is better",
                    method,
                    order,
                )
