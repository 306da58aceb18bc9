"""Beam search: the twin, stops and restarts, and what the beams keep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

import nestor
from nestor import BeamSearch, InputError, reference, solve
from nestor.problems import SameGame
from support.instances import SMALL_BOARD, TREES, small_tsptw
from support.own import Forbidding, Subset

PROBLEMS = [TREES[1], TREES[2], Subset(), small_tsptw(), SameGame(SMALL_BOARD)]
PROBLEMS += [Forbidding(frozenset(some)) for some in ({0}, {0, 2}, {0, 1, 2})]


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("bias", [None, "none"])
def test_it_is_its_twin(problem: Any, bias: str | None) -> None:
    algorithm = BeamSearch(bias=bias)
    best, scores = reference.search(problem, algorithm, 300, 4)
    result = solve(problem, algorithm, playouts=300, seed=4)
    assert (result.score, result.moves) == (best.natural, best.moves)
    assert len(scores) == result.playouts == 300


class Letters:
    """Write six letters; the bias is what each is worth, and the order does not count."""

    longest = 6

    def initial(self) -> tuple[str, ...]:
        return ()

    def moves(self, state: tuple[str, ...]) -> Sequence[str]:
        return "abc" if len(state) < 6 else ""

    def play(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def score(self, state: tuple[str, ...]) -> float:
        return sum(map("abc".index, state))

    def bias(self, state: tuple[str, ...], move: str) -> float:
        return "abc".index(move) - (math.inf if move == "b" and not state else 0)


def test_beams_grow_and_keep_codes_once() -> None:
    # The first beam is greedy, the second keeps two sets of letters, the third four.
    _, scores = reference.search(Letters(), BeamSearch(), 7, 1)
    assert scores == [12, 12, 11, 12, 11, 10, 10]
    wide = solve(Letters(), BeamSearch(), playouts=200, seed=1)
    assert (wide.score, wide.moves) == (12, ["c"] * 6)


def test_a_checkpoint_goes_on_as_if_nothing_had_happened(tmp_path: Any) -> None:
    path = tmp_path / "beam.ckpt"
    for stop in (1, 9, 100, 257):
        solve(TREES[1], BeamSearch(), playouts=stop, seed=2, checkpoint=path)
        resumed = nestor.resume(path, problem=TREES[1], playouts=500)
        whole = solve(TREES[1], BeamSearch(), playouts=500, seed=2)
        assert (resumed.score, resumed.moves) == (whole.score, whole.moves)
        told = [[(each.playouts, each.score) for each in r.improvements] for r in (resumed, whole)]
        assert told[0] == told[1]


def test_jobs_do_not_exchange() -> None:
    with pytest.raises(InputError, match="no level that could take over"):
        solve(TREES[1], BeamSearch(), playouts=200, jobs=2, exchange=10)
