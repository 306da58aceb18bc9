"""Problems as values: equality, digests, JSON, pickling, biases."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nestor import NRPA, Result, solve
from nestor.errors import InputError
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from support.instances import name_of, real_problems, small_tsptw

GRID = (r"\ 3\ 4\ ", r"\4 . . ", r"\3 . . ")
SQUARE = ((1, 0), (0, 0))

ARRAY: Any = np.array([[0, 1, 1, 2], [0, 2, 1, 2]])
SAME: list[tuple[Any, Any]] = [
    (small_tsptw(), TSPTW(small_tsptw().matrix, small_tsptw().windows, label="other")),
    (
        small_tsptw(),
        TSPTW(np.asfortranarray(small_tsptw().matrix), np.asfortranarray(small_tsptw().windows)),
    ),
    (SameGame(["0112", "0212"]), SameGame("0112\n0212", title="other")),
    (SameGame(["0112", "0212"]), SameGame(ARRAY)),
    (Morpion(), Morpion("5D", True)),
    (Crossword(["AB", "BA"], 5), Crossword(("ab", "ba"), 5, title="other")),
    (LatinSquare(SQUARE), LatinSquare(np.array(SQUARE), title="other")),
    (Kakuro(GRID), Kakuro("\n".join(GRID), title="other")),
    (Kakuro(GRID), Kakuro([row.split() for row in GRID])),
    (Kakuro(GRID), Kakuro.square([4, 3], [3, 4], largest=9)),
    (RNA("(...)"), RNA("(...)", sequence="NnNnN", title="other")),
]
OTHER: list[tuple[Any, Any]] = [
    (small_tsptw(), small_tsptw(objective="makespan")),
    (small_tsptw(), small_tsptw(selective=False)),
    (SameGame(["0112"]), SameGame(["0112"], tabu=False)),
    (Morpion("4T"), Morpion("4T", dominated=False)),
    (Crossword(["AB", "BA"], 5), Crossword(["AB", "BA"], 6)),
    (Crossword(["AB", "BA"], 5), Crossword(["BA", "AB"], 5)),
    (LatinSquare(SQUARE), LatinSquare(SQUARE, hidden_singles=False)),
    (Kakuro(GRID), Kakuro(GRID, pruning=False)),
    (Kakuro(GRID), Kakuro(GRID, largest=8)),
    (RNA("(...)"), RNA("(...)", model="turner1999-d1")),
    (RNA("(...)"), RNA("(...)", sequence="GNNNN")),
]


@pytest.mark.parametrize("problem", [each for pair in SAME + OTHER for each in pair], ids=name_of)
def test_a_short_repr_is_the_call(problem: Any) -> None:
    text = repr(problem)
    assert len(text) <= 102
    assert text.startswith(("<TSPTW: ", "<Kakuro: other")) or eval(text) == problem


def test_a_long_repr_is_name_size_and_settings() -> None:
    square = LatinSquare.generate(20, 0.4, seed=1, hidden_singles=False)
    size = "order 20, 160 holes, seed 1, 20x20 square"
    assert repr(square) == f"<LatinSquare: {size}, hidden_singles=False>"
    tour = TSPTW(np.zeros((9, 9)), [(0, 5)] * 9, objective="makespan", label="nine.txt")
    assert repr(tour) == "<TSPTW: nine.txt, 9 nodes, objective='makespan'>"
    boxes = SameGame(["01" * 15] * 15, tabu=1)
    assert repr(boxes) == str(boxes) == "<SameGame: 30x15 board, tabu=1>"


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_problems_have_equal_digests(one: Any, other: Any) -> None:
    """The title does not count."""
    assert one == other
    assert (hash(one), one.digest) == (hash(other), other.digest)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_problems_have_other_digests(one: Any, other: Any) -> None:
    assert one != other
    assert one.digest != other.digest
    assert one != 5


@pytest.mark.parametrize(
    ("make", "content"),
    [
        (LatinSquare.read, "2\n0 0\n0 0\n"),
        (Kakuro.read, "\n".join(GRID)),
        (SameGame.read, "0112\n0212\n"),
        (lambda path, **settings: SameGame.read_all(path, **settings)[0], "0112\n0212\n"),
        (RNA.read, ">hairpin\n(...)\n"),
        (lambda path, **settings: RNA.read_all(path, **settings)[0], "(...)\n"),
        (lambda path, **settings: LatinSquare.generate(3, **settings), ""),
        (lambda path, **settings: Kakuro.generate(3, 5, **settings), ""),
    ],
)
def test_a_title_may_be_given(make: Callable[..., Any], content: str, tmp_path: Path) -> None:
    (tmp_path / "given").write_text(content)
    assert make(tmp_path / "given").title != "mine"
    assert make(tmp_path / "given", title="mine").title == "mine"


@pytest.mark.parametrize("problem", real_problems(), ids=name_of)
def test_problems_survive_json_and_pickling(problem: Any) -> None:
    again = type(problem).from_dict(json.loads(json.dumps(problem.to_dict())))
    # The bias belongs to the algorithm.
    assert again == problem.with_bias("none")
    assert (again.label, again.digest) == (problem.label, problem.digest)
    pickled = pickle.loads(pickle.dumps(problem))
    assert (pickled, pickled.bias_name) == (problem, problem.bias_name)


@pytest.mark.parametrize("problem", real_problems(), ids=name_of)
def test_results_survive_json(problem: Any, tmp_path: Path) -> None:
    result = solve(problem.with_bias("none"), NRPA(1, 20), seed=1)
    result.save(tmp_path / "run.json")
    loaded = Result.load(tmp_path / "run.json")
    loaded.verify()
    assert loaded.solution == result.solution
    assert loaded.moves == result.moves
    assert json.loads(json.dumps(loaded.to_dict())) == json.loads(json.dumps(result.to_dict()))


@pytest.mark.parametrize("problem", real_problems(), ids=name_of)
def test_a_bias_changes_nothing_else(problem: Any) -> None:
    for bias in problem.biases:
        biased = problem.with_bias(bias)
        assert biased.bias_name == bias
        assert (biased.to_dict(), biased.label) == (problem.to_dict(), problem.label)
    assert problem.default_bias in problem.biases
    with pytest.raises(InputError, match="bias must be"):
        problem.with_bias("unknown")


@pytest.mark.parametrize("name", ["bias", "score", "moves"])
def test_rules_of_a_problem_of_nestor_cannot_be_changed_by_a_subclass(name: str) -> None:
    with pytest.raises(InputError, match=f"Mine.{name} would not be used: the core plays SameGame"):
        type("Mine", (SameGame,), {name: lambda self, *given: 0.0})
