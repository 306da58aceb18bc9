"""How much slower an algorithm written with `nestor.research` is than the core.

    python benchmarks/primitives.py [--iterations 50] [--repeats 5]

It runs NRPA of level 3 with the levels up to 0, 1 or 2 in the core and those above in Python, in
turn with the same search in the core alone. It prints the ratio of their speeds in processor time,
the median of the pairs. Both must find the same. Needs the benchmark data (`NESTOR_DATA`).
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import NRPA, data
from nestor.problems import TSPTW, Morpion, SameGame
from nestor.research import Key, Playout, Policy, adapt, run_level
from nestor.runs.session import Limits


def nrpa(
    problem: Any, policy: Policy, level: int, key: Key, iterations: int, native: int
) -> Playout:
    """Run NRPA with the levels up to `native` in the core."""
    if level <= native:
        return run_level(problem, policy, level, iterations, key=key)
    policy = policy.copy()
    best: Playout | None = None
    for i in range(iterations):
        new = nrpa(problem, policy, level - 1, key.child(i), iterations, native)
        if best is None or new.score >= best.score:
            best = new
        adapt(policy, best)
    assert best is not None
    return best


def ratio(problem: Any, iterations: int, native: int, seed: int) -> float:
    """Return the speed of the search in Python, divided by that of the core."""
    search = problem.core().search(NRPA(3, iterations).core(), seed, 1)
    start = time.process_time()
    search.advance(Limits(1e6, 1, restart=False))
    alone = time.process_time()
    key = Key(seed).child(0).child(0)
    best = nrpa(problem, Policy(problem), 3, key, iterations, native)
    together = time.process_time()
    assert best.score == search.score
    return (alone - start) / (together - alone)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--iterations", type=int, default=50, help="iterations of each level")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    rc_204 = TSPTW.read(data.find("tsptw/SolomonPotvinBengio/rc_204.1.txt"))
    board = SameGame.read(data.find("samegame/problems.txt"), board=1)
    table = Table(title=f"Speed over the core's, NRPA level 3, N = {arguments.iterations}")
    table.add_column("problem")
    for native in (2, 1, 0):
        table.add_column(f"core up to level {native}", justify="right")
    for name, problem in (
        ("TSPTW rc_204.1", rc_204.with_bias("distance")),
        ("SameGame board 1", board.with_bias("size")),
        ("Morpion 5D", Morpion("5D")),
    ):
        cells = []
        for native in (2, 1, 0):
            seeds = range(arguments.repeats)
            ratios = [ratio(problem, arguments.iterations, native, seed) for seed in seeds]
            cells.append(f"{statistics.median(ratios):.2f}")
        table.add_row(name, *cells)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
