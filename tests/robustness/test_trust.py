"""Files from elsewhere: no code runs unless trusted, and what is loaded is what was solved."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pickle
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, Result, Sampling, VerificationError
from nestor.problems import LatinSquare
from nestor.problems.own import import_problem
from robustness.sandbox import command, outcomes
from support.commands import HOUR, MORPION, SMALL, Nestor, process
from support.parts import partly

STORED = Path(__file__).parents[1] / "golden" / "stored"
SQUARES = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])

MINE = """
from dataclasses import dataclass
from datetime import date
import math

@dataclass(frozen=True)
class Shop:
    times: tuple = (2, 1)

    def initial(self): return ()
    def moves(self, state): return [k for k in range(len(self.times)) if k not in state]
    def play(self, state, move): return (*state, move)
    def score(self, state): return float(sum(k * self.times[m] for k, m in enumerate(state)))

class Told(Shop):
    def to_dict(self): return {"times": list(self.times)}
    @classmethod
    def from_dict(cls, data): return cls(tuple(data["times"]))

class Silent:
    # It tells nothing of its instance.
    def __init__(self, times=(2, 1)): self.shop = Shop(times)
    def initial(self): return self.shop.initial()
    def moves(self, state): return self.shop.moves(state)
    def play(self, state, move): return self.shop.play(state, move)
    def score(self, state): return self.shop.score(state)

class Sets(Silent):
    def code(self, state, move): return frozenset({move})

class Coded(Silent):
    def code(self, state, move): return date.fromordinal(move + 1)

big = Shop((3, 1, 4, 1, 5, 9, 2, 6))
silent = Silent(big.times)
sets, coded = Sets(big.times), Coded(big.times)

class Ordered(Silent):
    def __init__(self, times): super().__init__(times)

ordered = Ordered(big.times)

class Lost(Shop):
    def score(self, state): return -math.inf
"""


@pytest.fixture
def mine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of problems of the user's own, in the current folder."""
    Path("mine.py").write_text(MINE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return importlib.import_module("mine")


def ended(*words: str) -> tuple[int, str]:
    """Run the command in its own process; return its exit code and what it says of errors."""
    child = process(Path(), *words)
    _, err = child.communicate(timeout=HOUR)
    return child.returncode, err


@pytest.mark.parametrize("name", ["big", "silent", "coded"])
def test_another_instance_is_refused(name: str, mine: Any) -> None:
    big: Any = getattr(mine, name)
    others = [type(big)(), type(big)((2, 7, 1, 8)), SQUARES]
    with pytest.warns(match="are pickled") if name == "coded" else nullcontext():
        nestor.solve(big, Sampling(), playouts=5, checkpoint="run.ckpt").save("run.json")
    assert json.loads(Path("run.json").read_text())["problem"] == f"mine:{name}"
    loaded = Result.load("run.json", problem=big)
    loaded.verify()
    assert loaded.problem is big
    assert Result.load("run.json", trust=True).problem is big
    for wrong in others:
        with pytest.raises((InputError, VerificationError), match=r"run\.json"):
            Result.load("run.json", problem=wrong)
        with pytest.raises(InputError, match=r"run\.ckpt"):
            nestor.resume("run.ckpt", problem=wrong, playouts=9, trust=True)
    assert nestor.resume("run.ckpt", problem=big, playouts=9, trust=True).playouts == 9


SCRIPT = """
import nestor
from mine import Silent

class Here(Silent):
    pass

def climbs(order):
    return sum(abs(a - b) for a, b in zip(order, order[1:]))

order = nestor.Order([5, 1, 4], climbs)
if __name__ == "__main__":
    nestor.solve(order, playouts=5, checkpoint="order.ckpt").save("order.json")
    problem = Silent((3, 1, 4))
    nestor.solve(problem, playouts=5, checkpoint="run.ckpt").save("run.json")
    nestor.solve(Here(), playouts=5).save("here.json")
"""


def test_the_names_of_a_script_are_not_those_of_files(mine: Any) -> None:
    Path("script.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "script.py"], check=True)
    saved = json.loads(Path("run.json").read_text())
    assert saved["problem"] == "mine:Silent"
    assert Result.load("run.json", problem=mine.Silent((3, 1, 4))).score == saved["score"]
    with pytest.raises(InputError, match="--problem mine:Silent,"):
        nestor.resume("run.ckpt")
    for trust in (False, True):
        with pytest.raises(InputError, match=r"here\.json: .* in the script") as caught:
            Result.load("here.json", trust=trust)
        assert "--problem __main__" not in str(caught.value)
        assert "trust" not in str(caught.value)
    assert Result.load("here.json", problem=mine.Silent()).verified
    with pytest.raises(InputError, match="'__main__:climbs', a name in the script"):
        Result.load("order.json", trust=True)
    same, other = importlib.import_module("script").order, nestor.Order([5, 1, 3], len)
    assert Result.load("order.json", problem=same).verified
    assert nestor.resume("order.ckpt", problem=same, playouts=9).playouts == 9
    with pytest.raises(InputError, match="not the problem that was solved"):
        Result.load("order.json", problem=other)


def test_an_instance_without_a_name_is_rebuilt_or_refused(mine: Any) -> None:
    nestor.solve(mine.Told((3, 1, 4)), playouts=5, checkpoint="run.ckpt").save("run.json")
    assert Result.load("run.json", trust=True).problem.times == (3, 1, 4)  # type: ignore[attr-defined]
    assert nestor.resume("run.ckpt", trust=True, playouts=9).playouts == 9
    nestor.solve(mine.Shop((3, 1, 4)), playouts=5).save("run.json")
    with pytest.raises(InputError, match="not the problem that was solved"):
        Result.load("run.json", trust=True)


@pytest.mark.parametrize("name", partly(["mine:big", "mine:coded"], "mine:coded"))
def test_own_problems_are_found_in_the_current_folder(name: str, mine: Any, run: Nestor) -> None:
    files = ("--checkpoint", "run.ckpt", "--save", "run.json")
    assert ended("solve", name, "--playouts", "9", *files)[0] == 0
    for words in ("resume run.ckpt", "verify run.json", "replay run.json"):
        code, _, err = run(*words.split())
        assert (code, err.count("\n")) == (2, 1)
        assert "--trust" in err
        pickled = ("--trust",) if (name, words) == ("mine:coded", "resume run.ckpt") else ()
        assert ended(*words.split(), "--problem", name, *pickled)[0] == 0
    assert run("verify", "run.json", "--problem", "mine:Lost").code in (1, 2)
    assert run("resume", "run.ckpt", "--problem", "mine:Lost", "--trust").code in (1, 2)
    assert ended("replay", "run.json", "--trust") == (0, "")


def test_a_file_is_not_named_in_the_place_of_a_module(mine: Any, run: Nestor) -> None:
    code, _, err = run("solve", "mine.py:Silent", "--playouts", "5")
    assert (code, err.count("\n")) == (2, 1)
    assert "; write mine:Silent" in err
    with pytest.raises(InputError, match="; write mine:Silent, in the folder some/where"):
        import_problem("some/where/mine.py:Silent")


def test_a_class_that_needs_arguments_is_no_problem(mine: Any, run: Nestor) -> None:
    wrong = "must be an instance, or a class that needs no arguments: .*'times'"
    with pytest.raises(InputError, match=f"'mine:Ordered' {wrong}"):
        import_problem("mine:Ordered")
    code, _, err = run("solve", "mine:Ordered", "--playouts", "5")
    assert (code, err.count("\n")) == (2, 1)
    nestor.solve(mine.Ordered((3, 1, 4)), playouts=5).save("run.json")
    with pytest.raises(InputError, match=wrong):
        Result.load("run.json", trust=True)
    assert import_problem("mine:ordered") is mine.ordered


@pytest.mark.parametrize(
    ("name", "pickled"), [("big", False), ("silent", False), ("sets", False), ("coded", True)]
)
@pytest.mark.filterwarnings("ignore:checkpoint:RuntimeWarning")
def test_only_codes_without_json_are_pickled(name: str, pickled: bool, mine: Any) -> None:
    problem = getattr(mine, name)
    nrpa = nestor.NRPA(3)
    nestor.solve(problem, nrpa, playouts=50, checkpoint="run.ckpt")
    content = Path("run.ckpt").read_bytes()[52:]
    line, _, rest = content.partition(b"\n")
    parts = json.loads(line)["parts"]
    assert zlib.decompress(rest[sum(parts[:-1]) :]).startswith(b"\x80" if pickled else b"{")
    if pickled:
        with pytest.raises(InputError, match="pickled"):
            nestor.resume("run.ckpt", problem=problem, playouts=60)
        with pytest.raises(InputError, match="pickled"):
            nestor.solve(problem, nrpa, checkpoint="run.ckpt", playouts=60)
    found = nestor.resume("run.ckpt", problem=problem, playouts=500, trust=pickled)
    assert found.moves == nestor.solve(problem, nrpa, playouts=500).moves


class Evil:
    """It is pickled as what makes a file."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("touched"),)


def test_a_checkpoint_runs_no_code(folder: Path) -> None:
    """Of a problem that comes with Nestor, be it signed: nobody looks at the pickled part."""
    content = (STORED / "checkpoint-latin.ckpt").read_bytes()
    line, _, rest = content[52:].partition(b"\n")
    asked = json.loads(line)
    evil = zlib.compress(pickle.dumps((Evil(), [])))
    parts = rest[: sum(asked["parts"][:-1])] + evil
    asked["parts"][-1] = len(evil)
    body = json.dumps(asked).encode() + b"\n" + parts
    Path("run.ckpt").write_bytes(content[:20] + hashlib.sha256(body).digest() + body)
    outcomes([lambda: command("resume", "run.ckpt"), lambda: nestor.resume("run.ckpt")])
    assert not Path("touched").exists()


def test_a_result_imports_nothing(mine: Any) -> None:
    nestor.solve(mine.big, playouts=5).save("run.json")
    text = Path("run.json").read_text()
    Path("run.json").write_text(re.sub(r'"mine:\w+"', '"harm:Harm"', text))
    Path("harm.py").write_text("open('touched', 'w')")
    calls: list[Callable[[], object]] = [
        lambda: Result.load("run.json"),
        lambda: command("verify", "run.json"),
        lambda: command("replay", "run.json"),
    ]
    for told in outcomes(calls):
        assert told.startswith("InputError"), told
        assert "harm" in told
    assert not Path("touched").exists()


def test_a_score_that_json_lacks(mine: Any, run: Nestor) -> None:
    code, _, err = run("solve", "mine:Lost", "--playouts", "5", "--quiet", "--save", "run.json")
    assert code == 0 or (err.count("\n") == 1 and "score" in err)
    with pytest.raises(InputError, match="score"):
        nestor.solve(mine.Lost(), playouts=5).save("run.json")


def test_a_file_name_that_is_no_text(folder: Path, run: Nestor) -> None:
    name = os.fsdecode(b"\xff.txt")
    Path("tour.txt").rename(name)
    outputs = ("--plot", "a.svg", "--save", "run.json", "--json")
    code, out, _ = run("solve", "tsptw", name, *SMALL, *outputs)
    assert (code, Path("a.svg").exists()) == (0, True)
    assert json.loads(out)
    assert run("verify", "run.json").code == 0


@pytest.mark.parametrize("option", ["save", "plot", "log", "checkpoint"])
def test_a_fifo_is_no_output(option: str, folder: Path) -> None:
    os.mkfifo("x.svg")
    (told,) = outcomes([lambda: command(*MORPION, *SMALL, f"--{option}", "x.svg")])
    assert told.startswith("InputError"), told


def test_the_mask_of_files_is_never_0(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    masks: list[int] = []
    real = os.umask

    def umask(mask: int) -> int:
        masks.append(mask)
        return real(mask)

    monkeypatch.setattr(os, "umask", umask)
    nestor.solve(SQUARES, checkpoint="run.ckpt", log="run.jsonl").save("run.json")
    assert 0 not in masks
    before = real(0o077)
    try:
        nestor.solve(SQUARES).save("private.json")
    finally:
        real(before)
    assert Path("private.json").stat().st_mode & 0o077 == 0
