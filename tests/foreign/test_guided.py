"""A model guides a compiled class: it gets the bytes of its states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nestor

pytest.importorskip("numba", reason="needs the extra compiled")


@nestor.compiled
class Sums:
    """Numbers whose last digit should be that of the place."""

    state = np.dtype([("played", "i8"), ("right", "i4"), ("total", "f8")])
    code_count = 80

    def initial(self, s: Any) -> None:
        s.total = 0.5

    def moves(self, s: Any, out: Any) -> None:
        if s.played < 20:
            for i in range(4):
                out.add(i, code=4 * s.played + i, bias=0.25 * ((s.played + i) % 3) + 0.1 * s.right)

    def play(self, s: Any, i: int) -> None:
        if i == (s.played * 7) % 4:
            s.right += 1
        s.total += i
        s.played += 1

    def score(self, s: Any) -> float:
        return s.right + s.total / 1000  # type: ignore[no-any-return]


def model(batch: nestor.Batch) -> Any:
    """Compute the bias of the class."""
    states = batch["state"].view(PROBLEM.state)[:, 0]
    played, right = states["played"][batch.owner], states["right"][batch.owner]
    return 0.25 * ((played + batch["move"]) % 3) + 0.1 * right


PROBLEM: Any = Sums()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_bits_of_the_bias_that_it_computes(threads: int) -> None:
    given: dict[str, Any] = {"playouts": 501, "seed": 3, "threads": threads}
    named = nestor.GNRPA(level=2, iterations=20, width=8)
    guided = nestor.GNRPA(level=2, iterations=20, bias=nestor.BatchBias(model, width=8))
    one, other = nestor.solve(PROBLEM, named, **given), nestor.solve(PROBLEM, guided, **given)
    assert (one.score, one.moves) == (other.score, other.moves)
    assert [each.playouts for each in one.improvements] == [
        each.playouts for each in other.improvements
    ]
