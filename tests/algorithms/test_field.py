"""What the field compares with, as the examples write it on the primitives."""

from __future__ import annotations

from typing import Any

import pytest

import nestor
from nestor import solve
from nestor.problems import Morpion, SameGame
from nestor.problems.importing import imported
from support.instances import SMALL_BOARD, TINY_TREES
from support.own import Jobs, Subset
from support.pages import ROOT


@pytest.fixture
def field(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(ROOT / "examples" / "field")
    return {
        name: imported(f"{name}:{name}", "algorithm", "module:name")
        for name in ("ppa", "uct", "beam_search")
    }


def best_of(tree: Any) -> float:
    """Return the best score of a small tree, of all its leaves."""

    def below(state: Any) -> float:
        moves = list(tree.moves(state))
        return max((below(tree.play(state, m)) for m in moves), default=tree.score(state))

    return below(tree.initial())


@pytest.mark.parametrize(
    "tree",
    [TINY_TREES[0], pytest.param(TINY_TREES[1], marks=pytest.mark.long), Subset()],
    ids=str,
)
def test_they_find_the_best_of_a_small_tree(field: dict[str, Any], tree: Any) -> None:
    best = best_of(tree)
    for algorithm in (
        field["uct"](playouts=2000, c=1.0),
        field["beam_search"](width=1000, tries=1),
        field["ppa"](playouts=3000, alpha=0.05),
    ):
        assert solve(tree, algorithm, playouts=3000, seed=2).score == best, algorithm.describe()


def test_uct_plays_every_child_first_and_goes_back_to_the_better_ones(field: Any) -> None:
    """A move that is always better gets nearly all playouts."""

    class TwoArms:
        def initial(self) -> tuple[int, ...]:
            return ()

        def moves(self, state: Any) -> list[int]:
            return [0, 1] if not state else []

        def play(self, state: Any, move: int) -> Any:
            played.append(move)
            return (*state, move)

        def score(self, state: Any) -> float:
            return float(state[0])

    played: list[int] = []
    solve(TwoArms(), field["uct"](playouts=200, c=0.3), playouts=200, seed=1)
    assert played.count(1) > 3 * played.count(0) > 0


@pytest.mark.long
def test_grave_learns_from_later_moves(field: dict[str, Any]) -> None:
    board = Morpion("4D")
    grave, sampling = (
        sum(solve(board, each, playouts=400, seed=s).score for s in range(4))
        for each in (field["uct"](ref=20), nestor.Sampling())
    )
    assert grave > sampling


def test_a_beam_of_one_is_the_greedy_walk(field: dict[str, Any]) -> None:
    """It goes on with the child of the best playout, so a wider beam is no worse on average."""
    board = SameGame(SMALL_BOARD)
    scores = [
        sum(solve(board, field["beam_search"](width=w, tries=2), seed=s).score for s in range(8))
        for w in (1, 16)
    ]
    assert scores[0] <= scores[1]


@pytest.mark.parametrize("name", ["ppa", "uct", "beam_search"])
def test_a_seed_gives_the_same_bits_anywhere(field: dict[str, Any], name: str) -> None:
    algorithm = field[name]()
    for problem in (Morpion("4D"), Jobs()):
        first, second = (
            solve(problem, algorithm, playouts=120, seed=4, jobs=2, threads=threads)
            for threads in (1, 2)
        )
        assert (first.score, first.moves) == (second.score, second.moves)
        assert first.playouts == 120
        assert first.verified


def test_they_stand_beside_nrpa_in_a_comparison(field: dict[str, Any]) -> None:
    named = {"NRPA": nestor.NRPA(2, 8), **{name: each() for name, each in field.items()}}
    runs = nestor.compare({"4D": Morpion("4D")}, named, seeds=2, playouts=80)
    assert not runs.failed
    assert {row["bias"] for row in runs} == {"none"}
    assert {row["playouts"] for row in runs} == {80}
