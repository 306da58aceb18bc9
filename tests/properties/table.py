"""The table of cases: what is searched, with which settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, BeamSearch, Sampling
from nestor.prior import WithPrior
from nestor.problems import RNA, Morpion, SameGame
from nestor.testing import HashTree
from support import settings
from support.instances import (
    SMALL_BOARD,
    SMALL_TREES,
    TINY_TREES,
    TREES,
    real_problems,
    small_tsptw,
)
from support.own import Decided, Extreme, Forbidding, Jobs, Subset
from support.searching import Subject, several, subject, with_prior


@dataclass(frozen=True)
class Case:
    """A row of the table: a problem, an algorithm, and how often the twin's search restarts.

    The default run has the cases that are not `long`: a few, in which every problem and every
    algorithm occur.
    """

    subject: Subject
    algorithm: Algorithm
    restarts: int = 1
    long: bool = False


REAL = real_problems()
SHORT: list[Algorithm] = [
    NRPA(2, 6),
    GNRPA(2, 5, temperature=1.4),
    NMCS(1, samples=2),
    NMCS(1, samples=1, beam=3),
    BeamNRPA(2, 4, temperature=1.4, beam=3, adapt_all=False, diversity=0),
    BeamNRPA(2, 3, beam=(3, 2), diversity=0),
    BeamNRPA(1, 12, beam=4, diversity=4),
]
FORBIDDING = [Forbidding(frozenset(some)) for some in ({0}, {2}, {0, 2}, {0, 1, 2})]
FORBIDDEN: list[Algorithm] = [
    GNRPA(2, 10),
    GNRPA(2, 30, force_explore=True),
    NMCS(2),
    NMCS(1, samples=4),
    NMCS(1, beam=3),
    BeamNRPA(2, 5),
]
BIASED = [
    *(TREES[1], TREES[2], TREES[5]),
    small_tsptw().with_bias("distance"),
    small_tsptw(selective=False).with_bias("distance"),
    SameGame(SMALL_BOARD).with_bias("size"),
    SameGame(SMALL_BOARD).with_bias("mild"),
    RNA("((.((....))...))", model="turner1999-d1", order="pairs").with_bias("nemo"),
    RNA("((.((....))...))").with_bias("ngram"),
]
LEGS: dict[Any, float] = {leg: (leg % 7) / 2 - 2 for leg in range(0, 40, 3)} | {2: -math.inf}
SIZES = {3: 0.5, 17: -1.0}


def biased_tree(*spreads: float) -> Subject:
    """Return a random tree with several biases."""
    trees = [HashTree(7, depth=8, branching=4, codes=60, spread=spread) for spread in spreads]
    one = several(Jobs(), "short", "due")
    twin = replace(one.twin, problem=trees[0], betas=[tree.bias for tree in trees])
    return Subject(twin, [(tree, None) for tree in trees], None, "tree7-biases")


DECIDED = [problem for problem in REAL if problem.change == "decisions"]
LEARNED_POLISHED = [GNRPA(2, (4, 7), width=(1, 3), bias_learning=0.1, polish=True, tries=1)]
SEVERAL = [
    several(small_tsptw(), "distance", "waiting"),
    several(small_tsptw(selective=False), "lateness", "waiting", "distance"),
    several(small_tsptw(), "waiting", "distance", prior=LEGS),
    several(RNA("((.((....))...))"), "nemo", "ngram"),
    biased_tree(2.0, -0.5),
    several(SameGame(SMALL_BOARD), "size", prior=SIZES),
    several(Jobs(), "short", "due", "opening"),
    several(Jobs(), "opening", "short"),
    several(Jobs(), "due", prior={(1, 3): 1.5, (2, 4): -math.inf}),
]
PRIORS = [
    with_prior(small_tsptw(), LEGS),
    with_prior(SameGame(SMALL_BOARD), SIZES),
    subject(WithPrior(small_tsptw(), LEGS)),
    subject(WithPrior(Subset(), {0: 1.0, 3: -math.inf, 7: -2.0})),
]


def weighted(case: Subject, algorithm: Algorithm) -> GNRPA:
    """Return an algorithm with a first weight for each bias, all different."""
    assert isinstance(algorithm, GNRPA)
    if algorithm.bias_weight == 1:
        return algorithm
    assert isinstance(algorithm.bias_weight, int | float)
    weights = tuple(algorithm.bias_weight - k / 4 for k in range(len(case.twin.betas)))
    return replace(algorithm, bias_weight=weights)


def product(problems: Iterable[Any], algorithms: list[Any], restarts: int = 1) -> Iterator[Case]:
    """Yield a case for each problem and algorithm."""
    subjects = [subject(problem) for problem in problems]
    every = min(len(subjects), len(algorithms))
    for row, one in enumerate(subjects):
        for column, algorithm in enumerate(algorithms):
            yield Case(one, algorithm, restarts, long=(row - column) % every > 0)


def representative(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases, those as long that have a problem and an algorithm of earlier ones."""
    seen: set[object] = set()
    for case in cases:
        algorithm: Any = case.algorithm
        if hasattr(algorithm, "iterations"):
            algorithm = replace(algorithm, iterations=1)
        both = {id(case.subject.twin), algorithm.describe()}
        yield replace(case, long=case.long or both <= seen)
        seen |= set() if case.long else both


def shortened(algorithms: Iterable[Any], iterations: int) -> list[Any]:
    """Return algorithms with fewer iterations."""
    return [replace(algorithm, iterations=iterations) for algorithm in algorithms]


EVERY = [
    *product(TREES, [*settings.PLAIN, *settings.PARALLEL], restarts=2),
    *product(TREES[:3], settings.WIDE),
    *product([*TINY_TREES, TREES[0], *TREES[3:5]], settings.OPTIONS),
    *product(TREES[2:3], shortened(settings.OPTIONS, 6)),
    *product([TINY_TREES[0]], shortened(settings.WIDE_OPTIONS, 9)),
    *product(TREES, settings.BEAMS),
    *product([*TREES, *BIASED[3:], *FORBIDDING], [BeamSearch()], restarts=4),
    *product(TREES, [NMCS(1), NMCS(2, samples=2), NMCS(1, beam=4)]),
    *product(SMALL_TREES, settings.NESTED),
    *product(REAL, SHORT[:4]),
    # Games of Morpion are long for the twin.
    *product((p for p in REAL if getattr(p, "variant", "4D") == "4D"), SHORT[4:]),
    *product(REAL[:5], [NMCS(1)]),
    *product([Morpion("4D")], settings.TUNED),
    *product(REAL[:6], shortened(settings.OPTIONS[1:], 8)),
    *product(BIASED[:3], settings.LEARNING),
    *product(BIASED[3:], shortened(settings.LEARNING, 5)),
    *product([*FORBIDDING, Extreme()], [*FORBIDDEN, *settings.LEARNING]),
    *product(DECIDED, [*settings.POLISHED, *settings.WIDE_POLISHED]),
    *product(DECIDED[:2], settings.POLISHED_BEAMS),
    *product([Decided()], [*settings.POLISHED, *settings.WIDE_POLISHED, *settings.POLISHED_BEAMS]),
    *product([several(Decided(), "opening", prior={(1, 3): 1.5})], LEARNED_POLISHED),
    *product(PRIORS, [Sampling(), GNRPA(2, 8), GNRPA(2, 8, bias_learning=0.1)], restarts=5),
    *(
        replace(case, algorithm=weighted(case.subject, case.algorithm))
        for case in product(SEVERAL, shortened(settings.LEARNING, 5))
    ),
]
CASES = list(representative(EVERY))

every_case = pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=f"{case.subject}: {case.algorithm.describe()}",
            marks=pytest.mark.long if case.long else (),
        )
        for case in CASES
    ],
)
