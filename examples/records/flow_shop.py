"""The permutation flow shop: the order of jobs in which the machines are done soonest.

    python examples/records/flow_shop.py --seconds 10

The instances are those of E. Taillard, "Benchmarks for basic scheduling problems" (1993), made
here by his published generator; beside what is found stands the best known makespan. The rules are
compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial

import numpy as np
from proof import Case, prove

import nestor

# Number: jobs, machines, seed of the generator, best known makespan.
INSTANCES = {
    "ta001": (20, 5, 873654221, 1278),
    "ta002": (20, 5, 379008056, 1359),
    "ta003": (20, 5, 1866992158, 1081),
    "ta011": (20, 10, 587595453, 1582),
    "ta021": (20, 20, 479340445, 2297),
    "ta051": (50, 20, 1539989115, 3850),
    "ta052": (50, 20, 691823909, 3704),
    "ta053": (50, 20, 655816003, 3640),
}


def processing_times(jobs: int, machines: int, seed: int) -> list[list[int]]:
    """Return the time of each job on each machine, by Taillard's generator."""
    times = [[0] * machines for _ in range(jobs)]
    for machine in range(machines):
        for job in range(jobs):
            seed = 16807 * (seed % 127773) - 2836 * (seed // 127773)
            seed += 2**31 - 1 if seed < 0 else 0
            times[job][machine] = 1 + seed * 99 // (2**31 - 1)
    return times


@nestor.compiled
class FlowShop:
    """Put the jobs in an order. A move is the next job; the score is the makespan."""

    sense = "min"
    change = "order"

    def __init__(self, times: list[list[int]]) -> None:
        self.times = np.array(times)
        jobs, machines = self.times.shape
        self.code_count = jobs * jobs
        self.state = np.dtype([("placed", "i8"), ("done", "i8", machines), ("used", "u1", jobs)])

    def initial(self, s): ...

    def moves(self, s, out):
        for job in range(len(self.times)):
            if not s.used[job]:
                out.add(job, s.placed * len(self.times) + job)

    def play(self, s, job):
        ready = 0
        for machine in range(len(s.done)):
            ready = max(ready, s.done[machine]) + self.times[job, machine]
            s.done[machine] = ready
        s.used[job], s.placed = 1, s.placed + 1

    def score(self, s):
        return s.done[-1]

    def before(self, rest, job):  # what each machine needs from then on
        ready = 0
        for machine in range(len(rest.done) - 1, -1, -1):
            ready = max(ready, rest.done[machine]) + self.times[job, machine]
            rest.done[machine] = ready

    def joined(self, s, rest):
        return (s.done + rest.done).max()


def makespan(times: list[list[int]], order: Sequence[int]) -> int:
    """Return the makespan of an order as the longest path through jobs and machines."""
    assert sorted(order) == list(range(len(times)))
    longest = {(-1, machine): 0 for machine in range(len(times[0]))}
    for place, job in enumerate(order):
        longest[place, -1] = 0
        for machine, time in enumerate(times[job]):
            before = longest[place - 1, machine], longest[place, machine - 1]
            longest[place, machine] = max(before) + time
    return longest[len(order) - 1, len(times[0]) - 1]


def case(name: str) -> Case:
    """Return an instance of Taillard's."""
    *shape, known = INSTANCES[name]
    times = processing_times(*shape)
    source = "the best known makespan"
    return Case(FlowShop(times), partial(makespan, times), known, source)


CASES = {name: partial(case, name) for name in INSTANCES}

if __name__ == "__main__":
    prove(__doc__, CASES)
