"""Two ideas about NRPA, tried on two families of instances: a rate that decays, and random moves.

    python examples/two_ideas.py

The same function without decay and without random moves is NRPA to the last bit. It stands among
the rest as a control, and all are tested against NRPA.
"""

# mypy: ignore-errors
import argparse
import random

import nestor
from nestor.problems import TSPTW, SameGame
from nestor.research import adapt, playout


@nestor.algorithm
def nrpa(search, problem, policy, level, key, *, iterations=13, alpha=1.0, decay=1.0, epsilon=0.0):
    """NRPA whose rate shrinks by `decay` with each iteration, with moves at random by `epsilon`."""
    policy, best = policy.copy(), None
    for i in range(iterations):
        if level == 1:
            new = playout(problem, policy, key=key, first=i, epsilon=epsilon)
        else:
            new = search(problem, policy, level - 1, key.child(i))
        if best is None or new.score >= best.score:
            best = new
        adapt(policy, best, alpha * decay**i)
    return best


def board(seed):
    """Return a random board of 10 by 10 cells and four colours."""
    cells = random.Random(seed).choices("0123", k=100)
    return SameGame(["".join(cells[k : k + 10]) for k in range(0, 100, 10)])


def tour(seed, stops=45):
    """Return stops in a square, with windows around the times of a random tour."""
    draws = random.Random(seed)
    places = [complex(draws.uniform(0, 100), draws.uniform(0, 100)) for _ in range(stops)]
    matrix = [[round(abs(one - other)) for other in places] for one in places]
    order = draws.sample(range(1, stops), stops - 1)
    windows, time = [(0, 10_000)] * stops, 0
    for before, stop in zip([0, *order], order, strict=False):
        time += matrix[before][stop]
        windows[stop] = max(0, time - draws.randint(20, 120)), time + draws.randint(20, 120)
    return TSPTW(matrix, windows)


def main() -> None:
    """Compare the ideas with NRPA, at equal playouts and at equal processor time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instances", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=13)
    parser.add_argument("--plot", help="draw the gaps over playouts, a file in .svg or .png")
    given = parser.parse_args()
    n, numbers = given.iterations, range(given.instances)
    runs = nestor.compare(
        {"boards": [board(k) for k in numbers], "tours": [tour(k) for k in numbers]},
        {
            "NRPA": nestor.NRPA(3, n),
            "control": nrpa(iterations=n),
            "decay 0.95": nrpa(iterations=n, decay=0.95),
            "epsilon 0.05": nrpa(iterations=n, epsilon=0.05),
            "epsilon 0.3": nrpa(iterations=n, epsilon=0.3),
        },
        seeds=given.seeds,
        playouts=n**3,
    )
    print(runs.table(baseline="NRPA"))
    if given.plot:
        runs.plot(given.plot)


if __name__ == "__main__":
    main()
