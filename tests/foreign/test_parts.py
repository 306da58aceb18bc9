"""Scores of several parts of compiled classes and libraries: the same as of plain classes."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from foreign.test_libraries import NEEDS_CC, built
from nestor import InputError, RulesError
from nestor.foreign.twin import Twin
from nestor.testing import check_problem
from support.fronts import Choice, Tours

WEIGHTS = (12, 7, 11, 8, 9, 6, 14, 10, 5, 13)
PRICES = (3.2, 1.5, 2.75, 2.0, 1.9, 1.2, 3.0, 2.6, 0.8, 2.9)


class Packing:
    """As many things as fit, and of these the cheapest choice."""

    objectives: Any = "lexicographic"
    sense: Any = ("max", "min")
    ranges: Any = ((0, 10), (0, 100, 0.01))
    change = "none"
    state = np.dtype([("next", "i4"), ("room", "i4"), ("count", "i4"), ("price", "f8")])

    def __init__(self) -> None:
        self.weights, self.prices = np.array(WEIGHTS), np.array(PRICES)

    def initial(self, s: Any) -> None:
        s.room = 40

    def moves(self, s: Any, out: Any) -> None:
        for i in range(s.next, 10):
            if self.weights[i] <= s.room:
                out.add(i)

    def play(self, s: Any, i: int) -> None:
        s.next = i + 1
        s.room -= self.weights[i]
        s.count += 1
        s.price += self.prices[i]

    def score(self, s: Any) -> Any:
        return s.count, round(s.price * 100) / 100


class Places:
    """Tours by two tables, the first of which decides in steps, or none."""

    objectives: Any = ("min", "min")
    change = "order"

    def __init__(self) -> None:
        plain = Tours()
        self.n = plain.n
        self.one, self.two = map(np.array, plain.tables)
        self.state = np.dtype([("k", "i4"), ("tour", "i4", self.n), ("seen", "u1", self.n)])

    def initial(self, s: Any) -> None:
        pass

    def moves(self, s: Any, out: Any) -> None:
        for i in range(self.n):
            if not s.seen[i]:
                out.add(i)

    def play(self, s: Any, i: int) -> None:
        s.tour[s.k] = i
        s.seen[i] = 1
        s.k += 1

    def score(self, s: Any) -> Any:
        a = b = 0.0
        for i in range(self.n):
            a += self.one[s.tour[i - 1], s.tour[i]]
            b += self.two[s.tour[i - 1], s.tour[i]]
        return a, b


class Ordered(Places):
    """The first table in tenths, and of equal ones the second in hundredths."""

    objectives = "lexicographic"
    sense = "min"
    ranges = ((0, 100, 0.1), (0, 100, 0.01))

    def score(self, s: Any) -> Any:
        a = b = 0.0
        for i in range(self.n):
            a += self.one[s.tour[i - 1], s.tour[i]]
            b += self.two[s.tour[i - 1], s.tour[i]]
        return round(a * 10) / 10, round(b * 100) / 100


class Things(Choice):
    """The same as a compiled class, with a method undo."""

    state = np.dtype([("room", "i4"), ("one", "i4"), ("two", "i4"), ("chosen", "u1", 9)])

    def __init__(self) -> None:
        self.weighs = np.array(self.weights)
        self.first, self.second = map(np.array, self.values)

    def initial(self, s: Any) -> None:  # type: ignore[override]
        s.room = 25

    def moves(self, s: Any, out: Any) -> None:  # type: ignore[override]
        for i in range(9):
            if not s.chosen[i] and self.weighs[i] <= s.room:
                out.add(i)

    def play(self, s: Any, i: int) -> None:  # type: ignore[override]
        s.chosen[i] = 1
        s.room -= self.weighs[i]
        s.one += self.first[i]
        s.two += self.second[i]

    def undo(self, s: Any, i: int) -> None:
        s.chosen[i] = 0
        s.room += self.weighs[i]
        s.one -= self.first[i]
        s.two -= self.second[i]

    def score(self, s: Any) -> Any:
        return s.one, s.two


COMPILED: Any = nestor.compiled(Packing)
COMPILED_PLACES: Any = nestor.compiled(Places)
COMPILED_ORDERED: Any = nestor.compiled(Ordered)
COMPILED_THINGS: Any = nestor.compiled(Things)
ISOLATED: Any = nestor.compiled(isolated=True)(Things)


def test_parts_in_their_order_are_as_in_the_plain_class() -> None:
    problem = COMPILED()
    check_problem(problem)
    for algorithm in (nestor.NRPA(2, 20), nestor.NMCS(1), nestor.BeamNRPA(1, 20)):
        result = nestor.solve(problem, algorithm, seed=1, playouts=400)
        plain = nestor.solve(problem.twin, algorithm, seed=1, playouts=400)
        assert (result.scores, result.moves) == (plain.scores, plain.moves)
        assert result.improvements[-1].score == plain.improvements[-1].score == result.score
    best = nestor.solve(problem, seed=1, target=(5, 7.4), seconds=60)
    assert (best.scores, best.stop_reason, best.verified) == ((5.0, 7.4), "target", True)
    assert best.to_dict()["scores"] == (5.0, 7.4)
    assert "(5, 7.4) (higher, lower is better)" in str(best)


def test_an_order_whose_parts_have_an_order_is_improved() -> None:
    problem = COMPILED_ORDERED()
    check_problem(problem)
    result = nestor.solve(problem, nestor.LocalSearch(), seed=2, playouts=2000)
    plain = nestor.solve(problem.twin, nestor.LocalSearch(), seed=2, playouts=2000)
    assert (result.scores, result.moves) == (plain.scores, plain.moves)


@pytest.mark.parametrize("kind", [COMPILED_PLACES, COMPILED_THINGS], ids=["order", "set"])
def test_fronts_are_as_in_the_plain_class(kind: Any, tmp_path: Path) -> None:
    problem = kind()
    check_problem(problem)
    algorithms = nestor.ParetoLocalSearch(), nestor.ParetoNRPA(level=2, iterations=10)
    for number, algorithm in enumerate(algorithms):
        result = nestor.solve(problem, algorithm, seed=1, playouts=400)
        plain = nestor.solve(problem.twin, algorithm, seed=1, playouts=400)
        assert result.front is not None
        assert plain.front is not None
        assert result.front.scores == plain.front.scores
        assert result.verified
        path = tmp_path / f"{number}.ckpt"
        nestor.solve(problem, algorithm, seed=1, playouts=150, checkpoint=path)
        resumed = nestor.resume(path, problem=problem, playouts=400).front
        assert resumed is not None
        assert resumed.scores == result.front.scores


def test_tries_of_a_set_are_made_by_the_compiled_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = COMPILED_THINGS()
    problem.prepare()
    played, play = [0], Twin.play

    def counted(self: Twin, state: bytes, move: int) -> bytes:
        played[0] += 1
        return play(self, state, move)

    monkeypatch.setattr(Twin, "play", counted)
    result = nestor.solve(problem, nestor.ParetoLocalSearch(), seed=1, playouts=2000, jobs=1)
    assert result.front
    assert 0 < played[0] < 2000


def test_fronts_of_other_processes_are_the_same() -> None:
    problem = COMPILED_THINGS()
    settings: Any = {"seed": 1, "playouts": 600, "jobs": 2}
    here: Any = nestor.solve(problem, **settings)
    workers: Any = nestor.solve(problem, **settings, workers=2)
    isolated: Any = nestor.solve(ISOLATED(), **settings)
    assert here.front.scores == workers.front.scores == isolated.front.scores
    for kind, count in ((COMPILED_THINGS, None), (COMPILED_THINGS, 2), (ISOLATED, None)):
        begun: Any = nestor.solve(kind(), playouts=2, jobs=2, initial=here, workers=count)
        assert begun.front.scores == here.front.scores


class Narrow(Packing):
    ranges = ((0, 10), (0, 10, 0.5))


class Unsaid(Packing):
    def score(self, s: Any) -> Any:
        return s.price


class Third(Packing):
    def score(self, s: Any) -> Any:
        return s.count, s.price, 1


class Nan(Places):
    def score(self, s: Any) -> Any:
        return s.tour[0] * 1.0, math.nan if s.tour[0] == 3 else 1.0


class Guided(Places):
    def guide(self, s: Any) -> Any:
        return 1.0, 2.0


WRONG: dict[type, tuple[type[Exception], str]] = {
    Narrow: (RulesError, r"as part 2 of a lexicographic score, whose values are multiples of 0\.5"),
    Unsaid: (InputError, "must return a tuple of 2 numbers, since the problem has objectives"),
    Third: (InputError, "must return a tuple of 2 numbers, .* an entry for each in sense"),
    Nan: (RulesError, "must be a number|finite numbers"),
    Guided: (InputError, r"a front has no one number for guide, bound and joined"),
}


class Forgetful(Things):
    def undo(self, s: Any, i: int) -> None:
        s.chosen[i] = 0
        s.room += self.weighs[i]
        s.one -= self.first[i]


class Stepping(Places):
    """The second part is counted on the way, and `step` forgets it."""

    def __init__(self) -> None:
        super().__init__()
        self.state = np.dtype(
            [("k", "i4"), ("tour", "i4", self.n), ("seen", "u1", self.n), ("two", "f8")]
        )

    def play(self, s: Any, i: int) -> None:
        s.tour[s.k] = i
        s.seen[i] = 1
        s.two += self.two[s.tour[s.k - 1], i]
        s.k += 1

    def step(self, s: Any, i: int) -> None:
        s.tour[s.k] = i
        s.k += 1

    def score(self, s: Any) -> Any:
        return s.tour[0] * 1.0, s.two


FORGOTTEN: dict[type[object], str] = {
    Forgetful: r"undo\(\) must leave no trace of a move, but score\(\) is \(\d+\.0, \d+\.0\)",
    Stepping: r"step\(\) leads to \(\d\.0, 0\.0\), and play\(\) to \(\d\.0, \d\.\d+\)",
}


@pytest.mark.parametrize("rules", FORGOTTEN)
def test_all_parts_are_tried_out(rules: type[object]) -> None:
    with pytest.raises(RulesError, match=FORGOTTEN[rules]):
        nestor.solve(nestor.compiled(rules)(), seed=1, playouts=10)
    with pytest.raises(AssertionError, match=FORGOTTEN[rules]):
        check_problem(nestor.compiled(rules)(), report=False)


@pytest.mark.parametrize(("rules", "error"), WRONG.items(), ids=lambda each: str(each)[-20:])
def test_wrong_scores_are_told(rules: type, error: tuple[type[Exception], str]) -> None:
    problem = nestor.compiled(unchecked=rules is Narrow)(rules)()
    with pytest.raises(error[0], match=error[1]):
        nestor.solve(problem, seed=1, playouts=2000)


LIBRARY = """
#include <nestor.h>
#include <string.h>
static nestor_part parts[2] = {{0, 100, 1, NAN, 0}, {-50, 50, 0.5, NAN, 1}};
static char how[16];
static int is(const char *name) { return strcmp(how, name) == 0; }
typedef struct state { int32_t k, chosen[6]; } state;
static nestor_status initial(const void *self, void *to) {
  (void)self; (void)to;
  return NESTOR_OK;
}
static nestor_status moves(const void *self, const void *from, nestor_moves *out) {
  (void)self;
  const state *s = from;
  for (int i = 0; s->k < 6 && i < 4; i++) nestor_add(out, i, (uint64_t)(4 * s->k + i), 0.0);
  return NESTOR_OK;
}
static nestor_status play(const void *self, void *to, int64_t move) {
  (void)self;
  state *s = to;
  s->chosen[s->k++] = (int32_t)move;
  return NESTOR_OK;
}
static nestor_status score(const void *self, const void *from, double *score) {
  (void)self;
  const state *s = from;
  score[0] = score[1] = 0;
  for (int i = 0; i < 6; i++) {
    score[0] += s->chosen[i] * (i + 1);
    score[1] += s->chosen[i] * s->chosen[(i + 1) % 6] * 0.5;
  }
  if (is("outside")) score[1] = 0.3;
  if (is("nan")) score[1] = NAN;
  return NESTOR_OK;
}
nestor_status two(const char *data, uint64_t length, nestor_problem *out) {
  memset(how, 0, sizeof how);
  memcpy(how, data, length < sizeof how ? length : sizeof how - 1);
  *out = NESTOR_PROBLEM;
  out->state_size = sizeof(state);
  out->code_count = 24;
  out->part_count = is("one") ? 1 : is("many") ? 17 : 2;
  out->parts = is("null") ? 0 : parts;
  parts[0].optimum = is("known") ? 63 : NAN;
  parts[1].optimum = is("known") ? 27 : NAN;
  parts[1].step = is("step") ? 0 : 0.5;
  if (is("front") || is("alone") || is("guide")) out->flags |= NESTOR_FRONT;
  if (is("alone")) out->part_count = 0, out->parts = 0;
  if (is("optimum")) out->optimum = 3;
  if (is("guide")) out->guide = score;
  out->initial = initial;
  out->moves = moves;
  out->play = play;
  out->score = score;
  return NESTOR_OK;
}
"""

REFUSED = {
    "one": "part_count must be 0 for one number, or 2 to 16 with as many parts, not 1",
    "many": "part_count must be 0 for one number, or 2 to 16 with as many parts, not 17",
    "null": "part_count must be 0 for one number, or 2 to 16 with as many parts, not 2",
    "alone": "it has the flag FRONT, but scores without parts",
    "optimum": "its scores have parts, which say the optimum: leave it NaN",
    "guide": "a front has no one number for guide, bound and joined",
    "step": r"ranges of the problem: .*needs least <= most, and a positive step",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("parts") / "two.c"
    source.write_text(LIBRARY)
    return built(source, source.parent)


@NEEDS_CC
def test_a_library_has_parts_in_their_order(library: Path) -> None:
    problem = nestor.load_library(library, "two")
    check_problem(problem)
    result = nestor.solve(problem, seed=1, playouts=3000)
    assert (result.scores, result.verified) == ((63.0, 27.0), True)
    known = nestor.load_library(library, "two", "known")
    assert nestor.solve(known, seed=1).stop_reason == "target"


@NEEDS_CC
def test_a_library_has_a_front(library: Path) -> None:
    problem = nestor.load_library(library, "two", "front")
    check_problem(problem)
    front = nestor.solve(problem, seed=1, playouts=4000).front
    assert front is not None
    assert (36.0, 0.0) in front.scores


@NEEDS_CC
@pytest.mark.parametrize(("how", "said"), REFUSED.items())
def test_a_table_with_wrong_parts_is_refused(library: Path, how: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        nestor.load_library(library, "two", how)


@NEEDS_CC
@pytest.mark.parametrize(
    ("how", "said"), {"outside": r"has 0\.3 as part 2", "nan": "has NaN"}.items()
)
def test_a_library_with_wrong_scores_is_told(library: Path, how: str, said: str) -> None:
    with pytest.raises(RulesError, match=rf"score\(\) {said}"):
        nestor.solve(nestor.load_library(library, "two", how), seed=1, playouts=10)


def test_time_that_compiling_takes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = type(COMPILED())
    prepared: str = COMPILED().prepare()
    monkeypatch.setattr(kind, "unchecked", True)
    assert "trial" not in COMPILED().prepare()

    def slowly(_: object) -> str:
        time.sleep(0.15)
        return prepared

    monkeypatch.setattr(kind, "prepare", slowly)
    said = r"^getting ready took .* s, which leaves 0.0 s of the 0.2 s for the search: compiling P"
    with pytest.warns(RuntimeWarning, match=said):
        nestor.solve(COMPILED(), nestor.NRPA(1, 10), seconds=0.2)
    assert re.search(r"trial games .* s \(unchecked=True leaves them out\); the next", prepared)
