"""Parallel speed-up: the same search on several threads and on one, in turn.

    python benchmarks/parallel.py [--threads 2] [--playouts 100000] [--repeats 5]

Every search does the same playouts, with the same result, on any number of threads. The speed-up is
the median of the repeats; each repeat is a pair of searches, one right after the other. The
processor time on one thread divided by that on several says what the threads cost (1.00: nothing),
even if others use the machine. Memory is the peak of a separate process, from /proc (Linux): the
total, and what each further thread adds. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, NRPA, _core, data
from nestor.problems import TSPTW, Morpion, SameGame
from nestor.runs.session import Limits

STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Case:
    """A problem and a parallel algorithm; `goal` is the speed-up to keep on 2 threads."""

    label: str
    problem: Any
    algorithm: NRPA
    jobs: int = 1
    goal: float | None = None


def cases() -> list[Case]:
    """Return the benchmark's searches."""
    board = SameGame.read(data.find("samegame/problems.txt"), board=1)
    tour = TSPTW.read(data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt"))
    leaf: dict[str, Any] = {"width": 16}
    node: dict[str, Any] = {"width": (1, 4, 1)}
    tau: dict[str, Any] = {"temperature": 1.4}
    return [
        Case("SameGame 1, root: 4 jobs", board, GNRPA(), 4, 1.9),
        Case("SameGame 1, leaf, width 16", board, GNRPA(**leaf), goal=1.7),
        Case("SameGame 1, leaf, width 16, local", board, GNRPA(**leaf, policies="local")),
        Case("SameGame 1, level 2, width 4", board, GNRPA(**node)),
        Case("SameGame 1, level 2, width 4, local", board, GNRPA(**node, policies="local")),
        Case("rc_204.1, leaf, width 16", tour, GNRPA(**leaf, **tau), goal=1.5),
        Case("rc_204.1, leaf, width 64", tour, GNRPA(width=64, **tau), goal=1.85),
        Case("rc_204.1, level 2, width 4", tour, GNRPA(**node, **tau)),
        Case("Morpion 5D, leaf, width 16", Morpion("5D"), NRPA(**leaf)),
        Case("Morpion 5D, leaf, width 64", Morpion("5D"), NRPA(width=64), goal=1.85),
    ]


def begin(case: Case, seed: int) -> _core.Search:
    """Return a search of a case that has not started."""
    bias = case.algorithm.bias_settings.bias
    problem = case.problem.with_bias(case.problem.default_bias if bias is None else bias)
    core: _core.Problem = problem.core()
    return core.search(case.algorithm.core(), seed, case.jobs)


def seconds(case: Case, threads: int, playouts: int, seed: int) -> tuple[float, float]:
    """Return wall and processor time of this many playouts, after a warm-up of a tenth."""
    search = begin(case, seed)
    search.advance(Limits(1e6, threads, playouts // 10))
    start = time.perf_counter(), time.process_time()
    search.advance(Limits(1e6, threads, playouts + playouts // 10))
    return time.perf_counter() - start[0], time.process_time() - start[1]


def peak(number: int, threads: int, playouts: int) -> float | None:
    """Return the peak memory in MB of a process that runs a case, None if /proc has none."""
    if not STATUS.exists():
        return None
    command = [sys.executable, __file__, "--peak", str(number)]
    command += ["--threads", str(threads), "--playouts", str(playouts)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def print_peak(number: int, threads: int, playouts: int) -> None:
    """Run a case and print this process's peak memory in MB."""
    begin(cases()[number], seed=0).advance(Limits(1e6, threads, playouts))
    found = re.search(r"VmHWM:\s+(\d+) kB", STATUS.read_text())
    print(int(found[1]) / 1024 if found else "nan")


def row(number: int, case: Case, arguments: argparse.Namespace) -> list[str]:
    """Measure a case."""
    threads, playouts = arguments.threads, arguments.playouts
    ratios, costs, alone, together = [], [], [], []
    for repeat in range(arguments.repeats):
        # They take turns to go first, so that a trend of the machine favours neither.
        times = {}
        for count in (1, threads) if repeat % 2 else (threads, 1):
            times[count] = seconds(case, count, playouts, seed=repeat)
        ratios.append(times[1][0] / times[threads][0])
        costs.append(times[1][1] / times[threads][1])
        alone.append(playouts / times[1][0])
        together.append(playouts / times[threads][0])
    one, several = peak(number, 1, playouts), peak(number, threads, playouts)
    memory = ["", ""]
    if one is not None and several is not None:
        memory = [f"{several:.0f}", f"{(several - one) / (threads - 1):.1f}"]
    return [
        case.label,
        f"{statistics.median(alone):,.0f}",
        f"{statistics.median(together):,.0f}",
        f"{statistics.median(ratios):.2f}",
        f"{min(ratios):.2f} to {max(ratios):.2f}",
        f"{case.goal}" if case.goal and threads == 2 else "",
        f"{statistics.median(costs):.2f}",
        *memory,
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--playouts", type=int, default=100_000, help="playouts of each search")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peak", type=int, help="run only this case and print its peak memory")
    arguments = parser.parse_args()
    if arguments.peak is not None:
        print_peak(arguments.peak, arguments.threads, arguments.playouts)
        return
    table = Table(title=f"{arguments.threads} threads over one, level 3, N = 100")
    for column in (
        "search",
        "playouts/s on 1",
        f"on {arguments.threads}",
        "speed-up",
        "from to",
        "goal",
        "processor",
        "MB",
        "MB/thread",
    ):
        table.add_column(column, justify="left" if column == "search" else "right")
    for number, case in enumerate(cases()):
        table.add_row(*row(number, case, arguments))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
