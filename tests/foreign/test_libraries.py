"""Problems from libraries: the examples in C and in Rust, and libraries that are wrong."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from operator import mul
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, RulesError, _core
from nestor.testing import check_problem
from support.pages import ROOT

NEEDS_CC = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
NEEDS_CARGO = pytest.mark.skipif(shutil.which("cargo") is None, reason="needs Rust")


def built(source: Path, folder: Path) -> Path:
    """Compile a library in C."""
    library = folder / f"{source.stem}.so"
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-std=c99", "-shared", "-fPIC"]
    include = ["-I", nestor.get_include()]
    subprocess.run([*command, *include, source, "-o", library], check=True)
    return library


@pytest.fixture(scope="module")
def queens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT / "examples/c/queens.c", tmp_path_factory.mktemp("c"))


@NEEDS_CC
def test_the_example_in_c(queens: Path) -> None:
    problem = nestor.load_library(queens, "queens", "8")
    check_problem(problem)
    result = nestor.solve(problem, nestor.NRPA(2, 20), seed=1)
    assert (result.score, result.stop_reason, result.verified) == (8.0, "target", True)
    workers = nestor.solve(problem, nestor.NRPA(2, 20), seed=1, workers=1, jobs=1)
    assert workers.moves == result.moves


@NEEDS_CC
def test_a_function_may_have_the_name_of_a_problem_of_nestor(tmp_path: Path) -> None:
    source, path = tmp_path / "games.c", tmp_path / "run.ckpt"
    queens = (ROOT / "examples/c/queens.c").read_text()
    source.write_text(queens.replace("nestor_status queens(", "nestor_status samegame("))
    problem = nestor.load_library(built(source, tmp_path), "samegame", "30")
    nestor.solve(problem, nestor.NRPA(1, 20), playouts=5, checkpoint=path)
    assert nestor.resume(path, problem=problem, playouts=30).playouts == 30
    with pytest.raises(InputError, match=r"it is for 'games\.so:samegame'"):
        nestor.resume(path)


@NEEDS_CARGO
def test_the_example_in_rust(tmp_path: Path) -> None:
    source = ROOT / "examples/rust-library/src/lib.rs"
    library = tmp_path / "libsums.so"
    command = ["rustc", "--edition", "2024", "--crate-type", "cdylib", "-D", "warnings"]
    subprocess.run([*command, source, "-o", library], check=True)
    numbers = (771, 121, 281, 854, 885, 734, 486, 1003, 83, 62)
    problem = nestor.load_library(library, "sums", " ".join(map(str, numbers)))
    check_problem(problem)
    best = min(abs(sum(map(mul, numbers, sides))) for sides in product((-1, 1), repeat=10))
    assert nestor.solve(problem, nestor.Sampling(), seed=1, playouts=50_000).score == best


@NEEDS_CC
def test_a_library_that_was_built_again_is_not_taken_for_the_new_one(tmp_path: Path) -> None:
    text = (ROOT / "examples/c/queens.c").read_text()
    (source := tmp_path / "board.c").write_text(text)
    old = nestor.load_library(built(source, tmp_path), "queens", "8")
    assert nestor.load_library(built(source, tmp_path), "queens", "6").change == old.change
    source.write_text(f"{text}\nint another;\n")
    library = built(source, tmp_path)
    with pytest.raises(InputError, match=r"board\.so has changed since this process loaded it"):
        nestor.load_library(library, "queens", "8")
    assert (
        nestor.load_library(library.rename(tmp_path / "new.so"), "queens", "8").change == old.change
    )


@NEEDS_CC
def test_what_a_library_refuses_is_said(queens: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="status 2: the data must be the size of the board"):
        nestor.load_library(queens, "queens", "99")
    with pytest.raises(InputError, match="has no function 'kings'"):
        nestor.load_library(queens, "kings")
    with pytest.raises(InputError, match="cannot load"):
        nestor.load_library(tmp_path / "missing.so", "queens")
    for kept in (0, 63, 64, 4096, queens.stat().st_size - 1):
        (cut := tmp_path / "cut.so").write_bytes(queens.read_bytes()[:kept])
        with pytest.raises(InputError, match=r"cannot load .*cut\.so: "):
            nestor.load_library(cut, "queens")
    with pytest.raises(InputError, match=r"cannot load .*: it is a folder"):
        nestor.load_library(tmp_path, "queens")
    with pytest.raises(InputError, match="name must be the name of a function"):
        nestor.load_library(queens, "not a name")
    with pytest.raises(InputError, match="data must be text or bytes"):
        nestor.load_library(queens, "queens", 8)  # type: ignore[arg-type]


MISUSES = {
    "overrun": (RulesError, r"play\(\) wrote beyond the end of the state"),
    "many": (RulesError, r"moves\(\) must give at most 1000000 moves"),
    "code": (RulesError, "is not below the number of codes"),
    "twice": (
        RulesError,
        r"moves\(\) gave two moves the same code, 1\nno result is known that is legal",
    ),
    "nan": (RulesError, r"score\(\) must not give NaN"),
    "inf": (RulesError, r"score\(\) must not give inf, which nothing else could beat"),
    "bias": (RulesError, r"moves\(\) gave the bias"),
    "status": (RulesError, r"play\(\) failed with status 7: seven"),
    "endless": (InputError, "did not end within 10000 moves"),
    "version": (InputError, "has version 99 of the interface"),
    "signature": (InputError, "signature"),
    "size": (InputError, "state_size must be 1 to"),
    "codes": (InputError, "code_count must be at most"),
    "values": (InputError, "value_count is of the moves of a set"),
    "flags": (InputError, "flags 0x100 have no meaning"),
    "missing": (InputError, "it has no function play"),
    "first": (RulesError, r"initial\(\) failed with status 7"),
}

WRONG = """
#include <nestor.h>
#include <string.h>
static char how[16];
static int is(const char *name) { return strcmp(how, name) == 0; }
static nestor_status initial(const void *self, void *state) {
  (void)self; (void)state;
  return is("first") ? 7 : NESTOR_OK;
}
static nestor_status moves(const void *self, const void *state, nestor_moves *out) {
  (void)self;
  int played = *(const int *)state;
  if (played == 5 && !is("endless")) return NESTOR_OK;
  uint64_t count = is("many") ? 1000001 : 3;
  for (uint64_t i = 0; i < count; i++)
    nestor_add(out, (int64_t)i, is("code") ? 1000 + i : is("twice") && i == 2 ? 1 : i,
               is("bias") ? 701.0 : 0.0);
  return NESTOR_OK;
}
static nestor_status play(const void *self, void *state, int64_t move) {
  (void)self; (void)move;
  ++*(int *)state;
  if (is("overrun")) ((char *)state)[sizeof(int)] = 1;
  return is("status") ? 7 : NESTOR_OK;
}
static nestor_status score(const void *self, const void *state, double *score) {
  (void)self;
  *score = is("nan") ? NAN : is("inf") ? INFINITY : *(const int *)state;
  return NESTOR_OK;
}
static const char *message(const void *self, nestor_status status) {
  (void)self;
  return status == 7 ? "seven" : 0;
}
nestor_status wrong(const char *data, uint64_t length, nestor_problem *out) {
  memset(how, 0, sizeof how);
  memcpy(how, data, length < sizeof how ? length : sizeof how - 1);
  *out = NESTOR_PROBLEM;
  out->version = is("version") ? 99 : NESTOR_VERSION;
  out->signature += is("signature");
  out->state_size = is("size") ? 0 : sizeof(int);
  out->code_count = is("codes") ? UINT64_C(1) << 40 : 3;
  out->value_count = is("values");
  out->flags = is("bias") ? NESTOR_BIASED : is("flags") ? 256 : 0;
  out->initial = initial;
  out->moves = moves;
  out->play = is("missing") ? 0 : play;
  out->score = score;
  out->message = message;
  return NESTOR_OK;
}
"""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("c") / "wrong.c"
    source.write_text(WRONG)
    return built(source, source.parent)


@NEEDS_CC
@pytest.mark.parametrize("misuse", MISUSES)
def test_a_wrong_library_is_an_error(wrong: Path, misuse: str) -> None:
    kind, said = MISUSES[misuse]
    with pytest.raises(kind, match=said):
        nestor.solve(nestor.load_library(wrong, "wrong", misuse), nestor.NRPA(2, 10), seed=1)


@NEEDS_CC
def test_a_fault_in_the_middle_leaves_the_best_so_far(wrong: Path) -> None:
    problem = nestor.load_library(wrong, "wrong", "fine")
    check_problem(problem)
    assert nestor.solve(problem, nestor.NRPA(2, 10), seed=1).score == 5.0


def test_the_header_has_the_signature_of_the_core() -> None:
    version, signature = _core.interface()
    header = (Path(nestor.get_include()) / "nestor.h").read_text()
    assert f"#define NESTOR_VERSION {version}\n" in header
    assert f"UINT64_C({signature:#x})" in header
    example = (ROOT / "examples/rust-library/src/lib.rs").read_text()
    assert f"{signature:#x}" in example.replace("_", "")


def steps(problem: Any) -> tuple[Any, ...]:
    """Return what a problem says of its first state."""
    state = problem.initial()
    return state, problem.moves(state)


@NEEDS_CC
def test_two_problems_of_a_library_are_two(queens: Path) -> None:
    eight, nine = (nestor.load_library(queens, "queens", size) for size in ("8", b"9"))
    assert (len(steps(eight)[1]), len(steps(nine)[1])) == (8, 9)
    assert eight.optimum == 8.0


SET_SOURCE = r"""
#include <nestor.h>
#include <string.h>
/* Places on a circle of 30, of which no two are 1, 4 or 9 apart. */
typedef struct { int32_t count, inside[30], banned[30]; } state;
static nestor_status initial(const void *self, void *to) { (void)self; (void)to; return NESTOR_OK; }
static void put(state *s, int64_t move, int by) {
  int steps[] = {0, 1, 4, 9};
  for (int i = 0; i < 4; i++) {
    s->banned[(move + steps[i]) % 30] += by;
    if (steps[i]) s->banned[(move + 30 - steps[i]) % 30] += by;
  }
  s->inside[move] += by;
  s->count += by;
}
static nestor_status moves(const void *self, const void *from, nestor_moves *out) {
  (void)self;
  for (int i = 0; i < 30; i++)
    if (!((const state *)from)->banned[i]) nestor_add(out, i, (uint64_t)i, 0);
  return NESTOR_OK;
}
static nestor_status play(const void *self, void *to, int64_t move) {
  (void)self;
  put(to, move, 1);
  return NESTOR_OK;
}
static nestor_status undo(const void *self, void *to, int64_t move) {
  if (self && move == 7) return 3;
  put(to, move, -1);
  return NESTOR_OK;
}
static nestor_status score(const void *self, const void *from, double *value) {
  (void)self;
  *value = ((const state *)from)->count;
  return NESTOR_OK;
}
nestor_status circle(const char *data, uint64_t length, nestor_problem *out) {
  *out = NESTOR_PROBLEM;
  out->state_size = sizeof(state);
  out->initial = initial;
  out->moves = moves;
  out->play = play;
  out->score = score;
  out->flags = NESTOR_ANY_PART;
  if (length && !strcmp(data, "both")) out->flags |= NESTOR_DECISIONS;
  if (length && !strcmp(data, "fails")) out->self = out;
  if (!length || strcmp(data, "slow")) out->undo = undo;
  return NESTOR_OK;
}
"""


@NEEDS_CC
def test_a_set_in_c(tmp_path: Path) -> None:
    (source := tmp_path / "circle.c").write_text(SET_SOURCE)
    library = built(source, tmp_path)
    for data in ("", "slow"):
        problem = nestor.load_library(library, "circle", data)
        assert problem.change == "set"
        assert hasattr(problem, "undo") == (data == "")
        check_problem(problem, playouts=5)
        result = nestor.solve(problem, playouts=5000, seed=1)
        assert (result.score, result.verified) == (12, True)
    with pytest.raises(RulesError, match=r"undo\(\) failed with status 3, after the moves .*7\]"):
        nestor.solve(nestor.load_library(library, "circle", "fails"), playouts=5000, seed=1)
    with pytest.raises(InputError, match="more than one of the flags ANY_ORDER, ANY_PART"):
        nestor.load_library(library, "circle", "both")


ORDER_SOURCE = r"""
#include <nestor.h>
/* Ten things, one after another, each red (even) or blue (odd). Neighbours of a colour cost, and so
 * does red at odd places, and a thing that comes before its own. */
typedef struct { int32_t placed, used[10], last, cost; } state;
static nestor_status initial(const void *self, void *to) {
  (void)self; ((state *)to)->last = -1; return NESTOR_OK;
}
static nestor_status moves(const void *self, const void *from, nestor_moves *out) {
  const state *s = from; (void)self;
  for (int i = 0; i < 20; i++)
    if (!s->used[i / 2]) nestor_add(out, i, (uint64_t)(20 * s->placed + i), 0);
  return NESTOR_OK;
}
static nestor_status play(const void *self, void *to, int64_t move) {
  state *s = to; (void)self;
  s->cost += s->last == move % 2 || (move % 2 == 0 && s->placed % 2);
  s->cost += (int)(move / 2) > s->placed;
  s->last = (int)(move % 2); s->used[move / 2] = 1; s->placed++;
  return NESTOR_OK;
}
static nestor_status score(const void *self, const void *from, double *value) {
  (void)self; *value = ((const state *)from)->cost; return NESTOR_OK;
}
static nestor_status task(const void *self, int64_t move, int64_t *task) {
  if (self && move == 7) return 3;
  *task = move / 2;
  return NESTOR_OK;
}
nestor_status colours(const char *data, uint64_t length, nestor_problem *out) {
  *out = NESTOR_PROBLEM;
  (void)data;
  out->state_size = sizeof(state);
  out->initial = initial; out->moves = moves; out->play = play; out->score = score;
  out->flags = NESTOR_ANY_ORDER | NESTOR_MINIMISE;
  out->task = task;
  if (length) out->self = out;
  return NESTOR_OK;
}
"""


@NEEDS_CC
def test_an_order_with_a_choice_in_c(tmp_path: Path) -> None:
    (source := tmp_path / "colours.c").write_text(ORDER_SOURCE)
    library = built(source, tmp_path)
    problem = nestor.load_library(library, "colours")
    check_problem(problem, playouts=5)
    found = nestor.solve(problem, target=0, playouts=500_000, seed=1)
    assert (found.score, found.verified) == (0.0, True)
    assert [move % 2 for move in found.moves] == [0, 1] * 5
    with pytest.raises(RulesError, match=r"task\(\) failed with status 3, after the moves .*7\]"):
        nestor.solve(nestor.load_library(library, "colours", "fails"), playouts=5000, seed=1)
