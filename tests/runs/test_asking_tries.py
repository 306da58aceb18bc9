"""`nestor.Search` with local search: its next try, and those after it if that one is given up."""

from __future__ import annotations

import datetime
import enum
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import InputError, LocalSearch, Search, solve

COUNT = 12
SEARCH = LocalSearch(evaluations=120)


def length(order: Any) -> float:
    """Return a sum over neighbours."""
    return float(sum((a * 7 + b * 5) % 13 for a, b in pairwise(order)))


def worth(chosen: Any) -> float:
    """Return a sum over what was chosen."""
    return float(sum(each * each % 17 for each in chosen))


class Ordered:
    change, sense = "order", "min"

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [item for item in range(COUNT) if item not in state]

    def play(self, state: tuple[int, ...], item: int) -> tuple[int, ...]:
        return (*state, item)

    def score(self, state: tuple[int, ...]) -> float:
        return length(state)


class Costed(Ordered):
    def cost_of(self, order: list[int]) -> float:
        return length(order)


class Chosen:
    change, sense = "set", "max"

    def initial(self) -> frozenset[int]:
        return frozenset()

    def moves(self, state: frozenset[int]) -> list[int]:
        return [item for item in range(20) if item not in state] if len(state) < 6 else []

    def play(self, state: frozenset[int], item: int) -> frozenset[int]:
        return state | {item}

    def score(self, state: frozenset[int]) -> float:
        return worth(state)


class Undone(Chosen):
    def undo(self, state: frozenset[int], item: int) -> frozenset[int]:
        return state - {item}


class Tasks(Ordered):
    """A move has a side, too, which does not matter."""

    def moves(self, state: tuple[int, ...]) -> list[Any]:
        return [(item, side) for item in super().moves(state) for side in "lr"]

    def play(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
        return (*state, move[0])

    def item(self, state: tuple[int, ...], move: Any) -> Any:
        return move


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


@dataclass(frozen=True)
class Put:
    place: int
    colour: Colour


class Colours:
    """Which of three colours twelve places have; the moves are objects, and the codes others."""

    change, sense = "set", "min"

    def initial(self) -> frozenset[Put]:
        return frozenset()

    def moves(self, state: frozenset[Put]) -> list[Put]:
        left = set(range(12)) - {each.place for each in state}
        return [Put(place, colour) for place in sorted(left) for colour in Colour]

    def play(self, state: frozenset[Put], move: Put) -> frozenset[Put]:
        return state | {move}

    def score(self, state: frozenset[Put]) -> float:
        return float(sum((each.place - each.colour.value) ** 2 for each in state))


class Coded(Colours):
    def code(self, state: frozenset[Put], move: Put) -> int:
        return move.place * 10 + move.colour.value


class Dated(Ordered):
    def moves(self, state: Any) -> list[Any]:
        days = [datetime.date(2026, 1, day) for day in range(1, 5)]
        return [day for day in days if day not in state]


KINDS: dict[str, Callable[[], Any]] = {
    "objects": Colours,
    "coded": Coded,
    "order": Ordered,
    "cost_of": Costed,
    "set": Chosen,
    "undo": Undone,
    "Order": lambda: nestor.Order(COUNT, length),
    "Subset": lambda: nestor.Subset(20, lambda chosen: len(chosen) < 7, worth),
    "Assignment": lambda: nestor.Assignment(6, 4, lambda given: worth(given.values())),
}


def told(result: nestor.Result) -> Any:
    return result.score, result.moves, [(e.playouts, e.score) for e in result.improvements]


@pytest.mark.parametrize("kind", KINDS)
def test_one_at_a_time_it_is_the_search_of_solve(kind: str) -> None:
    problem = KINDS[kind]()
    search = Search(problem, SEARCH, seed=3)
    while search.told < 60 and (games := search.ask()):
        (game,) = games
        assert search.ask() == []
        search.tell(game, problem.score(game.state))
    assert search.playouts >= 60
    result = search.result()
    assert result.verified
    assert told(result) == told(
        solve(KINDS[kind](), SEARCH, playouts=search.playouts, seed=3, jobs=1)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_several_at_once_come_back_in_any_order_and_through_files(
    kind: str, tmp_path: Path
) -> None:
    problem, draws = KINDS[kind](), random.Random(kind)
    search, out, known = Search(problem, SEARCH, seed=3), list[Any](), dict[Any, float]()
    while search.told < 60:
        out += search.ask(max(1, 4 - len(out)))
        assert out
        assert {game.id for game in out} == {game.id for game in search.waiting}
        game = out.pop(draws.randrange(len(out)))
        assert game.moves not in known  # Nothing is asked for twice.
        known[game.moves] = problem.score(game.state)
        search.tell(game.id, known[game.moves])
        if draws.random() < 0.2:
            best = search.result().score
            search.save(tmp_path / "search")
            search = Search.load(tmp_path / "search", problem)
            again = search.ask(len(out)) if out else []
            assert again == out
            assert search.result().score == best
            assert search.told == len(known)
    result, better = search.result(), min if search.result().sense == "min" else max
    assert result.score == better(known.values())
    assert search.playouts > 15
    # The search itself is that of `solve`, whatever else was told.
    alone = solve(KINDS[kind](), SEARCH, playouts=search.playouts, seed=3, jobs=1)
    assert better(alone.score, result.score) == result.score
    assert [(e.playouts, e.score) for e in result.improvements][: len(alone.improvements)] == [
        (e.playouts, e.score) for e in alone.improvements
    ]


def test_there_is_one_game_until_the_first_is_told() -> None:
    search = Search(Ordered(), SEARCH)
    (game,) = search.ask(5)
    assert search.ask(5) == []
    search.tell(game, 7.0)
    assert len(search.ask(5)) == 5


def test_a_failed_experiment_is_no_try_to_go_on_from() -> None:
    search = Search(Chosen(), SEARCH, seed=1)
    for number in range(40):
        (game,) = search.ask(1)
        search.tell(game, -math.inf if number % 3 else worth(game.state))
    assert search.result().score == worth(search.result().moves)


def test_it_ends_at_the_optimum_and_where_all_is_told() -> None:
    class Known(Chosen):
        optimum = 7.0

    search = Search(Known(), SEARCH)
    search.tell(search.ask()[0], 7.0)
    assert search.ask(3) == []
    few = Search(nestor.Order(3, length), SEARCH, seed=1)
    while games := few.ask(2):
        for game in games:
            few.tell(game, length(game.moves))
    assert few.told == 6


def test_what_was_told_is_told_once(tmp_path: Path) -> None:
    search = Search(Ordered(), SEARCH, seed=1)
    search.tell(search.ask()[0], 50.0)
    first, second = search.ask(2)
    search.tell(second, 40.0)
    with pytest.raises(InputError, match="game 2 has been told already"):
        search.tell(second, 40.0)
    with pytest.raises(InputError, match="game 9 was not asked"):
        search.tell(9, 40.0)
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", Ordered())
    with pytest.raises(InputError, match=r"call ask\(\) first"):
        loaded.tell(first.id, 30.0)
    assert loaded.ask() == [first]


def test_moves_without_a_json_form_are_not_saved(tmp_path: Path) -> None:
    search = Search(nestor.Order([object(), object()], lambda order: 0.0), SEARCH)
    search.ask()
    with pytest.raises(InputError, match="JSON form for files, as numbers, texts, tuples, enum"):
        search.save(tmp_path / "search")


def test_moves_of_other_kinds_are_not_saved(tmp_path: Path) -> None:
    search = Search(Dated(), SEARCH)
    search.ask()
    with pytest.raises(InputError, match=r"frozen dataclasses, not datetime\.date"):
        search.save(tmp_path / "search")


def test_what_it_cannot_go_by_is_refused(tmp_path: Path) -> None:
    class Both(Tasks):
        def cost_of(self, order: list[Any]) -> float:
            return length([item for item, _ in order])

    assert Search(Tasks(), SEARCH).ask()
    with pytest.raises(InputError, match="local search of covers makes tries that no game"):
        Search(nestor.Cover(20, lambda chosen: 6 - len(chosen), worth), SEARCH)
    with pytest.raises(InputError, match="cost_of of the problem gets items, not moves"):
        Search(Both(), SEARCH)
    solve(Ordered(), SEARCH, playouts=50, checkpoint=tmp_path / "run", jobs=1)
    with pytest.raises(InputError, match="no scores that were told: only a file of"):
        Search.load(tmp_path / "run", Ordered())


@pytest.mark.parametrize("kind", [Ordered, Chosen, Undone])
@pytest.mark.parametrize("method", ["moves", "play"])
def test_an_exception_leaves_the_search_as_it_was(kind: Any, method: str) -> None:
    """Cycles are short, so that many calls are at the end of one."""

    class Failing(kind):  # type: ignore[misc]
        left = 0

    def fail(self: Any, *given: Any) -> Any:
        if self.left:
            self.left -= 1
            if not self.left:
                raise ConnectionError
        return getattr(kind, method)(self, *given)

    setattr(Failing, method, fail)
    problem, draws = Failing(), random.Random(method)
    search, whole = (Search(each, LocalSearch(evaluations=4), seed=1) for each in (problem, kind()))
    failures = 0
    while whole.told < 60:
        problem.left = draws.randrange(1, 30)
        try:
            games = search.ask(2)
        except ConnectionError:
            failures, problem.left = failures + 1, 0
            games = search.ask(2)
        problem.left = 0
        assert games == whole.ask(2)
        for game in games:
            search.tell(game.id, kind.score(problem, game.state))
            whole.tell(game.id, kind.score(problem, game.state))
    assert failures > 5


def test_orders_of_one_key_are_asked_for_once() -> None:
    def even_last(order: Any) -> tuple[int, ...]:
        return tuple(sorted(order, key=lambda item: item % 2 == 0))

    class Plans(nestor.Order):
        def key(self, state: tuple[int, ...]) -> tuple[int, ...]:
            return even_last(state)

    search = Search(Plans(6, lambda order: length(even_last(order))), SEARCH, seed=1)
    asked = []
    while search.told < 20 and (games := search.ask(1)):
        for game in games:
            asked.append(even_last(game.moves))
            search.tell(game, length(asked[-1]))
    assert len(asked) == len(set(asked)) == 20
