"""Other tools on problems of the pages: CP-SAT on a knapsack and a job shop, Optuna on an order.

    pip install ortools optuna
    python benchmarks/beside.py

It prints CPU seconds of one thread, or values after a number of evaluations.
"""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path
from typing import Any

from cp_sat import solved

import nestor

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples"))

EVALUATIONS = 500
"""Of the order, by Optuna and by Nestor."""


def knapsack(cp: Any) -> Any:
    """Return the knapsack of 200 things of examples/own_problem.py."""
    from own_problem import THINGS, Knapsack

    model = cp.CpModel()
    taken = [model.new_bool_var(str(number)) for number in range(len(THINGS))]
    model.add(sum(w * x for (w, _), x in zip(THINGS, taken, strict=True)) <= Knapsack.limit)
    model.maximize(sum(v * x for (_, v), x in zip(THINGS, taken, strict=True)))
    return model


def job_shop(cp: Any, jobs: list[list[tuple[int, int]]]) -> Any:
    """Return a job shop; each job is a list of machines and durations."""
    model = cp.CpModel()
    horizon = sum(time for job in jobs for _, time in job)
    machines: dict[int, list[Any]] = {}
    ends = []
    for job in jobs:
        end: Any = 0
        for machine, duration in job:
            start = model.new_int_var(0, horizon, "")
            model.add(start >= end)
            interval = model.new_fixed_size_interval_var(start, duration, "")
            machines.setdefault(machine, []).append(interval)
            end = start + duration
        ends.append(end)
    for intervals in machines.values():
        model.add_no_overlap(intervals)
    last = model.new_int_var(0, horizon, "")
    model.add_max_equality(last, ends)
    model.minimize(last)
    return model


def orders(optuna: Any) -> None:
    """Print the delay of 20 jobs in an order, as Optuna and Nestor find it."""
    draw = random.Random(1)
    jobs = [(draw.randint(1, 20), draw.randint(10, 150)) for _ in range(20)]

    def delay(order: list[int]) -> int:
        now = late = 0
        for job in order:
            now += jobs[job][0]
            late += max(0, now - jobs[job][1])
        return late

    def of_trial(trial: Any) -> int:
        return delay(sorted(range(20), key=lambda job: trial.suggest_float(str(job), 0, 1)))

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for seed in range(3):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(of_trial, n_trials=EVALUATIONS)
        found = nestor.solve(nestor.Order(20, delay), playouts=EVALUATIONS, seed=seed)
        print(f"order, seed {seed}: Optuna {study.best_value:g}, Nestor {found.score:g}")


def main() -> None:
    """Run all."""
    cp = importlib.import_module("ortools.sat.python.cp_model")
    print("knapsack-200:", solved(knapsack(cp), cp, 60))
    from orders import FT10

    rows = [list(map(int, line.split())) for line in FT10.splitlines() if line.strip()]
    jobs = [list(zip(row[::2], row[1::2], strict=True)) for row in rows]
    print("ft10:", solved(job_shop(cp, jobs), cp, 60))
    orders(importlib.import_module("optuna"))


if __name__ == "__main__":
    main()
