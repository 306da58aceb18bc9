"""Random games of a problem, and where their time goes."""

from __future__ import annotations

import copy
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeVar

from nestor.effort import Effort, spent
from nestor.errors import InputError
from nestor.problem import InCore, Problem, engine_score
from nestor.problems.faults import judged, legal_moves
from nestor.problems.own import adapt

Value = TypeVar("Value")

EFFORT = 0.5
"""Seconds that the games take."""

LEAST = 1e-3
"""Seconds of a score that are worth a word."""

GAMES = 100
"""The most games that are played."""


@dataclass
class Games:
    """Random games of a problem, and where the time went. Scores are natural ones."""

    lengths: list[int] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    parts: list[tuple[float, ...]] = field(default_factory=list)
    """The whole scores if a front is looked for; `scores` has the first objective."""
    played: list[list[Any]] = field(default_factory=list)
    chosen: list[list[Any]] = field(default_factory=list)
    offered: set[Any] = field(default_factory=set)
    clocks: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    """Of each method the processor time, and the time on the wall."""
    played_first: float = 0.0
    """Seconds that `play` takes in the first game."""
    copied: float = 0.0
    """Seconds that deep copies of its states take."""

    @classmethod
    def of(cls, problem: Problem[Any, Any], seed: int) -> Games:
        """Play random games until some time is used up."""
        games, effort = cls(), Effort()
        adapted = adapt(problem)
        # Local search of orders asks for no bias.
        timed = not isinstance(problem, InCore) and adapted.change != "order"
        names = adapted.default_biases(False) if timed else ()
        biases = {name: getattr(problem, name) for name in names if hasattr(problem, name)}
        for number in range(GAMES):
            games._play(problem, random.Random(f"{seed}/{number}"), number == 0, biases)
            if effort.seconds > EFFORT:
                break
        return games

    def _play(
        self,
        problem: Problem[Any, Any],
        rng: random.Random,
        first: bool,
        biases: Mapping[str, Callable[[Any, Any], float]],
    ) -> None:
        state, moves, codes = self._timed("initial", problem.initial), list[Any](), list[Any]()
        while legal := self._timed("moves", legal_moves, problem, state):
            self.widths.append(len(legal))
            told = legal
            if (code := getattr(problem, "code", None)) is not None:
                told = self._timed("code", _of_each, code, state, legal)
            for name, bias in biases.items():
                self._timed(name, _of_each, bias, state, legal)
            if first:
                began = time.thread_time()
                with suppress(Exception):
                    copy.deepcopy(state)
                self.copied += time.thread_time() - began
            self.offered.update(told)
            place = rng.randrange(len(legal))
            moves.append(legal[place])
            codes.append(told[place])
            state = self._timed("play", problem.play, state, legal[place])
        try:
            score = float(self._timed("score", engine_score, problem, state))
        except TypeError:
            wrong = problem.score(state)
            raise InputError(
                f"score() must return a number, not {wrong!r:.80}, after the moves {moves!r:.1000}"
            ) from None
        adapted = adapt(problem)
        self.scores.append(adapted.natural(score))
        if adapted.front:
            self.parts.append(judged(problem, "score", state))
        self.lengths.append(len(codes))
        self.played.append(moves)
        self.chosen.append(codes)
        if first:
            self.played_first = spent(*self.clocks["play"])

    def _timed(self, name: str, call: Callable[..., Value], *given: Any) -> Value:
        began, begun = time.thread_time(), time.monotonic()
        try:
            return call(*given)
        finally:
            clocks = self.clocks[name]
            clocks[0] += time.thread_time() - began
            clocks[1] += time.monotonic() - begun

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds that each method took."""
        return {name: spent(*clocks) for name, clocks in self.clocks.items()}

    @property
    def waiting(self) -> bool:
        """Whether `score` mostly waits for something."""
        processor, wall = self.clocks["score"]
        return wall / len(self.scores) > LEAST and spent(processor, wall) == wall

    @property
    def shares(self) -> dict[str, float]:
        """The share of the time that each method takes, the largest first."""
        total = sum(self.seconds.values()) or 1.0
        ranked = sorted(self.seconds.items(), key=itemgetter(1), reverse=True)
        return {name: spent / total for name, spent in ranked}

    @property
    def repeated(self) -> int:
        """How many games choose a code more than once."""
        return sum(len(set(codes)) < len(codes) for codes in self.chosen)

    @property
    def shared(self) -> float:
        """The share of the chosen codes, the first of a game aside, that others choose, too."""
        times = Counter(code for codes in self.chosen for code in set(codes[1:]))
        total = sum(times.values())
        return sum(number for number in times.values() if number > 1) / max(total, 1)


def _of_each(method: Callable[[Any, Any], Any], state: Any, legal: list[Any]) -> list[Any]:
    return [method(state, move) for move in legal]
