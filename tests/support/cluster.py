"""A dask cluster of separate processes on this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Cluster:
    """A scheduler and its workers, each a process with one thread."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """Start a scheduler, which has this address from now on."""
        self.scheduler = _start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        while self.scheduler.poll() is None:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self.scheduler
            time.sleep(0.02)
        raise RuntimeError("the scheduler did not start")

    def start_worker(self, **environment: str) -> None:
        """Start a worker; it waits for the scheduler if there is none."""
        options = ("--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
        worker = _start("worker", self.address, *options, **environment)
        self.workers.append(worker)

    def kill_worker(self) -> int:
        """Kill the worker that was started first, and return its number."""
        worker = self.workers.pop(0)
        kill(worker)
        return worker.pid


def _start(what: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + what, *arguments]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    settings = {"DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ENABLED": "0"}
    path = os.pathsep.join(sys.path)
    variables = {**os.environ, "PYTHONPATH": path, **settings, **environment}
    return subprocess.Popen([*command, "--no-dashboard"], env=variables, **quiet)  # type: ignore[call-overload,no-any-return]


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with SIGKILL."""
    process.send_signal(signal.SIGKILL)
    process.wait()


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    """Yield a cluster with some workers, and end all its processes at the end."""
    made = Cluster()
    try:
        for _ in range(workers):
            made.start_worker()
        yield made
    finally:
        for process in (*made.workers, made.scheduler):
            kill(process)
