"""CP-SAT on the problems of examples/records that it can be told, in CPU seconds of one worker.

    pip install ortools
    python benchmarks/cp_sat.py [set-cover-200x1000 ...] [--seconds 120]

It prints the best value, the bound, and whether they are proved to be the same.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import threading
import time
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples" / "records"))

Models = Any
"""The module ``ortools.sat.python.cp_model``."""


def solved(model: Any, cp: Models, seconds: float, linearization: int = 1) -> str:
    """Return what CP-SAT says of a model after so many CPU seconds of one worker.

    A `linearization` of 2 has all constraints in the linear program, 1 (its default) only some.
    """
    solver, done = cp.CpSolver(), threading.Event()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = linearization
    began = time.process_time()

    def watch() -> None:  # CP-SAT itself knows only time by the clock
        while not done.wait(0.02):
            if time.process_time() - began > seconds:
                solver.stop_search()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        status = solver.status_name(solver.solve(model))
    finally:
        done.set()
        watcher.join()
    used = time.process_time() - began
    return (
        f"{status} {solver.objective_value:g}, bound {solver.best_objective_bound:g}, "
        f"{used:.2f} CPU seconds"
    )


def set_cover(cp: Models, size: tuple[int, int, float]) -> Any:
    """Return the model of a set cover."""
    costs, has = importlib.import_module("set_cover").instance(*size, 1)
    model = cp.CpModel()
    taken = [model.new_bool_var("") for _ in costs]
    for element in has.T:
        model.add(sum(taken[one] for one in element.nonzero()[0]) >= 1)
    model.minimize(sum(int(cost) * var for cost, var in zip(costs, taken, strict=True)))
    return model


def p_median(cp: Models, places: int, number: int) -> Any:
    """Return the model of a p-median: each place goes to an open one."""
    median = importlib.import_module("p_median")
    far = median.distances(median.instance(places, 1)).tolist()
    model = cp.CpModel()
    opened = [model.new_bool_var("") for _ in far]
    model.add(sum(opened) == number)
    terms = []
    for ways in far:
        to = [model.new_bool_var("") for _ in ways]
        model.add_exactly_one(to)
        for used, is_open in zip(to, opened, strict=True):
            model.add(used <= is_open)
        terms += [way * used for way, used in zip(ways, to, strict=True)]
    model.minimize(sum(terms))
    return model


def independent_set(cp: Models, vertices: int, density: float) -> Any:
    """Return the model of an independent set."""
    near = importlib.import_module("independent_set").graph(vertices, density, 1)
    model = cp.CpModel()
    chosen = [model.new_bool_var("") for _ in near]
    for a, b in combinations(range(vertices), 2):
        if near[a, b]:
            model.add_at_most_one([chosen[a], chosen[b]])
    model.maximize(sum(chosen))
    return model


def flexible_job_shop(cp: Models, jobs: int, steps: int, machines: int) -> Any:
    """Return the model of a flexible job shop: one interval of each operation is there."""
    times = importlib.import_module("flexible_job_shop").instance(jobs, steps, machines, 1)
    model, horizon = cp.CpModel(), int(times.max(axis=2).sum())
    on: list[list[Any]] = [[] for _ in range(machines)]
    last = model.new_int_var(0, horizon, "")
    for job in times.tolist():
        ready: Any = 0
        for operation in job:
            start, end = (model.new_int_var(0, horizon, "") for _ in range(2))
            model.add(start >= ready)
            ways = []
            for machine, duration in enumerate(operation):
                if duration:
                    ways.append(model.new_bool_var(""))
                    on[machine].append(
                        model.new_optional_interval_var(start, duration, end, ways[-1], "")
                    )
            model.add_exactly_one(ways)
            ready = end
        model.add(last >= ready)
    for intervals in on:
        model.add_no_overlap(intervals)
    model.minimize(last)
    return model


# Name: what makes the model, with which arguments, and the linearization that does best.
MODELS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "set-cover-200x1000": (set_cover, ((200, 1000, 0.02),), 2),
    "p-median-100-10": (p_median, (100, 10), 2),
    "independent-set-120": (independent_set, (120, 0.2), 1),
    "independent-set-300": (independent_set, (300, 0.1), 1),
    "flexible-10x5x6": (flexible_job_shop, (10, 5, 6), 1),
    "flexible-20x10x10": (flexible_job_shop, (20, 10, 10), 1),
}


def main() -> None:
    """Solve each that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help=", ".join(MODELS), default=[*MODELS])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--linearization", type=int, help="for all; 1 is what CP-SAT begins with")
    asked = parser.parse_args()
    cp = importlib.import_module("ortools.sat.python.cp_model")
    for name in asked.names:
        make, arguments, best = MODELS[name]
        linearization = best if asked.linearization is None else asked.linearization
        told = solved(make(cp, *arguments), cp, asked.seconds, linearization)
        print(f"{name}: {told}", flush=True)


if __name__ == "__main__":
    main()
