"""Runs on processes that are interrupted or killed leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor.problems import Morpion
from nestor.runs.elsewhere import executors
from support.commands import HOUR

COMMAND = ("solve", "morpion", "5D", "--workers", "2", "--seconds", str(HOUR), "--json")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for each in lists for child in each.read_text().split()]


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGHUP, pytest.param(signal.SIGKILL, marks=pytest.mark.long)],
)
def test_nothing_is_left_running(number: int, tmp_path: Path) -> None:
    """The terminal sends Ctrl-C, and its end, to all processes of the group."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this signal is ignored, as under nohup")
    log = tmp_path / "log"
    run = subprocess.Popen(
        [sys.executable, "-m", "nestor", *COMMAND, "--log", str(log)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not (log.exists() and log.read_text()):
        assert run.poll() is None, run.communicate()
        time.sleep(0.02)
    workers = children(run.pid)
    assert len(workers) >= 2
    if number != signal.SIGKILL:
        os.killpg(run.pid, number)
    else:
        run.kill()
    out, err = run.communicate(timeout=HOUR)
    if number != signal.SIGKILL:
        assert run.returncode == 130, err
        result = json.loads(out)
        assert result["stop_reason"] == "interrupted"
        assert sum(result["workers"].values()) == result["playouts"] > 0
        assert b"Traceback" not in err
    while any(map(alive, workers)):
        time.sleep(0.02)


def test_ctrl_c_waits_while_processes_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """An object of `multiprocessing` that is half made would fail once more when it is freed."""
    made: list[str] = []

    class Interrupted(ProcessPoolExecutor):
        def __init__(self, *given: Any) -> None:
            signal.raise_signal(signal.SIGINT)
            super().__init__(*given)
            made.append("pool")

        def submit(self, *given: Any, **named: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            future = super().submit(*given, **named)
            made.append("process")
            return future

    monkeypatch.setattr(executors, "ProcessPoolExecutor", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        nestor.solve(Morpion("5D"), workers=2, playouts=10)
    assert made == ["pool", "pool"]
    monkeypatch.setattr(Interrupted, "__init__", ProcessPoolExecutor.__init__)
    with pytest.raises(KeyboardInterrupt):
        nestor.solve(Morpion("5D"), workers=2, playouts=10)
    assert made == ["pool", "pool", "process"]
