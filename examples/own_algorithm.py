"""An algorithm of your own in `nestor.solve`: NRPA whose levels start again when they are stuck.

It yields its state at every iteration, so that its runs can be saved and resumed.

    python examples/own_algorithm.py --seconds 10
    cd examples && nestor solve morpion 5D --algorithm own_algorithm:restarting --patience 20 \
        --seconds 60 --checkpoint run.ckpt
"""

import argparse

import nestor
from nestor.research import adapt, run_level


@nestor.algorithm
def restarting(  # type: ignore[no-untyped-def]
    search, problem, policy, level, key, *, iterations=40, alpha=1.0, patience=10
):
    """NRPA whose levels start again after `patience` iterations without a better sequence."""
    if level == 1:
        return run_level(problem, policy, 1, iterations, alpha, key=key)
    given = policy
    first, policy, best, current, idle = search.state or (0, given.copy(), None, None, 0)
    for i in range(first, iterations):
        new = search(problem, policy, level - 1, key.child(i))
        idle = 0 if current is None or new.score > current.score else idle + 1
        if current is None or new.score >= current.score:
            current = new
        if best is None or current.score >= best.score:
            best = current
        adapt(policy, current, alpha)
        if idle == patience:
            policy, current, idle = given.copy(), None, 0
        yield i + 1, policy, best, current, idle
    return best


def main() -> None:
    """Run it for as long as NRPA, and print what both find."""
    parser = argparse.ArgumentParser(description="An algorithm of your own beside NRPA.")
    parser.add_argument("--seconds", type=float, default=2.0)
    seconds = parser.parse_args().seconds
    problem = nestor.problems.Morpion("5D")
    for algorithm in (nestor.NRPA(3, 40), restarting(level=3, patience=20)):
        result = nestor.solve(problem, algorithm, seconds=seconds, seed=1, jobs=1)
        print(f"{result.score:g} points, {result.playouts:,} playouts: {algorithm.describe()}")


if __name__ == "__main__":
    main()
