"""Scores that are tuples in lexicographic order: exact, and the same wherever a search runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import nestor
from nestor.errors import InputError
from nestor.objectives import Lexicographic, objectives_of


def order_of(problem: object) -> Lexicographic:
    objectives = objectives_of(problem)
    assert isinstance(objectives, Lexicographic)
    return objectives


def scores_of(result: nestor.Result) -> tuple[float, ...]:
    assert result.scores is not None
    return result.scores


@pytest.mark.parametrize("kind", [Decimal, Fraction, np.float32, np.bool_, bool], ids=repr)
def test_parts_may_be_what_a_score_alone_may_be(kind: Any) -> None:
    class Both(nestor.Order):
        objectives: Any = "lexicographic"

    class Front(Both):
        objectives = ("min", "min")

    def score(order: Sequence[int]) -> tuple[Any, int]:
        return kind(order[0] > 0), order[1]

    result = nestor.solve(Both(3, score), target=(0, 1), playouts=50, seed=1)
    assert (scores_of(result), result.stop_reason) == ((0, 1), "target")
    assert nestor.solve(Front(3, score), playouts=50, seed=1).scores in ((0, 1), (1, 0))


@pytest.mark.parametrize("part", [Decimal("NaN"), Decimal("sNaN"), "1", 1j, None], ids=repr)
def test_what_is_no_number_is_no_part(part: Any) -> None:
    with pytest.raises(InputError, match=r"a part of score\(\) must be a number, not "):
        order_of(Packing()).number((1, part))


class Packing:
    """Things of a bag: as many as fit, then the least value."""

    objectives: Any = "lexicographic"
    sense: Any = ("max", "min")
    weights = (12, 7, 11, 8, 9, 6, 14, 10, 5, 13)
    values = (9, 4, 8, 3, 7, 6, 5, 2, 8, 6)

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        room = 40 - sum(self.weights[i] for i in state)
        first = state[-1] + 1 if state else 0
        return [i for i in range(first, 10) if self.weights[i] <= room]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> Any:
        return len(state), sum(self.values[i] for i in state)


class Placed(Packing):
    """The same with the places as scores, without objectives."""

    objectives = None
    sense = "max"

    def score(self, state: tuple[int, ...]) -> Any:
        return order_of(Packing()).number(super().score(state))


class Line:
    """An order of numbers: few descents first, then little distance."""

    objectives = "lexicographic"
    sense = "min"
    ranges = ((0, 10), (0, 1000, 0.25))
    change = "order"

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [i for i in range(7) if i not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> Any:
        return self.cost_of(state)

    def cost_of(self, order: Sequence[int]) -> tuple[float, ...]:
        pairs = list(pairwise(order))
        return sum(a > b for a, b in pairs), sum(abs(a - b) for a, b in pairs) / 4


def test_order_of_places_is_that_of_tuples() -> None:
    class Three:
        objectives = "lexicographic"
        sense = ("min", "max", "min")
        ranges = ((-3, 2), (-1, 1, 0.1), (5, 9))

    order, rng = order_of(Three()), Random(1)
    tuples = [
        (rng.randint(-3, 2), rng.randint(-10, 10) / 10, rng.randint(5, 9)) for _ in range(300)
    ]
    assert [order.scores(order.number(each)) for each in tuples] == tuples
    by_place = sorted(tuples, key=order.number)
    assert by_place == sorted(tuples, key=lambda each: (each[0], -each[1], each[2]))
    assert len({order.number(each) for each in tuples}) == len(set(tuples))


def test_widest_tuples_stay_apart() -> None:
    order, most = order_of(Packing()), 2**25 - 1
    ends = [(a, b) for a in (-most, 1 - most, most - 1, most) for b in (-most, 0, most - 1, most)]
    assert [order.scores(order.number(each)) for each in ends] == ends
    assert len({order.number(each) for each in ends}) == len(ends)


@pytest.mark.parametrize("algorithm", [nestor.NRPA(2, 12), nestor.NMCS(1), nestor.BeamNRPA(2, 6)])
def test_search_is_that_of_places(algorithm: nestor.Algorithm) -> None:
    tupled = nestor.solve(Packing(), algorithm, seed=3, playouts=300)
    placed = nestor.solve(Placed(), algorithm, seed=3, playouts=300)
    assert (tupled.moves, tupled.score) == (placed.moves, placed.score)
    assert tupled.scores == Packing().score(tuple(tupled.moves))
    assert placed.scores is None


def test_finds_the_best() -> None:
    def games(state: tuple[int, ...]) -> list[tuple[int, ...]]:
        legal = Packing().moves(state)
        return [g for m in legal for g in games((*state, m))] if legal else [state]

    best = max(games(()), key=lambda each: (len(each), -Packing().score(each)[1]))
    result = nestor.solve(Packing(), nestor.NRPA(2, 40), seed=1)
    assert result.scores == Packing().score(best)
    assert result.verified


def test_local_search() -> None:
    result = nestor.solve(Line(), playouts=2000, seed=1)
    assert result.algorithm.name == "local_search"
    assert result.scores == min(Line().cost_of(order) for order in permutations(range(7)))


def test_target_and_optimum() -> None:
    result = nestor.solve(Packing(), nestor.NRPA(2, 40), target=(4, 25), seed=1)
    assert result.stop_reason == "target"
    assert (scores_of(result)[0], -scores_of(result)[1]) >= (4, -25)
    wrong = type("Wrong", (Line,), {"optimum": (1, 1.5)})
    with pytest.warns(match=r"the score \(0, \S+\) is better than the optimum \(1, 1.5\) of "):
        nestor.solve(wrong(), playouts=500)
    known = type("Known", (Line,), {"optimum": (0, 1.5)})
    assert nestor.solve(known(), playouts=5000).stop_reason == "target"


@pytest.mark.parametrize(
    ("target", "told"),
    [(3, "tuple of 2"), ((1, 2, 3), "tuple of 2"), ((1, 0.5), "part 2"), ((1, 1e9), "part 2")],
)
def test_wrong_targets(target: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        nestor.solve(Packing(), playouts=10, target=target)


def test_wrong_scores_are_named() -> None:
    class Odd(Packing):
        def score(self, state: tuple[int, ...]) -> Any:
            return len(state), 0.5

    with pytest.raises(InputError, match="part 2 of a lexicographic score"):
        nestor.solve(Odd(), playouts=10)

    class One(Packing):
        def score(self, state: tuple[int, ...]) -> Any:
            return 1.0

    with pytest.raises(InputError, match="tuple of 2 numbers"):
        nestor.solve(One(), playouts=10)


@pytest.mark.parametrize(
    "given",
    [
        {"objectives": "pareto"},
        {"objectives": ("max",)},
        {"sense": ("max", "up")},
        {"ranges": ((0, 1),)},
        {"ranges": ((0, 1), (0, 1, 2, 3))},
        {"ranges": ((0, 1e9), (0, 1e9))},
        {"ranges": ((3, 1), (0, 1))},
        {"ranges": ((0, 1), (0, 1, 0.3))},
        {"optimum": 3},
    ],
)
def test_malformed_problems(given: dict[str, Any]) -> None:
    problem = type("Wrong", (Packing,), given)()
    with pytest.raises(InputError):
        nestor.solve(problem, playouts=10)


def test_files(tmp_path: Path) -> None:
    saved, log, checkpoint = (tmp_path / name for name in ("r.json", "r.log", "r.ckpt"))
    whole = nestor.solve(Packing(), nestor.NRPA(2, 20), seed=2, jobs=2, playouts=800, log=log)
    whole.save(saved)
    assert nestor.Result.load(saved, problem=Packing()).scores == whole.scores
    assert json.loads(saved.read_text())["scores"] == list(scores_of(whole))
    assert all("scores" in json.loads(line) for line in log.read_text().splitlines())
    nestor.solve(
        Packing(), nestor.NRPA(2, 20), seed=2, jobs=2, playouts=300, target=(10, 0),
        checkpoint=checkpoint,
    )  # fmt: skip
    resumed = nestor.resume(checkpoint, problem=Packing(), playouts=800)
    assert (resumed.moves, resumed.scores) == (whole.moves, whole.scores)


def test_a_target_beyond_the_optimum() -> None:
    problem: Any = Packing()
    problem.optimum = (5, 7)
    with pytest.raises(
        InputError, match=r"beyond the optimum of the problem, \(5, 7\), not \(5, 6"
    ):
        nestor.solve(problem, target=(5, 6))


def test_told_as_tuples() -> None:
    result = nestor.solve(Packing(), nestor.NRPA(2, 20), seed=2)
    told = "({:g}, {:g}) (higher, lower is better)".format(*scores_of(result))
    assert told in str(result)
    lower = Packing()
    lower.sense = ("min", "min")
    result = nestor.solve(lower, nestor.NRPA(1, 5), seed=2)
    assert ") (both: lower is better)" in str(result)
    runs = nestor.compare([Packing()], [nestor.NRPA(2, 5)], seeds=2, playouts=50, target=(4, 30))
    assert "(4, " in str(runs) or "(5, " in str(runs)


def test_several() -> None:
    class Apart(Packing):
        def distance(self, one: list[int], other: list[int]) -> int:
            return len(set(one) ^ set(other))

    many = nestor.solve_many(Apart(), distinct=2, target=(4, 30), playouts=3000, seed=1)
    assert len(many) == 2
    assert all((scores_of(each)[0], -scores_of(each)[1]) >= (4, -30) for each in many)


@pytest.mark.parametrize("sense", ["min", ("max", "min")])
def test_a_wrong_cost_is_told_in_tuples(sense: Any) -> None:
    class Cheap(Line):
        def cost_of(self, order: Sequence[int]) -> tuple[float, ...]:
            return super().cost_of(order)[0], 1.25

        def score(self, state: tuple[int, ...]) -> Any:
            return super().cost_of(state)

    Cheap.sense = sense
    said = (
        r"Cheap: cost_of\(\) must return the score of an order, \(\d, \d\.?\d*\), not \(\d, 1\.25\)"
    )
    with pytest.raises(InputError, match=said):
        nestor.solve(Cheap(), playouts=100, seed=1)


def test_fronts_need_an_algorithm_that_keeps_them() -> None:
    class Two(Packing):
        objectives = ("max", "min")

    with pytest.raises(InputError, match="front"):
        nestor.solve(Two(), nestor.NRPA(1, 5))


def test_check_problem() -> None:
    nestor.testing.check_problem(Packing())
    nestor.testing.check_problem(Line(), report=False)


def test_three_parts_need_a_sense_each() -> None:
    class Three(Packing):
        sense: Any = "min"

        def score(self, state: tuple[int, ...]) -> Any:
            return (*super().score(state), sum(state))

    said = r"a tuple of 2 numbers, not \(.*\): .* an entry for each in sense, .*, or in ranges"
    with pytest.raises(InputError, match=said):
        nestor.solve(Three(), playouts=10)
    Three.sense = ("min", "min", "min")
    assert len(scores_of(nestor.solve(Three(), playouts=10))) == 3


@pytest.mark.parametrize("cache", [None, "memory"])
def test_batches_have_the_same_scores(cache: str | None) -> None:
    class Together(Packing):
        def score_batch(self, states: list[tuple[int, ...]]) -> list[Any]:
            return [self.score(state) for state in states]

    algorithm = nestor.NRPA(level=2, iterations=10, width=8)
    one = nestor.solve(Packing(), algorithm, seed=1, playouts=300)
    together = nestor.solve(Together(), algorithm, seed=1, playouts=300, cache=cache)
    assert (together.scores, together.moves) == (one.scores, one.moves)


def test_scores_are_told(tmp_path: Path) -> None:
    algorithm = nestor.NRPA(level=2, iterations=10, width=4)
    search, problem = nestor.Search(Packing(), algorithm, seed=1), Packing()
    while search.playouts < 200:
        for game in search.ask():
            with pytest.raises(InputError, match="score must be a tuple of 2 numbers"):
                search.tell(game, 3)
            search.tell(game, problem.score(tuple(game.moves)))
        search.save(tmp_path / "told.ckpt")
        search = nestor.Search.load(tmp_path / "told.ckpt", Packing())
    solved = nestor.solve(Packing(), algorithm, seed=1, playouts=search.playouts)
    assert (search.result().scores, search.result().moves) == (solved.scores, solved.moves)


def test_a_front_has_no_batches() -> None:
    class Front(Packing):
        objectives = ("max", "min")
        sense = "max"

        def score_batch(self, states: list[tuple[int, ...]]) -> list[Any]:
            return [self.score(state) for state in states]

    with pytest.raises(InputError, match="those for a front have none: leave it out"):
        nestor.solve(Front(), playouts=10)
    del Front.score_batch
    with pytest.raises(InputError, match="the best of its games, not for a front"):
        nestor.Search(Front(), nestor.NRPA(1))
