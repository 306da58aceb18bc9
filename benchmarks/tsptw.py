"""Tours with time windows by local search: beside the best known cost, LKH-3 or PyVRP.

    python benchmarks/tsptw.py potvin      [--seconds 3]  [--seeds 3] [--plain] [--makespan]
    python benchmarks/tsptw.py pesant      [--seconds 3]  [--seeds 3]
    python benchmarks/tsptw.py dumas       [--seconds 3]  [--seeds 3]
    python benchmarks/tsptw.py gendreau    [--seconds 3]  [--seeds 3]
    python benchmarks/tsptw.py car-200     [--seconds 10] [--seeds 1]
    python benchmarks/tsptw.py car-500     [--seconds 10] [--seeds 1]
    python benchmarks/tsptw.py random-1000 [--seconds 10] [--seeds 1] [--numbers 1]

The first four are published sets (`NESTOR_DATA`): both of Solomon, those of Dumas with 100 to 200
cities, and of Gendreau. The next two are the hard half of a test set of 200 and 500 stops, beside
the cost of LKH-3. A search of these ends at that cost. The last is made at random (`tours.py`):
random-400, near-150, narrow-60 or crane-152, with as many stops as the name says and windows of
three widths. PyVRP (`pip install pyvrp`) gets the same time, and is what "best" says. All seconds
are CPU seconds of one thread. `--plain` is GNRPA, level 3, N = 100.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from tours import MAKERS, made

from nestor import GNRPA, Algorithm, LocalSearch, Progress, Result, data, solve
from nestor.problems import TSPTW

SETS = {
    "potvin": "SolomonPotvinBengio",
    "pesant": "SolomonPesant",
    "dumas": "Dumas",
    "gendreau": "GendreauDumasExtended",
}
PLAIN = GNRPA(3, 100)
PENALTY = 1e6
"""What a missed window costs."""


def published(name: str, column: str) -> Iterator[tuple[TSPTW, float]]:
    """Yield the instances of a set with their best known costs, or makespans."""
    folder = data.find("tsptw")
    with tempfile.TemporaryDirectory() as scratch:
        if not (folder / name).is_dir():
            with tarfile.open(folder / f"{name}.tar.xz") as archive:
                archive.extractall(scratch, filter="data")
        files = folder / name if (folder / name).is_dir() else Path(scratch, name)
        with (folder / f"{name}_best_known.csv").open() as file:
            for row in csv.DictReader(file):
                if name != "Dumas" or int(row["n"]) > 100:
                    problem = TSPTW.read(files / row["instance"])
                    if row[column]:
                        yield problem, float(row[column])


def beside_lkh(stops: int) -> Iterator[tuple[TSPTW, float]]:
    """Yield the instances of a set with the costs of LKH-3, infinite where it misses a window.

    Some windows open before time 0, when the tour begins.
    """
    with lzma.open(data.find("tsptw") / f"CaR{stops}_hard.jsonl.xz", "rt") as file:
        for number, line in enumerate(file):
            day = json.loads(line)
            x, y = np.array(day["x"]), np.array(day["y"])
            matrix = np.hypot(x[:, None] - x, y[:, None] - y)
            windows = np.column_stack([np.maximum(day["ready"], 0.0), day["due"]])
            cost = np.inf if day["lkh_late"] else day["lkh_cost"]
            yield TSPTW(matrix, windows, label=f"{stops} stops, number {number}"), cost


def search(
    problem: TSPTW, algorithm: Algorithm, seconds: float, seed: int, target: float | None
) -> tuple[Result, float]:
    """Return what a search finds within these CPU seconds, and how many it took."""
    begin = time.process_time()

    def goes_on(_: Progress) -> bool:
        return time.process_time() - begin < seconds

    found = solve(
        problem, algorithm, seconds=1000 * seconds, target=target, seed=seed, threads=1,
        callback=goes_on,
    )  # fmt: skip
    return found, time.process_time() - begin


def by_pyvrp(problem: TSPTW, seconds: float, seed: int) -> float:
    """Return the cost that PyVRP finds with one vehicle, infinite if it misses a window."""
    from pyvrp import Model

    model = Model()
    (first, last), *windows = problem.windows.astype(int).tolist()
    places = [model.add_location(0, 0) for _ in problem.windows]
    model.add_depot(places[0], tw_early=first, tw_late=last)
    model.add_vehicle_type(1, tw_early=first, tw_late=last)
    for place, (earliest, latest) in zip(places[1:], windows, strict=True):
        model.add_client(place, tw_early=earliest, tw_late=latest)
    for i, origin in enumerate(places):
        for j, other in enumerate(places):
            if i != j:
                model.add_edge(origin, other, int(problem.matrix[i][j]), int(problem.matrix[i][j]))
    begin = time.process_time()
    found = model.solve(lambda _: time.process_time() - begin > seconds, seed=seed, display=False)
    return float(found.cost())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", help=f"{', '.join(SETS)}, or {'-N, '.join(MAKERS)}-N")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--makespan", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="only every so manyth instance")
    parser.add_argument("--numbers", type=int, default=1, help="so many instances of each width")
    asked = parser.parse_args()
    algorithm = PLAIN if asked.plain else LocalSearch()
    column = "best_known_makespan" if asked.makespan else "recomputed_cost"
    console = Console()
    console.print(algorithm.describe())
    heads = "instance", "best", "found", "no window missed after", "found after", "evaluated/s"
    table = Table(*heads, caption="CPU seconds")
    total, reached, runs, slowest = 0.0, 0, 0, 0.0
    known: Sequence[tuple[TSPTW, float | None]]
    if asked.set in SETS:
        known = [*published(SETS[asked.set], column)]
    elif asked.set.startswith("car-"):
        known = [*beside_lkh(int(asked.set.removeprefix("car-")))]
    else:
        style, stops = asked.set.split("-")
        known = [(problem, None) for problem in made(style, int(stops), asked.numbers)]
    for problem, cost in known[:: asked.every]:
        if asked.makespan:
            problem = replace(problem, objective="makespan")
        target = None if cost is None else cost + 0.005
        for seed in range(1, asked.seeds + 1):
            found, seconds = search(problem, algorithm, asked.seconds, seed, target)
            runs, total = runs + 1, total + seconds
            reached += target is not None and found.score <= target
            share = seconds / max(found.seconds, 1e-9)
            times = [better.seconds for better in found.improvements if better.score < PENALTY]
            slowest = max(slowest, seconds)
            best = by_pyvrp(problem, asked.seconds, seed) if cost is None else cost
            table.add_row(
                problem.label, f"{best:.2f}", problem.show_score(found.score),
                f"{share * times[0]:.2f}" if times else "never",
                f"{share * found.improvements[-1].seconds:.2f}",
                f"{found.evaluated / seconds:,.0f}",
            )  # fmt: skip
    console.print(table)
    console.print(f"{reached} of {runs}; {total:.1f} CPU seconds, at most {slowest:.1f}")


if __name__ == "__main__":
    main()
