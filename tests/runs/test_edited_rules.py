"""A checkpoint whose rules were edited since: it is refused, and the error names the edit."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import NRPA, InputError, LocalSearch
from nestor.problems.own import adapt
from nestor.runs.checkpoint import Checkpoint

COLOURS = ("RED", "GREEN", "BLUE")


def colouring(*names: str, values: Any = (), weight: float = 1.0) -> Any:
    """Return an assignment of colours to six nodes whose moves are dataclasses with an enum."""
    made: Any = enum.Enum
    col = made("Col", names or COLOURS)
    put: Any = make_dataclass("Put", [("v", int), ("c", col), *values], frozen=True)

    class Colours:
        change = "set"
        sense = "min"

        def initial(self) -> frozenset[Any]:
            return frozenset()

        def moves(self, state: frozenset[Any]) -> list[Any]:
            given = {each.v for each in state}
            return [put(v, c) for v in range(6) if v not in given for c in col]

        def play(self, state: frozenset[Any], move: Any) -> frozenset[Any]:
            return state | {move}

        def undo(self, state: frozenset[Any], move: Any) -> frozenset[Any]:
            return state - {move}

        def score(self, state: frozenset[Any]) -> float:
            colours: dict[int, int] = {each.v: each.c.value for each in state}
            same = sum(colours[v] == colours[(v + 1) % 6] for v in range(6))
            return weight * (same + sum(colours.values()) / 100)

    return Colours()


@pytest.fixture(params=[LocalSearch(), NRPA(2)], ids=["local", "nrpa"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "run.ckpt"
    nestor.solve(colouring(), request.param, playouts=300, seed=1, checkpoint=path)
    return path


def test_other_first_moves_are_refused(saved: Path) -> None:
    with pytest.raises(InputError, match=r"18 moves were legal at first, and 24 are now.* edited"):
        nestor.resume(saved, problem=colouring(*COLOURS, "PINK"), playouts=400)
    with pytest.raises(InputError, match="legal at first have other codes now, or another order"):
        nestor.resume(saved, problem=colouring(*reversed(COLOURS)), playouts=400)
    with pytest.raises(InputError, match=r"score\(\) gave"):
        nestor.resume(saved, problem=colouring(weight=2.0), playouts=400)


def test_the_same_rules_and_older_files_go_on(saved: Path) -> None:
    older = Checkpoint.read(saved)
    assert older.asked.pop("opening")["moves"] == 18
    older.write(saved)
    resumed = nestor.resume(saved, problem=colouring(), playouts=400)
    whole = nestor.solve(colouring(), resumed.algorithm, playouts=400, seed=1)
    assert (resumed.score, len(resumed.moves)) == (whole.score, len(whole.moves))
    again = nestor.resume(saved, problem=colouring(), playouts=500)
    assert Checkpoint.read(saved).asked["opening"]["moves"] == 18
    assert again.score <= resumed.score


def test_the_member_that_was_renamed_and_new_fields_are_named(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    nestor.solve(colouring(), NRPA(2), playouts=300, checkpoint=path)
    with pytest.raises(InputError, match=r"a Col .*: it has no 'GREEN' now"):
        nestor.resume(path, problem=colouring("RED", "LIME", "BLUE"), playouts=400)
    with pytest.raises(InputError, match=r"a Col .*: it has no 'BLUE' now"):
        nestor.resume(path, problem=colouring("RED", "GREEN"), playouts=400)
    more = [("w", int, field(default=1))]
    with pytest.raises(InputError, match=r"a Put .*: it had 2 fields, and has v, c, w now"):
        nestor.resume(path, problem=colouring(values=more), playouts=400)


def test_a_class_that_lost_its_undo_is_told(tmp_path: Path) -> None:
    path, other = tmp_path / "run.ckpt", colouring()
    nestor.solve(colouring(), LocalSearch(), playouts=1000, checkpoint=path)
    del type(other).undo
    with pytest.raises(InputError, match=r"Colours has no method undo\(\) any more"):
        nestor.resume(path, problem=other, playouts=1200)
    type(other).__qualname__ = "Others"
    with pytest.raises(InputError, match=r"it is of .*Colours, and .*Others is another problem"):
        nestor.resume(path, problem=other, playouts=1200)


@dataclass(frozen=True)
class Thing:
    number: int
    colours: frozenset[str]


def test_sets_in_codes_are_told_in_one_order() -> None:
    class Things:
        def initial(self) -> tuple[Any, ...]:
            return ()

        def moves(self, state: tuple[Any, ...]) -> list[Any]:
            return [] if state else [Thing(n, frozenset("abcdefgh"[n:])) for n in range(3)]

        def play(self, state: tuple[Any, ...], move: Any) -> tuple[Any, ...]:
            return (*state, move)

        def score(self, state: tuple[Any, ...]) -> float:
            return 1.0

    forms = adapt(Things())._forms  # type: ignore[attr-defined]
    assert forms.written(Thing(0, frozenset("cab")))["data"][2] == {"set": ["a", "b", "c"]}
