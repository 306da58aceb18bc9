"""`compare` makes every run once, records failures, and refuses what makes no sense."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nestor
from nestor import GNRPA, NRPA, InputError, Prior, Race, Runs, Sampling, compare
from nestor.comparison import store
from nestor.comparison.row import Row, key_of
from nestor.problems import Kakuro, LatinSquare, Morpion, SameGame
from nestor.research import playout
from support.instances import small_tsptw
from support.own import Subset

PROBLEMS = {"tour": small_tsptw(), "5D": Morpion("5D")}
ALGORITHMS = {"nrpa": NRPA(2, 5), "sampling": Sampling()}


class Bits:
    """As many ones as possible in eight bits; with a fault the game raises an exception."""

    calls = 0

    def __init__(self, fault: bool = False) -> None:
        self.fault = fault

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        if self.fault and len(state) > 4:
            raise RuntimeError("five bits are enough")
        return [0, 1] if len(state) < 8 else []

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        Bits.calls += 1
        return sum(state)


def here(function: Any, line: int) -> str:
    """Return how a line of a function in this file is named."""
    code = function.__code__
    return f"{Path(__file__).name}, line {code.co_firstlineno + line}, in {code.co_name}"


def test_runs_are_those_of_solve(tmp_path: Path) -> None:
    runs = compare(PROBLEMS, ALGORITHMS, seeds=2, playouts={"tour": 40, "5D": 30})
    assert len(runs) == 8
    for row in runs:
        problem, algorithm = PROBLEMS[row["problem"]], ALGORITHMS[row["algorithm"]]
        alone = nestor.solve(problem, algorithm, seed=row["seed"], playouts=row["playouts"])
        assert (row["score"], row["moves"]) == (alone.score, alone.moves)
        assert row["playouts"] == {"tour": 40, "5D": 30}[row["problem"]]
        assert row["verified"]
        assert row["shown"] == alone.show_score(alone.score)
        assert [each["score"] for each in row["improvements"]][-1] == alone.score


def test_runs_may_have_several_jobs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    given: dict[str, Any] = {"seeds": [3], "playouts": 40, "save": path}
    (row,) = compare({"5D": Morpion("5D")}, {"nrpa": NRPA(2, 5)}, jobs=4, **given)
    assert (
        row["moves"] == nestor.solve(Morpion("5D"), NRPA(2, 5), seed=3, playouts=40, jobs=4).moves
    )
    with pytest.raises(InputError, match="budget of 5D, nrpa"):
        compare({"5D": Morpion("5D")}, {"nrpa": NRPA(2, 5)}, **given)


def test_a_run_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    kept: dict[str, Any] = {"playouts": 20, "save": path}
    first = compare({"bits": Bits()}, ALGORITHMS, seeds=3, **kept)
    lines, calls = path.read_bytes(), Bits.calls
    assert list(compare({"bits": Bits()}, ALGORITHMS, seeds=3, **kept)) == list(
        json.loads(json.dumps(list(first)))
    )
    replayed = 6  # once each: no digest tells the instance
    assert (path.read_bytes(), Bits.calls) == (lines, calls + replayed)
    more = compare({"bits": Bits()}, ALGORITHMS, seeds=4, **kept)
    assert len(more) == 8
    assert path.read_bytes().startswith(lines)
    assert len(path.read_bytes().splitlines()) == 8


class Weighted(Bits):
    """Ones have weights, which neither a digest nor the class tells."""

    def __init__(self, *weights: int) -> None:
        super().__init__()
        self.weights = weights

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [0, 1] if len(state) < len(self.weights) else []

    def score(self, state: tuple[int, ...]) -> float:
        return sum(weight for weight, bit in zip(self.weights, state, strict=True) if bit)


@pytest.mark.parametrize(
    "other",
    [Weighted(1, 2, 3, 5), Weighted(1, 2, 3), Weighted()],
    ids=["weights", "shorter", "none"],
)
def test_runs_of_another_instance_without_a_digest_are_refused(
    tmp_path: Path, other: Weighted
) -> None:
    path = tmp_path / "runs.jsonl"
    kept: dict[str, Any] = {"seeds": 2, "playouts": 20, "save": path}
    compare({"own": Weighted(1, 2, 3, 4)}, {"sampling": Sampling()}, **kept)
    lines = path.read_bytes()
    assert len(compare({"own": Weighted(1, 2, 3, 4)}, {"sampling": Sampling()}, **kept)) == 2
    with pytest.raises(InputError, match="another comparison: the moves of own, sampling, seed 0"):
        compare({"own": other}, {"sampling": Sampling()}, **kept)
    assert path.read_bytes() == lines


def test_a_torn_last_line_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    kept: dict[str, Any] = {"seeds": 3, "playouts": 20, "save": path}
    whole = compare({"bits": Bits()}, ALGORITHMS, **kept)
    path.write_bytes(path.read_bytes()[:-30])
    again = compare({"bits": Bits()}, ALGORITHMS, **kept)
    assert [row["moves"] for row in again] == [row["moves"] for row in whole]
    assert len(Runs.load(path)) == 6


@pytest.mark.parametrize("text", ["my only line", '{"my": "data"}', '{"problem": 1}\nmine'])
def test_a_file_of_other_text_is_not_lost(text: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="not a file of runs"):
        compare({"bits": Bits()}, ALGORITHMS, seeds=1, playouts=20, save=path)
    assert path.read_text() == text


def test_a_last_row_without_a_new_line_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    kept: dict[str, Any] = {"seeds": 3, "playouts": 20, "save": path}
    whole = compare({"bits": Bits()}, ALGORITHMS, **kept)
    rows = [json.dumps(json.loads(line), separators=(",", ":")) for line in path.open()]
    path.write_text("\n".join(rows))
    assert [*compare({"bits": Bits()}, ALGORITHMS, **kept)] == [*whole]
    assert path.read_text().split("\n") == [*rows, ""]


def test_a_failed_run_is_recorded_and_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    kept: dict[str, Any] = {"seeds": 2, "playouts": 20, "save": path}
    faulty = compare({"bits": Bits(), "faulty": Bits(fault=True)}, ALGORITHMS, **kept)
    assert [row["problem"] for row in faulty.failed] == ["faulty"] * 4
    assert (
        faulty.failed[0]["error"] == f"RuntimeError: five bits are enough ({here(Bits.moves, 2)})"
    )
    assert "4 failed" in repr(faulty)
    mended = compare({"bits": Bits(), "faulty": Bits()}, ALGORITHMS, **kept)
    assert mended.failed == []
    assert Runs.load(path).failed == []


class Imaginary(Bits):
    """Its moves are complex numbers, which JSON does not have."""

    def moves(self, state: tuple[Any, ...]) -> list[Any]:
        return [1j * bit for bit in super().moves(state)]

    def score(self, state: tuple[Any, ...]) -> float:
        return float(len(state))


class Hopeless(Bits):
    """No game is worth anything."""

    def score(self, state: tuple[int, ...]) -> float:
        return -math.inf


def test_a_run_without_a_json_form_has_failed_if_it_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    problems = {"hopeless": Hopeless(), "bits": Bits()}
    given: dict[str, Any] = {"seeds": 1, "playouts": 5}
    alone = compare(problems, {"nrpa": NRPA(2, 5)}, **given)
    assert alone.failed == []
    runs = compare(problems, {"nrpa": NRPA(2, 5)}, save=path, **given)
    hopeless, bits = runs
    assert hopeless["error"] == "score cannot be saved: -inf has no JSON form"
    assert hopeless["score"] is hopeless["moves"] is None
    assert hopeless["seconds"] > 0
    assert bits["moves"] == alone[1]["moves"]
    assert list(Runs.load(path)) == list(runs)


def test_moves_without_a_json_form_are_refused_before_the_first_run(tmp_path: Path) -> None:
    class Later(Imaginary):
        """Only its later moves are complex."""

        def moves(self, state: tuple[Any, ...]) -> list[Any]:
            return super().moves(state) if state else Bits.moves(self, state)

    path = tmp_path / "runs.jsonl"
    given: dict[str, Any] = {"algorithms": {"nrpa": NRPA(2, 5)}, "seeds": 1, "playouts": 5}
    assert compare({"imaginary": Imaginary()}, **given).failed == []
    with pytest.raises(
        InputError, match=r"save: imaginary: files and JSON need moves of .*a complex has"
    ):
        compare({"bits": Bits(), "imaginary": Imaginary()}, save=path, **given)
    assert not path.exists()
    (later,) = compare({"later": Later()}, save=path, **given)
    assert later["error"].startswith("moves cannot be saved: [")


def test_ctrl_c_returns_the_complete_runs(tmp_path: Path) -> None:
    class Stopping(Bits):
        def score(self, state: tuple[int, ...]) -> float:
            if Bits.calls >= 70:
                raise KeyboardInterrupt
            return super().score(state)

    Bits.calls = 0
    path = tmp_path / "runs"
    for save, said in ((None, "with save, the same call"), (path, f"they are in {path}, and the")):
        with pytest.warns(RuntimeWarning, match=f"interrupted after 2 of 10 runs: {said}"):
            runs = compare({"bits": Stopping()}, ALGORITHMS, seeds=5, playouts=30, save=save)
        assert len(runs) == 2
        assert runs.interrupted
        Bits.calls = 0
    assert not Runs([*runs], runs.unmade, lost=True).interrupted


@pytest.mark.filterwarnings("error:interrupted after")
@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_an_exception_that_ends_a_comparison_has_its_runs(
    end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def appending(path: Path | None) -> Iterator[Callable[[Row], Row]]:
        def appended(row: Row) -> Row:
            if row["seed"]:
                raise end
            return row

        yield appended

    monkeypatch.setattr(store, "appending", appending)
    with pytest.raises((RuntimeWarning, SystemExit)) as raised:
        compare({"bits": Bits()}, ALGORITHMS, seeds=3, playouts=9)
    runs = raised.value.nestor_result  # type: ignore[attr-defined]
    assert [row["seed"] for row in runs] == [0, 0]
    assert (runs.interrupted, len(runs.unmade)) == (True, 4)
    assert "nestor_result" in raised.value.__notes__[-1]


def test_runs_are_made_seed_by_seed(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = compare(PROBLEMS, ALGORITHMS, seeds=[4, 2], playouts=5, save=path)
    made = [json.loads(line)["seed"] for line in path.read_text().splitlines()]
    assert made == [4] * 4 + [2] * 4
    for each in (runs, Runs.load(path)):
        assert [row["seed"] for row in each] == [4, 2] * 4


def test_ctrl_c_loses_no_run_that_is_in_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may come when a line has been written, and before anything else."""
    appending = store.appending

    @contextmanager
    def interrupted(path: Path | None) -> Iterator[Callable[[Row], Row]]:
        with appending(path) as append:

            def appended(row: Row) -> Row:
                append(row)
                raise KeyboardInterrupt

            yield appended

    monkeypatch.setattr(store, "appending", interrupted)
    with pytest.warns(RuntimeWarning, match="interrupted after 1 of 10 runs"):
        runs = compare({"bits": Bits()}, ALGORITHMS, seeds=5, playouts=30, save=tmp_path / "runs")
    assert [*runs] == [*Runs.load(tmp_path / "runs")]
    assert (len(runs), runs.interrupted) == (1, True)


class Deadly(Bits):
    """A game whose process dies."""

    def score(self, state: tuple[int, ...]) -> float:
        os._exit(1)


def test_workers_make_the_same_runs() -> None:
    here = compare(PROBLEMS, ALGORITHMS, seeds=2, playouts=30)
    with ThreadPoolExecutor(2) as threads:
        for workers in (2, threads):
            there = compare(PROBLEMS, ALGORITHMS, seeds=2, playouts=30, workers=workers)
            assert [row["moves"] for row in there] == [row["moves"] for row in here]


def test_a_file_has_the_order_of_the_call(tmp_path: Path) -> None:
    """Also if runs end in another one, as on workers."""
    path, given = tmp_path / "runs.jsonl", {"seeds": 2, "playouts": 9}
    runs = compare(PROBLEMS, ALGORITHMS, save=path, **given)  # type: ignore[arg-type]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(reversed(lines)))
    assert [*map(key_of, Runs.load(path))] == [*map(key_of, runs)]
    older = [{name: row[name] for name in row if name != "place"} for row in runs]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in older))
    assert [*map(key_of, Runs.load(path))] == [*map(key_of, older)]


def test_workers_take_isolated_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"seeds": 1, "playouts": 20}
    here = compare({"bits": Bits()}, {"nrpa": NRPA(2, 5)}, **given)
    monkeypatch.setattr("nestor.problems.own.OwnProblem.isolated", True)
    with ThreadPoolExecutor(1) as threads:
        (row,) = compare({"bits": Bits()}, {"nrpa": NRPA(2, 5)}, workers=threads, **given)
    assert (row["error"], row["moves"]) == (None, here[0]["moves"])


@pytest.mark.parametrize("isolated", [False, True])
def test_what_takes_long_before_a_search_is_outside_of_the_time_of_a_run(
    isolated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But an isolated problem is prepared nowhere but in the process of its search."""
    seen: list[str] = []

    def note(what: str, value: Any) -> Any:
        seen.append(what)
        return value

    monkeypatch.setattr("nestor.comparison.row.cpu_seconds", partial(note, "clock", 0.0))
    prepare = partial(note, "prepared", "")
    monkeypatch.setattr("nestor.problems.own.OwnProblem.prepare", lambda problem: prepare())
    monkeypatch.setattr("nestor.problems.own.OwnProblem.isolated", isolated)
    (row,) = compare({"bits": Bits()}, {"nrpa": NRPA(2, 5)}, seeds=1, playouts=20)
    assert row["error"] is None
    assert seen[:2] == (["clock", "clock"] if isolated else ["prepared", "clock"])


def test_what_cannot_be_prepared_is_a_failed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(problem: Any) -> str:
        raise InputError("no such rules")

    monkeypatch.setattr("nestor.problems.own.OwnProblem.prepare", refuse)
    (row,) = compare({"bits": Bits()}, {"nrpa": NRPA(2, 5)}, seeds=1, playouts=20)
    assert row["error"].startswith("InputError: no such rules")


def test_lost_workers_end_a_comparison_with_what_is_complete() -> None:
    class Broken(ThreadPoolExecutor):
        left = 3

        def submit(self, *arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise BrokenExecutor("no more")
            return super().submit(*arguments, **named)

    with Broken(1) as workers, pytest.warns(RuntimeWarning, match="ends early: .*no more"):
        runs = compare(PROBLEMS, ALGORITHMS, seeds=2, playouts=30, workers=workers)
    assert (len(runs), runs.missing, runs.lost) == (3, 5, True)


def test_an_executor_that_is_shut_down_in_the_middle_ends_a_comparison() -> None:
    class Ending(ThreadPoolExecutor):
        """Its third call is cancelled, as by a shutdown while it waits."""

        left = 3

        def submit(self, *arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left:
                return super().submit(*arguments, **named)
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with Ending(1) as workers, pytest.warns(RuntimeWarning, match="early: .*cannot be reached"):
        runs = compare(PROBLEMS, ALGORITHMS, seeds=2, playouts=30, workers=workers)
    assert (len(runs), runs.missing, runs.lost) == (2, 6, True)


def test_a_process_that_cannot_be_started_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", none)
    given: dict[str, Any] = {"seeds": 1, "playouts": 5, "save": tmp_path / "runs.jsonl"}
    with pytest.warns(RuntimeWarning, match="no process can be started: Resource temporarily"):
        runs = compare(PROBLEMS, ALGORITHMS, workers=2, **given)
    assert (len(runs), runs.missing, runs.lost) == (0, 4, True)
    assert str(runs).splitlines()[-2:] == ["Missing: tour, all 2 runs", "Missing: 5D, all 2 runs"]


def test_a_file_that_cannot_be_written_in_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def fileno(self) -> int:
            return 99

        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    path, opened = tmp_path / "runs.jsonl", Path.open
    compare(PROBLEMS, ALGORITHMS, seeds=1, playouts=5, save=path)

    def full(path: Path, mode: str = "r", *arguments: Any) -> Any:
        return io.BufferedWriter(Full()) if mode == "ab" else opened(path, mode, *arguments)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(InputError, match=r"cannot write .*runs.jsonl: No space left") as caught:
        compare(PROBLEMS, ALGORITHMS, seeds=2, playouts=5, save=path)
    assert len(caught.value.nestor_result) == len(PROBLEMS) * len(ALGORITHMS)  # type: ignore[attr-defined]


class Signalled(Bits):
    """The program is told to end in a game."""

    def score(self, state: Any) -> Any:
        signal.raise_signal(signal.SIGTERM)
        return super().score(state)


def test_a_handler_of_the_program_ends_it() -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    try:
        with pytest.raises(SystemExit) as caught:
            compare({"bits": Signalled()}, {"nrpa": NRPA(1, 5)}, seeds=2, playouts=20)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert caught.value.code == 3


def test_a_run_that_kills_its_workers_does_not_end_the_others() -> None:
    problems = {"bits": Bits(), "deadly": Deadly()}
    with pytest.warns(RuntimeWarning, match=r"a worker died \(exit code 1\)"):
        runs = compare(problems, {"nrpa": NRPA(2, 5)}, seeds=1, playouts=20, workers=2)
    assert [row["error"] for row in runs] == [None, "3 workers have died one after the other"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workers": 0}, "workers must be"),
        ({"workers": [2]}, "workers must be a number of processes"),
        ({"problems": {}}, "problems must not be empty"),
        ({"algorithms": []}, "algorithms must not be empty"),
        ({"algorithms": [NRPA(2), NRPA(2)]}, "there are 2 of 'nrpa'"),
        ({"problems": [Morpion("5D"), Morpion("5D")]}, "problems must have different names"),
        ({"problems": {"a": 3}}, "problems, a: problem must have the methods"),
        (
            {"problems": Morpion("4D")},
            r"problems must be a list, .*; write \[...\] around a single one",
        ),
        ({"problems": [[Morpion("5D")]]}, "a family needs a name"),
        ({"problems": {"a": {"b": Morpion("5D"), "c": Morpion("5D")}}}, "b and c are the same"),
        (
            {"algorithms": {"a": "nrpa"}},
            r"algorithms, a: .*must be Algorithms such as nestor\.NRPA\(\)",
        ),
        ({"algorithms": {"": NRPA()}}, "a name in algorithms"),
        ({"seeds": []}, "at least one seed"),
        ({"seeds": 0}, "seeds must be 1 to"),
        ({"seeds": [1, 1]}, "different from each other"),
        ({"seeds": [-1]}, "seed must be"),
        ({"seeds": "3"}, "seeds must be a sequence"),
        ({"seeds": float("nan")}, "seeds must be"),
        ({"playouts": None}, "a budget for tour: playouts or seconds"),
        ({"playouts": {"tour": 5}}, "a budget for 5D"),
        ({"playouts": {"5T": 5}}, "names '5T', which is none"),
        ({"playouts": {"tour": 5, "5D": 5, "5T": 5}}, "names '5T', which is none"),
        ({"playouts": 0}, "playouts must be"),
        ({"seconds": -1}, "seconds must be"),
        ({"threads": 0}, "threads must be"),
        ({"jobs": 0}, "jobs must be"),
        ({"save": 3}, "save must be a path"),
        ({"progress": "yes"}, "progress must be True or False"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    given = {"problems": PROBLEMS, "algorithms": ALGORITHMS, "playouts": 5, **change}
    with pytest.raises(InputError, match=message):
        compare(given.pop("problems"), given.pop("algorithms"), **given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"playouts": 6}, "of another comparison: budget of tour, nrpa: playouts 5 there, not 6$"),
        (
            {"algorithms": {"nrpa": GNRPA(2, 5)}},
            "settings of tour, nrpa: name 'nrpa' there, not 'gnrpa'$",
        ),
        (
            {"problems": {"tour": Morpion("5T")}},
            "of another comparison: instance of tour, nrpa: another one there$",
        ),
        (
            {"problems": {"a": Morpion("5T")}, "algorithms": {"b": NRPA()}},
            "none of its problems and algorithms is here",
        ),
    ],
)
def test_a_file_of_another_comparison(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    compare({"tour": small_tsptw()}, ALGORITHMS, seeds=1, playouts=5, save=path)
    before = path.read_bytes()
    given = {"problems": {"tour": small_tsptw()}, "algorithms": ALGORITHMS, "playouts": 5, **change}
    with pytest.raises(InputError, match=message):
        compare(given.pop("problems"), given.pop("algorithms"), seeds=1, save=path, **given)
    assert path.read_bytes() == before


@pytest.mark.parametrize("algorithm", [GNRPA(2, 5), nestor.Auto()])
@pytest.mark.parametrize("playouts", [20, 8000])  # From 2,001 on, Auto races a beam without it.
def test_a_file_of_runs_with_another_bias(
    playouts: int, algorithm: nestor.Algorithm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: Any = {"playouts": playouts, "save": tmp_path / "runs"}

    def made(seeds: int) -> Runs:
        # With a fault no run has a result, nor a bias in the file.
        problems = {"bits": Bits(), "faulty": Bits(fault=True)}
        return compare(problems, {"own": algorithm}, seeds=seeds, **given)

    with monkeypatch.context() as patch:
        patch.setattr(Bits, "bias", lambda *_: 0.5, raising=False)
        biased = made(1)
        assert len(made(2)) == 4
    before = (tmp_path / "runs").read_bytes()
    with pytest.raises(InputError, match=r"bias of bits, own: 'bias.*' there, not 'none'$"):
        made(3)
    assert (tmp_path / "runs").read_bytes() == before
    assert biased.of("bits").of(algorithm="own")[0]["bias"].startswith("bias")
    plain: Any = {"save": tmp_path / "plain", "playouts": playouts}
    compare({"bits": Bits()}, {"own": algorithm}, seeds=1, **plain)
    monkeypatch.setattr(Bits, "bias", lambda *_: 0.5, raising=False)
    with pytest.raises(InputError, match=r"bias of bits, own: 'none' there, not 'bias'$"):
        compare({"bits": Bits()}, {"own": algorithm}, seeds=2, **plain)


def test_a_file_of_runs_goes_on_where_variants_with_biases_of_their_own_race(
    tmp_path: Path,
) -> None:
    board = SameGame(["12341", "23412", "34123", "41234"])
    given: Any = {"playouts": 9000, "save": tmp_path / "runs"}
    compare({"board": board}, {"auto": nestor.Auto()}, seeds=1, **given)
    assert len(compare({"board": board}, {"auto": nestor.Auto()}, seeds=2, **given)) == 2


@nestor.algorithm
def changed(search, problem, policy, level, key, *, decay=1.0):  # type: ignore[no-untyped-def]
    """Play once."""
    return playout(problem, policy, key=key)


def test_runs_of_another_setting_or_another_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: Any = {"seeds": 1, "playouts": 5, "save": tmp_path / "runs"}
    compare({"tour": small_tsptw()}, {"own": changed(decay=0.9)}, **given)
    with pytest.raises(InputError, match=r"settings of tour, own: decay 0.9 there, not 0.8$"):
        compare({"tour": small_tsptw()}, {"own": changed(decay=0.8)}, **given)
    monkeypatch.setattr(changed, "source", "0" * 64)
    with pytest.raises(InputError, match=r"own: the code of the algorithm has changed since$"):
        compare({"tour": small_tsptw()}, {"own": changed(decay=0.9)}, **given)


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: Race((one, NRPA(2, 5)))])
def test_a_file_of_runs_with_another_prior(wrap: Callable[[Any], Any], tmp_path: Path) -> None:
    """Priors of one name are told apart by what they count."""
    first, second = (Prior("tsptw", {1: (count, 9)}) for count in (2, 3))

    def made(prior: Prior | str) -> Runs:
        algorithms = {"gnrpa": wrap(GNRPA(2, 5, prior=prior)), "nrpa": NRPA(2, 5)}
        given: dict[str, Any] = {"seeds": 1, "playouts": 5, "save": tmp_path / "runs"}
        return compare({"tour": small_tsptw()}, algorithms, **given)

    runs = made(first)
    assert runs.failed == []
    assert ["prior" in row for row in runs] == [True, False]
    before = (tmp_path / "runs").read_bytes()
    assert made(Prior("tsptw", {1: (2, 9)})).scores == runs.scores
    with pytest.raises(InputError, match="of another comparison: prior of tour, gnrpa: "):
        made(second)
    assert (tmp_path / "runs").read_bytes() == before


def test_the_file_of_a_prior_may_change(tmp_path: Path) -> None:
    path = tmp_path / "prior.json"
    algorithm = GNRPA(2, 5, prior=str(path))
    with pytest.raises(InputError, match="no prior file"):
        compare([small_tsptw()], [algorithm], seeds=1, playouts=5)
    digests = []
    for count in (2, 3):
        Prior("tsptw", {1: (count, 9)}).save(path)
        digests.append(algorithm.prior_digest)
    assert len({None, *digests}) == 3


def test_priors_that_need_no_digest_or_have_none() -> None:
    assert GNRPA(2, 5, prior="latin_square_20").prior_digest is None
    own = GNRPA(2, 5, prior=Prior("own:Sets", {frozenset([1]): (1, 2)}))
    assert own.prior_digest is None
    assert Race((NRPA(2, 5), Sampling())).prior_digest is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row[:-1] + ',"x":}', "runs:2:1: not JSON"),
        (lambda row: "[]", "the top level must be an object"),
        (lambda row: row.replace('"error"', '"erro"'), "runs:2: .*error is missing"),
        (
            lambda row: row.replace('"seed": 0', '"seed": true'),
            "runs:2: .*seed must be an integer, not True",
        ),
        (lambda row: row.replace('"improvements": [{', '"improvements": [3, {'), "runs:2: "),
        (lambda row: "\udcff", "not UTF-8"),
    ],
)
def test_a_damaged_line(change: Callable[[str], str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "runs"
    compare({"tour": small_tsptw()}, ALGORITHMS, seeds=1, playouts=5, save=path)
    first, second = path.read_text().splitlines()
    text = f"{first}\n{change(second)}\n"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=message):
        Runs.load(path)


def test_the_error_of_a_row_names_no_attribute_of_an_exception() -> None:
    class Late(Bits):
        def score(self, state: tuple[int, ...]) -> float:
            if sum(state) > 5:
                error = RuntimeError("late")
                error.add_note("as it must be")
                raise error
            return sum(state)

    (row,) = compare({"late": Late()}, {"sampling": Sampling()}, seeds=1, playouts=500)
    assert row["error"] == f"RuntimeError: late\nas it must be ({here(Late.score, 4)})"


class Wild(Subset):
    def variants(self) -> Any:
        raise ZeroDivisionError("wild")


def test_an_algorithm_that_does_not_go_with_a_problem_is_refused_at_once(tmp_path: Path) -> None:
    problems = {"square": LatinSquare.generate(4, 0.5, seed=1), "5D": Morpion("5D")}
    algorithms = {"auto": nestor.Auto(), "rules": nestor.Counterexamples()}
    path = tmp_path / "runs.jsonl"
    for given in (algorithms, {"raced": nestor.Race([NRPA(2, 5), nestor.Counterexamples()], 10)}):
        with pytest.raises(InputError, match=r"(rules|raced) cannot run on 5D: .* not"):
            compare(problems, given, seeds=2, playouts=20, save=path)
    assert not path.exists()
    wild = compare({"wild": Wild()}, {"raced": Race([NRPA(2, 5)], 10)}, seeds=1, playouts=20)
    assert [row["error"] for row in wild.failed] == [
        f"ZeroDivisionError: wild ({here(Wild.variants, 1)})"
    ]
    with pytest.raises(InputError, match="fronts cannot run on square: ParetoNRPA is for problems"):
        compare(problems, {"fronts": nestor.ParetoNRPA()}, seeds=2, playouts=20)
    del problems["5D"]
    assert compare(problems, algorithms, seeds=2, playouts=20).failed == []


def test_a_file_from_before_a_setting_was_added_or_renamed_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    given: Any = {"seeds": 2, "playouts": 30, "save": path}
    algorithms: Any = {"gnrpa": GNRPA(2, 5), "nmcs": nestor.NMCS(1)}
    whole = nestor.compare([Morpion("4D")], algorithms, **given)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        row["settings"].pop("force_explore", None)
        if "playout_policy" in row["settings"]:
            row["settings"]["policy"] = row["settings"].pop("playout_policy")
        else:
            row["settings"]["pool"] = 4
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = path.read_bytes()
    again = nestor.compare([Morpion("4D")], algorithms, **given)
    assert path.read_bytes() == before, "a run was made again"
    assert [row["score"] for row in again] == [row["score"] for row in whole]
    other: Any = {"gnrpa": GNRPA(2, 5, force_explore=True)}
    with pytest.raises(InputError, match="of another comparison: settings of"):
        nestor.compare([Morpion("4D")], other, **given)


def test_one_algorithm_on_several_problems_is_one_table() -> None:
    subsets = {"short": Subset(), "long": Subset()}
    told = str(compare(subsets, [Sampling()], seeds=2, playouts=9)).splitlines()
    assert [line.split()[0] for line in told[:4]] == ["sampling", "median", "short", "long"]
    assert told[4:] == ["", "Medians, quartiles and best scores."]


def test_the_table_of_a_batch_says_what_is_not_solved() -> None:
    squares: dict[str, Any] = {"small": LatinSquare.generate(2, 0.5, seed=1)}
    squares |= {f"large{n}": Kakuro.generate(5, 9, seed=n, pruning=False) for n in range(6)}
    runs = compare(squares, [Sampling()], seeds=2, playouts=9)
    assert not any(runs.of("large0").frame()["solved"])
    for text in (str(runs), runs.table().markdown()):
        told = " ".join(text.splitlines())
        assert "Not solved: 12 of 14 runs, of large0, large1, large2, large3, large4, ..." in told
    assert "Not solved" not in str(runs.of("small"))
    assert "Not solved" not in str(runs.at(playouts=5))
    two = compare(squares, [Sampling(), NRPA(1, 5)], seeds=1, playouts=9)
    assert "Not solved" not in str(two)
