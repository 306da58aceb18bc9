"""Speed on one thread: playouts per second of NRPA, and where a level-1 search spends its time.

    python benchmarks/speed.py [--playouts 300000] [--repeats 5]

Playouts per second are those of whole level-3 searches, including adapt at every level: the median
and the best of the repeats. The shares are measured in a separate loop, playout by playout: the
rules alone (the same moves replayed), sampling (the rest of the playout), and adapt. Needs the
benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, NRPA, _core, data
from nestor.problems import TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.runs.session import Limits


@dataclass(frozen=True)
class Case:
    """A problem, an algorithm, and the speeds to compare with.

    `floor` is the speed to keep, `peer` that of the fastest other program known (playouts/s).
    """

    label: str
    problem: Any
    algorithm: NRPA
    floor: float | None
    peer: float | None


def cases() -> list[Case]:
    """Return the benchmark's problems."""
    tsptw = data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt")
    board = data.find("samegame/problems.txt")
    gnrpa = GNRPA(temperature=1.4)
    kakuro = Kakuro.generate(10, 11, 1, pruning=False)
    return [
        Case(
            "TSPTW rc_204.1, all moves", TSPTW.read(tsptw, selective=False), gnrpa, 150_000, 8_000
        ),
        Case("TSPTW rc_204.1, selective", TSPTW.read(tsptw), gnrpa, None, None),
        Case("SameGame board 1", SameGame.read(board, board=1), GNRPA(), 20_000, 6_200),
        Case("Morpion 5D", Morpion("5D"), NRPA(), 60_000, 45_000),
        Case("Morpion 5T", Morpion("5T"), NRPA(), None, None),
        Case("Crossword CrossC", Crossword.crossc(), NRPA(), 8_000, 1_200),
        Case("Latin square, order 20", LatinSquare.generate(20, 0.42, 1), NRPA(), 30_000, None),
        Case("Latin square, order 30", LatinSquare.generate(30, 0.42, 1), NRPA(), 50_000, None),
        Case("Kakuro 10x10, values to 11", kakuro, NRPA(), 30_000, None),
    ]


def native(case: Case) -> _core.Problem:
    """Return the core's problem, with the algorithm's bias."""
    bias = case.algorithm.bias_settings.bias
    problem = case.problem.with_bias(case.problem.default_bias if bias is None else bias)
    core: _core.Problem = problem.core()
    return core


def speed(case: Case, playouts: int, seed: int) -> float:
    """Return playouts per second of one search."""
    search = native(case).search(case.algorithm.core(), seed, 1)
    search.advance(Limits(1e6, 1, playouts // 10))
    start = time.perf_counter()
    search.advance(Limits(1e6, 1, playouts + playouts // 10))
    return playouts / (time.perf_counter() - start)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--playouts", type=int, default=300_000, help="playouts of each search")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    table = Table(title="One thread, NRPA/GNRPA level 3, N = 100")
    for column in (
        "problem",
        "playouts/s",
        "best",
        "floor",
        "x peer",
        "steps",
        "legal moves",
        "ns/legal move",
        "rules",
        "sampling",
        "adapt",
    ):
        table.add_column(column, justify="left" if column == "problem" else "right")
    for case in cases():
        speeds = [speed(case, arguments.playouts, seed) for seed in range(arguments.repeats)]
        median = statistics.median(speeds)
        level, temperature = case.algorithm.levels()[0], getattr(case.algorithm, "temperature", 1.0)
        rate, count = level.alpha / (temperature * temperature), arguments.playouts // 3
        timing = native(case).timing(level.iterations, rate, count)
        playout, rules, adapt = timing["playouts"], timing["rules"], timing["adapt"]
        steps, legal = timing["steps"], timing["legal"]
        total = playout + adapt
        table.add_row(
            case.label,
            f"{median:,.0f}",
            f"{max(speeds):,.0f}",
            f"{case.floor:,.0f}" if case.floor else "",
            f"{median / case.peer:.1f}" if case.peer else "",
            f"{steps / count:.1f}",
            f"{legal / count:,.0f}",
            f"{1e9 / median / (legal / count):.2f}",
            f"{rules / total:.0%}",
            f"{(playout - rules) / total:.0%}",
            f"{adapt / total:.0%}",
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
