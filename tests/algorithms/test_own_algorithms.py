"""Algorithms of one's own in `solve`: what the core's algorithms can do, they can do."""

from __future__ import annotations

import importlib
import json
import pickle
import sys
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, BeamNRPA, InputError, algorithms, solve
from nestor.algorithms.own import OWN
from nestor.problems import Crossword, Morpion, SameGame
from nestor.research import (
    Key,
    Playout,
    Policy,
    adapt,
    playout,
    playouts,
    replay,
    run_level,
    run_search,
)
from nestor.runs.own.search import OwnSearch
from support.instances import SMALL_BOARD, small_tsptw
from support.own import Failing, Jobs, Subset

BOARD = Morpion("4D")
WORDS = ["mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "pluto", "ceres"]


class Endless(Subset):
    """A game without an end."""

    def moves(self, state: Any) -> list[int]:
        return [0, 1]


@nestor.algorithm
def nrpa(search, problem, policy, level, key, *, iterations=10, base=1):  # type: ignore[no-untyped-def]
    """NRPA, native up to level `base`; its state can be saved at every iteration."""
    if level <= base:
        return run_level(problem, policy, level, iterations, key=key)
    first, policy, best = search.state or (0, policy.copy(), None)
    for i in range(first, iterations):
        new = search(problem, policy, level - 1, key.child(i))
        best = new if best is None or new.score >= best.score else best
        adapt(policy, best)
        yield i + 1, policy, best
    return best


BEAM = BeamNRPA(2, 5, polish=True)


@nestor.algorithm
def beams(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
    """Searches with polish, one after the other."""
    first, best = search.state or (0, None)
    for i in range(first, 3):
        new = run_search(problem, policy, BEAM, key=key.child(i))
        best = new if best is None or new.score > best.score else best
        yield i + 1, best
    return best


@nestor.algorithm
def sampled(search, problem, policy, level, key, *, n: int = 50, temper: float | None = None):  # type: ignore[no-untyped-def]
    """Playouts, without a state."""
    return playout(problem, policy, n, key=key)


@nestor.algorithm
def from_initial(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
    """Adapt to what is given."""
    policy = policy.copy()
    if search.initial is not None:
        adapt(policy, search.initial)
    found = run_level(problem, policy, level, 5, key=key)
    return max(found, search.best, key=lambda each: each.score)


def facts(result: Any) -> Any:
    """Return what a budget of playouts determines."""
    found = [(each.playouts, each.score, each.job, each.level) for each in result.improvements]
    return result.score, result.moves, result.playouts, result.stop_reason, found


@pytest.mark.parametrize(
    "problem",
    [BOARD, small_tsptw(), SameGame(SMALL_BOARD), Subset()],
    ids=lambda p: type(p).__name__,
)
@pytest.mark.parametrize("base", [0, 2])
def test_nrpa_is_that_of_the_core(problem: Any, base: int) -> None:
    own, core = nrpa(3, iterations=5, base=base), NRPA(3, 5)
    for budget in ({}, {"playouts": 77}, {"playouts": 300, "jobs": 2}, {"target": 24.0}):
        if "target" in budget and problem is not BOARD:
            continue
        ours, theirs = (solve(problem, each, seed=3, **budget) for each in (own, core))
        levels = (
            [(*each[:3],) for each in facts(ours)[4]],
            [(*each[:3],) for each in facts(theirs)[4]],
        )
        assert facts(ours)[:4] == facts(theirs)[:4]
        assert levels[0] == levels[1]
        assert ours.verified


@pytest.mark.parametrize("problem", [BOARD, Subset()], ids=["native", "own"])
def test_a_run_goes_on_from_any_playout(problem: Any, tmp_path: Path) -> None:
    algorithm = nrpa(3, iterations=6, base=1)
    whole = solve(problem, algorithm, playouts=500, jobs=2, seed=5)
    path = tmp_path / "run.ckpt"
    solve(problem, algorithm, playouts=2, jobs=2, seed=5, checkpoint=path)
    for done in (3, 40, 41, 170, 300, 431, 500):
        again = nestor.resume(path, problem=problem, playouts=done)
        assert again.playouts == done
    assert facts(again) == facts(whole)
    same = solve(problem, algorithm, playouts=500, jobs=2, seed=5, checkpoint=path)
    assert facts(same)[:3] == facts(whole)[:3]


def test_states_hold_what_they_held(tmp_path: Path) -> None:
    seen = list[Any]()

    @nestor.algorithm
    def keeping(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        seen.append(search.state)
        found = playout(problem, policy, 3, key=key)
        policy.weights = {(1, 2): 0.5} if problem is subset else {7: -1e-300}
        yield {"a": [1, 2.5, None, True, "x"], "b": (policy, {"c": (found, key)})}
        return playout(problem, policy, 10, key=key)

    subset = Subset()
    for problem in (subset, BOARD):
        path, seen[:] = tmp_path / f"{type(problem).__name__}.ckpt", []
        solve(problem, keeping(), playouts=5, seed=1, checkpoint=path)
        nestor.resume(path, problem=problem, algorithm=keeping(), playouts=9)
        first, then = seen
        policy, (found, key) = then["b"][0], then["b"][1]["c"]
        assert first is None
        assert then["a"] == [1, 2.5, None, True, "x"]
        assert policy.weights == ({(1, 2): 0.5} if problem is subset else {7: -1e-300})
        assert isinstance(found, Playout)
        assert key == Key(1).child(0).child(0)
        assert found.score == playout(problem, Policy(problem), 3, key=key).score


def test_functions_without_a_state_refuse_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sampled has no state .* generator"):
        solve(BOARD, sampled(), playouts=5, checkpoint=tmp_path / "run.ckpt")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("algorithm", [BEAM, beams()], ids=["core", "own"])
def test_what_polish_evaluates_is_counted_wherever_it_runs(algorithm: Any, tmp_path: Path) -> None:
    problem, path = Crossword(WORDS, 7), tmp_path / "run.ckpt"
    asked: Any = {"jobs": 2, "seed": 1}
    whole = solve(problem, algorithm, playouts=801, threads=1, **asked)
    assert 600 < whole.evaluated < 801
    spread = solve(problem, algorithm, playouts=801, workers=Here(), **asked)
    solve(problem, algorithm, playouts=500, checkpoint=path, **asked)
    resumed = nestor.resume(path, playouts=801, algorithm=algorithm)
    assert spread.evaluated == resumed.evaluated == whole.evaluated


def test_workers_find_the_same() -> None:
    for algorithm in (nrpa(3, iterations=6), sampled(n=30)):
        for problem in (BOARD, Subset()):
            for limits in ({"playouts": 301}, {"stop": nestor.NoImprovement(playouts=120)}):
                asked: Any = {"jobs": 2, "seed": 2, **limits}
                here = solve(problem, algorithm, **asked)
                assert facts(solve(problem, algorithm, **asked, workers=Here())) == facts(here)


class Here:
    """An executor that runs everything at once, in this thread."""

    _max_workers = 1

    def submit(self, work: Any, *arguments: Any) -> Any:
        future: Any = Future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


def test_stops_and_callbacks() -> None:
    told = list[float]()
    found = solve(
        BOARD,
        nrpa(4, iterations=20),
        stop=nestor.NoImprovement(playouts=150),
        on_improvement=lambda score, solution: told.append(score),
        seed=1,
    )
    core = solve(BOARD, NRPA(4, 20), stop=nestor.NoImprovement(playouts=150), seed=1)
    assert facts(found)[:4] == facts(core)[:4]
    assert told[-1] == found.score
    ended = solve(BOARD, nrpa(8), seconds=50, callback=lambda progress: progress.playouts < 50)
    assert (ended.stop_reason, ended.playouts >= 50) == ("callback", True)
    timed = solve(BOARD, sampled(), seconds=0.2, jobs=3, threads=2)
    assert (timed.stop_reason, timed.jobs, timed.verified) == ("seconds", 3, True)


def test_it_begins_with_what_is_given() -> None:
    first = solve(BOARD, NRPA(2, 10), seed=1)
    found = solve(BOARD, from_initial(1), initial=first, seed=2)
    assert found.score >= first.score
    assert found.playouts == 6
    assert found.improvements[0].score == first.score


def test_what_was_given_is_not_lost_by_a_resume(tmp_path: Path) -> None:
    path, best = tmp_path / "run.ckpt", solve(BOARD, NRPA(3, 20), seed=1)
    started = solve(BOARD, nrpa(2), initial=best, playouts=3, seed=2, checkpoint=path)
    assert started.score == best.score
    resumed = nestor.resume(path, algorithm=nrpa(2), playouts=40)
    assert facts(resumed) == facts(solve(BOARD, nrpa(2), initial=best, playouts=40, seed=2))
    assert resumed.score == best.score


def test_biases_and_priors() -> None:
    board = SameGame(SMALL_BOARD)
    by_size = solve(board, nrpa(2, bias="size"), seed=1)
    assert facts(by_size)[:3] == facts(solve(board, nestor.GNRPA(2, 10, bias="size"), seed=1))[:3]
    prior = nestor.learn_prior([by_size])
    learned = solve(board, nrpa(2, prior=prior, smoothing=1.0), seed=1)
    core = nestor.GNRPA(2, 10, prior=prior, smoothing=1.0)
    assert facts(learned)[:3] == facts(solve(board, core, seed=1))[:3]
    assert learned.bias == "prior prior"


def test_there_is_no_bias_unless_it_is_asked_for() -> None:
    """An algorithm of one's own stands beside NRPA on the same ground."""
    board, jobs = SameGame(SMALL_BOARD), Jobs()
    for problem, name in ((board, "size"), (jobs, "short")):
        results = [
            solve(problem, each, playouts=60, seed=1)
            for each in (nrpa(2), NRPA(2, 10), nrpa(2, bias=None), nestor.GNRPA(2, 10))
        ]
        assert [each.bias for each in results] == ["none", "none", name, name]
        games = [facts(each)[:3] for each in results]
        assert games[0] == games[1] != games[2] == games[3]


def test_a_file_keeps_the_bias_that_it_recorded(tmp_path: Path) -> None:
    """Before, the setting was None by default: the bias of the problem."""
    board = SameGame(SMALL_BOARD)
    path = tmp_path / "old.json"
    solve(board, nrpa(2, bias=None), playouts=60, seed=1).save(path)
    assert json.loads(path.read_text())["algorithm"]["bias"] is None
    loaded = nestor.Result.load(path)
    assert (loaded.bias, loaded.algorithm.bias) == ("size", None)  # type: ignore[attr-defined]


def test_an_interrupt_while_functions_end_keeps_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = OwnSearch.settle

    def interrupted(search: OwnSearch) -> None:
        settle(search)
        raise KeyboardInterrupt

    monkeypatch.setattr(OwnSearch, "settle", interrupted)
    for problem in (BOARD, Subset()):
        result = solve(problem, sampled(2), playouts=9)
        assert (result.stop_reason, result.playouts) == ("interrupted", 9)


def test_a_level_below_zero_is_told() -> None:
    @nestor.algorithm
    def endless(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        return search(problem, policy, level - 1, key.child(0))

    with pytest.raises(InputError, match=r"level must not be -1: .*endless calls search"):
        solve(BOARD, endless(2), playouts=9)


def test_a_rate_of_zero_changes_nothing_and_a_score_is_read_only() -> None:
    policy = Policy(BOARD)
    played = playout(BOARD, policy, key=Key(1))
    adapt(policy, played, 0.0)
    assert set(policy.weights.values()) <= {0.0}
    with pytest.raises(AttributeError):
        played.score = 1e9  # type: ignore[misc]


GATE = threading.Event()


@nestor.algorithm
def stuck(search, problem, policy, level, key, *, first=0):  # type: ignore[no-untyped-def]
    """Play some games, then wait for what does not come."""
    for number in range(first):
        found = playout(problem, policy, key=key.child(number))
    GATE.wait()
    return found


@pytest.fixture
def _opened() -> Iterator[None]:
    """Let functions that wait come to their ends after the test."""
    yield
    GATE.set()
    GATE.clear()


HELPED = """
import functools
import nestor
from nestor.research import adapt, playout

@nestor.algorithm
def helped(search, problem, policy, level, key, *, n=5):
    memory = Memory()
    for i in range(n):
        best = playout(problem, policy, key=key, first=i)
        adapt(policy, best, rate(i))
    return memory.kept(best)

@functools.cache
def rate(i):
    return half(i)

def half(i):
    return 0.5

class Memory:
    def kept(self, best):
        return best

def other():
    return 1
"""


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("return half(i)", "return half(i + 1)", False),
        ("return 0.5", "return 0.25", False),
        ("        return best\n\ndef other", "        return  best\n\ndef other", False),
        ("return 1", "return 2", True),
        ("import functools", "import functools\nN = 3", True),
    ],
)
def test_the_digest_is_of_the_functions_of_the_module_too(
    before: str, after: str, same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for name, text in (("one", HELPED), ("two", HELPED.replace(before, after))):
        (tmp_path / f"{name}.py").write_text(text)
        kind = importlib.import_module(name).helped
        (tmp_path / f"{name}.py").write_text("# edited meanwhile")
        found.append(kind.source)
        del OWN[kind.name], sys.modules[name]
    assert HELPED.count(before) == 1
    assert (found[0] == found[1]) is same


@pytest.mark.usefixtures("_opened")
def test_a_function_that_does_not_come_back_ends_with_the_time() -> None:
    begun = time.monotonic()
    with pytest.warns(RuntimeWarning, match=r":stuck did not return .*py, line \d+, in stuck"):
        result = solve(BOARD, stuck(first=3), seconds=0.3, jobs=1)
    assert (result.stop_reason, result.playouts) == ("seconds", 3)
    with pytest.raises(InputError, match=r":stuck had made no playout .*py, line \d+, in stuck"):
        solve(BOARD, stuck(), seconds=0.3)
    assert time.monotonic() - begun < 60


def test_the_result_says_which_code_it_was(tmp_path: Path) -> None:
    found = solve(BOARD, sampled(2, n=7), playouts=9)
    data = found.to_dict()["algorithm"]
    assert data["name"] == f"{__name__}:sampled"
    assert (data["level"], data["n"], data["temper"]) == (2, 7, None)
    assert len(data["source"]) == 64
    found.save(tmp_path / "run.json")
    assert nestor.Result.load(tmp_path / "run.json").algorithm == sampled(2, n=7)
    data["source"] = "0" * 64
    other = algorithms.from_dict(data)
    assert other.to_dict() == data
    assert other.describe() == f"{__name__}:sampled, level 2, n 7, temper None"
    with pytest.raises(InputError, match="comes from a file, without its code"):
        solve(BOARD, other, playouts=1)
    with pytest.raises(InputError, match=r"the code of .* has changed since"):
        algorithms.from_dict(data, trust=True)
    assert pickle.loads(pickle.dumps(sampled(n=3))) == sampled(n=3)


def test_a_checkpoint_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.ckpt"
    solve(BOARD, nrpa(2), playouts=20, checkpoint=path)
    monkeypatch.setattr(algorithms.own, "OWN", {})
    with pytest.raises(InputError, match=r"the code of .*:nrpa is not here"):
        nestor.resume(path)
    with pytest.raises(InputError, match=r"not that of the run: level 2 there, not 3$"):
        nestor.resume(path, algorithm=nrpa(3))
    assert nestor.resume(path, algorithm=nrpa(2), playouts=30).playouts == 30
    assert nestor.resume(path, trust=True, playouts=40).playouts == 40
    monkeypatch.undo()
    with pytest.raises(InputError, match=r"differs in algorithm \(iterations 10 there, not 9\)"):
        solve(BOARD, nrpa(2, iterations=9), playouts=50, checkpoint=path)


def test_damaged_states_are_refused(tmp_path: Path) -> None:
    from nestor.runs.checkpoint import Checkpoint

    path = tmp_path / "run.ckpt"
    solve(BOARD, nrpa(3, iterations=5), playouts=60, checkpoint=path)
    good = Checkpoint.read(path)
    state = json.loads(good.jobs[0])
    assert state["calls"][0][2]["$tuple"][0] >= 1
    for place, wrong in (
        (("found", "playouts"), -1),
        (("found", "score"), "x"),
        (("calls",), [[1]]),
        (("calls",), [[3, 5, {"$playout": [[99, 99, 0]]}]]),
        (("calls",), [[3, 5, {"$policy": [[1], []]}]]),
        (("calls",), [[3, 5, {"$key": -1}]]),
        (("now",), None),
    ):
        bad = json.loads(good.jobs[0])
        *way, last = place
        part = bad
        for name in way:
            part = part[name]
        part[last] = wrong
        Checkpoint(good.asked, [json.dumps(bad).encode()], good.own).write(path)
        with pytest.raises(InputError, match=str(path)):
            nestor.resume(path)
    Checkpoint(good.asked, [b"\x80\x04K\x01."], good.own).write(path)
    with pytest.raises(InputError):
        nestor.resume(path)


def wrong(body: str) -> Any:
    """Define an algorithm from the text of its function."""
    names: dict[str, Any] = {"nestor": nestor, "playout": playout, "replay": replay}
    exec(f"def f({body}", names)
    return nestor.algorithm(names["f"])


FIVE = "search, problem, policy, level, key"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("search, problem): pass", "must begin with the parameters search, problem, policy"),
        ("problem, search, policy, level, key): pass", "must begin with the parameters"),
        ("search, problem, policy, level, *, key=1): pass", "must begin with the parameters"),
        (f"{FIVE}, patience=5): pass", r"settings stand after \*"),
        (f"{FIVE}, *rest): pass", r"settings stand after \*"),
        (f"{FIVE}, **more): pass", r"settings stand after \*"),
        (f"{FIVE}, *, patience): pass", "the setting patience must have a default"),
        (f"{FIVE}, *, a=[1]): pass", "the default of a must be a whole number"),
        (f"{FIVE}, *, a=None): pass", "the default of a must be a whole number"),
        (f"{FIVE}, *, bias=1): pass", "cannot have the name 'bias'"),
        (f"{FIVE}, *, describe=1): pass", "cannot have the name 'describe'"),
        (f"{FIVE}, *, name='x'): pass", "cannot have the name 'name'"),
        (f"{FIVE}, *, function='x'): pass", "cannot have the name 'function'"),
        (f"{FIVE}, *, source='x'): pass", "cannot have the name 'source'"),
        (f"{FIVE}, *, resumable=1): pass", "cannot have the name 'resumable'"),
        (f"{FIVE}, *, core_name='x'): pass", "cannot have the name 'core_name'"),
    ],
)
def test_wrong_signatures(body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wrong(body)


def test_settings_have_the_names_of_parameters_of_methods() -> None:
    made = wrong(f"{FIVE}, *, cls=1, self=2, args=3): pass")
    assert made(cls=4, self=5, args=6).own_settings == {"cls": 4, "self": 5, "args": 6}


def test_other_things_are_no_algorithms() -> None:
    for thing in (3, Subset, lambda search, problem, policy, level, key: None, None):
        with pytest.raises(InputError, match="must decorate a function with a name"):
            nestor.algorithm(thing)  # type: ignore[arg-type]
    for text in ("async def f(search, problem, policy, level, key): pass",):
        names: dict[str, Any] = {}
        exec(text, names)
        with pytest.raises(InputError, match="must not be async"):
            nestor.algorithm(names["f"])
    with pytest.raises(InputError, match=r"must be sampled\(...\), not the class"):
        solve(BOARD, sampled)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"m": 5}, "has no setting 'm'; it has bias, .*, level, n, temper"),
        ({"nn": 5}, r"did you mean 'n'\?"),
        ({"n": "x"}, "n must be an integer"),
        ({"n": None}, "n must be an integer"),
        ({"temper": "x"}, "temper must be a number"),
        ({"level": 0}, "level must be 1 to 20"),
        ({"bias": ("a", "b")}, "several biases need bias_learning of GNRPA"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sampled(**settings)


def test_settings_have_places_as_those_of_other_algorithms() -> None:
    assert sampled(1, 2) == sampled(level=1, n=2)
    assert nestor.ParetoNRPA(1, 400) == nestor.ParetoNRPA(level=1, iterations=400)
    with pytest.raises(InputError, match="n must be an integer"):
        sampled(1, "x")
    with pytest.raises(TypeError, match="positional argument"):
        sampled(1, 2, 0.5, 7, 8)
    assert "BatchBias" not in str(nestor.ParetoNRPA.__doc__)
    assert "-9223" not in str(nestor.ParetoNRPA.__doc__)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pass", "must return the best Playout it found, not None"),
        ("return 5", "must return the best Playout"),
        ("playout(problem, policy, key=key)", "must return the best Playout it found, not None"),
        ("return replay(other, other_moves)", "a Playout of the problem that it was given"),
        ("yield {1}; return playout(problem, policy, key=key)", "a state is made of numbers"),
        ("yield longdouble(1); return playout(problem, policy, key=key)", "Key, not .*longdouble"),
        ("yield Pair(1, 2); return playout(problem, policy, key=key)", r"plain .*, not Pair"),
        ("yield {1: 2}; return playout(problem, policy, key=key)", "keys of a dict must be texts"),
        ("yield {'$a': 2}; return playout(problem, policy, key=key)", "must be texts, without"),
        ("return kept.append(playout(problem, policy, key=key)) or kept[0]", "without a single"),
        ("return search(problem, policy, level, key, nn=3)", "unexpected keyword argument 'nn'"),
    ],
)
def test_wrong_functions(body: str, message: str) -> None:
    lines = body.replace("; ", "\n    ")
    if body.startswith("return kept"):
        lines = f"if not kept: {body[7 : body.index(' or ')]}\n    return kept[0]"
    other = SameGame(SMALL_BOARD)
    names: dict[str, Any] = {"playout": playout, "replay": replay, "other": other, "kept": []}
    names["Pair"] = namedtuple("Pair", "first second")
    names["longdouble"] = np.longdouble
    names["other_moves"] = solve(other, NRPA(1, 2), seed=1).moves
    exec(f"def f({FIVE}):\n    {lines}", names)
    with pytest.raises((InputError, TypeError), match=message):
        solve(BOARD, nestor.algorithm(names["f"])(), playouts=50)


def test_what_it_raises_reaches_the_caller() -> None:
    @nestor.algorithm
    def raising(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        playouts(problem, policy, 20, key=key)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        solve(BOARD, raising(), seconds=20, jobs=2)
    assert caught.value.nestor_result.playouts >= 20  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError, match="the fiftieth") as caught:
        solve(Failing(), sampled(), playouts=100)
    assert caught.value.nestor_result.playouts == 49  # type: ignore[attr-defined]


def test_endless_games_are_cut_off() -> None:
    with pytest.raises(
        InputError, match="empty list when the game is over, or longest is too small"
    ):
        solve(Endless(), sampled(), playouts=5, longest=50)


def test_exchange_and_strength_are_refused() -> None:
    with pytest.raises(InputError, match="of your own, and those for fronts, take nothing over"):
        solve(BOARD, sampled(), jobs=2, exchange=5, playouts=20)
    first = solve(BOARD, NRPA(1, 2)).moves
    with pytest.raises(
        InputError, match=r"initial_strength has no effect on .*: its function decides"
    ):
        solve(BOARD, from_initial(), initial=first, initial_strength=3)


def test_comparisons_have_it() -> None:
    runs = nestor.compare([BOARD], [NRPA(2, 5), nrpa(2, iterations=5)], seeds=2, playouts=50)
    assert not runs.failed
    ours, theirs = (runs.of(algorithm=name).scores for name in runs.algorithms)
    assert ours == theirs


def test_playouts_of_other_problems_do_not_count() -> None:
    other = SameGame(SMALL_BOARD)

    @nestor.algorithm
    def helped(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        run_level(other, Policy(other), 1, 5, key=key)
        return playouts(problem, Policy(problem), 4, key=key)[0]

    assert solve(BOARD, helped(), seed=1).playouts == 4
