"""Small instances of every problem."""

from __future__ import annotations

import random
from typing import Any

from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame
from nestor.testing import HashTree

TREES = [
    HashTree(1, depth=12, branching=6, codes=10**12),
    HashTree(2, depth=12, branching=6, codes=10**12, spread=5.0),
    # Few codes: moves of one state share them, and chosen ones come back.
    HashTree(3, depth=20, branching=9, codes=40, spread=2.0),
    HashTree(4, depth=0),
    HashTree(5, depth=30, branching=1),
    # Weights beyond the range of exponentials.
    HashTree(6, depth=10, branching=6, codes=60, spread=690.0),
]

# High levels are for small trees: the work grows with the power of the level.
SMALL_TREES = [
    HashTree(1, depth=5, branching=3, codes=10**12),
    HashTree(2, depth=6, branching=3, codes=10**12, spread=5.0),
    HashTree(3, depth=5, branching=4, codes=7, spread=2.0),
    HashTree(6, depth=5, branching=3, codes=60, spread=690.0),
    *TREES[3:5],
]

# A few leaves, so that the same one comes back soon.
TINY_TREES = [
    HashTree(1, depth=3, branching=3, codes=10**12),
    HashTree(2, depth=4, branching=3, codes=10, spread=3.0),
]

SMALL_BOARD = ("01201", "12012", "00121", "21001", "10210")


def small_tsptw(**options: Any) -> TSPTW:
    """Make a tour of 9 nodes, asymmetric, with windows that bind."""
    rng = random.Random(5)
    matrix = [[rng.uniform(1, 30) for _ in range(9)] for _ in range(9)]
    windows = [(0.0, 400.0)] + [(start, start + 60) for start in rng.choices(range(120), k=8)]
    return TSPTW(matrix, windows, label="nine", **options)


LINE = [[abs(i - j) for j in range(5)] for i in range(5)]
"""Four cities at 1, 2, 3 and 4 from the depot."""

OPEN = [(0, 100)] * 5


def line(*changes: tuple[int, tuple[float, float]], **options: Any) -> TSPTW:
    """Return the problem of the line, with some windows changed."""
    windows: list[tuple[float, float]] = list(OPEN)
    for node, window in changes:
        windows[node] = window
    return TSPTW(LINE, windows, **options)


def real_problems() -> list[Any]:
    """Return each problem with each of its options."""
    return [
        small_tsptw(),
        small_tsptw(selective=False, service=2.5).with_bias("distance"),
        small_tsptw(objective="makespan").with_bias("distance"),
        SameGame(SMALL_BOARD),
        SameGame(SMALL_BOARD, tabu=False),
        SameGame(SMALL_BOARD).with_bias("size"),
        SameGame(SMALL_BOARD, tabu=1, shaping=True),
        *(Morpion(variant) for variant in ("5T", "5D", "4T", "4D")),
        Morpion("5T", dominated=False),
        Crossword(["mars", "earth", "sun", "saturn", "titan"], 9),
        LatinSquare.generate(7, 0.5, 1),
        LatinSquare.generate(7, 0.5, 1, hidden_singles=False),
        Kakuro.generate(4, 5, 1, pruning=False),
        Kakuro.generate(4, 5, 1),
        RNA("((.((....))...))"),
        RNA("((.((....))...))", model="turner1999-d1", order="pairs").with_bias("nemo"),
        RNA("((.((....))...))").with_bias("ngram"),
        small_tsptw(late="time", objective="return").with_bias("waiting"),
    ]


def name_of(problem: Any) -> str:
    """Name a problem, for the ids of tests."""
    if isinstance(problem, HashTree):
        return f"tree{problem.root}-{problem.depth}"
    if not hasattr(problem, "label"):
        return type(problem).__name__
    return f"{getattr(problem, 'name', type(problem).__name__)}-{problem.label}"
