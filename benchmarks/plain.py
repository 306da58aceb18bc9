"""A class in plain Python: Nestor's games beside a loop in Python that plays the same rules.

    python benchmarks/plain.py [--playouts 60000]

The rules do next to nothing, so that what Nestor adds to a call is seen: games of thirty moves out
of five. It prints games per CPU second of the loop, and of algorithms as shares of it. NMCS plays
half of its games from their middle, and NRPA also learns.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from itertools import pairwise

import nestor


class Products:
    """Thirty numbers below five, whose neighbours multiplied make a large sum."""

    def initial(self) -> tuple[int, ...]:
        """Return no number."""
        return ()

    def moves(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """Return the five numbers, until there are thirty."""
        return (0, 1, 2, 3, 4) if len(state) < 30 else ()

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Put a number behind the others."""
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        """Return the sum of the products."""
        return float(sum(a * b for a, b in pairwise(state)))


def loop(problem: Products, games: int) -> float:
    """Return the best score of random games."""
    draw, best = random.Random(1).random, float("-inf")
    for _ in range(games):
        state = problem.initial()
        while legal := problem.moves(state):
            state = problem.play(state, legal[int(draw() * len(legal))])
        best = max(best, problem.score(state))
    return best


def speed(play: Callable[[], object], games: int) -> float:
    """Return games per CPU second."""
    begun = time.process_time()
    play()
    return games / (time.process_time() - begun)


def main() -> None:
    """Print the speeds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--playouts", type=int, default=60_000)
    games, problem = parser.parse_args().playouts, Products()
    of_loop = speed(lambda: loop(problem, games), games)
    print(f"loop {of_loop:,.0f}/s")
    for algorithm in nestor.Sampling(), nestor.NMCS(level=2), nestor.NRPA(level=2, iterations=50):

        def play(algorithm: nestor.Algorithm = algorithm) -> None:
            nestor.solve(problem, algorithm, playouts=games, seed=1, jobs=1, threads=1)

        print(f"{algorithm.describe()}: {speed(play, games) / of_loop:.2f} of it")


if __name__ == "__main__":
    main()
