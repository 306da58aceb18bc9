"""A long run that is killed and resumed, to show that nothing is lost.

    python benchmarks/endurance.py [--seconds 600] [--kills 3] [--compare]

It runs NRPA level 5 on Morpion Solitaire 5T on one thread, with a checkpoint every ten seconds and
a log of improvements. The run is killed (SIGKILL) at equal intervals and resumed each time. At the
end the log must have every improvement of the result once, in order. With --compare a run without a
stop and with as many playouts follows, which must find the same.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from nestor import NRPA, Result, solve
from nestor.problems import Morpion


def begin(folder: Path, seconds: float) -> subprocess.Popen[bytes]:
    """Start the run, or resume it."""
    files = ["--log", "run.jsonl", "--save", "run.json", "--checkpoint-every", "10", "--quiet"]
    limits = ["--seconds", str(seconds), "--threads", "1"]
    if (folder / "run.ckpt").exists():
        command = ["resume", "run.ckpt"]
    else:
        command = ["solve", "morpion", "5T", "--algorithm", "nrpa", "--level", "5", "--jobs", "1"]
        command += ["--checkpoint", "run.ckpt"]
    arguments = [sys.executable, "-m", "nestor", *command, *limits, *files]
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL)


def steps(log: Path) -> list[tuple[int, float]]:
    """Return the playouts and the score of each improvement in a log."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    return [(row["playouts"], row["score"]) for row in rows]


def main() -> int:
    """Run, kill, resume and check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kill in range(arguments.kills):
            process = begin(folder, arguments.seconds)
            time.sleep(arguments.seconds / (arguments.kills + 1))
            process.kill()
            process.wait()
            print(f"killed {kill + 1}; the log has {len(steps(folder / 'run.jsonl'))} steps")
        code = begin(folder, arguments.seconds).wait()
        result = Result.load(folder / "run.json")
        logged = steps(folder / "run.jsonl")
    print(f"exit code {code}, score {result.score:g}, {result.playouts:,} playouts")
    found = [(step.playouts, step.score) for step in result.improvements]
    same = logged == found
    print(f"log and result have the same {len(found)} improvements: {same}")
    if arguments.compare:
        unbroken = solve(Morpion("5T"), NRPA(5), playouts=result.playouts, threads=1)
        known = [(step.playouts, step.score) for step in unbroken.improvements]
        same = same and known == found and unbroken.moves == [tuple(m) for m in result.moves]
        print(f"an unbroken run finds the same: {same}")
    return 0 if same and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
