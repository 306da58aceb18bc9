"""Executors of others, if they are installed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nestor import NRPA, InputError, MissingExtraError, RayExecutor, solve
from nestor.problems import Morpion
from support.commands import HOUR
from support.outcomes import found

SETTINGS: dict[str, Any] = {"playouts": 3000, "jobs": 3, "seed": 5}

SCRIPT = """
import json, sys
from mpi4py.futures import MPIPoolExecutor
from nestor import NRPA, solve
from nestor.problems import Morpion

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        result = solve(Morpion("5D"), NRPA(2), workers=executor, **json.loads(sys.argv[1]))
    print(json.dumps([result.score, result.moves, len(result.workers)]))
"""


@pytest.mark.long
def test_loky_finds_what_threads_find() -> None:
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(max_workers=2)
    try:
        result = solve(Morpion("5D"), NRPA(2), workers=executor, **SETTINGS)
    finally:
        executor.shutdown(kill_workers=True)
    assert found(result) == found(solve(Morpion("5D"), NRPA(2), threads=1, **SETTINGS))


@pytest.mark.long
def test_mpi_finds_what_threads_find(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py.futures", reason="mpi4py is not installed")
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}") or shutil.which(
        "mpiexec"
    )
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    script = tmp_path / "search.py"
    script.write_text(SCRIPT)
    python = [sys.executable, "-m", "mpi4py.futures", str(script), json.dumps(SETTINGS)]
    done = subprocess.run(
        [mpiexec, "-n", "3", *python], capture_output=True, text=True, timeout=HOUR
    )
    assert done.returncode == 0, done.stderr
    score, moves, used = json.loads(done.stdout)
    alone = solve(Morpion("5D"), NRPA(2), threads=1, **SETTINGS)
    assert (score, moves) == (alone.score, json.loads(json.dumps(alone.moves)))
    assert 1 <= used <= 2


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Ray on this machine."""
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.long
@pytest.mark.usefixtures("ray")
def test_ray_finds_what_threads_find() -> None:
    executor = RayExecutor()
    result = solve(Morpion("5D"), NRPA(2), workers=executor, **SETTINGS)
    assert found(result) == found(solve(Morpion("5D"), NRPA(2), threads=1, **SETTINGS))
    executor.shutdown()
    with pytest.raises(InputError, match="not shut down"):
        solve(Morpion("5D"), workers=executor, playouts=10)


@pytest.mark.long
def test_ray_goes_on_after_a_worker_has_died(ray: Any, tmp_path: Path) -> None:
    executor = RayExecutor()
    assert executor.submit(dies_once, str(tmp_path / "died")).result() == "alive"
    with pytest.raises(ZeroDivisionError):
        executor.submit(divmod, 1, 0).result()
    ray.shutdown()
    with pytest.raises(InputError, match="not shut down"):
        solve(Morpion("5D"), workers=executor, playouts=10)
    with pytest.raises(InputError, match=r"call ray.init\(\) first"):
        RayExecutor()


def dies_once(path: str) -> str:
    """Kill the process that runs this, the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"nestor\[ray\]"):
        RayExecutor()
