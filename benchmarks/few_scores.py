"""Few scores: the table of docs/slow-scores.md, searches with 200 playouts of a problem of blocks.

    python benchmarks/few_scores.py [--seeds 8]

Each seed is another instance. It prints for each search the mean of what it found, higher is
better, the scores that it paid for, and the playouts of games that had been played before. The
model is a linear one of the block at each place, fitted to the scores of 200 random games, which
are paid for besides.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import numpy as np
from few_levels import Blocks

import nestor

GAMES = 200
"""The games that the model is fitted to."""

STRENGTH = 2.0
"""The bias of a block whose worth is a standard deviation above the mean."""

ONCE: dict[str, Any] = {"width_rate": "once", "force_explore": True}


def main() -> None:
    """Search and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=8)
    seeds = range(parser.parse_args().seeds)
    searches: dict[str, Any] = {
        "sampling": nestor.Sampling(),
        "NRPA(2, width=8)": nestor.NRPA(2, width=8),
        'NRPA(2, width=8, width_rate="once")': nestor.NRPA(2, width=8, width_rate="once"),
        "few": nestor.GNRPA(1, 200, width=8, **ONCE),
        "default": None,
        "few with a model": "model",
        "default with 400": 400,
    }
    print(f"{'':40} found  paid  again")
    for name, search in searches.items():
        totals = np.mean([searched(search, seed) for seed in seeds], axis=0)
        print(f"{name:40} {totals[0]:5.1f} {totals[1]:5.0f} {totals[2]:6.0f}")


def searched(search: Any, seed: int) -> tuple[float, int, int]:
    """Return what is found, the scores paid for, and the playouts of games played before."""
    problem, playouts, paid = Blocks(seed), 200, 0
    if search == "model":
        bias = nestor.BatchBias(fitted(problem, seed), width=8)
        search, paid = nestor.GNRPA(1, 200, bias=bias, **ONCE), GAMES
    elif isinstance(search, int):
        search, playouts = None, search
    result = nestor.solve(problem, search, playouts=playouts, seed=seed, cache="memory")
    again = result.remembered or 0
    return result.score, paid + playouts - again, again


def fitted(problem: Blocks, seed: int) -> Any:
    """Return a model of the blocks, fitted to the scores of random games."""
    draw, kinds = random.Random(seed), problem.sizes[0]
    games = [[draw.randrange(kinds) for _ in problem.sizes] for _ in range(GAMES)]
    scores = np.array([problem.score(tuple(game)) for game in games])
    seen = np.zeros((GAMES, len(problem.sizes) * kinds))
    for row, game in zip(seen, games, strict=True):
        row[[place * kinds + kind for place, kind in enumerate(game)]] = 1.0
    centred = (scores - scores.mean()) / scores.std()
    worth = np.linalg.solve(seen.T @ seen + 10 * np.eye(seen.shape[1]), seen.T @ centred)
    worth *= STRENGTH / worth.std()

    def model(batch: nestor.Batch) -> Any:
        states, moves = batch.states or [], np.asarray(batch.moves)
        places = np.array([len(state) for state in states])[batch.owner]
        return np.minimum(worth[places * kinds + moves], 700.0)

    return model


if __name__ == "__main__":
    main()
