"""SIGTERM ends a search as Ctrl-C does, in programs that do not handle it themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA
from nestor.problems import Morpion
from support.commands import HOUR
from support.parts import crossed

STOPPED = "stopped by SIGTERM: the result has what was found, and the program goes on"

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
