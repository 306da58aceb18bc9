"""How deep the call is from the command line to the core."""

from __future__ import annotations

from pathlib import Path

import nestor
from support.commands import Nestor

WATCHED = """
import sys, threading

class Watched:
    def initial(self):
        return 0

    def moves(self, state):
        frame = sys._current_frames()[threading.main_thread().ident]
        while frame is not None:
            print(frame.f_code.co_filename, frame.f_code.co_name)
            frame = frame.f_back
        return []

    def play(self, state, move):
        return 1

    def score(self, state):
        return 0.0
"""


def test_at_most_six_frames_of_ours_to_the_core(run: Nestor, folder: Path) -> None:
    (folder / "watched.py").write_text(WATCHED)
    own = str(Path(nestor.__file__).parent)
    out = run("solve", "watched:Watched", "--playouts", "1", "--level", "1", "--quiet").out
    stacks = out.split(f"{folder / 'watched.py'} moves\n")
    ours = [line for line in stacks[2].splitlines() if line.startswith(own)]
    assert ours[0].endswith("run.py advance")
    assert 2 <= len(ours) <= 6
