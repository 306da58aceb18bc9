"""SIGTERM ends a search as Ctrl-C does, in programs that do not handle it; a line says so."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA
from nestor.diagnosis.rivals import _searched
from nestor.problems import Morpion
from support.commands import HOUR
from support.own import Jobs
from support.parts import crossed

INTERRUPTED = "stopped by Ctrl-C: the result has what was found, and the program goes on"
STOPPED = INTERRUPTED.replace("Ctrl-C", "SIGTERM") + " until its next search"

SCRIPT = """
import signal, sys
import nestor
from support.own import Jobs

def begun(progress):
    if progress.playouts:
        print("begun", flush=True)

if __name__ == "__main__":
    used = {sys.argv[1]: int(sys.argv[2])}
    result = nestor.solve(Jobs(), nestor.NRPA(3), seconds=36000, jobs=2, callback=begun, **used)
    print(result.stop_reason, result.verified, signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""


@pytest.mark.parametrize(
    ("given", "whom", "used"),
    crossed(["file", "input"], ["it", "its group"], ["threads", "workers"]),
)
def test_sigterm_ends_the_search_of_a_script(
    used: str, whom: str, given: str, tmp_path: Path
) -> None:
    """Its workers end with it, or the pipes would stay open, and nothing is said of semaphores."""
    script = tmp_path / "search.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with script.open() as source:
        child = subprocess.Popen(
            [sys.executable, script if given == "file" else "-", used, "2"],
            stdin=source,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "begun\n"
        (os.killpg if whom == "its group" else os.kill)(child.pid, signal.SIGTERM)
        out, err = child.communicate(timeout=HOUR)
    finally:
        child.kill()
    assert out.replace("begun\n", "") == "interrupted True True\n"
    assert (child.returncode, err) == (0, f"{STOPPED}\n")


LOOP = """
import os, signal
import nestor
from nestor.problems import Morpion

def press(progress):
    os.kill(os.getpid(), signal.SIGTERM)

for seed in range(3):
    result = nestor.solve(Morpion("4D"), nestor.NRPA(2), seconds=36000, seed=seed, callback=press)
    print(seed, result.stop_reason, flush=True)
"""


def test_sigterm_ends_a_program_that_searches_again() -> None:
    done = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "0 interrupted\n")
    assert done.stderr == f"{STOPPED}\nstopped by SIGTERM: no other search begins\n"


def test_a_handler_of_the_program_stays() -> None:
    heard: list[int] = []

    def press(progress: Any) -> bool:
        os.kill(os.getpid(), signal.SIGTERM)
        return not heard

    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        result = nestor.solve(Morpion("4D"), NRPA(2), seconds=HOUR, callback=press)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (result.stop_reason, heard) == ("callback", [signal.SIGTERM])


def test_a_search_in_another_thread_handles_nothing() -> None:
    seen: list[Any] = []

    def look(progress: Any) -> bool:
        seen.append(signal.getsignal(signal.SIGTERM))
        return False

    search = threading.Thread(
        target=lambda: nestor.solve(Morpion("4D"), NRPA(2), seconds=HOUR, callback=look)
    )
    search.start()
    search.join()
    assert seen == [signal.SIG_DFL]
    nestor.solve(Morpion("4D"), NRPA(2), seconds=HOUR, callback=look)
    assert callable(seen[1])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


class Pressed(Jobs):
    """Ctrl-C comes while the game of this number is scored."""

    def __init__(self, game: int) -> None:
        self.game, self.games = game, 0

    def score(self, state: Any) -> float:
        self.games += 1
        if self.games == self.game:
            signal.raise_signal(signal.SIGINT)
        return super().score(state)


def many_of(problem: Any) -> Any:
    return nestor.solve_many(problem, NRPA(2), distinct=5, target=0, seconds=HOUR)


def compared(problem: Any) -> Any:
    return nestor.compare({"jobs": problem}, {"nrpa": NRPA(2)}, seeds=2, playouts=50)


def checked(problem: Any) -> Any:
    with pytest.raises(KeyboardInterrupt):
        _searched(problem, NRPA(2), playouts=10**9, seed=0)  # It is a part of `check_problem`.


def awaited(problem: Any) -> Any:
    pressing = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(nestor.solve_async(problem, NRPA(3), playouts=10**9))


@pytest.mark.parametrize(
    ("search", "game", "told"),
    [
        (lambda problem: nestor.solve(problem, NRPA(2), playouts=10**9), 40, INTERRUPTED),
        (lambda problem: nestor.solve(problem, playouts=10**9), 400, INTERRUPTED),
        (many_of, 40, INTERRUPTED),
        (compared, 80, ""),
        (checked, 40, ""),
        (awaited, -1, ""),
    ],
)
def test_a_line_says_after_ctrl_c_that_the_program_goes_on(
    search: Callable[[Any], Any], game: int, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """But not where no result is returned, and not of a comparison, which warns."""
    with warnings.catch_warnings(action="ignore"):
        found = search(Pressed(game))
    assert capfd.readouterr().err.strip() == told
    assert not told or found.stop_reason == "interrupted"


def test_nothing_is_told_where_there_is_no_result_or_the_program_hears_ctrl_c(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(KeyboardInterrupt):
        nestor.solve(Pressed(1), NRPA(2), playouts=10**9)

    def handle(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    try:
        result = nestor.solve(Pressed(40), NRPA(2), playouts=10**9)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.stop_reason, capfd.readouterr().err) == ("interrupted", "")


class Apart(Jobs):
    """It has a process of its own."""

    isolated = True


@pytest.mark.parametrize(("problem", "given"), [(Apart(), {}), (Jobs(), {"workers": 2})])
def test_the_line_comes_once_where_other_processes_search(
    problem: Any, given: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"

    def press() -> None:
        while not log.exists() or not log.read_text():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    result = nestor.solve(problem, NRPA(3), seconds=HOUR, log=log, **given)
    assert result.stop_reason == "interrupted"
    assert capfd.readouterr().err == f"{INTERRUPTED}\n"
