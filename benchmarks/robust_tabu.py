"""Robust tabu search (Taillard 1991) for quadratic assignment, compiled by Numba.

    python benchmarks/robust_tabu.py [5x5 6x6 8x7] [--seconds 120] [--seeds 5]

Each step makes the best swap of two facilities that is not tabu, or that beats all before. A
facility may not go back to a place for a while, of 0.9 n to 1.1 n steps. The instances are those of
``examples/records/quadratic_assignment.py``.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples" / "records"))
from quadratic_assignment import instance

STEPS = 2000
"""Steps between looks at the clock."""


@njit(cache=True)
def change(flows, distances, at, a, b):  # type: ignore[no-untyped-def]
    """Return by how much the cost changes if two facilities swap their places."""
    total = 0
    for k in range(len(at)):
        if k not in (a, b):
            total += (flows[a, k] - flows[b, k]) * (
                distances[at[b], at[k]] - distances[at[a], at[k]]
            )
    return total


@njit(cache=True)
def walk(flows, distances, at, tabu, state, steps):  # type: ignore[no-untyped-def]
    """Make some steps. The state has the step, the cost, the least cost and more for the table."""
    n = len(at)
    changes = np.zeros((n, n), np.int64)
    for a in range(n):
        for b in range(a):
            changes[a, b] = change(flows, distances, at, a, b)
    for _ in range(steps):
        state[0] += 1
        best, p, q = 1 << 60, -1, -1
        for a in range(n):
            for b in range(a):
                free = tabu[a, at[b]] < state[0] or tabu[b, at[a]] < state[0]
                better = state[1] + changes[a, b] < state[2]
                if (free or better) and changes[a, b] < best:
                    best, p, q = changes[a, b], a, b
        if p < 0:
            continue
        tabu[p, at[p]] = state[0] + np.random.randint(int(0.9 * n), int(1.1 * n) + 1)
        tabu[q, at[q]] = state[0] + np.random.randint(int(0.9 * n), int(1.1 * n) + 1)
        at[p], at[q] = at[q], at[p]
        state[1] += best
        state[2] = min(state[1], state[2])
        for a in range(n):
            for b in range(a):
                if a in (p, q) or b in (p, q):
                    changes[a, b] = change(flows, distances, at, a, b)
                    continue
                flow = flows[p, a] - flows[p, b] + flows[q, b] - flows[q, a]
                one = distances[at[q], at[a]] - distances[at[q], at[b]]
                other = distances[at[p], at[b]] - distances[at[p], at[a]]
                changes[a, b] += flow * (one + other)


@njit(cache=True)
def _seed(seed):  # type: ignore[no-untyped-def]
    np.random.seed(seed)


def search(flows: Any, distances: Any, seconds: float, seed: int) -> int:
    """Return the least cost found within these CPU seconds."""
    begin, n = time.process_time(), len(flows)
    _seed(seed)
    at = np.random.default_rng(seed).permutation(n)
    cost = int((flows * distances[np.ix_(at, at)]).sum()) // 2
    state, tabu = np.array([0, cost, cost]), np.zeros((n, n), np.int64)
    while time.process_time() - begin < seconds:
        walk(flows, distances, at, tabu, state, STEPS)
    return int(state[2])


def main() -> None:
    """Print what is found with each seed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", default=["5x5", "6x6", "8x7"])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    for name in asked.names:
        rows, columns = map(int, name.split("x"))
        flows, distances = instance(rows, columns, 1)
        search(flows, distances, 0.0, 1)
        found = [search(flows, distances, asked.seconds, s + 1) for s in range(asked.seeds)]
        print(f"{name}: {min(found)}, of {found}")


if __name__ == "__main__":
    main()
