"""Calls that never return, and long games: what is said of them, and how a run is left."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing import parent_process
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nestor
from nestor.errors import warn
from nestor.runs import lookout, run
from nestor.runs.elsewhere import workers
from support.commands import HOUR

SCRIPT = """
import itertools, multiprocessing, sys, threading, time, warnings
import nestor
from nestor.runs import lookout

warnings.simplefilter("always")
lookout.OVERDUE = 0.5
asked = itertools.count(1)


class Hanging:
    def initial(self): return ""
    def moves(self, word): return list("ABCD") if len(word) < 8 else []
    def play(self, word, letter): return word + letter
    def code(self, word, letter): return len(word), letter
    def score(self, word):
        number = next(asked)
        time.sleep(0.05)
        while number >= 20 and multiprocessing.parent_process():
            time.sleep(1)
        # In the main thread Ctrl-C would end it.
        while number >= 30 and threading.current_thread() is not threading.main_thread():
            time.sleep(1)
        return float(word.count("AB"))


if __name__ == "__main__":
    from hanging import Hanging
    given = {"jobs": 1, "workers": 1} if sys.argv[1] == "workers" else {"threads": 4}
    algorithm = nestor.NRPA(level=1, iterations=500, width=4)
    nestor.solve(Hanging(), algorithm, seconds=3, checkpoint="run.ckpt", **given)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has other signals")
def test_a_score_that_never_returns_is_named_and_can_be_left(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(SCRIPT)
    run = subprocess.Popen(
        [sys.executable, "hanging.py", "threads"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert run.stderr is not None
    told = next(line for line in run.stderr if "has not returned" in line)
    assert "score() of hanging:Hanging, in line 2" in told
    assert "after the time was up" in told
    run.send_signal(signal.SIGINT)
    run.stderr.close()
    assert run.wait(HOUR) == 130
    with pytest.warns(RuntimeWarning, match="nothing was left to do"):
        known = nestor.resume(tmp_path / "run.ckpt", problem=Word(), playouts=1, threads=1)
    assert 1 < known.playouts < 100


class Word:
    """The same without the fault."""

    def initial(self) -> str:
        return ""

    def moves(self, word: str) -> list[str]:
        return list("ABCD") if len(word) < 8 else []

    def play(self, word: str, letter: str) -> str:
        return word + letter

    def code(self, word: str, letter: str) -> tuple[int, str]:
        return len(word), letter

    def score(self, word: str) -> float:
        return float(word.count("AB"))


class Steps(Word):
    """Its calls take a moment, until there is a file; a game has so many that it takes long."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def moves(self, word: str) -> list[str]:
        time.sleep(0.01 * (not self.file.exists()))
        return ["A"] if len(word) < 3000 else []


def touching(file: Path) -> Callable[[str], None]:
    """Return what warns and makes a file."""

    def warned(said: str) -> None:
        warn(said)
        file.touch()

    return warned


def test_a_long_game_is_not_taken_for_a_call(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its time is up before it begins."""
    monkeypatch.setattr(lookout, "warn", touching(tmp_path / "told"))
    monkeypatch.setattr(lookout, "OVERDUE", 2.0)
    with pytest.warns(RuntimeWarning) as warned:
        nestor.solve(Steps(tmp_path / "told"), nestor.Sampling(), seconds=1e-9)
    said = "a game is not over .* after the time was up: it calls .* again and again"
    assert re.match(said, str(warned[0].message))


@pytest.mark.parametrize(
    ("hangs", "said"),
    [
        (True, r"score\(\) of it, in line \d+ of .*, has not returned 9.00 s after"),
        (False, r"it calls score\(\) of it again and again, and no single call has taken long"),
    ],
)
def test_a_call_that_has_just_begun_is_not_judged(
    hangs: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins when the time has been up for long; it hangs, or returns before the last look."""

    def play() -> Iterator[None]:
        yield

    def score() -> Iterator[None]:
        yield

    call: Any = score()
    looks: Any = iter([(4.9, play()), (5.1, call), (5.2, call), (9, call if hangs else play())])
    codes = {play.__code__: "play() of it", score.__code__: "score() of it"}
    watched = lookout.Lookout(codes, lambda: None)
    watched.end = 0.0

    def ended(seconds: float) -> bool:
        if (look := next(looks, None)) is None:
            return True
        patch.setattr("time.monotonic", lambda: look[0])
        patch.setattr("sys._current_frames", lambda: {0: look[1].gi_frame})
        return False

    with monkeypatch.context() as patch:
        patch.setattr("time.monotonic", lambda: 0.0)
        patch.setattr(watched, "_ended", SimpleNamespace(wait=ended))
        with watched.waiting(), pytest.warns(RuntimeWarning, match=said) as warned:
            watched._look(lambda: 0)
    assert len(warned) == 1


class Hangs(Word):
    """A worker's game of this number hangs; the first one does until there is a file.

    There is one while another hangs.
    """

    def __init__(self, game: int, file: Path) -> None:
        self.game, self.games, self.file = game, 0, file

    def score(self, word: str) -> float:
        self.games += 1
        if self.game == 1:
            while not self.file.exists():
                time.sleep(0.01)
        elif self.games == self.game and parent_process() is not None:
            self.file.touch()
            time.sleep(1000)
        return super().score(word)


def test_a_call_is_named_while_the_speed_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lookout, "OVERDUE", 0.2)
    monkeypatch.setattr(lookout, "warn", touching(tmp_path / "told"))
    with pytest.warns(RuntimeWarning) as warned:
        nestor.solve(Hangs(1, tmp_path / "told"), seconds=0.1, jobs=1)
    said = r"score\(\) of .*:Hangs, in line \d+ .* has not returned .* after the time was up"
    assert re.match(said, str(warned[0].message))


def test_the_first_playout_on_workers_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "OVERDUE", 0.2)
    monkeypatch.setattr(run, "warn", touching(tmp_path / "told"))
    game = Hangs(1, tmp_path / "told")
    with pytest.warns(RuntimeWarning) as warned:
        result = nestor.solve(game, nestor.Sampling(), seconds=0.1, jobs=1, workers=1)
    assert "no playout has ended 0.2 s after the time was up" in str(warned[0].message)
    assert result.playouts >= 1


def test_workers_end_the_second_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(workers, "STOPPING", 0.5)
    file = tmp_path / "hangs"
    until: Any = {"seconds": HOUR, "callback": lambda progress: not file.exists()}
    with pytest.warns(RuntimeWarning, match="1 call in other processes did not return within"):
        result = nestor.solve(Hangs(2, file), nestor.Sampling(), jobs=1, workers=1, **until)
    assert result.playouts == 1


@pytest.mark.long
def test_workers_end_a_score_that_never_returns_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(SCRIPT)
    command = [sys.executable, "hanging.py", "workers"]
    run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=HOUR, check=True
    )
    assert "1 call in other processes did not return within 2 s after the end" in run.stderr
