"""The flexible job shop: which operation is next, and where, so that all is done soonest.

    python examples/records/flexible_job_shop.py --seconds 60

The shops are drawn at random: jobs x operations of each x machines; one to three machines can do an
operation. The rules are compiled (extra ``compiled``).
"""

# mypy: allow-untyped-defs, allow-untyped-calls
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from proof import Case, prove

import nestor


@nestor.compiled
class FlexibleShop:
    """Move j * machines + m: the next operation of job j on machine m, if its time is not 0."""

    sense, change = "min", "order"

    def __init__(self, times):
        self.times, (jobs, self.steps, self.machines) = np.array(times), np.shape(times)
        numbers = zip(("done", "ready", "free"), (jobs, jobs, self.machines), strict=True)
        self.state = np.dtype([(name, "i8", number) for name, number in numbers])

    def initial(self, s): ...

    def moves(self, s, out):
        for job in range(len(s.done)):
            for machine in range(self.machines if s.done[job] < self.steps else 0):
                if self.times[job, s.done[job], machine]:
                    out.add(job * self.machines + machine)

    def play(self, s, move):
        self.run(s, move, s.done[move // self.machines])

    def score(self, s):
        return s.ready.max()

    def task(self, move):
        return move // self.machines

    def before(self, rest, move):  # the shop backwards in time
        self.run(rest, move, self.steps - 1 - rest.done[move // self.machines])

    def joined(self, s, rest):
        return max((s.ready + rest.ready).max(), (s.free + rest.free).max())

    def run(self, s, move, step):
        job, machine = move // self.machines, move % self.machines
        s.ready[job] = max(s.ready[job], s.free[machine]) + self.times[job, step, machine]
        s.done[job], s.free[machine] = s.done[job] + 1, s.ready[job]


def instance(jobs: int, steps: int, machines: int, seed: int) -> np.ndarray:
    """Return how long each operation takes on each machine, 1 to 99; 0 where it cannot be done."""
    rng = np.random.default_rng(seed)
    times = np.zeros((jobs, steps, machines), int)
    for job, step in np.ndindex(jobs, steps):
        able = rng.choice(machines, rng.integers(1, 4), replace=False)
        times[job, step, able] = rng.integers(1, 100, len(able))
    return times


def makespan(times: np.ndarray, moves: Sequence[int]) -> int:
    """Return when the last operation ends; each begins when nothing before it hinders it."""
    plan: list[tuple[int, int, int, int]] = []
    left = [list(job) for job in times.tolist()]
    for job, machine in (divmod(move, times.shape[2]) for move in moves):
        assert left[job]
        time = left[job].pop(0)[machine]
        assert time
        begin = max((end for _, end, j, m in plan if j == job or m == machine), default=0)
        plan.append((begin, begin + time, job, machine))
    assert not any(left)
    for field in (2, 3):
        for value in {each[field] for each in plan}:
            spans = sorted(each[:2] for each in plan if each[field] == value)
            assert all(one[1] <= other[0] for one, other in pairwise(spans))
    return max(end for _, end, _, _ in plan)


def case(jobs: int, steps: int, machines: int, known: float, source: str) -> Case:
    """Return a shop."""
    times = instance(jobs, steps, machines, 1)
    return Case(FlexibleShop(times), partial(makespan, times), known, source)


PROVED = "the optimum, proved by CP-SAT"
BY_CP_SAT = "what CP-SAT finds in 120 CPU seconds"
CASES = {
    "10x5x6": partial(case, 10, 5, 6, 447, PROVED),
    "20x10x10": partial(case, 20, 10, 10, 900, BY_CP_SAT),
}

if __name__ == "__main__":
    prove(__doc__, CASES)
