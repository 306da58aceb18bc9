"""Scores that are remembered, that run side by side, and that come in batches."""

from __future__ import annotations

import functools
import importlib
import operator
import pickle
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import _core
from nestor.problems import remembered
from nestor.problems.score_folder import FILE
from support.commands import HOUR
from support.parts import crossed

WEIGHTS = (3, -1, 4, 1, -5, 9)


class Bits:
    """Six choices; it counts the scores that are asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [0, 1] if len(state) < len(WEIGHTS) else []

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def code(self, state: tuple[int, ...], move: int) -> tuple[int, int]:
        return len(state), move

    def score(self, state: tuple[int, ...]) -> float:
        self.asked.append(state)
        return float(sum(a * b for a, b in zip(state, WEIGHTS, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        return {"weights": WEIGHTS}


class Batches(Bits):
    """The same with scores of several states at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def score_batch(self, states: list[tuple[int, ...]]) -> list[float]:
        self.sizes.append(len(states))
        return [self.score(state) for state in states]


@dataclass(frozen=True)
class Frozen(Bits):
    """A class that workers import."""

    asked: list[Any] = field(default_factory=list, compare=False)


ALGORITHMS = [
    nestor.NRPA(level=2, iterations=20),
    nestor.NRPA(level=2, iterations=21, width=8),
    nestor.NRPA(level=2, iterations=20, width=(1, 4)),
    nestor.NRPA(level=2, iterations=20, width=4, policies="local"),
    nestor.BeamNRPA(level=2, iterations=9),
    nestor.NMCS(level=2),
    nestor.Sampling(),
]


def hits_of(result: nestor.Result) -> int:
    """Return how many scores were remembered."""
    assert result.remembered is not None
    return result.remembered


def outcome(result: nestor.Result) -> Any:
    """Return what must be the same."""
    return (
        result.score,
        result.moves,
        result.playouts,
        [(each.playouts, each.score) for each in result.improvements],
    )


@pytest.mark.parametrize(
    ("algorithm", "threads"),
    crossed(ALGORITHMS, [1, 3]),
    ids=lambda each: each if isinstance(each, int) else each.describe(),
)
def test_the_same_bits_with_a_cache_and_in_batches(
    algorithm: nestor.Algorithm, threads: int, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"playouts": 500, "seed": 3, "threads": threads}
    plain = nestor.solve(Bits(), algorithm, **given)
    assert plain.remembered is None
    for cache in (None, "memory", tmp_path):
        for problem in (Bits(), Batches()):
            result = nestor.solve(problem, algorithm, cache=cache, **given)
            assert outcome(result) == outcome(plain)
            if cache is not None:
                # Beside the search the answer asks: it is verified without what is remembered.
                searched = result.playouts - hits_of(result)
                assert searched <= 2 ** len(WEIGHTS)
                assert len(problem.asked) <= searched + 1


@pytest.mark.parametrize("width", [1, 4])
def test_a_playout_asks_for_one_score(width: int) -> None:
    """Forced exploration plays a game anew before it is scored; the answer asks once."""
    problem = Bits()
    algorithm = nestor.NRPA(2, 20, width=(width, 1), force_explore=True)
    nestor.solve(problem, algorithm, playouts=200, seed=1, threads=1, jobs=1)
    assert len(problem.asked) == 201
    assert problem.asked[200] in problem.asked[:200]


def test_a_game_is_asked_once() -> None:
    problem = Bits()
    nestor.solve(problem, nestor.Sampling(), playouts=1000, cache="memory", threads=2)
    verified = 1
    assert len(problem.asked) == len(set(problem.asked)) + verified


def test_hits_are_shown() -> None:
    seen: list[int] = []
    result = nestor.solve(
        Bits(),
        nestor.Sampling(),
        playouts=1000,
        cache="memory",
        callback=lambda progress: seen.append(progress.remembered),
    )
    assert result.remembered == seen[-1] >= 1000 - 64
    assert f"{result.remembered} scores not asked again" in str(result)
    told = result.to_dict()
    assert told["remembered"] == result.remembered
    assert "remembered" not in nestor.solve(Bits(), nestor.Sampling(), playouts=9).to_dict()


def test_saved_results_keep_the_hits(tmp_path: Path) -> None:
    result = nestor.solve(Frozen(), nestor.Sampling(), playouts=200, cache="memory")
    result.save(tmp_path / "result.json")
    assert nestor.Result.load(tmp_path / "result.json", Frozen()).remembered == result.remembered


def test_key_stands_for_the_moves() -> None:
    class Keyed(Bits):
        def key(self, state: tuple[int, ...]) -> int:
            return sum(state)

        def score(self, state: tuple[int, ...]) -> float:
            self.asked.append(state)
            return float(sum(state))

    problem = Keyed()
    result = nestor.solve(problem, nestor.Sampling(), playouts=300, cache="memory")
    assert result.playouts - hits_of(result) == len(WEIGHTS) + 1


class Ordered(Bits):
    change = "order"

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [move for move in range(len(WEIGHTS)) if move not in state]


class Costed(Ordered):
    def cost_of(self, order: list[int]) -> float:
        return self.score(tuple(order))


class Chosen(Ordered):
    """Any three of them."""

    change = "set"

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return super().moves(state) if len(state) < 3 else []

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return tuple(sorted((*state, move)))

    def score(self, state: tuple[int, ...]) -> float:
        self.asked.append(state)
        return float(sum(WEIGHTS[move] for move in state))


class Undone(Chosen):
    def undo(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return tuple(each for each in state if each != move)


class Enough(Undone):
    """Three of them are enough."""

    change = "cover"


def summed(given: Any) -> float:
    return float(sum(map(operator.mul, WEIGHTS, given)))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "order": lambda score: nestor.Order(6, score, sense="max"),
    "subset": lambda score: nestor.Subset(6, lambda chosen: len(chosen) < 4, score),
    "cover": lambda score: nestor.Cover(6, lambda chosen: 3 - len(chosen), score),
    "assignment": lambda score: nestor.Assignment(3, 3, lambda given: score(given.values())),
}


@pytest.mark.parametrize("kind", [Ordered, Costed, Chosen, Undone, Enough])
def test_local_search_remembers_by_moves(kind: type[Ordered], tmp_path: Path) -> None:
    given: dict[str, Any] = {"playouts": 2000, "seed": 1, "jobs": 1}
    plain = nestor.solve(kind(), **given)
    for cache in ("memory", tmp_path, tmp_path):
        problem = kind()
        result = nestor.solve(problem, cache=cache, **given)
        assert outcome(result) == outcome(plain)
        different = 720 if kind.change == "order" else 20
        assert 2000 - different - len(result.improvements) <= hits_of(result)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_problems_in_one_line_are_asked_once_for_each_answer(kind: str) -> None:
    given: dict[str, Any] = {"playouts": 2000, "seed": 1, "jobs": 1}
    plain, problem = (FUNCTIONS[kind](summed) for _ in range(2))
    result = nestor.solve(problem, cache="memory", **given)
    assert outcome(result) == outcome(nestor.solve(plain, **given))
    # That of a new best is asked for twice, as its set and as its game, and remembered once.
    different = {"order": 720, "subset": 20, "cover": 20, "assignment": 27}[kind]
    assert 2000 - different <= hits_of(result) <= 2000 + len(result.improvements)


def test_a_folder_serves_later_runs_and_not_other_instances_or_code(tmp_path: Path) -> None:
    given: dict[str, Any] = {"playouts": 300, "seed": 1, "cache": tmp_path / "deep" / "scores"}
    first = nestor.solve(Bits(), nestor.Sampling(), **given)
    again = nestor.solve(Bits(), nestor.Sampling(), **given)
    assert outcome(first) == outcome(again)
    assert hits_of(again) == 300 > hits_of(first)

    class Other(Bits):
        def to_dict(self) -> dict[str, Any]:
            return {"weights": [1]}

    for other in (Other(), Frozen()):
        assert nestor.solve(other, nestor.Sampling(), **given).remembered == first.remembered
    with sqlite3.connect(given["cache"] / FILE) as file:
        kinds = {tuple(map(type, row)) for row in file.execute("SELECT * FROM score")}
    assert kinds == {(str, bytes, bytes)}


def test_what_a_folder_knows_is_asked_once_to_verify_it(tmp_path: Path) -> None:
    """Games whose scores are known look quick, but no look for faults asks for their scores."""
    asked = list[Any]()

    class Keyed(nestor.Subset):
        def key(self, state: tuple[int, ...]) -> tuple[int, ...]:
            return state

    def value(chosen: tuple[int, ...]) -> int:
        asked.append(chosen)
        return sum(chosen)

    problem = Keyed(9, lambda chosen: len(chosen) < 4, value)
    for _ in range(2):
        asked.clear()
        result = nestor.solve(problem, playouts=60, seed=1, jobs=1, cache=tmp_path)
    assert asked == [tuple(result.moves)]


def test_a_folder_serves_other_processes(tmp_path: Path) -> None:
    module = tmp_path / "apart.py"
    module.write_text(
        "import sys, nestor\n"
        "class Steps:\n"
        "    def initial(self): return 0\n"
        "    def moves(self, state): return [1, 2] if state < 5 else []\n"
        "    def play(self, state, move): return state + move\n"
        "    def score(self, state): return float(state)\n"
        "if __name__ == '__main__':\n"
        "    from apart import Steps\n"
        "    r = nestor.solve(Steps(), nestor.Sampling(), playouts=100, cache='kept')\n"
        "    print(r.remembered)\n"
    )
    hits = [
        int(
            subprocess.run(
                [sys.executable, module], cwd=tmp_path, capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(2)
    ]
    assert hits[1] == 100 > hits[0]


@pytest.mark.long
def test_workers_have_memories_of_their_own_and_share_a_folder(tmp_path: Path) -> None:
    given: dict[str, Any] = {"playouts": 400, "jobs": 2, "workers": 2}
    plain = nestor.solve(Frozen(), nestor.Sampling(), playouts=400, jobs=2)
    for cache in ("memory", tmp_path):
        result = nestor.solve(Frozen(), nestor.Sampling(), cache=cache, **given)
        assert outcome(result) == outcome(plain)
        assert 400 - 2 * 64 - 8 <= hits_of(result) < 400
    assert nestor.solve(Frozen(), nestor.Sampling(), cache=tmp_path, **given).remembered == 400


def test_a_resumed_run_has_a_cache_again(tmp_path: Path) -> None:
    path, algorithm = tmp_path / "run.ckpt", nestor.NRPA(level=2, iterations=30, width=8)
    nestor.solve(Batches(), algorithm, playouts=101, checkpoint=path, cache=tmp_path)
    result = nestor.resume(path, problem=Batches(), playouts=500, cache=tmp_path)
    assert hits_of(result) > 0
    assert outcome(result) == outcome(nestor.solve(Bits(), algorithm, playouts=500))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 3)
    store = remembered.Memory()
    for game in range(4):
        store.put(game, float(game))
        assert store.get(0) == (0.0 if game < 4 else None)
    assert [store.get(game) for game in range(4)] == [0.0, None, 2.0, 3.0]


def test_a_memory_is_not_sent_anywhere() -> None:
    asked = remembered.Remembered(Frozen(), remembered.Memory())
    asked([(0,) * 6], [[0] * 6])
    asked([(0,) * 6], [[0] * 6])
    there = pickle.loads(pickle.dumps(asked))
    assert (asked.hits, there.hits) == (1, 0)
    there([(0,) * 6], [[0] * 6])
    assert there.hits == 0


@pytest.mark.parametrize(
    ("problem", "cache", "told"),
    [
        (nestor.problems.Morpion("5D"), "memory", "is not for morpion"),
        (Bits(), 3, "cache must be a path"),
        (Bits(), __file__, 'cache must be "memory" or a folder'),
    ],
)
def test_what_has_no_cache_is_refused(problem: Any, cache: Any, told: str) -> None:
    with pytest.raises(nestor.InputError, match=told):
        nestor.solve(problem, nestor.Sampling(), playouts=5, cache=cache)


def test_instances_that_cannot_be_told_apart_have_no_folder(tmp_path: Path) -> None:
    class Unknown(Bits):
        to_dict = None  # type: ignore[assignment]

    with pytest.raises(nestor.InputError, match=r"tell the instances of .* apart"):
        nestor.solve(Unknown(), nestor.Sampling(), playouts=5, cache=tmp_path)


def test_moves_without_a_form_need_a_key(tmp_path: Path) -> None:
    class Objects(Bits):
        def moves(self, state: tuple[int, ...]) -> list[Any]:
            return [{"bit": bit} for bit in super().moves(state)]

        def play(self, state: tuple[int, ...], move: Any) -> tuple[int, ...]:
            return (*state, move["bit"])

        def code(self, state: tuple[int, ...], move: Any) -> tuple[int, int]:
            return len(state), move["bit"]

    for cache in ("memory", tmp_path):
        with pytest.raises(nestor.InputError, match=r"key\(state\)"):
            nestor.solve(Objects(), nestor.Sampling(), playouts=5, cache=cache)


def test_a_damaged_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is no file of scores" * 99)
    with pytest.raises(nestor.InputError, match="cannot be used"):
        nestor.solve(Bits(), nestor.Sampling(), playouts=5, cache=tmp_path)


@pytest.mark.parametrize(
    "script",
    [
        "ALTER TABLE score RENAME TO other; CREATE VIEW score AS WITH RECURSIVE r(instance, game, "
        "score) AS (SELECT 'a', 1, 2 UNION ALL SELECT 'a', 1, 2 FROM r) SELECT * FROM r",
        "DROP TABLE score; CREATE TABLE score (instance, game, score)",
        "CREATE TRIGGER more AFTER INSERT ON score BEGIN DELETE FROM score; END",
        "CREATE TABLE more (game)",
    ],
    ids=["endless view", "other columns", "trigger", "another table"],
)
def test_a_file_with_more_than_scores_is_refused(script: str, tmp_path: Path) -> None:
    nestor.solve(Bits(), nestor.Sampling(), playouts=5, cache=tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as file:
        file.executescript(script)
    with pytest.raises(nestor.InputError, match=r"sqlite3 cannot be used: .* other than the score"):
        nestor.solve(Bits(), nestor.Sampling(), playouts=5, cache=tmp_path)


def test_any_changed_bit_of_a_folder_is_harmless_or_an_error(tmp_path: Path) -> None:
    nestor.solve(Bits(), nestor.Sampling(), playouts=5, cache=tmp_path / "whole")
    (folder := tmp_path / "changed").mkdir()
    with closing(sqlite3.connect(tmp_path / "whole" / FILE)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # SQLite quotes the words of the table in its messages.
        words = (tmp_path / "whole" / FILE).read_bytes().index(b"CREATE TABLE")
    refused = set()
    for place in range(words, words + 90):
        data = bytearray((tmp_path / "whole" / FILE).read_bytes())
        data[place] ^= 0x80
        (folder / FILE).write_bytes(data)
        with pytest.raises(nestor.InputError, match="cannot be used") as error:
            nestor.solve(Bits(), nestor.Sampling(), playouts=5, cache=folder)
        refused.add("codec can't decode" in str(error.value))
        for each in folder.iterdir():
            each.unlink()
    assert refused == {True, False}


def test_a_folder_that_fails_later_is_a_warning(tmp_path: Path) -> None:
    class Breaking(Bits):
        def score(self, state: tuple[int, ...]) -> float:
            if len(self.asked) == 2:
                with sqlite3.connect(tmp_path / FILE) as file:
                    file.execute("DROP TABLE score")
            return super().score(state)

    with pytest.warns(RuntimeWarning, match="kept in memory alone"):
        result = nestor.solve(Breaking(), nestor.Sampling(), playouts=200, cache=tmp_path)
    assert hits_of(result) >= 200 - 64


def test_threads_ask_for_as_many_scores_at_once_as_there_are() -> None:
    width = 5

    class Waiting(Bits):
        """Scores wait until as many have been asked for at once as there are threads."""

        def __init__(self) -> None:
            super().__init__()
            self.coming, self.inside, self.most = threading.Condition(), 0, 0

        def score(self, state: tuple[int, ...]) -> float:
            with self.coming:
                self.inside += 1
                self.most = max(self.most, self.inside)
                self.coming.notify_all()
                # On a busy machine a thread may come too late for a batch.
                self.coming.wait_for(lambda: self.most == width, 20)
                self.inside -= 1
            return super().score(state)

    algorithm = nestor.NRPA(level=1, iterations=4 * width, width=width)
    problem = Waiting()
    result = nestor.solve(problem, algorithm, threads=width, seed=2)
    assert problem.most == width
    assert outcome(result) == outcome(nestor.solve(Bits(), algorithm, seed=2))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_has_the_leaves_of_a_width(threads: int) -> None:
    problem = Batches()
    nestor.solve(problem, nestor.NRPA(level=2, iterations=20, width=8), threads=threads)
    assert problem.sizes == [8, 8, 4] * 20


def test_a_batch_ends_at_the_budget() -> None:
    problem = Batches()
    nestor.solve(problem, nestor.NRPA(level=2, iterations=20, width=8), playouts=30)
    assert problem.sizes == [8, 8, 4, 8, 2]


def test_a_batch_in_which_a_new_best_is_told_is_scored_once() -> None:
    problem, told = Batches(), list[float]()
    algorithm = nestor.NRPA(level=2, iterations=20, width=8)
    nestor.solve(problem, algorithm, on_improvement=lambda score, _: told.append(score))
    assert told
    assert problem.sizes == [8, 8, 4] * 20


def test_a_target_ends_a_batch() -> None:
    algorithm = nestor.NRPA(level=2, iterations=20, width=8)
    plain, batch = (nestor.solve(p, algorithm, target=17, seed=5) for p in (Bits(), Batches()))
    assert outcome(plain) == outcome(batch)
    assert plain.stop_reason == "target"


@pytest.mark.parametrize(
    ("wrong", "kind", "told"),
    [
        (lambda scores: scores[1:], nestor.InputError, "a score for each of "),
        (lambda scores: [*scores, 1.0], nestor.InputError, "a score for each of "),
        (
            lambda scores: [*scores[1:], float("nan")],
            nestor.InputError,
            r"must not return NaN, after the moves \[\d+, ",
        ),
        (lambda scores: [*scores[1:], "good"], nestor.InputError, "must return a number, not"),
        (
            lambda scores: np.array([scores] * 2).T,
            nestor.InputError,
            "not <class 'numpy.ndarray'>: they must be one flat sequence",
        ),
        (lambda scores: [(1.0, 2.0)] * len(scores), nestor.InputError, "the attribute objectives"),
        (lambda scores: 1.0, nestor.InputError, "must return a sequence, not"),
        (lambda scores: 1 / 0, ZeroDivisionError, "division"),
    ],
)
@pytest.mark.parametrize("cache", [None, "memory"])
def test_wrong_batches_are_errors_and_the_best_is_kept(
    wrong: Any, kind: type[Exception], told: str, cache: str | None
) -> None:
    class Wrong(Batches):
        def score_batch(self, states: list[tuple[int, ...]]) -> Any:
            scores = super().score_batch(states)
            return wrong(scores) if len(self.sizes) == 2 else scores

    class Unlike(Wrong):
        def moves(self, state: tuple[int, ...]) -> list[int]:
            return list(range(50)) if len(state) < len(WEIGHTS) else []

    with pytest.raises(kind, match=told) as raised:
        nestor.solve(Unlike(), nestor.NRPA(level=1, iterations=99, width=8), cache=cache)
    result = raised.value.nestor_result  # type: ignore[attr-defined]
    assert result.playouts == 8
    assert result.verified


@pytest.mark.parametrize(
    ("cache", "kind"), [(None, nestor.InputError), ("memory", nestor.VerificationError)]
)
def test_a_batch_whose_scores_are_not_those_of_score_is_told(
    cache: str | None, kind: type[Exception]
) -> None:
    class Unlike(Batches):
        def score_batch(self, states: list[tuple[int, ...]]) -> list[float]:
            return [score + 1 for score in super().score_batch(states)]

    told = r"score_batch\(\) must give each state the score that score\(\) gives"
    with pytest.raises(kind, match=told):
        nestor.solve(Unlike(), nestor.NRPA(level=1, iterations=16, width=8), cache=cache)


@pytest.mark.parametrize(("sense", "score"), [("max", "inf"), ("min", "-inf")])
def test_a_score_that_nothing_could_beat_is_refused(sense: str, score: str) -> None:
    """In place of ending the search, as a target would that was reached."""

    class Endless(Bits):
        def __init__(self) -> None:
            super().__init__()
            self.sense = sense

        def score(self, state: tuple[int, ...]) -> float:
            return float(score) if state[0] else super().score(state)

    class Together(Endless):
        def score_batch(self, states: list[tuple[int, ...]]) -> list[float]:
            return [self.score(state) for state in states]

    algorithm = nestor.NRPA(level=1, iterations=50, width=4)
    for problem, name in ((Endless(), "score"), (Together(), "score_batch")):
        told = rf"{name}\(\) must not return {score}, .*, after the moves \[1, "
        with pytest.raises(nestor.InputError, match=told):
            nestor.solve(problem, algorithm, seed=1)
    other = "max" if sense == "min" else "min"
    hopeless = Endless()
    hopeless.sense = other
    assert nestor.solve(hopeless, algorithm, seed=1).verified


def test_batches_are_minimised_and_shaped() -> None:
    class Low(Bits):
        sense = "min"

        def shaped(self, state: tuple[int, ...]) -> float:
            return -float(state[0])

    class LowBatches(Low, Batches):
        pass

    algorithm = nestor.NRPA(level=2, iterations=20, width=8)
    plain, batch = (nestor.solve(problem, algorithm) for problem in (Low(), LowBatches()))
    assert outcome(plain) == outcome(batch)


def test_attributes_that_are_no_methods_are_refused() -> None:
    class Wrong(Bits):
        score_batch = 5

    with pytest.raises(nestor.InputError, match="score_batch of the problem must be a method"):
        nestor.solve(Wrong(), nestor.Sampling(), playouts=5)


def test_the_core_refuses_scores_without_together() -> None:
    with pytest.raises(AttributeError):
        _core.Problem.own(Bits(), None, False, len)


class Slow(Bits):
    """The same, in two milliseconds."""

    def score(self, state: tuple[int, ...]) -> float:
        time.sleep(0.002)
        return super().score(state)


@pytest.mark.parametrize("threads", [1, 4])
def test_slow_scores_that_are_asked_again_are_told(threads: int) -> None:
    algorithm = nestor.NRPA(level=2, iterations=10, width=4)
    spared = nestor.solve(Bits(), algorithm, playouts=200, cache="memory").remembered
    with pytest.warns(RuntimeWarning, match=f"of 200 slow scores {spared} were .* cache='memory'"):
        nestor.solve(Slow(), algorithm, playouts=200, threads=threads)


@pytest.mark.parametrize(
    ("problem", "settings"),
    [(Slow(), {"cache": "memory"}), (Slow(), {"playouts": 20}), (Bits(), {})],
)
def test_there_is_nothing_to_tell(problem: Any, settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*cache=")
        nestor.solve(problem, nestor.NRPA(level=2, iterations=10), **{"playouts": 200, **settings})


class Second(Bits):
    """The same with a second part of its score."""

    objectives: Any = "lexicographic"

    def score(self, state: tuple[int, ...]) -> Any:
        return int(super().score(state)), -sum(state)


class Front(Second):
    objectives = ("max", "max")


def front_of(result: nestor.Result) -> Any:
    """Return the points of a front, if there is one."""
    points = [] if result.front is None else result.front.to_dict()["points"]
    return [(each["scores"], each["moves"], each["playouts"]) for each in points]


@pytest.mark.parametrize("kind", [Second, Front])
def test_scores_that_are_tuples_are_remembered(kind: type[Bits], tmp_path: Path) -> None:
    given: dict[str, Any] = {"playouts": 300, "seed": 4}
    plain = nestor.solve(kind(), **given)
    for cache in ("memory", tmp_path, tmp_path):
        problem = kind()
        result = nestor.solve(problem, cache=cache, **given)
        assert (outcome(result), result.scores) == (outcome(plain), plain.scores)
        assert front_of(result) == front_of(plain)
        answered = len(problem.asked) - (300 - hits_of(result))
        assert answered <= (1 if plain.front is None else len(plain.front) + 2)
    assert hits_of(result) == 300


class FrontOfOrders(Front):
    """Orders, of which few have different ends."""

    change = "order"

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [move for move in range(3) if move not in state]

    def score(self, state: tuple[int, ...]) -> Any:
        self.asked.append(state)
        return state[0], state[1]


class FrontOfSets(FrontOfOrders):
    """Any two of four things."""

    change = "set"

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [move for move in range(4) if move not in state] if len(state) < 2 else []

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return tuple(sorted((*state, move)))


@pytest.mark.parametrize("kind", [FrontOfOrders, FrontOfSets])
def test_local_search_of_fronts_remembers(kind: type[Front]) -> None:
    class Keyed(kind):  # type: ignore[valid-type,misc]
        def key(self, state: tuple[int, ...]) -> tuple[int, ...]:
            return state

    plain = nestor.solve(kind(), playouts=200, seed=1, jobs=1)
    result = nestor.solve(Keyed(), playouts=200, seed=1, jobs=1, cache="memory")
    assert front_of(result) == front_of(plain)
    assert hits_of(result) == 200 - 6
    result = nestor.solve(kind(), playouts=200, seed=1, jobs=1, cache="memory")
    assert front_of(result) == front_of(plain)
    assert hits_of(result) >= 200 - 12


@pytest.mark.parametrize("kind", [Second, Front])
def test_slow_tuples_that_are_asked_again_are_told(kind: type[Bits]) -> None:
    class Slowly(kind):  # type: ignore[valid-type,misc]
        def score(self, state: tuple[int, ...]) -> Any:
            time.sleep(0.002)
            return super().score(state)

    with pytest.warns(RuntimeWarning, match="of 200 slow scores .* cache='memory'"):
        nestor.solve(Slowly(), playouts=200)


def test_a_model_leaves_the_scores_of_a_batch_to_threads() -> None:
    width = 5

    class Meeting(Bits):
        """Its scores wait for others, until as many were asked at once as there are threads."""

        def __init__(self) -> None:
            super().__init__()
            self.meeting = threading.Barrier(width)

        def score(self, state: tuple[int, ...]) -> float:
            if threading.current_thread() is not threading.main_thread() or self.asked == []:
                self.meeting.wait(HOUR)
            return super().score(state)

    model = nestor.BatchBias(lambda batch: [0.1 * move for move in batch.moves or ()], width=width)
    algorithm = nestor.GNRPA(level=1, iterations=width, bias=model)
    one = nestor.solve(Bits(), algorithm, seed=2, threads=1)
    several = nestor.solve(Meeting(), algorithm, seed=2, threads=width)
    assert outcome(several) == outcome(one)


def test_a_folder_tells_classes_apart_by_plain_variables_around_them(tmp_path: Path) -> None:
    def made(target: tuple[int, ...]) -> Bits:
        class Near(Bits):
            def score(self, state: tuple[int, ...]) -> float:
                return -float(sum(abs(a - b) for a, b in zip(state, target, strict=True)))

        return Near()

    for target, known in (((0,) * 6, False), ((1,) * 6, False), ((0,) * 6, True)):
        result = nestor.solve(made(target), nestor.Sampling(), playouts=99, cache=tmp_path)
        assert (hits_of(result) == 99) == known


VALUES = """
def helper(chosen): return SCALE * sum(chosen)
def value(chosen): return helper(chosen)
"""


def test_a_folder_tells_problems_of_functions_apart_by_the_files_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def known(value: Any) -> bool:
        problem = nestor.Subset(6, lambda chosen: len(chosen) < 3, value)
        cache = tmp_path / "kept"
        return hits_of(nestor.solve(problem, nestor.Sampling(), playouts=99, cache=cache)) == 99

    for scale, again in ((1, False), (2, False), (1, True)):
        (tmp_path / "valued.py").write_text(VALUES.replace("SCALE", str(scale)))
        monkeypatch.delitem(sys.modules, "valued", raising=False)
        importlib.invalidate_caches()
        value = importlib.import_module("valued").value
        assert known(value) == known(functools.cache(value)) == again


def test_a_folder_tells_apart_what_a_class_has_been_given_as_functions(tmp_path: Path) -> None:
    class Valued(Bits):
        def __init__(self, value: Any) -> None:
            self.value, self.digest = value, "the same"

        def score(self, state: Any) -> float:
            return float(self.value(state))

    for number, value in enumerate((sum, max, min, sum)):
        result = nestor.solve(
            Valued(value), nestor.Sampling(), playouts=9, seed=1, cache=tmp_path / "kept"
        )
        assert (hits_of(result) == 9) == (number == 3)


def test_a_folder_tells_problems_of_functions_apart_by_what_they_are_given(tmp_path: Path) -> None:
    def scaled(scale: int, chosen: tuple[int, ...]) -> int:
        return scale * sum(chosen)

    def around(scale: int) -> Any:
        return lambda chosen: scaled(scale, chosen)

    def given(scale: int) -> Any:
        return functools.partial(scaled, scale)

    for number, made in enumerate((around, given)):
        for scale, known in ((1, False), (2, False), (1, True)):
            problem = nestor.Subset(6, lambda chosen: len(chosen) < 3, made(scale))
            cache = tmp_path / str(number)
            result = nestor.solve(problem, nestor.Sampling(), playouts=99, cache=cache)
            assert (hits_of(result) == 99) == known
