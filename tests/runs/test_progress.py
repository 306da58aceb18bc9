"""The live display of a search."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nestor import NRPA, Progress, solve
from nestor.console import Console
from nestor.problems import Morpion
from nestor.runs.display import Display
from nestor.runs.limits import Budget
from nestor.runs.progress import Callback
from support.commands import HOUR
from support.own import Chosen, Subset


def at(seconds: float, score: float | None = 64.0, **changes: Any) -> Progress:
    values = {"playouts": int(seconds * 1000), "levels": [(3, 100), (50, 100)], "restarts": 0}
    return Progress(seconds=seconds, score=score, **{**values, **changes})


def showing(label: str, callback: Callback | None = None, **budget: Any) -> Display:
    limits = {"budget": Budget(**budget), "search_seconds": budget.get("seconds")}
    run: Any = SimpleNamespace(label=label, problem=Morpion("5D"), auto=None, before=None, **limits)
    return Display(run, callback)


def test_plain_lines_for_improvements_only(capsys: pytest.CaptureFixture[str]) -> None:
    with showing("morpion 5D", seconds=60) as display:
        for progress in (at(1, None), at(2), at(3), at(4, 65.0), at(5, 65.0)):
            display(progress)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "morpion 5D: no score yet, 1.00 s, 59.0 s left, 1,000 playouts, 1,000/s",
        "morpion 5D: best 64, 2.00 s, 58.0 s left, 2,000 playouts, 1,000/s",
        "morpion 5D: best 65, 4.00 s, 56.0 s left, 4,000 playouts, 1,000/s",
    ]


def test_workers_without_a_job_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with showing("morpion 5D") as display:
        display(at(1, 64.0, jobs=1, workers=2))
        display(at(2, 65.0, jobs=3, workers=2))
    first, second = capsys.readouterr().err.splitlines()
    assert ", 1 job on 1 of 2 workers" in first
    assert ", 3 jobs on 2 workers" in second


def test_changed_playouts_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with showing("morpion 5D") as display:
        display(at(1, evaluated=998))
    told = ", 2 played from the start, the others by changing an earlier one"
    assert told in capsys.readouterr().err


def test_a_run_says_that_it_continues(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for playouts in (40, 90):
        path = tmp_path / "run.ckpt"
        solve(Morpion("5D"), NRPA(2, 10), playouts=playouts, checkpoint=path, progress=True)
        told = "morpion 5D: continues after 40 playouts and " in capsys.readouterr().err
        assert told == (playouts == 90)


def test_a_plain_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 5.0, 9.9, 10.1, 15.0, 20.2])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with showing("morpion 5D") as display:
        for _ in range(6):
            display(at(1))
    assert len(capsys.readouterr().err.splitlines()) == 3


def test_the_callback_decides(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return progress.seconds < 2

    with showing("morpion 5D", callback=callback) as display:
        assert display(at(1)) is True
        assert display(at(2)) is False
    with showing("morpion 5D") as display:
        assert display(at(1)) is None
    assert [progress.seconds for progress in seen] == [1, 2]


@pytest.mark.parametrize(
    ("budget", "progress", "left"),
    [
        ({"seconds": 10}, at(4), "6.00 s left"),
        ({"seconds": 10}, at(11), "0.000 s left"),
        ({"playouts": 10_000}, at(4), "6.00 s left"),
        ({"seconds": 5, "playouts": 10_000}, at(4), "1.00 s left"),
        ({}, at(4, levels=[(0, 10), (1, 4)]), "12.0 s left"),
        ({}, at(4, levels=[(5, 10), (1, 4)]), "6.67 s left"),
        ({}, at(4, levels=[(0, 10), (0, 4)]), None),
        ({}, at(4, levels=[], restarts=4), None),
        ({}, at(4, restarts=1), None),
    ],
)
def test_time_left(budget: dict[str, Any], progress: Progress, left: str | None) -> None:
    line = showing("x", **budget).line(progress)
    assert (left in line) if left else ("left" not in line)


@pytest.mark.parametrize("width", [80, 40, 20, 12, 200])
def test_the_picture_fits(width: int) -> None:
    file = io.StringIO()
    display = showing("tsptw a_file_with_a_very_long_name_" + "x" * 60, seconds=100)
    display._console = Console(file=file, width=width, force_terminal=False)
    many = [(10**12, 10**13)] * 20
    for progress in (at(1), at(50, levels=many), at(0, None, levels=[], restarts=2)):
        display._console.print(display.picture(progress))
    lines = file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("best 64"[: width - 1])


def test_a_live_display_on_a_terminal() -> None:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = ["solve", "morpion", "5D", "--level", "2", "--playouts", "40000", "--threads", "1"]
    environment = {**os.environ, "TERM": "xterm-256color"}
    child = subprocess.Popen(
        [sys.executable, "-m", "nestor", *command],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={name: value for name, value in environment.items() if name != "NO_COLOR"},
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    out, _ = child.communicate()
    assert child.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert "level 2 ━" in text
    assert "morpion 5D" in text
    assert "left" in text
    assert max(map(len, re.split(r"[\r\n]+", text))) <= 80
    assert b"\x1b" not in out
    assert b"morpion 5D" in out


def test_solve_shows_progress(capsys: pytest.CaptureFixture[str]) -> None:
    result = solve(Morpion("5D"), NRPA(2, 20), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert f"best {result.score:.0f}" in err


def test_a_closed_standard_error_does_not_end_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    assert solve(Morpion("5D"), NRPA(2, 20), progress=True).stop_reason == "finished"


def test_one_line_that_renews_itself_in_a_notebook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    clock = iter([0.0, 0.1, 0.2, 0.4, 0.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with showing("morpion 5D") as display:
        for seconds in range(1, 6):
            display(at(seconds))
    first, *renewed = capsys.readouterr().err.split("\r")
    assert first == ""
    assert [line.split(",")[1] for line in renewed] == [" 1.00 s", " 4.00 s", " 5.00 s"]
    assert len({len(line.rstrip("\n")) for line in renewed}) == 1
    assert [line.endswith("\n") for line in renewed] == [False, False, True]


def test_a_callback_sees_the_best_moves() -> None:
    seen: list[tuple[float, int]] = []

    def look(progress: Progress) -> None:
        assert progress.score is not None
        seen.append((progress.score, len(progress.moves)))

    result = solve(Morpion("5D"), NRPA(3, 10), callback=look)
    assert seen[-1] == (result.score, len(result.moves))
    assert all(score == moves for score, moves in seen)


class Asked(Subset):
    """Asks for the moves of an earlier progress while the search is under way."""

    def __init__(self) -> None:
        self.kept: list[Progress] = []
        self.moves_then: list[Any] | None = None

    def score(self, state: Chosen) -> float:
        if self.kept and self.moves_then is None:
            self.moves_then = []  # The moves are scored, too.
            self.moves_then = self.kept[0].moves
        return super().score(state)


def test_moves_of_a_progress_are_known_while_the_search_goes_on() -> None:
    problem = Asked()

    def keep(progress: Progress) -> bool:
        problem.kept.append(progress)
        return problem.moves_then is None

    solve(problem, NRPA(2), seconds=HOUR, threads=1, callback=keep)
    progress = problem.kept[0]
    assert problem.moves_then == progress.moves
    assert Subset().score(tuple(progress.moves)) == progress.score


def test_a_progress_before_the_first_playout_has_no_moves() -> None:
    begin = threading.Event()
    seen: list[tuple[int, list[Any]]] = []

    class Late(ThreadPoolExecutor):
        def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Any:
            return super().submit(lambda: begin.wait(HOUR) and work(*arguments, **named))

    def keep(progress: Progress) -> bool:
        begin.set()
        seen.append((progress.playouts, progress.moves))
        return progress.playouts == 0

    with Late(1) as executor:
        solve(Subset(), NRPA(2), seconds=HOUR, workers=executor, callback=keep)
    assert seen[0] == (0, [])
