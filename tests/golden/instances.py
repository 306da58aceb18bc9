"""The instances and algorithms of the golden outcomes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from nestor import (
    GNRPA,
    NMCS,
    NRPA,
    Algorithm,
    BeamNRPA,
    Counterexamples,
    LocalSearch,
    Sampling,
)
from nestor.problems import RNA, TSPTW, Crossword, Kakuro, LatinSquare, Morpion, SameGame

WORDS = (
    "mercury venus earth mars jupiter saturn uranus neptune pluto ceres eris titan europa io moon"
)


class Subset:
    """A user's own problem: choose numbers with a large sum, no two of them neighbours."""

    values = (3, 9, 4, 1, 7, 8, 2, 6, 5, 9, 1, 4, 8, 8, 3)

    def initial(self) -> tuple[int, ...]:
        """Nothing is chosen."""
        return ()

    def moves(self, state: tuple[int, ...]) -> range:
        """Offer the places that are not next to the last one."""
        return range(state[-1] + 2 if state else 0, len(self.values))

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Choose a place."""
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        """Add up."""
        return float(sum(self.values[i] for i in state))

    def bias(self, state: tuple[int, ...], move: int) -> float:
        """Prefer near places."""
        return -0.1 * move


class Apart:
    """A user's own problem: numbers of which no two are a square apart, with weights."""

    change = "set"

    def initial(self) -> frozenset[int]:
        return frozenset()

    def moves(self, state: frozenset[int]) -> list[int]:
        squares = {k * k for k in range(7)}
        return [n for n in range(40) if not any(abs(n - other) in squares for other in state)]

    def play(self, state: frozenset[int], move: int) -> frozenset[int]:
        return state | {move}

    def undo(self, state: frozenset[int], move: int) -> frozenset[int]:
        return state - {move}

    def score(self, state: frozenset[int]) -> float:
        return sum(9 + n * 7 % 11 for n in state)

    def bias(self, state: frozenset[int], move: int) -> float:
        return move * 7 % 11 / 10


class Lateness:
    """A user's own problem: run each job twice on one machine, with little weighted lateness."""

    sense = "min"
    change = "order"
    jobs = tuple((k * 7 % 11 + 1, k * 29 % 90, k % 5 + 1) for k in range(10))

    def initial(self) -> tuple[int, ...]:
        """Nothing is run."""
        return ()

    def moves(self, state: tuple[int, ...]) -> list[int]:
        """Offer the jobs that were not run twice."""
        return [job for job in range(len(self.jobs)) if state.count(job) < 2]

    def play(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        """Run a job."""
        return (*state, move)

    def score(self, state: tuple[int, ...]) -> float:
        """Add up the lateness."""
        time = late = 0
        for length, due, weight in map(self.jobs.__getitem__, state):
            time += length
            late += weight * max(0, time - due)
        return float(late)


def tour(**options: Any) -> TSPTW:
    """Make a tour of 20 nodes with windows that bind."""
    rng = random.Random(2)
    places = [(rng.uniform(0, 50), rng.uniform(0, 50)) for _ in range(20)]
    matrix = [[abs(a - c) + abs(b - d) for c, d in places] for a, b in places]
    windows = [(0.0, 1000.0)] + [(start, start + 120) for start in rng.choices(range(300), k=19)]
    return TSPTW(matrix, windows, label="twenty", **options)


def board() -> SameGame:
    """Make a board of 10 x 10 cells and 4 colours."""
    rng = random.Random(3)
    return SameGame(["".join(rng.choices("0123", k=10)) for _ in range(10)])


BRANCHED = "((((.((((....)))).((.((...)).)).((((....)))).))))...(((..(((....)))..)))"
NEVER = "((.((..(...)..)).(.((...)).).(((....)))...(...)..))"
"""Helices of one pair do not hold: nothing folds into it."""
STUBBORN = "(((.(..((.((....)).((....)).))..).(....).)))"
"""A part of it never folds by itself."""
WISHES: dict[str, Any] = {"min_probability": 1.0, "max_defect": 0.02}

INSTANCES: dict[str, Callable[[], Any]] = {
    "tsptw": tour,
    "tsptw-all-moves": lambda: tour(selective=False),
    "samegame": board,
    "morpion-5D": lambda: Morpion("5D"),
    "morpion-4T": lambda: Morpion("4T"),
    "crossword": lambda: Crossword(WORDS.split(), 11),
    "latin": lambda: LatinSquare.generate(20, 0.42, 1, hidden_singles=False),
    "latin-hard": lambda: LatinSquare.generate(40, 0.3, 4),
    "kakuro": lambda: Kakuro.generate(6, 8, 1, pruning=False),
    "kakuro-pruned": lambda: Kakuro.generate(8, 9, 1),
    "rna": lambda: RNA("(((.(((....))).((.((....))))(.((...))).)))"),
    "rna-never": lambda: RNA(NEVER),
    "rna-never-1999": lambda: RNA(NEVER, model="turner1999-d2"),
    "rna-never-d1": lambda: RNA(NEVER, model="turner1999-d1"),
    "rna-stubborn": lambda: RNA(STUBBORN),
    "rna-branched": lambda: RNA(BRANCHED, order="pairs"),
    "rna-wishes": lambda: RNA(BRANCHED, gc=(0.3, 0.5), avoid=["GAAA"], **WISHES),
    "rna-wishes-d1": lambda: RNA(BRANCHED, model="turner1999-d1", **WISHES),
    "own": Subset,
    "order": Lateness,
    "set": Apart,
}

ALGORITHMS: dict[str, Algorithm] = {
    "sampling": Sampling(),
    "nmcs": NMCS(1, beam=2),
    "nmcs-sampled": NMCS(2, samples=3),
    "nrpa": NRPA(3, 10),
    "gnrpa": GNRPA(2, 30, temperature=1.4),
    "gnrpa-leaf-parallel": GNRPA(2, 30, width=4),
    "gnrpa-level-parallel": GNRPA(3, 8, width=(1, 3, 1), repetitions=4),
    "gnrpa-local-policies": GNRPA(3, 8, width=(1, 4, 1), policies="local", inherit=True),
    "nrpa-options": NRPA(2, 40, repetitions=3, force_explore=True, warm_start=2.3),
    "gnrpa-bias-learning": GNRPA(2, 20, bias_learning=0.01),
    "beam-nrpa": BeamNRPA(2, 15),
    "local-search": LocalSearch(),
    "local-search-planned": LocalSearch(evaluations=30_000),
    "counterexamples": Counterexamples(patience=5),
    "beam-nrpa-printed": BeamNRPA(2, 15, adapt_all=False, diversity=0, temperature=1.2),
}

PLAYOUTS = {"set": 40_000, "rna-never-d1": 10}
PLAYOUTS |= {name: 30 for name in INSTANCES if "rna-" in name and name not in PLAYOUTS}
"""Of instances that need more, or take longer: every variant of a set has its turn."""

WITHOUT_BIAS = {"morpion-5D", "morpion-4T", "crossword", "latin", "kakuro"}
"""Instances of problems without a bias."""

NESTED = {"tsptw", "latin", "crossword"}
IMPROVED = {"order", "set", "tsptw", "crossword"}
EXPLAINED = {name for name in INSTANCES if "rna-" in name} | {
    "latin",
    "latin-hard",
    "kakuro-pruned",
}
"""Instances of local search, and of search by counterexamples; `NESTED` is of nested search too."""


def goes(algorithm: str, instance: str) -> bool:
    """Whether an algorithm is recorded with an instance."""
    improved = {
        "local-search": IMPROVED,
        "local-search-planned": {"set"},
        "counterexamples": EXPLAINED,
    }
    if algorithm in improved:
        return instance in improved[algorithm]
    if instance in {*IMPROVED, *EXPLAINED} - NESTED:
        return False
    return algorithm != "gnrpa-bias-learning" or instance not in WITHOUT_BIAS


def pairs() -> list[tuple[str, str]]:
    """Return the instances and algorithms that go together."""
    return [
        (instance, each) for instance in INSTANCES for each in ALGORITHMS if goes(each, instance)
    ]
