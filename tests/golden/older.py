"""Searches that an older version has saved: the other files of ``stored/``.

They were written by version 0.1.0 of 22 November 2026 (commit 18caac3), with
``PYTHONPATH=tests python -c "import golden.older as older; older.write('tests/golden/stored')"``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nestor
from nestor import GNRPA, NMCS, NRPA, BeamNRPA, Counterexamples, Sampling
from nestor.problems import RNA, Crossword, Kakuro, LatinSquare, Morpion
from nestor.research import adapt, run_level

SEED = 5
STOPPED, WHOLE = 400, 1000
"""Playouts of a checkpoint and of a whole run."""
FEWER = {"counterexamples-rna": (20, 50), "counterexamples-latin": (1, 50)}
"""The same of searches whose playouts take long, or that soon end."""


class Jobs:
    """A user's own problem: the order of ten jobs on one machine, with little weighted lateness."""

    sense = "min"
    change = "order"
    jobs = tuple((k * 7 % 11 + 1, k * 29 % 60, k % 5 + 1) for k in range(10))

    def initial(self) -> tuple[int, ...]:
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        return [job for job in range(len(self.jobs)) if job not in state]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        time = late = 0
        for length, due, weight in map(self.jobs.__getitem__, state):
            time += length
            late += weight * max(0, time - due)
        return float(late)


class Coded(Jobs):
    """The same with codes of a user's own, strings and tuples, and a bias."""

    change = "none"

    def code(self, state: tuple[int, ...], move: int) -> Any:
        return ("first", move) if not state else f"{state[-1]} {move}"

    def bias(self, state: tuple[int, ...], move: int) -> float:
        return -self.jobs[move][1] / 10


@nestor.algorithm
def saved(search, problem, policy, level, key, *, iterations=20):  # type: ignore[no-untyped-def]
    """NRPA, which can be saved after each iteration of any level."""
    if level == 1:
        return run_level(problem, policy, 1, iterations, key=key)
    first, policy, best = search.state or (0, policy.copy(), None)
    for i in range(first, iterations):
        new = search(problem, policy, level - 1, key.child(i))
        if best is None or new.score >= best.score:
            best = new
        adapt(policy, best)
        yield i + 1, policy, best
    return best


WORDS = ["mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "pluto", "ceres"]
NEVER = "((.((..(...)..)).(.((...)).).(((....)))...(...)..))"
RUNS: dict[str, tuple[Any, Any]] = {
    "counterexamples-rna": (RNA(NEVER), Counterexamples(patience=10)),
    "counterexamples-latin": (
        LatinSquare.generate(20, 0.42, 1, hidden_singles=False),
        Counterexamples(patience=10),
    ),
    "own-order": (Jobs(), NRPA(2, 30)),
    "own-order-polish": (Jobs(), NRPA(2, 30, polish=True)),
    "own-codes": (Coded(), GNRPA(2, 30)),
    "own-algorithm": (Morpion("4D"), saved(level=3, iterations=9, bias="none")),
    "own-both": (Coded(), saved(level=2, iterations=20, bias=None)),
    "polish": (Crossword(WORDS, 7), GNRPA(3, 8, polish=True)),
    "polish-beam": (Kakuro.generate(8, 9, 1, pruning=False), BeamNRPA(2, 8, polish=True)),
}
"""Problems and algorithms of stored checkpoints and results, by name."""


ENDED = {"own-order-polish": "polish changes single decisions"}
"""Checkpoints that cannot be continued, and what is said of them: polish changes no order now."""

COMPARED: dict[str, Any] = {
    "sampling": Sampling(),
    "nmcs": NMCS(1),
    "beam": BeamNRPA(2, 5),
    "gnrpa": GNRPA(2, 5),
    "own": saved(level=2, iterations=5, bias="none"),
}


def compared(path: Path) -> nestor.Runs:
    """Compare several algorithms, with runs in a file."""
    problems: dict[str, Any] = {"game": Morpion("4D"), "jobs": Coded()}
    return nestor.compare(problems, COMPARED, seeds=1, playouts=40, save=path)


def write(to: str) -> None:
    """Write the files that are missing."""
    folder = Path(to)
    for name, (problem, algorithm) in RUNS.items():
        result = folder / f"result-{name}.json"
        if result.exists():
            continue
        few, many = FEWER.get(name, (STOPPED, WHOLE))
        budget: dict[str, Any] = {"seed": SEED, "threads": 1, "jobs": 1}
        nestor.solve(problem, algorithm, playouts=many, **budget).save(result)
        checkpoint = folder / f"checkpoint-{name}.ckpt"
        nestor.solve(problem, algorithm, playouts=few, checkpoint=checkpoint, **budget)
    compared(folder / "runs-own.jsonl")
    for name in ("counterexamples-rna", "own-codes", "counterexamples-latin", "polish-beam"):
        problem, algorithm = RUNS[name]
        found = nestor.solve(problem, algorithm, playouts=40, seed=SEED, threads=1)
        packed = ".gz" * (name == "polish-beam")
        nestor.learn_prior([found], name=name).save(folder / f"{name}.prior{packed}")
