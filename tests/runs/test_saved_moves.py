"""Moves of a saved result come back as the problem gives them."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import nestor
from golden.instances import INSTANCES
from nestor import InputError
from support.own import Chosen, Front, Subset


class Cell(NamedTuple):
    row: int
    column: int


class Suit(enum.StrEnum):
    HEARTS = "hearts"
    SPADES = "spades"


class Turn(enum.Enum):
    LEFT = (0, 1)
    RIGHT = (0, -1)


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


@dataclass(frozen=True)
class Placed:
    box: int
    at: Cell
    turn: Turn


FORMS: dict[str, list[Any]] = {
    "a pair": [(0, 1), (1, 0)],
    "nested tuples": [((0, 1), ("a", (2,))), ((0, 2), ("b", (3,)))],
    "a named tuple": [Cell(0, 1), Cell(1, 0)],
    "a list": [[0, (1, 2)], [1, (0, 2)]],
    "a dict": [{1: (2, 3)}, {2: (2, 3)}],
    "an enumeration": [Suit.HEARTS, Suit.SPADES],
    "an enumeration of pairs": [Turn.LEFT, Turn.RIGHT],
    "enumerations in tuples": [(Turn.LEFT, Number.ONE), (Turn.LEFT, Number.TWO)],
    "a dataclass": [Placed(0, Cell(0, 1), Turn.LEFT), Placed(0, Cell(0, 1), Turn.RIGHT)],
    "a frozenset": [frozenset([(2, 1), Turn.LEFT]), frozenset([(2, 1), Turn.RIGHT])],
    "whole numbers of NumPy": [np.int64(3), np.int64(4)],
    "numbers of NumPy": [(np.int64(3), 1.5), (np.int64(4), 2.5)],
    "None, truth and text": [(None, True, "x"), (None, False, "x")],
}


class Formed(Subset):
    """Four moves of one of these forms."""

    def __init__(self, form: str) -> None:
        self.forms = FORMS[form]

    def moves(self, state: Chosen) -> list[Any]:
        return self.forms if len(state) < 4 else []

    def play(self, state: Chosen, move: Any) -> Chosen:
        return (*state, self.forms.index(move))

    def code(self, state: Chosen, move: Any) -> Any:
        return len(state), self.forms.index(move)


@pytest.mark.parametrize("form", FORMS)
def test_moves_of_ones_own_come_back_equal(form: str, tmp_path: Path) -> None:
    problem = Formed(form)
    result = nestor.solve(problem, playouts=100, seed=1)
    result.save(tmp_path / "run.json")
    loaded = nestor.Result.load(tmp_path / "run.json", problem=problem)
    loaded.verify()
    assert loaded.moves == result.moves
    assert list(map(type, loaded.moves)) == list(map(type, result.moves))
    assert [each.moves for each in loaded.improvements] == [
        each.moves for each in result.improvements
    ]
    assert any(each.moves for each in loaded.improvements)
    again = nestor.solve(problem, playouts=100, seed=2, initial=loaded)
    assert again.score >= result.score


def test_numbers_of_numpy_are_told_as_those_of_python() -> None:
    solution = nestor.solve(Formed("numbers of NumPy"), playouts=10, seed=1).solution
    assert "np." not in str(solution)
    assert "(4, 2.5)" in str(solution)


def steps(order: list[Any]) -> float:
    """Return what two neighbours differ by, added up."""
    return float(sum(abs(one.at.row - other.at.row) for one, other in pairwise(order)))


def test_items_of_a_problem_in_one_line_come_back(tmp_path: Path) -> None:
    def of(*rows: int) -> Any:
        return nestor.Order([Placed(0, Cell(row, 0), Turn.LEFT) for row in rows], steps)

    result = nestor.solve(of(3, 1, 4, 2), playouts=100, seed=1)
    result.save(path := tmp_path / "run.json")
    assert nestor.Result.load(path, problem=of(3, 1, 4, 2)).moves == result.moves
    with pytest.raises(InputError, match="its digest differs"):
        nestor.Result.load(path, problem=of(3, 1, 4, 5))
    data = json.loads(path.read_text())
    for digest in ("x", None):
        (changed := tmp_path / "changed.json").write_text(json.dumps({**data, "digest": digest}))
        with pytest.raises(InputError, match="its digest differs"):
            nestor.Result.load(changed, problem=of(3, 1, 4, 2))
    with pytest.raises(InputError, match=r"items were objects .* give the problem"):
        nestor.Result.load(path, trust=True)


@pytest.mark.parametrize("name", INSTANCES)
def test_moves_of_every_problem_come_back_equal(name: str, tmp_path: Path) -> None:
    problem = INSTANCES[name]()
    result = nestor.solve(problem, playouts=10 if "rna" in name else 60, seed=1)
    result.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json", problem=problem).moves == result.moves


def test_an_assignment_comes_back_as_a_dict(tmp_path: Path) -> None:
    cells = [(row, column) for row in range(2) for column in range(2)]
    problem = nestor.Assignment(cells, ["red", "green"], lambda colour: colour[0, 0] == "red")
    nestor.solve(problem, playouts=50, seed=1).save(tmp_path / "run.json")
    loaded = nestor.Result.load(tmp_path / "run.json", problem=problem)
    assert dict(loaded.moves).keys() == set(cells)


def test_a_move_that_is_not_legal_is_told_by_the_verifier(tmp_path: Path) -> None:
    problem = Formed("a pair")
    nestor.solve(problem, playouts=50, seed=1).save(tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text()
    (tmp_path / "run.json").write_text(text.replace("[1, 0]", "[7, 7]"))
    with pytest.raises(nestor.VerificationError, match=r"move number \d \(\[7, 7\]\) is not legal"):
        nestor.Result.load(tmp_path / "run.json", problem=problem).verify()


@pytest.mark.parametrize("problem", [Subset(), Front()])
def test_a_changed_list_of_moves_does_not_reach_the_result(problem: Subset) -> None:
    result = nestor.solve(problem, playouts=50, seed=1)
    for found in (result, *(result.front or ())):
        before = list(found.moves)
        found.moves[:] = [3, 3, 3]
        assert found.moves == before
    result.verify()
    assert result.to_dict()["moves"] == list(result.solution.played or ())
