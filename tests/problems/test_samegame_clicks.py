"""SameGame's improver: games made better by changes in what is clicked, alone and in a race."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nestor import (
    GNRPA,
    NRPA,
    Counterexamples,
    InputError,
    LocalSearch,
    Race,
    Sampling,
    resume,
    solve,
)
from nestor.algorithms.auto import choose
from nestor.exact import child_key
from nestor.problems import Morpion, SameGame
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits
from support.clicks import Clicks
from support.instances import SMALL_BOARD
from support.outcomes import found
from support.searching import running_maxima, whole_and_interrupted


def board(width: int, height: int, colours: str, seed: int, **settings: Any) -> SameGame:
    """Make a random board with a few holes, so that columns differ in height."""
    rng = random.Random(seed)
    return SameGame(
        ["".join(rng.choices(colours + ".", k=width)) for _ in range(height)], **settings
    )


BOARDS = [
    SameGame(SMALL_BOARD),
    SameGame(SMALL_BOARD, tabu=False),
    board(9, 7, "012", 1, tabu=1, shaping=True),
    board(4, 32, "0123", 2),
    board(32, 3, "01", 3),
    SameGame(["01", "10"]),
    SameGame(["0"]),
]
RACED = Race([GNRPA(2, 12), NRPA(1, 30), Sampling()], 20, improve_every=20)


def begin(problem: SameGame, patience: int = 10) -> tuple[Any, list[Any]]:
    """Return a search by the improver that has taken over a game, and the game."""
    game = solve(problem, Sampling(), playouts=3, seed=1).moves
    search = Setup(problem, LocalSearch(evaluations=patience), 5).search(1)
    search.adopt(0, game, 1)
    return search, game


@pytest.mark.parametrize("problem", BOARDS)
def test_core_and_twin_try_the_same(problem: SameGame) -> None:
    search, game = begin(problem)
    key = child_key(child_key(5, 0), 0)
    twin = Clicks(problem, key)
    twin.adopt(game)
    scores = [problem.score(twin.present.state)]
    for number in range(2, 40):
        search.advance(Limits(60.0, 1, playouts=number))
        tried = twin.tried(10)
        scores.append(problem.score(tried.state))
        if scores[-1] > max(scores[:-1]):
            assert search.moves == tried.moves
        assert twin.draws.saved in search.save()[0]
    assert [(i["playouts"], i["score"]) for i in search.improvements[0]] == running_maxima(scores)


@pytest.mark.parametrize("problem", BOARDS)
def test_games_are_legal_and_never_worse(problem: SameGame) -> None:
    search, game = begin(problem, 100)
    search.advance(Limits(60.0, 1, playouts=400))
    assert search.score >= problem.solution(game).total
    assert problem.solution(search.moves).total == search.score
    problem.solution(search.moves).verify()


def test_most_games_get_better() -> None:
    better = 0
    for seed in range(8):
        search, _ = begin(board(10, 10, "0123", seed), 300)
        search.advance(Limits(60.0, 1, playouts=300))
        better += search.score > search.improvements[0][0]["score"]
    assert better >= 6


@pytest.mark.parametrize("algorithm", [LocalSearch(evaluations=7), RACED])
def test_it_stops_and_goes_on_anywhere(algorithm: Any) -> None:
    asked = Setup(board(8, 8, "012", 4), algorithm, 7)
    whole, other = whole_and_interrupted(asked, (1, 2, 49, 50, 51, 53, 54, 55, 56, 110, 166, 300))
    assert (other.moves, other.score, other.playouts) == (whole.moves, whole.score, whole.playouts)
    assert [(i["playouts"], i["score"]) for i in other.improvements[0]] == [
        (i["playouts"], i["score"]) for i in whole.improvements[0]
    ]


def test_a_damaged_state_is_refused() -> None:
    search, _ = begin(BOARDS[0])
    search.advance(Limits(60.0, 1, playouts=20))
    (saved,) = search.save()
    refused = 0
    for place in range(len(saved)):
        changed = bytearray(saved)
        changed[place] ^= 1
        try:
            begin(BOARDS[0])[0].restore([bytes(changed)])
        except ValueError:
            refused += 1
    assert refused > len(saved) / 6
    with pytest.raises(ValueError, match="games are not those of the board"):
        Setup(BOARDS[3], LocalSearch(evaluations=10), 5).search(1).restore([saved])


def test_a_race_has_its_turns() -> None:
    """After 50 playouts of the search the improver has 5, and begins with the best game of both."""
    problem, algorithm = board(8, 8, "012", 5, tabu=1), GNRPA(2, 12)
    search, race = (
        Setup(problem, each, 3).search(1)
        for each in (algorithm, Race([algorithm], 30, improve_every=20))
    )
    twin = Clicks(problem, child_key(child_key(3, 1 << 32), 0))
    found, best, turns = [], -1.0, 8
    for turn in range(turns):
        before = len(search.improvements[0])
        search.advance(Limits(60.0, 1, playouts=20 * turn + 20))
        found += [(i["playouts"] + 5 * turn, i["score"]) for i in search.improvements[0][before:]]
        score = search.score or 0.0
        adopts = score >= best
        if adopts:
            twin.adopt(search.moves)
            best = score
        for number in range(25 * turn + 21 + adopts, 25 * turn + 26):
            score = problem.score(twin.tried(5).state)
            best = max(best, score)
            found.append((number, score))
    for last in (19, 20, 21, 23, 25, 26, 45, 47, 25 * turns - 5, 25 * turns):
        race.advance(Limits(60.0, 1, playouts=last))
        assert race.playouts == last
        known = [(at, score) for at, score in found if at <= last]
        firsts = [
            (at, s)
            for k, (at, s) in enumerate(known)
            if s > max([-1.0, *(t for _, t in known[:k])])
        ]
        assert [(i["playouts"], i["score"]) for i in race.improvements[0]] == firsts
        assert problem.solution(race.moves).total == race.score == firsts[-1][1]
    assert race.counts["evaluated"] == 5 * turns


@pytest.mark.parametrize("options", [{"threads": 2}, {"workers": 2}])
def test_what_runs_where_does_not_matter(options: dict[str, Any]) -> None:
    problem = board(8, 8, "012", 6)
    one = solve(problem, RACED, playouts=900, jobs=2, seed=3, threads=1)
    assert one.playouts == 900
    assert found(solve(problem, RACED, playouts=900, jobs=2, seed=3, **options)) == found(one)


def test_the_default_improves_and_is_resumed(tmp_path: Path) -> None:
    problem, path = board(8, 8, "0123", 7), tmp_path / "run.ckpt"
    whole = solve(problem, playouts=15_000, seed=1, jobs=1)
    assert isinstance(whole.algorithm, Race)
    assert whole.algorithm.improve_every == 12_000
    assert whole.evaluated == 3000
    assert "the best is improved after each 12,000" in str(whole)
    solve(problem, whole.algorithm, playouts=12_700, seed=1, checkpoint=path, jobs=1)
    assert found(resume(path, playouts=15_000)) == found(whole)
    assert solve(problem, playouts=1000, seed=1).evaluated == 0


def test_with_seconds_it_has_four_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    (one, four) = (choose(BOARDS[0], 110_000, exact=exact).algorithm for exact in (True, False))
    assert isinstance(one, Race)
    assert isinstance(four, Race)
    assert (one.improve_every, four.improve_every) == (88_000, 22_000)
    assert replace(one, improve_every=None) == replace(four, improve_every=None)
    measured = SimpleNamespace(playouts=0), 1e-4, 550_000.0, None
    monkeypatch.setattr("nestor.runs.choosing._measured", lambda *_: measured)
    assert solve(BOARDS[0], seconds=0.2, jobs=1).algorithm == four


def test_who_names_a_colour_has_it_too() -> None:
    choice = choose(board(8, 8, "0123", 7, tabu=1), 20_000)
    assert choice.algorithm == Race([GNRPA(2, 126)], 20_000, improve_every=16_000)
    assert choose(Morpion("4D"), 20_000).algorithm == GNRPA(2, 141)


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match="improve_every is for problems with an improver"):
        solve(Morpion("4D"), RACED, playouts=500)
    with pytest.raises(InputError, match="improve_every must be"):
        Race([NRPA(1, 5)], improve_every=3)
    with pytest.raises(InputError, match="for problems that say why a sequence fails"):
        solve(BOARDS[0], Counterexamples(), playouts=50)
