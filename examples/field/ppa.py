"""Playout policy adaptation for one player (Cazenave, 2015), on the primitives.

    python examples/field/ppa.py --playouts 20000

PPA learns a playout policy online: after each playout the moves of the winner become likelier. With
one player nobody wins. Here a playout has won if it is no worse than the mean of those before it;
that is our reading. There are no levels and no best sequence: all that won is learned, once.
"""

# mypy: ignore-errors
import argparse

import nestor
from nestor.research import adapt, playout


@nestor.algorithm
def ppa(search, problem, policy, level, key, *, playouts=10_000, alpha=1.0):
    """Play, and adapt to every playout that has won; `level` has no meaning."""
    policy, best, total = policy.copy(), None, 0.0
    for i in range(playouts):
        new = playout(problem, policy, key=key, first=i)
        if i == 0 or new.score >= total / i:
            adapt(policy, new, alpha)
        total += new.score
        if best is None or new.score > best.score:
            best = new
    return best


def main() -> None:
    """Compare it with a search of Nestor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--playouts", type=int, default=20_000)
    given = parser.parse_args()
    board = nestor.problems.Morpion("5D")
    algorithms = {"NRPA": nestor.NRPA(2), "PPA": ppa(alpha=0.3)}
    print(nestor.compare({"5D": board}, algorithms, seeds=6, playouts=given.playouts))


if __name__ == "__main__":
    main()
