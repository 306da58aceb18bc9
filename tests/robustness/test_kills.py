"""Killed at any moment, whatever it does, and done again, Nestor ends as if nothing had been."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NMCS, NRPA, BatchBias, BeamNRPA, Counterexamples, ParetoNRPA
from nestor.problems import RNA, TSPTW, Morpion
from robustness.test_faults import KEPT, QUIET, RUNS, setting
from support.commands import HOUR, process
from support.own import Chosen, Front, Subset, Together
from support.parts import partly
from workers.test_ends import alive, children

APART = """
import numpy as np
import nestor

@nestor.compiled(isolated=True)
class Apart:
    state = np.dtype([("played", "i8"), ("right", "i8")])

    def initial(self, s):
        s.played = 0

    def moves(self, s, out):
        if s.played < 20:
            for i in range(4):
                out.add(i, code=4 * s.played + i)

    def play(self, s, i):
        if i == s.played % 4:
            s.right += 1
        s.played += 1

    def score(self, s):
        return s.right * 1.0
"""
FILES = ("--log", "run.jsonl", "--save", "whole.json")
TARGET = "((((....))))"


def saved() -> Any:
    """What a run has found: its result, and its log job by job."""
    data = json.loads(Path("whole.json").read_text())
    lines = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    found = [[each["job"], each["playouts"], each["score"]] for each in data["improvements"]]
    logged = sorted([line["job"], line["playouts"], line["score"]] for line in lines)
    return data["score"], data["moves"], data["playouts"], found, logged


def compared() -> Any:
    """The runs of a comparison: each once."""
    names = ("problem", "algorithm", "seed", "score", "moves", "playouts")
    rows = [json.loads(line) for line in Path("runs.jsonl").read_text().splitlines()]
    return sorted(json.dumps([row[name] for name in names]) for row in rows)


def designed() -> Any:
    """The designs that were found."""
    return Path("out.csv").read_text()


@dataclass(frozen=True)
class Kind:
    """Something that can be done again until it ends.

    Attributes
    ----------
    words : str
        The command, or
    call : callable
        the same in Python, in the current folder.
    found : callable
        What must not depend on how often it was killed.
    """

    words: str = ""
    call: Callable[[], object] | None = None
    found: Callable[[], Any] = saved


def solved(problem: Callable[[], Any], algorithm: Any, **settings: Any) -> Callable[[], object]:
    """Return what solves a problem, with all files."""

    def solve() -> None:
        files: dict[str, Any] = {"checkpoint": "run.ckpt", "log": "run.jsonl"}
        run = {"threads": 2, "checkpoint_every": 0.02, **files, **settings}
        nestor.solve(problem(), algorithm, **run).save("whole.json")

    return solve


def resumed() -> None:
    """Resume if there is a checkpoint; solve if not."""
    if not Path("run.ckpt").exists():
        solved(lambda: Morpion("5D"), NRPA(3, 20), playouts=8000, jobs=2)()
        return
    files: dict[str, Any] = {"log": "run.jsonl", "checkpoint_every": 0.02}
    nestor.resume("run.ckpt", threads=2, **files).save("whole.json")


def compare() -> None:
    nestor.compare(
        {"tour": TSPTW.read("tour.txt")},
        {"nrpa": NRPA(2), "nmcs": NMCS(2)},
        seeds=4,
        playouts=10_000,
        save="runs.jsonl",
    )


def design() -> None:
    many: Any = nestor.solve_many(
        RNA(TARGET), Counterexamples(), distinct=60, min_distance=2, playouts=10**6
    )
    Path("out.csv").write_text("".join(f"{each.solution.sequence}\n" for each in many))


def tour() -> TSPTW:
    return TSPTW.read("tour.txt")


class Slow(Together):
    """Its score takes a while."""

    def score(self, state: Chosen) -> float:
        time.sleep(0.0005)
        return super().score(state)


def slack(batch: nestor.Batch) -> Any:
    """A model of how urgent a stop is."""
    return -batch["slack"] / 100


KEEPING = " ".join((*QUIET, *KEPT, *FILES))
COMMANDS = {
    **{f"{name}, command": Kind(f"{RUNS[name]} {KEEPING}") for name in RUNS},
    "workers": Kind(f"{RUNS['jobs']} {KEEPING} --workers 2"),
    "isolated": Kind(f"solve apart:Apart --level 2 --playouts 60000 {KEEPING}"),
    "compare, command": Kind(
        "compare tsptw tour.txt --algorithms nrpa,nmcs --seeds 4 --playouts 10000 --quiet "
        "--save runs.jsonl",
        found=compared,
    ),
    "compare on workers": Kind(
        "compare tsptw tour.txt --algorithms nrpa,nmcs --seeds 4 --playouts 10000 --quiet "
        "--save runs.jsonl --workers 2",
        found=compared,
    ),
    "designs, command": Kind(
        f"solve rna {TARGET} --algorithm counterexamples --designs 60 --min-distance 2 "
        "--playouts 1000000 --quiet --csv out.csv",
        found=designed,
    ),
}
CALLS = {
    "gnrpa": Kind(call=solved(lambda: Morpion("5D"), GNRPA(3, 20), playouts=8000)),
    "jobs": Kind(call=solved(tour, NRPA(2), playouts=300_000, jobs=3)),
    "local search": Kind(call=solved(tour, None, playouts=300_000, jobs=2)),
    "nmcs": Kind(call=solved(lambda: Morpion("4D"), NMCS(2), playouts=50_000)),
    "beam": Kind(call=solved(lambda: Morpion("4D"), BeamNRPA(2, 30), playouts=7000)),
    "width": Kind(call=solved(lambda: Morpion("5D"), NRPA(2, width=4), playouts=8000)),
    "own": Kind(call=solved(Subset, NRPA(2), playouts=9000)),
    "batch": Kind(call=solved(Slow, NRPA(2, width=8), playouts=500)),
    "cache": Kind(call=solved(Slow, NRPA(2, width=8), playouts=2000, cache="scores")),
    "front": Kind(call=solved(Front, ParetoNRPA(2, iterations=30), playouts=3000)),
    "guided": Kind(call=solved(tour, GNRPA(2, bias=BatchBias(slack)), playouts=3000)),
    "exchange": Kind(
        call=solved(lambda: Morpion("5D"), NRPA(3, 20), playouts=8000, jobs=2, exchange=500)
    ),
    "resume": Kind(call=resumed),
    "compare": Kind(call=compare, found=compared),
    "designs": Kind(call=design, found=designed),
}
QUICK = ("gnrpa", "local search", "cache", "resume", "compare")
"""Those of the default run: a search, an improver, and files of three kinds."""
KINDS = {**CALLS, **COMMANDS}
SIGNALS = (signal.SIGKILL,) * 4 + (signal.SIGTERM, signal.SIGINT)


def prepared(folder: Path) -> Path:
    """Write what is read."""
    (setting(folder) / "apart.py").write_text(APART)
    return folder


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before, path = Path.cwd(), list(sys.path)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path


def ended(name: str, folder: Path) -> tuple[Any, set[str]]:
    """Do it to the end, and return what was found and the files that there are."""
    kind = KINDS[name]
    with inside(folder):
        if kind.call is None:
            child = process(folder, *kind.words.split(), stdin=subprocess.DEVNULL)
            _, err = child.communicate(timeout=HOUR)
            if "nothing was left to do" in err:  # The kill came after its end.
                err = ""
            assert (child.returncode, err) == (0, ""), name
        else:
            kind.call()
        return kind.found(), {str(path.relative_to(folder)) for path in folder.rglob("*")}


@cache
def unbroken(name: str) -> tuple[Any, set[str], float]:
    """What it finds and leaves if nobody disturbs it, and the seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        begun = time.monotonic()
        found = ended(name, Path(folder))
        return *found, time.monotonic() - begun


def forked(folder: Path, call: Callable[[], object]) -> int:
    """Start a process that calls this, and return its number."""
    if (child := os.fork()) != 0:
        return child
    try:
        os.dup2(os.open(folder.parent / "said", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with inside(folder):
            call()
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException:
        traceback.print_exc()
        os._exit(3)
    os._exit(0)


def killed(name: str, folder: Path, rng: random.Random) -> bool:
    """Do it, and end it at a random moment. Returns whether it was not over by then."""
    kind, after = KINDS[name], rng.random() * unbroken(name)[2]
    number = rng.choice(SIGNALS)
    if kind.call is not None:
        pid = forked(folder, kind.call)
        time.sleep(after)
        over, status = os.waitpid(pid, os.WNOHANG)
        if not over:
            os.kill(pid, number)
            _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code in (0, 130, -number), (name, code, (folder.parent / "said").read_text())
        return not over
    with inside(folder):
        child = process(folder, *kind.words.split(), stdin=subprocess.DEVNULL)
        time.sleep(after)
        others = children(child.pid) if child.poll() is None else []
        was_on = child.poll() is None
        child.send_signal(number)
        _, err = child.communicate(timeout=HOUR)
    # A signal that comes before the interpreter has come to our code is not ours.
    early = ("Fatal Python error: init_", "Could not import runpy module")
    runpy = '"<frozen runpy>"' in err and "nestor/" not in err
    ours = "" if err.startswith(early) or runpy else err
    # Nor is what a process says that was starting when the one that starts it was killed.
    if number == signal.SIGKILL and "multiprocessing/spawn.py" in err and "nestor/" not in err:
        ours = ""
    assert "Traceback" not in ours, (name, number, err)
    while any(map(alive, others)):
        time.sleep(0.01)
    return was_on


def check(names: list[str], least: int, seed: int, folder: Path) -> None:
    """Kill in turn what has these names, up to three times each, until there were enough kills."""
    rng, kills, turn = random.Random(seed), 0, seed
    while kills < least:
        name = names[turn % len(names)]
        place = folder / str(turn) / "run"
        place.mkdir(parents=True)
        prepared(place)
        for _ in range(rng.choice((1, 1, 3))):
            kills += killed(name, place, rng)
        found, left = ended(name, place)
        before = unbroken(name)
        assert found == before[0], (name, turn)
        assert left == before[1], (name, turn)
        turn += 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.parametrize("name", partly(CALLS, *QUICK))
def test_calls(name: str, tmp_path: Path) -> None:
    check([name], 2, 0, tmp_path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.parametrize("name", partly(COMMANDS, "jobs, command"))
def test_commands(name: str, tmp_path: Path) -> None:
    check([name], 2, 0, tmp_path)


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize(("names", "least"), [(list(CALLS), 38), (list(COMMANDS), 12)])
def test_a_thousand_kills(names: list[str], least: int, part: int, tmp_path: Path) -> None:
    check(names, least, 1000 * part + 7 * part, tmp_path)
