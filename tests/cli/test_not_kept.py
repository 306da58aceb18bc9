"""What commands say and leave behind when the rules of a problem contradict themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nestor
from support.commands import Nestor

RULES = """
import nestor

class Set:
    change = "set"
    def initial(self):
        return frozenset()
    def moves(self, chosen):
        return [n for n in range(9) if n not in chosen] if len(chosen) < 4 else []
    def play(self, chosen, number):
        return chosen | {number}
    def score(self, chosen):
        return sum(chosen)

class Drifting(Set):
    asked = 0
    def score(self, chosen):
        Drifting.asked += 1
        return sum(chosen) + Drifting.asked / 1000

class Leaving(Set):
    def score(self, chosen):
        raise SystemExit(0)

class Gone(Set):
    def __init__(self):
        raise SystemExit(0)

class Late(Set):
    def score(self, chosen):
        return None if sum(chosen) == 26 else sum(chosen)  # the best, which a search comes to

class Nan(Set):
    def score(self, chosen):
        return float("nan") if sum(chosen) == 26 else sum(chosen)

class Raising(Set):
    def score(self, chosen):
        if sum(chosen) == 26:
            raise ValueError("this is too much")
        return sum(chosen)

class Nothing(Set):
    def moves(self, chosen):
        return None

def first(order):
    return order[0]

def last(order):
    return order[-1]

one = nestor.Order(5, first)
other = nestor.Order(5, last)
"""


def test_a_result_that_is_refused_is_not_saved(run: Nestor, folder: Path) -> None:
    (folder / "rules.py").write_text(RULES)
    code, out, err = run("solve", "rules:Drifting", "--playouts", "3000", "--save", "run.json")
    assert code == 1
    assert "verified   no" in out
    assert "saved" not in out
    assert "Next" not in out
    assert "from call to call: score() must not change: let random numbers have a fixed" in err
    assert not (folder / "run.json").exists()


NATIVE = """
import math
import nestor
import numpy as np

@nestor.compiled
class Nan:
    code_count = 9
    state = np.dtype([("left", "i4"), ("sum", "i4")])
    def initial(self, state):
        state.left = 4
    def moves(self, state, out):
        if state.left:
            for number in range(9):
                out.add(number)
    def play(self, state, number):
        state.left -= 1
        state.sum += number
    def score(self, state):
        return math.nan if state.sum == 32 else state.sum
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rules:Raising", "ValueError: this is too much"),
        ("rules:Raising --workers 1", "ValueError: this is too much"),
        ("rules:Late", "score() must return a number, not None"),
        ("rules:Nan", "score() must return a number, not nan"),
        ("rules:Nan --workers 1", "score() must return a number, not nan"),
        ("rules:Drifting", "the rules of rules:Drifting change from call to call"),
        ("rules:Drifting --workers 1", "the rules of rules:Drifting change from call to call"),
        ("rules:Nothing", "moves() must return a sequence"),
        ("native:Nan", "score() must not give NaN"),
    ],
)
def test_faults_of_rules_have_one_exit_code(
    name: str, told: str, run: Nestor, folder: Path
) -> None:
    (folder / "rules.py").write_text(RULES)
    if name.startswith("native"):
        pytest.importorskip("numba", reason="the extra compiled is not installed")
        (folder / "native.py").write_text(NATIVE)
    code, out, err = run("solve", *name.split(), "--playouts", "3000", "--quiet", "--json")
    assert code == 1
    assert told in err
    assert err.count(told) == 1
    if out:
        found = json.loads(out)
        assert (found["stop_reason"], found["score"] > 0) == ("failed", True)
        assert told in found["error"]


@pytest.mark.parametrize(
    "command",
    [
        "solve rules:Leaving --playouts 9",
        "solve rules:Leaving --playouts 9 --workers 1",
        "solve rules:Gone --json",
        "check rules:Leaving",
        "check rules:Gone",
        "compare rules:Leaving --algorithms nrpa,sampling --playouts 9 --seeds 1",
    ],
)
def test_rules_that_end_the_process_have_failed(command: str, run: Nestor, folder: Path) -> None:
    (folder / "rules.py").write_text(RULES)
    code, _, err = run(*command.split())
    assert code == 1
    assert "SystemExit: 0" in err


def test_a_fault_that_only_the_searches_of_a_check_meet_is_exit_code_1(
    run: Nestor, folder: Path
) -> None:
    (folder / "rules.py").write_text(RULES)
    code, out, err = run("check", "rules:Late", "--playouts", "2")
    assert (code, out) == (1, "")
    assert err.startswith("Error: rules:Late: score() must return a number, not None")


def test_the_problem_that_was_given_is_named(run: Nestor, folder: Path) -> None:
    (folder / "rules.py").write_text(RULES)
    assert run("solve", "rules:one", "--playouts", "50", "--save", "run.json").code == 0
    code, _, err = run("verify", "run.json", "--problem", "rules:other")
    assert code == 2
    assert "rules:other is not rules:one, the problem that was solved" in err
    code, out, _ = run("verify", "run.json", "--problem", "rules:one")
    assert out.startswith("run.json: verified, rules:one, score")


def test_messages_say_which_method_and_which_moves(folder: Path) -> None:
    class Good:
        change = "set"

        def initial(self) -> tuple[frozenset[int], int]:
            return frozenset(), 0

        def moves(self, state: tuple[frozenset[int], int]) -> list[int]:
            return [n for n in range(9) if n not in state[0]] if len(state[0]) < 4 else []

        def play(self, state: tuple[frozenset[int], int], n: int) -> tuple[frozenset[int], int]:
            return state[0] | {n}, state[1] + n

        def undo(self, state: tuple[frozenset[int], int], n: int) -> object:
            return state[0] - {n}, state[1] - n

        def score(self, state: tuple[frozenset[int], int]) -> float:
            return state[1]

    class Nothing(Good):
        def undo(self, state: tuple[frozenset[int], int], n: int) -> object:
            return None

    class Same(Good):
        def code(self, state: object, n: int) -> int:
            return n // 2

    class Later(Good):
        change = "order"

        def moves(self, state: tuple[frozenset[int], int]) -> list[int]:
            return [n for n in range(9) if n not in state[0] and (n or len(state[0]) > 7)]

    told = {
        Nothing: "must return the state without the move, not None",
        Same: r"code\(\) gave two moves the same code, 0: 0 and 1, at the beginning",
        Later: r"0 cannot (come first|follow \[.*\]): let moves\(\) .* \(the game was \[",
    }
    for kind, said in told.items():
        with pytest.raises(AssertionError, match=said):
            nestor.testing.check_problem(kind(), playouts=40, report=False)


def test_a_cost_that_is_rarely_wrong_is_found() -> None:
    class Gaps:
        """Numbers in an order; `cost_of` is wrong for one order in ninety."""

        change = "order"

        def initial(self) -> tuple[int, ...]:
            return ()

        def moves(self, order: tuple[int, ...]) -> list[int]:
            return [number for number in range(10) if number not in order]

        def play(self, order: tuple[int, ...], number: int) -> tuple[int, ...]:
            return (*order, number)

        def score(self, order: tuple[int, ...]) -> float:
            return float(sum(place * number for place, number in enumerate(order)))

        def cost_of(self, order: list[int]) -> float:
            return self.score(tuple(order)) + (order[:2] == [3, 8])

    with pytest.raises(AssertionError, match="must return the score of the order"):
        nestor.testing.check_problem(Gaps(), report=False)
