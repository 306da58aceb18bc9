"""Train a small network on solved boards of SameGame, and let it guide the search on others.

    python examples/guided_boards.py [--train 60] [--test 40] [--playouts 1000] [--more 1]

It is as examples/guided_tours.py, which has the network and its training.
"""

import random
from typing import Any

import numpy as np
from guided_tours import Network, compare, options

import nestor
from nestor.problems import SameGame

COLOURS = 4


def board(seed: int, side: int = 10, **settings: Any) -> SameGame:
    """Return a random board."""
    rng = random.Random(seed)
    return SameGame(["".join(rng.choices("0123", k=side)) for _ in range(side)], **settings)


def rows(batch: nestor.Batch) -> Any:
    """Return what the network sees of each move: its group, its place, and what is left."""
    size, left = batch["size"].astype(float), (batch["board"] > 0).sum((1, 2))[batch.owner]
    cells = (batch["board"] == 1 + np.arange(COLOURS)[:, None, None, None]).sum((2, 3))
    mine = cells[batch["colour"], batch.owner]
    rank = (cells[:, batch.owner] > mine).sum(0)
    seen = np.stack(
        [np.log(size), size / mine, mine / left, batch["column"] / 10, batch["row"] / 10], 1
    )
    flags = [size == 2, size == mine, rank == 0, rank == COLOURS - 1, np.minimum(size - 2, 8) / 4]
    return np.concatenate([seen, np.stack(flags, 1)], 1)


def chosen(batch: nestor.Batch, move: Any) -> Any:
    """Return which of the moves of one state this is."""
    return (batch["column"] == move[0]) & (batch["row"] == move[1])


if __name__ == "__main__":
    asked = options(__doc__)
    network = Network(rows, inputs=10)
    lessons = [board(seed, tabu=False) for seed in range(asked.train)]
    network.study(lessons, chosen, playouts=20_000)
    compare(network, [board(seed) for seed in range(10_000, 10_000 + asked.test)], ("size",), asked)
