"""Problems in one line wherever a class of one's own goes: `compare`, workers and the command."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, LocalSearch, compare
from nestor.diagnosis import diagnose
from nestor.problems.faults import FaultError, check_costs
from nestor.testing import check_problem
from support.commands import Nestor
from support.parts import partly

MODULE = """
import nestor

def light(chosen):
    return sum(chosen) <= 12

def lacks(chosen):
    return 10 - sum(chosen)

def length(order):
    return sum(abs(ord(a) - ord(b)) for a, b in zip(order, order[1:]))

def clashes(colours):
    return sum(colours[a] == colours[b] for a, b in ("AB", "BC", "CD", "DA", "AC"))

subset = nestor.Subset([7, 5, 4, 3], light, sum)
cover = nestor.Cover([7, 5, 4, 3], lacks, sum)
order = nestor.Order(list("ZEBRA"), length)
assignment = nestor.Assignment(list("ABCD"), ["red", "green", "blue"], clashes)
"""
BEST = {"subset": 12, "cover": 10, "order": 25, "assignment": 0}


def light(chosen: tuple[int, ...]) -> bool:
    return sum(chosen) <= 12


def lacks(chosen: tuple[int, ...]) -> int:
    return 10 - sum(chosen)


def length(order: list[str]) -> int:
    return sum(abs(ord(a) - ord(b)) for a, b in pairwise(order))


def clashes(colours: dict[str, str]) -> int:
    return sum(colours[a] == colours[b] for a, b in ("AB", "BC", "CD", "DA", "AC"))


def test_they_are_compared_in_this_process_and_in_others(tmp_path: Path) -> None:
    problems: dict[str, Any] = {
        "subset": nestor.Subset([7, 5, 4, 3], light, sum),
        "cover": nestor.Cover([7, 5, 4, 3], lacks, sum),
        "order": nestor.Order(list("ZEBRA"), length),
        "assignment": nestor.Assignment(list("ABCD"), ["red", "green", "blue"], clashes),
    }
    ways = {"local": LocalSearch(), "nrpa": NRPA(2, 20)}
    path = tmp_path / "runs.jsonl"
    here = compare(problems, ways, seeds=2, playouts=300, save=path)
    there = compare(problems, ways, seeds=2, playouts=300, workers=2)
    scores = [(row["problem"], row["algorithm"], row["seed"], row["score"]) for row in here]
    assert sorted(scores) == sorted(
        (row["problem"], row["algorithm"], row["seed"], row["score"]) for row in there
    )
    assert {problem: score for problem, way, _, score in scores if way == "local"} == BEST
    assert len(scores) == len({each[:3] for each in scores}) == 16
    again = compare(problems, ways, seeds=2, playouts=300, save=path)
    assert len(again) == 16
    assert len(path.read_text().splitlines()) == 16


@pytest.fixture
def one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "one_line.py").write_text(MODULE)
    monkeypatch.delitem(sys.modules, "one_line", raising=False)


@pytest.mark.usefixtures("one_line")
@pytest.mark.parametrize(("name", "best"), partly(BEST.items(), ("order", BEST["order"])))
def test_they_are_solved_by_name(name: str, best: float, run: Nestor) -> None:
    budget = ("--playouts", "300", "--seed", "1", "--jobs", "2", "--quiet", "--json")
    found = [
        run("solve", f"one_line:{name}", *budget, "--workers", str(workers)) for workers in (1, 2)
    ]
    assert [each.code for each in found] == [0, 0], found
    told = [json.loads(each.out) for each in found]
    assert [each["score"] for each in told] == [best, best]
    assert told[0]["moves"] == told[1]["moves"]


@pytest.mark.usefixtures("one_line")
def test_results_of_theirs_are_kept_checked_and_compared(run: Nestor, folder: Path) -> None:
    run("solve", "one_line:order", "--playouts", "300", "--save", "run.json", "--quiet")
    verified = run("verify", "run.json", "--problem", "one_line:order")
    assert (verified.code, verified.err) == (0, "")
    assert run("verify", "run.json", "--problem", "one_line:subset").code != 0
    (folder / "moved.py").write_text(MODULE)
    assert run("verify", "run.json", "--problem", "moved:order").code == 0
    for command in ("verify", "replay"):
        told = json.loads(run(command, "run.json", "--problem", "one_line:order", "--json").out)
        assert told["problem"] == told["instance"] == "one_line:order"
    assert run("check", "one_line:subset").code == 0
    (folder / "spec.toml").write_text(
        'playouts = 100\nseeds = 2\n[problems]\nmine = "one_line:assignment"\n'
        '[algorithms]\nlocal = "local_search"\nnrpa = "nrpa --level 2 --iterations 5"\n'
    )
    compared = run("compare", "spec.toml", "--workers", "2", "--quiet")
    assert (compared.code, compared.err) == (0, ""), compared
    assert "mine" in compared.out


@pytest.mark.usefixtures("one_line")
def test_logs_and_comparisons_have_the_names_of_the_command_line(run: Nestor, folder: Path) -> None:
    run("solve", "one_line:order", "--playouts", "30", "--log", "run.jsonl", "--quiet")
    logged = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    assert {line["problem"] for line in logged} == {"one_line:order"}
    for name in ("order", "cover"):
        given = ("--algorithms", "sampling", "--playouts", "30", "--seeds", "2")
        compared = run("compare", f"one_line:{name}", *given, "--save", "runs.jsonl", "--quiet")
        assert (compared.code, compared.err) == (0, ""), compared
        assert compared.out.startswith(name)
    assert nestor.Runs.load(folder / "runs.jsonl").problems == ["order", "cover"]


def test_a_loaded_result_refuses_another_solution(tmp_path: Path) -> None:
    problem = nestor.Order(list("ZEBRA"), length)
    path = tmp_path / "run.json"
    nestor.solve(problem, playouts=50, seed=1).save(path)
    nestor.Result.load(path, problem=problem).verify()
    data = json.loads(path.read_text())
    data["solution"]["moves"].reverse()
    path.write_text(json.dumps(data))
    with pytest.raises(nestor.VerificationError, match="'solution' is not what"):
        nestor.Result.load(path, problem=problem).verify()


def test_two_choices_that_share_nothing_are_both_found() -> None:
    """Taking a few back leads to the same choice: the search must begin anew."""
    low = range(8)
    problem = nestor.Subset(
        10,
        lambda some: len({item in low for item in some}) < 2,
        lambda some: sum(1 if item in low else 8 for item in some),
    )
    found = [nestor.solve(problem, playouts=2000, seed=seed, jobs=1).score for seed in range(5)]
    assert found == [16] * 5


def test_what_fits_only_as_a_whole_is_told() -> None:
    problem = nestor.Subset(30, lambda chosen: len(chosen) not in (3, 30), len)
    with pytest.raises(nestor.VerificationError, match="must be true of each part of what fits"):
        nestor.solve(problem, playouts=50, seed=1)
    with pytest.warns(RuntimeWarning, match="fits is not true for any single thing"):
        nestor.Subset(30, lambda chosen: len(chosen) != 1, len)


def test_what_is_missing_must_not_grow_and_must_be_a_number() -> None:
    told = r"missing\(\) must not grow with more things"

    def fading(chosen: tuple[int, ...]) -> int:
        return max(0, 3 - len(chosen)) + 5 * (len(chosen) == 7)

    with pytest.raises(nestor.VerificationError, match=told):
        nestor.solve(nestor.Cover(8, fading, len), playouts=50, seed=1)
    with pytest.raises(AssertionError, match=f'{told}|change is "cover"'):
        check_problem(nestor.Cover(8, fading, len))
    for missing, wrong in (
        (lambda _: 0, r"missing must be more than 0 for \(\)"),
        (lambda _: 3, "missing must be 0 for all items together, not 3"),
        (lambda some: len(some) < 3, "a finite number, .*, not True"),
        (lambda _: None, "a finite number, .*, not None"),
        (lambda some: np.array(some), "a finite number, .*, not array"),
    ):
        with pytest.raises(nestor.InputError, match=wrong):
            nestor.Cover(8, missing, len)
    rounded = nestor.Cover(8, lambda some: max(-1, 3 - len(some)) + 1e-13 * (len(some) % 2), len)
    assert nestor.solve(rounded, playouts=50, seed=1).verified
    with pytest.warns(RuntimeWarning, match="nothing can be chosen"):
        assert nestor.solve(nestor.Cover(0, lambda _: 0, len), playouts=5).moves == []
    with pytest.raises(nestor.InputError, match="a set has no order"):
        nestor.Cover({"a", "b"}, lacks, len)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_a_cover_is_complete_also_if_things_help_only_together(seed: int) -> None:
    """`missing` counts what a group lacks, or only that it lacks something."""
    rng = random.Random(seed)
    groups = [(rng.sample(range(7), 4), rng.randint(1, 3)) for _ in range(3)]
    prices = [rng.randint(1, 9) for _ in range(7)]

    def missing(chosen: Sequence[int]) -> int:
        left = [max(0, least - len({*group} & {*chosen})) for group, least in groups]
        return sum(map(bool, left)) if seed % 2 else sum(left)

    def price(chosen: tuple[int, ...]) -> int:
        return sum(prices[thing] for thing in chosen)

    subsets = (subset for size in range(8) for subset in combinations(range(7), size))
    best = min(price(subset) for subset in subsets if not missing(subset))
    problem = nestor.Cover(7, missing, price)
    check_problem(problem, playouts=5, report=False)
    result = nestor.solve(problem, playouts=500, seed=1)
    assert (result.score, missing(result.moves)) == (best, 0)


def test_what_functions_use_is_told_apart_by_scores(tmp_path: Path) -> None:
    def of(prices: list[int]) -> nestor.Order:
        return nestor.Order(3, lambda order: sum(prices[x] * n for n, x in enumerate(order)))

    one, other = of([1, 2, 3]), of([10, 20, 30])
    saved, checkpoint = tmp_path / "run.json", tmp_path / "checkpoint"
    nestor.solve(one, playouts=50, seed=1, checkpoint=checkpoint).save(saved)
    with pytest.raises(nestor.VerificationError, match=r"scores 40\.0, the search said 4"):
        nestor.Result.load(saved, other)
    told = r"cost\(\) gave 4 in the search, and gives 40 now, for \[2, 1, 0\]"
    with pytest.raises(nestor.InputError, match=told):
        nestor.solve(other, playouts=50, seed=1, checkpoint=checkpoint)
    rows = {"playouts": 50, "seeds": 1, "save": tmp_path / "rows.jsonl"}
    nestor.compare({"p": one}, [nestor.Auto()], **rows)  # type: ignore[arg-type]
    with pytest.raises(nestor.InputError, match="do not lead to the score 4"):
        nestor.compare({"p": other}, [nestor.Auto()], **rows)  # type: ignore[arg-type]


def test_what_things_and_scores_may_be(tmp_path: Path) -> None:
    three: Any = np.int64(3)
    assert nestor.Order(three, len).items == (0, 1, 2)
    named = nestor.Order([np.str_("a"), np.int64(7)], len).items
    assert [*map(type, named)] == [str, int]  # files have them as they are
    with pytest.raises(nestor.InputError, match="equal to themselves, and nan is not"):
        nestor.Order([math.nan, 1], len)
    with pytest.raises(nestor.InputError, match="hashable, such as numbers, texts and tuples"):
        nestor.Order(np.zeros((2, 2)), len)  # type: ignore[arg-type]
    with pytest.raises(nestor.InputError, match=r"fits\(\) must return True or False, not array"):
        nestor.Subset(3, lambda some: np.zeros(2) < len(some), len)
    found = nestor.solve(nestor.Order([1j, 2j], len), playouts=5)
    with pytest.raises(nestor.InputError, match="must have a JSON form for files"):
        found.save(tmp_path / "run.json")
    with pytest.warns(RuntimeWarning, match=r"the score 1152921504606846979 is beyond 2\*\*53"):
        nestor.solve(nestor.Order(3, lambda order: 2**60 + len(order)), playouts=5)
    with pytest.warns(RuntimeWarning, match=r"the score 1152921504606846977 is beyond 2\*\*53"):
        nestor.solve(Spread(6, light, lambda some: (len(some), 2**60 + 1)), playouts=5)
    huge = diagnose(nestor.Order(3, lambda _: 2**60 + 1), 1).findings
    assert "floats beyond 2**53 are too coarse for whole numbers" in str(huge[0])
    result = nestor.solve(nestor.Subset(3, lambda some: len(some) < 3, len), playouts=5)
    result.save(tmp_path / "run.json")
    data = json.loads((tmp_path / "run.json").read_text())
    data["solution"]["moves"][1] = {}
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(nestor.VerificationError, match="not a solution of this problem"):
        nestor.Result.load(tmp_path / "run.json", result.problem)


def nothing(_: Any) -> None:
    """Return no number, as a function does that lacks its return."""


class Two(nestor.Order):
    objectives = ("min", "min")


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (
            nestor.Order(3, lambda order: 10**400 + order[0]),
            "Order: cost() must return a number that a float can hold, up to 1.8e+308, not 1000",
        ),
        (
            nestor.Order(3, lambda order: (1, 2)),
            "Order: cost() must return a number, not (1, 2): several parts need the attribute "
            "objectives, after",
        ),
        (Two(3, lambda order: order[0]), "Two: cost() must be a tuple of 2 numbers"),
        (Two(3, lambda order: (1, "x")), "Two: a part of cost() must be a number, not 'x', after"),
        (
            Two(3, lambda order: (1, 10**400)),
            "Two: a part of cost() must be a number that a float can hold",
        ),
    ],
    ids=["large", "tuple", "no tuple", "text", "large part"],
)
def test_errors_say_what_a_cost_lacks_to_be_a_score(problem: Any, told: str) -> None:
    with pytest.raises(nestor.InputError, match=re.escape(told)):
        nestor.solve(problem, playouts=50, seed=1)
    with pytest.raises(AssertionError, match=re.escape(told.partition(": ")[2])):
        check_problem(problem)


LARGE = Decimal("1e400")


@pytest.mark.parametrize(
    "problem",
    [
        nestor.Cover(3, lambda chosen: 2 - len(chosen), lambda chosen: LARGE),
        nestor.Subset(3, lambda chosen: len(chosen) < 3, lambda chosen: LARGE),
        nestor.Order(3, lambda order: LARGE),
        nestor.Assignment(3, 2, lambda given: LARGE),
    ],
)
def test_a_decimal_that_no_float_can_hold_is_told(problem: Any) -> None:
    said = r"must return a number that a float can hold, up to 1.8e\+308, not Decimal\('1E\+400'\)"
    with pytest.raises(
        nestor.InputError, match=rf"{type(problem).__name__}: (value|cost)\(\) {said}"
    ):
        nestor.solve(problem, playouts=100, seed=1)
    with pytest.raises(AssertionError, match=said):
        check_problem(problem)


@pytest.mark.parametrize("answer", [math.nan, -math.inf, math.inf, "3", None, [1], 1j])
def test_fits_answers_yes_or_no(answer: Any) -> None:
    with pytest.raises(nestor.InputError, match=r"fits\(\) must return True or False, not "):
        nestor.Subset(3, lambda chosen: answer, len)
    for yes, no in ((np.True_, np.False_), (1, 0), (np.int64(1), 0.0), (Decimal(2), Decimal(0))):
        problem = nestor.Subset(
            3, lambda chosen, yes=yes, no=no: yes if len(chosen) < 3 else no, len
        )
        assert nestor.solve(problem, playouts=5, seed=1).score == 2


@pytest.mark.parametrize("kind", [bool, np.bool_])
def test_missing_says_how_much(kind: Any) -> None:
    with pytest.raises(
        nestor.InputError, match=r"True.*, which does not say how much: return the num"
    ):
        nestor.Cover(3, lambda chosen: kind(len(chosen) < 2), len)


def test_things_that_can_be_gone_through_once_are_refused() -> None:
    given: list[Any] = [(each for each in "abc"), map(str, range(3)), iter([1, 2])]
    for things in given:
        with pytest.raises(
            nestor.InputError, match=r"items must be a sequence, and .*list\(\.\.\.\)"
        ):
            nestor.Order(things, len)
    with pytest.raises(nestor.InputError, match="values must be a sequence, and <generator"):
        nestor.Assignment(3, (each for each in "abc"), len)  # type: ignore[arg-type]
    assert nestor.Order({"a": 1}.keys(), len).items == ("a",)  # type: ignore[arg-type]


def test_a_size_that_must_be_met_is_pointed_to_both_forms() -> None:
    with pytest.raises(nestor.InputError, match=r"a limit is <=, not ==; .* is a nestor\.Cover"):
        nestor.Subset(40, lambda chosen: len(chosen) == 10, sum)


def test_an_assignment_begins_with_a_dict() -> None:
    problem = nestor.Assignment(["a", "b"], 3, lambda given: given["a"] + given["b"])
    begun = nestor.solve(problem, initial={"b": 0, "a": 1}, playouts=1)
    assert begun.moves == [("b", 0), ("a", 1)]
    order = nestor.Order(["a", "b"], lambda order: 0)
    with pytest.raises(nestor.InputError, match=r"initial must be a sequence, not {'a': 'b'}"):
        nestor.solve(order, initial={"a": "b"}, playouts=1)


def test_names_with_commas_are_quoted() -> None:
    result = nestor.solve(nestor.Order(["a, b", "c"], lambda order: order[0] == "c"), playouts=9)
    assert str(result.solution) == "'a, b', c"


def test_errors_have_the_name_of_the_function_and_what_it_got() -> None:
    wrong = "must return a number, not None, for"
    for problem, told in (
        (nestor.Order(["a"], nothing), f"Order: cost() {wrong} ['a']"),
        (nestor.Subset(["a"], lambda _: True, nothing), f"Subset: value() {wrong} ('a',)"),
        (nestor.Cover(["a"], lambda some: 1 - len(some), nothing), f"Cover: cost() {wrong} ('a',)"),
        (nestor.Assignment(["a"], ["b"], nothing), f"Assignment: cost() {wrong} {{'a': 'b'}}"),
    ):
        with pytest.raises(nestor.InputError, match=re.escape(told)):
            nestor.solve(problem, playouts=50, seed=1)
        with pytest.raises(
            AssertionError, match=r"(cost|value)\(\) must return a number, not None"
        ):
            check_problem(problem)


def test_a_cost_may_change_what_it_is_given() -> None:
    def closed(order: list[int]) -> int:
        order.append(order[0])
        return sum(abs(a - b) for a, b in pairwise(order))

    result = nestor.solve(nestor.Order(5, closed), playouts=500, seed=1)
    assert result.score == 8
    assert sorted(result.moves) == [0, 1, 2, 3, 4]


def test_a_method_without_a_place_for_self_takes_no_argument() -> None:
    made: Any = type("Selfless", (), {"cost": lambda: 0})
    with pytest.raises(nestor.InputError, match="cost must take one argument"):
        nestor.Order(3, made().cost)


def test_wrong_arguments_are_told_with_what_is_right() -> None:
    with pytest.raises(nestor.InputError, match=r"items must .* is one text: .* list\('abc'\)$"):
        nestor.Order("abc", length)
    with pytest.raises(nestor.InputError, match="cost must take one argument"):
        nestor.Order(3, lambda: 1)
    assert nestor.Order(3, max).cost is max
    with pytest.raises(nestor.InputError, match="optimum of the problem must be a number"):
        nestor.Order(3, len, optimum="low")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "problem",
    [
        nestor.Subset([7, 5, 4, 3], light, sum, optimum=12),
        nestor.Cover([7, 5, 4, 3], lacks, sum, optimum=10),
        nestor.Order(list("ZEBRA"), length, optimum=25),
        nestor.Assignment(list("ABCD"), [1, 2, 3], clashes, optimum=0),
    ],
)
def test_a_search_stops_at_the_optimum(problem: Any, tmp_path: Path) -> None:
    result = nestor.solve(problem, seconds=30, seed=1)
    assert result.score == problem.optimum
    result.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json", problem=problem).score == problem.optimum
    again = type(problem).from_dict(problem.to_dict())
    assert again.optimum == problem.optimum


def test_a_cover_that_begins_with_needless_things_loses_them() -> None:
    serves = [{0, 2}, {0, 1, 2}, {0, 1, 2}]

    def lacking(chosen: Sequence[int]) -> int:
        return 3 - len(set().union(*(serves[one] for one in chosen)))

    problem = nestor.Cover(3, lacking, len)
    for seed in range(5):
        assert nestor.solve(problem, playouts=100, seed=seed, initial=[0, 1]).score == 1


def spread(chosen: tuple[int, ...]) -> tuple[int, int]:
    return sum(chosen), len(chosen) + max(chosen, default=0)


def shares(values: dict[int, int]) -> tuple[int, int]:
    return 0, sum(values.values())


class Longest(nestor.Order):
    """A subclass that says its sense."""

    sense = "max"


class Ranked(nestor.Assignment):
    """A subclass whose scores have two parts, each with a sense."""

    objectives = "lexicographic"
    sense = ("min", "max")


class Spread(nestor.Subset):
    """A subclass with a front; it needs no sense."""

    objectives = ("min", "max")


def test_a_subclass_says_what_is_better() -> None:
    letters = list("ZEBRA")
    assert nestor.solve(Longest(letters, length), playouts=500, seed=1).score == 79
    assert nestor.solve(Longest(letters, length, sense="min"), playouts=500, seed=1).score == 25
    ranked, spreading = Ranked(5, [0, 1], shares), Spread(6, light, spread)
    assert nestor.solve(ranked, playouts=300, seed=1).scores == (0, 5)
    front = nestor.solve(spreading, playouts=300, seed=1).front
    assert front is not None
    assert [each.scores for each in front] == [(10, 9), (11, 10)]
    for problem in (ranked, spreading):
        again = type(problem).from_dict(json.loads(json.dumps(problem.to_dict())))
        assert (again.sense, again.to_dict()) == (problem.sense, problem.to_dict())


@pytest.mark.parametrize("name", ["score", "moves", "cost_of"])
def test_a_subclass_of_orders_has_no_rules_of_its_own(name: str) -> None:
    other = type("Other", (nestor.Order,), {name: lambda self, state: 7})
    with pytest.raises(nestor.InputError, match=rf"must not have {name}\(\) of its own"):
        other(list("ZEBRA"), length)


def test_a_cost_that_changes_is_called_by_its_name() -> None:
    costs = iter(range(10**6))
    problem: Any = nestor.Order(5, lambda order: next(costs))
    with pytest.raises(FaultError, match=r"^cost\(\) gives 0, and 1 when it is called again, for "):
        check_costs(problem, [[2, 4, 3, 1, 0]])
