"""Chains and paths, each part of which depends on those before: no change beside "decisions".

    python benchmarks/chains.py [--playouts 3000 100000] [--seconds 3] [--seeds 5] [--only NAME ...]

Six kinds at two sizes, as compiled classes (extra `compiled`): the longest path in a random graph,
a chain of words, the longest snake in a cube, a knight's path, a folded chain of the HP model, and
a tour for prizes within a time. One thread searches by the default. It prints medians, on how many
seeds "decisions" is better and worse, and p of a two-sided sign test over the problems. Graphs,
words and tours are others for each seed. Where a bias is obvious, a second table has it, too, in
equal seconds: few ways on for a path, a prize that is near for a tour.
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from itertools import product
from math import comb, dist, log
from statistics import median
from typing import Any

import numpy as np

import nestor

FOLDED = {
    36: "PPPHHPPHHPPPPPHHHHHHHPPHHPPPPHHPPHPP",
    64: "HHHHHHHHHHHHPHPHPPHHPPHHPPHPPHHPPHHPPHPPHHPPHHPPHPHPHHHHHHHHHHHH",
}
"""Chains of the HP model; the best have 14 and 42 contacts."""

Pairs = list[tuple[float, float]]


class Path:
    """As many nodes as possible, each a neighbour of the one before, and none twice."""

    def __init__(self, ways: Sequence[Sequence[int]], change: str) -> None:
        self.change, self.nodes = change, len(ways)
        self.ways = np.full((self.nodes, max(map(len, ways))), -1)
        for node, following in enumerate(ways):
            self.ways[node, : len(following)] = following
        self.code_count = (self.nodes + 1) * self.nodes
        self.state = np.dtype([("last", "i4"), ("length", "i4"), ("closed", "u1", self.nodes)])

    def initial(self, s):
        s.last = self.nodes

    def moves(self, s, out):
        if s.length == 0:
            for node in range(self.nodes):
                out.add(node, s.last * self.nodes + node)
        else:
            for node in self.ways[s.last]:
                if node >= 0 and s.closed[node] == 0:
                    out.add(node, s.last * self.nodes + node)

    def play(self, s, move):
        s.last = move
        s.length += 1
        s.closed[move] = 1

    def score(self, s):
        return s.length


class Narrow(Path):
    """The same with a bias for nodes that have few ways on."""

    def moves(self, s, out):
        if s.length == 0:
            for node in range(self.nodes):
                out.add(node, s.last * self.nodes + node)
        else:
            for node in self.ways[s.last]:
                if node >= 0 and s.closed[node] == 0:
                    free = 0
                    for after in self.ways[node]:
                        free += after >= 0 and s.closed[after] == 0
                    out.add(node, s.last * self.nodes + node, -1.0 * free)


class Snake(Path):
    """A path whose nodes are neighbours of each other only if they follow each other."""

    def play(self, s, move):
        s.closed[move] = 1
        if s.length > 0:
            for node in self.ways[s.last]:
                s.closed[node] = 1
        s.last = move
        s.length += 1


class Folded:
    """A chain on a square lattice: as many neighbours as possible that are both H."""

    def __init__(self, chain: str, change: str) -> None:
        self.change, self.length = change, len(chain)
        # Places are counted around a torus on which so short a chain never meets itself.
        self.size = self.length + 1
        self.kinds = np.array([1 + (each == "H") for each in chain])
        self.code_count = 4 * self.length
        places = self.size**2
        names = [(name, "i4") for name in ("row", "column", "length", "contacts")]
        self.state = np.dtype([*names, ("board", "u1", places)])

    def initial(self, s):
        s.board[0] = self.kinds[0]
        s.length = 1

    def at(self, row, column, way):
        row = (row + (way == 1) - (way == 3)) % self.size
        return row * self.size + (column + (way == 0) - (way == 2)) % self.size

    def moves(self, s, out):
        if s.length < self.length:
            for way in range(4):
                if s.board[self.at(s.row, s.column, way)] == 0:
                    out.add(way, s.length * 4 + way)

    def play(self, s, move):
        place, kind = self.at(s.row, s.column, move), self.kinds[s.length]
        s.row = place // self.size
        s.column = place % self.size
        s.board[place] = kind
        s.length += 1
        if kind == 2:
            for way in range(4):
                if way != (move + 2) % 4:
                    s.contacts += s.board[self.at(s.row, s.column, way)] == 2

    def score(self, s):
        return s.contacts


class Prizes:
    """A tour from a place and back within a time: as many prizes on the way as possible."""

    def __init__(self, drawn: Sequence[tuple[float, float, int]], change: str) -> None:
        self.change, self.count = change, len(drawn)
        # About a third of the places can be seen.
        self.limit = 0.35 * self.count**0.5
        self.times = np.array([[dist(a[:2], b[:2]) for b in drawn] for a in drawn])
        self.prizes = np.array([prize for _, _, prize in drawn])
        self.code_count = self.count**2
        fields = [("last", "i4"), ("prize", "i4"), ("time", "f8"), ("seen", "u1", self.count)]
        self.state = np.dtype(fields)

    def initial(self, s):
        s.seen[0] = 1

    def moves(self, s, out):
        for place in range(self.count):
            end = s.time + self.times[s.last, place] + self.times[place, 0]
            if s.seen[place] == 0 and end <= self.limit:
                out.add(place, s.last * self.count + place)

    def play(self, s, move):
        s.time += self.times[s.last, move]
        s.last = move
        s.prize += self.prizes[move]
        s.seen[move] = 1

    def score(self, s):
        return s.prize


class Near(Prizes):
    """The same with a bias for prizes that are large and near."""

    def moves(self, s, out):
        for place in range(self.count):
            time = self.times[s.last, place]
            if s.seen[place] == 0 and s.time + time + self.times[place, 0] <= self.limit:
                worth = self.prizes[place] / (time + 0.01)
                out.add(place, s.last * self.count + place, log(worth))


def graph(seed: int, size: int) -> list[list[int]]:
    """Return the neighbours of each node in a random graph of 1.4 edges for each node."""
    draw = random.Random(f"graph {seed}")
    pairs = [(a, b) for a in range(size) for b in range(a)]
    edges = draw.sample(pairs, round(1.4 * size))
    return [[a + b - node for a, b in edges if node in (a, b)] for node in range(size)]


def words(seed: int, size: int) -> list[list[int]]:
    """Return which words begin with the last letter of each."""
    draw = random.Random(f"words {seed}")
    letters = range(1, 21)
    ends = [tuple(draw.choices(letters, weights=letters, k=2)) for _ in range(size)]
    return [[b for b in range(size) if b != a and ends[b][0] == ends[a][1]] for a in range(size)]


def cube(_: int, size: int) -> list[list[int]]:
    """Return the neighbours of each corner of a cube."""
    return [[corner ^ 1 << bit for bit in range(size)] for corner in range(1 << size)]


def board(_: int, size: int) -> list[list[int]]:
    """Return where a knight jumps from each square."""
    places = [*product(range(size), repeat=2)]
    jumps = [{abs(x - row), abs(y - column)} == {1, 2} for row, column in places for x, y in places]
    return [[b for b in range(size**2) if jumps[a * size**2 + b]] for a in range(size**2)]


def places(seed: int, size: int) -> list[tuple[float, float, int]]:
    """Return places in a square, and their prizes."""
    draw = random.Random(f"places {seed}")
    return [(draw.random(), draw.random(), draw.randint(1, 20)) for _ in range(size)]


KINDS: dict[str, tuple[Callable[[int, int], Any], type, type | None, tuple[int, int]]] = {
    "path": (graph, Path, Narrow, (100, 300)),
    "words": (words, Path, None, (100, 250)),
    "snake": (cube, Snake, None, (7, 8)),
    "knight": (board, Path, Narrow, (10, 16)),
    "fold": (lambda _, size: FOLDED[size], Folded, None, (36, 64)),
    "prizes": (places, Prizes, Near, (50, 100)),
}
"""For each what draws an instance, its class, the class with a bias, and the sizes."""


def compared(name: str, rules: type, size: int, seeds: int, **budget: float) -> Pairs:
    """Return for each seed what the default finds without a change, and with decisions."""
    pairs = []
    for seed in range(1, seeds + 1):
        found = []
        for change in ("none", "decisions"):
            problem = nestor.compiled(unchecked=True)(rules)(KINDS[name][0](seed, size), change)
            nestor.solve(problem, nestor.Sampling(), playouts=10)  # It compiles now.
            given: dict[str, Any] = {**budget, "seed": seed, "jobs": 1, "threads": 1}
            found.append(float(nestor.solve(problem, **given).score))
        pairs.append((found[0], found[1]))
    return pairs


def counts(pairs: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """Return in how many pairs the second is better, and worse."""
    gains = [after - before for before, after in pairs]
    return sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)


def cells(pairs: Pairs) -> str:
    """Return both medians and the counts."""
    better, worse = counts(pairs)
    return " | ".join(
        [*(f"{median(each):g}" for each in zip(*pairs, strict=True)), f"{better}, {worse}"]
    )


def sign_test(better: int, worse: int) -> float:
    """Return p of a two-sided sign test; equal pairs do not count."""
    runs = better + worse
    return min(
        1.0, sum(comb(runs, k) for k in range(max(better, worse), runs + 1)) * 0.5 ** (runs - 1)
    )


def main() -> None:
    """Search and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--playouts", type=int, nargs="+", default=[3000, 100_000])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(KINDS), default=list(KINDS))
    asked = parser.parse_args()
    for playouts in asked.playouts:
        print(f"\n| {playouts:,} playouts | none | decisions | better, worse |\n|{'---|' * 4}")
        every: list[tuple[int, int]] = []
        for name in asked.only:
            _, rules, _, sizes = KINDS[name]
            for size in sizes:
                pairs = compared(name, rules, size, asked.seeds, playouts=playouts)
                every.append(counts(pairs))
                print(f"| {name} {size} | {cells(pairs)} |", flush=True)
        better, worse = map(sum, zip(*every, strict=True))
        # Seeds of one problem are alike, so each problem counts once, by most of them.
        lost, won = counts(every)
        told = f"problems {won}, {lost} (p = {sign_test(won, lost):.1g})"
        print(f"| all | | | {better}, {worse}; {told} |")
    ways = "none | decisions | better, worse | bias | both | better, worse"
    print(f"\n| {asked.seconds:g} s | {ways} |\n|{'---|' * 7}")
    for name in asked.only:
        _, rules, biased, (_, size) = KINDS[name]
        if biased is not None:
            both = (
                compared(name, each, size, asked.seeds, seconds=asked.seconds)
                for each in (rules, biased)
            )
            print(f"| {name} {size} | {' | '.join(map(cells, both))} |", flush=True)


if __name__ == "__main__":
    main()
