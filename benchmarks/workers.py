"""Workers: what processes gain, what segments cost, and how many workers a scheduler can feed.

    python benchmarks/workers.py [--seconds 20]

A rate counts from the moment when all workers search. It is given by wall time, and by the
processor time of this process and its children, which says what segments cost even if others use
the machine. Linux only (/proc). Needs the data (`NESTOR_DATA`), `rna` and `cluster`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cloudpickle
from distributed import Client
from distributed.deploy.subprocess import SubprocessCluster

from nestor import NRPA, Progress, data, solve
from nestor.problems import RNA, TSPTW, Morpion, SameGame
from nestor.problems.own import adapt
from nestor.runs.elsewhere.executors import Cluster, Processes, Team, _on_worker
from nestor.runs.elsewhere.segments import Setup, Start, State, segment
from nestor.runs.elsewhere.workers import WorkersSearch
from nestor.runs.session import Limits

TICKS = os.sysconf("SC_CLK_TCK")
TARGET = "(((((....)))))" * 28 + "........"
"""A target of 400 bases."""


SOME = 8
"""Updates of the progress before a rate counts."""


class Order:
    """Put 20 things in order: a problem in Python with cheap rules."""

    def initial(self) -> tuple[int, ...]:
        """Return no order."""
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        """Return the other things."""
        return [thing for thing in range(20) if thing not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Take a thing."""
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        """Add up the distances of things that follow each other."""
        return -float(sum(abs(a * 7 % 20 - b) for a, b in pairwise(state)))

    def code(self, state: tuple[int, ...], move: int) -> tuple[int, int]:
        """Return what follows what."""
        return (state[-1] if state else -1), move


def processor_seconds() -> float:
    """Return the processor time of this process and its children so far."""
    own = f"/proc/{os.getpid()}"
    lists = Path(f"{own}/task").glob("*/children")
    folders = [own, *(f"/proc/{pid}" for each in lists for pid in each.read_text().split())]
    ticks = 0
    for folder in folders:
        fields = Path(folder, "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


@dataclass
class Rate:
    """The playouts of a run from its start-up to its end."""

    wall: float
    processor: float


def rate(problem: Any, algorithm: NRPA, seconds: float, **where: Any) -> Rate:
    """Return the playouts per second of a run, by wall and by processor time."""
    marks: list[tuple[float, float, int]] = []

    def mark(progress: Progress) -> bool:
        # All workers search by the time when there have been some segments.
        if progress.playouts > (marks[-1][2] if marks else 0):
            marks.append((time.monotonic(), processor_seconds(), progress.playouts))
        return len(marks) <= SOME or marks[-1][0] - marks[SOME][0] < seconds

    solve(problem, algorithm, seconds=100 * seconds, seed=1, callback=mark, **where)
    (begun, used, before), (ended, later, after) = marks[SOME], marks[-1]
    return Rate((after - before) / (ended - begun), (after - before) / (later - used))


def compare(label: str, first: Callable[[], Rate], second: Callable[[], Rate], goal: str) -> None:
    """Print two rates, one after the other and in turn, and their ratios."""
    rates = [each() for each in (first, second, first, second)]
    one, two = (
        Rate(max(a.wall, b.wall), max(a.processor, b.processor))
        for a, b in zip(rates[:2], rates[2:], strict=True)
    )
    print(
        f"| {label} | {one.wall:,.1f} | {two.wall:,.1f} | {two.wall / one.wall:.2f} "
        f"| {two.processor / one.processor:.3f} | {goal} |",
        flush=True,
    )


def segment_cost(team: Team, width: int, seconds: float = 5.0) -> tuple[float, float]:
    """Return how many trivial segments a second are done, and this process's time for each."""
    asked = Setup(adapt(SameGame([[1, 2], [2, 1]])), NRPA(1, 10), 0)
    search = WorkersSearch(asked, 1, team)
    arguments: tuple[Any, ...] = (
        segment,
        team.run,
        search._digest,
        search._packed,
        0,
        Start(),
        Limits(0, 1, 1, longest=99),
    )
    running = {team.submit(*arguments) for _ in range(width)}
    wait(running)
    begun, used, done = time.monotonic(), time.process_time(), 0
    while time.monotonic() < begun + seconds:
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        done += sum(future.result() is not None for future in ended)
        running |= {team.submit(*arguments) for _ in ended}
    wait(running)
    return done / (time.monotonic() - begun), (time.process_time() - used) / done


def segment_bytes(problem: Any, seconds: float, count: int = 5) -> tuple[int, int, int]:
    """Return the bytes of segments of this length, at level 4, after the first.

    They are the means of what one gets and gives, and of what one gets that goes on elsewhere.
    """
    asked = Setup(adapt(problem), NRPA(4), 0)
    packed, limits = asked.packed(), Limits(seconds, 1)
    digest = hashlib.sha256(packed).hexdigest()
    state, start, sizes = State(), Start(), []
    for _ in range(count):
        again = Start.at(state, start.digest, True)
        done = segment("run", digest, packed, 0, start, limits)
        assert done is not None
        given = ((segment, "run", digest, None, 0, each, limits) for each in (start, again))
        sizes.append([len(pickle.dumps(each)) for each in (*given, done)])
        state = state.then(done.state)
        start = Start.at(state, state.digest(digest, 0), False)
    get, elsewhere, give = (round(sum(each) / (count - 1)) for each in zip(*sizes[1:], strict=True))
    return get, give, elsewhere


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    board = SameGame.read(data.find("samegame/problems.txt"), board=1)

    def on(problem: Any, level: int, **where: Any) -> Callable[[], Rate]:
        return lambda: rate(problem, NRPA(level), seconds, **where)

    print("| | playouts/s, first | second | ratio | by processor time | goal |")
    print("|---|---|---|---|---|---|")
    one, two = {"workers": 1, "jobs": 1}, {"workers": 2, "jobs": 2}
    compare("Python: 1 process, 2", on(Order(), 3, **one), on(Order(), 3, **two), ">= 1.8")
    rna = RNA(TARGET)
    compare("RNA, 400: 1 process, 2", on(rna, 2, **one), on(rna, 2, **two), ">= 1.8")
    threads: dict[str, Any] = {"threads": 2, "jobs": 2}
    compare("RNA, 400: 1 thread, 2", on(rna, 2, threads=1, jobs=1), on(rna, 2, **threads), "")
    compare(
        "SameGame 1: 2 threads, 2 processes",
        on(board, 3, **threads),
        on(board, 3, **two),
        ">= 0.97",
    )

    costs(board)


def costs(board: SameGame) -> None:
    """Print what segments cost, and on paper how many a second some numbers of cores need."""
    processes = Processes(2)
    print(
        "\nprocesses: {:,.0f} trivial segments/s, {:.2g} s of the client each".format(
            *segment_cost(processes, 2)
        )
    )
    processes.close()
    with SubprocessCluster(n_workers=2, threads_per_worker=1) as made, Client(made) as client:
        team = Cluster(client, own=False)
        before: float = client.run_on_scheduler(time.process_time)
        each, own = segment_cost(team, 8, 20.0)
        used = client.run_on_scheduler(time.process_time) - before
        scheduler = used / (each * 20.0)
        print(
            f"dask: {each:,.0f} trivial segments/s, {own:.2g} s of the client and "
            f"{scheduler:.2g} s of the scheduler each"
        )
    print(
        "\n| segments of 5 s, level 4 | gets, bytes | gives | gets elsewhere |\n|---|---|---|---|"
    )
    call = len(cloudpickle.dumps(_on_worker))
    sent = 0
    tsptw = TSPTW.read(data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt"))
    names = {"SameGame board 1": board, "TSPTW rc_204.1": tsptw, "Morpion 5D": Morpion("5D")}
    for name, problem in names.items():
        given, taken, elsewhere = segment_bytes(problem, 5.0)
        print(f"| {name} | {given:,} | {taken:,} | {elsewhere:,} |")
        sent = max(sent, given + taken + call)
    print("| cores | seconds of a segment | segments/s | client | scheduler | MB/s |")
    print("|---|---|---|---|---|---|")
    for cores in (160, 1600, 16_000):
        length = min(30.0, max(5.0, cores / 100))
        often = cores / length
        print(
            f"| {cores:,} | {length:g} | {often:,.0f} | {often * own:.0%} | "
            f"{often * scheduler:.0%} | {often * sent / 1e6:.2f} |"
        )


if __name__ == "__main__":
    main()
