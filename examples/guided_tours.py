"""Train a small network on solved tours, and let it guide the search on tours it has not seen.

    python examples/guided_tours.py [--train 60] [--test 40] [--playouts 1000] [--more 1]

The biases that come with Nestor search the same tours, with `more` times as many playouts.
"""

import argparse
import math
import random
import time
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

    def __init__(self, inputs: int = 9, hidden: int = 24) -> None:
        draw = np.random.default_rng(1).normal
        self.weights = [draw(0, 0.3, (inputs, hidden)), draw(0, 0.3, hidden)]

    def __call__(self, batch: nestor.Batch) -> Any:
        """Return the bias of each move."""
        return np.tanh(rows(batch) @ self.weights[0]) @ self.weights[1]

    def train(self, x: Any, chosen: Any, starts: Any, owner: Any, steps: int = 600) -> None:
        """Make the moves chosen likelier: descent along the signs of a smoothed gradient."""
        smooth = [0 * weights for weights in self.weights]
        for step in range(steps):
            hidden = np.tanh(x @ self.weights[0])
            factors = np.exp(hidden @ self.weights[1])
            error = factors / np.add.reduceat(factors, starts)[owner] - chosen
            back = error[:, None] * self.weights[1] * (1 - hidden**2)
            for k, slope in enumerate((x.T @ back, hidden.T @ error)):
                smooth[k] = 0.9 * smooth[k] + 0.1 * slope
                self.weights[k] -= 0.02 * (1 - step / steps) * np.sign(smooth[k])


def lesson(problem: TSPTW) -> list[Any]:
    """Solve a tour; return what the network sees at each of its steps, and what was chosen."""
    solved, seen = nestor.solve(problem, playouts=3000, seed=0).moves, list[Any]()

    def follow(batch: nestor.Batch) -> Any:
        seen.append((rows(batch), batch["city"] == solved[len(seen)]))
        return np.where(seen[-1][1], 0.0, -np.inf)

    nestor.solve(problem, nestor.GNRPA(1, bias=nestor.BatchBias(follow, width=1)), playouts=1)
    return seen


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("train", 60), ("test", 40), ("playouts", 1000), ("more", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked, begun, network = parser.parse_args(), time.perf_counter(), Network()
    lessons = (lesson(tour(seed).unpruned) for seed in range(asked.train))
    x, picked = zip(*(step for steps in lessons for step in steps), strict=True)
    ends = np.cumsum([len(each) for each in x])
    owner = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    network.train(np.concatenate(x), np.concatenate(picked), np.append(0, ends[:-1]), owner)
    print(f"trained in {time.perf_counter() - begun:.1f} s")
    best: dict[str, list[float]] = {}
    for name in ("network", "distance", "waiting", "lateness"):
        guided, playouts = nestor.GNRPA(2, bias=name, width=16), asked.playouts * asked.more
        if name == "network":
            guided, playouts = nestor.GNRPA(2, bias=nestor.BatchBias(network)), asked.playouts
        tests = [tour(seed) for seed in range(10_000, 10_000 + asked.test)]
        results = [nestor.solve(test, guided, playouts=playouts, seed=1) for test in tests]
        gains = np.subtract(best.setdefault(name, [r.score for r in results]), best["network"])
        wins, games = int(sum(gains > 0)), int(sum(gains != 0))
        p = sum(math.comb(games, k) for k in range(wins, games + 1)) / 2**games  # a sign test
        late, pace = np.mean([(each.score >= 1e6, 1000 * each.seconds) for each in results], 0)
        beside = f"network better {wins}, worse {games - wins}, p {p:.2g}"
        print(f"{name:8} {late:6.1%} with windows missed, {pace:.0f} ms a search; {beside}")
