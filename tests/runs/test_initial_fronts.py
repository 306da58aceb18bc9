"""Fronts to begin with: no solution of theirs is lost, wherever the search runs."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import nestor
from nestor.errors import InputError
from nestor.objectives import dominates
from nestor.research import playout
from support.fronts import Coins, Tours

Scores = list[tuple[float, ...]]


class Wide(Tours):
    """Tours whose front has many solutions."""

    n = 12

    def __init__(self) -> None:
        rng, rows = Random(1), range(self.n)
        one, two = ([[rng.random() for _ in rows] for _ in rows] for _ in "ab")
        self.tables = one, two


def unbeaten(*scores: tuple[float, ...]) -> Scores:
    """Return what no other beats, where less is better."""
    return sorted(each for each in {*scores} if not any(dominates(other, each) for other in scores))


def scores_of(result: nestor.Result) -> Scores:
    assert result.front is not None
    return result.front.scores


def has_all(result: nestor.Result, known: Scores) -> bool:
    """Whether all scores are on a front, but for those that something there beats."""
    return unbeaten(*scores_of(result), *known) == scores_of(result)


FOUND = [nestor.solve(Wide(), seed=seed, playouts=400, jobs=1) for seed in (1, 2)]
"""Each has solutions that nothing of the other beats."""

ONE, OTHER = map(scores_of, FOUND)
BOTH = unbeaten(*ONE, *OTHER)
ALGORITHMS = [nestor.ParetoLocalSearch(), nestor.ParetoNRPA(level=2, iterations=8)]
WAYS: list[dict[str, Any]] = [
    {"jobs": 1},
    {"jobs": 2, "threads": 2},
    {"jobs": 2, "workers": 2},
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_all_points_are_on_the_new_front(algorithm: nestor.Algorithm, way: dict[str, Any]) -> None:
    assert {*ONE} & {*BOTH}
    assert {*OTHER} & {*BOTH}
    first = nestor.solve(Wide(), algorithm, seed=3, playouts=way["jobs"], initial=FOUND, **way)
    later = nestor.solve(Wide(), algorithm, seed=3, playouts=300, initial=FOUND, **way)
    assert (scores_of(first), first.score, first.verified) == (BOTH, BOTH[0][0], True)
    assert has_all(later, BOTH)
    assert first.front is not None
    assert later.front is not None
    # They are the first playout of each job together.
    assert {playouts for playouts, _, _, _ in first.front.history} == {1}
    assert later.front.hypervolume((12, 12)) >= first.front.hypervolume((12, 12))


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_a_checkpoint_has_them(algorithm: nestor.Algorithm, tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    given: dict[str, Any] = {"initial": FOUND, "jobs": 2, "seed": 4}
    whole = nestor.solve(Wide(), algorithm, playouts=300, **given)
    nestor.solve(Wide(), algorithm, playouts=3, checkpoint=path, **given)
    given["initial"] = FOUND[0]
    with pytest.raises(InputError, match="differs in initial"):
        nestor.solve(Wide(), algorithm, playouts=300, checkpoint=path, **given)
    assert has_all(nestor.resume(path, problem=Wide(), playouts=4), BOTH)
    assert scores_of(nestor.resume(path, problem=Wide(), playouts=300)) == scores_of(whole)


def test_what_may_be_given(tmp_path: Path) -> None:
    path, front, other = tmp_path / "front.json", FOUND[0].front, FOUND[1].front
    assert front is not None
    FOUND[0].save(path)
    ends = [front[0], front[-1]]
    cases: list[tuple[Any, Scores]] = [
        (path, ONE),
        (nestor.Result.load(path, Wide()), ONE),
        (front, ONE),
        ([front, other], BOTH),
        (ends[::-1], [ONE[0], ONE[-1]]),
        ([each.solution for each in ends], [ONE[0], ONE[-1]]),
        (front[-1], [ONE[-1]]),
        (front[-1].moves, [ONE[-1]]),
    ]
    for given, known in cases:
        result = nestor.solve(Wide(), playouts=1, jobs=1, initial=given)
        assert (scores_of(result), result.score) == (known, known[0][0])


def test_a_wrong_point_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "front.json"
    FOUND[0].save(path)
    data = json.loads(path.read_text())
    data["front"]["points"][-1]["moves"][0] = 99
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"front.json: initial: move number 1 \(99\) is not legal"):
        nestor.solve(Wide(), playouts=1, initial=path)
    data["front"]["points"] = []
    path.write_text(json.dumps(data))
    assert scores_of(nestor.solve(Wide(), playouts=1, initial=path)) == ONE[:1]
    for damaged in (None, [1], {"points": [1]}):
        data["front"] = damaged
        path.write_text(json.dumps(data))
        with pytest.raises(InputError, match=r"front.json: .*(front|a point) must be "):
            nestor.solve(Wide(), playouts=1, initial=path)


def test_a_list_has_results_or_moves() -> None:
    with pytest.raises(InputError, match="results, fronts and points, or the moves of one game"):
        nestor.solve(Wide(), playouts=1, initial=[FOUND[0], FOUND[0].moves])


def test_games_of_one_score() -> None:
    class First(Wide):
        objectives = None

        def score(self, state: Any) -> Any:
            return super().score(state)[0]

    best = nestor.solve(First(), playouts=1, initial=FOUND[0])
    assert best.moves == FOUND[0].moves
    assert scores_of(nestor.solve(Wide(), playouts=1, initial=[FOUND[1], best])) == unbeaten(
        *OTHER, ONE[0]
    )
    with pytest.raises(InputError, match="begins with one game: give the best"):
        nestor.solve(First(), playouts=1, initial=FOUND)


@nestor.algorithm
def once(search: Any, problem: Any, policy: Any, level: Any, key: Any) -> Any:
    """A playout."""
    return playout(problem, policy, key=key)


def test_an_algorithm_of_ones_own_has_them() -> None:
    result = nestor.solve(Wide(), once(), playouts=5, seed=1, jobs=1, initial=FOUND)
    assert has_all(result, BOTH)
    assert result.records == [{}]


def test_three_objectives_of_two_senses() -> None:
    found = nestor.solve(Coins(), playouts=200, seed=1, jobs=1)
    again = nestor.solve(Coins(), playouts=1, seed=2, jobs=1, initial=found)
    assert scores_of(again) == scores_of(found)
