"""Learn a prior from your own good results, and search the next board with it.

    python examples/prior_from_results.py

The method is that of learned-prior-2024: it counts which of the legal moves the solutions chose.
Here the solutions come from short searches on small SameGame boards.
"""

import random

import nestor
from nestor.problems import SameGame


def board(seed: int) -> SameGame:
    """Return a random board of 8 x 8 cells and 4 colours."""
    rng = random.Random(seed)
    return SameGame(["".join(rng.choice("0123") for _ in range(8)) for _ in range(8)])


if __name__ == "__main__":
    game = board(0)
    solved = [nestor.solve(game, nestor.NRPA(level=2), seed=seed) for seed in range(10)]
    prior = nestor.learn_prior(solved, name="ten games")
    for algorithm in (nestor.Sampling(), nestor.Sampling(prior=prior, smoothing=1.0)):
        scores = [nestor.solve(game, algorithm, playouts=500, seed=s).score for s in range(20)]
        print(f"prior: {algorithm.prior is not None!s:5}   mean of 20: {sum(scores) / 20:.0f}")
