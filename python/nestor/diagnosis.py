"""What random games and short searches say about a user's own problem, and which page mends it."""

from __future__ import annotations

import copy
import random
import statistics
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeVar

from nestor.algorithms import Sampling
from nestor.objectives import scalar
from nestor.problem import Problem, score_of, sense_of_scores
from nestor.problems.faults import legal_moves
from nestor.problems.own import adapt
from nestor.solving import solve
from nestor.text import counted, format_score

Value = TypeVar("Value")

CODES, SPEED, MODEL, CHOOSING = (
    "docs/concepts/codes.md",
    "docs/compiled.md",
    "docs/faq.md",
    "docs/choosing.md",
)
"""The pages of the documentation that findings name."""

EFFORT = 0.5
"""Seconds of processor time that the games take, and about as many that each search does."""

GAMES = 100
"""The most games that are played."""

FEWEST, MOST = 50, 2000
"""The playouts of the searches that are compared."""

SHORT = 8
"""A game that uses less than one in this many of its first moves is oddly short."""

LONGER = 3
"""So is one if the best that was found is this many times as long."""

RARE = 0.05
"""If a smaller share of the chosen codes is chosen in other games too, codes are not seen again."""

COPYING = 0.5
"""A `play` that takes this share of a deep copy of the state, or more, may be one."""

NOTICED = 0.25
"""The share of the time from which on a method is worth a look."""

SLOW = 10_000
"""Fewer playouts a second are few."""

COMPILED = 1.3e-7, 6.7e-9
"""Seconds that a compiled class takes for a move, and for each legal move beside it.

Those of the knapsack of docs/compiled.md with 7 things (2,070,000 playouts a second) and with 200
(12,800), on one core of an EPYC. Rules that work more for a move take longer."""


@dataclass(frozen=True)
class Finding:
    """What should be looked at, and the page of the documentation that says what to do."""

    text: str
    page: str

    def __str__(self) -> str:
        return f"{self.text} ({self.page})"


@dataclass
class Games:
    """Random games of a problem, and where the time went."""

    lengths: list[int] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    chosen: list[list[Any]] = field(default_factory=list)
    offered: set[Any] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    played_first: float = 0.0
    """Seconds that `play` takes in the first game."""
    copied: float = 0.0
    """Seconds that deep copies of its states take."""

    @classmethod
    def played(cls, problem: Problem[Any, Any], seed: int) -> Games:
        """Play random games until some time is used up."""
        games, end = cls(), time.process_time() + EFFORT
        for number in range(GAMES):
            games._play(problem, random.Random(f"{seed}/{number}"), number == 0)
            if time.process_time() > end:
                break
        return games

    def _play(self, problem: Problem[Any, Any], rng: random.Random, first: bool) -> None:
        state, codes = self._timed("initial", problem.initial), []
        while legal := self._timed("moves", legal_moves, problem, state):
            self.widths.append(len(legal))
            told = legal
            if (code := getattr(problem, "code", None)) is not None:
                told = self._timed("code", _codes, code, state, legal)
            if first:
                began = time.thread_time()
                with suppress(Exception):
                    copy.deepcopy(state)
                self.copied += time.thread_time() - began
            self.offered.update(told)
            place = rng.randrange(len(legal))
            codes.append(told[place])
            state = self._timed("play", problem.play, state, legal[place])
        self.scores.append(float(self._timed("score", score_of, problem, state)))
        self.lengths.append(len(codes))
        self.chosen.append(codes)
        if first:
            self.played_first = self.seconds["play"]

    def _timed(self, name: str, call: Callable[..., Value], *given: Any) -> Value:
        began = time.thread_time()
        try:
            return call(*given)
        finally:
            self.seconds[name] += time.thread_time() - began

    @property
    def shares(self) -> dict[str, float]:
        """The share of the time that each method takes, the largest first."""
        total = sum(self.seconds.values()) or 1.0
        ranked = sorted(self.seconds.items(), key=itemgetter(1), reverse=True)
        return {name: spent / total for name, spent in ranked}

    @property
    def shared(self) -> float:
        """The share of the chosen codes, the first of a game aside, that others choose, too."""
        times = Counter(code for codes in self.chosen for code in set(codes[1:]))
        total = sum(times.values())
        return sum(number for number in times.values() if number > 1) / max(total, 1)


@dataclass(frozen=True)
class Diagnosis:
    """What there is to say about a problem that keeps its contract.

    Attributes
    ----------
    name : str
        The problem.
    facts : dict of str to str
        Figures, each with its name.
    findings : tuple of Finding
        What should be looked at; empty if nothing was found.
    """

    name: str
    facts: dict[str, str]
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        width = max(map(len, self.facts))
        lines = [self.name, *(f"  {name:{width}}  {text}" for name, text in self.facts.items())]
        if not self.findings:
            return "\n".join([*lines, "Nothing to mend was found."])
        return "\n".join([*lines, "To look at:", *(f"  - {each}" for each in self.findings)])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "problem": self.name,
            "facts": self.facts,
            "findings": [{"text": each.text, "page": each.page} for each in self.findings],
        }


def _codes(code: Callable[[Any, Any], Any], state: Any, legal: list[Any]) -> list[Any]:
    return [code(state, move) for move in legal]


def diagnose(problem: Problem[Any, Any], checked: int, seed: int = 0) -> Diagnosis:
    """Play random games and short searches, and say what should be looked at.

    Parameters
    ----------
    problem : Problem
        One that keeps the contract.
    checked : int
        In how many games that was checked.
    seed : int
        Seed of the games and searches.
    """
    front = adapt(problem).front
    if front:
        problem = scalar(problem)
    adapted = adapt(problem)
    shown = adapted.show_score
    plain = adapted.objectives is None
    middle = statistics.median if plain else statistics.median_low
    compiles = plain and not front and not hasattr(problem, "core")
    games = Games.played(problem, seed)
    each = sum(games.seconds.values()) / len(games.lengths)
    playouts = int(min(MOST, max(FEWEST, EFFORT / max(each, 1e-9))))
    with warnings.catch_warnings(action="ignore"):
        began = time.process_time()
        sampled = solve(problem, Sampling(), playouts=playouts, seed=seed)
        rate = sampled.playouts / max(time.process_time() - began, 1e-9)
        found = solve(problem, playouts=playouts, seed=seed)
    greedy = _greedy(problem)
    length = statistics.median(games.lengths)
    width = statistics.mean(games.widths or [0])
    of_move, of_legal = COMPILED
    compiled = float(f"{1 / max(length, 1) / (of_move + of_legal * width):.2g}")
    if front or not plain or hasattr(problem, "core"):
        compiled = 0.0  # Such classes cannot be compiled.
    rivals = {"sampling": sampled.score} | ({} if greedy is None else {"greedy": greedy})
    told = ", ".join(f"{name} {shown(score)}" for name, score in rivals.items())
    facts = {
        "contract": f"kept in {counted(checked, 'random game')}",
        "games": f"{min(games.lengths)} to {max(games.lengths)} moves, median {length:g}; "
        f"{width:.3g} legal moves on average",
        "scores": f"{shown(min(games.scores))} to {shown(max(games.scores))}, "
        f"median {shown(middle(games.scores))}",
        "codes": f"{len(games.offered):,} in {len(games.lengths)} games; {games.shared:.0%} of "
        "those chosen after the first move are chosen in other games, too",
        "time": ", ".join(f"{name} {share:.0%}" for name, share in games.shares.items()),
        "speed": f"{rate:,.0f} playouts/s on one core"
        + (f"; compiled, about {compiled:,.0f}" if compiles else ""),
        "search": f"{'of the first objective, ' * front}"
        f"{found.algorithm.name} {shown(found.score)}, {told} "
        f"({playouts:,} playouts each, seed {seed})",
    }
    minimise, best = adapted.sense == "min", found.score
    as_good = [n for n, score in rivals.items() if (score <= best if minimise else score >= best)]
    findings = [
        *_of_codes(games),
        *_of_lengths(games, len(found.moves)),
        *_of_rivals(as_good, rivals, best, adapted.optimum, games),
        *([] if hasattr(problem, "core") else _of_speed(games, rate, compiled)),
    ]
    return Diagnosis(adapted.name, facts, tuple(findings))


def _of_codes(games: Games) -> Iterator[Finding]:
    """Yield what is wrong with the codes of the moves that were chosen."""
    if len(games.chosen) < 2 or not any(games.lengths):
        return
    if games.shared < RARE:
        yield Finding(
            f"codes are hardly seen twice: {games.shared:.0%} of those that a game chooses are "
            "chosen in another, so a search learns nothing from one game for the next; leave out "
            "of the code what does not matter",
            CODES,
        )
    sets = [frozenset(codes) for codes in games.chosen]
    if len(set(sets)) == 1 and len(set(map(tuple, games.chosen))) > 1:
        yield Finding(
            f"every game chooses the same {counted(len(sets[0]), 'code')}, so codes tell no good "
            "game from a bad one; put the step into the code, or what came before",
            CODES,
        )
    twice = sum(len(set(codes)) < len(codes) for codes in games.chosen)
    if twice:
        yield Finding(
            f"{twice} of {len(games.chosen)} games choose a code more than once: learning from "
            "them pulls its weight both ways; put into the code what is different the second time",
            CODES,
        )


def _of_lengths(games: Games, best: int) -> Iterator[Finding]:
    """Yield what is odd about the lengths of games."""
    median, first = statistics.median(games.lengths), games.widths[0] if games.widths else 0
    if median == 0:
        yield Finding("games have no moves: initial() is a finished game", MODEL)
    elif median * SHORT < first or median * LONGER <= best:
        yield Finding(
            f"games are oddly short: {median:g} moves, where the first state has {first} legal "
            f"moves and the best game found has {best}; if a move rules out others that would "
            "still do (an order that is not needed?), most games stop early",
            MODEL,
        )


def _of_rivals(
    as_good: Sequence[str],
    rivals: dict[str, float],
    best: float,
    optimum: float | None,
    games: Games,
) -> Iterator[Finding]:
    """Yield what it says that simpler ways found as much as the search."""
    if len({*games.scores, best, *rivals.values()}) == 1:
        yield Finding(
            f"every game has the score {format_score(best)}: score() tells none apart", MODEL
        )
    elif as_good and (optimum is None or best != optimum):
        yield Finding(
            f"{' and '.join(as_good)} did as well as the search ({format_score(best)}): the "
            "instance is solved by any means, or the codes teach nothing; try a larger instance "
            "first, then other codes",
            CODES,
        )


def _of_speed(games: Games, rate: float, compiled: float) -> Iterator[Finding]:
    """Yield what makes playouts slow."""
    shares = games.shares
    copies = (
        games.copied > 0
        and games.played_first >= COPYING * games.copied
        and shares["play"] > NOTICED
    )
    if copies and games.copied / max(games.lengths[0], 1) > 2e-5:
        yield Finding(
            f"play() takes {games.played_first / games.lengths[0] * 1e6:.0f} microseconds a move, "
            "about what a deep copy of the state takes: make states of tuples, and copy only what "
            "changes",
            SPEED,
        )
    if shares.get("score", 0) > 0.5:
        yield Finding(
            f"score() takes {shares['score']:.0%} of the time: keep what it needs in the state, "
            "and update it in play()",
            SPEED,
        )
    if rate < SLOW and compiled > 5 * rate:
        yield Finding(
            f"{rate:,.0f} playouts a second are few; the class compiled would do about "
            f"{compiled:,.0f}",
            SPEED,
        )


def _greedy(problem: Problem[Any, Any]) -> float | None:
    """Return the score of the game whose every move has the best score at once; None if not known.

    `score` need not know what an unfinished game is worth.
    """
    sign = -1.0 if sense_of_scores(problem) == "min" else 1.0
    with suppress(Exception):
        state, end = problem.initial(), time.process_time() + EFFORT
        while legal := legal_moves(problem, state):
            following = (problem.play(state, move) for move in legal)
            state = max(following, key=lambda each: sign * score_of(problem, each))
            if time.process_time() > end:
                return None
        return float(score_of(problem, state))
    return None
