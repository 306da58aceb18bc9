"""What a script names itself has the same name and digest in its workers."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import HOUR

SCRIPT = """
import sys
{hidden}
from enum import Enum

import nestor
from nestor.research import run_level

class Way(Enum):
    LEFT = 1
    RIGHT = 2

class Walk:
    def initial(self):
        return ()
    def moves(self, state):
        return list(Way) if len(state) < 5 else []
    def play(self, state, move):
        return (*state, move)
    def code(self, state, move):
        return 2 * len(state) + move.value
    def score(self, state):
        return sum(place * move.value for place, move in enumerate(state)) % 7

class Steps(Walk):
    def moves(self, state):
        return [1, 2] if len(state) < 5 else []
    def code(self, state, move):
        return 2 * len(state) + move
    def score(self, state):
        return sum(place * move for place, move in enumerate(state)) % 7

def fits(chosen):
    return len(chosen) < 4

def value(chosen):
    return sum(chosen) % 7

@nestor.algorithm
def once(search, problem, policy, level, key):
    return run_level(problem, policy, level, 5, key=key)

if __name__ == "__main__":
    problems = {{"steps": Steps(), "few": nestor.Subset(6, fits, value)}}
    algorithms = {{"S": nestor.Sampling(), "once": once(level=1)}}
    for seeds, workers in ((1, 2), (2, 1), (3, None)):
        settings = {{"seeds": seeds, "playouts": 20, "save": "runs.jsonl", "workers": workers}}
        runs = nestor.compare(problems, algorithms, **settings)
    settings = {{"cache": "scores", "checkpoint": "walk.ckpt"}}
    nestor.solve(Walk(), nestor.Sampling(), playouts=200, **settings)
    for limit, workers in ((400, 1), (600, None)):
        settings = {{"playouts": limit, "cache": "scores", "workers": workers}}
        result = nestor.resume("walk.ckpt", problem=Walk(), **settings)
    print(len(runs), result.playouts)
"""


@pytest.mark.parametrize("hidden", ["", "sys.modules['cloudpickle'] = None"])
def test_workers_and_the_script_take_turns_at_the_same_files(hidden: str, tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.write_text(SCRIPT.format(hidden=hidden))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HOUR,
    )
    assert told.stdout.split() == ["12", "600"], told.stderr
    assert "__mp_main__" not in (tmp_path / "runs.jsonl").read_text()
    with sqlite3.connect(tmp_path / "scores" / "scores.sqlite3") as scores:
        assert scores.execute("SELECT count(*) FROM score").fetchone() == (2**5,)
