"""What a compiled class or a library does wrong in states that only some games reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, RulesError, VerificationError
from nestor.testing import check_problem
from support.parts import partly

pytest.importorskip("numba", reason="needs the extra compiled")

DEEP = 9
"""How many steps to the right lead to the fault: one of 20,000 random games has them."""


class Seldom:
    """Twelve steps to the left, ahead or to the right; only the last count."""

    state = np.dtype([("steps", "i8"), ("right", "i8"), ("value", "i4")])

    def __init__(self, fault: int, code_count: int, far: int = 1) -> None:
        self.fault, self.count, self.far = fault, code_count, far
        self.code_count = code_count

    def initial(self, s: Any) -> None:
        s.value = 0

    def moves(self, s: Any, out: Any) -> None:
        if s.steps < 12:
            for i in range(3):
                # The last comes first: codes that rise are seen to differ at once.
                code = (s.steps * 3 + 2 - i) * self.far
                if s.right == DEEP:
                    if self.fault == 1 and i == 2:
                        code += 2 * self.far
                    if self.fault == 2:
                        code += self.count
                    if self.fault == 3:
                        code = -1 - i
                    if self.fault == 4:
                        code += 1 << 40
                out.add(i, code)

    def play(self, s: Any, i: int) -> None:
        s.steps += 1
        s.right += i == 2
        if self.fault == 5 and s.right == DEEP:
            s.value += 2_000_000_000
        if self.fault == 6 and s.right == DEEP:
            s.value = 7 // (s.steps - s.steps)
        s.value += i == 2

    def score(self, s: Any) -> float:
        if self.fault == 7 and s.right == DEEP:
            return float((s.right + 1) << 62)
        if self.fault == 8 and s.right == DEEP:
            return abs(float(s.value * 1_000_000_000 * 1_000_000_000 * 1_000_000_000))
        return float(s.value)


Checked = nestor.compiled(Seldom)
Unchecked = nestor.compiled(unchecked=True)(Seldom)


pytestmark = pytest.mark.usefixtures("shared_code")


def solved(problem: Any) -> nestor.Result:
    return nestor.solve(problem, nestor.NRPA(3, 20), seed=1)


@pytest.mark.parametrize(
    ("fault", "code_count", "far", "said"),
    [
        (1, 0, 1, "gave two moves the same code"),
        (1, 0, 1 << 33, "gave two moves the same code"),
        (1, 36, 1, "gave two moves the same code"),
        (1, 36_000, 1000, "gave two moves the same code"),
        (2, 36, 1, "is not below the number of codes"),
        (3, 36, 1, "is not below the number of codes"),
        (4, 36, 1, "is not below the number of codes"),
    ],
)
def test_codes_are_checked_in_states_that_few_games_reach(
    fault: int, code_count: int, far: int, said: str
) -> None:
    with pytest.raises(
        RulesError, match=rf"moves\(\) {said}|moves\(\) gave a code.*{said}|gave the code .*{said}"
    ) as caught:
        solved(Checked(fault, code_count, far))
    assert caught.value.moves.count(2) == DEEP
    result: Any = caught.value.nestor_result  # type: ignore[attr-defined]
    assert result.verified
    assert 0 < result.score <= DEEP


def test_unchecked_codes_may_come_twice_but_not_be_out_of_range() -> None:
    assert solved(Unchecked(1, 36)).score == 12.0
    with pytest.raises(RulesError, match="is not below the number of codes"):
        solved(Unchecked(2, 36))


def test_codes_in_range_that_differ_are_fine() -> None:
    for code_count, far in ((0, 1), (0, 1 << 33), (36, 1), (36_000, 1000)):
        assert solved(Checked(0, code_count, far)).score == 12.0


@pytest.mark.parametrize("fault", [5, 7, 8])
@pytest.mark.parametrize("kind", partly([Checked, Unchecked], Checked))
def test_an_overflow_is_found_when_the_best_is_replayed(kind: Any, fault: int) -> None:
    """The compiled form wraps around where Python does not: its best cannot be trusted."""
    problem = kind(fault, 0)
    problem.core()  # The trial does not meet it.
    overflown = [2] * DEEP + [0] * (12 - DEEP)
    score = problem.core().judge(_after(problem.core(), overflown), False)
    with pytest.raises(VerificationError):
        problem.solution(overflown).confirm(score)


@pytest.mark.parametrize("fault", [5, 7, 8])
def test_no_result_is_one_of_an_overflow(fault: int) -> None:
    """It is refused; whatever comes instead, the class as it is written says so, too."""
    problem = Checked(fault, 0)
    try:
        result = solved(problem)
    except VerificationError as error:
        result = error.nestor_result  # type: ignore[attr-defined]
    twin = problem.twin
    state = twin.initial()
    for move in result.moves:
        state = twin.play(state, move)
    assert twin.score(state) == result.score


def _after(core: Any, moves: list[int]) -> bytes:
    state = core.initial()
    for move in moves:
        state = core.play(state, move)
    return state  # type: ignore[no-any-return]


def test_what_python_raises_refuses_a_result() -> None:
    """Whatever the compiled form says, the class as it is written has the last word."""
    moves = [2] * DEEP + [0] * (12 - DEEP)
    for fault, said in ((5, "OverflowError"), (6, "ZeroDivisionError")):
        with pytest.raises(
            VerificationError, match=rf"replaying .* failed: {said}.*after the moves"
        ):
            Checked(fault, 0).solution(moves).confirm(9.0)
    with pytest.raises(VerificationError, match=r"move number 1 \(3\) is not legal"):
        Checked(0, 0).solution([3]).confirm(9.0)


FIELDS: dict[str, tuple[Any, str]] = {
    "overlapping": (
        {"names": ["a", "b"], "formats": ["i8", "i8"], "offsets": [0, 4]},
        "'b' must begin behind the one before it, which ends at byte 8, not at byte 4",
    ),
    "out of order": (
        {"names": ["a", "b"], "formats": ["i8", "i8"], "offsets": [8, 0]},
        "'b' must begin behind the one before it, which ends at byte 16, not at byte 0",
    ),
    "the same place": (
        {"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [0, 0]},
        "'b' must begin behind",
    ),
    "overlapping arrays": (
        {"names": ["a", "b"], "formats": [("i4", 3), ("f8", 2)], "offsets": [0, 8]},
        "'b' must begin behind",
    ),
    **{
        f"foreign {kind}": (
            [("a", f"{'<' if np.little_endian else '>'}i4"), ("b", kind)],
            "'b' must have native byte order",
        )
        for kind in (np.dtype(k).newbyteorder("S").str for k in ("i2", "i8", "u4", "f8"))
    },
}


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_that_lie_wrongly_are_named(kind: str) -> None:
    fields, said = FIELDS[kind]
    rules = type("Wrong", (Seldom,), {"state": np.dtype(fields)})
    with pytest.raises(InputError, match=f"state of Wrong: the field {said}"):
        nestor.compiled(rules)(0, 0)


@pytest.mark.long
def test_fields_may_have_room_between_them() -> None:
    spaced = np.dtype(
        {
            "names": ["steps", "right", "value"],
            "formats": ["i8", "i8", "i4"],
            "offsets": [8, 16, 40],
        }
    )
    problem = nestor.compiled(type("Spaced", (Seldom,), {"state": spaced}))(0, 0)
    check_problem(problem)
    assert solved(problem).score == 12.0


@pytest.mark.parametrize("kind", partly(["i4", "u2", "i8", "f4", "f8"], "u2"))
def test_attributes_of_any_byte_order_are_read(kind: str) -> None:
    class Weights:
        state = np.dtype([("n", "i8"), ("sum", "f8")])

        def __init__(self, order: Any) -> None:
            self.weights = np.array([[1, 300], [2, 5]], dtype=np.dtype(kind).newbyteorder(order))

        def initial(self, s: Any) -> None:
            s.n = 0

        def moves(self, s: Any, out: Any) -> None:
            if s.n < 2:
                for i in range(2):
                    out.add(i, 2 * s.n + i)

        def play(self, s: Any, i: int) -> None:
            s.sum += self.weights[s.n, i]
            s.n += 1

        def score(self, s: Any) -> float:
            return s.sum  # type: ignore[no-any-return]

    for order in "<>":
        problem: Any = nestor.compiled(Weights)(order)
        assert nestor.solve(problem, nestor.NRPA(1, 20), seed=1).score == 305.0
        same = type(problem).from_dict(problem.to_dict())
        assert np.array_equal(same.weights, problem.weights)


def _changed(name: str) -> dict[str, Any]:
    """Return a method that is wrong in one way."""

    def field(self: Any, s: Any) -> None:
        s.points = 0

    def generator(self: Any, s: Any, out: Any) -> Any:
        yield out.add(s.steps)

    async def coroutine(self: Any, s: Any) -> float:
        return 1.0

    def equal(self: Any, s: Any, out: Any) -> None:
        if s.steps < 3:
            out.add(1, 2 * s.steps)
            out.add(1, 2 * s.steps + 1)

    def writes(self: Any, s: Any) -> float:
        s.value += 1
        return 1.0

    def gives(self: Any, s: Any, move: Any) -> tuple[int, ...]:
        return s.steps + 1, move

    def itself(self: Any, s: Any) -> float:
        return self.score(s)  # type: ignore[no-any-return]

    def text(self: Any, s: Any) -> float:
        return float(str(float(s.value)))

    table = np.zeros(3)

    def keeps(self: Any, s: Any) -> float:
        table[0] += 1
        return 1.0

    known = [1]

    def listed(self: Any, s: Any) -> float:
        return 1.0 + known[0]

    def new(cls: type, *given: Any) -> Any:
        return 3

    methods: dict[str, tuple[Any, ...]] = {
        "initial": (field,),
        "moves": (generator, equal),
        "play": (gives,),
        "score": (coroutine, writes, itself, text, keeps, listed),
        "__new__": (new,),
    }
    return {m: f for m, fs in methods.items() for f in fs if f.__name__ == name}


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("field", InputError, "the state has no field 'points': add it to the dtype"),
        ("generator", InputError, r"moves must be written as moves\(self, s, out\)"),
        ("coroutine", InputError, r"score must be written as score\(self, s\)"),
        ("equal", RulesError, r"moves\(\) gave the move .* twice"),
        ("writes", RulesError, r"score\(\) must not change the state"),
        ("gives", RulesError, r"play\(\) must change the state in place, and return nothing"),
        pytest.param("itself", InputError, "a method cannot call itself", marks=pytest.mark.long),
        pytest.param("text", InputError, "cannot be compiled: ValueError", marks=pytest.mark.long),
        pytest.param(
            *("keeps", InputError, "Cannot modify readonly array.*stay as they are"),
            marks=pytest.mark.long,
        ),
        pytest.param("listed", InputError, "keep such things in arrays", marks=pytest.mark.long),
        ("new", InputError, r"must make an instance with attributes, not 3"),
    ],
)
def test_what_a_class_does_wrong_is_said(name: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        solved(nestor.compiled(type("Wrong", (Seldom,), _changed(name)))(0, 0))


def test_methods_of_plain_classes_that_mean_nothing_are_told() -> None:
    def cost_of(self: Any, order: Any) -> float:
        raise RuntimeError

    def bias(self: Any, s: Any, out: Any) -> None:
        out.add(s.steps)

    def moves(self: Any, s: Any, out: Any) -> None:
        if s.steps < 3:
            self.bias(s, out)

    rules = {"cost_of": cost_of, "bias": bias, "moves": moves, "item": np.zeros(3)}
    problem: Any = nestor.compiled(type("Mixed", (Seldom,), rules))
    with pytest.warns(RuntimeWarning) as told:
        made = problem(0, 0)
    (said,) = made.slips
    assert said == str(told[0].message)
    assert said.startswith("Mixed.cost_of is not used: a search of a compiled class")


def test_a_class_that_has_no_attributes_is_refused() -> None:
    rules = {**vars(Seldom), "__slots__": ("fault", "count", "far", "code_count")}
    for name in ("__dict__", "__weakref__"):
        rules.pop(name)
    with pytest.raises(InputError, match="must make an instance with attributes"):
        nestor.compiled(type("Slots", (), rules))(0, 0)
