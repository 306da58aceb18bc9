"""Small problems of functions: how often the default finds the best, and how far it is from it.

    python benchmarks/small.py --playouts 2000 20000 --label today --save small.jsonl

Four instances of each problem are drawn at random, and each is searched with three seeds. Runs of
another version of Nestor can be added to the file with another label. The best of an instance is
the best of all runs in the file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import nestor


def qap(count: int, rng: Random) -> nestor.Order:
    """Return facilities for places: flows times distances."""
    flow, far = ([[rng.randint(0, 9) for _ in range(count)] for _ in range(count)] for _ in "12")
    pairs = [(a, b) for a in range(count) for b in range(count)]
    return nestor.Order(count, lambda at: sum(flow[a][b] * far[at[a]][at[b]] for a, b in pairs))


def setups(count: int, rng: Random) -> nestor.Order:
    """Return jobs with a setup between each two."""
    setup = [[rng.randint(1, 99) for _ in range(count)] for _ in range(count)]
    return nestor.Order(count, lambda jobs: sum(setup[a][b] for a, b in pairwise(jobs)))


def late(count: int, rng: Random) -> nestor.Order:
    """Return jobs on a machine: the sum of weighted lateness."""
    jobs = [
        (rng.randint(1, 20), rng.randint(5, 8 * count), rng.randint(1, 9)) for _ in range(count)
    ]

    def cost(order: Sequence[int]) -> int:
        time = total = 0
        for job in order:
            length, due, weight = jobs[job]
            time += length
            total += weight * max(0, time - due)
        return total

    return nestor.Order(count, cost)


def arrangement(count: int, rng: Random) -> nestor.Order:
    """Return a graph to be put on a line: the sum of the lengths of its edges."""
    edges = [pair for pair in combinations(range(count), 2) if rng.random() < 0.25]

    def cost(order: Sequence[int]) -> int:
        place = {node: at for at, node in enumerate(order)}
        return sum(abs(place[a] - place[b]) for a, b in edges)

    return nestor.Order(count, cost)


def magic(side: int, _: Random) -> nestor.Order:
    """Return the numbers of a square whose rows, columns and diagonals have one sum."""
    cells = range(side * side)
    lines = [list(cells[row * side : (row + 1) * side]) for row in range(side)]
    lines += [list(column) for column in zip(*lines, strict=True)]
    lines += [list(cells[:: side + 1]), list(cells[side - 1 : -1 : side - 1])]
    wanted = side * (side * side - 1) // 2
    return nestor.Order(
        side * side,
        lambda given: sum(abs(sum(given[at] for at in line) - wanted) for line in lines),
    )


def cut(count: int, rng: Random) -> nestor.Assignment:
    """Return a weighted graph to be cut in two."""
    weights = {pair: rng.randint(-5, 9) for pair in combinations(range(count), 2)}
    return nestor.Assignment(
        range(count),
        [0, 1],
        lambda side: -sum(weight for (a, b), weight in weights.items() if side[a] != side[b]),
    )


def knapsack(count: int, rng: Random) -> nestor.Subset:
    """Return things with weights and nearly the same values."""
    weights = [rng.randint(5, 60) for _ in range(count)]
    values = [weight + rng.randint(-4, 12) for weight in weights]
    limit = sum(weights) // 3
    return nestor.Subset(
        count,
        lambda some: sum(weights[i] for i in some) <= limit,
        lambda some: sum(values[i] for i in some),
    )


def disjoint(count: int, rng: Random) -> nestor.Subset:
    """Return things of two kinds that do not go together; the few are worth more."""
    kind = [rng.random() < 0.8 for _ in range(count)]
    return nestor.Subset(
        count,
        lambda some: len({kind[i] for i in some}) < 2,
        lambda some: sum(1 if kind[i] else 8 for i in some),
    )


PROBLEMS: dict[str, Callable[[Random], Any]] = {
    f"{of.__name__} {size}": partial(of, size)
    for of, sizes in (
        (qap, (8, 14)),
        (setups, (10, 20)),
        (late, (10, 25)),
        (arrangement, (12, 25)),
        (magic, (4, 5)),
        (cut, (10, 25)),
        (knapsack, (12, 30)),
        (disjoint, (10,)),
    )
    for size in sizes
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return for each label how often the best was found, and the mean gap to it in percent."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    best: dict[tuple[str, int], float] = {}
    for row in rows:
        key = row["problem"], row["instance"]
        best[key] = min(best.get(key, row["score"]), row["score"])
    lines = [f"{'playouts':>9}  {'problem':16}" + "".join(f"{label:>20}" for label in labels)]
    for playouts, name in dict.fromkeys((row["playouts"], row["problem"]) for row in rows):
        cells = ""
        for label in labels:
            there = playouts, name, label
            runs = [r for r in rows if (r["playouts"], r["problem"], r["label"]) == there]
            gaps = [row["score"] - best[name, row["instance"]] for row in runs]
            parts = zip(gaps, runs, strict=True)
            shares = [100 * gap / max(1, abs(row["score"] - gap)) for gap, row in parts]
            cells += (
                f"{gaps.count(0):>6} of {len(gaps):2}{mean(shares):9.2f} %" if runs else " " * 20
            )
        lines.append(f"{playouts:9,}  {name:16}{cells}")
    return "\n".join(lines)


def main() -> None:
    """Run what is asked for, and print all that the file has."""
    parser = argparse.ArgumentParser(description="Small problems of functions by the default.")
    parser.add_argument("--playouts", type=int, nargs="+", default=[2000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--label", default="nestor")
    parser.add_argument("--save", type=Path, default=Path("small.jsonl"))
    given = parser.parse_args()
    for name in given.only:
        for instance in range(4):
            problem = PROBLEMS[name](Random(f"{name} {instance}"))
            for playouts in given.playouts:
                for seed in range(given.seeds):
                    budget = {"playouts": playouts, "seed": seed, "jobs": 1, "threads": 1}
                    score = nestor.solve(problem, **budget).score
                    row = {"label": given.label, "problem": name, "instance": instance}
                    row |= {"playouts": playouts, "seed": seed}
                    row["score"] = score if problem.sense == "min" else -score
                    with given.save.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
    print(table([json.loads(line) for line in given.save.read_text(encoding="utf-8").splitlines()]))


if __name__ == "__main__":
    main()
