"""A dask cluster of separate processes: whatever happens to it, a run finds the same."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from nestor import NRPA, InputError, Progress, compare, resume, solve
from nestor.data import find
from nestor.problems import Morpion, SameGame
from nestor.runs.elsewhere import executors, workers
from support.cluster import Cluster, cluster, kill
from support.commands import HOUR
from support.outcomes import found
from support.own import Jobs

Client = pytest.importorskip("distributed", reason="the extra cluster is not installed").Client

MODULE = """
from nestor import algorithm
from nestor.research import run_level
from support.own import Jobs

class Elsewhere(Jobs):
    pass

@algorithm
def elsewhere(search, problem, policy, level, key):
    return run_level(problem, policy, level, 5, key=key)
"""


@pytest.fixture(scope="module")
def two() -> Iterator[Cluster]:
    """A cluster of two workers."""
    with cluster(2) as made:
        yield made


@pytest.fixture(autouse=True)
def short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have more than one segment in a short search."""
    monkeypatch.setattr(workers, "FIRST", 0.01)


@pytest.mark.parametrize("problem", [Morpion("5D"), Jobs()], ids=["morpion", "own"])
def test_a_cluster_finds_what_threads_find(two: Cluster, problem: Any) -> None:
    settings: dict[str, Any] = {"playouts": 3000, "jobs": 3, "seed": 5}
    alone = solve(problem, NRPA(2), threads=1, **settings)
    result = solve(problem, NRPA(2), workers=two.address, **settings)
    assert found(result) == found(alone)
    assert sum(result.workers.values()) == 3000


def test_nothing_is_left_running(two: Cluster) -> None:
    """The segments would take an hour, but are told to end."""
    with Client(two.address, set_as_default=False) as client:
        result = solve(
            Morpion("5D"), jobs=2, seconds=HOUR, workers=client, callback=lambda p: not p.playouts
        )
        assert result.stop_reason == "callback"
        assert result.playouts == sum(result.workers.values()) > 0
        while any(client.processing().values()):
            time.sleep(0.02)


@pytest.mark.parametrize("banner", [b"", b"SSH-2.0-other\r\n"], ids=["silent", "speaking"])
def test_what_listens_is_no_scheduler(banner: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "ANSWER", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with server.accept()[0] as caller, suppress(ConnectionError):
                caller.sendall(banner)
                caller.recv(1)

        threading.Thread(target=greet, daemon=True).start()
        why = "what listens there is no scheduler" if banner else "timed out"
        with pytest.raises(InputError, match=f"workers must be the address of a dask.*: {why}"):
            solve(Morpion("5D"), playouts=5, workers=f"tcp://127.0.0.1:{server.getsockname()[1]}")


def test_an_address_with_tls_needs_certificates() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InputError, match="TLS needs certificates: set distributed"),
    ):
        solve(Morpion("5D"), playouts=5, workers=f"tls://127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.filterwarnings("ignore:worker")  # The first one, as there is another.
def test_a_worker_without_the_module_is_named(
    two: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    import only_here  # type: ignore[import-not-found]

    refused = r"worker .*:\d+ cannot load the {}: .*only_here.*PYTHONPATH"
    given: dict[str, Any] = {"playouts": 10, "workers": two.address}
    with pytest.raises(InputError, match=refused.format("problem")):
        solve(only_here.Elsewhere(), **given)
    with pytest.raises(InputError, match=refused.format("algorithm")):
        solve(Jobs(), only_here.elsewhere(), **given)
    path = tmp_path / "runs.jsonl"
    with pytest.raises(InputError, match=refused.format("algorithm")):
        compare([Jobs()], [NRPA(2, 5), only_here.elsewhere()], seeds=50, save=path, **given)
    assert len(path.read_text().splitlines()) < 10


def test_workers_with_another_file_of_the_module_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from support.own import Jobs\n\nclass Stale(Jobs):\n    def score(self, state):\n"
    for folder, more in (("here", 0), ("there", 1)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "stale.py").write_text(
            f"{code}        return super().score(state) + {more}\n"
        )
    monkeypatch.syspath_prepend(tmp_path / "here")
    import stale  # type: ignore[import-not-found]

    with cluster(0) as made:
        made.start_worker(PYTHONPATH=os.pathsep.join([str(tmp_path / "there"), *sys.path]))
        named = r"worker .*:\d+ has another file of the module stale than this process"
        with (
            pytest.warns(RuntimeWarning, match=named),
            pytest.raises(InputError, match=f"{named}, which may be why the rules of stale:Stale"),
        ):
            solve(stale.Stale(), NRPA(2), playouts=50, workers=made.address)


def test_a_worker_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "RECOUNT", 0.05)
    with cluster(2) as made, Client(made.address, set_as_default=False) as client:
        client.wait_for_workers(2)

        def kill_one(progress: Progress) -> bool:
            if progress.playouts and len(made.workers) == 2:
                made.kill_worker()
            return not told.list

        gone = "the worker at tcp:.* has left the cluster; its jobs go on elsewhere"
        with pytest.warns(RuntimeWarning, match=gone) as told:
            solve(Morpion("5D"), jobs=2, seconds=HOUR, workers=client, callback=kill_one)


@pytest.mark.long
def test_a_run_goes_on_without_a_worker_of_another_version(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "import nestor._core; nestor._core.__version__ = '0.0.1'\n"
    )
    settings: dict[str, Any] = {"playouts": 30_000, "jobs": 4, "seed": 3}
    named = r"worker .*:\d+ has Nestor 0\.0\.1, and the search"
    with cluster(0) as made:
        made.start_worker(PYTHONPATH=str(tmp_path))
        with pytest.raises(InputError, match=named):
            solve(Morpion("5D"), NRPA(3), workers=made.address, **settings)
        made.start_worker()
        made.start_worker()
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(3)
            with pytest.warns(RuntimeWarning, match=named) as told:
                result = solve(Morpion("5D"), NRPA(3), workers=client, **settings)
    assert len(told) == 1
    assert found(result) == found(solve(Morpion("5D"), NRPA(3), threads=1, **settings))


@pytest.mark.long
def test_a_worker_without_nestor_is_refused_and_lives(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['nestor'] = None\n")
    with cluster(0) as made:
        made.start_worker(PYTHONPATH=str(tmp_path))
        with pytest.raises(InputError, match=r"worker .*:\d+ cannot load Nestor: "):
            solve(Morpion("5D"), playouts=10, workers=made.address)
        assert made.workers[0].poll() is None


@pytest.mark.long
def test_the_scheduler_dies_and_the_run_goes_on_with_another(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"
    settings: dict[str, Any] = {"playouts": 300_000, "jobs": 2, "seed": 2}
    alone = solve(Morpion("5D"), NRPA(3), threads=2, **settings)
    with cluster(2) as made:

        def end(progress: Progress) -> None:
            if progress.playouts > 20_000 and made.scheduler.poll() is None:
                kill(made.scheduler)

        with pytest.warns(RuntimeWarning, match="the run ends early"):
            result = solve(
                Morpion("5D"),
                NRPA(3),
                workers=made.address,
                callback=end,
                checkpoint=path,
                **settings,
            )
        assert result.stop_reason == "lost"
        assert 20_000 < result.playouts < 300_000
        made.start_scheduler()
        made.start_worker()
        assert found(resume(path, workers=made.address)) == found(alone)


@pytest.mark.long
@pytest.mark.usefixtures("data_dir")
def test_a_worker_is_killed_every_five_seconds() -> None:
    board = SameGame.read(find("samegame/problems.txt"), board=1)
    settings: dict[str, Any] = {"playouts": 4_000_000, "jobs": 16, "seed": 1}
    alone = solve(board, NRPA(4), threads=1, **settings)
    killed: set[str] = set()
    over = threading.Event()
    with cluster(3) as made:

        def kill_workers() -> None:
            while not over.wait(5.0) and len(killed) < 12:
                killed.add(str(made.kill_worker()))
                made.start_worker()

        killer = threading.Thread(target=kill_workers)
        killer.start()
        try:
            result = solve(board, NRPA(4), workers=made.address, **settings)
        finally:
            over.set()
            killer.join()
    assert found(result) == found(alone)
    assert len(killed) >= 5
    assert len(result.workers) > 3
