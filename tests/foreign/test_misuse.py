"""Random misuses of compiled problems and of the C interface: clear errors, no crash, no hang."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import InputError, RulesError, VerificationError

pytest.importorskip("numba", reason="needs the extra compiled")

COUNT = [pytest.param(120), pytest.param(10_000, marks=pytest.mark.long)]
"""Misuses of a test; those of the C interface and of a class are half of them each."""

LIBRARY = r"""
#include <nestor.h>
#include <stdlib.h>
#include <string.h>
/* The data are numbers: the size of a state, moves, codes, length, and the fault with its place. */
typedef struct { long size, moves, codes, length, fault, place; } rules;
typedef struct { long played; } state;
static int now(const rules *r, const state *s, long fault) {
  return r->fault == fault && s->played == r->place;
}
static nestor_status initial(const void *self, void *to) {
  const rules *r = self;
  if (r->fault == 1) memset(to, 1, (size_t)r->size + 8);
  return r->fault == 2 ? 3 : NESTOR_OK;
}
static nestor_status moves(const void *self, const void *from, nestor_moves *out) {
  const rules *r = self;
  const state *s = from;
  if (now(r, s, 3)) return -5;
  if (s->played >= r->length && r->fault != 4) return NESTOR_OK;
  long count = now(r, s, 5) ? 3000000 : r->moves;
  for (long i = 0; i < count; i++) {
    uint64_t code = now(r, s, 6) ? UINT64_C(1) << 33 : (uint64_t)(s->played * r->moves + i);
    if (now(r, s, 16) && i > 0) code--;
    double bias = now(r, s, 7) ? NAN : now(r, s, 8) ? INFINITY : 0.5;
    nestor_add(out, now(r, s, 9) ? -1 - i : i, code, bias);
  }
  if (now(r, s, 10)) out->count = UINT64_MAX;
  return NESTOR_OK;
}
static nestor_status play(const void *self, void *to, int64_t move) {
  const rules *r = self;
  state *s = to;
  (void)move;
  if (now(r, s, 11)) return 1000000;
  if (now(r, s, 12)) memset((char *)to + r->size, 0, 32);
  s->played++;
  return NESTOR_OK;
}
static nestor_status score(const void *self, const void *from, double *score) {
  const rules *r = self;
  (void)from;
  if (r->fault == 13) return 1;
  *score = r->fault == 14 ? -NAN : r->fault == 15 ? INFINITY : 1.0 * ((const state *)from)->played;
  return NESTOR_OK;
}
nestor_status misused(const char *data, uint64_t length, nestor_problem *out) {
  (void)length;
  rules *r = malloc(sizeof *r);
  if (!r) return NESTOR_FAILED;
  char *end = (char *)data;
  r->size = strtol(end, &end, 10);
  r->moves = strtol(end, &end, 10);
  r->codes = strtol(end, &end, 10);
  r->length = strtol(end, &end, 10);
  r->fault = strtol(end, &end, 10);
  r->place = strtol(end, &end, 10);
  *out = NESTOR_PROBLEM;
  out->self = r;
  out->state_size = (uint64_t)r->size;
  out->code_count = (uint64_t)r->codes;
  out->flags = NESTOR_BIASED | (r->fault == 9 ? NESTOR_ANY_ORDER : 0);
  out->initial = initial;
  out->moves = moves;
  out->play = play;
  out->score = score;
  out->close = free;
  return NESTOR_OK;
}
"""


def searched(problem: Any, rng: random.Random) -> str:
    """Search a problem and return the name of what comes of it."""
    choices = [nestor.Sampling(), nestor.NRPA(2, 4), nestor.NMCS(1), nestor.BeamNRPA(2, 3)]
    if problem.change == "order":
        choices = [nestor.NRPA(2, 4, polish=True)]
    algorithm = rng.choice(choices)
    try:
        nestor.solve(problem, algorithm, playouts=20, seed=rng.randrange(99), longest=300)
    except (InputError, RulesError, VerificationError) as error:
        return type(error).__name__
    return "found"


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("count", COUNT)
def test_misuses_of_the_c_interface(count: int, tmp_path: Path) -> None:
    source, library = tmp_path / "misused.c", tmp_path / "misused.so"
    source.write_text(LIBRARY)
    include = ["-I", nestor.get_include()]
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", *include, source, "-o", library], check=True)
    seen = set()
    for number in range(count // 2):
        rng = random.Random(number)
        moves, length, fault = rng.randint(1, 5), rng.randint(1, 40), rng.randint(0, 16)
        codes = rng.choice([0, moves * length, moves * length, moves, 2**30])
        sizes = [8, 8, 9, 24, 0, 2**50]
        place = rng.randrange(length)
        told = (rng.choice(sizes), moves, codes, length, fault, place)
        try:
            problem = nestor.load_library(library, "misused", " ".join(map(str, told)))
        except (InputError, RulesError) as error:
            seen.add((fault, type(error).__name__))
            continue
        outcome = searched(problem, rng)
        seen.add((fault, outcome))
        if outcome == "found" and fault not in (0, 1, 6, 9, 15) and (fault != 16 or moves > 1):
            raise AssertionError(f"{told}: nobody has seen the fault")
    assert {(0, "found"), (3, "RulesError"), (4, "InputError"), (12, "RulesError")} <= seen


@nestor.compiled
class Misused:
    """Does something wrong at one place of a game."""

    def __init__(self, fault: int, place: int, size: int, code_count: int) -> None:
        self.fault, self.place, self.code_count = fault, place, code_count
        self.table = np.arange(5)
        self.state = np.dtype([("played", "i8"), ("x", "f8"), ("cells", "i4", size)])

    def initial(self, s: Any) -> None:
        s.x = 1.0

    def now(self, s: Any, fault: int) -> bool:
        return self.fault == fault and s.played == self.place

    def moves(self, s: Any, out: Any) -> None:
        if s.played < 20 or self.fault == 1:
            for i in range(3):
                code = s.played * 3 + i + (2**40 if self.now(s, 2) else 0)
                if self.now(s, 14) and i == 1:
                    code += 1
                bias = 0.0
                if self.now(s, 3):
                    bias = 1e300 * 1e300 - 1e300 * 1e300
                if self.now(s, 4):
                    bias = 701.0
                out.add(i, code, bias)
            if self.now(s, 5):
                for i in range(2_000_000):
                    out.add(i + 3)
            if self.now(s, 6):
                out.add(self.table[s.played + 100])

    def play(self, s: Any, i: int) -> None:
        if self.now(s, 7):
            s.cells[len(s.cells) + s.played] = 1
        if self.now(s, 8):
            s.cells[-len(s.cells) - 1] = 1
        if self.now(s, 9):
            s.x = 1.0 / (s.x - 1.0)
        if self.now(s, 10):
            raise ValueError("no")
        if self.now(s, 11):
            s.played = s.played // (s.played - self.place)
        s.played += 1

    def score(self, s: Any) -> float:
        if self.fault == 12:
            return s.x * 1e300 * 1e300 - s.x * 1e300 * 1e300  # type: ignore[no-any-return]
        if self.fault == 13:
            return self.table[5 + s.played]  # type: ignore[no-any-return]
        return s.x * s.played  # type: ignore[no-any-return]


@pytest.mark.parametrize("count", COUNT)
def test_misuses_of_a_compiled_problem(
    count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In most of them there is no trial, so that the compiled code alone is misused."""
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path))
    monkeypatch.setattr("nestor.problems.faults.LONGEST", 300)
    seen = set()
    for number in range(count // 2):
        rng = random.Random(number)
        monkeypatch.setattr("nestor.foreign.trial.PLAYOUTS", 0 if rng.random() < 0.9 else 2)
        fault, place = rng.randint(0, 14), rng.randrange(20)
        problem: Any = Misused(fault, place, 3, rng.choice([0, 60]))
        outcome = searched(problem, rng)
        seen.add((fault, outcome))
        if fault not in (0, 2) and outcome == "found":
            raise AssertionError(f"{fault} at {place}: nobody has seen the fault")
    assert (0, "found") in seen
    assert {fault for fault, outcome in seen if outcome == "RulesError"} >= {
        4,
        5,
        7,
        10,
        11,
        13,
        14,
    }
