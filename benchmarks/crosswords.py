"""Crosswords by local search, beside GNRPA with polish and at equal playouts.

    python benchmarks/crosswords.py [--playouts 300 2000 20000 200000] [--seeds 7]
    python benchmarks/crosswords.py --long 110000000 [--seeds 3]

The first prints medians of one job for the two contests of nrpa-2011, both lists together on a
larger grid, and the first list on a smaller one; the settings were chosen with CrossC alone. The
second prints what local search of CrossC finds in two jobs of so many playouts each, and when.
"""

from __future__ import annotations

import argparse
import time
from statistics import median_low

import nestor
from nestor import GNRPA, LocalSearch
from nestor.problems import Crossword


def crosswords() -> dict[str, Crossword]:
    """Return the crosswords by name."""
    capitals, parks = Crossword.crossc(), Crossword.crossp()
    return {
        "CrossC": capitals,
        "CrossP": parks,
        "both, 25 x 25": Crossword(list(dict.fromkeys((*capitals.words, *parks.words))), 25),
        "CrossC, 11 x 11": Crossword([word for word in capitals.words if len(word) < 12], 11),
    }


def compare(playouts: list[int], seeds: range) -> None:
    """Print a line for each crossword and number of playouts."""
    for name, problem in crosswords().items():
        for count in playouts:
            cells = []
            for way in (GNRPA(2, (20, max(100, count // 10_000)), polish=True), LocalSearch()):
                began = time.process_time()
                results = [
                    nestor.solve(problem, way, playouts=count, jobs=1, seed=seed) for seed in seeds
                ]
                spent = (time.process_time() - began) / len(seeds)
                median = median_low(result.score for result in results)
                cells.append(f"{problem.show_score(median)} ({spent:.2f} s)")
            print(f"| {name} | {count:,} | {' | '.join(cells)} |", flush=True)


def long(playouts: int, seeds: range) -> None:
    """Print what long searches of CrossC find, and after how many playouts of both jobs."""
    problem = Crossword.crossc()
    for seed in seeds:
        began = time.process_time()
        result = nestor.solve(problem, LocalSearch(), playouts=2 * playouts, jobs=2, seed=seed)
        spent = time.process_time() - began
        last = ", ".join(
            f"{problem.show_score(found.score)} after {found.playouts:,}"
            for found in result.improvements[-5:]
        )
        print(f"seed {seed}, {spent:.0f} CPU seconds: {last}", flush=True)


def main() -> None:
    """Print the lines that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--playouts", type=int, nargs="+", default=[300, 2000, 20_000, 200_000])
    parser.add_argument("--long", type=int)
    parser.add_argument("--seeds", type=int, default=7)
    asked = parser.parse_args()
    seeds = range(1, asked.seeds + 1)
    if asked.long:
        long(asked.long, seeds)
    else:
        compare(asked.playouts, seeds)


if __name__ == "__main__":
    main()
