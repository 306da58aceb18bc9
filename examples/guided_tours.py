"""Train a small network on solved tours, and let it guide the search on tours it has not seen.

    python examples/guided_tours.py [--train 60] [--test 40] [--playouts 1000] [--more 1]

The biases that come with Nestor search the same tours, with `more` times as many playouts.
"""

import argparse
import math
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import nestor
from nestor.problems import TSPTW


def tour(seed: int, nodes: int = 31) -> TSPTW:
    """Return a random tour whose windows can all be met."""
    rng = random.Random(seed)
    places = [(rng.uniform(0, 50), rng.uniform(0, 50)) for _ in range(nodes)]
    matrix = [[round(math.dist(a, b), 1) for b in places] for a in places]
    windows, clock, before = [(0.0, 10_000.0)] * nodes, 0.0, 0
    for city in rng.sample(range(1, nodes), nodes - 1):
        clock, before = clock + matrix[before][city], city
        windows[city] = (max(0.0, clock - rng.uniform(0, 80)), clock + rng.uniform(0, 80))
    return TSPTW(matrix, windows)


def rows(batch: nestor.Batch) -> Any:
    """Return what the network sees of each move, also beside the others of its state."""
    travel, wait, slack = (batch[name] / 50 for name in ("travel", "wait", "slack"))
    seen = np.stack([travel, wait, slack, travel + wait], 1)
    beside = seen - np.minimum.reduceat(seen, batch.offsets[:-1])[batch.owner]
    return np.concatenate([seen, beside, slack[:, None] < 0], 1)


class Network:
    """One hidden layer; its output is the logarithm of a probability, but for a constant."""

    def __init__(self, rows: Callable[[nestor.Batch], Any], inputs: int, hidden: int = 24) -> None:
        draw = np.random.default_rng(1).normal
        self.rows = rows
        self.weights = [draw(0, 0.3, (inputs, hidden)), draw(0, 0.3, hidden)]

    def __call__(self, batch: nestor.Batch) -> Any:
        """Return the bias of each move."""
        return np.tanh(self.rows(batch) @ self.weights[0]) @ self.weights[1]

    def study(self, problems: list[Any], chosen: Callable[..., Any], playouts: int) -> None:
        """Solve problems, and learn which moves were chosen in which states."""
        begun, seen = time.perf_counter(), list[Any]()
        for problem in problems:
            solved, first = nestor.solve(problem, playouts=playouts, seed=0).moves, len(seen)

            def follow(batch: nestor.Batch, solved: Any = solved, first: int = first) -> Any:
                seen.append((self.rows(batch), chosen(batch, solved[len(seen) - first])))
                return np.where(seen[-1][1], 0.0, -np.inf)

            follows = nestor.GNRPA(1, bias=nestor.BatchBias(follow, width=1))
            nestor.solve(problem, follows, playouts=1)
        x, picked = (np.concatenate(each) for each in zip(*seen, strict=True))
        ends = np.cumsum([len(each) for each, _ in seen])
        self.train(x, picked, np.append(0, ends[:-1]), np.diff(ends, prepend=0))
        print(f"trained in {time.perf_counter() - begun:.1f} s")

    def train(self, x: Any, picked: Any, starts: Any, counts: Any, steps: int = 600) -> None:
        """Make the moves picked likelier: descent along the signs of a smoothed gradient."""
        smooth = [0 * weights for weights in self.weights]
        for step in range(steps):
            hidden = np.tanh(x @ self.weights[0])
            factors = np.exp(hidden @ self.weights[1])
            error = factors / np.repeat(np.add.reduceat(factors, starts), counts) - picked
            back = error[:, None] * self.weights[1] * (1 - hidden**2)
            for k, slope in enumerate((x.T @ back, hidden.T @ error)):
                smooth[k] = 0.9 * smooth[k] + 0.1 * slope
                self.weights[k] -= 0.02 * (1 - step / steps) * np.sign(smooth[k])


def options(about: str | None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=about)
    for name, default in (("train", 60), ("test", 40), ("playouts", 1000), ("more", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args()


def compare(network: Network, tests: list[Any], biases: Iterable[str], asked: Any) -> None:
    """Search the same problems with the network and with other biases, and print who is better."""
    best: dict[str, Any] = {}
    for name in ("network", *biases):
        guided, playouts = nestor.GNRPA(2, bias=name, width=16), asked.playouts * asked.more
        if name == "network":
            guided, playouts = nestor.GNRPA(2, bias=nestor.BatchBias(network)), asked.playouts
        results = [nestor.solve(test, guided, playouts=playouts, seed=1) for test in tests]
        best[name] = np.array([each.score for each in results])
        gains = (best[name] - best["network"]) * (1 if results[0].sense == "min" else -1)
        wins, games = int(sum(gains > 0)), int(sum(gains != 0))
        p = sum(math.comb(games, k) for k in range(wins, games + 1)) / 2**games  # a sign test
        pace = 1000 * np.mean([each.seconds for each in results])
        beside = f"network better {wins}, worse {games - wins}, p {p:.2g}"
        print(f"{name:8} median {np.median(best[name]):g}, {pace:.0f} ms a search; {beside}")


if __name__ == "__main__":
    asked, network = options(__doc__), Network(rows, inputs=9)
    lessons = [tour(seed).unpruned for seed in range(asked.train)]
    network.study(lessons, lambda batch, city: batch["city"] == city, playouts=3000)
    tests = [tour(seed) for seed in range(10_000, 10_000 + asked.test)]
    compare(network, tests, ("distance", "waiting", "lateness"), asked)
