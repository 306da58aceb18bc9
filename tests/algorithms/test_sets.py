"""Local search over sets: choices and values, in plain Python and compiled."""

from __future__ import annotations

import json
import pickle
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, LocalSearch
from nestor.problems.own import adapt
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from nestor.testing import check_contract, check_problem

SIZE = 5


@cache
def isosceles(a: int, b: int, c: int) -> bool:
    """Whether three points of the grid are the corners of an isosceles triangle, or on a line."""
    (x, y), (v, w), (s, t) = (divmod(p, SIZE) for p in (a, b, c))
    sides = (x - v) ** 2 + (y - w) ** 2, (x - s) ** 2 + (y - t) ** 2, (v - s) ** 2 + (w - t) ** 2
    return len(set(sides)) < 3


class Points:
    """Points of a grid of which no three are an isosceles triangle."""

    change = "set"

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        pairs = list(combinations(state, 2))
        free = (p for p in range(SIZE**2) if p not in state)
        return [p for p in free if not any(isosceles(p, a, b) for a, b in pairs)]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        return len(state)


class Undone(Points):
    """The same, and points can be taken back."""

    def undo(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return tuple(p for p in state if p != move)


class Signs:
    """Plus or minus at each place, with small correlations: a move for each place and sign."""

    change, sense, places = "set", "min", 13
    biases = ("plus",)

    def initial(self) -> tuple[int, ...]:
        return (0,) * self.places

    def moves(self, state: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(place, sign) for place, had in enumerate(state) if not had for sign in (-1, 1)]

    def play(self, state: tuple[int, ...], move: tuple[int, int]) -> tuple[int, ...]:
        return (*state[: move[0]], move[1], *state[move[0] + 1 :])

    def undo(self, state: tuple[int, ...], move: tuple[int, int]) -> tuple[int, ...]:
        return (*state[: move[0]], 0, *state[move[0] + 1 :])

    def score(self, state: tuple[int, ...]) -> float:
        shifted = (sum(a * b for a, b in zip(state, state[k:], strict=False)) for k in range(1, 13))
        return sum(product**2 for product in shifted)

    def plus(self, state: tuple[int, ...], move: tuple[int, int]) -> float:
        return 0.25 * move[1]


class Members:
    """Members of a random graph of which any two know each other; the sum of weights counts."""

    change = "set"

    def __init__(self, size: int) -> None:
        rng = np.random.default_rng(size)
        known = np.triu(rng.random((size, size)) < 0.6, 1)
        self.known = (known | known.T).astype(np.uint8)
        self.weights = rng.random(size)
        self.state = np.dtype([("weight", "f8"), ("strangers", "i4", (size,))])
        self.size = size

    def initial(self, s: Any) -> None:
        s.weight = 0.0

    def moves(self, s: Any, out: Any) -> None:
        for member in range(self.size):
            if s.strangers[member] == 0:
                out.add(member, bias=self.weights[member])

    def change_to(self, s: Any, member: int, by: int) -> None:
        s.weight += by * self.weights[member]
        for other in range(self.size):
            if not self.known[member, other]:
                s.strangers[other] += by

    def play(self, s: Any, member: int) -> None:
        self.change_to(s, member, 1)

    def score(self, s: Any) -> float:
        return s.weight  # type: ignore[no-any-return]


@nestor.compiled
class Slow(Members):
    """The same, where no move can be taken back."""


@nestor.compiled
class Clique(Members):
    """The same, where moves can be."""

    def undo(self, s: Any, member: int) -> None:
        self.change_to(s, member, -1)


class Ring:
    """Cells of a ring that cost 1 to 3 and reach others, until all are reached."""

    change, sense = "cover", "min"
    reach = (0, 1, 5, 11)

    def __init__(self, size: int = 24) -> None:
        self.size = size

    def initial(self) -> frozenset[int]:
        return frozenset()

    def reached(self, cell: int) -> set[int]:
        return {(cell + far) % self.size for far in self.reach}

    def moves(self, chosen: frozenset[int]) -> list[int]:
        done = set[int]().union(*map(self.reached, chosen))
        return [cell for cell in range(self.size) if not self.reached(cell) <= done]

    def bias(self, chosen: frozenset[int], cell: int) -> float:
        return float(len(self.reached(cell) - set[int]().union(*map(self.reached, chosen))))

    def play(self, chosen: frozenset[int], cell: int) -> frozenset[int]:
        return chosen | {cell}

    def score(self, chosen: frozenset[int]) -> int:
        return sum(1 + cell % 3 for cell in chosen)


class Undoing(Ring):
    """The same, where moves can be taken back."""

    def undo(self, chosen: frozenset[int], cell: int) -> frozenset[int]:
        return chosen - {cell}


class Times:
    """The same, to be compiled."""

    change, sense = "cover", "min"

    def __init__(self, size: int) -> None:
        self.size, self.reach = size, np.array(Ring.reach)
        self.state = np.dtype([("cost", "i4"), ("times", "i4", (size,))])

    def initial(self, s: Any) -> None: ...

    def moves(self, s: Any, out: Any) -> None:
        for cell in range(self.size):
            new = 0
            for far in self.reach:
                new += s.times[(cell + far) % self.size] == 0
            if new > 0:
                out.add(cell, bias=float(new))

    def change_to(self, s: Any, cell: int, by: int) -> None:
        s.cost += by * (1 + cell % 3)
        for far in self.reach:
            s.times[(cell + far) % self.size] += by

    def play(self, s: Any, cell: int) -> None:
        self.change_to(s, cell, 1)

    def score(self, s: Any) -> float:
        return s.cost  # type: ignore[no-any-return]


@nestor.compiled
class Replayed(Times):
    """The same, compiled."""


@nestor.compiled
class Taken(Times):
    """The same, where moves can be taken back."""

    def undo(self, s: Any, cell: int) -> None:
        self.change_to(s, cell, -1)


SETS: dict[str, Any] = {
    "plain": Undone,
    "replayed": Points,
    "values": Signs,
    "compiled": lambda: Clique(25),
    "cover": Undoing,
    "replayed cover": Ring,
    "compiled cover": lambda: Taken(40),
    "compiled cover without undo": lambda: Replayed(40),
    "twin": lambda: getattr(Clique(12), "twin"),  # noqa: B009
}


FAST = ("values", "compiled", "compiled cover")

NAMES = [
    *(name for name in SETS if not name.endswith("without undo")),
    pytest.param("compiled cover without undo", marks=pytest.mark.long),
]

at_length = pytest.mark.parametrize(
    ("named", "shorter"),
    [
        *((name, 1 if name in FAST else 8) for name in SETS if not name.endswith("without undo")),
        *(pytest.param(name, 1, marks=pytest.mark.long) for name in SETS if name not in FAST),
    ],
)
"""The kinds of sets, and how much shorter the runs of those are that play in Python."""


@pytest.fixture(params=NAMES)
def problem(request: pytest.FixtureRequest) -> Any:
    return SETS[request.param]()


pytestmark = pytest.mark.usefixtures("shared_code")


def test_the_rules_are_those_of_a_set(problem: Any) -> None:
    check_problem(problem, playouts=5)


def test_it_is_the_default_and_verified(problem: Any) -> None:
    result = nestor.solve(problem, playouts=500, seed=1)
    assert isinstance(result.algorithm, LocalSearch)
    assert result.verified
    assert result.playouts == result.evaluated == 500


def test_optima() -> None:
    best: Any = max(
        (chosen for n in range(9) for chosen in combinations(range(9), n)), key=_clique_of_nine
    )
    clique: Any = Clique(9)
    found = nestor.solve(clique, playouts=1000, seed=1)
    assert found.score == pytest.approx(_clique_of_nine(best))
    assert nestor.solve(Signs(), playouts=20_000, seed=1, target=6).score == 6  # a Barker code
    assert nestor.solve(Undone(), playouts=10_000, seed=1, target=7).score == 7
    for ring in (Undoing(13), Ring(13)):
        cover = nestor.solve(ring, playouts=3000, seed=1, target=_cover_of(ring))
        assert cover.score == _cover_of(ring)


@cache
def _cover_of(ring: Ring) -> int:
    """The least that cells cost that reach all, of all choices."""
    choices = (set(each) for n in range(14) for each in combinations(range(13), n))
    covers = (each for each in choices if len(set().union(*map(ring.reached, each))) == 13)
    return min(sum(1 + cell % 3 for cell in each) for each in covers)


def _clique_of_nine(chosen: tuple[int, ...]) -> float:
    problem = Clique(9)
    if not all(problem.known[a, b] for a, b in combinations(chosen, 2)):
        return 0.0
    return float(sum(problem.weights[list(chosen)]))


@at_length
@pytest.mark.parametrize("planned", [False, True])
def test_it_resumes_at_any_try(named: str, shorter: int, planned: bool) -> None:
    problem = SETS[named]()
    algorithm = LocalSearch(evaluations=8000 // shorter if planned else None)
    whole = Setup(adapt(problem), algorithm, 3).search(1)
    whole.advance(Limits(60.0, 1, 9000 // shorter))
    search = Setup(adapt(problem), algorithm, 3).search(1)
    for stop in (1, 2, 399, 2001, 3000, 6001, 6010, 6011, 6012, 6400, 7999, 9000):
        search.advance(Limits(60.0, 1, -(-stop // shorter)))
        saved, codes = search.save(), search.codes
        search = Setup(adapt(problem), algorithm, 3).search(1)
        search.restore(saved, codes)
    assert (search.score, search.moves) == (whole.score, whole.moves)
    assert [each["playouts"] for each in search.improvements[0]] == [
        each["playouts"] for each in whole.improvements[0]
    ]


@at_length
def test_a_checkpoint_goes_on(named: str, shorter: int, tmp_path: Path) -> None:
    problem, path, playouts = SETS[named](), tmp_path / "run.ckpt", 7000 // shorter
    nestor.solve(problem, LocalSearch(), playouts=2500 // shorter, seed=2, checkpoint=path)
    resumed = nestor.resume(path, problem=problem, playouts=playouts)
    whole = nestor.solve(problem, LocalSearch(), playouts=playouts, seed=2)
    assert (resumed.score, resumed.moves) == (whole.score, whole.moves)


@pytest.mark.parametrize(
    ("named", "playouts"),
    [pytest.param("plain", 600, marks=pytest.mark.long), ("compiled", 4000)],
)
def test_threads_and_workers_change_nothing(named: str, playouts: int) -> None:
    ways: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}, {"workers": 2}]
    how: Any = {"playouts": playouts, "jobs": 2, "seed": 4}
    results = [nestor.solve(SETS[named](), **how, **way) for way in ways]
    assert results[0].algorithm == LocalSearch(evaluations=playouts // 2)
    assert len({(result.score, tuple(result.moves)) for result in results}) == 1


@pytest.mark.long
def test_undo_changes_the_speed_and_not_the_rules() -> None:
    pairs: Any = [(Undone(), Points()), (Clique(25), Slow(25))]
    for quick, slow in pairs:
        results = [nestor.solve(each, playouts=500, seed=1) for each in (quick, slow)]
        assert results[0].score == pytest.approx(results[1].score, rel=0.2)


def test_the_bias_draws() -> None:
    class Biased(Signs):
        """So strong a bias that the first game is known."""

        def plus(self, state: tuple[int, ...], move: tuple[int, int]) -> float:
            return 0.0 if move[1] == 1 else -np.inf

    first = nestor.solve(Biased(), LocalSearch(), playouts=1, seed=1)
    assert {sign for _, sign in first.moves} == {1}
    assert first.bias == "plus"


def test_a_sequence_from_outside_is_taken_over() -> None:
    problem: Any = Clique(25)
    best = nestor.solve(problem, playouts=20_000, seed=1)
    again = nestor.solve(problem, LocalSearch(), playouts=2, seed=9, initial=best)
    assert again.score == best.score


def test_local_search_needs_a_promise() -> None:
    class Unsaid(Points):
        change = "none"

    with pytest.raises(InputError, match=r'Unsaid has none: .* "set" or "cover"'):
        nestor.solve(Unsaid(), LocalSearch(), playouts=10)
    with pytest.raises(InputError, match=r"polish changes single decisions; .*LocalSearch"):
        nestor.solve(Points(), nestor.NRPA(2, 5, polish=True), playouts=10)


@pytest.mark.long
def test_decisions_of_compiled_classes() -> None:
    rules = type("Decided", (Members,), {"change": "decisions"})
    problem = nestor.compiled(rules)(20)
    check_problem(problem, playouts=5)
    result = nestor.solve(problem, nestor.NRPA(2, 20, polish=True), seed=1)
    assert result.verified
    assert result.evaluated > 0


def fits(chosen: tuple[int, ...]) -> bool:
    return not any(isosceles(*three) for three in combinations(chosen, 3))


def clashes(colours: dict[str, int]) -> int:
    return sum(colours[a] == colours[b] for a, b in ("AB", "BC", "CD", "DA", "AC"))


def length(order: list[str]) -> int:
    return sum(abs(ord(a) - ord(b)) for a, b in pairwise(order))


SUBSET = nestor.Subset(SIZE**2, fits, len)
ORDER = nestor.Order(list("ZEBRAWHIT"), length)
OWN_VALUES = nestor.Assignment(
    list("ABCD"), {"A": [0], "B": [0, 1], "C": [1, 2], "D": [1]}, clashes
)
ASSIGNMENT = nestor.Assignment(list("ABCD"), 3, clashes)


@pytest.mark.parametrize(
    ("made", "best"), [(SUBSET, 7), (ORDER, 25), (ASSIGNMENT, 0), (OWN_VALUES, 0)]
)
def test_problems_in_one_line(made: Any, best: int, tmp_path: Path) -> None:
    check_problem(made, playouts=3)
    result = nestor.solve(made, playouts=5000, seed=1, target=best)
    assert result.score == best
    again = type(made).from_dict(json.loads(json.dumps(made.to_dict())))
    result.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json", problem=again).verified
    assert pickle.loads(pickle.dumps(made)).to_dict() == made.to_dict()


def test_what_a_problem_in_one_line_refuses() -> None:
    for wrong, told in (
        (lambda: nestor.Subset([1, 1], fits, len), "1 is there twice"),
        (lambda: nestor.Subset(-5, fits, len), "items must be 0 to 1000000, not -5"),
        (lambda: nestor.Subset([[]], fits, len), "items must be hashable"),  # type: ignore[list-item]
        (lambda: nestor.Subset(3, fits, 7), "value must be a function, not 7"),  # type: ignore[arg-type]
        (lambda: nestor.Subset(3, lambda chosen: False, len), "is a nestor.Cover"),
        (lambda: nestor.Subset(3, fits, len, sense="up"), "sense must be"),  # type: ignore[arg-type]
        (lambda: nestor.Assignment(2, {0: [1]}, clashes), "the values of each variable"),
        (lambda: nestor.Assignment(2, {0: [1], 1: []}, clashes), "1 has none"),
    ):
        with pytest.raises(InputError, match=told):
            wrong()
    data = nestor.Subset(3, lambda chosen: True, len).to_dict()
    with pytest.raises(InputError, match="cannot be imported: give the problem, or write"):
        nestor.Subset.from_dict(data)


FITS: dict[str, tuple[Any, str]] = {
    "not three": (lambda chosen: len(chosen) != 3, r"true of \(.*\), and not without \d"),
    "not one": (lambda chosen: len(chosen) != 1, r"true of \((\d+), (\d+)\), and not without"),
    "a pair": (lambda chosen: (2 in chosen) == (5 in chosen), "and not without [25]"),
}


@pytest.mark.parametrize("name", FITS)
def test_a_part_that_does_not_fit_is_found(name: str) -> None:
    fits, told = FITS[name]
    with pytest.raises(AssertionError, match=told):
        check_contract(nestor.Subset(12, fits, len))


def test_what_floats_do_to_moves_is_named_and_no_undo_blamed_for_a_set_that_is_none() -> None:
    class Tenths:
        change = "set"

        def initial(self) -> Any:
            return frozenset(), 1.0

        def moves(self, state: Any) -> list[int]:
            return [i for i in range(1, 9) if i not in state[0] and i * 0.1 <= state[1]]

        def play(self, state: Any, thing: int) -> Any:
            return state[0] | {thing}, state[1] - thing * 0.1

        def undo(self, state: Any, thing: int) -> Any:
            return state[0] - {thing}, state[1] + thing * 0.1

        def score(self, state: Any) -> float:
            return len(state[0])

    class After(Tenths):
        def moves(self, state: Any) -> list[int]:
            free = [i for i in range(40) if i not in state[0] and len(state[0]) < 20]
            return [i for i in free if i != 39 or 3 in state[0]]

    with pytest.raises(AssertionError, match="floats are rounded, so count in whole numbers"):
        check_contract(Tenths())
    for seed in range(5):
        with pytest.raises(AssertionError, match=r'change is "set": any .*, but 39 cannot'):
            check_contract(After(), seed=seed)


class Blocking:
    """Numbers that rule each other out, and how often each is ruled out; one undo forgets once."""

    change = "set"
    rules_out = tuple(tuple(j for j in range(16) if (i * j + i + j) % 5 == 2) for i in range(16))
    odd = 11

    def initial(self) -> Any:
        return frozenset(), (0,) * 16

    def moves(self, state: Any) -> list[int]:
        return [i for i in range(16) if i not in state[0] and not state[1][i]]

    def play(self, state: Any, thing: int) -> Any:
        return state[0] | {thing}, self._changed(state[1], thing, 1)

    def undo(self, state: Any, thing: int) -> Any:
        return state[0] - {thing}, self._changed(state[1], thing, -1)

    def score(self, state: Any) -> float:
        return len(state[0])

    def _changed(self, times: Any, thing: int, by: int) -> Any:
        changed = self.rules_out[thing][by < 0 and thing == self.odd :]
        return tuple(each + by * (i in changed) for i, each in enumerate(times))


def test_the_undo_that_leaves_a_trace_is_blamed_also_if_it_shows_after_another() -> None:
    for seed in range(30):
        with pytest.raises(AssertionError, match=r"^undo\(11\) must .* is not with 11 played, too"):
            check_contract(Blocking(), seed=seed)


def test_no_undo_is_blamed_for_a_score_of_the_order() -> None:
    class First(Blocking):
        odd = -1

        def play(self, state: Any, thing: int) -> Any:
            return *super().play(state, thing), *state[2:], thing

        def undo(self, state: Any, thing: int) -> Any:
            return *super().undo(state, thing), *(each for each in state[2:] if each != thing)

        def score(self, state: Any) -> float:
            return len(state[0]) + int(state[2] == 3)

    for seed in range(15):
        with pytest.raises(AssertionError, match=r'^change is "set": .*, but score\(\) is'):
            check_contract(First(), seed=seed)


def test_what_a_set_promises_comes_first_and_long_games_are_cut_off() -> None:
    class Last:
        change = "set"

        def initial(self) -> tuple[str, ...]:
            return ()

        def moves(self, chosen: tuple[str, ...]) -> list[str]:
            return [name for name in map("thing {}".format, range(40)) if name not in chosen]

        def play(self, chosen: tuple[str, ...], name: str) -> tuple[str, ...]:
            return (*chosen, name)

        def score(self, chosen: tuple[str, ...]) -> int:
            return int(chosen[-1].split()[1])

    said = r"^change is \"set\": any subset of the moves of a game must be legal in any order, "
    said += ".*, but "
    said += r"score\(\) is .* after \['thing \d+', .{100,160}\.\.\. \(40 moves\) it is"
    with pytest.raises(AssertionError, match=said):
        check_contract(Last())


class Fading(Ring):
    """Cells of which too many are not enough."""

    def moves(self, chosen: frozenset[int]) -> list[int]:
        others = [cell for cell in range(self.size) if cell not in chosen]
        return super().moves(chosen) if len(chosen) < 9 else others


class Waking(Ring):
    """A cell that can be chosen after another one."""

    def moves(self, chosen: frozenset[int]) -> list[int]:
        return [cell for cell in super().moves(chosen) if cell != 7 or 5 in chosen]


class Twice(Ring):
    """Cells that can be chosen again."""

    def moves(self, chosen: frozenset[int]) -> list[int]:
        legal = super().moves(chosen)
        return sorted({*legal, *chosen}) if legal else []


class Counting(Undoing):
    """An undo that leaves a trace."""

    def undo(self, chosen: frozenset[int], cell: int) -> frozenset[int]:
        return chosen - {cell} | ({cell + 1} & {3})


class Forbidding(Ring):
    """Cells that must not stand side by side."""

    def moves(self, chosen: frozenset[int]) -> list[int]:
        return [cell for cell in super().moves(chosen) if not {cell - 1, cell + 1} & chosen]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Forbidding, "needs a penalty in the score"),
        (Fading, "is legal after|game is not over"),
        (Waking, "7 is legal after|7 cannot come first"),
        (Twice, "a move is played twice|is legal after"),
        (Counting, r"undo\("),
    ],
)
def test_what_is_no_cover_is_told(wrong: type[Ring], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        check_contract(wrong())


def test_the_best_cover_has_nothing_needless() -> None:
    for seed in range(20):
        rings: tuple[Any, ...] = Ring(), Undoing(), Taken(24)
        for ring in rings:
            moves = nestor.solve(ring, playouts=1 + seed % 3, seed=seed).moves
            for move in moves:
                others = frozenset(moves) - {move}
                assert Ring().moves(others)


class Guests:
    """16 guests at 4 tables of 4: what those like each other who share a table, less for crowds."""

    change = "set"
    count, tables = 16, 4

    def __init__(self, pairs: bool) -> None:
        self.pairs = pairs
        self.like = np.random.default_rng(1).integers(-9, 10, (self.count, self.count))

    def initial(self) -> tuple[int, ...]:
        return (-1,) * self.count

    def moves(self, state: tuple[int, ...]) -> list[Any]:
        free = [guest for guest in range(self.count) if state[guest] < 0]
        moves = [(guest, table) for guest in free for table in range(self.tables)]
        return moves if self.pairs else [guest * self.tables + table for guest, table in moves]

    def play(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
        guest, table = move if self.pairs else divmod(move, self.tables)
        return (*state[:guest], table, *state[guest + 1 :])

    def undo(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
        guest = move[0] if self.pairs else move // self.tables
        return (*state[:guest], -1, *state[guest + 1 :])

    def score(self, state: tuple[int, ...]) -> float:
        seats = np.array(state)
        crowd = np.maximum(0, np.bincount(seats, minlength=self.tables) - 4).sum()
        return float(self.like[seats[:, None] == seats].sum() - 1000 * crowd)


@nestor.compiled
class Seated:
    """The same compiled; `value_count` says that moves are guests with tables, or nothing."""

    change = "set"

    def __init__(self, value_count: int) -> None:
        self.like = np.random.default_rng(1).integers(-9, 10, (16, 16))
        self.code_count, self.value_count = 64, value_count
        self.state = np.dtype([("at", "i8", 16)])

    def initial(self, s: Any) -> None: ...

    def moves(self, s: Any, out: Any) -> None:
        for guest in range(16):
            if s.at[guest] == 0:
                for table in range(4):
                    out.add(guest * 4 + table)

    def play(self, s: Any, move: int) -> None:
        s.at[move // 4] = 1 + move % 4

    def undo(self, s: Any, move: int) -> None:
        s.at[move // 4] = 0

    def score(self, s: Any) -> Any:
        worth = 0
        for table in range(1, 5):
            sits = 0
            for guest in range(16):
                if s.at[guest] == table:
                    sits += 1
                    for other in range(16):
                        if s.at[other] == table:
                            worth += self.like[guest, other]
            worth -= 1000 * max(0, sits - 4)
        return worth


@nestor.compiled
class Queued(Seated.rules):  # type: ignore[misc, name-defined]
    """An order, whose moves are no variables with values."""

    change = "order"

    def __init__(self) -> None:
        super().__init__(4)


def test_variables_exchange_their_values() -> None:
    """By moves that are pairs, or by `value_count`: both alike, and better with full tables."""

    def found(problem: Any) -> list[float]:
        return [nestor.solve(problem, playouts=1500, seed=seed).score for seed in range(4)]

    alike, otherwise = found(Guests(pairs=True)), found(Guests(pairs=False))
    assert (found(Seated(4)), found(Seated(0))) == (alike, otherwise)
    compiled: Any = Seated(4)
    assert found(compiled.twin) == alike
    assert sum(alike) > sum(otherwise) + 100
    with pytest.raises(InputError, match=r'value_count .* needs change = "set"'):
        Queued()


def test_an_assignment_in_one_line_is_searched_as_a_free_one() -> None:
    guests = Guests(pairs=True)
    free = nestor.Assignment(16, 4, lambda at: guests.score(tuple(at.values())), sense="max")
    of_class, of_line = (
        sum(nestor.solve(problem, playouts=3000, seed=seed).score for seed in range(4))
        for problem in (guests, free)
    )
    assert of_line > of_class + 20


class Barred:
    """Three of six numbers; the bias forbids the one that is worth most."""

    change = "set"

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [number for number in range(6) if number not in state] if len(state) < 3 else []

    def bias(self, state: tuple[int, ...], number: int) -> float:
        return -np.inf if number == 0 else 0.0

    def play(self, state: tuple[int, ...], number: int) -> tuple[int, ...]:
        return (*state, number)

    def undo(self, state: tuple[int, ...], number: int) -> tuple[int, ...]:
        return tuple(other for other in state if other != number)

    def score(self, state: tuple[int, ...]) -> float:
        return sum(100 if number == 0 else number for number in state)


def test_what_a_bias_forbids_is_not_tried() -> None:
    """In no variant, as long as something else is legal."""
    assert nestor.solve(Barred(), LocalSearch(), playouts=9000, seed=1).score == 12
