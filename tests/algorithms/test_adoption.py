"""A search takes over sequences from outside, in the core as in the twin."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, Algorithm, BeamNRPA, Sampling, _core, reference
from nestor.problems import Morpion, SameGame
from nestor.reference import Adoption, Policy, playout
from nestor.runs.session import Limits
from properties.table import SEVERAL, Case, shortened, weighted
from support import settings
from support.instances import SMALL_TREES, TINY_TREES, TREES, small_tsptw
from support.own import Decided, Forbidding
from support.searching import (
    Subject,
    begin,
    check_threads,
    found,
    improvements,
    running_maxima,
    subject,
)

SUBJECTS = [*map(subject, (TREES[0], TINY_TREES[1], small_tsptw(), Forbidding())), SEVERAL[0]]
POLISHED = [settings.POLISHED[0], settings.POLISHED[1], settings.WIDE_POLISHED[1]]
BOARD = SameGame(["012012", "120120", "201120", "012201", "120012"])
SHALLOW = subject(SMALL_TREES[0])
ALGORITHMS: list[Algorithm] = [
    *settings.PLAIN,
    *settings.PARALLEL,
    *shortened(settings.OPTIONS, 9),
    *shortened(settings.WIDE_OPTIONS, 9),
    *settings.BEAMS,
]
CASES = [
    *(
        Case(one, algorithm)
        for one, algorithm in zip(cycle(SUBJECTS[:4]), 2 * ALGORITHMS, strict=False)
    ),
    *(Case(SUBJECTS[4], weighted(SUBJECTS[4], a)) for a in shortened(settings.LEARNING, 5)),
    *(Case(SHALLOW, algorithm) for algorithm in settings.NESTED),
    *(Case(SUBJECTS[0], NMCS(1, beam=beam)) for beam in (1, 4)),
    *(Case(subject(Decided()), algorithm) for algorithm in (*POLISHED, settings.POLISHED_BEAMS[0])),
]
QUICK = 9
"""Every so many cases, one is quick enough for each run of the tests."""

every_case = pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=f"{case.subject}: {case.algorithm.describe()}",
            marks=[] if number % QUICK == 4 else [pytest.mark.long],
        )
        for number, case in enumerate(CASES)
    ],
)


def adoptions_of(one: Subject) -> list[Adoption]:
    """Return a bad sequence, a good one and others, at the beginning and on the way."""
    played = [playout(one.twin, policy_of(one), key).moves for key in range(30)]
    games = sorted(played, key=lambda moves: reference.follow(one.twin, moves).score)
    places = [(0, games[3], 2), (1, games[10], 1), (9, games[-1], 3), (31, games[-2], 0)]
    return [Adoption(*each) for each in [*places, (47, games[-1], 1), (48, games[20], 1)]]


def policy_of(one: Subject) -> Policy:
    """Return a blank policy."""
    count = len(getattr(one.twin, "betas", ()))
    return reference.BiasLearning(bias_weights=(1.0,) * count) if count else Policy()


def adopt(one: Subject, search: _core.Search, adoption: Adoption) -> float:
    """Make the core take over a sequence."""
    return search.adopt(0, one.numbers(adoption.moves), adoption.strength)


@every_case
def test_core_equals_twin(case: Case) -> None:
    one = case.subject
    adoptions = adoptions_of(one)
    best, scores = reference.whole_searches(
        one.twin, case.algorithm, seed=5, restarts=2, adoptions=adoptions
    )
    search = one.begin(case.algorithm, 5)
    for adoption in adoptions:
        if adoption.after > len(scores):
            break
        search.advance(Limits(1000.0, 1, adoption.after))
        assert adopt(one, search, adoption) == scores[adoption.after]
    search.advance(Limits(1000.0, 1, len(scores)))
    assert (search.score, search.moves) == (best.score, one.numbers(best.moves))
    assert [(p, s) for p, s, _ in improvements(search)[0]] == running_maxima(scores)


@every_case
def test_threads_and_files_change_nothing(case: Case) -> None:
    one = case.subject
    outcomes = []
    for threads in (1, 2, 3):
        search = one.begin(case.algorithm, 5)
        for adoption in adoptions_of(one):
            while search.advance(Limits(0.0003, threads, adoption.after)) != "playouts":
                pass
            adopt(one, search, adoption)
            if threads > 1:
                saved, codes, search = search.save(), search.codes, one.begin(case.algorithm, 5)
                search.restore(saved, codes)
        search.advance(Limits(1000.0, threads, 90))
        outcomes.append((found(search), search.counts, search.progress))
    assert outcomes[1] == outcomes[0]
    assert outcomes[2] == outcomes[0]


@pytest.mark.parametrize("algorithm", [NRPA(1, 60), *settings.BEAMS[:1], NRPA(2, 9), NMCS(1)])
@pytest.mark.parametrize("problem", [small_tsptw(), BOARD], ids=["tsptw", "samegame"])
def test_moves_that_the_rules_leave_out(problem: Any, algorithm: Algorithm) -> None:
    """They are played, and teach nothing, neither at once nor from a file."""
    games = [playout(problem.unpruned, Policy(), key).moves for key in range(20)]
    games = [game for game in games if left_out(problem, game)]
    places = [(0, games[0], 2), (12, games[1], 1), (13, games[2], 3)]
    best, scores = reference.whole_searches(
        problem, algorithm, seed=5, adoptions=[Adoption(*each) for each in places]
    )
    for saved in (False, True):
        search = begin(problem, algorithm, 5)
        for after, moves, strength in places:
            search.advance(Limits(1000.0, 1, after))
            assert search.adopt(0, moves, strength) == scores[after]
            if saved:
                state, search = search.save(), begin(problem, algorithm, 5)
                search.restore(state, [])
        search.advance(Limits(1000.0, 1, len(scores)))
        assert (search.score, search.moves) == (best.score, best.moves)
        assert [(p, s) for p, s, _ in improvements(search)[0]] == running_maxima(scores)


def left_out(problem: Any, moves: list[Any]) -> bool:
    """Whether the rules leave out one of the moves."""
    state = problem.initial()
    for move in moves:
        if move not in problem.moves(state):
            return True
        state = problem.play(state, move)
    return False


LONG = [*settings.WIDE, settings.WIDE_OPTIONS[0], settings.WIDE_OPTIONS[5]]


@pytest.mark.parametrize("algorithm", LONG, ids=Algorithm.describe)
def test_threads_of_long_searches_change_nothing(algorithm: NRPA) -> None:
    problem = Morpion("4D")
    games = [playout(problem, Policy(), key).moves for key in range(2)]

    def taught() -> _core.Search:
        search = begin(problem, algorithm, 3)
        search.adopt(0, games[0], 1)
        search.advance(Limits(1000.0, 3, 130))
        search.adopt(0, games[1], 2)
        return search

    check_threads(taught)


ADAPTIVE = [NRPA(2, 9), GNRPA(1, 60), BeamNRPA(2, (7, 3)), NRPA(3, 4, width=(4, 1, 1))]
LOCAL = NRPA(2, (7, 8), width=(1, 4), policies="local")


@pytest.mark.parametrize("algorithm", [*ADAPTIVE, LOCAL, NMCS(1)], ids=Algorithm.describe)
def test_a_good_sequence_helps(algorithm: Algorithm) -> None:
    """The average of the next playouts is better after it."""
    problem = TREES[0]
    game = max((playout(problem, Policy(), key) for key in range(50)), key=lambda p: p.score).moves

    def average(*adoptions: Adoption) -> float:
        played = reference.whole_searches(problem, algorithm, seed=2, adoptions=adoptions)[1]
        return sum(played[1:60]) / 59

    assert average(Adoption(0, game, 5)) > average()


@pytest.mark.parametrize("algorithm", [*ADAPTIVE, NMCS(1), Sampling()], ids=Algorithm.describe)
def test_what_is_not_a_whole_game_is_refused(algorithm: Algorithm) -> None:
    problem = Morpion("4D")
    game = playout(problem, Policy(), 1).moves
    search, plain = begin(problem, algorithm), begin(problem, algorithm)
    for moves in (game[:-1], [], [*game, game[0]], game[1:], game[:1] * 2):
        with pytest.raises(ValueError, match=r"is not legal|is not over"):
            search.adopt(0, moves, 1)
    with pytest.raises(ValueError, match="no such job"):
        search.adopt(1, game, 1)
    for each in (search, plain):
        each.advance(Limits(1000.0, 1, 100))
    assert found(search) == found(plain)


def test_jobs_take_over_by_themselves() -> None:
    search = begin(TREES[0], NRPA(2, 10), 1, 3)
    game = playout(TREES[0], Policy(), 1)
    assert search.job_scores == [None] * 3
    search.adopt(1, game.moves, 1)
    assert search.job_scores == [None, game.score, None]
    assert search.job_playouts == [0, 1, 0]
    assert search.job_moves(1) == game.moves
    search.advance(Limits(1000.0, 2, each=7))
    assert search.job_playouts == [7] * 3


def test_an_exception_in_a_users_rules_comes_through() -> None:
    class Broken(Forbidding):
        def score(self, state: Any) -> float:
            raise RuntimeError("broken")

    problem = Broken()
    game = playout(Forbidding(), Policy(), 1).moves
    search = begin(problem, NRPA(2, 10))
    with pytest.raises(RuntimeError, match="broken"):
        search.adopt(0, subject(problem).numbers(game), 1)
    assert search.playouts == 0
