"""The algorithms as printed in their papers are those of the core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest

from nestor import GNRPA, NMCS, NRPA, BeamNRPA, ParetoNRPA, Sampling, learn_prior, solve
from nestor.exact import child_key
from nestor.problems import LatinSquare, Morpion, SameGame
from nestor.reference import Policy
from nestor.reference.printed.beam_nrpa import beam_nrpa
from nestor.reference.printed.gnrpa import gnrpa
from nestor.reference.printed.nmcs import nmcs
from nestor.reference.printed.nrpa import nrpa
from nestor.reference.printed.parallel import nrpa_par
from nestor.reference.printed.pareto_nrpa import beats, pareto_nrpa
from nestor.reference.printed.replay_prior import bias, replay
from nestor.runs.session import Limits
from support.fronts import Choice, Coins, Tours
from support.instances import SMALL_BOARD, SMALL_TREES, TREES, small_tsptw
from support.searching import begin, improvements, running_maxima

KEY = child_key(child_key(7, 0), 0)


def check(
    problem: Any, printed: Callable[[], Any], algorithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that what is printed plays what a search of the core does with the seed 7."""
    scores: list[float] = []
    score = type(problem).score

    def noted(problem: Any, state: Any) -> float:
        scores.append(score(problem, state))
        return scores[-1]

    monkeypatch.setattr(type(problem), "score", noted)
    best = printed()
    search = begin(problem, algorithm, seed=7)
    assert search.advance(Limits(1000.0, 1, len(scores), restart=False)) in ("playouts", "finished")
    assert search.playouts == len(scores)
    assert [(p, s) for p, s, _ in improvements(search)[0]] == running_maxima(scores)
    assert search.score == best.score
    assert search.advance(Limits(1000.0, 1, 10**9, restart=False)) == "finished"
    assert search.playouts == len(scores)


@pytest.mark.parametrize(
    ("problem", "level", "n", "alpha"),
    [
        pytest.param(*(problem, *settings), marks=pytest.mark.long if (row - column) % 3 else ())
        for row, problem in enumerate([*TREES[:3], small_tsptw(), Morpion("4D")])
        for column, settings in enumerate([(1, 60, 0.3), (2, 8, 1.0), (3, 4, 0.3)])
    ],
    ids=str,
)
def test_nrpa(
    problem: Any, level: int, n: int, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = lambda: nrpa(problem, level, Policy(), KEY, n, alpha)  # noqa: E731
    check(problem, printed, NRPA(level, n, alpha), monkeypatch)


BIASED = [
    *TREES[1:3],
    small_tsptw().with_bias("distance"),
    SameGame(SMALL_BOARD).with_bias("size"),
]


@pytest.mark.parametrize(("level", "n", "alpha", "tau"), [(1, 60, 0.3, 1.4), (2, 8, 1.0, 0.7)])
@pytest.mark.parametrize("problem", BIASED, ids=str)
def test_gnrpa(
    problem: Any, level: int, n: int, alpha: float, tau: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = lambda: gnrpa(problem, level, Policy(), KEY, n, alpha, tau)  # noqa: E731
    check(problem, printed, GNRPA(level, n, alpha, tau), monkeypatch)


@pytest.mark.parametrize("local", [False, True], ids=["par1", "par2"])
@pytest.mark.parametrize(("level", "parallel"), [(1, 1), (2, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("problem", [*TREES[:2], SameGame(SMALL_BOARD)], ids=str)
def test_parallel_nrpa(
    problem: Any, level: int, parallel: int, local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = tuple(3 if each == parallel else 1 for each in range(1, level + 1))
    lanes: dict[str, Any] = {"policies": "local", "share": False, "inherit": True}
    algorithm = NRPA(level, 6, width=width, **(lanes if local else {}))

    def printed() -> Any:
        return nrpa_par(problem, level, Policy(), KEY, parallel, 3, 6, local)[0]

    if not local:
        check(problem, printed, algorithm, monkeypatch)
        return
    # Its lanes run one after the other in print, and side by side in the core.
    search = begin(problem, algorithm, seed=7)
    search.advance(Limits(1000.0, 1, 10**9, restart=False))
    assert (search.score, search.playouts) == (printed().score, 6**level)


@pytest.mark.parametrize(("level", "n", "b"), [(1, 20, 3), (2, 6, 2), (2, 5, 1)])
@pytest.mark.parametrize("problem", [*TREES[:2], small_tsptw(), SameGame(SMALL_BOARD)], ids=str)
def test_beam_nrpa(
    problem: Any, level: int, n: int, b: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = lambda: beam_nrpa(problem, level, Policy(), KEY, b, n)[0].found  # noqa: E731
    algorithm = BeamNRPA(level, n, beam=b, adapt_all=False, diversity=0)
    check(problem, printed, algorithm, monkeypatch)


UNBIASED = [SMALL_TREES[0], *SMALL_TREES[4:], *(replace(each, spread=0.0) for each in SMALL_TREES)]


@pytest.mark.parametrize(("level", "k"), [(1, None), (2, None), (1, 5), (2, 2)])
@pytest.mark.parametrize("problem", UNBIASED, ids=str)
def test_nmcs(problem: Any, level: int, k: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = lambda: nmcs(problem, level, problem.initial(), [], KEY, k)  # noqa: E731
    check(problem, printed, NMCS(level, samples=k), monkeypatch)


def test_the_prior_that_is_replayed() -> None:
    squares = [LatinSquare([[0] * 4] * 4), LatinSquare([[0] * 3] * 3)]
    games = [(each, solve(each, Sampling(), playouts=200, seed=1).moves) for each in squares]
    count, nb = Counter[Any](), Counter[Any]()
    for problem, moves in games:
        replay(problem, moves, count, nb)
    learned = learn_prior(games)
    assert learned.counts == {code: (count[code], seen) for code, seen in nb.items()}
    assert learned.betas(4.0) == bias(count, nb, 4.0)


@pytest.mark.parametrize(
    ("level", "n", "policies", "alpha"), [(1, 40, 4, 1.0), (2, 7, 3, 0.5), (3, 3, 1, 1.0)]
)
@pytest.mark.parametrize(
    "problem", [Tours(), Choice(), Coins()], ids=lambda each: type(each).__name__
)
def test_pareto_nrpa(problem: Any, level: int, n: int, policies: int, alpha: float) -> None:
    """Check that the twin finds the points of the front, in the same playouts."""
    sign = [-1 if sense == "max" else 1 for sense in problem.objectives]
    seen: list[tuple[tuple[float, ...], list[Any]]] = []

    def losses(game: Any) -> tuple[float, ...]:
        scores = problem.score(reduce(problem.play, game.moves, problem.initial()))
        seen.append((tuple(s * x for s, x in zip(sign, scores, strict=True)), game.moves))
        return seen[-1][0]

    for restart in range(2):
        key = child_key(child_key(7, 0), restart)
        pareto_nrpa(problem, level, [Policy() for _ in range(policies)], key, losses, n, alpha)
    known: dict[tuple[float, ...], list[Any]] = {}
    for each, moves in seen:
        known.setdefault(each, moves)
    front = {each: known[each] for each in known if not any(beats(other, each) for other in known)}
    algorithm = ParetoNRPA(level=level, iterations=n, policies=policies, alpha=alpha)
    result = solve(problem, algorithm, seed=7, jobs=1, playouts=len(seen))
    assert result.front is not None
    found = {tuple(s * x for s, x in zip(sign, p.scores, strict=True)): p for p in result.front}
    assert {each: point.moves for each, point in found.items()} == front
