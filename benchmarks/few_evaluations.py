"""Few evaluations: what is found with 50 to 1,000 scores, beside samplers of Optuna and Nevergrad.

    python benchmarks/few_evaluations.py [--scores 50 200 1000] [--seeds 20] [--who NAME ...]

Five discrete problems, each a generated instance for each seed: a sequence of residues with
interactions, an NK landscape, an assignment with a quadratic cost, a subset under a budget, and an
order of jobs with setups. Nestor searches with its defaults and a cache, so that a game that comes
again costs nothing; Optuna has TPE and its genetic sampler, Nevergrad NGOpt and a discrete (1+1).
All get as many scores. What is found goes to `--file`, and a run that was there already is not made
again. The table says, for each of the others, on how many seeds Nestor is better or worse, with the
p of a two-sided Wilcoxon test paired by seed, by Holm's method over all rows. It needs the packages
optuna, nevergrad and scipy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nestor

Space = list[int]
"""The number of values of each variable."""


class Chain:
    """Residues of a chain of `length`, from an alphabet, with interactions of near ones."""

    sense = "max"
    sizes: Space

    def __init__(self, seed: int, length: int = 12, letters: int = 6) -> None:
        draw = random.Random(f"chain {seed}")
        self.sizes = [letters] * length
        pairs = [(i, j) for i in range(length) for j in range(i + 1, min(length, i + 4))]
        self.pair = {
            pair: [[draw.gauss(0, 1) for _ in range(letters)] for _ in range(letters)]
            for pair in pairs
        }

    def value(self, chosen: Sequence[int]) -> float:
        return sum(table[chosen[i]][chosen[j]] for (i, j), table in self.pair.items())

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, chosen: tuple[int, ...]) -> list[int]:
        return list(range(self.sizes[len(chosen)])) if len(chosen) < len(self.sizes) else []

    def play(self, chosen: tuple[int, ...], value: int) -> tuple[int, ...]:
        return (*chosen, value)

    def code(self, chosen: tuple[int, ...], value: int) -> tuple[int, int]:
        return len(chosen), value

    def score(self, chosen: tuple[int, ...]) -> float:
        return self.value(chosen)


class Landscape(Chain):
    """An NK landscape of 24 bits, each with 4 others."""

    def __init__(self, seed: int, bits: int = 24, others: int = 4) -> None:
        draw = random.Random(f"nk {seed}")
        self.sizes = [2] * bits
        self.near = [
            [i, *draw.sample([j for j in range(bits) if j != i], others)] for i in range(bits)
        ]
        self.table = [[draw.random() for _ in range(2 ** (others + 1))] for _ in range(bits)]

    def value(self, chosen: Sequence[int]) -> float:
        total = 0.0
        for near, table in zip(self.near, self.table, strict=True):
            total += table[sum(chosen[j] << k for k, j in enumerate(near))]
        return total / len(self.sizes)


class Ordered(Chain):
    """A problem whose answer is an order of `n` things; variable i is a place among those left."""

    change = "order"
    n: int

    @property
    def sizes(self) -> Space:  # type: ignore[override]
        return list(range(self.n, 0, -1))

    def decoded(self, places: Sequence[int]) -> list[int]:
        left = list(range(self.n))
        return [left.pop(place) for place in places]

    def moves(self, chosen: tuple[int, ...]) -> list[int]:
        return [each for each in range(self.n) if each not in chosen]

    def key(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        return chosen


class Quadratic(Ordered):
    """Ten facilities at ten sites: flows by distances."""

    sense = "min"

    def __init__(self, seed: int, n: int = 10) -> None:
        draw = random.Random(f"qap {seed}")
        self.n = n
        self.flow, self.distance = (
            [[draw.randrange(10) for _ in range(n)] for _ in range(n)] for _ in range(2)
        )

    def value(self, order: Sequence[int]) -> float:
        pairs = itertools.product(range(self.n), repeat=2)
        return float(sum(self.flow[i][j] * self.distance[order[i]][order[j]] for i, j in pairs))


class Setups(Ordered):
    """Twelve jobs with setups between them and due dates: total tardiness and setups."""

    sense = "min"

    def __init__(self, seed: int, n: int = 12) -> None:
        draw = random.Random(f"setups {seed}")
        self.n = n
        self.setup = [[draw.randrange(1, 20) for _ in range(n)] for _ in range(n)]
        self.due = [draw.randrange(10, 10 * n) for _ in range(n)]
        self.long = [draw.randrange(1, 10) for _ in range(n)]

    def value(self, order: Sequence[int]) -> float:
        time, late, before = 0, 0, None
        for job in order:
            time += self.long[job] + (0 if before is None else self.setup[before][job])
            late += max(0, time - self.due[job])
            before = job
        return float(late + time)


class Subset(Chain):
    """Thirty items with values for pairs, under a budget of weight."""

    def __init__(self, seed: int, n: int = 30) -> None:
        draw = random.Random(f"subset {seed}")
        self.sizes = [2] * n
        self.weight = [draw.randrange(5, 30) for _ in range(n)]
        self.room = sum(self.weight) // 3
        self.worth = [draw.randrange(5, 30) for _ in range(n)]
        self.pairs = {
            pair: draw.randrange(-10, 25)
            for pair in itertools.combinations(range(n), 2)
            if draw.random() < 0.15
        }

    def value(self, chosen: Sequence[int]) -> float:
        taken = [i for i, bit in enumerate(chosen) if bit]
        over = sum(self.weight[i] for i in taken) - self.room
        if over > 0:
            return -float(over)
        inside = set(taken)
        both = sum(worth for (i, j), worth in self.pairs.items() if i in inside and j in inside)
        return float(sum(self.worth[i] for i in taken) + both)


class Items(Subset):
    """The same as a set of items that fit."""

    change = "set"

    def moves(self, chosen: tuple[int, ...]) -> list[int]:
        left = self.room - sum(self.weight[i] for i in chosen)
        return [i for i in range(len(self.weight)) if i not in chosen and self.weight[i] <= left]

    def code(self, chosen: tuple[int, ...], item: int) -> int:  # type: ignore[override]
        return item

    def key(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(chosen))

    def score(self, chosen: tuple[int, ...]) -> float:
        return self.value([int(i in chosen) for i in range(len(self.weight))])


PROBLEMS: dict[str, Callable[[int], Any]] = {
    "chain": Chain,
    "landscape": Landscape,
    "quadratic": Quadratic,
    "setups": Setups,
    "subset": Items,
}


def ours(make: Callable[[int], Any], scores: int, seed: int) -> float:
    """Return the best of Nestor's default."""
    warnings.simplefilter("ignore")
    result = nestor.solve(make(seed), playouts=scores, seed=seed, cache="memory", threads=1, jobs=1)
    return result.score


def told(problem: Any, chosen: Sequence[int]) -> float:
    """Return the score of the values of the variables."""
    if isinstance(problem, Ordered):
        return problem.value(problem.decoded(chosen))
    return float(problem.value(chosen))


def optuna_by(sampler: str) -> Callable[[Any, int, int], float]:
    """Return what searches with a sampler of Optuna."""

    def search(problem: Any, scores: int, seed: int) -> float:
        import optuna  # type: ignore[import-not-found]

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        made = {"TPE": optuna.samplers.TPESampler, "genetic": optuna.samplers.NSGAIISampler}[
            sampler
        ]
        options = {"multivariate": True} if sampler == "TPE" else {}
        study = optuna.create_study(
            direction="maximize" if problem.sense == "max" else "minimize",
            sampler=made(seed=seed, **options),
        )

        def score(trial: Any) -> float:
            sizes = enumerate(problem.sizes)
            return told(problem, [trial.suggest_categorical(str(i), range(n)) for i, n in sizes])

        study.optimize(score, n_trials=scores)
        return float(study.best_value)

    return search


def nevergrad_by(name: str) -> Callable[[Any, int, int], float]:
    """Return what searches with an optimiser of Nevergrad."""

    def search(problem: Any, scores: int, seed: int) -> float:
        import nevergrad as ng  # type: ignore[import-not-found]

        space = ng.p.Tuple(*(ng.p.Choice(range(n)) for n in problem.sizes))
        space.random_state.seed(seed)
        sign = -1.0 if problem.sense == "max" else 1.0
        optimiser = ng.optimizers.registry[name](parametrization=space, budget=scores)
        best = math.inf
        for _ in range(scores):
            asked = optimiser.ask()
            loss = sign * told(problem, asked.value)
            optimiser.tell(asked, loss)
            best = min(best, loss)
        return sign * best

    return search


PEERS: dict[str, Callable[[Any, int, int], float]] = {
    "Optuna, TPE": optuna_by("TPE"),
    "Optuna, genetic": optuna_by("genetic"),
    "Nevergrad, NGOpt": nevergrad_by("NGOpt"),
    "Nevergrad, (1+1)": nevergrad_by("DiscreteOnePlusOne"),
}


def main() -> None:
    """Run and print as JSON lines, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scores", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", choices=list(PROBLEMS))
    parser.add_argument("--who", nargs="*", default=["Nestor", *PEERS])
    parser.add_argument("--file", type=Path, default=Path("few_evaluations.jsonl"))
    arguments = parser.parse_args()
    done = set()
    if arguments.file.exists():
        for line in arguments.file.read_text().splitlines():
            row = json.loads(line)
            done.add((row["problem"], row["scores"], row["seed"], row["who"]))
    names = [arguments.only] if arguments.only else list(PROBLEMS)
    for scores, seed, name, who in itertools.product(
        arguments.scores, range(arguments.seeds), names, arguments.who
    ):
        if (name, scores, seed, who) in done:
            continue
        if who == "Nestor":
            best = ours(PROBLEMS[name], scores, seed)
        else:
            plain = Subset if name == "subset" else PROBLEMS[name]
            best = PEERS[who](plain(seed), scores, seed)
        row = {"problem": name, "scores": scores, "seed": seed, "who": who, "best": best}
        with arguments.file.open("a") as file:
            file.write(json.dumps(row) + "\n")
    print(table([json.loads(line) for line in arguments.file.read_text().splitlines()]))


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return a line for each problem, number of scores and peer."""
    from scipy.stats import wilcoxon

    best = {(r["problem"], r["scores"], r["who"], r["seed"]): r["best"] for r in rows}
    cells = sorted({(r["problem"], r["scores"]) for r in rows})
    peers = [who for who in PEERS if any(r["who"] == who for r in rows)]
    tests = []
    for (name, scores), who in itertools.product(cells, peers):
        sign = 1.0 if PROBLEMS[name](0).sense == "max" else -1.0
        seeds = [s for p, n, w, s in best if (p, n, w) == (name, scores, who)]
        gains = [
            round(sign * (best[name, scores, "Nestor", s] - best[name, scores, who, s]), 9)
            for s in seeds
            if (name, scores, "Nestor", s) in best
        ]
        p = wilcoxon(gains).pvalue if any(gains) else 1.0
        tests.append((p, name, scores, who, sum(g > 0 for g in gains), sum(g < 0 for g in gains)))
    lines, worst = [], 0.0
    for rank, (p, name, scores, who, up, down) in enumerate(sorted(tests)):
        worst = max(worst, min(1.0, p * (len(tests) - rank)))
        verdict = "-" if worst >= 0.05 else "better" if up > down else "WORSE"
        lines.append(
            f"{name:10} {scores:5} {who:18} {up:3} up {down:3} down  p {worst:.3g} {verdict}"
        )
    return "\n".join(sorted(lines))


if __name__ == "__main__":
    main()
