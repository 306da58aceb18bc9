"""Workers that are processes of this machine: they change nothing but the time."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nestor import GNRPA, NRPA, InputError, Progress, Sampling, resume, solve
from nestor.problems import Morpion
from nestor.runs.elsewhere import workers
from support.outcomes import found
from support.own import Jobs


@pytest.fixture(autouse=True)
def short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have more than one segment in a short search."""
    monkeypatch.setattr(workers, "FIRST", 0.01)


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.long)])
def test_processes_find_what_threads_find(count: int, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"playouts": 6000, "jobs": 3, "seed": 5}
    alone = solve(Morpion("5D"), NRPA(3), threads=1, **settings)
    log = tmp_path / "log"
    result = solve(Morpion("5D"), NRPA(3), workers=count, log=log, **settings)
    assert found(result) == found(alone)
    assert sum(result.workers.values()) == 6000
    assert 1 <= len(result.workers) <= count
    assert len(log.read_text().splitlines()) >= len(result.improvements)


def test_the_codes_of_an_own_problem_travel() -> None:
    settings: dict[str, Any] = {"playouts": 2000, "jobs": 2, "seed": 3}
    alone = solve(Jobs(), GNRPA(2, 20), threads=1, **settings)
    assert found(solve(Jobs(), GNRPA(2, 20), workers=1, **settings)) == found(alone)


def command(pid: int) -> bytes:
    """Return the command of a process, or nothing if it has just ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_segments_run_again_if_their_process_is_killed() -> None:
    settings: dict[str, Any] = {"playouts": 10_000, "jobs": 2, "seed": 7}
    alone = solve(Morpion("5D"), NRPA(3), threads=2, **settings)
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        for child in Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}").glob("children"):
            pids = [int(pid) for pid in child.read_text().split()]
            workers = [pid for pid in pids if b"spawn_main" in command(pid)]
            if progress.playouts and not killed:
                killed.extend(workers)
                os.kill(killed[0], signal.SIGKILL)

    told = (
        r"a worker died \(SIGKILL, as happens when memory runs out\); a new process takes its place"
    )
    with pytest.warns(RuntimeWarning, match=told) as warned:
        result = solve(Morpion("5D"), NRPA(3), workers=1, callback=kill, **settings)
    assert len(warned) == 1
    assert found(result) == found(alone)
    assert len(killed) == 1
    assert len(result.workers) == 2


def test_a_run_goes_on_elsewhere(tmp_path: Path) -> None:
    """Threads, workers and other workers continue what any of them has begun."""
    path = tmp_path / "run.ckpt"
    settings: dict[str, Any] = {"jobs": 2, "seed": 4, "checkpoint": path}
    whole = solve(Jobs(), GNRPA(2, 20), playouts=2500, jobs=2, seed=4, threads=1)
    with ThreadPoolExecutor(2) as threads:
        solve(Jobs(), GNRPA(2, 20), playouts=700, workers=threads, **settings)
    resume(path, problem=Jobs(), playouts=1400, threads=1)
    assert found(resume(path, problem=Jobs(), playouts=2500, workers=1)) == found(whole)


def test_rules_that_a_process_has_from_a_file_that_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "altered.py"
    code = "from support.own import Jobs\n\nclass Altered(Jobs):\n    def score(self, state):\n"
    path.write_text(f"{code}        return super().score(state)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import altered  # type: ignore[import-not-found]

    path.write_text(f"{code}        return super().score(state) + 1\n")
    told = r"Or a worker \(.*:\d+\) has another version of altered than this process, such as one"
    with pytest.raises(InputError, match=told):
        solve(altered.Altered(), NRPA(2), playouts=50, workers=1)


def test_jobs_on_workers_take_over_sequences() -> None:
    settings: dict[str, Any] = {"playouts": 1800, "jobs": 3, "seed": 3, "exchange": 150}
    with ThreadPoolExecutor(2) as threads:
        result = solve(Morpion("4D"), NRPA(2), workers=threads, **settings)
    assert found(result) == found(solve(Morpion("4D"), NRPA(2), threads=1, **settings))
    del settings["exchange"]
    assert found(result) != found(solve(Morpion("4D"), NRPA(2), threads=1, **settings))


def test_a_time_that_is_up_before_the_workers_have_started_is_told() -> None:
    with pytest.warns(RuntimeWarning, match="to start workers takes time, which counts"):
        result = solve(Jobs(), Sampling(), seconds=0.001, workers=1)
    assert result.playouts == 1


def test_a_target_of_one_job_ends_all() -> None:
    with ThreadPoolExecutor(2) as threads:
        result = solve(Morpion("5D"), NRPA(3), seconds=600, target=60, workers=threads)
    assert result.stop_reason == "target"
    assert result.score >= 60
    assert result.jobs == 2


class SlowFirst(ThreadPoolExecutor):
    """Threads that never end the segments of job 0."""

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Start a piece of work."""
        return Future() if arguments[3] == 0 else super().submit(work, *arguments, **named)


def test_a_slow_worker_holds_up_its_own_job_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "STOPPING", 0.1)
    settings: dict[str, Any] = {"jobs": 3, "seed": 5, "seconds": 60}
    with SlowFirst(3) as threads:
        result = solve(
            Morpion("5D"),
            NRPA(3),
            workers=threads,
            callback=lambda p: p.playouts < 1000,
            **settings,
        )
    assert result.stop_reason == "callback"
    assert result.playouts == sum(result.workers.values()) >= 1000


def test_an_executor_that_is_shut_down_ends_the_run() -> None:
    threads = ThreadPoolExecutor(2)

    def shut(progress: Progress) -> None:
        if progress.playouts:
            threads.shutdown(wait=False)

    with pytest.warns(RuntimeWarning, match="the run ends early: the executor is shut down"):
        result = solve(Morpion("5D"), NRPA(3), seconds=60, workers=threads, callback=shut)
    assert result.stop_reason == "lost"
    assert result.score > 0
    with pytest.raises(InputError, match="not shut down"):
        solve(Morpion("5D"), NRPA(3), seconds=60, workers=threads)


class Vanishing(ThreadPoolExecutor):
    """An executor whose second segment ends with an error of its own."""

    calls = 0

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self.calls += 1
        if self.calls != 2:
            return super().submit(work, *arguments, **named)
        failed: Future[Any] = Future()
        failed.set_exception(OSError("node vanished"))
        return failed


def test_other_errors_of_an_executor_are_raised_with_the_best() -> None:
    with pytest.raises(OSError, match="node vanished") as caught, Vanishing(1) as executor:
        solve(Morpion("5D"), NRPA(3), playouts=10**6, workers=executor)
    assert caught.value.nestor_result.score > 0  # type: ignore[attr-defined]


class Silent(ThreadPoolExecutor):
    """An executor whose `submit` forgets to return a future."""

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Any:
        super().submit(work, *arguments, **named)


def test_what_is_wrong_with_workers_is_told() -> None:
    with pytest.raises(InputError, match=r"whose submit.. returns a Future, not None"):
        solve(Morpion("5D"), playouts=10, workers=Silent(1))
    with pytest.raises(InputError, match="without quotes, workers=2,"):
        solve(Morpion("5D"), playouts=10, workers="2")
    locked = Jobs()
    locked.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"get a copy .* threads of an executor too"):
        solve(locked, playouts=10, workers=ThreadPoolExecutor(1))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "", object(), ThreadPoolExecutor])
def test_workers_that_are_none(wrong: object) -> None:
    with pytest.raises(InputError, match="workers"):
        solve(Morpion("5D"), workers=wrong, playouts=10)
