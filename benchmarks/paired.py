"""Whether a change is faster: two commits on the rows of `speed.py`, in pairs, by CPU time.

    python benchmarks/paired.py OLD NEW [--rows TSPTW Morpion] [--pairs 15] [--seconds 0.5]

Each commit is checked out into a folder of its own and its core is built for release, once: cores
are kept in target/paired. OLD and NEW may also be folders of checkouts whose core is built.

A process for each of the two then does the same searches in turn: the same row, seed and number of
playouts, first one and then the other, in the next pair the other way round. What disturbs the
machine disturbs both, and CPU time leaves out what others take. The ratio is the median of the
pairs, with a 95 % interval from the bootstrap. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from nestor.runs.session import Limits

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "target" / "paired"
CORE = "_core.pyd" if os.name == "nt" else "_core.abi3.so"
BUILT = {"nt": "_core.dll"}.get(os.name, f"lib_core{sysconfig.get_config_var('SHLIB_SUFFIX')}")
WARM_UP = 0.1
"""Playouts before the clock starts, as a share of those that are measured."""


def output(*command: str) -> str:
    """Return what a command prints in this repository."""
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


@contextmanager
def checkout(name: str) -> Iterator[Path]:
    """Yield the folder of a checkout with a built core: the folder given, or that of a commit."""
    if Path(name).is_dir():
        yield Path(name).resolve()
        return
    commit = output("git", "rev-parse", "--verify", f"{name}^{{commit}}")
    with TemporaryDirectory(prefix="paired-") as temporary:
        folder = Path(temporary) / commit
        output("git", "worktree", "add", "--quiet", "--detach", str(folder), commit)
        try:
            shutil.copy(built(commit, folder), folder / "python" / "nestor" / CORE)
            yield folder
        finally:
            output("git", "worktree", "remove", "--force", str(folder))


def built(commit: str, folder: Path) -> Path:
    """Return the core of a commit, which is built unless it is kept."""
    core = KEPT / f"{commit}-{CORE}"
    if not core.exists():
        print(f"building {commit[:12]} ...", file=sys.stderr)
        command = ["cargo", "build", "--release", "--quiet", "--package", "nestor-python"]
        environment = {**os.environ, "CARGO_TARGET_DIR": str(KEPT)}
        subprocess.run(command, cwd=folder, env=environment, check=True)
        shutil.copy(KEPT / "release" / BUILT, core)
    return core


class Searcher:
    """A process that searches with the package and the rows of one checkout."""

    def __init__(self, folder: Path) -> None:
        paths = os.pathsep.join(str(folder / name) for name in ("python", "benchmarks"))
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve"],
            env={**os.environ, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.rows: list[str] = self._read()

    def search(self, row: str, playouts: int, seed: int) -> tuple[float, str]:
        """Return the seconds of CPU that a search takes, and the hash of its improvements."""
        assert self.process.stdin is not None
        print(json.dumps([row, playouts, seed]), file=self.process.stdin, flush=True)
        seconds, improvements = self._read()
        return seconds, improvements

    def _read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit("a process of the searches has ended")

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()


def advance(search: Any, playouts: int) -> None:
    """Advance a search to so many playouts; that of an older commit takes its limits one by one."""
    limits = Limits(1e6, 1, playouts)
    try:
        search.advance(limits)
    except TypeError:
        search.advance(*limits)


def serve() -> None:
    """Search as lines of standard input say, with the package and the rows that are imported."""
    from speed import cases, native

    rows = {case.label: case for case in cases()}
    print(json.dumps(list(rows)), flush=True)
    for line in sys.stdin:
        row, playouts, seed = json.loads(line)
        search = native(rows[row]).search(rows[row].algorithm.core(), seed, 1)
        before = int(playouts * WARM_UP)
        advance(search, before)
        start = time.process_time()
        advance(search, before + playouts)
        seconds = time.process_time() - start
        found = [(step["playouts"], step["score"]) for step in search.improvements[0]]
        print(json.dumps([seconds, hashlib.sha256(repr(found).encode()).hexdigest()]), flush=True)


def measure(
    both: list[Searcher], row: str, pairs: int, seconds: float
) -> tuple[int, list[tuple[float, float]], bool]:
    """Return the playouts of a search, the CPU times of both in each pair, and if they found alike.

    A first search of the old one says how many playouts take so many seconds.
    """
    playouts = trial = 100
    while (taken := both[0].search(row, trial, 0)[0]) < seconds / 10:
        trial *= 4
    playouts = max(1, round(trial * seconds / taken))
    times, alike = [], True
    for number in range(pairs):
        order = both if number % 2 == 0 else both[::-1]
        done = {searcher: searcher.search(row, playouts, number) for searcher in order}
        (old, found), (new, other) = (done[searcher] for searcher in both)
        times.append((old, new))
        alike = alike and found == other
    return playouts, times, alike


def interval(ratios: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the median of some ratios."""
    drawn = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return float(low), float(high)


def chosen(both: list[Searcher], wanted: list[str]) -> list[str]:
    """Return the rows that both have and that contain a wanted word, all if none is wanted."""
    common = [row for row in both[0].rows if row in both[1].rows]
    rows = [row for row in common if any(word.lower() in row.lower() for word in wanted or [""])]
    return rows or sys.exit(f"--rows: none of {', '.join(common)}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("old", help="a commit, or the folder of a built checkout")
    parser.add_argument("new", help="the same")
    parser.add_argument("--rows", nargs="+", default=[], help="words of the rows to run")
    parser.add_argument("--pairs", type=int, default=15, help="pairs of searches for each row")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of each search")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # the checkouts are removed
    table = Table(title=f"{arguments.new} against {arguments.old}", box=box.MARKDOWN)
    table.add_column("problem")
    for column in ("old, playouts/s", "new, playouts/s", "new/old", "95 %", "outcomes"):
        table.add_column(column, justify="right")
    with ExitStack() as stack:
        folders = [stack.enter_context(checkout(name)) for name in (arguments.old, arguments.new)]
        both = [stack.enter_context(Searcher(folder)) for folder in folders]
        for row in chosen(both, arguments.rows):
            playouts, times, alike = measure(both, row, arguments.pairs, arguments.seconds)
            speeds = [playouts / statistics.median(each) for each in zip(*times, strict=True)]
            ratios = [old / new for old, new in times]
            low, high = interval(ratios)
            table.add_row(
                row,
                *(f"{speed:,.0f}" for speed in speeds),
                f"{statistics.median(ratios):.3f}",
                f"{low:.3f} to {high:.3f}",
                "same" if alike else "other",
            )
            print(f"{row}: {statistics.median(ratios):.3f}", file=sys.stderr)
    Console(width=120).print(table)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
