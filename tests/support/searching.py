"""Searches of the core for tests: they are made, advanced and read here."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nestor import NRPA, Algorithm, _core, reference, solve
from nestor.biases import WithBiases
from nestor.prior import WithPrior
from nestor.problem import InCore
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.session import Limits

from .instances import name_of


@dataclass(frozen=True, eq=False)
class Subject:
    """What the core and its twin both search.

    Attributes
    ----------
    twin : Problem
        What `nestor.reference` searches.
    parts : sequence of (Problem, str or None)
        For each bias a problem that has it, and the name of the method if it is written in Python.
    prior : dict or None
        beta by prior code, one more bias of the core.
    label : str
    """

    twin: Any
    parts: Sequence[tuple[Any, str | None]]
    prior: dict[Any, float] | None
    label: str

    def __str__(self) -> str:
        return self.label

    @property
    def own(self) -> bool:
        """Whether the problem is written in Python; the core's moves are then indices."""
        return not isinstance(self.parts[0][0], InCore)

    @cached_property
    def cores(self) -> list[_core.Problem]:
        """The core's problem with each of the biases: one that numbers codes for all searches."""
        return [_core.Problem.own(*p) if self.own else p[0].core() for p in self.parts]

    def begin(self, algorithm: Algorithm, seed: int = 1, jobs: int = 1) -> _core.Search:
        """Begin a search."""
        first, *others = self.cores
        return first.search(algorithm.core(), seed, jobs, self.prior, others)

    def numbers(self, moves: Sequence[Any]) -> list[Any]:
        """Return moves as the core has them."""
        if not self.own:
            return list(moves)
        state, numbers = self.twin.initial(), []
        for move in moves:
            numbers.append(list(self.twin.moves(state)).index(move))
            state = self.twin.play(state, move)
        return numbers


def subject(problem: Any) -> Subject:
    """Return what core and twin search for a problem with its own bias."""
    if isinstance(problem, Subject):
        return problem
    own = not isinstance(problem, InCore)
    bias = "bias" if own and hasattr(problem, "bias") else None
    return Subject(problem, [(problem, bias)], None, name_of(problem))


def with_prior(problem: Any, betas: dict[Any, float]) -> Subject:
    """Return a problem of the core with a prior in place of its bias."""
    return Subject(WithPrior(problem, betas), [(problem, None)], betas, f"{name_of(problem)}-prior")


def several(problem: Any, *names: str, prior: dict[Any, float] | None = None) -> Subject:
    """Return a problem with several biases, a prior the last one, whose weights are learned."""
    own = not isinstance(problem, InCore)
    problems = [(problem, name) if own else (problem.with_bias(name), "bias") for name in names]
    parts: list[tuple[Any, str | None]] = list(problems)
    if prior is not None:
        problems.append((WithPrior(problem, prior), "bias"))
        if own:
            parts, prior = list(problems), None
    twin = WithBiases(problem, [getattr(*part) for part in problems])
    return Subject(twin, parts, prior, f"{name_of(problem)}-{'+'.join(names)}{len(problems)}")


def begin(problem: Any, algorithm: Algorithm, seed: int = 1, jobs: int = 1) -> _core.Search:
    """Begin a search of a problem or subject."""
    return subject(problem).begin(algorithm, seed, jobs)


def begin_as(
    core: _core.Problem, settings: dict[str, Any], seed: int = 1, jobs: int = 1
) -> _core.Search:
    """Begin a search with a problem and settings as the core gets them."""
    return core.search(settings, seed, jobs)


def improvements(search: _core.Search) -> list[list[tuple[int, float, int]]]:
    """Return the playouts, score and level of each job's improvements, without the times."""
    return [[(i["playouts"], i["score"], i["level"]) for i in job] for job in search.improvements]


def found(search: _core.Search) -> Any:
    """Return all that a search found, without the times."""
    return search.score, search.moves, improvements(search), search.playouts


def run(problem: Any, algorithm: Algorithm, playouts: int, seed: int = 1) -> Any:
    """Return what a search of this many playouts finds."""
    search = begin(problem, algorithm, seed)
    search.advance(Limits(1000.0, 1, playouts))
    return found(search)


def solved_games(problem: Any, number: int) -> list[tuple[Any, list[Any]]]:
    """Return solutions found by short searches."""
    runs = [solve(problem, NRPA(1, 30), playouts=30, seed=seed) for seed in range(number)]
    return [(run.problem, run.moves) for run in runs]


def running_maxima(scores: Sequence[float]) -> list[tuple[int, float]]:
    """Return (playouts, score) of every new best score."""
    best: list[tuple[int, float]] = []
    for number, score in enumerate(scores, 1):
        if not best or score > best[-1][1]:
            best.append((number, score))
    return best


def compare(problem: Any, algorithm: Algorithm, seed: int = 1, restarts: int = 1) -> Any:
    """Check that core and twin find the same; return the twin's best playout."""
    both = subject(problem)
    best, scores = reference.whole_searches(both.twin, algorithm, seed=seed, restarts=restarts)
    search = both.begin(algorithm, seed)
    assert search.advance(Limits(1000.0, 1, len(scores))) == "playouts"
    assert (search.score, search.moves) == (best.reported, both.numbers(best.moves))
    assert [(p, s) for p, s, _ in improvements(search)[0]] == running_maxima(scores)
    return best


def log_likelihood(policy: reference.Policy, steps: Sequence[reference.Step]) -> float:
    """Return the logarithm of the probability of a sequence."""
    total = 0.0
    for step in steps:
        values = policy.step(step.codes, step.biases, step.further)
        total += math.log(values[step.chosen] / sum(values))
    return total


def check_threads(begin: Callable[[], _core.Search], playouts: int = 1500) -> None:
    """Check that threads change nothing, in one go or if the clock stops them."""
    outcomes = []
    for threads in (1, 2, 4):
        search = begin()
        for pause in (3, 50, 51, 400):
            search.advance(Limits(1000.0, threads, pause))
        while search.advance(Limits(0.0005, threads, playouts)) != "playouts":
            pass
        outcomes.append((found(search), search.counts, search.progress))
    for threads, outcome in zip((2, 4), outcomes[1:], strict=True):
        assert outcome == outcomes[0], f"{threads} threads find something else than one"


def whole_and_interrupted(asked: Setup, stops: Sequence[int]) -> tuple[Any, Any]:
    """Return two searches of as many playouts as the last stop.

    The second is saved at each stop, and goes on in a new search.
    """
    whole, other = asked.search(1), asked.search(1)
    whole.advance(Limits(60.0, 1, playouts=stops[-1]))
    for playouts in stops:
        again = asked.search(1)
        again.restore(other.save())
        again.advance(Limits(60.0, 1, playouts=playouts))
        other = again
    return whole, other


def ticks_during(call: Callable[[], object]) -> int:
    """Return how often this thread ran while another made a call, which may hold the GIL."""
    thread = threading.Thread(target=call)
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    return ticks
