"""The clock of the day may jump: nothing hangs, ends early, has a negative time or is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from robustness.test_faults import RUNS, setting, unbroken
from support.commands import HOUR, process
from support.parts import partly

CLOCK = r"""
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jumped(void) {
    static atomic_long calls;
    static const long days[] = {0, 1, -1, 400, -400, 1};
    return 86400 * days[atomic_fetch_add(&calls, 1) % 6];
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    long failed = syscall(SYS_clock_gettime, clock, at);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += jumped();
    return (int)failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}
"""
"""Every look at the clock of the day sees it a day or a year before or after the last one."""

LOOK = """
import time
seen = {time.time()}
while max(seen) - min(seen) < 1e7:
    time.sleep(0.005)
    seen.add(time.time())
print(True)
"""

SCRIPT = """
import sys
import nestor
from nestor.problems import Morpion

if __name__ == "__main__":
    used = {sys.argv[1]: int(sys.argv[2])}
    seen = []
    problem = Morpion("5D")
    result = nestor.solve(
        problem, nestor.NRPA(3), seconds=1.0, jobs=2, callback=lambda p: seen.append(p.seconds),
        on_improvement=lambda *_: None, log="run.jsonl", checkpoint="run.ckpt",
        checkpoint_every=0.05, **used,
    )
    assert seen == sorted(seen) and seen[0] >= 0
    result.save("run.json")
"""


def compiled_clock(folder: Path) -> Path:
    """A library whose clock of the day jumps at each look."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    (folder / "clock.c").write_text(CLOCK)
    library = folder / "clock.so"
    options = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *options, folder / "clock.c", "-o", library], check=True)
    return library


def write_days(offsets: Path, ended: Event) -> None:
    """Write every few milliseconds by how many days the clock is wrong, as an administrator may."""
    written = offsets.with_suffix(".new")
    for days in cycle((0, 1, -1, 400, -400)):
        written.write_text(f"{days:+}d")
        written.replace(offsets)
        if ended.wait(0.02):
            return


@pytest.fixture(scope="module", params=["at each look", "libfaketime"])
def jumping(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The environment of processes whose clock of the day jumps."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")
    folder = tmp_path_factory.mktemp("clock")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended, offsets = Event(), folder / "offset"
    writer = Thread(target=write_days, args=(offsets, ended))
    if request.param == "libfaketime":
        package = Path(pytest.importorskip("libfaketime").__file__).parent
        [library] = package.glob("vendor/libfaketime/src/libfaketime.so.1")
        environment["FAKETIME_TIMESTAMP_FILE"] = str(offsets)
        environment["FAKETIME_NO_CACHE"] = environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        offsets.write_text("+0d")
        writer.start()
    else:
        library = compiled_clock(folder)
    environment["LD_PRELOAD"] = str(library)
    try:
        looked = subprocess.run(
            [sys.executable, "-c", LOOK],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert (looked.stdout, looked.stderr) == ("True\n", "")
        yield environment
    finally:
        ended.set()
        if writer.is_alive():
            writer.join()


def ended(child: subprocess.Popen[str], code: int = 0) -> str:
    """Wait for the end of a process, and return what it printed."""
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, "Traceback" in err) == (code, False), err
    return out


def check_times(folder: Path) -> dict[str, Any]:
    """Check that the times of a run only rise, in its result and in its log; return the result."""
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    for job in range(found["jobs"]):
        times = [each["seconds"] for each in found["improvements"] if each["job"] == job]
        assert times == sorted(times)
        assert not times or 0 <= times[0] <= times[-1] <= found["seconds"]
    logged = [json.loads(line) for line in (folder / "run.jsonl").open()]
    assert all(0 <= line["seconds"] <= found["seconds"] for line in logged)
    assert found["score"] in [line["score"] for line in logged]
    return found


@pytest.mark.parametrize("name", partly(RUNS, "gnrpa", "jobs"))
def test_a_run_finds_the_same(name: str, jumping: dict[str, str], tmp_path: Path) -> None:
    folder = setting(tmp_path)
    files = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0.02", "--log", "run.jsonl")
    words = (*RUNS[name].split(), "--threads", "2", *files, "--save", "run.json")
    ended(process(folder, *words, env=jumping))
    data = check_times(folder)
    assert (data["score"], data["moves"], data["playouts"]) == unbroken(name)[:3]


@pytest.mark.parametrize("used", partly(["threads", "workers"], "threads"))
def test_seconds_are_kept(used: str, jumping: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "search.py").write_text(SCRIPT)
    command = [sys.executable, "search.py", used, "2"]
    pipe = subprocess.PIPE
    ended(subprocess.Popen(command, cwd=tmp_path, env=jumping, text=True, stdout=pipe, stderr=pipe))
    data = check_times(tmp_path)
    assert data["stop_reason"] == "seconds"
    assert data["seconds"] > 0.4  # At most a half is kept for the answer.
    ended(process(tmp_path, "resume", "run.ckpt", "--seconds", "1.2", "--quiet", env=jumping))


@pytest.mark.long
def test_a_comparison_and_a_watch(jumping: dict[str, str], tmp_path: Path) -> None:
    folder = setting(tmp_path)
    words = ("compare", "tsptw", "tour.txt", "--algorithms", "nrpa,nmcs")
    asked = (*words, "--seeds", "2", "--seconds", "0.2", "--workers", "2", "--save", "runs.jsonl")
    ended(process(folder, *asked, env=jumping))
    ended(process(folder, *RUNS["gnrpa"].split(), "--quiet", "--log", "run.jsonl", env=jumping))
    log = folder / "run.jsonl"
    for times in ((0, 0), (2e9, 2e9), (9e9, 9e9)):
        os.utime(log, times)
        told = ended(process(folder, "watch", "run.jsonl", "--once", env=jumping))
        assert "ago" in told
        assert "-" not in told.splitlines()[0]
