"""What the default search finds beside sampling and a greedy game, which learn nothing.

A search for a front has no rivals here: those look for the best of one score.
"""

from __future__ import annotations

import copy
import statistics
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nestor.algorithms import Algorithm
from nestor.algorithms.auto import BLIND
from nestor.diagnosis.games import Games
from nestor.effort import Effort
from nestor.problem import Problem, engine_score
from nestor.problems.base import BEYOND
from nestor.problems.faults import legal_moves
from nestor.problems.own import adapt
from nestor.result import Result
from nestor.runs.stopping import terminable
from nestor.solving import solve

EFFORT = 1.0
"""About how many seconds a search has, and the most of the greedy game."""

FEWEST, MOST = 50, 2000
"""The playouts of the searches; more than the most only where it takes more to tell, and fewer
where one takes long."""

ROUNDS = 4
"""A search that has had fewer playouts than so many times the moves of a game has seen too little.

Those are all legal moves of all its states: a greedy game looks at each of them.
"""

LONGER, STRETCH = 8, 4.0
"""A search that is no better than the others has so many times the playouts, if so many times the
effort is enough for it."""


SEEDS = 3
"""With so many a way to search must be better, each time, before anybody is told to try it."""


@dataclass
class Match:
    """A search, and what others found in about as much time.

    Attributes
    ----------
    found : Result
        Of the default search.
    scores : dict of str to float
        What the others found.
    telling : bool
        Whether so many playouts are enough to say that the search is no better than the others.
    rate, speed : float
        Playouts a second, on one core, of sampling and of the search; twice the second for a front.
    hurried : bool
        Whether there was no time for more playouts.
    sampled : int
        The playouts of sampling: fewer than those of a search that makes quick changes.
    missing : str
        Why there is no greedy game; empty if there is one.
    longer : Result or None
        The search with more playouts, if the others did as well as the first.
    easy : bool
        Whether sampling finds the same as the search, and no more with more playouts.
    """

    found: Result
    scores: dict[str, float]
    telling: bool
    rate: float
    speed: float
    hurried: bool
    sampled: int
    missing: str = ""
    longer: Result | None = None
    easy: bool = False

    @classmethod
    def of(cls, problem: Problem[Any, Any], games: Games, seed: int) -> Match:
        """Search, sample and play a greedy game."""
        moves = statistics.median(games.lengths) * statistics.mean(games.widths or [0])
        need = int(ROUNDS * moves)
        rival = None if adapt(problem).front else BLIND
        with warnings.catch_warnings(action="ignore"):
            _searched(problem, rival, 1, seed)  # A compiled class is compiled and tried out.
            _, once = _searched(problem, rival, 1, seed)
            playouts, more = 0, min(FEWEST, 1 + int(STRETCH * EFFORT * once))
            while more > playouts:
                playouts = more
                sampled, rate = found, speed = _searched(problem, rival, playouts, seed)
                if rival is not None:
                    found, speed = _searched(problem, None, playouts, seed)
                more = int(min(max(MOST, need), 8 * playouts, min(rate, speed) * EFFORT))
            # Changes are quicker than samples, the more so after the first game. A search of
            # several objectives that has come to the optimum makes no more of them.
            while (
                speed > 2 * rate
                and found.playouts >= playouts
                and (more := int(speed * EFFORT)) > 2 * playouts
            ):
                playouts = more
                found, speed = _searched(problem, None, playouts, seed)
                if rate * EFFORT > 2 * sampled.playouts:
                    sampled, rate = _searched(problem, rival, int(rate * EFFORT), seed)
            playouts, sample = found.playouts, sampled.playouts
            hurried = playouts < max(MOST, need)
            if rival is None:
                return cls(found, {}, True, rate, speed, hurried, sample)
            scores, missing = {"sampling": sampled.score}, ""
            try:
                if adapt(problem).change == "cover":
                    missing = "no greedy game: what is cheapest says little of a cover"
                else:
                    scores["greedy"] = _greedy(problem)
            except TimeoutError:
                missing = "a greedy game takes too long"
            except Exception as error:
                missing = (
                    "no greedy game: score() of a game that is not over raises "
                    f"{type(error).__name__}"
                )
            match = cls(found, scores, playouts >= need, rate, speed, hurried, sample, missing)
            if match.telling and any(map(match.behind, scores)):
                if playouts == sample:
                    match.telling = LONGER * playouts < STRETCH * EFFORT * speed
                    if match.telling:
                        match.longer, _ = _searched(problem, None, LONGER * playouts, seed)
                match.easy = match.level(sampled) and match.level(
                    _searched(problem, BLIND, LONGER * sample, seed)[0]
                )
        return match

    @property
    def best(self) -> Result:
        """The search that had the most playouts."""
        return self.found if self.longer is None else self.longer

    def level(self, other: Result) -> bool:
        """Whether another search found the same."""
        return other.score == self.best.score

    @property
    def open(self) -> bool:
        """Whether more playouts are needed to say that the search is no better than the others."""
        solved = self.best.score == adapt(self.best.problem).optimum
        return not self.telling and not solved and any(map(self.behind, self.scores))

    def behind(self, rival: str) -> bool:
        """Whether the search found no more than another one."""
        return not self._better(self.best.score, self.scores[rival])

    def beaten(self, rival: str) -> bool:
        """Whether the search found less than another one."""
        return self._better(self.scores[rival], self.best.score)

    def with_decisions(self, original: Problem[Any, Any]) -> tuple[Result, Result] | None:
        """Search with single decisions changed; return that and the default if it is better.

        It must be better with each seed, with as many playouts as the default makes in the effort.
        """
        problem, first = self.found.problem, self.found.seed
        playouts, found = max(self.found.playouts, int(EFFORT * self.speed)), []
        with suppress(Exception), warnings.catch_warnings(action="ignore"):
            # What the copy says of changes is known when its core is opened, after this.
            changing: Any = copy.copy(original)
            object.__setattr__(changing, "change", "decisions")
            for seed in range(first, first + SEEDS):
                pair = [
                    _searched(each, None, playouts, seed)[0]
                    for each in (adapt(changing).bare.original, problem)
                ]
                if not self._better(pair[0].score, pair[1].score):
                    return None
                found.append((pair[0], pair[1]))
            return found[0]
        return None

    def _better(self, score: float, other: float) -> bool:
        return score < other if self.found.sense == "min" else score > other


@terminable()
def _searched(
    problem: Problem[Any, Any], algorithm: Algorithm | None, playouts: int, seed: int
) -> tuple[Result, float]:
    """Return what a search finds, and its playouts a second; Ctrl-C ends the whole report.

    A search for one score goes on after the optimum, as one that ends at once says nothing of the
    speed.
    """
    effort, adapted = Effort(), adapt(problem)
    target = adapted.natural(BEYOND) if adapted.objectives is None else None
    found = solve(problem, algorithm, playouts=playouts, target=target, seed=seed)
    if found.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return found, found.playouts / max(effort.seconds, 1e-9)


def _greedy(problem: Problem[Any, Any]) -> float:
    """Return the score of the game whose every move has the best score at once.

    `score` need not know what an unfinished game is worth.

    Raises
    ------
    TimeoutError
        If it takes too long.
    """
    state, effort = problem.initial(), Effort()

    def worth(following: Any) -> float:
        if effort.seconds > EFFORT:
            raise TimeoutError
        return engine_score(problem, following)

    while legal := legal_moves(problem, state):
        state = max((problem.play(state, move) for move in legal), key=worth)
    return float(adapt(problem).natural(engine_score(problem, state)))
