"""Ask and tell: the same search as `solve`, with scores that come from outside."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NMCS, NRPA, BeamNRPA, InputError, LocalSearch, Sampling, Search, solve
from nestor.algorithms import Algorithm
from nestor.problems import Morpion


class Word:
    """The letters of a word in any order, each at its place worth its weight."""

    sense = "max"

    def __init__(self, length: int = 7) -> None:
        self.length, self.asked = length, 0

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, word: tuple[int, ...]) -> list[int]:
        return [each for each in range(self.length) if each not in word]

    def play(self, word: tuple[int, ...], letter: int) -> tuple[int, ...]:
        return (*word, letter)

    def code(self, word: tuple[int, ...], letter: int) -> tuple[int, int]:
        return len(word), letter

    def score(self, word: tuple[int, ...]) -> float:
        self.asked += 1
        return self.value(word)

    @staticmethod
    def value(word: tuple[int, ...]) -> float:
        return float(sum((place * 7 + letter * 5) % 11 for place, letter in enumerate(word)))


class Least(Word):
    """The same, the lower the better, with a bias."""

    sense = "min"

    def bias(self, word: tuple[int, ...], letter: int) -> float:
        return -0.1 * ((len(word) * 7 + letter * 5) % 11)


class Decided(Word):
    """The same, where single decisions may be changed."""

    change = "decisions"


ASKED: dict[str, tuple[Any, Algorithm]] = {
    "polish": (Decided, NRPA(2, 8, polish=True, tries=1)),
    "nrpa": (Word, NRPA(2, 12)),
    "width": (Word, NRPA(2, 12, width=(5, 1))),
    "gnrpa": (Least, GNRPA(2, 10, width=(4, 1))),
    "children": (Word, NRPA(3, 5, width=(1, 3, 1))),
    "beam": (Word, BeamNRPA(2, 8, beam=2)),
    "nmcs": (Word, NMCS(1)),
    "sampling": (Least, Sampling()),
}


def run(search: Search, problem: Word, most: int, draws: random.Random) -> None:
    """Ask and tell in a random order until so many playouts are complete."""
    waiting: list[Any] = []
    while search.playouts < most:
        waiting += search.ask(draws.randint(1, 3))
        assert waiting
        game = waiting.pop(draws.randrange(len(waiting)))
        search.tell(game if draws.random() < 0.5 else game.id, problem.value(game.state))


@pytest.mark.parametrize("name", ASKED)
def test_it_is_the_search_of_solve(name: str) -> None:
    kind, algorithm = ASKED[name]
    problem = kind()
    search = Search(problem, algorithm, seed=3)
    run(search, problem, 150, random.Random(name))
    assert problem.asked == 0
    result = search.result()
    assert 0 < problem.asked <= 2
    same = solve(kind(), algorithm, playouts=search.playouts, seed=3)
    assert (result.score, result.moves, result.playouts) == (same.score, same.moves, same.playouts)
    assert [(each.playouts, each.score) for each in result.improvements] == [
        (each.playouts, each.score) for each in same.improvements
    ]
    assert result.verified


@pytest.mark.parametrize("name", ASKED)
def test_it_is_saved_anywhere_and_goes_on(name: str, tmp_path: Path) -> None:
    kind, algorithm = ASKED[name]
    problem, draws = kind(), random.Random(name)
    unbroken = Search(problem, algorithm, seed=1)
    run(unbroken, problem, 60, random.Random(0))
    search = Search(problem, algorithm, seed=1)
    while search.playouts < 60:
        for game in search.ask(draws.randint(1, 4)):
            if draws.random() < 0.7:
                search.tell(game, problem.value(game.state))
        if draws.random() < 0.4:
            search.save(tmp_path / "search")
            before, told = {game.id for game in search.ask()}, search.told
            search = Search.load(tmp_path / "search", problem)
            assert search.told == told
            assert before <= {game.id for game in search.ask()}
            search = Search.load(tmp_path / "search", problem)
        elif not (left := search.ask(1)):
            search.save(tmp_path / "search")
            search = Search.load(tmp_path / "search", problem)
        else:
            search.tell(left[0].id, problem.value(left[0].state))
    bests = [
        [
            (each.playouts, each.score)
            for each in each_search.result().improvements
            if each.playouts <= 60
        ]
        for each_search in (unbroken, search)
    ]
    assert bests[0] == bests[1]


def test_a_batch_is_as_wide_as_level_1() -> None:
    search = Search(Word(), NRPA(2, 12, width=(5, 1)))
    first, rest = search.ask(3), search.ask(3)
    assert (len(first), len(rest), search.ask(3), search.ask()) == (3, 2, [], [])
    assert [game.id for game in first + rest] == [0, 1, 2, 3, 4]
    assert all(game.moves == game.state for game in first)
    for game in first:
        search.tell(game, 1.0)
    assert (search.ask(), search.playouts) == ([], 0)
    for game in rest:
        search.tell(game, 1.0)
    assert search.ask()[0].id >= search.playouts >= 5


def test_wrong_tells_change_nothing() -> None:
    problem = Word()
    search = Search(problem, NRPA(2, 12, width=(4, 1)), seed=2)
    games = search.ask(2)
    search.tell(games[0], 3.0)
    wrong: list[tuple[Any, Any]] = [
        (games[0], 3.0), (99, 1.0), (3, 1.0), (-1, 1.0), ("0", 1.0), (None, 1.0),
        (games[1], float("nan")), (games[1], float("inf")), (games[1], "1"), (games[1], (1.0, 2.0)),
        (games[1], None), (games[1], 10**400),
    ]  # fmt: skip
    for game, score in wrong:
        with pytest.raises(InputError):
            search.tell(game, score)
    for game, score, match in (
        (games[1], float("nan"), "score must be a finite number, not nan"),
        (-1, 1.0, r"game must be one that ask\(\) has given, or its id"),
    ):
        with pytest.raises(InputError, match=match):
            search.tell(game, score)
    assert search.told == 1
    for number in (0, -1, 1.5, "2"):
        with pytest.raises(InputError, match="n must be"):
            search.ask(number)  # type: ignore[arg-type]
    search.tell(games[1], problem.value(games[1].state))
    assert [game.id for game in search.ask()] == [2, 3]


def test_the_best_of_a_batch_that_is_not_complete_counts() -> None:
    problem = Word()
    search = Search(problem, NRPA(2, 12, width=(6, 1)), seed=2)
    with pytest.raises(InputError, match="before the first score"):
        search.result()
    games = search.ask(4)
    best = max(games, key=lambda game: problem.value(game.state))
    for game in games:
        search.tell(game, problem.value(game.state))
    result = search.result()
    assert (result.score, tuple(result.moves), result.playouts) == (
        problem.value(best.state), best.moves, 1,
    )  # fmt: skip
    assert search.playouts == 0


def test_a_score_that_the_problem_does_not_give_is_refused() -> None:
    search = Search(Word(), NRPA(2, 12))
    search.tell(search.ask()[0], 1.0)
    search.tell(search.ask()[0], 1e6)
    with pytest.raises(nestor.VerificationError, match=r"game 1 has the best .* 1000000\.0"):
        search.result()
    wide = Search(Word(), NRPA(2, 12, width=(4, 1)))
    first, second, *_ = wide.ask()
    wide.tell(first, 1.0)
    wide.tell(second, 1e6)
    with pytest.raises(nestor.VerificationError, match="game 1 has the best"):
        wide.result()


@pytest.mark.parametrize("name", ["nrpa", "gnrpa"])
def test_a_wrong_score_is_put_right_by_a_search_that_is_told_everything_again(name: str) -> None:
    kind, algorithm = ASKED[name]
    problem, draws = kind(), random.Random(name)
    scores, wrong = dict[tuple[int, ...], float](), Search(problem, algorithm, seed=2)
    while wrong.playouts < 60:
        for game in wrong.ask():
            scores[game.moves] = problem.value(game.state)
            spoilt = 1e6 if problem.sense == "max" else -1e6
            wrong.tell(game, spoilt if game.id == 30 else scores[game.moves])
    with pytest.raises(nestor.VerificationError, match="game 30 has the best"):
        wrong.result()
    search, again = Search(problem, algorithm, seed=2), list[Any]()
    while known := [game for game in search.ask() if game.moves in scores]:
        again += known
        for game in known:
            search.tell(game, scores[game.moves])
    assert max(game.id for game in again) >= 30
    for game in search.waiting:
        search.tell(game, problem.value(game.state))
    run(search, problem, 90, draws)
    same = solve(kind(), algorithm, playouts=search.playouts, seed=2)
    assert (search.result().score, search.result().moves) == (same.score, same.moves)


def test_an_edit_between_telling_and_the_result_is_named(tmp_path: Path) -> None:
    search = Search(Word(), NRPA(2, 12), seed=1)
    for number in range(3):
        search.tell(search.ask()[0], number)
    search.save(tmp_path / "search.json")
    edited = Search.load(tmp_path / "search.json", Word())
    with pytest.raises(InputError, match=r"the code, .* was edited since.* wrong score"):
        edited.result()


class Turned(Word):
    """The same, with its moves in an order that is not always the same, as that of a set."""

    step = 1

    def moves(self, word: tuple[int, ...]) -> list[int]:
        return super().moves(word)[:: self.step]


class TurnedOrder(Turned):
    """The same for local search."""

    change = "order"


@pytest.mark.parametrize(
    ("problem", "algorithm"),
    [(Turned(), NRPA(2, 12, width=(4, 1))), (TurnedOrder(), LocalSearch(evaluations=50))],
)
@pytest.mark.parametrize("told", [0, 3])
def test_moves_in_another_order_are_told_before_a_score_is_spent(
    problem: Word, algorithm: Algorithm, told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Search(problem, algorithm, seed=1)
    for game in search.ask(told or None)[:told]:
        search.tell(game, problem.value(game.state))
    search.save(tmp_path / "search")
    Search.load(tmp_path / "search", problem)
    monkeypatch.setattr(Turned, "step", -1)
    with pytest.raises(InputError, match=r"not those that it was saved with.* set of strings"):
        Search.load(tmp_path / "search", problem)


def test_a_loaded_search_is_asked_before_it_is_told(tmp_path: Path) -> None:
    search = Search(Word(), NRPA(2, 12, width=(4, 1)))
    waiting = search.ask(2)
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", Word())
    with pytest.raises(InputError, match=r"call ask\(\) first"):
        loaded.tell(waiting[0].id, 1.0)
    assert loaded.ask()[:2] == waiting
    loaded.tell(waiting[0].id, 1.0)


def test_it_ends_where_nothing_is_new_and_at_the_optimum() -> None:
    few = Search(Word(3), NRPA(2, 5, width=(2, 1)))
    told = 0
    while games := few.ask():
        told += len(games)
        for game in games:
            few.tell(game, Word.value(game.state))
    assert told == 6

    class One(Word):
        def moves(self, word: tuple[int, ...]) -> list[int]:
            return [] if word else [0]

    for algorithm in (Sampling(), LocalSearch()):
        one: Any = One(3)
        one.change = "none" if algorithm.plays else "set"
        search = Search(one, algorithm)
        (game,) = search.ask()
        search.tell(game, 1.0)
        assert search.ask() == []
        assert 10_000 <= search.playouts <= 10_001
        assert search.ask() == []  # Who asks again lets it go on.
        assert search.playouts > 10_001

    class Known(Word):
        optimum = 10.0

    known = Search(Known(), NRPA(2, 12))
    known.tell(known.ask()[0], 10.0)
    assert known.ask() == []


def test_exceptions_and_endless_games_leave_it_as_it_was() -> None:
    class Failing(Word):
        fails = False

        def play(self, word: tuple[int, ...], letter: int) -> tuple[int, ...]:
            if self.fails:
                raise RuntimeError("broken")
            return super().play(word, letter)

    problem = Failing()
    search, same = (Search(each, NRPA(2, 12), seed=4) for each in (problem, Word()))
    for _ in range(5):
        search.tell(search.ask()[0], 1.0)
        same.tell(same.ask()[0], 1.0)
    problem.fails = True
    with pytest.raises(RuntimeError, match="broken"):
        search.ask()
    problem.fails = False
    assert search.ask() == same.ask()

    class Endless(Word):
        def moves(self, word: tuple[int, ...]) -> list[int]:
            return [0]

    with pytest.raises(InputError, match="did not end within 50 moves"):
        Search(Endless(), NRPA(2, 12), longest=50).ask()


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    for problem, algorithm, match in (
        (Morpion("5D"), NRPA(), "compiled code"),
        (Word(), nestor.Auto(), "algorithm must be"),
        (Word(), nestor.Race([NRPA(1), NRPA(2)], 10), "algorithm must be"),
        (Word(), "nrpa", "algorithm must be"),
        (Word(), NRPA, "algorithm must be"),
        (Word(), LocalSearch(), "local_search is for problems with an improver"),
    ):
        with pytest.raises(InputError, match=match):
            Search(problem, algorithm)  # type: ignore[arg-type]

    search = Search(Word(), NRPA(2, 12))
    search.save(tmp_path / "search")
    with pytest.raises(InputError, match="differs in"):
        Search.load(tmp_path / "search", Least())
    (tmp_path / "search").write_bytes((tmp_path / "search").read_bytes()[:-3])
    with pytest.raises(InputError, match="damaged"):
        Search.load(tmp_path / "search", Word())
    solve(Word(), NRPA(2, 12), playouts=50, checkpoint=tmp_path / "run")
    going_on = Search.load(tmp_path / "run", Word())
    assert going_on.ask()[0].id == 50


def test_a_game_of_another_search_is_refused() -> None:
    one, other = (Search(Word(), NRPA(1, 20, width=4), seed=seed) for seed in (1, 2))
    (game, *_), (wrong, *_) = one.ask(), other.ask()
    assert game.id == wrong.id
    assert game.moves != wrong.moves
    with pytest.raises(InputError, match="of another search, or was changed"):
        one.tell(wrong, 1.0)
    one.tell(game, 1.0)
    assert one.told == 1


def test_playouts_and_remembered_scores_are_those_of_what_was_told() -> None:
    search = Search(Word(), NRPA(2, 20, width=4), seed=1)
    while search.told < 40:
        for game in search.ask():
            search.tell(game, Word().score(game.state))
    playouts = search.playouts
    result = search.result()
    assert playouts == search.playouts == result.playouts
    assert result.remembered == playouts - search.told


class Pairs(Word):
    """The same with a second part, which counts where the first is equal."""

    objectives = "lexicographic"
    sense = ("min", "max")  # type: ignore[assignment]

    def score(self, word: tuple[int, ...]) -> Any:
        return self.value(word) % 5, word[0]


@pytest.mark.parametrize("algorithm", [NRPA(1, 40, width=4), LocalSearch(evaluations=40)])
@pytest.mark.parametrize("kind", [Least, Pairs])
def test_a_failed_game_is_told_as_the_worst(
    kind: type[Word], algorithm: Algorithm, tmp_path: Path
) -> None:
    problem: Any = kind()
    if not algorithm.plays:
        problem.change = "order"
    search = Search(problem, algorithm)
    first = search.ask(1)[0]
    for bad in (float("-inf"), float("nan"), True):
        with pytest.raises(InputError, match=r"score must be.*; inf is that of a game that has no"):
            search.tell(first, bad)
    search.tell(first, float("inf"))
    with pytest.raises(InputError, match="no result before the first score"):
        search.result()
    search.save(tmp_path / "search")
    search = Search.load(tmp_path / "search", problem)
    second = search.ask(1)[0]
    assert second.id != first.id
    search.tell(second, problem.score(second.state))
    result = search.result()
    assert result.moves == list(second.moves)
    assert "inf" not in str(result)


def test_games_that_wait_are_not_paid_for_twice() -> None:
    problem = Word()
    search, paid, flight = Search(problem, NRPA(1, 100, width=8)), 0, list[Any]()
    while search.told < 20:
        games = search.ask(most) if (most := 20 - search.told - len(search.waiting)) else []
        paid, flight = paid + len(games), flight + games
        game = flight.pop(0)
        search.tell(game, problem.value(game.state))
    assert paid == 20
