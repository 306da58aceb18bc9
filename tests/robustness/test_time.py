"""Time: what a run does with it, what it says of it, and what it does not take for a fault."""

from __future__ import annotations

import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nestor
from nestor import NRPA, InputError, Sampling, _core
from nestor.problems import RNA, Morpion
from nestor.research import playout
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.limits import Budget, Resources
from nestor.runs.session import Limits
from nestor.solving import _start
from support.own import Chosen, Subset
from support.searching import begin, found


class Waiting(Subset):
    """Its games take long, and hardly any time of the processor, as on a busy machine."""

    def __init__(self) -> None:
        self.games = 0

    def initial(self) -> Chosen:
        self.games += 1
        return super().initial()

    def play(self, state: Chosen, move: int) -> Chosen:
        if self.games > 3:
            time.sleep(0.06)
        return super().play(state, move)


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_games_that_wait_for_the_processor_are_no_fault(elsewhere: bool, seconds: float) -> None:
    """They are cut off at the end of the time; a word is only said if the first one ends later."""
    with warnings.catch_warnings(record=True) as told, ThreadPoolExecutor(1) as threads:
        warnings.simplefilter("always")
        used = threads if elsewhere else None
        result = nestor.solve(Waiting(), Sampling(), seconds=seconds, workers=used, jobs=1)
    assert (result.stop_reason, result.verified) == ("seconds", True)
    assert all("playout" in str(each.message) for each in told)


@pytest.mark.parametrize(
    ("moves", "used", "told"),
    [(8, 0.1, False), (900, 1.9, False), (1001, 0.0, True), (0, 2.1, True), (10**6, 99.0, True)],
)
def test_only_a_game_that_is_long_is_told_of(moves: int, used: float, told: bool) -> None:
    """By its moves, or by its time of the processor."""
    asked = Setup(nestor.problems.own.adapt(Subset()), Sampling(), 0)
    run = _start(asked, Resources(threads=1, jobs=1), Budget(seconds=1), None)
    with pytest.raises(InputError, match="before the time was up, after"):
        run._cut_off(moves, False, used)
    run.search.advance(Limits(1e9, 1, 50))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert run._cut_off(moves, False, used) == "seconds"
    assert len(warned) == told


@pytest.mark.parametrize("algorithm", [None, NRPA(2)])
def test_a_game_longer_than_the_time_is_played_once_and_verified_once(algorithm: Any) -> None:
    """It is played, told as moves, and verified; the choice of the algorithm plays no other."""

    class Slow(Waiting):
        def score(self, state: Chosen) -> float:
            if self.games == 2:  # The first moves are looked at before.
                time.sleep(0.6)
            return super().score(state)

    problem = Slow()
    with pytest.warns(RuntimeWarning, match="verifying the best takes up to"):
        result = nestor.solve(problem, algorithm, seconds=0.01)
    assert (result.playouts, result.verified, problem.games) == (1, True, 4)


def late_if(workers: bool) -> Any:
    """Expect a word of playouts that come back from workers after the time."""
    return pytest.warns(match="before the first playouts came back") if workers else nullcontext()


@pytest.mark.parametrize("workers", [False, True])
def test_the_first_game_is_played_to_its_end(workers: bool) -> None:
    """However long it takes beside the budget; the later ones are cut off."""

    class Long(Waiting):
        def initial(self) -> Chosen:
            self.games = 9
            return super().initial()

    with ThreadPoolExecutor(1) as threads:
        used = threads if workers else None
        with late_if(workers):
            result = nestor.solve(Long(), Sampling(), seconds=0.01, workers=used, jobs=1)
    assert (result.playouts >= 1, result.verified) == (True, True)


class Walk:
    """Half of its games end at once, the others never; a step takes some time."""

    def __init__(self, work: int) -> None:
        self.work = work

    def initial(self) -> int:
        return 0

    def moves(self, state: int) -> list[int]:
        return [0, 1] if state < 2 else []

    def play(self, state: int, move: int) -> int:
        time.sleep(1e-9 * self.work)
        return 1 if state == 1 or move == 1 else 2

    def score(self, state: int) -> float:
        return 1.0


def compiled_walk(work: int) -> Any:
    """Return the same as a compiled class."""
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("numba")

    class Compiled:
        state = numpy.dtype([("at", "i8"), ("done", "f8")])

        def __init__(self) -> None:
            self.work = work

        def initial(self, s: Any) -> None: ...

        def moves(self, s: Any, out: Any) -> None:
            if s.at < 2:
                out.add(0)
                out.add(1)

        def play(self, s: Any, move: int) -> None:
            for i in range(self.work):
                s.done += 1 / (1 + i)
            s.at = 1 if s.at == 1 or move == 1 else 2

        def score(self, s: Any) -> Any:
            return 1.0

    return nestor.compiled(Compiled)()


@pytest.mark.parametrize("kind", [Walk, compiled_walk])
def test_games_after_the_first_are_cut_off(kind: Any) -> None:
    """However soon after it they begin."""
    problem = kind(100_000)
    nestor.solve(problem, Sampling(), playouts=1, seed=2)  # It compiles now.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        result = nestor.solve(problem, Sampling(), seconds=1, seed=2, jobs=1, longest=1_000_000)
    assert (result.playouts, result.stop_reason) == (1, "seconds")


class Rare:
    """A game that begins with eight times 1 never ends."""

    def initial(self) -> tuple[int, int]:
        return 0, 0

    def moves(self, state: tuple[int, int]) -> list[int]:
        return [0, 1] if state[0] < 14 or state[1] == 8 else []

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        if state[0] >= 14:
            time.sleep(1e-3)
        return state[0] + 1, state[1] + (move if state[0] < 8 else 0)

    def score(self, state: tuple[int, int]) -> float:
        return float(state[1])


@pytest.mark.parametrize("algorithm", [None, Sampling()])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_endless_games_end_with_the_time_and_nothing_is_lost(
    algorithm: Any, elsewhere: bool
) -> None:
    """Also while the speed is measured, and in the first segments of workers."""
    with warnings.catch_warnings(record=True) as told, ThreadPoolExecutor(1) as threads:
        warnings.simplefilter("always")
        result = nestor.solve(
            Rare(),
            algorithm,
            seconds=1,
            seed=1,
            jobs=1,
            longest=10**6,
            workers=threads if elsewhere else None,
        )
    assert (result.stop_reason, result.verified) == ("seconds", True)
    assert result.playouts > 1
    assert not any("is lost" in str(each.message) for each in told)


class After(Rare):
    """After 500 games none ends."""

    games = 0

    def initial(self) -> tuple[int, int]:
        self.games += 1
        return 0, 8 * (self.games > 500)

    def play(self, state: tuple[int, int], move: int) -> tuple[int, int]:
        return state[0] + 1, state[1]


def test_what_was_found_while_the_speed_was_measured_is_kept() -> None:
    with pytest.raises(InputError, match="did not end within 500 moves") as caught:
        nestor.solve(After(), seconds=60, seed=1, longest=500)
    assert caught.value.nestor_result.playouts > 1  # type: ignore[attr-defined]


def test_time_is_kept_for_playing_the_best_again() -> None:
    asked = Setup(nestor.problems.own.adapt(Subset()), Sampling(), 0)
    run = _start(asked, Resources(threads=1, jobs=1), Budget(seconds=100), None)
    assert run.search_seconds == 100
    run.search.advance(Limits(1e9, 1, 4))
    run = replace(run, begun=0.0, ended=20.0, searched=20.0)
    assert (run.answer_seconds, run.search_seconds) == (10.0, 90.0)
    run.warn_of_overrun()
    run = replace(run, ended=98.0, searched=98.0)
    assert run.search_seconds == 51.0
    with pytest.warns(RuntimeWarning, match="verifying the best takes up to 49"):
        run.warn_of_overrun()
    run = replace(run, ended=104.0, searched=104.0)
    with pytest.warns(RuntimeWarning, match=r"ended 4\..* interrupted; verifying .* up to 52"):
        run.warn_of_overrun()


def test_workers_that_have_answered_in_time_are_not_called_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However few playouts they have made by then."""
    asked = Setup(nestor.problems.own.adapt(Subset()), Sampling(), 0)
    run = _start(asked, Resources(threads=1, jobs=1), Budget(seconds=100), None)
    run.search.advance(Limits(1e9, 1, 1))
    monkeypatch.setattr(type(run.search), "elsewhere", True)
    run = replace(run, begun=0.0, ended=104.0, searched=104.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.warn_of_overrun()


def test_the_best_of_functions_is_played_again_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its moves are not listed for that, only at the end: the game is over."""
    asked = Setup(nestor.problems.own.adapt(nestor.Order(3, sum)), Sampling(), 0)
    run = _start(asked, Resources(threads=1, jobs=1), Budget(seconds=100), None)
    run.search.advance(Limits(1e9, 1, 4))
    run = replace(run, begun=0.0, ended=104.0, searched=104.0)
    with pytest.warns(RuntimeWarning, match="verifying the best takes up to 26.* more"):
        run.warn_of_overrun()
    moves, listed = nestor.Order.moves, list[Any]()

    def counted(order: Any, state: Any) -> Any:
        listed.append(state)
        return moves(order, state)

    monkeypatch.setattr(nestor.Order, "moves", counted)
    result = nestor.Result.of(run, "seconds")
    assert (result.verified, listed) == (True, [tuple(result.moves)])


def test_a_playout_that_takes_longer_than_the_time_is_told_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Morpion, "playout_seconds", 7200.0)
    with (
        pytest.warns(match=r"about 2 h 00 min, longer than the 1\.00 s that there are"),
        pytest.warns(match="verifying the best takes up to 2 h 00 min: longer than is left"),
    ):
        nestor.solve(Morpion("4D"), NRPA(1, 2), seconds=1, callback=lambda progress: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nestor.solve(Morpion("4D"), NRPA(1, 2), seconds=9000, callback=lambda progress: False)


def test_a_fold_looks_at_the_clock() -> None:
    """One that is given up leaves the search as it was before."""
    pytest.importorskip("RNA", reason="ViennaRNA is not installed")
    problem = RNA("(((((....))))).....(((....)))..." * 4)
    assert 0 == problem.playout_seconds < RNA("(((((....)))))" * 90).playout_seconds
    whole, cut = (begin(problem, NRPA(2, 5)) for _ in range(2))
    whole.advance(Limits(1e9, 1, 9))
    for playouts in (3, 6, 9):
        with pytest.raises(_core.CutOffError):
            cut.advance(Limits(1e9, 1, playouts, cut=0.0))
        cut.advance(Limits(1e9, 1, playouts))
    assert found(cut) == found(whole)


def test_a_search_of_rna_ends_with_its_time() -> None:
    """In the middle of a fold, of which nothing is said."""
    pytest.importorskip("RNA", reason="ViennaRNA is not installed")
    problem = RNA("(((((....))))).....(((....)))..." * 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = nestor.solve(problem, NRPA(2), seconds=0.05, threads=1, jobs=1)
    assert (result.stop_reason, result.verified) == ("seconds", True)


class Wide:
    """A compiled class with many moves, whose games take long in Python."""

    state = np.dtype([("played", "i8")])

    def initial(self, s: Any) -> None:
        s.played = 0

    def moves(self, s: Any, out: Any) -> None:
        if s.played < 1000:
            for i in range(50):
                out.add(i, 50 * s.played + i)

    def play(self, s: Any, i: int) -> None:
        s.played += 1

    def score(self, s: Any) -> float:
        return s.played * 1.0  # type: ignore[no-any-return]


def test_a_trial_looks_at_the_clock_in_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="needs the extra compiled")
    from nestor.foreign import trial
    from nestor.foreign.twin import Twin

    states, listed = [0], Twin.listed

    def counted(twin: Twin, state: bytes) -> Any:
        states[0] += 1
        return listed(twin, state)

    monkeypatch.setattr("time.process_time", lambda: 0.5 * states[0])
    monkeypatch.setattr(Twin, "listed", counted)
    problem: Any = nestor.compiled(Wide)()
    trial.try_out("wide", problem.twin, problem._open(False), False)
    assert states[0] <= 2 * (trial.SECONDS / 0.5 + 2)


def test_the_time_before_the_search_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling and the trial are the first calls of a compiled class."""
    pytest.importorskip("numba", reason="needs the extra compiled")
    monkeypatch.setenv("NESTOR_CACHE", str(tmp_path))
    problem: Any = nestor.compiled(Wide)()
    module = sys.modules["nestor.foreign.compiled"]

    def slow(*_: object) -> float:
        time.sleep(0.3)
        return 0.0

    monkeypatch.setattr(module, "try_out", slow)
    with pytest.warns(match="which leaves 0.0 s of the 0.2 s for the search"):
        result = nestor.solve(problem, NRPA(1, 5), seconds=0.2, threads=1, jobs=1)
    assert result.seconds >= 0.3
    assert (result.playouts, result.stop_reason) == (1, "seconds")


@pytest.mark.parametrize("workers", [False, True])
@pytest.mark.parametrize("name", ["plain", "yielding"])
def test_an_own_algorithm_may_prepare_for_long(name: str, workers: bool) -> None:
    """However long it prepares for that, and whether its state can be saved or not."""

    def plain(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        time.sleep(0.5)
        return playout(problem, policy, key=key)

    def yielding(search, problem, policy, level, key):  # type: ignore[no-untyped-def]
        time.sleep(0.5)
        found = playout(problem, policy, key=key)
        yield 1
        return found

    algorithm: Any = nestor.algorithm(plain if name == "plain" else yielding)
    with ThreadPoolExecutor(1) as threads:
        used = threads if workers else None
        with late_if(workers):
            result = nestor.solve(Morpion("4D"), algorithm(), seconds=0.01, jobs=1, workers=used)
    assert (result.stop_reason, result.verified) == ("seconds", True)
    assert result.playouts >= 1
