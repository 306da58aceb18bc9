"""A dozen generated problems: the default beside what else could search them.

    python benchmarks/dozen.py [--seconds 2] [--seeds 10] [--only NAME ...] [--who NAME ...]

Four orders, four sets and four assignments, each drawn from a seed that was fixed before anything
was run, as compiled classes (extra `compiled`). Beside the default there are plain NRPA of level 3,
GNRPA with polish of single decisions, and an iterated greedy (Ruiz and Stützle 2007) that Numba
compiles from the same rules: it takes a few things out, and puts what costs least back until
nothing can be (in sets and assignments half the time what is drawn, as the cheapest is often not
the best). All get as many CPU seconds of one thread. What is found goes to `--file`, and a run that
is there already is not made again. `--as NAME` files the default under another name, for another
release of Nestor, and `--sets none` says nothing of sets to one that does not know them.

The table shows medians, and p of a two-sided Mann-Whitney U test between the default and the best
of the others, which is picked by its median.
"""

# mypy: allow-untyped-defs, allow-untyped-calls
# ruff: noqa: SIM110  (Numba knows no generators)
from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections import namedtuple
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numba import njit

import nestor

SEED = 2026
"""From which all instances are drawn."""

TAKEN = 4
"""How many things iterated greedy takes out."""


class Rules:
    """A problem of which `legal` says whether a move may be played, and the rest is incremental."""

    sense = "min"
    change = "set"
    count: int
    """Moves are 0 to count - 1."""

    legal: Any

    def initial(self, s): ...

    def moves(self, s, out):
        for move in range(self.count):
            if self.legal(s, move):
                out.add(move)

    def score(self, s):
        return s.total


class Ordered(Rules):
    """A problem whose moves are things that are put in an order."""

    change = "order"

    def moves(self, s, out):
        for move in range(self.count):
            if self.legal(s, move):
                out.add(move, s.placed * self.count + move)

    def legal(self, s, move):
        return s.used[move] == 0


class Released(Ordered):
    """Jobs on one machine, each from its release on: the sum of weighted ends."""

    def __init__(self, draw, count=60):
        self.count, self.code_count = count, count * count
        self.lengths, self.weights = draw.integers(1, 50, count), draw.integers(1, 11, count)
        self.release = draw.integers(0, int(self.lengths.sum() * 0.8), count)
        fields = [("placed", "i8"), ("time", "i8"), ("total", "i8"), ("used", "u1", count)]
        self.state = np.dtype(fields)

    def play(self, s, move):
        s.time = max(s.time, self.release[move]) + self.lengths[move]
        s.total += self.weights[move] * s.time
        s.used[move] = 1
        s.placed += 1


class Arrangement(Ordered):
    """Points of a graph on a line, so that its edges are short."""

    def __init__(self, draw, count=60):
        self.count, self.code_count = count, count * count
        upper = np.triu(draw.random((count, count)) < 0.08, 1)
        self.edges = (upper + upper.T).astype(np.int64)
        fields = [("placed", "i8"), ("total", "i8"), ("at", "i8", count), ("used", "u1", count)]
        self.state = np.dtype(fields)

    def play(self, s, move):
        for other in range(self.count):
            if s.used[other] and self.edges[move, other]:
                s.total += s.placed - s.at[other]
        s.at[move] = s.placed
        s.used[move] = 1
        s.placed += 1


class FlowTime(Ordered):
    """A flow shop: the sum of the times at which its jobs are done."""

    def __init__(self, draw, count=40, machines=8):
        self.count, self.code_count = count, count * count
        self.times = draw.integers(1, 100, (count, machines))
        fields = [
            ("placed", "i8"),
            ("total", "i8"),
            ("done", "i8", machines),
            ("used", "u1", count),
        ]
        self.state = np.dtype(fields)

    def play(self, s, move):
        ready = 0
        for machine in range(len(s.done)):
            ready = max(ready, s.done[machine]) + self.times[move, machine]
            s.done[machine] = ready
        s.total += ready
        s.used[move] = 1
        s.placed += 1


class Shop(Ordered):
    """A job shop: when all is done. A move is a job, whose next operation begins."""

    def __init__(self, draw, jobs=15, machines=8):
        self.count, self.code_count, self.operations = jobs, jobs * machines, machines
        self.times = draw.integers(1, 100, (jobs, machines))
        self.machines = np.array([draw.permutation(machines) for _ in range(jobs)])
        fields = [("total", "i8"), ("free", "i8", machines), ("ready", "i8", jobs)]
        self.state = np.dtype([*fields, ("used", "i8", jobs)])

    def moves(self, s, out):
        for move in range(self.count):
            if self.legal(s, move):
                out.add(move, move * self.operations + s.used[move])

    def legal(self, s, move):
        return s.used[move] < self.operations

    def play(self, s, move):
        machine = self.machines[move, s.used[move]]
        end = max(s.free[machine], s.ready[move]) + self.times[move, s.used[move]]
        s.free[machine] = end
        s.ready[move] = end
        s.total = max(s.total, end)
        s.used[move] += 1


class Diverse(Rules):
    """Thirty of 200 things that differ as much as can be, pair by pair."""

    sense = "max"

    def __init__(self, draw, count=200, most=30):
        self.count, self.code_count, self.most = count, count, most
        upper = np.triu(draw.integers(0, 1000, (count, count)), 1)
        self.differ = upper + upper.T
        self.state = np.dtype([("total", "i8"), ("placed", "i8"), ("used", "u1", count)])

    def legal(self, s, move):
        return s.placed < self.most and s.used[move] == 0

    def play(self, s, move):
        for other in range(self.count):
            if s.used[other]:
                s.total += self.differ[move, other]
        s.used[move] = 1
        s.placed += 1

    def undo(self, s, move):
        s.used[move] = 0
        s.placed -= 1
        for other in range(self.count):
            if s.used[other]:
                s.total -= self.differ[move, other]


class Packing(Rules):
    """Groups of four things each, of different worth, of which no two share a thing."""

    sense = "max"

    def __init__(self, draw, count=300, things=150):
        self.count, self.code_count = count, count
        self.groups = np.array([draw.choice(things, 4, replace=False) for _ in range(count)])
        self.worth = draw.integers(20, 60, count)
        self.state = np.dtype([("total", "i8"), ("used", "u1", things)])

    def legal(self, s, move):
        for thing in self.groups[move]:
            if s.used[thing]:
                return False
        return True

    def play(self, s, move):
        s.total += self.worth[move]
        for thing in self.groups[move]:
            s.used[thing] = 1

    def undo(self, s, move):
        s.total -= self.worth[move]
        for thing in self.groups[move]:
            s.used[thing] = 0


class Knapsacks(Rules):
    """Things with ten weights each, and room for half of each weight (Chu and Beasley 1998)."""

    sense = "max"

    def __init__(self, draw, count=150, weights=10):
        self.count, self.code_count = count, count
        self.weights = draw.integers(1, 1001, (count, weights))
        self.room = self.weights.sum(axis=0) // 2
        self.worth = (self.weights.mean(axis=1) + draw.integers(0, 500, count)).astype(np.int64)
        self.state = np.dtype([("total", "i8"), ("load", "i8", weights), ("used", "u1", count)])

    def legal(self, s, move):
        if s.used[move]:
            return False
        for k in range(len(self.room)):
            if s.load[k] + self.weights[move, k] > self.room[k]:
                return False
        return True

    def play(self, s, move):
        s.used[move] = 1
        s.total += self.worth[move]
        for k in range(len(self.room)):
            s.load[k] += self.weights[move, k]

    def undo(self, s, move):
        s.used[move] = 0
        s.total -= self.worth[move]
        for k in range(len(self.room)):
            s.load[k] -= self.weights[move, k]


class Sidon(Rules):
    """As many numbers as possible whose differences are all different."""

    sense = "max"

    def __init__(self, draw, count=250):
        self.count, self.code_count = count, count
        self.state = np.dtype([("total", "i8"), ("used", "u1", count), ("gaps", "u1", count)])

    def legal(self, s, move):
        if s.used[move]:
            return False
        for other in range(self.count):
            if s.used[other]:
                # A gap that is there already, or one that the move itself would make twice.
                across = 2 * move - other
                if s.gaps[abs(move - other)] or (0 <= across < self.count and s.used[across]):
                    return False
        return True

    def play(self, s, move):
        for other in range(self.count):
            if s.used[other]:
                s.gaps[abs(move - other)] = 1
        s.used[move] = 1
        s.total += 1

    def undo(self, s, move):
        s.used[move] = 0
        s.total -= 1
        for other in range(self.count):
            if s.used[other]:
                s.gaps[abs(move - other)] = 0


class Valued(Rules):
    """Gives each of `things` one of `values`: move thing * values + value."""

    things: int
    values: int

    def sized(self, things, values):
        self.things, self.values, self.count = things, values, things * values
        self.code_count = self.count

    def legal(self, s, move):
        return s.value[move // self.values] == 0


class Agents(Valued):
    """Jobs for agents with little time: what they cost, and 1,000 for each that is left."""

    def __init__(self, draw, jobs=60, agents=8):
        self.sized(jobs, agents)
        self.takes = draw.integers(5, 26, (jobs, agents))
        self.costs = 60 - self.takes + draw.integers(0, 20, (jobs, agents))
        self.time = np.full(agents, int(0.8 * self.takes.sum() / agents / agents))
        fields = [("total", "i8"), ("load", "i8", agents), ("value", "u1", jobs)]
        self.state = np.dtype(fields)

    def legal(self, s, move):
        job, agent = move // self.values, move % self.values
        return s.value[job] == 0 and s.load[agent] + self.takes[job, agent] <= self.time[agent]

    def play(self, s, move):
        job, agent = move // self.values, move % self.values
        s.value[job] = 1 + agent
        s.load[agent] += self.takes[job, agent]
        s.total += self.costs[job, agent] - 1000

    def undo(self, s, move):
        job, agent = move // self.values, move % self.values
        s.value[job] = 0
        s.load[agent] -= self.takes[job, agent]
        s.total -= self.costs[job, agent] - 1000


class Cut(Valued):
    """Points of a graph with edges of 1 and -1 in two parts, so that much is cut."""

    sense = "max"

    def __init__(self, draw, count=120):
        self.sized(count, 2)
        upper = np.triu(draw.choice([-1, 0, 0, 0, 1], (count, count)), 1)
        self.edges = (upper + upper.T).astype(np.int64)
        self.state = np.dtype([("total", "i8"), ("value", "u1", count)])

    def play(self, s, move):
        point, side = move // 2, 1 + move % 2
        for other in range(self.things):
            if s.value[other] != 0 and s.value[other] != side:
                s.total += self.edges[point, other]
        s.value[point] = side

    def undo(self, s, move):
        point, side = move // 2, 1 + move % 2
        s.value[point] = 0
        for other in range(self.things):
            if s.value[other] != 0 and s.value[other] != side:
                s.total -= self.edges[point, other]


class Unrelated(Valued):
    """Jobs on machines that take different times for them: the square of each machine's time."""

    def __init__(self, draw, jobs=70, machines=8):
        self.sized(jobs, machines)
        self.times = draw.integers(10, 100, (jobs, machines))
        fields = [("total", "i8"), ("load", "i8", machines), ("value", "u1", jobs)]
        self.state = np.dtype(fields)

    def play(self, s, move):
        job, machine = move // self.values, move % self.values
        s.value[job] = 1 + machine
        s.total -= s.load[machine] * s.load[machine]
        s.load[machine] += self.times[job, machine]
        s.total += s.load[machine] * s.load[machine]

    def undo(self, s, move):
        job, machine = move // self.values, move % self.values
        s.value[job] = 0
        s.total -= s.load[machine] * s.load[machine]
        s.load[machine] -= self.times[job, machine]
        s.total += s.load[machine] * s.load[machine]


class Clauses(Valued):
    """True or false for each variable, so that the clauses that hold weigh as much as can be."""

    sense = "max"

    def __init__(self, draw, variables=100, clauses=500):
        self.sized(variables, 2)
        chosen = np.array([draw.choice(variables, 3, replace=False) for _ in range(clauses)])
        signs = draw.integers(0, 2, (clauses, 3))
        self.weights = draw.integers(1, 11, clauses)
        self.holds = np.zeros((self.count, clauses), np.uint8)
        for clause, (those, sides) in enumerate(zip(chosen, signs, strict=True)):
            self.holds[2 * those + sides, clause] = 1
        fields = [("total", "i8"), ("value", "u1", variables), ("held", "u1", clauses)]
        self.state = np.dtype(fields)

    def play(self, s, move):
        s.value[move // 2] = 1 + move % 2
        for clause in range(len(s.held)):
            if self.holds[move, clause]:
                s.total += self.weights[clause] * (s.held[clause] == 0)
                s.held[clause] += 1

    def undo(self, s, move):
        s.value[move // 2] = 0
        for clause in range(len(s.held)):
            if self.holds[move, clause]:
                s.held[clause] -= 1
                s.total -= self.weights[clause] * (s.held[clause] == 0)


ORDERS: tuple[type[Any], ...] = (Released, Arrangement, FlowTime, Shop)
SETS: tuple[type[Any], ...] = (Diverse, Packing, Knapsacks, Sidon)
ASSIGNMENTS: tuple[type[Any], ...] = (Agents, Cut, Unrelated, Clauses)
DOZEN = {rules.__name__: rules for rules in (*ORDERS, *SETS, *ASSIGNMENTS)}


def drawn(rules: Any) -> Any:
    """Return the instance of a class."""
    return rules(np.random.default_rng([SEED, [*DOZEN].index(rules.__name__)]))


@cache
def made(rules: Any, change: str) -> Any:
    """Return the instance compiled; `change` is what it says of its moves."""
    own = type(rules.__name__, (rules,), {"change": change})
    problem = drawn(nestor.compiled(own))
    nestor.solve(problem, nestor.Sampling(), playouts=10)  # It compiles now.
    return problem


def timed(problem: Any, algorithm: Any, seconds: float, seed: int) -> float:
    """Return what a search finds within these CPU seconds."""
    begin = time.process_time()

    def goes_on(_: Any) -> bool:
        return time.process_time() - begin < seconds

    given: dict[str, Any] = {"threads": 1, "jobs": 1, "callback": goes_on}
    return nestor.solve(problem, algorithm, seconds=1000 * seconds, seed=seed, **given).score


def default(rules: Any, seconds: float, seed: int) -> float:
    """Search with nothing set."""
    return timed(made(rules, rules.change), nestor.Auto(), seconds, seed)


def nrpa(rules: Any, seconds: float, seed: int) -> float:
    """Search by NRPA."""
    return timed(made(rules, "none"), nestor.NRPA(3), seconds, seed)


def decisions(rules: Any, seconds: float, seed: int) -> float:
    """Search by GNRPA, and change single decisions of what it finds."""
    polished = nestor.GNRPA(2, (20, 1000), polish=True)
    return timed(made(rules, "decisions"), polished, seconds, seed)


def iterated_greedy(rules: Any, seconds: float, seed: int) -> float:
    """Take things out, put back what costs least, and keep worse results by annealing."""
    begin_with, go_on, state = greedy_of(rules)
    states = np.zeros(4, state)
    begin = time.process_time()
    now, value = begin_with(states, seed)
    best, sign = value, -1 if rules.sense == "max" else 1
    warm = max(1.0, 0.005 * abs(value))
    while time.process_time() - begin < seconds:
        now, value, best = go_on(states, now, value, best, warm, 5)
    return float(sign * best)


@cache
def greedy_of(rules: Any) -> tuple[Any, Any, Any]:
    """Return what begins, what goes on, and the dtype of a state, all compiled."""
    problem = drawn(rules)
    fixed = {"count": problem.count, **vars(problem)}
    del fixed["state"]
    data = namedtuple("data", fixed)(**fixed)
    jitted = {
        name: njit(getattr(rules, name))
        for name in ("legal", "play", "undo", "score")
        if hasattr(rules, name)
    }
    greedy = order_greedy if rules.change == "order" else set_greedy
    begin_with, go_on = greedy(data, jitted, -1 if rules.sense == "max" else 1)
    states = np.zeros(4, problem.state)
    now, value = begin_with(states, 1)
    go_on(states, now, value, value, 1.0, 1)
    return begin_with, go_on, problem.state


def order_greedy(data: Any, rules: dict[str, Any], sign: int) -> tuple[Any, Any]:
    """Return what begins with an order, and what changes it; each place is tried by the rules."""
    play, score = rules["play"], rules["score"]

    @njit
    def cost(states, order, count, item, at):
        """Return the cost of the first `count` of an order with an item before place `at`."""
        s = states[0]
        states[0] = states[3]  # all zeros
        for i in range(count + 1):
            play(data, s, order[i] if i < at else item if i == at else order[i - 1])
        return sign * score(data, s)

    @njit
    def put(states, order, count, item):
        """Put an item where it costs least, and return the cost."""
        best, at, ties = 0.0, -1, 1
        for place in range(count + 1):
            found = cost(states, order, count, item, place)
            ties = ties + 1 if at >= 0 and found == best else 1
            if at < 0 or found < best or (found == best and np.random.randint(ties) == 0):
                best, at = found, place
        for i in range(count, at, -1):
            order[i] = order[i - 1]
        order[at] = item
        return best

    @njit
    def begin_with(states, items, seed):
        np.random.seed(seed)
        order, value = np.zeros_like(items), 0.0
        for count, item in enumerate(np.random.permutation(items)):
            value = put(states, order, count, item)
        return order, value

    @njit
    def go_on(states, order, value, best, warm, rounds):
        size = len(order)
        for _ in range(rounds):
            other, out = order.copy(), np.zeros(TAKEN, order.dtype)
            for k in range(TAKEN):
                at = np.random.randint(size - k)
                out[k] = other[at]
                for i in range(at, size - k - 1):
                    other[i] = other[i + 1]
            found = 0.0
            for k in range(TAKEN):
                found = put(states, other, size - TAKEN + k, out[k])
            if found <= value or np.random.random() < math.exp((value - found) / warm):
                order, value = other, found
            best = min(best, value)
        return order, value, best

    operations = getattr(data, "operations", 1)
    items = np.repeat(np.arange(data.count), operations)
    return lambda states, seed: begin_with(states, items, seed), go_on


def set_greedy(data: Any, rules: dict[str, Any], sign: int) -> tuple[Any, Any]:
    """Return what begins with a set, and what changes it; moves are taken back and played."""
    legal, play, undo, score = (rules[name] for name in ("legal", "play", "undo", "score"))

    @njit
    def fill(s, chosen, drawn):
        """Play the move that costs least, or one drawn, until none is legal; return the cost."""
        while True:
            best, which, ties = 0.0, -1, 1
            for move in range(data.count):
                if legal(data, s, move):
                    found = 0.0
                    if not drawn:
                        play(data, s, move)
                        found = 1.0 * sign * score(data, s)
                        undo(data, s, move)
                    ties = ties + 1 if which >= 0 and found == best else 1
                    better = which < 0 or found < best
                    if better or (found == best and np.random.randint(ties) == 0):
                        best, which = found, move
            if which < 0:
                return 1.0 * sign * score(data, s)
            play(data, s, which)
            chosen[which] = 1

    @njit
    def begin(states, seed):
        np.random.seed(seed)
        chosen = np.zeros(data.count, np.uint8)
        value = fill(states[1], chosen, False)
        return chosen, value

    @njit
    def go_on(states, chosen, value, best, warm, rounds):
        for _ in range(rounds):
            other = chosen.copy()
            states[2] = states[1]
            s = states[2]
            members = np.random.permutation(np.flatnonzero(other))
            for move in members[:TAKEN]:
                undo(data, s, move)
                other[move] = 0
            found = fill(s, other, np.random.random() < 0.5)
            if found <= value or np.random.random() < math.exp((value - found) / warm):
                chosen, value = other, found
                states[1] = states[2]
            best = min(best, value)
        return chosen, value, best

    return begin, go_on


PEERS = {"NRPA": nrpa, "decisions": decisions, "iterated greedy": iterated_greedy}


def table(rows: list[dict[str, Any]]) -> str:
    """Return medians, and whether the default is worse than the best of the others."""
    from scipy.stats import mannwhitneyu

    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        found.setdefault((row["problem"], row["who"]), []).append(row["best"])
    names = list(dict.fromkeys(row["who"] for row in rows if row["who"] != "default"))
    lines = [
        "| | default | " + " | ".join(names) + " | default beside the best | p |",
        "|---|" + "---|" * (len(names) + 3),
    ]
    for problem, rules in DOZEN.items():
        ours = found.get((problem, "default"))
        theirs = {name: found[problem, name] for name in names if (problem, name) in found}
        if not ours or not theirs:
            continue
        sign = 1 if rules.sense == "max" else -1
        best = max(theirs, key=lambda name: sign * median(theirs[name]))
        same = len({*ours, *theirs[best]}) == 1
        test = mannwhitneyu([sign * x for x in ours], [sign * x for x in theirs[best]])
        p = 1.0 if same else test.pvalue
        up = test.statistic > len(ours) * len(theirs[best]) / 2  # equal medians may differ in ranks
        verdict = "not shown" if p >= 0.05 else "better" if up else "worse"
        cells = [f"{median(theirs[name]):,.0f}" if name in theirs else "" for name in names]
        lines.append(
            f"| {problem} | {median(ours):,.0f} | {' | '.join(cells)} | {verdict} | {p:.2g} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run what is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=list(DOZEN), default=list(DOZEN))
    everyone = ["default", *PEERS]
    parser.add_argument("--who", nargs="+", choices=everyone, default=everyone)
    parser.add_argument("--as", dest="name", default="default")
    parser.add_argument("--sets", choices=["set", "none"], default="set")
    parser.add_argument("--file", type=Path, default=Path("dozen.jsonl"))
    asked = parser.parse_args()
    Rules.change = asked.sets
    rows = []
    if asked.file.exists():
        rows = [json.loads(line) for line in asked.file.read_text().splitlines()]
    done = {(row["problem"], row["who"], row["seed"]) for row in rows}
    for seed, problem, who in itertools.product(range(1, asked.seeds + 1), asked.only, asked.who):
        name = asked.name if who == "default" else who
        if (problem, name, seed) in done:
            continue
        best = {"default": default, **PEERS}[who](DOZEN[problem], asked.seconds, seed)
        rows.append({"problem": problem, "who": name, "seed": seed, "best": best})
        with asked.file.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
