"""Tables 1 and 2 of learned-prior-2024: how many puzzles are solved, beside the paper.

    python papers/learned-prior-2024/table.py latin [--number 100] [--level 3]
    python papers/learned-prior-2024/table.py latin-forward --level 1
    python papers/learned-prior-2024/table.py kakuro

The puzzles are generated with seeds 0 to number - 1. The priors that come with Nestor were learned
from other puzzles. Each search runs with seed 1 until it solves its puzzle or has done 131,072
playouts. The last column is the least difference to the paper's numbers over the budgets, in
standard errors of the difference of two such counts. latin-forward has no hidden singles.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from nestor import GNRPA, NRPA, Algorithm, Sampling, solve
from nestor.problems import Kakuro, LatinSquare

BUDGETS = [2**k for k in range(10, 18)]

PUBLISHED = {
    "latin": {
        "sampling": (2, 5, 10, 16, 26, 36, 49, 61),
        "sampling + prior": (12, 24, 34, 48, 70, 80, 89, 95),
        "NRPA": (8, 16, 25, 35, 48, 61, 70, 80),
        "GNRPA + prior": (26, 39, 54, 67, 83, 91, 95, 98),
    },
    "kakuro": {
        "sampling": (0,) * 8,
        "sampling + prior": (100,) * 8,
        "NRPA": (0, 0, 0, 23, 35, 65, 86, 98),
        "GNRPA + prior": (100,) * 8,
    },
}
"""Solved of 100 at each budget: tables 1 (Latin squares) and 2 (Kakuro)."""

PUBLISHED["latin-forward"] = PUBLISHED["latin"]

PUZZLES: dict[str, Callable[[int], Any]] = {
    "latin": partial(LatinSquare.generate, 20, 0.42),
    "latin-forward": partial(LatinSquare.generate, 20, 0.42, hidden_singles=False),
    "kakuro": partial(Kakuro.generate, 10, 11),
}
PRIORS = {
    "latin": "latin_square_20",
    "latin-forward": "latin_square_20_forward",
    "kakuro": "kakuro_10_11",
}


def algorithms(family: str, level: int) -> dict[str, Algorithm]:
    """Return the rows of the table."""
    prior: dict[str, Any] = {"prior": PRIORS[family], "prior_temperature": 4.0}
    return {
        "sampling": Sampling(),
        "sampling + prior": Sampling(**prior),
        "NRPA": NRPA(level=level),
        "GNRPA + prior": GNRPA(level=level, **prior),
    }


def playouts_needed(family: str, algorithm: Algorithm, seed: int) -> float:
    """Return the playouts it takes to solve a puzzle; infinity if more than the last budget."""
    result = solve(
        PUZZLES[family](seed), algorithm, playouts=BUDGETS[-1], target=0, seed=1, threads=1
    )
    return result.playouts if result.stop_reason == "target" else math.inf


def standard_errors(ours: int, number: int, theirs: int) -> float:
    """Return the difference of two shares in standard errors; zero if they are equal."""
    share, published = ours / number, theirs / 100
    pooled = (ours + theirs) / (number + 100)
    error = math.sqrt(pooled * (1 - pooled) * (1 / number + 1 / 100))
    return (share - published) / error if error else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("family", choices=PUZZLES)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--level", type=int, default=3, help="level of NRPA and GNRPA (N = 100)")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    number = arguments.number
    title = f"{arguments.family}: solved of {number} (paper of 100), level {arguments.level}"
    table = Table(title=title)
    table.add_column("algorithm")
    for budget in BUDGETS:
        table.add_column(f"{budget:,}", justify="right")
    table.add_column("least s.e.", justify="right")
    with ProcessPoolExecutor(arguments.processes) as pool:
        for name, algorithm in algorithms(arguments.family, arguments.level).items():
            published = PUBLISHED[arguments.family][name]
            work = partial(playouts_needed, arguments.family, algorithm)
            needed = list(pool.map(work, range(number)))
            solved = [sum(playouts <= budget for playouts in needed) for budget in BUDGETS]
            pairs = zip(solved, published, strict=True)
            errors = [standard_errors(ours, number, theirs) for ours, theirs in pairs]
            table.add_row(name, *map(str, solved), f"{min(errors):+.1f}")
            table.add_row("  paper", *map(str, published), "", style="dim")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
