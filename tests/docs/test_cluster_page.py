"""What the page on clusters shows works as shown."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nestor import Result
from support.commands import HOUR, Nestor
from support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "cluster.md"


def test_the_script_with_processes(tmp_path: Path) -> None:
    script = tmp_path / "search.py"
    script.write_text(blocks("python", PAGE)[0].replace("20_000", "2000"))
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=HOUR)
    assert told.stderr == ""
    assert float(told.stdout.split()[0]) > 0


def test_a_job_array_is_stopped_submitted_again_and_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = tmp_path / "nestor"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m nestor "$@"\n')
    command.chmod(0o755)
    (script,) = blocks("bash", PAGE)
    for seed, playouts, code in (("0", "1e8", 130), ("0", "2e4", 0), ("1", "2e4", 0)):
        known = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_CPUS_PER_TASK": "1"}
        task = ["bash", "-c", script.replace("1e8", playouts)]
        environment = {**os.environ, **known, "SLURM_ARRAY_TASK_ID": seed}
        with subprocess.Popen(task, env=environment, stdout=subprocess.DEVNULL) as run:
            while code == 130 and not Path("res/0.ckpt").exists():
                assert run.poll() is None
                time.sleep(0.05)
            if code == 130:
                run.terminate()
            assert run.wait(HOUR) == code
    (merge,) = (each for each in blocks("python", PAGE) if "glob" in each)
    exec(merge, {})
    found = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [seed for seed, *_ in found] == ["0", "1"]
    assert Result.load("best.json").score == max(float(score) for _, score, *_ in found)


def test_the_others_are_python() -> None:
    for code in (*blocks("python", PAGE), *blocks("py", PAGE)):
        compile(code, str(PAGE), "exec")


def test_the_command_without_a_scheduler(run: Nestor) -> None:
    pytest.importorskip("distributed")
    (words,) = (each.split() for each in blocks("sh", PAGE) if each.startswith("nestor"))
    told = run(*(word.replace(":8786", ":9") for word in words[1:]))
    assert told.code == 2
    assert "none answers at 'tcp://127.0.0.1:9'" in told.err
    assert told.err.count("\n") == 1
