"""Searches in a process of their own: what they have found is kept, whatever becomes of them."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, RulesError
from nestor.runs import isolation
from support.parts import crossed, partly

pytest.importorskip("numba", reason="needs the extra compiled")

BEGIN = isolation.Isolated._begin

TRAP = 12
"""The score from which on a game is trapped."""


class Trapped:
    """Numbers below 8, each in its place: whoever has many right does not come back."""

    state = np.dtype([("played", "i8"), ("right", "i8")])

    def __init__(self, trap: int) -> None:
        self.trap = trap
        self.values = np.array([1.0, 2.0])

    def initial(self, s: Any) -> None:
        s.played = 0

    def moves(self, s: Any, out: Any) -> None:
        if s.played < 20:
            for i in range(4):
                out.add(i, 4 * s.played + i)

    def play(self, s: Any, i: int) -> None:
        if i == s.played % 4:
            s.right += 1
        s.played += 1

    def score(self, s: Any) -> float:
        while self.trap == 1 and s.right >= TRAP:
            self.values[0]
        if self.trap == 2 and s.right >= TRAP:
            return self.values[1_000_000_000_000]  # type: ignore[no-any-return]
        if self.trap == 3 and s.right >= TRAP:
            raise ValueError("trapped")
        return s.right * 1.0  # type: ignore[no-any-return]


Apart: Any = nestor.compiled(isolated=True, unchecked=True)(Trapped)
Here: Any = nestor.compiled(unchecked=True)(Trapped)


def right(self: Any, s: Any) -> float:
    return s.right * 1.0  # type: ignore[no-any-return]


mended = type("Trapped", (Trapped,), {"score": right, "__module__": __name__})
Mended: Any = nestor.compiled(isolated=True, unchecked=True)(mended)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search is ended when it has used a second of the processor."""

    def begun(apart: isolation.Isolated, run: Any) -> None:
        BEGIN(apart, run)
        apart._end = isolation._End(apart._process.pid, 0.0)

    monkeypatch.setattr(isolation.Isolated, "_begin", begun)
    monkeypatch.setattr(isolation, "GRACE", 1.0)


def told(result: Any) -> Any:
    """Return what was found, but for times."""
    found = [(each.playouts, each.job, each.score, each.moves) for each in result.improvements]
    return result.score, result.moves, found


def logged(path: Path) -> list[tuple[float, ...]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted((line["job"], line["playouts"], line["score"]) for line in lines)


FAULTS = {1: "a method of .* did not return", 2: "the process of its code died with exit code -"}


@pytest.mark.parametrize(("fault", "jobs"), crossed(FAULTS, [1, 3]))
def test_the_best_before_a_fault_is_kept_with_the_log(
    fault: int, jobs: int, tmp_path: Path
) -> None:
    """With one job it is what a search here has found when the same game raises an exception."""
    settings: dict[str, Any] = {"seed": 3, "jobs": jobs, "threads": jobs}
    with pytest.raises(RulesError) as here:
        nestor.solve(Here(3), NRPA(2, 30), log=tmp_path / "here", **settings)
    with pytest.raises(RulesError, match=FAULTS[fault]) as apart:
        nestor.solve(Apart(fault), NRPA(2, 30), log=tmp_path / "apart", **settings)
    expected, kept = (each.value.nestor_result for each in (here, apart))  # type: ignore[attr-defined]
    assert kept.verified
    assert kept.stop_reason == "failed"
    if jobs == 1:
        assert told(kept) == told(expected)
        assert logged(tmp_path / "apart") == logged(tmp_path / "here")
    assert kept.score == max(score for *_, score in logged(tmp_path / "apart")) < TRAP
    assert len(kept.improvements) > 1


@pytest.mark.long
def test_a_search_that_got_stuck_is_not_resumed_with_the_same_code(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    settings: dict[str, Any] = {"seed": 3, "jobs": 1, "checkpoint": path}
    with pytest.raises(RulesError, match=r"a method of .* did not return") as first:
        nestor.solve(Apart(1), NRPA(2, 30), **settings)
    kept = first.value.nestor_result  # type: ignore[attr-defined]
    again: tuple[Callable[[], Any], ...] = (
        lambda: nestor.resume(path, problem=Apart(1), playouts=10_000),
        lambda: nestor.solve(Apart(1), NRPA(2, 30), seconds=3600, **settings),
    )
    for call in again:
        with pytest.raises(RulesError, match="would not return again at the same place") as caught:
            call()
        assert told(caught.value.nestor_result) == told(kept)  # type: ignore[attr-defined]
    assert nestor.resume(path, problem=Mended(1), playouts=500).score >= TRAP


def test_a_search_that_answers_no_interrupt_returns_what_it_has_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"

    def press() -> None:
        while not log.exists() or f'"score": {TRAP - 1}.0' not in log.read_text():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    monkeypatch.setattr(isolation.Isolated, "_begin", BEGIN)
    with pytest.warns(RuntimeWarning, match="the interrupt cut off a method"):
        result = nestor.solve(Apart(1), NRPA(2, 30), seed=3, jobs=1, log=log)
    assert (result.stop_reason, result.score, result.verified) == ("interrupted", TRAP - 1, True)


@pytest.mark.parametrize("trap", partly([0, 1], 1))
def test_a_cancel_reaches_the_process(trap: int, tmp_path: Path) -> None:
    """Code that does not return is cut off, and what it had found before is the result."""
    log, cancel = tmp_path / "log", nestor.Cancel()
    score = TRAP - trap

    def press() -> None:
        while not log.exists() or f'"score": {score}.0' not in log.read_text():
            time.sleep(0.05)
        cancel.set()

    threading.Thread(target=press, daemon=True).start()
    cut_off = pytest.warns(RuntimeWarning, match="the cancel cut off a method")
    with cut_off if trap else nullcontext():
        result = nestor.solve(
            Apart(trap), NRPA(5, 30), seconds=3600, seed=3, jobs=1, log=log, stop=cancel
        )
    assert result.stop_reason == "cancelled"
    assert result.score >= score
    assert result.verified
