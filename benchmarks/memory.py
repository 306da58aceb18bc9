"""The memory of a search over time, problem by problem, and what checkpoints cost.

    python benchmarks/memory.py [--seconds 60] [--every 10] [--only NAME] [--heavy]

Each problem has its own process, which searches with GNRPA level 4 on one thread and restarts; with
`--heavy` it searches with settings that keep much (many jobs, a width, a beam, long tours). Its
memory is read from /proc (Linux) at equal intervals; once its tables are full it must not grow. At
the end a checkpoint is written. The table has its size and the time it takes, also as a share of a
run with the default period between checkpoints. Needs the benchmark data (`NESTOR_DATA`) and, for
RNA, the extra `rna`.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from tours import rows

from nestor import GNRPA, NRPA, BeamNRPA, LocalSearch, data, solve
from nestor.algorithms import Algorithm
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.runs.checkpoint import Checkpoint
from nestor.runs.session import Limits

PERIOD: float = inspect.signature(solve).parameters["checkpoint_every"].default

PROBLEMS: dict[str, Callable[[], Any]] = {
    "TSPTW rc_204.1": lambda: TSPTW.read(data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")),
    "SameGame 1": lambda: SameGame.read(data.find("samegame/problems.txt"), board=1),
    "Morpion 5D": lambda: Morpion("5D"),
    "crossword CrossC": lambda: Crossword.read(data.find("crossword/crossc_words.txt"), size=19),
    "Latin square 30": lambda: LatinSquare.generate(30, 0.42, 1),
    "Kakuro 10x10": lambda: Kakuro.generate(10, 11, 1, pruning=False),
    "RNA of 116": lambda: RNA("((((....))))" * 9 + "." * 8),
}
PLAIN = GNRPA(level=4), 1

Case = tuple[Callable[[], Any], tuple[Algorithm, int]]
"""A problem, how it is searched, and the number of jobs."""

HEAVY: dict[str, Case] = {
    "SameGame 1, level 5, width 64, 16 jobs": (PROBLEMS["SameGame 1"], (NRPA(5, width=64), 16)),
    "CrossC, beams of 16, 8 jobs": (PROBLEMS["crossword CrossC"], (BeamNRPA(3, beam=16), 8)),
    "1,000 stops, 32 jobs": (lambda: rows(1000, 300, 1), (LocalSearch(), 32)),
}
CASES: dict[str, Case] = {name: (made, PLAIN) for name, made in PROBLEMS.items()} | HEAVY


def megabytes() -> float:
    """Return this process's memory."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else float("nan")


def run(name: str, seconds: float, every: float) -> None:
    """Search one problem and print its memory and times as JSON."""
    made, (algorithm, jobs) = CASES[name]
    problem = made()
    core = problem.with_bias(problem.default_bias).core()
    search = core.search(algorithm.core(), 1, jobs)
    samples = []
    for _ in range(max(1, round(seconds / every))):
        search.advance(Limits(every, 1))
        samples.append(megabytes())
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ckpt"
        Checkpoint({}, search.save()).write(path)
        spent = time.perf_counter() - start
        size = path.stat().st_size
    found = {"playouts": search.playouts, "samples": samples, "spent": spent, "size": size}
    print(json.dumps(found))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60.0, help="length of each search")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between readings")
    parser.add_argument("--only", choices=list(CASES), help="search only this problem")
    parser.add_argument("--heavy", action="store_true", help="search with heavy settings")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        run(arguments.only, arguments.seconds, arguments.every)
        return
    table = Table(title=f"Memory in MB, every {arguments.every:g} seconds")
    for column in ("problem", "playouts", "memory", "checkpoint, MB", "ms", "share of the run"):
        table.add_column(column, justify="left" if column in ("problem", "memory") else "right")
    names = HEAVY if arguments.heavy else PROBLEMS
    for name in [arguments.only] if arguments.only else names:
        command = [sys.executable, __file__, "--child", "--only", name]
        command += ["--seconds", str(arguments.seconds), "--every", str(arguments.every)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        found = json.loads(printed)
        table.add_row(
            name,
            f"{found['playouts']:,}",
            " ".join(f"{sample:.0f}" for sample in found["samples"]),
            f"{found['size'] / 2**20:.2f}",
            f"{1000 * found['spent']:.0f}",
            f"{found['spent'] / PERIOD:.2%}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
