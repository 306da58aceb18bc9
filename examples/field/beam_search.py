"""Beam search with playouts in place of a heuristic, on the primitives.

    python examples/field/beam_search.py --playouts 20000

At every depth the beam has at most `width` nodes. Each child of each of them is worth the best of a
few playouts from it, and the best `width` children are the next beam.
"""

# mypy: ignore-errors
import argparse
import random

import nestor
from nestor.research import playout


@nestor.algorithm
def beam_search(search, problem, policy, level, key, *, width=8, tries=4):
    """Search breadth first, and keep the nodes with the best playouts; `level` has no meaning."""
    best, beam, depth = None, [((), problem.initial())], 0
    while beam:
        found, here = [], key.child(depth)
        for path, state in beam:
            for move in problem.moves(state):
                begun = (*path, move)
                new = playout(problem, policy, tries, key=here.child(len(found)), after=begun)
                found.append((new.score, begun, state))
                if best is None or new.score > best.score:
                    best = new
        found.sort(key=lambda each: -each[0])  # of equals, those found first
        beam = [(path, problem.play(state, path[-1])) for _, path, state in found[:width]]
        depth += 1
    return best


def main() -> None:
    """Compare it with a search of Nestor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--playouts", type=int, default=20_000)
    given = parser.parse_args()
    cells = random.Random(1).choices("01234", k=100)
    board = nestor.problems.SameGame(["".join(cells[k : k + 10]) for k in range(0, 100, 10)])
    algorithms = {
        "narrow": beam_search(width=2),
        "wide": beam_search(width=32),
        "NMCS": nestor.NMCS(2),
    }
    print(nestor.compare({"board": board}, algorithms, seeds=6, playouts=given.playouts))


if __name__ == "__main__":
    main()
