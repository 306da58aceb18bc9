"""A zoo of bad problems: a clear error or a correct result, the best kept, the process alive."""

from __future__ import annotations

import functools
import itertools
import random
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from operator import mul
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

import nestor
from nestor import GNRPA, NMCS, NRPA, BeamNRPA, LocalSearch, Sampling
from nestor.problems import faults
from nestor.problems.own import OwnSolution
from nestor.testing import check_problem
from robustness.sandbox import outcomes
from support.commands import HOUR
from support.parts import partly


class Good:
    """Numbers, no two of them neighbours, with a great sum: what the beasts spoil."""

    values = (3, 9, 4, 1, 7, 8, 2, 6)
    calls = 0

    def initial(self) -> Any:
        return ()

    def moves(self, state: Any) -> Any:
        return list(range(state[-1] + 2 if state else 0, len(self.values)))

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def score(self, state: Any) -> Any:
        return float(sum(self.values[i] for i in state))


def late(usual: Any, then: Callable[[], Any], first: int = 90, last: float = 1e9) -> Any:
    """Return a method that is the usual one, but for its calls of these numbers."""

    def method(self: Any, *arguments: Any) -> Any:
        self.calls += 1
        return then() if first < self.calls <= last else usual(self, *arguments)

    return method


def throw(kind: type[BaseException]) -> Callable[[], Any]:
    """Return what raises an error."""

    def then() -> Any:
        raise kind("here")

    return then


def beast(**methods: Any) -> Any:
    """Return a problem that is good but for some methods."""
    return type("Beast", (Good,), methods)()


def recursion() -> Any:
    return recursion()


def within(self: Any, state: Any) -> float:
    return nestor.solve(Good(), Sampling(), playouts=2).score + len(state)


class Odd:
    """A move that cannot be compared, and whose hash fails."""

    def __eq__(self, other: object) -> bool:
        raise ArithmeticError("not comparable")

    def __hash__(self) -> int:
        raise ArithmeticError("no hash")


class Shared(Good):
    """Its states are one list, which play changes."""

    def __init__(self) -> None:
        self.state: list[int] = []

    def initial(self) -> Any:
        return self.state

    def play(self, state: Any, move: Any) -> Any:
        state.append(move)
        return state


class InPlace(Shared):
    """Its play changes the state, which initial makes anew."""

    def initial(self) -> Any:
        return []


dice = random.Random(0)


def shuffled(moves: list[Any]) -> list[Any]:
    return dice.sample(moves, len(moves))


DIED = (SystemExit, KeyboardInterrupt, GeneratorExit, ZeroDivisionError, MemoryError, OSError)

CORRECT = {
    "good": beast(),
    "moves from a generator": beast(moves=lambda self, state: iter(Good.moves(self, state))),
    "moves in an array": beast(moves=lambda self, state: np.array(Good.moves(self, state))),
    "moves in a set": beast(moves=lambda self, state: set(Good.moves(self, state))),
    "one code for all": beast(code=lambda self, state, move: 0),
    "codes of mixed types": beast(
        code=lambda self, state, move: (move, str(move), (move,))[move % 3]
    ),
    "a solve within": beast(score=within),
    "scores of NumPy": beast(score=lambda self, state: np.float32(len(state))),
    "scores of True": beast(score=lambda self, state: bool(state)),
    "scores as fractions": beast(score=lambda self, state: Fraction(len(state), 3)),
    "scores as decimals": beast(score=lambda self, state: Decimal(len(state))),
    "all scores -inf": beast(score=lambda self, state: float("-inf")),
    "all moves forbidden": beast(bias=lambda self, state, move: float("-inf")),
    "over at once": beast(moves=lambda self, state: []),
    "states that are None": beast(
        initial=lambda self: None, moves=lambda self, state: [], score=lambda self, state: 1
    ),
    "state changed by moves": beast(
        initial=lambda self: [], play=lambda self, state, move: [*state, move]
    ),
    "prints": beast(score=lambda self, state: print(end="") or 1.0),
    "warns": beast(score=lambda self, state: warnings.warn("odd", stacklevel=1) or 1.0),
    "100,000 moves": beast(
        moves=lambda self, state: () if state else range(100_000), score=lambda self, state: 1
    ),
}
"""What holds the contract, or what a search can do without."""

# The word that the error must have: the method at fault.
WRONG = {
    "no moves": (beast(moves=None), "moves"),
    "a mock": (MagicMock(), "moves|score|optimum|biases"),
    "a class": (Good, "instance|missing|Good"),
    "moves that are None": (beast(moves=lambda self, state: None), "moves"),
    "moves that are a number": (beast(moves=lambda self, state: 3), "moves"),
    "unhashable codes": (beast(code=lambda self, state, move: [move]), "code"),
    "unhashable moves": (beast(moves=lambda self, state: () if state else [[1], [2]]), "code|hash"),
    "odd moves": (beast(moves=lambda self, state: () if state else [Odd(), Odd()]), "no hash|code"),
    "codes in arrays": (beast(code=lambda self, state, move: np.array([move])), "code"),
    "score None": (beast(score=lambda self, state: None), "score"),
    "score a text": (beast(score=lambda self, state: "3"), "score"),
    "score a tuple": (beast(score=lambda self, state: (3, 4)), "attribute objectives"),
    "score NaN": (beast(score=lambda self, state: float("nan")), "score"),
    "score inf": (beast(score=lambda self, state: float("inf")), r"score\(\) must not return inf"),
    "score 10^400": (beast(score=lambda self, state: 10**400), "score"),
    "score complex": (beast(score=lambda self, state: 1j), "score"),
    "bias NaN": (beast(bias=lambda self, state, move: float("nan")), "bias"),
    "bias inf": (beast(bias=lambda self, state, move: float("inf")), "bias"),
    "bias None": (beast(bias=lambda self, state, move: None), "bias"),
    "bias 1000": (beast(bias=lambda self, state, move: 1000), "bias"),
    "optimum NaN": (beast(optimum=float("nan")), "optimum"),
    "optimum 10^400": (beast(optimum=10**400), "optimum"),
    "too few arguments": (beast(play=lambda self, state: state), "play|argument"),
    "recursion": (beast(score=lambda self, state: recursion()), "recursion"),
    "recursion in code": (beast(code=lambda self, state, move: recursion()), "recursion"),
    "a shared initial state": (Shared(), "initial|play"),
    "states changed in place": (InPlace(), "play|result 24.0"),
    "moves that get fewer": (beast(moves=late(Good.moves, lambda: [])), "moves"),
    "moves that get lost": (beast(moves=late(Good.moves, lambda: None)), "moves"),
    "moves in any order": (
        beast(moves=lambda self, state: shuffled(Good.moves(self, state))),
        "moves",
    ),
    "moves that differ": (
        beast(
            moves=lambda self, state: () if len(state) > 3 else dice.sample(range(99), 3),
            score=lambda self, state: sum(state),
        ),
        "moves",
    ),
    "random length": (
        beast(moves=lambda self, state: [] if dice.random() < 0.2 else Good.moves(self, state)),
        "moves",
    ),
    "random scores": (beast(score=lambda self, state: dice.random()), "score"),
    "random initial states": (beast(initial=lambda self: (dice.randrange(5),)), "initial|moves"),
}

IMPURE = (
    "a shared initial state",
    "moves that get fewer",
    "moves in any order",
    "moves that differ",
    "random scores",
)
"""Whose best sequence cannot be played again."""

FAILS = {
    f"{kind.__name__} in {method}": beast(
        **{method: late(getattr(Good, method), throw(kind), 90, 91)}
    )
    for method in ("initial", "moves", "play", "score")
    for kind in DIED
}
"""What fails once, at the 91st call."""

ENDLESS = {
    "endless": beast(moves=lambda self, state: [0, 1], play=lambda self, state, move: ()),
    "endless and growing": beast(
        moves=lambda self, state: [0, 1], play=lambda self, state, move: (*state, move)
    ),
    "endless after a while": beast(moves=late(Good.moves, lambda: [0], 200)),
    "play that forgets": beast(play=lambda self, state, move: None),
    "play that forgets after a while": beast(play=late(Good.play, lambda: (), 20)),
    "moves without end": beast(moves=lambda self, state: itertools.count()),
}
"""Games that never end."""

ALGORITHMS = [GNRPA(2, 20), NMCS(1), BeamNRPA(1, 20)]
SLOW = ("100,000 moves", "a solve within")


def but_slow(names: Iterable[str], step: int = 1) -> list[Any]:
    """Return names as parameters; those of slow problems are long, and all but every so many."""
    every = list(names)
    return partly(every, *(name for name in every[::step] if name not in SLOW))


def solve(problem: Any, algorithm: Any = ALGORITHMS[0], **more: Any) -> str:
    """Search, and tell what came of it: the result, or whether one was kept and the error."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            given = {"playouts": 300, "seconds": HOUR, "jobs": 1, **more}
            result = nestor.solve(problem, algorithm, **given)
        except BaseException as error:
            kept = isinstance(getattr(error, "nestor_result", None), nestor.Result)
            return f"{'kept' if kept else 'lost'}: {type(error).__name__}: {error}"
    result.verify()
    assert result.verified
    assert str(result)
    return f"result {result.score} {' '.join(str(each.message) for each in warned)}"


@pytest.mark.parametrize("name", but_slow(CORRECT))
def test_a_correct_result(name: str) -> None:
    given = {"playouts": 20} if name in SLOW else {}
    calls = [partial(solve, CORRECT[name], algorithm, **given) for algorithm in ALGORITHMS]
    best = "24.0" if name.startswith(("good", "moves")) else ""
    for told in outcomes(calls):
        assert told.startswith(f"returned 'result {best}"), told


@pytest.mark.parametrize("name", WRONG)
def test_a_clear_error(name: str, tmp_path: Path) -> None:
    """It names the method at fault, with checkpoints, too."""
    problem, word = WRONG[name]
    for call in (partial(solve, problem), partial(solve, problem, checkpoint=tmp_path / "run")):
        (told,) = outcomes([call])  # a process for each: some count their calls
        assert re.search(word, told.partition("returned")[2]), told
        assert not re.search("IndexError|not iterable|error of this package", told), told


@pytest.mark.parametrize("name", IMPURE)
def test_the_best_of_rules_that_change_is_kept(name: str) -> None:
    (told,) = outcomes([lambda: solve(WRONG[name][0])])
    assert re.match(r"returned 'kept: (Fault|Changed)Error: the rules of", told), told


def test_moves_that_cannot_be_played_again_are_kept_as_they_were_played() -> None:
    with pytest.raises(nestor.InputError, match="change from call to call") as caught:
        nestor.solve(WRONG["moves that differ"][0], GNRPA(2, 20), playouts=300)
    assert "not verified" in caught.value.__notes__[0]
    result = caught.value.nestor_result  # type: ignore[attr-defined]
    assert not result.verified
    assert result.score == sum(result.moves) > 300
    assert ", ".join(map(str, result.moves)) in str(result)


@pytest.mark.parametrize("functions", [False, True])
def test_the_error_of_data_that_another_thread_changes_names_threads(functions: bool) -> None:
    data = [3, 1, 4, 1, 5]

    def price(moves: Any) -> float:
        return float(sum(place * data[move % 5] for place, move in enumerate(moves)))

    problem = beast(score=lambda self, state: price(state))

    def change(progress: Any) -> bool:
        writer = threading.Thread(target=lambda: data.__setitem__(slice(None), [900] * 5))
        writer.start()
        writer.join()
        return False

    rules = nestor.Order(5, price) if functions else problem
    with pytest.raises(nestor.InputError, match=r"in the search.*\bother threads? "):
        nestor.solve(rules, nestor.NRPA(2), playouts=10**9, threads=1, callback=change)


@pytest.mark.parametrize("name", FAILS)
def test_the_best_is_kept(name: str) -> None:
    """The error is the user's own, or an interruption, and what was found before is kept."""
    (told,) = outcomes([lambda: solve(FAILS[name])])
    kind = name.split()[0]
    kept = told.startswith("returned 'result") and kind == "KeyboardInterrupt"
    assert kept or re.match(f"returned 'kept: {kind}: here", told), told


@pytest.mark.parametrize(
    "kind", [kind for kind in DIED if kind is not KeyboardInterrupt], ids=lambda kind: kind.__name__
)
def test_the_best_is_kept_if_every_later_call_fails(kind: Any) -> None:
    problem = beast(score=late(Good.score, throw(kind), 90))
    (told,) = outcomes([lambda: solve(problem)])
    assert re.match(f"returned 'kept: {kind.__name__}: here", told), told


class Sorted:
    """An order, best if it rises; its scores fail after a while."""

    change = "order"
    scores = 0

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [item for item in range(9) if item not in state]

    def play(self, state: tuple[int, ...], item: int) -> tuple[int, ...]:
        return (*state, item)

    def score(self, state: tuple[int, ...]) -> int:
        self.scores += 1
        if self.scores > 90:
            raise OSError("here")
        return sum(place * item for place, item in enumerate(state))


class SortedByCost(Sorted):
    def cost_of(self, order: list[int]) -> int:
        return self.score(tuple(order))


class Falls(Sorted):
    def __call__(self, order: list[int]) -> int:
        return -self.score(tuple(order))


@pytest.mark.parametrize("problem", [Sorted(), SortedByCost(), nestor.Order(9, Falls())])
def test_the_best_order_is_kept_if_every_later_score_fails(problem: Any) -> None:
    with pytest.raises(OSError, match="here") as caught:
        nestor.solve(problem, playouts=3000, seed=1)
    result = caught.value.nestor_result  # type: ignore[attr-defined]
    assert len(result.moves) == 9
    assert abs(result.score) == sum(place * item for place, item in enumerate(result.moves)) > 150


@pytest.mark.parametrize("name", ENDLESS)
def test_endless_games_end_by_their_moves(name: str) -> None:
    (told,) = outcomes([lambda: solve(ENDLESS[name], playouts=None)])
    assert re.search("returned.*(endless| end|length|long)", told), told


@pytest.mark.parametrize("name", but_slow([*CORRECT, *WRONG, *FAILS, *ENDLESS], 2))
def test_check_problem(name: str) -> None:
    """What is wrong is found by the check that users are to run, within seconds."""
    wrong = {name: problem for name, (problem, _) in WRONG.items()}
    problem: Any = {**CORRECT, **wrong, **FAILS, **ENDLESS}[name]
    (told,) = outcomes([lambda: check_problem(problem)])
    if name in FAILS:
        assert told.startswith((name.split()[0], "returned")), told
    elif name in CORRECT and name != "one code for all":
        assert told.startswith("returned"), told
    else:
        assert told.startswith(("AssertionError", "InputError", "RecursionError")), told


def test_a_game_played_in_place_is_recognised() -> None:
    """Its moves stay the same until the game is over, so only the state itself tells."""

    class InPlace(Good):
        def initial(self) -> Any:
            return []

        def moves(self, state: Any) -> Any:
            return [0, 1] if len(state) < 6 else []

        def play(self, state: Any, move: Any) -> Any:
            state.append(move)
            return state

    with pytest.raises(AssertionError, match="must return a new state, not the one"):
        check_problem(InPlace())


class Kept(Good):
    """What it plays is kept in the problem, or in a list that all states share."""

    def __init__(self, shared: bool) -> None:
        self.shared, self.spent = shared, [0]

    def initial(self) -> Any:
        return (), [0] if self.shared else ()

    def moves(self, state: Any) -> Any:
        return super().moves(state[0])

    def play(self, state: Any, move: Any) -> Any:
        (state[1] if self.shared else self.spent)[0] += 1
        return (*state[0], move), state[1]

    def score(self, state: Any) -> Any:
        return (state[1] if self.shared else self.spent)[0]


def test_what_play_changes_besides_moves_is_found() -> None:
    with pytest.raises(AssertionError, match="must return a new state and leave the old one"):
        check_problem(Kept(shared=True))
    with pytest.raises(AssertionError, match="the same score when they are played again"):
        check_problem(Kept(shared=False))
    with pytest.raises(nestor.InputError, match=r"from call to call: .*play\(\) must return a new"):
        nestor.solve(Kept(shared=False), Sampling(), playouts=20)


class Removed:
    """A set whose `undo` may be wrong."""

    change = "set"

    def __init__(self, undo: Callable[[list[int], int], Any]) -> None:
        self._undo = undo

    def initial(self) -> list[int]:
        return []

    def moves(self, chosen: list[int]) -> list[int]:
        return [i for i in range(8) if i not in chosen and sum(chosen) + i <= 14]

    def play(self, chosen: list[int], move: int) -> list[int]:
        return [*chosen, move]

    def undo(self, chosen: list[int], move: int) -> Any:
        return self._undo(chosen, move)

    def score(self, chosen: list[int]) -> int:
        return sum(chosen)


def in_place(chosen: list[int], move: int) -> list[int]:
    chosen.remove(move)
    return chosen


@pytest.mark.parametrize(
    ("undo", "told"),
    [
        (lambda chosen, move: chosen, "not the one that it is given: the move was not taken back"),
        (in_place, "must return a new state and leave the old one as it was"),
    ],
)
def test_an_undo_that_takes_nothing_back_is_told_from_one_in_place(
    undo: Callable[[list[int], int], Any], told: str
) -> None:
    with pytest.raises(AssertionError, match=told):
        check_problem(Removed(undo))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best game is judged on a busy machine, too."""
    monkeypatch.setattr(faults, "BRIEF", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_search_warns_of_an_undo_that_takes_nothing_back() -> None:
    said = r"shows a fault in .*Removed: undo\(\d\) must return a new state, .* tells more"
    with pytest.warns(RuntimeWarning, match=said):
        nestor.solve(Removed(lambda chosen, move: chosen), playouts=300, seed=1)
    nestor.solve(Removed(lambda chosen, move: [i for i in chosen if i != move]), playouts=300)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("odd", [False, True])
def test_a_search_warns_of_an_undo_that_no_score_shows(odd: bool) -> None:
    """It takes the last move back, or leaves the room taken; the score is always the same."""

    class Even(Removed):
        def score(self, chosen: list[int]) -> int:
            return 7

    def undo(chosen: list[int], move: int) -> list[int]:
        return [8, *(i for i in chosen if i != move)] if odd else chosen[:-1]

    said = r"undo\(\d\) must return the state as if the move had never been played, but"
    with pytest.warns(RuntimeWarning, match=said):
        nestor.solve(Even(undo), LocalSearch(), playouts=300, seed=1)


MISLEADING = {
    r"moves\(\) gave the move 0 twice, at the beginning": beast(
        moves=lambda self, state: 2 * Good.moves(self, state)
    ),
    r"code\(\) gave two moves the same code, 0: 0 and 1": beast(code=lambda self, state, move: 0),
    r"play\(\d\) must return a new state, not the one": InPlace(),
    'change is "set": .* but': beast(change="set"),
    r"cost_of\(.*\) must return the score of the order": beast(
        change="order",
        moves=lambda self, state: [i for i in range(5) if i not in state],
        cost_of=lambda self, order: float(sum(order[:2])),
    ),
}


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("said", MISLEADING)
def test_a_search_warns_of_rules_that_its_best_game_shows_to_be_wrong(said: str) -> None:
    with pytest.warns(RuntimeWarning, match=f"the best game shows a fault in .*: {said}"):
        nestor.solve(MISLEADING[said], NRPA(1), playouts=300, seed=1)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("quick", [False, True])
def test_the_rules_are_judged_without_slow_scores(quick: bool) -> None:
    asked: list[Any] = []

    def score(self: Any, state: Any) -> float:
        asked.append(state)
        return 7.0

    def moves(self: Any, state: Any) -> list[int]:
        return [i for i in range(4) if i not in state]

    problem = beast(change="set", moves=moves, score=score)
    assert faults.fault_of_game(problem, [1, 3, 0, 2], quick) is None
    assert bool(asked) == quick


def test_the_rules_are_judged_without_slow_costs_of_orders() -> None:
    asked: list[Any] = []

    def cost(order: list[int]) -> int:
        asked.append(order)
        time.sleep(0.006)
        return order[0]

    result = nestor.solve(nestor.Order(8, cost), playouts=20, seed=1, jobs=1)
    assert len(asked) <= result.playouts + 12


VALUES: tuple[Any, ...] = (
    *(3, "box", (), (3, 5), ("near", 2), [1.5], {}, None),
    lambda self, of: of,
)
"""What attributes and methods of a class may be."""


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("sens", "min", "sense"),
        ("objective", "min", "sense"),
        ("Code", lambda self, state, move: move, "code"),
        ("optimim", 40, "optimum"),
        ("prior_cod", lambda self, state, move: move, "prior_code"),
        ("items", [1, 2], None),
        ("items", lambda self: [1, 2], None),
        ("steps", "max", None),
        ("direction", "min", "sense"),
        ("changes", "set", "change"),
        ("codes", lambda self, state, move: move, "code"),
        ("biasses", ("near",), "biases"),
        ("unit", "min", None),
        ("range", (0, 120), None),
        ("bases", ("A", "C"), None),
        ("shape", lambda self: 3, None),
        ("chnage", "set", "change"),
        ("senze", "min", "sense"),
        ("bais", lambda self, state, move: 0.0, "bias"),
        ("biass", lambda self, state, move: 0.0, "bias"),
        ("undoo", lambda self, state, move: state, "undo"),
        ("cost_off", lambda self, order: 0, "cost_of"),
        ("costOf", lambda self, order: 0, "cost_of"),
        ("from_dcit", classmethod(lambda kind, data: kind()), "from_dict"),
        ("goal", "minimize", "sense"),
        ("minimise", True, "sense"),
        ("maximize", False, "sense"),
        ("minimize", False, None),
        ("objectivs", ("min", "max"), "objectives"),
        ("Item", type("Item", (), {"__init__": lambda self, weight, value: None}), None),
        ("bits", lambda self, state, move: 0, None),
        ("distances", lambda self, one, other: 0, None),
        ("bais", 0.5, None),
        ("undoo", [], None),
    ],
)
def test_misspelt_names_are_told(name: str, value: Any, meant: str | None) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        problem = beast(near=lambda self, state, move: 0.0, **{name: value})
        nestor.solve(problem, Sampling(), playouts=9, seed=1)
    said = [f"Beast.{name} is not used: did you mean {meant}?"]
    assert [str(each.message) for each in told] == (said if meant else [])


@pytest.mark.parametrize(
    ("name", "value", "meant", "given"),
    [
        ("codes", lambda self, state, move: move, "code", lambda self, state, move: (move,)),
        ("Code", lambda self, state, move: move, "code", lambda self, state, move: (move,)),
        ("sens", "min", "sense", "max"),
        ("goal", "min", "sense", "max"),
    ],
)
def test_a_misspelt_name_beside_an_inherited_one_is_told(
    name: str, value: Any, meant: str, given: Any
) -> None:
    def told(*kinds: dict[str, Any]) -> list[str]:
        kind: Any = Good
        for each in kinds:
            kind = type("Beast", (kind,), each)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            nestor.solve(kind(), Sampling(), playouts=9, seed=1)
        return [str(each.message) for each in found]

    said = [f"Beast.{name} is not used: did you mean {meant}?"]
    assert told({meant: given}, {name: value}) == (said if name != "goal" else [])
    assert told({meant: given, name: value}) == []
    assert told({name: value}, {meant: given}) == []


@pytest.mark.parametrize(
    "name",
    [
        *("boxes", "room", "scores", "costs", "cost", "starts", "start", "size", "words", "moved"),
        *("played", "player", "plays", "order", "orders", "undone", "bases", "basis", "initials"),
        *("max_moves", "codes", "charge", "bits", "keys", "node", "mode", "mask", "tank", "items"),
        *("guides", "shape", "range", "tense"),
    ],
)
def test_names_of_data_are_no_slips(name: str) -> None:
    with warnings.catch_warnings(action="error"):
        for value in VALUES:
            nestor.solve(beast(**{name: value}), Sampling(), playouts=9, seed=1)


@pytest.mark.parametrize("name", ["_init_", "__int__", "init"])
def test_a_misspelt_constructor_is_told(name: str) -> None:
    with pytest.warns(RuntimeWarning, match=f"Beast.{name} is not used: did you mean __init__"):
        nestor.solve(beast(**{name: lambda self: 3}), Sampling(), playouts=9, seed=1)


@pytest.mark.parametrize(
    ("name", "method", "said"),
    [
        ("initial", lambda self, n: n, r"initial\(self\)"),
        ("moves", lambda: [], r"moves\(self, state\)"),
        ("play", lambda self, move: move, r"play\(self, state, move\)"),
        ("score", lambda self: 0, r"score\(self, state\)"),
    ],
)
def test_a_method_with_other_arguments_is_told(name: str, method: Any, said: str) -> None:
    with pytest.raises(nestor.InputError, match=f"Beast.{name} must be written as {said}"):
        nestor.solve(beast(**{name: method}))


async def awaited(*given: Any) -> Any:
    """Return what has to be awaited."""


class Awaited:
    """An object that is called as a coroutine function is."""

    async def __call__(self, given: Any) -> Any:
        return given


@pytest.mark.parametrize("method", ["initial", "moves", "play", "score", "key", "score_batch"])
def test_a_method_that_has_to_be_awaited_is_refused(method: str) -> None:
    with pytest.raises(nestor.InputError, match=f"{method} of the problem must be no coroutine"):
        nestor.solve(beast(**{method: awaited}))


@pytest.mark.parametrize("function", [awaited, functools.partial(awaited, 1), Awaited()])
def test_a_function_that_has_to_be_awaited_is_refused(function: Any) -> None:
    searches: dict[str, Callable[[], Any]] = {
        "callback": lambda: nestor.solve(beast(), playouts=9, callback=function),
        "on_improvement": lambda: nestor.solve(beast(), playouts=9, on_improvement=function),
        "accept": lambda: nestor.solve_many(beast(), distinct=2, playouts=9, accept=function),
        "cost": lambda: nestor.Order(4, function),
        "f of a BatchBias": lambda: nestor.BatchBias(function),
    }
    for name, search in searches.items():
        with pytest.raises(nestor.InputError, match=rf"^{name} must be no coroutine function"):
            search()


def test_a_misspelt_method_that_is_needed_is_told() -> None:
    problem = type("Beast", (), {"intial": 1, "moves": 1, "mvoes": 1, "play": len, "Score": len})()
    said = r"Beast has no initial, moves, score \(it has Score, intial, mvoes, perhaps misspelt\)$"
    with pytest.raises(nestor.InputError, match=said):
        nestor.solve(problem)


def test_a_bias_that_is_no_method_is_told() -> None:
    with pytest.warns(RuntimeWarning, match="Beast.bias is not used: it must be a method"):
        nestor.solve(beast(bias=0.3), Sampling(), playouts=9, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nestor.solve(beast(bias=None), Sampling(), playouts=9, seed=1)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ("none", ("score_batch", "bias_batch", "key", "code", "shaped")),
        ("order", ("code", "item", "task", "guide", "cost_of")),
        ("set", ("code", "guide", "undo")),
    ],
)
def test_an_optional_method_that_cannot_be_called_is_named(
    change: str, names: tuple[str, ...]
) -> None:
    for name, value in itertools.product(names, (3, None)):
        with pytest.raises(nestor.InputError, match=f"^{name} of the problem must be a method"):
            nestor.solve(beast(change=change, **{name: value}), playouts=9)


def test_what_is_not_asked_for_may_be_data() -> None:
    problem = beast(item=3, guide=3, undo=3, distance=[[1]])
    nestor.solve(problem, Sampling(), playouts=9, seed=1)


def test_a_play_that_returns_nothing_is_named_where_the_next_method_fails() -> None:
    problem = beast(play=lambda self, state, move: None, moves=lambda self, state: [len(state)])
    with pytest.raises(TypeError) as caught:
        nestor.solve(problem, Sampling(), playouts=9, seed=1)
    said = r"play\(0\) must return the state after the move, not None, at the beginning"
    assert re.fullmatch(said, caught.value.__notes__[0])


def test_a_fault_is_not_said_twice() -> None:
    with pytest.raises(nestor.InputError, match=r"^\S+: moves\(\) must return a seq") as caught:
        nestor.solve(beast(moves=lambda self, state: None), Sampling(), playouts=9, seed=1)
    assert not hasattr(caught.value, "__notes__")


def test_a_play_that_returns_nothing_later_is_named_too() -> None:
    def moves(self: Any, state: Any) -> Any:
        return [0, 1] if len(state) < 3 else []

    problem = beast(play=late(Good.play, lambda: None), moves=moves)
    with pytest.raises(TypeError) as caught:
        nestor.solve(problem, Sampling(), playouts=900, seed=1)
    assert caught.value.__notes__[0] == "play() must return the state after the move, not None"


@pytest.mark.parametrize(
    "moves",
    [lambda self, state: state.moves, lambda self, state: [*state], lambda self, state: state[0]],
)
def test_an_initial_that_returns_nothing_is_named(moves: Any) -> None:
    problem, said = beast(initial=lambda self: None, moves=moves), "initial() must return the first"
    with pytest.raises((TypeError, AttributeError)) as caught:
        nestor.solve(problem, Sampling(), playouts=9, seed=1)
    assert caught.value.__notes__[0].startswith(said)
    with pytest.raises(AssertionError, match=re.escape(said)):
        check_problem(problem)


def test_a_finished_game_with_moves_that_do_nothing_is_told() -> None:
    def play(self: Any, state: Any, move: Any) -> Any:
        return tuple([*state, move][:3])

    idle = beast(play=play, moves=lambda self, state: [0, 1])
    ends = "empty list when the game is over"
    with pytest.raises(AssertionError, match=rf"{ends}; play\(\d\) leaves the state as it was"):
        check_problem(idle)
    with pytest.raises(nestor.InputError, match=ends):
        nestor.solve(idle, playouts=9)


class Emptied(Removed):
    """A set whose score empties the state."""

    def score(self, chosen: list[int]) -> int:
        return sum(chosen.pop() for _ in range(len(chosen)))


@pytest.mark.parametrize(
    "problem", [Removed(in_place), Emptied(lambda chosen, move: in_place([*chosen], move))]
)
def test_an_exception_in_undo_says_what_states_are(problem: Removed) -> None:
    with pytest.raises(ValueError, match="not in list") as caught:
        nestor.solve(problem, playouts=300, seed=1)
    said = r"state that it is given: each must leave it as it was; `nestor.testing.check_problem"
    assert re.search(said, caught.value.__notes__[0])


@pytest.mark.parametrize("wrong", [throw(KeyError), lambda: [1], lambda: -1], ids=range(3))
def test_a_wrong_item_does_not_end_the_process(wrong: Callable[[], Any]) -> None:
    class Ordered(Good):
        change = "order"

        def moves(self, state: Any) -> Any:
            return [i for i in range(8) if i not in state]

        def item(self, state: Any, move: Any) -> Any:
            return wrong() if self.calls > 40 else move

        def score(self, state: Any) -> Any:
            self.calls += 1
            return super().score(state)

    with pytest.raises((KeyError, TypeError, ValueError)) as raised:
        nestor.solve(Ordered(), LocalSearch(), playouts=300, seed=1)
    assert raised.value.nestor_result.score == 40  # type: ignore[attr-defined]


@pytest.mark.parametrize("names", [(10**5000,), 10**5000], ids=["in a tuple", "alone"])
def test_integers_of_thousands_of_digits_are_told_by_their_type(names: Any) -> None:
    problem = beast(biases=names)
    with pytest.raises(
        nestor.InputError, match=r"biases of the problem must be .* not (a tuple|an int)"
    ):
        nestor.solve(problem, Sampling(), playouts=5)
    with pytest.raises(nestor.VerificationError, match=r"move number 1 \(an int\) is not legal"):
        OwnSolution(Good(), (10**5000,)).verify()


def test_equal_moves_of_one_state_are_recognised() -> None:
    """They are played by their numbers, and written as one and the same."""

    class Equal(Good):
        def moves(self, state: Any) -> Any:
            return [True, 1, 0] if len(state) < 6 else []

        def play(self, state: Any, move: Any) -> Any:
            return (*state, 5 if move is True else move)

        def code(self, state: Any, move: Any) -> Any:
            return len(state), str(move)

    with pytest.raises(AssertionError, match=r"moves\(\) gave the move .* twice"):
        check_problem(Equal())
    with pytest.raises(nestor.VerificationError, match=r"moves\(\) gave the move .* twice"):
        nestor.solve(Equal(), GNRPA(2, 20), playouts=300)


@pytest.mark.parametrize("change", ["none", "set"])
def test_a_shared_first_state_that_a_search_changes_is_no_verified_result(change: str) -> None:
    class Shared:
        def __init__(self) -> None:
            self.change, self.table = change, [-1] * 10

        def initial(self) -> list[int]:
            return self.table

        def moves(self, table: list[int]) -> list[tuple[int, int]]:
            return [(k, c) for k, one in enumerate(table) if one < 0 for c in range(3)]

        def play(self, table: list[int], move: tuple[int, int]) -> list[int]:
            table[move[0]] = move[1]
            return table

        def score(self, table: list[int]) -> int:
            return sum(map(mul, table, table[1:]))

    with pytest.raises(nestor.InputError, match="change from call to call"):
        nestor.solve(Shared(), playouts=300, seed=1)
