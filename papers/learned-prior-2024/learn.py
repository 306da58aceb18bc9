"""Learn the priors for Latin squares and Kakuro that come with Nestor.

    python papers/learned-prior-2024/learn.py latin_square_20
    python papers/learned-prior-2024/learn.py latin_square_20_forward
    python papers/learned-prior-2024/learn.py kakuro_10_11

Each is learned from 10,000 generated puzzles, as in the paper (sections 4.1 and 4.2), with seeds
from 1,000,000 up. The second one is for searches without hidden singles.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from nestor import Prior, learn_prior
from nestor.problems import Kakuro, LatinSquare

FIRST_SEED = 1_000_000
SOLVED: dict[str, Callable[[int], Any]] = {
    "latin_square_20": partial(LatinSquare.generate_solved, 20, 0.42),
    "latin_square_20_forward": partial(LatinSquare.generate_solved, 20, 0.42, hidden_singles=False),
    "kakuro_10_11": partial(Kakuro.generate_solved, 10, 11, pruning=False),
}


def learn(name: str, number: int = 10_000) -> Prior:
    """Learn a prior of this name from this many puzzles."""
    solved = map(SOLVED[name], range(FIRST_SEED, FIRST_SEED + number))
    command = f"python papers/learned-prior-2024/learn.py {name}"
    if number != 10_000:
        command += f" --number {number}"
    return learn_prior(solved, name=name, provenance={"command": command})


def main() -> None:
    """Learn a prior, write it to the current folder and print its histogram."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", choices=SOLVED)
    parser.add_argument("--number", type=int, default=10_000)
    arguments = parser.parse_args()
    prior = learn(arguments.name, arguments.number)
    prior.save(f"{prior.name}.json.gz")
    print(prior)


if __name__ == "__main__":
    main()
