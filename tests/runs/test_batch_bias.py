"""Models that guide a search, a batch of playouts at a time."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import BatchBias, InputError
from nestor.problems import TSPTW, LatinSquare, SameGame

WEIGHTS = (3, -1, 4, 1, -5, 9, 2, -6)


def tour(seed: int = 1, nodes: int = 14, **settings: Any) -> TSPTW:
    draw = random.Random(seed)
    places = [(draw.uniform(0, 50), draw.uniform(0, 50)) for _ in range(nodes)]
    matrix = [[float(np.hypot(a - c, b - d)) for c, d in places] for a, b in places]
    windows, time, before = [(0.0, 2000.0)], 0.0, 0
    for city in range(1, nodes):  # in their order all are met
        time += matrix[before][city] + 3
        windows.append((max(time + draw.uniform(-60, 10), 0.0), time + draw.uniform(60, 120)))
        time, before = max(time, windows[-1][0]), city
    return TSPTW(matrix, windows, **settings)


def board(seed: int = 5, **settings: Any) -> SameGame:
    draw = random.Random(seed)
    rows = ["".join(str(draw.randrange(4)) for _ in range(8)) for _ in range(9)]
    return SameGame(rows, **settings)


class Plain:
    """Choices, the last of which may be forced; a bias by state and move."""

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        if len(state) == len(WEIGHTS) or sum(state) > 9:
            return []
        return [0] if len(state) == 3 else list(range(2 + len(state) % 3))

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def code(self, state: tuple[int, ...], move: int) -> tuple[int, int]:
        return len(state), move

    def score(self, state: tuple[int, ...]) -> float:
        return float(sum(a * b for a, b in zip(state, WEIGHTS, strict=False)))

    def bias(self, state: tuple[int, ...], move: int) -> float:
        return ((len(state) * 7 + move * 3 + sum(state)) % 5) / 3 - 0.5


class Model:
    """The bias of a problem that comes with Nestor, computed from what the problem tells."""

    def __init__(self, problem: Any, bias: str) -> None:
        self.problem, self.bias = problem, bias
        self.sizes: list[int] = []
        self.threads: set[int] = set()

    def __call__(self, batch: nestor.Batch) -> Any:
        self.sizes.append(len(batch.offsets) - 1)
        self.threads.add(threading.get_ident())
        return getattr(self, self.bias)(batch)

    def waiting(self, batch: nestor.Batch) -> Any:
        opens = self.problem.windows[:, 0]
        longest = max(opens.max() - opens[0], 0)
        return np.where(batch["wait"] > 0, -10.0 * (batch["wait"] / longest), 0.0)

    def lateness(self, batch: nestor.Batch) -> Any:
        windows = self.problem.windows
        longest = windows[1:, 1].max() - windows[0, 0]
        return np.where(batch["slack"] > 0, -10.0 * (batch["slack"] / longest), 0.0)

    def size(self, batch: nestor.Batch) -> Any:
        size = batch["size"]
        return np.minimum(size - 2 - self._tabu(batch), 8)

    def mild(self, batch: nestor.Batch) -> Any:
        return 0.2 * self.size(batch)

    def _tabu(self, batch: nestor.Batch) -> Any:
        return (batch["size"] == 2) & (batch["colour"] == self.problem.tabu_colour)

    def plain(self, batch: nestor.Batch) -> Any:
        assert batch.states is not None
        assert batch.moves is not None
        pairs = zip(batch.owner, batch.moves, strict=True)
        return [Plain().bias(batch.states[owner], move) for owner, move in pairs]


CASES = [
    (tour(), "waiting"),
    (tour(), "lateness"),
    (tour(selective=True), "lateness"),
    (tour(service=[3.0] * 14), "lateness"),
    (board(), "size"),
    (board(shaping=True), "mild"),
    (board(tabu=False), "size"),
    (Plain(), "plain"),
]
IDS = [f"{type(problem).__name__}-{bias}-{n}" for n, (problem, bias) in enumerate(CASES)]


def outcome(result: nestor.Result) -> Any:
    """Return what must be the same."""
    found = [(each.playouts, each.score) for each in result.improvements]
    return result.score, result.moves, result.playouts, found


def pair(problem: Any, bias: str, **settings: Any) -> tuple[nestor.GNRPA, nestor.GNRPA, Model]:
    """Return a search with a built-in bias, the same with a model, and the model."""
    width = settings.pop("width", 8)
    model = Model(problem, bias)
    named = "bias" if bias == "plain" else bias
    return (
        nestor.GNRPA(bias=named, width=width, **settings),
        nestor.GNRPA(bias=BatchBias(model, width=width), **settings),
        model,
    )


@pytest.mark.parametrize(
    ("problem", "bias", "threads"),
    [
        pytest.param(
            *(*CASES[row], threads),
            id=f"{IDS[row]}-{threads}",
            marks=pytest.mark.long if (row - column) % 3 else (),
        )
        for row in range(len(CASES))
        for column, threads in enumerate((1, 2, 4))
    ],
)
def test_the_bits_of_the_bias_that_it_computes(problem: Any, bias: str, threads: int) -> None:
    named, guided, model = pair(problem, bias, level=2, iterations=20)
    given: dict[str, Any] = {"playouts": 501, "seed": 3, "threads": threads}
    assert outcome(nestor.solve(problem, guided, **given)) == outcome(
        nestor.solve(problem, named, **given)
    )
    assert max(model.sizes) == 8
    assert len(model.threads) == 1


OPTIONS: list[dict[str, Any]] = [
    {"width": 1},
    {"force_explore": True},
    {"level": 3, "iterations": 6, "width": 3},
    {"temperature": 2.0},
    {"repetitions": 2},
    {"width_rate": "once"},
]


@pytest.mark.parametrize(
    ("problem", "bias", "settings"),
    [
        pytest.param(
            *(*CASES[case], settings),
            id=f"{IDS[case]}-{settings}",
            marks=pytest.mark.long if (row - column) % 3 else (),
        )
        for row, settings in enumerate(OPTIONS)
        for column, case in enumerate((1, 4, 7))
    ],
)
def test_the_same_with_options(problem: Any, bias: str, settings: dict[str, Any]) -> None:
    named, guided, _ = pair(problem, bias, **{"level": 2, "iterations": 20, **settings})
    given: dict[str, Any] = {"playouts": 301, "seed": 4, "threads": 2, "jobs": 2}
    assert outcome(nestor.solve(problem, guided, **given)) == outcome(
        nestor.solve(problem, named, **given)
    )


@pytest.mark.parametrize("problem", [tour(), Plain()], ids=["tour", "plain"])
def test_a_model_is_asked_once_for_each_state(problem: Any) -> None:
    """Not once for each move; where a game is played again, for its states once more."""
    steps = 13 if isinstance(problem, TSPTW) else len(WEIGHTS)
    bias = "lateness" if isinstance(problem, TSPTW) else "plain"
    _, guided, model = pair(problem, bias, level=2, iterations=20, width=1)
    nestor.solve(problem, guided, playouts=40)
    assert set(model.sizes) == {1}
    assert len(model.sizes) <= 40 * steps
    _, guided, model = pair(problem, bias, level=2, iterations=20, force_explore=True)
    nestor.solve(problem, guided, playouts=40)
    assert model.sizes.count(8) >= 5 * 5
    assert len(model.sizes) - model.sizes.count(8) <= 40 * steps


def test_a_guided_class_scores_its_batches_in_one_call() -> None:
    class Scored(Plain):
        def __init__(self) -> None:
            self.sizes: list[int] = []

        def score_batch(self, states: list[tuple[int, ...]]) -> list[float]:
            self.sizes.append(len(states))
            return [Plain.score(self, state) for state in states]

    _, guided, _ = pair(Plain(), "plain", level=1, iterations=16)
    problem = Scored()
    assert outcome(nestor.solve(problem, guided)) == outcome(nestor.solve(Plain(), guided))
    assert problem.sizes == [8, 8]


def test_the_composition_of_batches_follows_from_the_width() -> None:
    seen = []
    for threads in (1, 4):
        _, guided, model = pair(tour(), "lateness", level=2, iterations=16)
        nestor.solve(tour(), guided, playouts=64, threads=threads)
        seen.append(model.sizes)
    assert seen[0] == seen[1] == [8] * (64 // 8 * 13)


def test_what_the_problems_tell() -> None:
    told: dict[str, Any] = {}

    def remember(batch: nestor.Batch) -> Any:
        told.setdefault("first", batch)
        told["last"] = batch
        return np.zeros(batch.offsets[-1])

    algorithm = nestor.GNRPA(level=1, iterations=4, bias=BatchBias(remember, width=4))
    problem = tour(service=[3.0] * 14, selective=False)
    result = nestor.solve(problem, algorithm, playouts=4)
    first, last = told["first"], told["last"]
    kinds = {name: (array.dtype.str[1:], array.shape) for name, array in first.arrays.items()}
    assert kinds == {
        "code": ("u8", (52,)),
        "last": ("i8", (4,)),
        "time": ("f8", (4,)),
        "cost": ("f8", (4,)),
        "late": ("i8", (4,)),
        "unvisited": ("u1", (4, 14)),
        "city": ("i8", (52,)),
        "distance": ("f8", (52,)),
        "travel": ("f8", (52,)),
        "wait": ("f8", (52,)),
        "slack": ("f8", (52,)),
    }
    assert first.offsets.tolist() == [0, 13, 26, 39, 52]
    assert first.owner.tolist() == [0] * 13 + [1] * 13 + [2] * 13 + [3] * 13
    assert first["unvisited"].tolist() == [[0] + [1] * 13] * 4
    assert first["city"].tolist() == list(range(1, 14)) * 4
    cities = first["city"][:13]
    assert first["travel"][:13].tolist() == problem.durations[0, cities].tolist()
    assert first["distance"][:13].tolist() == problem.matrix[0, cities].tolist()
    arrival = problem.windows[0, 0] + first["travel"][:13]
    begins = np.maximum(arrival, problem.windows[cities, 0])
    assert first["wait"][:13].tolist() == (begins - arrival).tolist()
    assert first["slack"][:13].tolist() == (problem.windows[cities, 1] - begins).tolist()
    with pytest.raises(ValueError, match="read-only"):
        first["time"][0] = 1
    assert last.offsets.tolist() == [0, 1, 2, 3, 4]
    assert result.playouts == 4

    told.clear()
    game = board()
    nestor.solve(game, algorithm, playouts=4)
    first = told["first"]
    twin = game.initial()
    columns = [[colour + 1 for colour in column] for column in twin.position]
    assert first["board"][0].tolist() == columns
    assert first["board"].dtype == np.uint8
    moves = game.moves(twin)
    assert list(zip(first["column"], first["row"], strict=True))[: len(moves)] == moves
    assert first["code"][: len(moves)].tolist() == [game.code(twin, move) for move in moves]
    assert first["played"].tolist() == [0] * 4
    assert told["last"]["points"].max() > 0
    assert told["last"]["board"].min() == 0


def test_a_table_of_codes_guides_a_problem_without_features() -> None:
    square = LatinSquare([[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    found: list[set[str]] = []

    def model(batch: nestor.Batch) -> Any:
        found.append(set(batch.arrays))
        return (batch["code"] % 3) / 2

    with pytest.raises(InputError, match=r"GNRPA\(bias=\.\.\.\) takes a BatchBias"):
        square.with_bias(BatchBias(model))  # type: ignore[arg-type]
    result = nestor.solve(square, nestor.GNRPA(bias=BatchBias(model)), playouts=40)
    assert result.verified
    assert found[0] == {"code"}


def wrong_after(count: int, answer: Any) -> Any:
    """Return a model that is wrong after some calls."""
    calls = [0]

    def model(batch: nestor.Batch) -> Any:
        calls[0] += 1
        betas = np.zeros(batch.offsets[-1])
        return betas if calls[0] < count else answer(betas)

    return model


def nan(betas: Any) -> Any:
    betas[-1] = np.nan
    return betas


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (lambda betas: betas[1:], InputError, r"a bias for each of the \d+ moves of \d+ states"),
        (lambda betas: [*betas, 0.0], InputError, "a bias for each"),
        (
            lambda betas: betas[:, None],
            InputError,
            r"of the shape \((\d+),\), .* not one of the shape \(\1, 1\) and the type float64",
        ),
        (lambda betas: 3.0, InputError, r"of the shape \(\d+,\), .* not 3\.0"),
        (nan, InputError, "at most 700, or -inf to forbid, not nan"),
        (lambda betas: betas + 701, InputError, "not 701.0 for move 0"),
        (lambda betas: betas + np.inf, InputError, "not inf"),
        (lambda betas: ["a"] * len(betas), InputError, "array of numbers"),
        (lambda betas: [[1], [2, 3]], InputError, "array of numbers"),
        (lambda betas: None, InputError, "array of numbers"),
        (lambda betas: betas + 1j, InputError, r"and the type complex128"),
        (lambda betas: 1 / 0, ZeroDivisionError, "division by zero"),
    ],
)
@pytest.mark.parametrize("problem", [tour(), board(), Plain()], ids=["tour", "board", "plain"])
def test_wrong_answers_are_told_and_the_best_is_kept(
    problem: Any, answer: Any, kind: type[Exception], said: str
) -> None:
    model = BatchBias(wrong_after(60, answer), width=8)
    with pytest.raises(kind, match=said) as caught:
        nestor.solve(problem, nestor.GNRPA(level=2, bias=model), playouts=4000, threads=2)
    kept = caught.value.nestor_result  # type: ignore[attr-defined]
    assert kept.playouts > 0
    assert kept.verified
    assert not kept.reproducible


def test_an_unknown_array_is_told_with_those_that_are_there() -> None:
    model = BatchBias(lambda batch: batch["slak"])
    with pytest.raises(
        InputError, match=r"no array 'slak' \(did you mean 'slack'\?\); it has code"
    ):
        nestor.solve(tour(), nestor.GNRPA(bias=model), playouts=10)
    with pytest.raises(InputError, match=r"it has code; docs/slow-scores\.md says what has more"):
        nestor.solve(nestor.problems.Morpion("4D"), nestor.GNRPA(bias=model), playouts=10)


def test_a_plain_class_has_no_arrays() -> None:
    model = BatchBias(lambda batch: batch["position"])
    with pytest.raises(InputError, match=r"'position'; use batch\.states and batch\.moves"):
        nestor.solve(Plain(), nestor.GNRPA(bias=model), playouts=10)


def test_a_slow_model_ends_at_the_limit_of_time() -> None:
    def late(betas: Any) -> Any:
        time.sleep(0.2)
        return betas

    slow = wrong_after(200, late)
    result = nestor.solve(tour(), nestor.GNRPA(level=3, bias=BatchBias(slow)), seconds=0.3)
    assert result.stop_reason == "seconds"
    assert result.playouts > 0


def test_a_model_that_goes_on_after_the_time_is_told_of() -> None:
    """And not the answer, for which the model is not asked."""

    def slow(batch: nestor.Batch) -> Any:
        time.sleep(3)
        return np.zeros(batch.offsets[-1])

    guided = nestor.GNRPA(level=1, bias=BatchBias(slow, width=4))
    with pytest.warns(RuntimeWarning, match="last call of the model .*slow took 3") as warned:
        nestor.solve(Short(), guided, seconds=0.5)
    assert len(warned) == 1


class Short(Plain):
    """Over after a step."""

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [] if state else [0, 1]


def hang(betas: Any) -> Any:
    while True:
        time.sleep(0.01)


class Trap:
    """A model that is wrong after some calls, for processes that unpickle it."""

    def __init__(self, count: int, end: str) -> None:
        self.left, self.end = count, end

    def __call__(self, batch: nestor.Batch) -> Any:
        self.left -= 1
        if self.left < 0:
            os.abort() if self.end == "abort" else hang(None)
        return np.zeros(batch.offsets[-1])


@pytest.mark.parametrize(
    ("end", "said"),
    [
        pytest.param(
            "hang", "the model test_batch_bias:Trap did not return", marks=pytest.mark.long
        ),
        ("abort", "died with exit"),
    ],
)
def test_a_model_that_does_not_return_is_an_error_if_it_is_isolated(
    end: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended for its call, long before other code would be for not answering."""
    monkeypatch.setattr("nestor.runs.isolation.GRACE", 1e9)
    monkeypatch.setattr("nestor.runs.isolation.ASLEEP", 1e9)
    model = BatchBias(Trap(100, end), width=8, isolated=True)
    with pytest.raises(nestor.RulesError, match=said) as caught:
        nestor.solve(tour(), nestor.GNRPA(bias=model), seconds=1)
    assert caught.value.nestor_result.playouts > 0  # type: ignore[attr-defined]
    same = nestor.GNRPA(bias=BatchBias(Trap(10**9, end), width=8, isolated=True))
    there = nestor.solve(tour(), same, playouts=50)
    here = nestor.solve(tour(), nestor.GNRPA(bias=BatchBias(Trap(10**9, end), 8)), playouts=50)
    assert outcome(there) == outcome(here)


LATE = """
import time
import nestor
import numpy as np

time.sleep({seconds})

class Late:
    def __call__(self, batch):
        return np.zeros(batch.offsets[-1])
"""


@pytest.mark.long
def test_the_import_of_an_isolated_model_takes_none_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("nestor.runs.isolation.ASLEEP", 4.0)
    file = tmp_path / "late_model.py"
    file.write_text(LATE.format(seconds=0))
    late = importlib.import_module("late_model").Late()
    file.write_text(LATE.format(seconds=8))
    guided = nestor.GNRPA(bias=BatchBias(late, isolated=True))
    result = nestor.solve(tour(), guided, seconds=0.5)
    assert result.verified
    assert result.playouts > 1


def test_forbidden_moves_are_not_played() -> None:
    def model(batch: nestor.Batch) -> Any:
        ends = batch.offsets[1:] - 1
        betas = np.full(batch.offsets[-1], -np.inf)
        betas[ends] = 0
        return betas

    result = nestor.solve(tour(), nestor.GNRPA(bias=BatchBias(model, width=4)), playouts=40)
    assert {each.playouts for each in result.improvements} == {1}


def test_floats_of_a_network_and_whole_numbers_will_do() -> None:
    for kind in (np.float32, np.float16, np.int32, np.uint8):

        def model(batch: nestor.Batch, kind: Any = kind) -> Any:
            return np.ones(batch.offsets[-1], kind)

        algorithm = nestor.GNRPA(bias=BatchBias(model))
        assert nestor.solve(board(), algorithm, playouts=40).verified


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda model: nestor.GNRPA(bias=len), r"or a nestor\.BatchBias, which takes"),  # type: ignore[arg-type]
        (lambda model: BatchBias(3), "f of a BatchBias must be callable, not 3"),  # type: ignore[arg-type]
        (lambda model: BatchBias(model.f, width=0), "width must be"),
        (lambda model: BatchBias(model.f, width="8"), "width must be"),  # type: ignore[arg-type]
        (lambda model: nestor.GNRPA(bias=model, width=4), "not both"),
        (lambda model: nestor.GNRPA(bias=model, bias_learning=0.1), "without bias_learning"),
        (lambda model: nestor.GNRPA(bias=model, policies="local"), "polish or a BatchBias"),
        (lambda model: nestor.GNRPA(bias=model, prior="latin_square_20"), "not both"),
        (lambda model: nestor.GNRPA(bias=(model, "size"), bias_learning=0.1), "cannot be combined"),
        (lambda model: nestor.NMCS(bias=model), "those of GNRPA"),
        (lambda model: nestor.Sampling(bias=model), "those of GNRPA"),
        (lambda model: nestor.BeamNRPA(bias=model), "those of GNRPA"),
    ],
)
def test_what_does_not_go_together_is_refused(make: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make(BatchBias(lambda batch: 0))


def test_the_width_that_is_shown_is_that_of_the_model() -> None:
    model = BatchBias(lambda batch: 0, width=8)
    algorithm = nestor.GNRPA(bias=model)
    assert algorithm == nestor.GNRPA(bias=model, width=8)
    assert "width 8" in algorithm.describe()


def test_a_result_says_that_it_was_guided(tmp_path: Path) -> None:
    named, guided, _ = pair(board(), "mild", level=2, iterations=20)
    assert nestor.solve(board(), named, playouts=100).reproducible
    result = nestor.solve(board(), guided, playouts=100)
    assert not result.reproducible
    assert "reproducible on one machine only" in str(result)
    assert "Model, 8 at a time" in result.bias
    result.save(tmp_path / "result.json")
    loaded = nestor.Result.load(tmp_path / "result.json")
    assert (loaded.score, loaded.reproducible) == (result.score, False)
    with pytest.raises(InputError, match="comes from a file, without its code"):
        nestor.solve(board(), loaded.algorithm, playouts=10)


@pytest.mark.parametrize(("problem", "bias"), [CASES[1], CASES[5], CASES[7]])
def test_the_same_bits_after_a_checkpoint(problem: Any, bias: str, tmp_path: Path) -> None:
    named, guided, _ = pair(problem, bias, level=2, iterations=50)
    whole = nestor.solve(problem, named, playouts=777, seed=1)
    file = tmp_path / "state"
    nestor.solve(problem, guided, playouts=333, seed=1, checkpoint=file)
    with pytest.raises(InputError, match="give the algorithm"):
        nestor.resume(file, problem=problem, playouts=777)
    resumed = nestor.resume(file, problem=problem, algorithm=guided, playouts=777, threads=2)
    assert outcome(resumed) == outcome(whole)
    other = nestor.GNRPA(level=2, iterations=50, bias=BatchBias(nan, width=8))
    with pytest.raises(InputError, match="not that of the run"):
        nestor.resume(file, problem=problem, algorithm=other, playouts=999)


KILLED = """
import os, sys
sys.path.insert(0, {folder!r})
import nestor
from test_batch_bias import pair, tour
_, guided, model = pair(tour(), "lateness", level=2, iterations=50)
inner = model.lateness
def lateness(batch):
    if os.path.exists({file!r}) and len(batch["city"]) % 7 == 0:
        os.kill(os.getpid(), 9)
    return inner(batch)
model.lateness = lateness
nestor.solve(tour(), guided, playouts=9000, seed=1, checkpoint={file!r}, checkpoint_every=0.001)
"""


def test_killed_in_a_batch_and_resumed_with_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "state"
    code = KILLED.format(folder=str(Path(__file__).parent), file=str(file))
    killed = subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False)
    assert killed.returncode == -9
    named, guided, _ = pair(tour(), "lateness", level=2, iterations=50)
    whole = nestor.solve(tour(), named, playouts=9000, seed=1)
    resumed = nestor.resume(file, algorithm=guided, playouts=9000)
    assert outcome(resumed) == outcome(whole)


def test_a_guided_search_that_is_told_its_scores_is_loaded_with_its_model(tmp_path: Path) -> None:
    model = Model(Plain(), "plain")
    guided = nestor.GNRPA(level=2, iterations=20, bias=BatchBias(model, width=4))
    whole, search = (nestor.Search(Plain(), guided, seed=1) for _ in range(2))
    file = tmp_path / "search"

    def go_on(search: nestor.Search, most: int) -> None:
        while search.playouts < most:
            for game in search.ask():
                search.tell(game, Plain().score(game.state))

    go_on(whole, 80)
    go_on(search, 40)
    search.tell((game := search.ask()[0]), Plain().score(game.state))
    search.save(file)
    with pytest.raises(InputError, match=r"guided by test_batch_bias:Model.*algorithm=\.\.\."):
        nestor.Search.load(file, Plain())
    other = nestor.GNRPA(level=2, iterations=20, bias=BatchBias(nan, width=4))
    with pytest.raises(InputError, match="not that of the run"):
        nestor.Search.load(file, Plain(), algorithm=other)
    with pytest.raises(InputError, match="must be an Algorithm such as"):
        nestor.Search.load(file, Plain(), algorithm=model)  # type: ignore[arg-type]
    search = nestor.Search.load(file, Plain(), algorithm=guided)
    go_on(search, 80)
    assert outcome(search.result()) == outcome(whole.result())


def test_no_search_begins_with_a_model_of_a_file(tmp_path: Path) -> None:
    guided = nestor.GNRPA(level=2, bias=BatchBias(nan, width=4))
    loaded = nestor.algorithms.from_dict(guided.to_dict())
    for search in (
        lambda: nestor.Search(Plain(), loaded),
        lambda: nestor.compare([Plain()], [loaded], playouts=10, seeds=1),
    ):
        with pytest.raises(InputError, match="comes from a file, without its code"):
            search()


def test_a_batch_begun_in_time_is_abandoned_between_two_steps() -> None:
    """Also one of the first twentieth of a second, in which the first batch is not cut off."""
    begun = list[float]()

    def slower(batch: nestor.Batch) -> Any:
        begun.append(time.monotonic())
        if len(begun) > 40:
            time.sleep(0.4)
        return np.zeros(batch.offsets[-1])

    start = time.monotonic()
    algorithm = nestor.GNRPA(1, 200, bias=BatchBias(slower, width=4))
    nestor.solve(Plain(), algorithm, seconds=0.3, seed=1)
    assert sum(each - start > 0.5 for each in begun[40:]) <= 1


def test_no_array_can_be_written() -> None:
    def writes(batch: nestor.Batch) -> Any:
        for array in (batch.offsets, batch.owner, batch["size"]):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
        return np.zeros(len(batch["size"]))

    nestor.solve(board(), nestor.GNRPA(1, 9, bias=BatchBias(writes, width=4)), playouts=9)


def test_models_are_told_apart_by_their_digests(tmp_path: Path) -> None:
    class Net:
        def __init__(self, digest: str) -> None:
            self.digest = digest

        def __call__(self, batch: nestor.Batch) -> Any:
            return batch["size"]

    for digest in ("one", "one", "0123456789abcdef" * 4):
        guided = {"net": nestor.GNRPA(1, 10, bias=BatchBias(Net(digest)))}
        again = partial(nestor.compare, [board()], guided, seeds=[1], playouts=20)
        if digest != "one":
            assert str(guided["net"].bias).endswith("Net 0123456789ab, 16 at a time")
            with pytest.raises(InputError, match=r"settings of .* net: bias"):
                again(save=tmp_path / "runs.jsonl")
        else:
            again(save=tmp_path / "runs.jsonl")
