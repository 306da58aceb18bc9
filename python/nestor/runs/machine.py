"""The machine that a run uses, and whether many jobs fit into its memory."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from nestor.errors import InputError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

PROBE = 64
"""So many jobs are started to see what a job takes; fewer are not measured."""


def check_fits(jobs: int, start: Callable[[int], object]) -> None:
    """Check, on Linux, that jobs fit into the memory.

    Parameters
    ----------
    jobs : int
    start : callable
        Starts some jobs and returns them.

    Raises
    ------
    InputError
        If they do not fit.
    """
    if jobs <= 2 * PROBE or (before := _used()) is None:
        return
    probe = start(PROBE)
    taken = ((_used() or before)[1] - before[1]) / PROBE * jobs
    del probe
    free = _free(before[0])
    if taken > free:
        raise InputError(
            f"jobs must fit into memory: {jobs:,} jobs take {taken / 1e6:,.0f} MB, and "
            f"{free / 1e6:,.0f} MB are free"
        )


def _used() -> tuple[int, int] | None:
    """Return the bytes of addresses and of memory that the process has."""
    try:
        size, resident, *_ = Path("/proc/self/statm").read_text().split()
    except OSError:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return int(size) * page, int(resident) * page


def _free(used: int) -> float:
    """Return the bytes that the process may still take, whose addresses take `used` bytes now."""
    free = [float("inf")]
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free.append(int(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):
        folder = Path("/sys/fs/cgroup")
        most = int((folder / "memory.max").read_text())
        free.append(most - int((folder / "memory.current").read_text()))
    if resource is not None:
        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            free.append(most - used)
    return max(0.0, min(free))


def machine() -> dict[str, Any]:
    """Return what one needs to judge a time: day, system, processor, cores, versions."""
    numpy = sys.modules.get("numpy")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "system": platform.system(),
        "processor": _model() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **({} if numpy is None else {"numpy": numpy.__version__}),
    }


@cache
def _model() -> str | None:
    """Return the name of the processor, on Linux."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return None
