"""`nestor check` and `check_problem`: what is wrong with a poor model, and where it is mended."""

from __future__ import annotations

import copy
import json
import re
import signal
import sys
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nestor
from nestor.diagnosis import Diagnosis, diagnose, games, report, rivals
from nestor.testing import check_problem
from support.commands import Nestor
from support.fronts import Tours
from support.own import Subset
from support.pages import ROOT
from support.parts import partly
from support.short_reports import PARTS


@pytest.fixture(autouse=True)
def _shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the time that a report has is enough for models as small as these."""
    for part in PARTS:
        monkeypatch.setattr(part, "EFFORT", part.EFFORT / 4)


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """No method seems to compute a lot, whatever else the machine does."""
    monkeypatch.setattr(report, "BUSY", (float("inf"), 0.0))


class Packing:
    """Which of 60 things to pack, in the order of their numbers: most moves skip most things."""

    weights = tuple(5 + 37 * number % 50 for number in range(60))
    limit = 500

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, packed: tuple[int, ...]) -> list[int]:
        room = self.limit - sum(self.weights[i] for i in packed)
        first = packed[-1] + 1 if packed else 0
        return [i for i in range(first, len(self.weights)) if self.weights[i] <= room]

    def play(self, packed: tuple[int, ...], thing: int) -> tuple[int, ...]:
        return (*packed, thing)

    def score(self, packed: tuple[int, ...]) -> float:
        return float(sum(self.weights[i] for i in packed))


class AsSet(Packing):
    """The same things in any order."""

    change = "set"

    def moves(self, packed: tuple[int, ...]) -> list[int]:
        room = self.limit - sum(self.weights[i] for i in packed)
        return [i for i, w in enumerate(self.weights) if i not in packed and w <= room]

    def score(self, packed: tuple[int, ...]) -> float:
        return float(sum(i % 7 + 1 for i in packed))


class Unique(Packing):
    def code(self, packed: tuple[int, ...], thing: int) -> Any:
        return packed, thing


class Forgotten(AsSet):
    """It does not say so."""

    change = "none"


class Fewer(AsSet):
    """It says that it is an order."""

    change = "order"


class Permutation:
    """All orders of eight numbers; the code is the number, which every game chooses."""

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, order: tuple[int, ...]) -> list[int]:
        return [number for number in range(8) if number not in order]

    def play(self, order: tuple[int, ...], number: int) -> tuple[int, ...]:
        return (*order, number)

    def score(self, order: tuple[int, ...]) -> float:
        return float(sum(a * b for a, b in pairwise(order)))


class AsOrder(Permutation):
    change = "order"


class Behind(Permutation):
    """Each number not long before the one below it, so that not every order can be played."""

    def moves(self, order: tuple[int, ...]) -> list[int]:
        return [n for n in super().moves(order) if n < 2 or n - 2 in order]


class Placed(Behind):
    def code(self, order: tuple[int, ...], number: int) -> Any:
        return order[-1:], number


class Steps(Permutation):
    """Eight steps to the left or right; the same code comes again and again."""

    def moves(self, order: tuple[int, ...]) -> list[int]:
        return [-1, 1] if len(order) < 8 else []


class Constant(Placed):
    def score(self, order: tuple[int, ...]) -> float:
        return 7.0


class Copied(Permutation):
    """Copies far more than it changes."""

    def initial(self) -> Any:
        return [], [[0] * 30 for _ in range(30)]

    def moves(self, order: Any) -> list[int]:
        return super().moves(tuple(order[0]))

    def play(self, order: Any, number: int) -> Any:
        return [*order[0], number], [*order[1]]

    def score(self, order: Any) -> float:
        return super().score(tuple(order[0]))


class Reached(Constant):
    optimum = 7


class Copying(Copied):
    def play(self, order: Any, number: int) -> Any:
        done, rest = copy.deepcopy(order)
        return [*done, number], rest


WRONG: dict[type[object], str] = {
    Packing: "games are oddly short",
    Unique: "codes are hardly seen twice",
    Forgotten: 'this is a set; say change = "set"',
    Fewer: 'this is a set: say change = "set"',
    Permutation: 'this is an order; say change = "order"',
    Behind: "every game chooses the same 8 codes",
    Steps: "the second time, and compare: nestor.compare({'short': Steps(), 'long': Longer()}, ",
    Constant: "every game has the score 7",
    Reached: "every game reaches the optimum, 7: there is nothing to search for",
    Copying: "a deep copy of the state",
}


MATRIX = np.ones((300, 300))


def findings(problem: Any) -> str:
    told = diagnose(problem, 1)
    for each in told.findings:
        assert (ROOT / each.page).exists()
    return "\n".join(map(str, told.findings))


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_with_a_model_is_found(kind: type[object]) -> None:
    assert WRONG[kind] in findings(kind())


@pytest.mark.parametrize("kind", partly([AsSet, AsOrder, Placed], AsSet, AsOrder))
def test_a_good_model_is_not_called_wrong(kind: type[object]) -> None:
    told = findings(kind())
    assert not any(text in told for text in WRONG.values())


def test_sampling_that_does_as_well_as_the_search_is_told() -> None:
    found = nestor.solve(AsSet(), playouts=50, seed=1)
    scores = {"sampling": found.score + 1}
    match = rivals.Match(found, scores, True, 1.0, 1.0, hurried=False, sampled=50)
    (finding,) = report._of_rivals(match, None, learns=True, flat=False)
    assert "sampling did as well as the search" in finding.text

    class Tiny(Subset):
        values = (1, 2, 3)  # type: ignore[assignment]

    told = diagnose(Tiny(), 1)
    assert "sampling found as much: only a larger instance" in told.facts["search"]
    assert "as well" not in "".join(map(str, told.findings))


SIZES = [20 + 37 * k * k % 81 for k in range(30)]


def bins(order: list[int]) -> list[int]:
    """Return how full each bin is, if each thing goes into the first that has room."""
    full: list[int] = []
    for thing in order:
        room = (i for i, level in enumerate(full) if level + SIZES[thing] <= 150)
        if (number := next(room, None)) is None:
            full.append(SIZES[thing])
        else:
            full[number] += SIZES[thing]
    return full


def test_a_score_of_few_values_is_told() -> None:
    plain = nestor.Order(30, lambda order: len(bins(order)))
    told = diagnose(plain, 1)
    (finding,) = (each.text for each in told.findings if "few scores" in each.text)
    assert "for bins, how full the emptiest is" in finding
    assert "sampling found as much" not in told.facts["search"]
    assert "as well as the search" not in str(told)
    uneven = nestor.Order(30, lambda order: len(full := bins(order)) + min(full) / 150)
    assert "few scores" not in findings(uneven)
    plain.optimum = nestor.solve(plain, playouts=2000, seed=1).score
    assert "few scores" not in findings(plain)


def test_a_search_that_had_few_playouts_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Even(AsSet):
        weights = (50,) * 60  # A greedy game takes the best that there is.

    def told() -> tuple[str, str]:
        return (found := diagnose(Even(), 1)).facts["search"], "".join(map(str, found.findings))

    monkeypatch.setattr(rivals, "EFFORT", 1.0)
    row, found = told()
    assert "too few" not in row
    assert "there was time" not in row
    assert "greedy" not in found, "it is as good, not better"
    monkeypatch.setattr(rivals, "ROUNDS", 10**6)
    monkeypatch.setattr(rivals, "EFFORT", 0.1)
    row, found = told()
    assert row.endswith("too few to tell)")
    assert re.search(r"playouts( each|, [\d,]+ of sampling), for which there was time, seed 0", row)
    assert "as well" not in found


class Row:
    """Different words in a row, of which neighbours should overlap."""

    words = tuple(f"{a}{b}{a + b}"[:2] for a in "stuvwxyz" for b in "stuvwxyz")

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, row: tuple[int, ...]) -> list[int]:
        return [k for k in range(len(self.words)) if k not in row] if len(row) < 12 else []

    def play(self, row: tuple[int, ...], word: int) -> tuple[int, ...]:
        return (*row, word)

    def score(self, row: tuple[int, ...]) -> int:
        pairs = pairwise(self.words[k] for k in row)
        return sum(before[-1] == after[0] for before, after in pairs)


@pytest.mark.long
def test_single_decisions_are_told_if_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    told = findings(Row())
    assert re.search(r'with change = "decisions" the default finds \d+ in place of \d+ with', told)
    monkeypatch.setattr(Row, "change", "decisions", raising=False)
    assert "decisions" not in findings(Row())


@pytest.mark.long
def test_a_compiled_class_is_tried_with_single_decisions() -> None:
    pytest.importorskip("numba")

    class Knight:
        """Squares of a board of 12 times 12 that a knight visits, none twice."""

        def __init__(self) -> None:
            self.right, self.down = np.array([1, 2, 2, 1] * 2), np.array([2, 1, -1, -2] * 2)
            self.right[4:] *= -1
            self.state = np.dtype([("last", "i4"), ("length", "i4"), ("seen", "u1", 144)])

        def initial(self, s: Any) -> None:
            s.seen[0] = s.length = 1

        def moves(self, s: Any, out: Any) -> None:
            for k in range(8):
                row, column = s.last // 12 + self.down[k], s.last % 12 + self.right[k]
                square = 12 * row + column
                if min(row, column) >= 0 and max(row, column) < 12 and s.seen[square] == 0:
                    out.add(square, 144 * s.last + square)

        def play(self, s: Any, square: Any) -> None:
            s.last = square
            s.length += 1
            s.seen[square] = 1

        def score(self, s: Any) -> Any:
            return s.length

    knight = nestor.compiled(Knight)()
    found = nestor.solve(knight.bare, playouts=2000, seed=0)
    match = rivals.Match(found, {}, True, 1.0, 0.0, hurried=False, sampled=2000)
    (told,) = report._of_decisions(match, knight)
    assert re.search(
        r"the default finds 1[34]\d in place of 1[23]\d with 2,000 playouts", told.text
    )
    assert knight.change == "none", "the problem itself stays as it is"


def test_decisions_are_not_tried_where_codes_come_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    class Steps(Row):
        def code(self, row: tuple[int, ...], word: int) -> int:
            return word - row[-1] if row else len(self.words) + word

    monkeypatch.setattr(report, "_of_decisions", pytest.fail)
    assert "choose a code more than once" in findings(Steps())


def test_a_better_greedy_game_is_told_even_after_few_playouts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rivals, "ROUNDS", 10**6)
    assert re.search("a greedy game is better, 11, .*; so may a longer search", findings(Row()))


def test_games_of_one_length_are_not_short() -> None:
    assert "short" not in findings(Row())


def test_a_greedy_game_that_cannot_be_played_is_told() -> None:
    whole = nestor.Order(8, lambda order: order.index(7) if len(order) == 8 else order[8])
    row = diagnose(whole, 1).facts["search"]
    assert "no greedy game: score() of a game that is not over raises IndexError" in row


def test_codes_are_of_no_interest_where_local_search_does_not_ask_for_them() -> None:
    told = diagnose(nestor.Order(8, lambda order: abs(order[0] - order[-1]) if order else 0), 1)
    assert "codes" not in told.facts
    assert "code" not in "".join(map(str, told.findings))


def test_undo_that_nobody_calls_is_told() -> None:
    class Undone(Packing):
        def undo(self, packed: tuple[int, ...], thing: int) -> tuple[int, ...]:
            return tuple(each for each in packed if each != thing)

    class Set(AsSet):
        undo = Undone.undo

    assert "undo() has no effect" in findings(Undone())
    assert "undo()" not in findings(Set())


def test_codes_are_not_judged_from_few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "GAMES", report.ENOUGH - 1)
    assert "hardly seen twice" not in findings(Unique())


@pytest.mark.long
def test_an_assignment_of_one_value_is_told_of_capacities() -> None:
    def crowded(group: dict[int, str]) -> int:
        return -sum(group[one] == group[other] for one in group for other in group)

    def capacity(group: dict[int, str]) -> int:
        return crowded(group) + 100 * sum(max(0, [*group.values()].count(g) - 3) for g in "ABC")

    told = "the best gives all 6 variables the value 'A': if only so many may have it, cost() must"
    assert told.replace("'A'", "") in re.sub("'[ABC]'", "", findings(assigned(crowded)))
    assert "variables the value" not in findings(assigned(capacity))
    assert "variables the value" not in findings(assigned(crowded, "A"))


def test_a_choice_that_is_meant_to_be_free_is_told() -> None:
    class All(AsSet):
        limit = 10**9

    with pytest.warns(RuntimeWarning, match="fits is true for all items together.*Assignment"):
        problem = nestor.Subset(8, lambda chosen: True, lambda chosen: -abs(len(chosen) - 3))
    for each, method in ((problem, "fits()"), (All(), "moves()")):
        told = findings(each)
        assert f"{method} refuses nothing, so every game chooses all: only a choice" in told
        assert "tells none apart" not in told


def assigned(cost: Any, values: str = "ABC") -> Any:
    return nestor.Assignment(6, list(values), cost)


def test_a_compiled_class_is_judged_as_it_is_searched() -> None:
    pytest.importorskip("numba")

    class Waiting:
        """Jobs of different lengths: the sum of the times at which they are done."""

        sense = "min"
        change = "order"

        def __init__(self) -> None:
            self.lengths = np.arange(1, 13)
            self.state = np.dtype([("time", "i4"), ("cost", "i4"), ("done", "u1", 12)])

        def initial(self, s: Any) -> None:
            s.time = 0

        def moves(self, s: Any, out: Any) -> None:
            for job in range(12):
                if not s.done[job]:
                    out.add(job)

        def play(self, s: Any, job: Any) -> None:
            s.time += self.lengths[job]
            s.cost += s.time
            s.done[job] = 1

        def score(self, s: Any) -> Any:
            return s.cost

    told = diagnose(nestor.compiled(Waiting)(), 1)
    least = sum(k * (13 - k) for k in range(1, 13))
    assert f"local_search {least}, " in told.facts["search"]
    assert f"greedy {least} (" in told.facts["search"]
    assert "-" not in told.facts["scores"]
    assert told.facts["scores"].endswith("; lower is better")
    assert told.findings == ()


@pytest.mark.usefixtures("idle")
def test_a_front_is_judged_by_all_objectives(monkeypatch: pytest.MonkeyPatch) -> None:
    class Level(Tours):
        def score(self, state: Any) -> Any:
            return 1.0, super().score(state)[1]

    monkeypatch.setattr(report, "SLOW", 10**9)
    told = diagnose(Level(), 1)
    assert told.name.endswith("Level")
    assert told.facts["scores"].startswith("objective 1 1 to 1, median 1; objective 2 ")
    assert told.facts["scores"].endswith("; both: lower is better")
    assert told.facts["search"].startswith("ParetoLocalSearch 1 solution, (1, ")
    (finding,) = told.findings
    assert "changes a second are few; a method cost_of(order)" in finding.text
    Level.score = lambda self, state: (1.0, 2.0)  # type: ignore[method-assign]
    assert "every game has the score (1, 2)" in findings(Level())

    class Twice(Steps):
        objectives = ("max", "min")

        def score(self, order: tuple[int, ...]) -> Any:
            return super().score(order), sum(order[:3])

    call = findings(Twice()).partition("and compare: ")[2]
    assert call.startswith("nestor.compare({'short': Twice(), 'long': Longer()}, [nestor.Auto()], ")
    assert re.search(r"reference=\(-?\d+, -?\d+\)\)", call)


def test_games_with_infinite_scores_are_told() -> None:
    class Refused(AsSet):
        def score(self, packed: tuple[int, ...]) -> float:
            return float(len(packed)) if 7 in packed else float("-inf")

    told = findings(Refused())
    assert "random games have the score -inf, which does not tell a near miss" in told


@pytest.mark.usefixtures("idle")
def test_an_order_is_told_of_its_cost_before_it_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Costed(AsOrder):
        def cost_of(self, order: list[int]) -> float:
            return self.score(tuple(order))

    monkeypatch.setattr(report, "SLOW", 10**9)
    monkeypatch.setattr(report, "COMPILED", (1e-12, 0.0))
    monkeypatch.setattr(report, "SCORED", 1.0)
    found = findings(AsOrder())
    cost = found.index("a method cost_of(order)")
    assert cost < found.index("changes a second are few; the class compiled would do many times as")
    assert "cost_of" not in findings(Costed())
    assert "playouts a second are few; the class compiled would do about" in findings(Subset())


class FarApart:
    """As many of 60 numbers as possible, of which no two are near: moves() sorts for each."""

    change = "set"

    def initial(self) -> frozenset[int]:
        return frozenset()

    def moves(self, state: frozenset[int]) -> list[int]:
        return [v for v in range(60) if v not in state and not self.near(v) & state]

    def near(self, number: int) -> set[int]:
        return set(sorted(range(60), key=lambda other: abs(other - number) % 50)[1:4])

    def play(self, state: frozenset[int], move: int) -> frozenset[int]:
        return state | {move}

    def score(self, state: frozenset[int]) -> float:
        return float(len(state))


class Prepared(FarApart):
    """It has sorted before."""

    def __init__(self) -> None:
        self.known = [FarApart.near(self, number) for number in range(60)]

    def near(self, number: int) -> set[int]:
        return self.known[number]


def test_nothing_is_promised_of_a_class_whose_moves_compute_a_lot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "SLOW", 10**9)
    monkeypatch.setattr(report, "COMPILED", (1e-12, 0.0))
    told = diagnose(FarApart(), 1)
    found = "\n".join(map(str, told.findings))
    assert re.search(r"moves\(\) takes \d+% of the time, [\d,]+ microseconds a move, far", found)
    assert "before the search, what it computes again and again" in found
    assert "compiled" not in told.facts["speed"]
    assert "the class compiled would do" not in found
    told = diagnose(Prepared(), 1)
    found = "\n".join(map(str, told.findings))
    assert "compiled" in told.facts["speed"]
    assert "the class compiled would do" in found
    assert "__init__" not in found


@pytest.mark.usefixtures("idle")
def test_a_set_is_told_of_undo_where_it_plays_again_what_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Copying(AsSet):
        def play(self, packed: tuple[int, ...], thing: int) -> tuple[int, ...]:
            return tuple(sorted([*packed, thing]))

    class Undone(Copying):
        def undo(self, packed: tuple[int, ...], thing: int) -> tuple[int, ...]:
            return tuple(each for each in packed if each != thing)

    monkeypatch.setattr(report, "SLOW", 10**9)
    assert "a method undo(state, move), the state without a move, makes" in findings(Copying())
    assert "undo" not in findings(Undone()) + findings(FarApart())


@pytest.mark.usefixtures("idle")
def test_problems_in_one_line_are_told_what_is_possible_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "SLOW", 10**9)
    monkeypatch.setattr(report, "COMPILED", (1e-12, 0.0))
    monkeypatch.setattr(report, "MOSTLY", 0.0)
    found = findings(nestor.Order(9, lambda order: order[0] * order[1] + order[2]))
    assert "the class compiled" not in found
    assert "play()" not in found
    assert re.search(r"cost\(\) takes \d+% of the time: put functools.cache around", found)
    assert "a compiled class of the same rules (`nestor new order NAME --compiled` begins" in found


def test_no_cost_of_is_asked_for_where_the_score_takes_the_time() -> None:
    class Computing(AsOrder):
        def score(self, order: tuple[int, ...]) -> float:
            return super().score(order) + 0.0 * float(np.linalg.norm(MATRIX @ MATRIX))

    assert "cost_of" not in findings(Computing())


def test_nothing_is_promised_of_a_score_that_takes_nearly_all_the_time() -> None:
    class Computing(Subset):
        def score(self, state: Any) -> float:
            return super().score(state) + 0.0 * float(np.linalg.norm(MATRIX @ MATRIX))

    told = diagnose(Computing(), 1)
    assert "compiled" not in told.facts["speed"]
    found = "\n".join(map(str, told.findings))
    assert re.search(r"would save at most 1?\d% of the time beside score\(\), which", found)
    assert "would do" not in found


@pytest.mark.usefixtures("idle")
def test_what_compiles_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "SLOW", 10**9)
    monkeypatch.setattr(report, "COMPILED", (1e-12, 0.0))
    for found in (None, object()):
        monkeypatch.setattr(report, "find_spec", lambda name, found=found: found)
        assert ("pip install 'nestor[compiled]'" in findings(Subset())) == (found is None)


@pytest.mark.usefixtures("idle")
def test_changes_of_local_search_that_are_many_are_not_called_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = rivals._searched

    def hurried(problem: Any, algorithm: Any, playouts: int, seed: int) -> tuple[Any, float]:
        rate = 100.0 if algorithm else 50_000.0  # of sampling, and of the default
        return searched(problem, algorithm, playouts, seed)[0], rate

    monkeypatch.setattr(rivals, "_searched", hurried)
    assert "a second are few" not in findings(AsSet())
    assert "100 playouts a second are few" in findings(Subset())


def test_short_games_may_be_right() -> None:
    assert "it is right if moves() ends a game as soon as nothing good can follow" in findings(
        Packing()
    )


def test_a_problem_without_a_move_is_told() -> None:
    class Full(AsSet):
        limit = 0

    assert "nothing can be chosen at the beginning" in findings(Full())


def test_no_game_begins_after_some_seconds_unless_the_number_is_given(
    run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contract(*given: str) -> str:
        told: str = json.loads(run("check", "own:Subset", "--json", *given).out)["facts"][
            "contract"
        ]
        return told

    assert contract() == "kept in 20 random games"
    monkeypatch.setattr("nestor.testing.EFFORT", -1.0)
    assert contract() == "kept in 1 random game; no time for 20 (--playouts sets how many)"
    assert contract("--playouts", "3") == "kept in 3 random games"
    found = "Nothing to fix was found"
    more = f"{found} in what there was time for: --playouts 20 checks more games."
    assert str(Diagnosis("p", {"a": "b"}, (), " in what there was time for")).endswith("time for.")
    assert str(diagnose(AsOrder(), 1, asked=20)).endswith(more)
    assert str(diagnose(AsOrder(), 20, asked=20)).endswith(f"{found}.")


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_a_check_that_is_stopped_tells_what_was_done(
    signal_name: str, as_json: bool, run: Nestor, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "stopping.py").write_text(
        "import signal\n\nfrom own import Subset\n\n\n"
        "class Stopping(Subset):\n"
        "    scores = 0\n\n"
        "    def score(self, state):\n"
        "        Stopping.scores += 1\n"
        "        if Stopping.scores == 20:\n"
        f"            signal.raise_signal(signal.{signal_name})\n"
        "        return super().score(state)\n"
    )
    given = ["--json"] * as_json
    code, out, err = run("check", "stopping:Stopping", *given)
    assert (code, err) == (130, "")
    if as_json:
        told = json.loads(out)
        assert (told["stop_reason"], [*told["facts"]]) == ("interrupted", ["contract"])
    else:
        assert re.search(r"contract  kept in \d random games; stopped before 20\n", out)
        assert out.endswith("Stopped before the end.\nNothing to fix was found until then.\n")

    def stop(*given: object) -> None:
        signal.raise_signal(getattr(signal, signal_name))

    monkeypatch.setattr(rivals, "_searched", stop)
    code, out, err = run("check", "own:Subset", *given)
    assert (code, err, "kept in 20 random games" in out) == (130, "", True)
    rows = json.loads(out)["facts"] if as_json else re.findall(r"^  (\w+)", out, re.MULTILINE)
    assert [*rows] == ["contract", "games", "scores"]


def test_the_command_prints_the_whole_and_check_problem_the_same(
    run: Nestor, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run("check", "own:Subset")
    assert (code, err) == (0, "")
    rows = [line.split()[0] for line in out.splitlines() if line.startswith("  ")][:7]
    assert rows == ["contract", "games", "scores", "codes", "time", "speed", "search"]
    facts = json.loads(run("check", "own:Subset", "--json").out)
    assert list(facts["facts"]) == rows
    check_problem(Subset())
    printed = capsys.readouterr().out
    assert [line.split()[0] for line in printed.splitlines() if line.startswith("  ")][:7] == rows
    check_problem(Subset(), report=False)
    assert capsys.readouterr().out == ""


class Interrupting(Constant):
    """Ctrl-C comes in the midst of the search."""

    games = 0

    def score(self, state: Any) -> float:
        type(self).games += 1
        if self.games == 1600:
            signal.raise_signal(signal.SIGINT)
        return super().score(state)


def test_a_cost_that_adds_the_variables_of_an_assignment_is_told() -> None:
    problem = nestor.Assignment(4, 3, lambda value: sum(value))
    cause = r"cost\(\) gets a dict of variable to value: sum\(x\) adds the variables"
    with pytest.warns(RuntimeWarning, match=f"score with few values; {cause}"):
        nestor.solve(problem, playouts=1500, seed=1)
    assert re.search(f"cost\\(\\) tells none apart; {cause}", findings(problem))


def test_no_cause_is_told_that_cannot_be() -> None:
    """The best is found at once, and the cost uses the values."""
    problem = nestor.Assignment(4, 5, lambda value: int(value[0] == 0))
    with pytest.warns(RuntimeWarning, match="few values; more playouts .* few answers") as caught:
        nestor.solve(problem, playouts=1500, seed=1)
    assert "adds the variables" not in str([each.message for each in caught])


def test_a_to_dict_without_a_json_form_is_told(tmp_path: Path) -> None:
    class Dictated(AsOrder):
        def to_dict(self) -> Any:
            return {"a": {1, 2}}

    with pytest.raises(AssertionError, match="to_dict of the problem must return a dict with a JS"):
        check_problem(Dictated())
    problem: Any = AsOrder()
    result = nestor.solve(problem, playouts=10, seed=1)
    problem.to_dict = lambda: {"a": {1, 2}}
    with pytest.raises(nestor.InputError, match=r"^to_dict of the problem must return a dict"):
        result.save(tmp_path / "run.json")


@dataclass(frozen=True)
class Sized(Constant):
    """It needs an argument."""

    size: int


named = Sized(5)


def test_a_search_that_finds_nothing_says_so_at_no_cost(recwarn: pytest.WarningsRecorder) -> None:
    nestor.solve(Constant(), nestor.NRPA(2, 40), playouts=1600, seed=1)
    (warning,) = recwarn.list
    assert "nothing better was found than the first of 1,600 playouts" in str(warning.message)
    assert "if that is not the best there is" in str(warning.message)
    assert str(warning.message).endswith("looks for the reason, such as a score with few values")
    assert "nestor check test_check:Constant" in str(warning.message)
    recwarn.clear()
    interrupted = nestor.solve(Interrupting(), nestor.NRPA(2, 40), playouts=2000, seed=1)
    assert (interrupted.stop_reason, recwarn.list) == ("interrupted", [])
    for problem, check in (
        (named, "`nestor check test_check:named`"),
        (Sized(8), "`nestor.testing.check_problem(Sized(...))`"),
    ):
        nestor.compare({"p": problem}, {"a": nestor.NRPA(2, 40)}, seeds=[3], playouts=1600)
        (warning,) = recwarn.list
        assert str(warning.message).startswith("p, a, seed 3: nothing better was found")
        assert check in str(warning.message)
        recwarn.clear()
    nestor.solve(Constant(), nestor.NRPA(2, 40), playouts=900, seed=1)
    nestor.solve(Placed(), nestor.NRPA(2, 40), playouts=1600, seed=1)
    diagnose(Constant(), 1)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("file", "check"),
    [
        ("/folder/mine.py", "`nestor check mine:Constant`"),
        ("/folder/my-rules.py", "`nestor.testing.check_problem(Constant())`"),
        (None, "`nestor.testing.check_problem(Constant())`"),
    ],
)
def test_what_a_command_cannot_import_is_checked_by_a_call(
    file: str | None, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a class of a session, which has no file."""
    monkeypatch.setattr(Constant, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", file, raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    with pytest.warns(RuntimeWarning, match=re.escape(f", {check} looks for the reason")):
        nestor.solve(Constant(), nestor.NRPA(2, 40), playouts=1600, seed=1)


def test_a_class_within_a_function_is_checked_by_a_call() -> None:
    class Local(Constant):
        pass

    with pytest.warns(RuntimeWarning, match=r"`nestor\.testing\.check_problem\(Local\(\)\)`"):
        nestor.solve(Local(), nestor.NRPA(2, 40), playouts=1600, seed=1)


def test_a_broken_contract_is_exit_code_1(run: Nestor, folder: Path) -> None:
    (folder / "broken.py").write_text(
        "class Broken:\n"
        "    def initial(self):\n        return ()\n"
        "    def moves(self, state):\n        return [1, 1] if not state else []\n"
        "    def play(self, state, move):\n        return (*state, move)\n"
        "    def score(self, state):\n        return 0\n"
    )
    code, out, err = run("check", "broken:Broken")
    assert (code, out) == (1, "")
    assert err.startswith("Error: broken:Broken: moves() gave the move 1 twice, at the beginning")
    assert run("check", "broken:Broken", "--playouts", "0").code == 2
    assert run("check", "nothing:Here").code == 2


def test_a_problem_that_comes_with_nestor_can_be_checked() -> None:
    told = diagnose(nestor.problems.Morpion("5D"), 1)
    assert isinstance(told, Diagnosis)
    assert told.name == "morpion 5D"
    assert "compiled" not in told.facts["speed"]


def test_a_report_repeats_what_is_said_of_names() -> None:
    class Misspelt(Packing):
        minimise = True

    problem = Misspelt()
    with pytest.warns(RuntimeWarning, match=r"Misspelt.minimise is not used: did you mean sense\?"):
        told = diagnose(problem, 20)
    assert "Misspelt.minimise is not used: did you mean sense?" in told.findings[0].text


def test_a_report_is_of_whole_searches_where_the_optimum_is_found_at_once() -> None:
    class Alternating:
        """Give 4 places one of two colours, so that neighbours differ."""

        sense, change, optimum = "min", "set", 0

        def initial(self) -> tuple[int, ...]:
            return (-1,) * 4

        def moves(self, state: tuple[int, ...]) -> list[tuple[int, int]]:
            return [(k, c) for k, one in enumerate(state) if one < 0 for c in (0, 1)]

        def play(self, state: tuple[int, ...], move: tuple[int, int]) -> tuple[int, ...]:
            return (*state[: move[0]], move[1], *state[move[0] + 1 :])

        def undo(self, state: tuple[int, ...], move: tuple[int, int]) -> tuple[int, ...]:
            return self.play(state, (move[0], -1))

        def score(self, state: tuple[int, ...]) -> int:
            return sum(map(eq, state, state[1:]))

    told = diagnose(Alternating(), 20).facts["search"]
    assert "local_search 0," in told
    assert "the optimum" in told
    # What is found at once says nothing of the speed: the search goes on.
    assert not re.search(r"\(1?\d playouts", told)


COLOURS = """
import random

class Colours:
    colours = {{"red", "green", "blue", "white", "black", "grey", f"{{random.random()}}"}}

    def initial(self):
        return ()

    def moves(self, state):
        return {moves}

    def play(self, state, move):
        return (*state, move)

    def score(self, state):
        return float(state.index("red") - state.index("blue"))
"""


@pytest.mark.parametrize(
    ("moves", "code"),
    [
        ("[each for each in self.colours if len(each) < 6 and each not in state]", 1),
        ("sorted(each for each in self.colours if len(each) < 6 and each not in state)", 0),
        # In some processes two have the same order.
        ("[each for each in {'red', 'blue'} if each not in state]", 1),
        # An instance that is drawn anew has other moves, not the same ones in another order.
        ("sorted(self.colours - {*state})", 0),
    ],
)
@pytest.mark.parametrize("hashes", [None, "1", "2"])
def test_the_order_of_a_set_of_strings_is_told(
    hashes: str | None,
    moves: str,
    code: int,
    run: Nestor,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    if hashes is not None:
        monkeypatch.setenv("PYTHONHASHSEED", hashes)
    (folder / "colours.py").write_text(COLOURS.format(moves=moves))
    checked = run("check", "colours:Colours")
    assert checked.code == code
    assert ("Most often they come from a set of strings" in checked.err) == bool(code)


def test_an_optimum_that_only_a_search_beats_breaks_the_contract(
    monkeypatch: pytest.MonkeyPatch, run: Nestor
) -> None:
    class Wrong(AsSet):
        optimum = max(games.Games.of(AsSet(), 0).scores)

    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(wrong=Wrong()))
    code, out, err = run("check", "mine:wrong")
    assert (code, out) == (1, "")
    assert "is better than the optimum" in err
    check_problem(Wrong(), report=False)
    with pytest.raises(AssertionError, match=r"is better than the optimum .*, which is wrong"):
        check_problem(Wrong())


def test_the_time_of_a_bias_is_told() -> None:
    class Biased(Packing):
        def bias(self, state: Any, move: Any) -> float:
            return float(sum(range(1000)) % 7)

    assert diagnose(Biased(), 20).facts["time"].startswith("bias ")


def test_ctrl_c_ends_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any, **named: Any) -> nestor.Result:
        def stop(progress: Any) -> None:
            raise KeyboardInterrupt

        return nestor.solve(*given, callback=stop, **named)

    monkeypatch.setattr(rivals, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        diagnose(AsSet(), 20)
