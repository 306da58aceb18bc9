"""Codes of a user's own problem in checkpoints: as JSON where they can be, else pickled."""

from __future__ import annotations

import datetime
import enum
import json
import shlex
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import nestor
from nestor import InputError
from nestor.problems.codes import CodeForms
from nestor.runs.checkpoint import Checkpoint
from support.commands import Nestor


class Shift(enum.Enum):
    EARLY = 1
    LATE = 2
    NIGHT = 3
    FREE = 4


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Days(enum.Flag):
    MONDAY = 1
    TUESDAY = 2


@dataclass(frozen=True)
class Duty:
    who: str
    shift: Shift


@dataclass(frozen=True, slots=True)
class Slotted:
    number: int


@dataclass(frozen=True, eq=False)
class Itself:
    number: int


@dataclass(frozen=True)
class Watched:
    number: int

    def __post_init__(self) -> None:
        assert self.number == 1


class Pair(NamedTuple):
    one: int
    other: int


class Sequence:
    """Things one after another."""

    things: tuple[Any, ...] = tuple(Shift)

    def initial(self) -> Any:
        return ()

    def moves(self, state: Any) -> list[Any]:
        return [thing for thing in self.things if thing not in state]

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def score(self, state: Any) -> float:
        return float(sum(k * self.things.index(move) for k, move in enumerate(state)))


def of(*things: Any) -> Sequence:
    problem = Sequence()
    problem.things = things
    return problem


DAYS = tuple(datetime.date(2026, 1, day) for day in range(1, 5))
MADE = {
    "enumeration": tuple(Shift),
    "dataclasses": tuple(Duty("Ada", shift) for shift in Shift),
    "sets": tuple(frozenset({shift, 1}) for shift in Shift),
    "numpy": tuple(np.arange(4)),
    "named tuples": tuple(Pair(1, k) for k in range(4)),
    "dates": DAYS,
}


@pytest.mark.parametrize("named", MADE)
def test_a_checkpoint_goes_on_without_trust_unless_it_warned(named: str, tmp_path: Path) -> None:
    problem, path, nrpa = of(*MADE[named]), tmp_path / "run.ckpt", nestor.NRPA(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nestor.solve(problem, nrpa, playouts=300, checkpoint=path)
    said = [str(each.message) for each in caught]
    if named == "dates":
        assert [each.partition(":")[0] for each in said] == ["checkpoint"]
        assert "trust=True" in said[0]
        assert "code()" in said[0]
        with pytest.raises(InputError, match=r"nestor\.resume\(\.\.\., trust=True\)"):
            nestor.solve(problem, nrpa, playouts=500, checkpoint=path)
    else:
        assert not said
        nestor.solve(problem, nrpa, playouts=500, checkpoint=path)
    resumed = nestor.resume(path, problem=problem, playouts=900, trust=named == "dates")
    whole = nestor.solve(problem, nrpa, playouts=900)
    assert (resumed.score, resumed.moves) == (whole.score, whole.moves)


def test_forms_of_codes_are_read_as_what_they_were() -> None:
    codes = [Shift.LATE, Level.HIGH, Days.TUESDAY, Duty("Bo", Shift.FREE), Slotted(3)]
    codes += [frozenset({(Shift.LATE, 2.5), "x"}), (Shift.EARLY, (Slotted(1), None))]
    forms = CodeForms(of(*codes))
    told = json.loads(json.dumps(list(map(forms.written, codes))))
    read = list(map(forms.read, told))
    assert read == codes
    assert list(map(type, read)) == list(map(type, codes))
    for code in (Days.MONDAY | Days.TUESDAY, Itself(1), DAYS[0], object(), 1j, float("nan")):
        with pytest.raises(TypeError, match="has no form"):
            CodeForms(of(code)).written(code)


def test_kinds_that_come_later_in_a_game_or_share_a_name() -> None:
    class Later(Sequence):
        def moves(self, state: Any) -> list[Any]:
            return list(Level) if len(state) == 1 else [1, 2][: 2 - len(state)]

    forms = CodeForms(Later())
    assert forms.read(forms.written(Level.HIGH)) is Level.HIGH
    made: Any = enum.Enum
    one, other = (made("Same", "A").A for _ in range(2))
    with pytest.raises(TypeError):
        CodeForms(of(one, other)).written(one)


@pytest.mark.parametrize(
    "told", [{"enum": ["Shift", "NOON"]}, {"enum": ["os", "name"]}, {"data": ["Duty", "Ada"]}]
)
def test_a_form_that_the_problem_has_not_is_refused(told: Any) -> None:
    with pytest.raises(InputError, match="those of the problem do not have"):
        CodeForms(of(*Shift, *MADE["dataclasses"])).read(told)


def test_a_dataclass_of_a_file_runs_no_method() -> None:
    read: Any = CodeForms(of(Watched(1))).read({"data": ["Watched", 2]})
    assert read.number == 2


def test_an_edited_enumeration_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    nestor.solve(Sequence(), nestor.NRPA(2), playouts=50, checkpoint=path)
    saved = Checkpoint.read(path)
    saved.own = saved.own.replace(b"NIGHT", b"NOON!")
    saved.write(path)
    with pytest.raises(InputError, match=r"run\.ckpt: .*its codes have a Shift that those"):
        nestor.resume(path, problem=Sequence(), playouts=90)


def test_moves_that_cannot_be_saved_say_which_can(tmp_path: Path) -> None:
    class Complex(Sequence):
        def moves(self, state: Any) -> list[Any]:
            return [1j * k for k, _ in enumerate(super().moves(state))]

        def play(self, state: Any, move: Any) -> Any:
            return super().play(state, super().moves(state)[int(move.imag)])

    said = "a complex has no JSON form; those of numbers, texts, tuples, enumerations, frozensets"
    with pytest.raises(InputError, match=said):
        nestor.solve(Complex(), playouts=20).save(tmp_path / "run.json")


RULES = """
import datetime, enum

class Shift(enum.Enum):
    EARLY = 1
    LATE = 2

class Listed:
    things = list(Shift)
    def initial(self): return ()
    def moves(self, state): return [each for each in self.things if each not in state]
    def play(self, state, move): return (*state, move)
    def score(self, state): return 1.0

class Dated(Listed):
    things = [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
"""


@pytest.mark.parametrize("name", ["Dated", "Listed"])
@pytest.mark.filterwarnings("ignore:checkpoint:RuntimeWarning")
def test_the_next_command_goes_on_with_a_checkpoint(
    name: str, folder: Path, run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine.py").write_text(RULES)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    command = ["solve", f"mine:{name}", "--playouts", "50"]
    assert ("Next" in run(*command).out) == (name == "Listed")  # No file has the others.
    told = run(*command, "--checkpoint", "run.ckpt").out
    (line,) = [each for each in told.splitlines() if each.startswith("  nestor")]
    assert ("--trust" in line) == (name == "Dated")
    assert run(*shlex.split(line)[1:]).code == 0


ONE_LINE: dict[str, Any] = {
    "Subset": nestor.Subset(5, lambda some: len(some) < 4, sum),
    "Cover": nestor.Cover(5, lambda some: 3 - len(some), sum),
    "Order": nestor.Order(5, lambda order: order[0] - order[-1]),
    "Assignment": nestor.Assignment(3, 2, lambda given: given[0] - given[2]),
}


@pytest.mark.parametrize("name", ONE_LINE)
@pytest.mark.parametrize("code", [99, -1, "x", None, [1], [0, 7], {"set": [1]}])
def test_a_code_that_is_no_move_is_refused(name: str, code: Any, tmp_path: Path) -> None:
    problem, path = ONE_LINE[name], tmp_path / "run.ckpt"
    nestor.solve(problem, playouts=40, seed=1, checkpoint=path)
    saved = Checkpoint.read(path)
    codes = json.loads(saved.own)
    codes["codes"][0][1] = code
    saved.own = json.dumps(codes).encode()
    saved.write(path)
    with pytest.raises(InputError, match=r"run.ckpt: a damaged checkpoint: .* is no move"):
        nestor.resume(path, problem=problem, playouts=80)
