"""A `LocalCluster` of dask whose workers are wrong, die while they send, or have a full disk."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from nestor import GNRPA, NRPA, BatchBias, InputError, ParetoNRPA, Result, solve
from nestor.problems import Morpion
from nestor.runs.elsewhere import workers
from support.outcomes import found
from support.own import Front, Subset, Together, large_moves
from support.parts import partly

distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")
resource: Any = pytest.importorskip("resource", reason="limits of a process are those of Unix")
WorkerPlugin: Any = distributed.WorkerPlugin

SETTINGS: dict[str, Any] = {"playouts": 12_000, "jobs": 3, "seed": 7}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A client of two workers, each a process with a nanny that starts it again when it dies."""
    monkeypatch.setattr(workers, "FIRST", 0.01)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    started = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        local_directory=str(tmp_path / "dask"),
        silence_logs=50,
    )
    with started as cluster, distributed.Client(cluster, set_as_default=False) as made:
        yield made


def alone() -> Result:
    return solve(Morpion("5D"), NRPA(2), threads=1, **SETTINGS)


def on_cluster(client: Any, **settings: Any) -> Result:
    return solve(Morpion("5D"), NRPA(2), workers=client, **{**SETTINGS, **settings})


def grow_old() -> None:
    """Make this worker one of an earlier version."""
    from nestor import _core

    _core.__version__ = "0.0.1"


@pytest.mark.filterwarnings("ignore:worker .* has Nestor 0.0.1")
@pytest.mark.long
def test_workers_of_another_version(client: Any) -> None:
    """The run goes on without the first; if there is no other, that is said."""
    first, second = client.scheduler_info()["workers"]
    named = r"worker .*:\d+ has Nestor 0\.0\.1, and the search"
    client.run(grow_old, workers=[first])
    with pytest.warns(RuntimeWarning, match=named):
        assert found(on_cluster(client)) == found(alone())
    client.run(grow_old, workers=[second])
    with pytest.raises(InputError, match=named):
        on_cluster(client, seed=8)  # Nobody looks twice at what was sent before.


def dies_sending(what: str, marks: str | None = None) -> None:
    """Have this worker die in the middle of sending: its data, or that a task is done.

    With a folder for marks only the first worker that leaves one there dies.
    """
    from distributed.comm.tcp import TCP

    whole = TCP.write

    def is_it(message: Any) -> bool:
        if what == "data":
            return isinstance(message, dict) and message.get("status") == "OK" and "data" in message
        parts = message if isinstance(message, (list, tuple)) else ()
        return any(isinstance(part, dict) and part.get("op") == "task-finished" for part in parts)

    async def write(comm: Any, message: Any, *rest: Any, **options: Any) -> Any:
        if is_it(message):
            mine = marks is None
            if marks is not None:
                with suppress(FileExistsError):
                    os.close(os.open(marks, os.O_CREAT | os.O_EXCL))
                    mine = True
            if mine:
                # A frame of 1,000 bytes, of which 40 come.
                await comm.stream.write((1008).to_bytes(8, "little") + (1).to_bytes(8, "little"))
                await comm.stream.write((1000).to_bytes(8, "little") + b"\0" * 40)
                os._exit(1)
        return await whole(comm, message, *rest, **options)

    TCP.write = write


class DiesSending(WorkerPlugin):  # type: ignore[misc]
    """Has each worker die in the middle of sending, also those that are started later."""

    def __init__(self, what: str) -> None:
        self.what = what

    def setup(self, worker: Any) -> None:
        dies_sending(self.what)


@pytest.mark.parametrize("what", partly(["data", "task"], "task"))
def test_a_worker_that_dies_while_it_sends(what: str, client: Any, tmp_path: Path) -> None:
    client.run(dies_sending, what, str(tmp_path / "died"))
    assert found(on_cluster(client)) == found(alone())
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize(
    ("problem", "algorithm", "settings"),
    [
        pytest.param(Together(), NRPA(2, width=8), {}, id="batches", marks=pytest.mark.long),
        pytest.param(
            *(Together(), NRPA(2, width=8), {"cache": "memory"}), id="cache", marks=pytest.mark.long
        ),
        pytest.param(Front(), ParetoNRPA(2, iterations=30), {}, id="front", marks=pytest.mark.long),
        pytest.param(
            *(Subset(), GNRPA(2, bias=BatchBias(large_moves, width=8)), {}),
            id="model",
            marks=pytest.mark.long,
        ),
    ],
)
def test_scores_and_models_where_a_worker_dies(
    problem: Any, algorithm: Any, settings: dict[str, Any], client: Any, tmp_path: Path
) -> None:
    there = {**SETTINGS, "playouts": 3000}
    client.run(dies_sending, "data", str(tmp_path / "died"))
    result = solve(problem, algorithm, workers=client, **there, **settings)
    expected = solve(problem, algorithm, threads=1, **there)
    assert found(result) == found(expected)
    fronts = [[(one.moves, one.scores) for one in each.front or ()] for each in (result, expected)]
    assert fronts[0] == fronts[1]
    assert (tmp_path / "died").exists()


@pytest.mark.long
@pytest.mark.parametrize("what", ["data", "task"])
def test_workers_that_always_die_while_they_send(what: str, client: Any) -> None:
    """The best so far is the result; if nothing has come back, that is an error."""
    best: list[float] = []
    limits = {"playouts": 10**9, "seconds": 20.0}

    def lose(progress: Any) -> None:
        if progress.playouts > 1000 and not best:
            best.append(progress.score)
            client.register_plugin(DiesSending(what))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        result = on_cluster(client, callback=lose, **limits)
    assert result.stop_reason in ("lost", "seconds")
    assert result.verified
    assert result.score >= best[0]
    with pytest.raises(InputError, match=r"died one after the other|no worker has answered"):
        on_cluster(client, **limits)


def fill_the_disk(_: Any = None) -> None:
    """From now on no file of this process has room for a byte."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


@pytest.mark.long
def test_workers_with_a_full_disk(client: Any) -> None:
    client.run(fill_the_disk)
    assert found(on_cluster(client)) == found(alone())


@pytest.mark.long
def test_a_client_with_a_full_disk(client: Any, tmp_path: Path) -> None:
    """The search goes on without its files, and they are whole as far as they go."""
    files = {"checkpoint": tmp_path / "run.ckpt", "log": tmp_path / "run.jsonl"}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, before[1]))
    try:
        with pytest.warns(RuntimeWarning) as told:
            result = on_cluster(client, checkpoint_every=0.02, **files)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = {str(each.message).split(":")[0] for each in told}
    assert said == {"no checkpoint", "the log is behind"}
    assert found(result) == found(alone())
    logged = [json.loads(line)["score"] for line in files["log"].open()]
    assert 0 < len(logged) < len(result.improvements)
    assert not files["checkpoint"].exists()
