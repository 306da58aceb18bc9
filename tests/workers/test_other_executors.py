"""Executors of others, if they are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nestor import NRPA, solve
from nestor.problems import Morpion
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
        [mpiexec, "-n", "3", *python], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    score, moves, used = json.loads(done.stdout)
    alone = solve(Morpion("5D"), NRPA(2), threads=1, **SETTINGS)
    assert (score, moves) == (alone.score, json.loads(json.dumps(alone.moves)))
    assert 1 <= used <= 2
