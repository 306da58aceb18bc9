"""What a check says of compiled classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nestor
from nestor.testing import check_contract
from support.parts import partly

pytest.importorskip("numba", reason="needs the extra compiled")


class Steps:
    """Five steps, each of one of three kinds."""

    state = np.dtype([("steps", "i1"), ("kinds", "i4", 3)])
    change = "set"

    def initial(self, s: Any) -> None:
        s.steps = 0

    def moves(self, s: Any, out: Any) -> None:
        for kind in range(3):
            if s.kinds[kind] == 0:
                out.add(kind)

    def play(self, s: Any, kind: int) -> None:
        s.steps += 1
        s.kinds[kind] += 1

    def undo(self, s: Any, kind: int) -> None:
        s.steps -= 1
        s.kinds[kind] -= 1

    def score(self, s: Any) -> Any:
        return s.steps


class Drawn(Steps):
    def score(self, s: Any) -> Any:
        return s.steps + np.random.random()


class Summed(Steps):
    def score(self, s: Any) -> Any:
        return np.full(100, 0.1 * s.steps).sum()


class Large(Steps):
    def initial(self, s: Any) -> None:
        s.steps = 200


class Endless(Steps):
    change = "none"

    def moves(self, s: Any, out: Any) -> None:
        out.add(0)

    def play(self, s: Any, kind: int) -> None:
        s.kinds[0] += 1


class Forgetful(Steps):
    def undo(self, s: Any, kind: int) -> None:
        s.steps -= 1


WRONG: dict[type, str] = {
    Drawn: r"score\(\) gives \d\.\d+ compiled and \d\.\d+ uncompiled.*: random numbers, ",
    Summed: r"score\(\) gives .* uncompiled.*NumPy's sum\(\) of floats does: add them in a loop",
    Large: "OverflowError: .*200 out of bounds for int8",
    Endless: "the game does not end within 10000 moves",
    Forgetful: r"undo\(\d\) must return the state as if .* is legal after .*, and is not with",
}


pytestmark = pytest.mark.usefixtures("shared_code")


@pytest.mark.parametrize("kind", partly(WRONG, Drawn, Forgetful))
def test_what_is_wrong_is_told(kind: type) -> None:
    with pytest.raises(AssertionError, match=WRONG[kind]):
        check_contract(nestor.compiled(kind)())


def test_other_orders_are_played_by_the_compiled_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    problem: Any = nestor.compiled(Steps)()
    asked: list[bytes] = []
    listed = problem.twin.listed

    def counting(state: bytes) -> Any:
        asked.append(state)
        return listed(state)

    monkeypatch.setattr(problem.twin, "listed", counting)
    assert problem.bare is not problem
    nestor.solve(problem.bare, playouts=1)  # It is compiled and tried out.
    asked.clear()
    assert check_contract(problem, playouts=1) == 1
    assert len(asked) < 40, "of three moves: each state a few times"
