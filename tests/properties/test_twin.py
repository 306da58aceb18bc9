"""`nestor.reference.search` finds what `solve` finds: the same arguments, nothing resolved by hand.

A case is drawn from a table of problems and one of algorithms by its number, so that any of them
can be run again alone.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    Counterexamples,
    InputError,
    LocalSearch,
    Prior,
    Race,
    Sampling,
    learn_prior,
    reference,
    solve,
)
from nestor.prior import WithPrior
from nestor.problems import RNA, SameGame
from nestor.problems.own import adapt
from nestor.reference import Adoption
from nestor.testing import check_problem
from support import settings
from support.instances import SMALL_BOARD, TINY_TREES, TREES, real_problems, small_tsptw
from support.own import Decided, Extreme, Forbidding, Jobs, Leaning, Subset
from support.parts import partly
from support.searching import running_maxima


class Shaped(Jobs):
    """What steers the search is not what is reported."""

    def shaped(self, state: Any) -> float:
        return self.score(state) - float(state.index(4))


class Costs(Leaning):
    """Lower is better, and the least is known."""

    sense, optimum = "min", 1.0


class Choosing(Subset):
    """Problems that ask for the same in another way."""

    def variants(self) -> dict[str, Any]:
        return {"leaning": Leaning(), "plain": Subset()}


OWN: list[Any] = [
    *(Subset(), Leaning(), Jobs(), Shaped(), Costs(), Decided(), Extreme(), Choosing()),
    Forbidding(frozenset({0, 2})),
    WithPrior(Subset(), {0: 1.0, 3: -math.inf, 7: -2.0}),
]
NATIVE = [
    *(problem for problem in real_problems() if getattr(problem, "variant", "4D") == "4D"),
    small_tsptw().with_bias("waiting"),
    SameGame(SMALL_BOARD).with_bias("size"),
    RNA("((.((....))...))").with_bias("ngram"),
    small_tsptw(),
    SameGame(SMALL_BOARD),
    *(TREES[0], TREES[2], *TINY_TREES),
]
LARGE_BOARD = ("0120112", "1201221", "0012112", "2100121", "0121012", "2212010")
PROBLEMS = [*OWN, *NATIVE]
RACE = Race((NRPA(2, 4), GNRPA(1, 9), Sampling(), BeamNRPA(2, 3)), 6)
FAMILIES: list[list[Algorithm]] = [
    [Sampling(), Sampling(playout_policy="tuned"), Sampling(bias=None)],
    [*settings.NESTED, NMCS(1, playout_policy="tuned"), NMCS(1, samples=2, bias=None)],
    [*settings.PLAIN[1:], *settings.OPTIONS, *settings.WIDE_OPTIONS],
    [*settings.PARALLEL, *settings.WIDE],
    [*settings.LEARNING, *settings.WIDE_LEARNING],
    [*settings.BEAMS, BeamNRPA(2, 5, bias=None)],
    [*settings.POLISHED, *settings.WIDE_POLISHED, *settings.POLISHED_BEAMS],
    [RACE, Race((GNRPA(2, 4), NMCS(1)), 5, finalists=2)],
]


def prior_of(problem: Any, seed: int) -> Prior:
    """Return a prior that two short games teach."""
    games = [solve(problem, Sampling(), playouts=3, seed=seed + k) for k in range(2)]
    return learn_prior([(problem, game.moves) for game in games])


def drawn(number: int) -> tuple[Any, Algorithm, int, int]:
    """Return the case of this number: problem, algorithm, playouts and seed."""
    draws = random.Random(number)
    while True:
        problem = PROBLEMS[number % len(PROBLEMS)]
        algorithm = draws.choice(draws.choice(FAMILIES))
        names = adapt(problem).biases
        if hasattr(algorithm, "bias") and getattr(algorithm, "playout_policy", None) is None:
            kind = draws.choice(("default", "named", "prior"))
            learned = isinstance(algorithm, GNRPA) and algorithm.bias_learning is not None
            if kind == "named" and not (learned and len(names) < 3):
                named = draws.choice(names[1:] if learned else names)
                several = tuple(names[1:]) if learned and draws.random() < 0.5 else named
                algorithm = replace(algorithm, bias=several)  # type: ignore[call-arg]
            elif kind == "prior":
                smoothing = draws.choice((0.0, 0.5))
                prior = prior_of(problem, number)
                bias = None if getattr(algorithm, "bias", None) != "none" else "none"
                algorithm = replace(  # type: ignore[call-arg]
                    algorithm,
                    bias=bias,
                    prior=prior,
                    prior_temperature=draws.choice((1.0, 4.0)),
                    smoothing=smoothing,
                )
        playouts = draws.choice((1, 2, 7, 40, 41, 97, 150))
        try:  # Not every algorithm goes with every problem: then another one is drawn.
            solve(problem, algorithm, playouts=max(playouts, 4), seed=number)
        except InputError:
            continue
        return problem, algorithm, max(playouts, 4), number


def check(problem: Any, algorithm: Algorithm, playouts: int, seed: int) -> None:
    """Check that the twin finds what `solve` finds, with the same playouts."""
    result = solve(problem, algorithm, playouts=playouts, seed=seed)
    best, scores = reference.search(problem, algorithm, playouts, seed)
    natural = adapt(problem).natural
    assert result.score == best.natural == natural(best.reported)
    assert result.moves == best.moves
    assert result.playouts == len(scores)
    found = [(each.playouts, each.score) for each in result.improvements]
    assert found == [(at, natural(score)) for at, score in running_maxima(scores)]


@pytest.mark.parametrize("number", partly(range(60), *range(0, 60, 3)))
def test_the_twin_finds_what_solve_finds(number: int) -> None:
    check(*drawn(number))


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(1, 11))
def test_a_thousand_cases(hundred: int) -> None:
    for number in range(100 * hundred, 100 * hundred + 100):
        check(*drawn(number))


@pytest.mark.parametrize("problem", [Leaning(), Jobs(), SameGame(LARGE_BOARD)])
def test_only_the_bias_that_is_asked_for_counts(problem: Any) -> None:
    """NRPA has no bias, GNRPA that of the problem, whatever the problem has in force."""
    name = adapt(problem).biases[1]
    for given in (problem, adapt(problem).with_bias(name).original):
        runs = [
            reference.search(given, algorithm, 60, 3)[1]
            for algorithm in (NRPA(2, 8), GNRPA(2, 8, bias="none"), GNRPA(2, 8, bias=name))
        ]
        assert runs[0] == runs[1] != runs[2]


def test_without_a_budget_it_is_one_whole_search() -> None:
    for algorithm in (NRPA(2, 7), BeamNRPA(2, 3, beam=2), NMCS(1)):
        result = solve(TREES[0], algorithm, seed=4)
        best, scores = reference.search(TREES[0], algorithm, seed=4)
        assert (result.playouts, result.moves) == (len(scores), best.moves)


def test_the_largest_seed() -> None:
    check(TREES[0], NRPA(2, 5), 25, 2**64 - 1)


def test_it_ends_at_the_optimum() -> None:
    check(Costs(), NRPA(2, 100), 10_000, 5)
    assert len(reference.search(Costs(), NRPA(2, 100), 10_000, 5)[1]) < 10_000


class Named(Costs):
    """Its attributes have names that Nestor's own problems have, too."""

    core, bare, unpruned, closing = (1, 2), 3, 4, 5


def test_names_of_nestors_own_problems_mean_nothing_in_others() -> None:
    check(Named(), NRPA(2, 10), 100, 5)
    check_problem(Named(), report=False)


def test_a_sequence_from_outside_is_the_first_playout() -> None:
    problem = Jobs()
    moves = [0, 1, 2, 3, 4, 5]
    result = solve(problem, GNRPA(2, 5), playouts=40, seed=2, initial=moves)
    best, scores = reference.search(problem, GNRPA(2, 5), 40, 2, adoptions=[Adoption(0, moves)])
    assert (result.score, result.moves, result.playouts) == (best.natural, best.moves, len(scores))


@pytest.mark.parametrize(
    ("algorithm", "arguments", "message"),
    [
        (GNRPA(bias="far"), {}, "bias must be one of"),
        (Sampling(playout_policy="tuned"), {}, "has no 'tuned'"),
        (NRPA(), {"playouts": 0}, "playouts must be"),
        (NRPA(), {"seed": -1}, "seed must be"),
        (RACE, {"playouts": None}, "needs a budget"),
        ("nrpa", {}, "must be an Algorithm"),
    ],
)
def test_what_it_cannot_do_is_refused(algorithm: Any, arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reference.search(Jobs(), algorithm, **{"playouts": 10} | arguments)


def test_an_algorithm_without_a_twin_is_refused() -> None:
    with pytest.raises(InputError, match="local_search has no twin"):
        reference.search(small_tsptw(), LocalSearch(), 10)
    with pytest.raises(InputError, match="counterexamples has no twin"):
        reference.search(RNA("(...)"), Counterexamples(), 10)
    with pytest.raises(InputError, match="improve_every has no twin"):
        reference.search(Jobs(), replace(RACE, improve_every=20), 10)
