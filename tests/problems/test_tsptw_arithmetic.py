"""TSPTW: core, twin and both verifiers agree to the bit, whatever the size of the numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from nestor import NRPA, LocalSearch, Sampling, solve
from nestor.problems.tsptw import TSPTW
from verifiers.tsptw import check

ALGORITHMS = (Sampling(), NRPA(1, 6), LocalSearch())


def numbers(rng: np.random.Generator, shape: Any) -> Any:
    """Return numbers from 1e-9 to 1e15, of about one size or of all, some of them 0 or whole."""
    low, high = np.sort(rng.uniform(-9, 15, 2)) if rng.random() < 0.5 else (-9, 15)
    found = 10 ** rng.uniform(low, high, shape)
    return np.select([rng.random(shape) < 0.1, rng.random(shape) < 0.1], [0, np.rint(found)], found)


def instance(rng: np.random.Generator) -> TSPTW:
    """Return an instance with numbers of any size in every field."""
    n = int(rng.integers(2, 9))
    opens = numbers(rng, n)
    closes = opens + numbers(rng, n) * rng.choice([1.0, 1e20])
    return TSPTW(
        numbers(rng, (n, n)),
        np.stack([opens, closes], axis=1),
        service=numbers(rng, n) if rng.random() < 0.8 else None,
        selective=bool(rng.random() < 0.5),
        objective="cost" if rng.random() < 0.7 else "makespan",
    )


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(400), id="400"),
        pytest.param(range(400, 100_400), id="100,000", marks=pytest.mark.long),
    ],
)
def test_one_arithmetic(seeds: range) -> None:
    late = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        problem = instance(rng)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "no solution can meet everything")
            result = solve(problem, ALGORITHMS[seed % 3], playouts=20, seed=seed)
        tour: Any = result.solution
        state = problem.initial()
        for city in result.moves:
            state = problem.play(state, city)
        value, facts = check(problem.to_dict(), result.moves, None)
        told = tour.to_dict()
        assert result.score == tour.score == problem.natural(problem.score(state)) == value
        assert {name: told[name] for name in facts} == facts
        late += not tour.feasible
    assert 0.2 * len(seeds) < late < 0.8 * len(seeds)
