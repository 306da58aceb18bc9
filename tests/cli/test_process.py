"""The command line as a process: signals, kills, pipes, terminals."""

from __future__ import annotations

import errno
import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import nestor
from nestor import Result
from nestor.cli.output import Files
from nestor.runs.display import Display
from support.commands import HOUR, MORPION, SMALL, TSPTW, Nestor, process
from support.own import Subset
from support.parts import crossed, partly

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def wait_for_a_best(child: subprocess.Popen[str]) -> None:
    """Wait until a search says what it has found. Before that it may say what it has chosen."""
    assert child.stderr is not None
    assert any(": best " in line for line in child.stderr)


@pytest.mark.parametrize("number", partly(SIGNALS, signal.SIGTERM))
def test_interrupted(number: signal.Signals, folder: Path, run: Nestor) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this signal is ignored, as under nohup")
    options = ("--seconds", str(HOUR), "--save", "run.json", "--plot", "a.png")
    child = process(folder, "solve", "morpion", "5D", *options)
    wait_for_a_best(child)
    child.send_signal(number)
    out, err = child.communicate(timeout=HOUR)
    assert child.returncode == 130
    assert "interrupted" in out
    assert "Traceback" not in err
    assert Result.load(folder / "run.json").stop_reason == "interrupted"
    assert (folder / "a.png").stat().st_size > 1000
    assert run("verify", "run.json").code == 0


@pytest.mark.parametrize(
    "command", [("solve", "own:Loud"), ("compare", "own:Loud", "--algorithms", "nmcs")]
)
def test_what_workers_print_is_kept_from_the_json(command: tuple[str, ...], folder: Path) -> None:
    options = ("--playouts", "20", "--workers", "1", "--quiet")
    child = process(folder, *command, *options, "--json")
    out, err = child.communicate(timeout=HOUR)
    assert json.loads(out)
    assert err.count("loud") >= 20
    out, _ = process(folder, *command, *options).communicate(timeout=HOUR)
    assert out.count("loud") >= 20


NOISY = """
import ctypes, os
from own import Slow

class Noisy(Slow):
    def score(self, state):
        ctypes.pythonapi.printf(b"printed in C\\n")
        os.write(1, b"written\\n")
        return super().score(state)
"""


@pytest.mark.parametrize("command", [("check",), ("solve", "--playouts", "20", "--quiet")])
def test_what_c_prints_is_kept_from_the_json(command: tuple[str, ...], folder: Path) -> None:
    (folder / "noisy.py").write_text(NOISY)
    name, *options = command
    child = process(folder, name, "noisy:Noisy", *options, "--json")
    out, err = child.communicate(timeout=HOUR)
    assert json.loads(out)
    assert "printed in C\n" in err
    assert "written\n" in err


PRESSED = f"""
import os
Chosen = tuple[int, ...]

{inspect.getsource(Subset)}

class Mine(Subset):
    def initial(self):
        os.kill(os.getpid(), {{}})
        return super().initial()
"""


@pytest.mark.parametrize(
    ("number", "where", "as_json"), crossed(SIGNALS, ["click", "mine", "own"], [False, True])
)
def test_interrupted_while_the_command_starts(
    number: signal.Signals, where: str, as_json: bool, folder: Path
) -> None:
    """While it or the problem is imported, or made, or before the first playout."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this signal is ignored, as under nohup")
    press = f"import os\nos.kill(os.getpid(), {int(number)})\n"
    if where == "own":
        press = PRESSED.format(int(number))
    (folder / f"{where}.py").write_text(press)
    path = os.pathsep.join([str(folder), *sys.path])
    problem = "own:Mine" if where == "own" else "mine:Any"
    words = ("solve", problem, "--quiet", *["--json"] * as_json)
    child = process(folder, *words, env={**os.environ, "PYTHONPATH": path})
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, err.strip()) == (130, "Error: interrupted")
    told = [json.loads(line) for line in out.splitlines()]
    assert told == [{"stop_reason": "interrupted", "playouts": 0}] * as_json


def test_a_killed_run_is_resumed(folder: Path, run: Nestor) -> None:
    files = ("--checkpoint", "run.ckpt", "--checkpoint-every", "0.05", "--log", "run.jsonl")
    command = ("solve", *MORPION[1:], "--level", "4", "--playouts", "30000", *files)
    child = process(folder, *command)
    wait_for_a_best(child)
    child.kill()
    child.communicate(timeout=HOUR)
    code, out, _ = run("resume", "run.ckpt", "--log", "run.jsonl", "--save", "run.json")
    assert code == 0
    assert "30,000 in" in out
    result = Result.load("run.json")
    whole = nestor.solve(nestor.problems.Morpion("5D"), nestor.GNRPA(4), playouts=30000)
    assert result.score == whole.score
    assert result.moves == whole.moves
    logged = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    steps = [(step["playouts"], step["score"]) for step in logged]
    assert steps == [(step.playouts, step.score) for step in whole.improvements]
    code, out, _ = run(*command)
    assert (code, "30,000 in" in out) == (0, True)
    code, _, err = run("resume", "missing.ckpt")
    assert (code, err.count("\n")) == (2, 1)
    code, out, _ = run("resume", "run.ckpt", "--playouts", "31000", "--json")
    assert json.loads(out)["playouts"] == 31000


@pytest.mark.parametrize("width", ["--width 16", "--width 1,16,1,1 --policies local --no-share"])
def test_threads_within_a_search_are_interrupted(width: str, folder: Path) -> None:
    """A search whose lowest level takes hours still stops at once."""
    options = ("--level", "4", "--iterations", "1000", *width.split(), "--jobs", "1")
    child = process(
        folder, "solve", "morpion", "5D", *options, "--seconds", str(HOUR), "--save", "run.json"
    )
    wait_for_a_best(child)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=HOUR)
    assert child.returncode == 130
    assert Result.load(folder / "run.json").stop_reason == "interrupted"


def test_impatience_does_not_cost_the_result(folder: Path) -> None:
    child = process(folder, "solve", "own:Slow", "--save", "run.json", "--json")
    wait_for_a_best(child)
    child.send_signal(signal.SIGINT)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=HOUR)
    assert child.returncode == 130
    assert json.loads(out) == json.loads((folder / "run.json").read_text())


def test_an_interrupt_anywhere_does_not_cost_the_result(
    run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(display: Display) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Display, "close", interrupted)
    code, out, err = run(*MORPION, *SMALL, "--save", "run.json")
    assert (code, "interrupted" in out, "Traceback" in err) == (130, True, False)
    assert Result.load("run.json").stop_reason == "interrupted"


def test_an_interrupt_at_the_very_end_prints_no_second_object(
    run: Nestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(files: Files) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Files, "tell", interrupted)
    code, out, _ = run(*MORPION, *SMALL, "--json")
    assert (code, json.loads(out)["stop_reason"]) == (130, "finished")


def test_interrupted_before_the_first_playout(folder: Path) -> None:
    child = process(folder, "solve", "own:Stuck", "--quiet", "--save", "run.json")
    assert child.stdout is not None
    assert child.stdout.readline() == "stuck\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, out) == (130, "")
    assert err.strip() == "Error: interrupted"
    assert not (folder / "run.json").exists()


def test_a_broken_pipe_is_quiet(folder: Path) -> None:
    assert process(folder, *MORPION, *SMALL, "--save", "run.json").wait(timeout=HOUR) == 0
    reader, writer = os.pipe()
    os.close(reader)
    for arguments, code in (
        ((*MORPION, *SMALL, "--quiet", "--json"), 0),
        ((*MORPION, *SMALL, "--quiet", "--save", "again.json"), 0),
        (("compare", *MORPION[1:], "--algorithms", "nmcs", "--playouts", "9", "--quiet"), 0),
        (("replay", "run.json", "--boards"), 141),
        (("--help",), 141),
    ):
        child = process(folder, *arguments, stdout=writer)
        _, err = child.communicate(timeout=HOUR)
        assert (child.returncode, err) == (code, "")
    assert (folder / "again.json").exists()
    os.close(writer)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_closed_standard_output_is_told(as_json: bool, folder: Path) -> None:
    words = (*MORPION, *SMALL, "--quiet", "--save", "run.json", *["--json"] * as_json)
    child = process(folder, *words, stdout=None, preexec_fn=lambda: os.close(1))
    _, err = child.communicate(timeout=HOUR)
    told = f"Error: cannot write the output: {os.strerror(errno.EBADF)}\n"
    assert (child.returncode, err) == (2, told)
    version = process(folder, "--version", stdout=None, preexec_fn=lambda: os.close(1))
    assert (version.communicate(timeout=HOUR)[1], version.returncode) == (told, 2)
    assert Result.load(folder / "run.json").verified


@pytest.mark.parametrize("number", partly(SIGNALS, signal.SIGINT))
def test_a_signal_that_is_ignored_stays_ignored(number: signal.Signals, folder: Path) -> None:
    """A shell script starts what is in its background without SIGINT."""
    (folder / "own.py").write_text(PRESSED.format(int(number)))
    words = ("solve", "own:Mine", "--playouts", "50", "--threads", "1", "--quiet", "--json")
    child = process(folder, *words, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    out, err = child.communicate(timeout=HOUR)
    assert (child.returncode, json.loads(out)["stop_reason"], err) == (0, "playouts", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        child = process(folder, *MORPION, *SMALL, "--quiet", stdout=full)
        _, err = child.communicate(timeout=HOUR)
    assert child.returncode == 2
    assert err == "Error: cannot write the output: No space left on device\n"


def test_an_ascii_terminal(folder: Path) -> None:
    (folder / "größe.txt").write_text(TSPTW)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    child = process(folder, "solve", "tsptw", "größe.txt", *SMALL, env=environment)
    out, _ = child.communicate(timeout=HOUR)
    assert child.returncode == 0
    assert "tsptw gr??e.txt" in out


def test_a_picture_that_fails_costs_nothing_else(folder: Path, run: Nestor) -> None:
    rules = "class Mine(Subset):\n    def picture(self, moves):\n        return 1 / 0\n"
    (folder / "undrawn.py").write_text(f"from support.own import Subset\n\n{rules}")
    told = run("solve", "undrawn:Mine", "--playouts", "50", "--plot", "a.svg", "--save", "run.json")
    assert (told.code, "verified   yes" in told.out) == (2, True)
    assert "picture of the problem raised ZeroDivisionError" in told.err
    assert (folder / "run.json").exists()
    assert not (folder / "a.svg").exists()


def test_a_result_does_not_replace_what_other_commands_go_on_from(
    folder: Path, run: Nestor
) -> None:
    short = ("morpion", "5D", "--algorithm", "nrpa", "--level", "1", "--playouts", "50")
    run("solve", *short, "--checkpoint", "a.ckpt", "--log", "a.jsonl", "--save", "a.json")
    run("compare", "morpion", "5D", "--algorithms", "sampling", "--playouts", "5", "--save", "runs")
    for name, kind in [("a.ckpt", "checkpoint"), ("a.jsonl", "log"), ("runs", "file of runs")]:
        before = (folder / name).read_bytes()
        told = run("solve", *short, "--save", name)
        assert (told.code, kind in told.err) == (2, True)
        assert "would be replaced" in told.err
        assert (folder / name).read_bytes() == before
    assert run("solve", *short, "--save", "a.json").code == 0
