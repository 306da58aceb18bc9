"""Whatever befalls a run, its checkpoint leads to the result of one that was never disturbed."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nestor.problems import Morpion
from nestor.runs.improvements import ImprovementLog
from robustness.sandbox import FILES, command, resource
from support.commands import HOUR, process
from support.parts import partly

KEPT = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0.02")
QUIET = ("--quiet", "--threads", "2")
RUNS = {
    "gnrpa": "solve morpion 5D --level 3 --iterations 20 --playouts 8000",
    "jobs": "solve tsptw tour.txt --level 2 --jobs 3 --playouts 300000",
    "nmcs": "solve morpion 4D --algorithm nmcs --level 2 --playouts 50000",
    "beam": "solve morpion 4D --algorithm beam-nrpa --level 2 --iterations 30 --playouts 7000",
    "width": "solve morpion 5D --level 2 --width 4 --playouts 8000",
    "own": "solve own:Subset --level 2 --playouts 9000",
}


def setting(folder: Path) -> Path:
    """Write what the runs read."""
    for name in ("tour.txt", "own.py"):
        (folder / name).write_text(FILES[name])
    return folder


def run(folder: Path, name: str, *words: str) -> tuple[Any, ...]:
    """Finish a run here, and return what must not depend on what befell it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        command(*RUNS[name].split(), *QUIET, *words, "--save", "whole.json")
    finally:
        os.chdir(before)
    data = json.loads((folder / "whole.json").read_text())
    found = [(step["playouts"], step["job"], step["score"]) for step in data["improvements"]]
    return data["score"], data["moves"], data["playouts"], found


@cache
def unbroken(name: str) -> tuple[Any, ...]:
    with tempfile.TemporaryDirectory() as folder:
        return run(setting(Path(folder)), name)


def start(folder: Path, name: str, *words: str, **options: Any) -> subprocess.Popen[str]:
    """Start a run that keeps a checkpoint, as a process."""
    return process(folder, *RUNS[name].split(), *QUIET, *KEPT, *words, **options)


def until_checkpoint(child: subprocess.Popen[str], folder: Path) -> None:
    """Wait for the first checkpoint."""
    while not (folder / "run.ckpt").exists() and child.poll() is None:
        time.sleep(0.005)


def limited(what: int, most: int) -> Callable[[], None]:
    """Return what sets a limit in the child."""
    return lambda: resource.setrlimit(what, (most, most))


def closed(*streams: int) -> Callable[[], None]:
    def close() -> None:
        for stream in streams:
            os.close(stream)

    return close


def powerless() -> None:
    """Take from root the right to write where no one may."""
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)  # Drop CAP_DAC_OVERRIDE with the exec that follows.


WORLDS: dict[str, dict[str, Any]] = {
    "files of 3,000 bytes": {"preexec_fn": limited(resource.RLIMIT_FSIZE, 3000)},
    "files of no byte": {"preexec_fn": limited(resource.RLIMIT_FSIZE, 0)},
    "12 files": {"preexec_fn": limited(resource.RLIMIT_NOFILE, 12)},
    "a stack of 256 kB": {"preexec_fn": limited(resource.RLIMIT_STACK, 256 << 10)},
    "memory of 600 MB": {"preexec_fn": limited(resource.RLIMIT_AS, 600 << 20)},
    "closed output": {"preexec_fn": closed(1, 2), "stdout": None, "stderr": None},
    "closed input": {"preexec_fn": closed(0)},
    "no terminal": {"start_new_session": True, "stdin": subprocess.DEVNULL},
    "full output": {"stdout": "/dev/full"},
    "locale C": {"env": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}},
    "locale that is none": {"env": {"LC_ALL": "xx_YY.KOI8-X", "LANG": "\udcff"}},
    "odd terminal": {"env": {"TERM": "\udcff", "COLUMNS": "-1", "LINES": "x"}},
    "no home": {"env": {"HOME": "/nowhere", "TMPDIR": "/nowhere", "XDG_CACHE_HOME": ""}},
}


@pytest.mark.parametrize(
    "name",
    partly(
        WORLDS,
        *("files of 3,000 bytes", "memory of 600 MB", "closed output", "locale C"),
    ),
)
def test_worlds(name: str, tmp_path: Path) -> None:
    """A run is finished, or ends with one line; a checkpoint that there is can be gone on with."""
    folder = setting(tmp_path)
    options = dict(WORLDS[name])
    if "env" in options:
        options["env"] = {**os.environ, **options["env"]}
    with ExitStack() as opened:
        if options.get("stdout"):
            if not Path(options["stdout"]).exists():
                pytest.skip(f"no {options['stdout']} here")
            options["stdout"] = opened.enter_context(Path(options["stdout"]).open("w"))
        child = start(folder, "beam", "--save", "run.json", **options)
        _, err = child.communicate(timeout=HOUR)
    assert child.returncode in (0, 1, 2), err
    assert "Traceback" not in (err or "")
    if child.returncode == 0:
        assert json.loads((folder / "run.json").read_text())["score"] == unbroken("beam")[0]
    assert run(folder, "beam", *KEPT) == unbroken("beam")


def stop_and_continue(child: subprocess.Popen[str], folder: Path) -> None:
    for _ in range(5):
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.02)
        child.send_signal(signal.SIGCONT)
        time.sleep(0.02)


def remove(child: subprocess.Popen[str], folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def make_read_only(child: subprocess.Popen[str], folder: Path) -> None:
    folder.chmod(0o500)


def damage(child: subprocess.Popen[str], folder: Path) -> None:
    (folder / "run.ckpt").write_bytes(b"")


def put_a_folder(child: subprocess.Popen[str], folder: Path) -> None:
    (folder / "run.ckpt").unlink()
    (folder / "run.ckpt").mkdir()


@pytest.mark.parametrize(
    ("befall", "codes"),
    partly(
        [
            (stop_and_continue, (0,)),
            (remove, (0, 2)),
            (make_read_only, (0, 2)),
            (damage, (0,)),
            (put_a_folder, (0,)),
        ],
        *((remove, (0, 2)), (damage, (0,))),
    ),
)
def test_what_befalls_a_run(
    befall: Callable[..., None], codes: tuple[int, ...], tmp_path: Path
) -> None:
    """The answer is printed all the same, and a checkpoint that is left can be gone on with."""
    (folder := tmp_path / "run").mkdir()
    child = start(setting(folder), "gnrpa", "--save", "run.json", preexec_fn=powerless)
    until_checkpoint(child, folder)
    befall(child, folder)
    out, err = child.communicate(timeout=HOUR)
    if folder.exists():
        folder.chmod(0o700)
    assert child.returncode in codes, err
    assert "Traceback" not in err
    assert "score" in out
    if befall in (stop_and_continue, make_read_only, damage):
        assert run(folder, "gnrpa", *KEPT) == unbroken("gnrpa")


@pytest.mark.parametrize("again", partly(["solve", "resume"], "resume"))
def test_two_processes_with_one_checkpoint(again: str, tmp_path: Path) -> None:
    """The second is refused while the first lives, and not when it has been killed."""
    folder = setting(tmp_path)
    first = process(folder, *RUNS["gnrpa"].split()[:-1], "10000000", *QUIET, *KEPT)
    until_checkpoint(first, folder)
    words = (*RUNS["gnrpa"].split(), *KEPT) if again == "solve" else ("resume", "run.ckpt")
    second = process(folder, *words, "--quiet", "--playouts", "8000", "--save", "run.json")
    try:
        _, err = second.communicate(timeout=HOUR)
        assert (second.returncode, err.count("\n"), "run.ckpt" in err) == (2, 1, True), err
        assert first.poll() is None
    finally:
        for child in (first, second):
            child.kill()
            child.communicate(timeout=HOUR)
    words = ("resume", str(folder / "run.ckpt"), "--playouts", "20000000", "--seconds", "0.1")
    assert command(*words, "--quiet") == 0


LEFT = """
import os, random, threading, time
import nestor, own

def search(): nestor.solve(own.subset, nestor.GNRPA(4), seconds=60, threads=2, jobs=2)

statuses = []
for number in range(12):
    child = os.fork()
    if child == 0:
        for _ in range(4): threading.Thread(target=search, daemon=True).start()
        time.sleep(random.Random(number).random() * 0.1)
        break
    statuses.append(os.waitpid(child, 0)[1])
else:
    print(statuses)
"""


def test_a_thread_that_is_left_at_exit(tmp_path: Path) -> None:
    """Searches in daemon threads do not abort the interpreter that ends, of 12 that end so."""
    setting(tmp_path)
    words = [sys.executable, "-c", LEFT]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=HOUR, text=True)
    assert done.stdout.split("\n")[-2] == str([0] * 12)


@pytest.mark.parametrize(
    "words", [("--jobs", "3"), ("--jobs", "1", "--width", "8")], ids=["jobs", "one job"]
)
def test_threads_that_the_system_refuses(tmp_path: Path, words: tuple[str, ...]) -> None:
    """No stack is so large: the first thread does the work of all."""
    words = (*RUNS["gnrpa"].split(), *QUIET, "--json", *words, "--threads")
    enlarged = os.environ | {"RUST_MIN_STACK": str(1 << 50)}
    found = []
    for threads in ("1", "3"):
        child = process(setting(tmp_path), *words, threads, env=enlarged)
        out, err = child.communicate(timeout=HOUR)
        assert (child.returncode, err) == (0, "")
        found.append(json.loads(out)["moves"])
    assert found[0] == found[1]


@pytest.mark.parametrize("output", ["--save", "--log", "--checkpoint"])
def test_a_folder_that_is_gone(tmp_path: Path, output: str) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); import nestor.cli; nestor.cli.main(sys.argv[1:])"
    (folder := tmp_path / "gone").mkdir()
    words = [sys.executable, "-c", code, *RUNS["gnrpa"].split(), *QUIET, output, "file"]
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=HOUR, text=True)
    assert done.returncode == 2
    assert "Error: cannot write file: No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_log_without_room(tmp_path: Path) -> None:
    """The search goes on; the log has whole lines, the first ones."""
    limit = limited(resource.RLIMIT_FSIZE, 400)
    words = (*RUNS["gnrpa"].split(), *QUIET, "--json", "--log", "run.jsonl")
    child = process(setting(tmp_path), *words, preexec_fn=limit)
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, err.count("the log is behind: cannot write run.jsonl")) == (0, 1)
    found = [each["score"] for each in json.loads(out)["improvements"]]
    logged = [json.loads(line)["score"] for line in (tmp_path / "run.jsonl").open()]
    assert logged == found[: len(logged)]
    assert 0 < len(logged) < len(found)


def test_an_interrupted_run_whose_checkpoint_has_no_room(tmp_path: Path) -> None:
    """Its code is not that of a run that goes on if it is started again."""
    limit = limited(resource.RLIMIT_FSIZE, 0)
    words = (
        "solve",
        "morpion",
        "5D",
        "--level",
        "4",
        "--seconds",
        str(HOUR),
        "--checkpoint",
        "run.ckpt",
    )
    child = process(tmp_path, *words, preexec_fn=limit)
    assert child.stderr is not None
    said = ""
    while ": best " not in said and (line := child.stderr.readline()):
        said += line
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=HOUR)
    assert child.returncode == 2
    assert "interrupted" in out
    assert "no checkpoint: cannot write run.ckpt" in said + err


def test_a_log_catches_up(tmp_path: Path) -> None:
    """What had no room is written as soon as there is room."""
    found = [{"level": 1, "playouts": n, "seconds": 0.1 * n, "score": n} for n in range(20)]
    path, limits = tmp_path / "run.jsonl", resource.getrlimit(resource.RLIMIT_FSIZE)
    log = ImprovementLog(path, Morpion("5D"), "nrpa", resume=False)
    log.update([found[:2]])
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, limits[1]))
    try:
        with pytest.warns(RuntimeWarning, match="the log is behind"):
            log.update([found[:10]])
        log.update([found[:15]])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert 2 < len(path.read_text().splitlines()) < 10
    log.update([found])
    log.close()
    assert [json.loads(line)["score"] for line in path.open()] == list(range(20))
