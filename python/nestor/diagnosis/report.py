"""What random games and short searches say about a user's own problem, and which page mends it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from operator import itemgetter
from typing import Any

from nestor.diagnosis.form import fault_of_form
from nestor.diagnosis.games import Games
from nestor.diagnosis.rivals import Match
from nestor.errors import attach, missing_extra
from nestor.foreign.compiled import CompiledProblem
from nestor.objectives import Objectives, called, show_scores
from nestor.problem import InCore, Problem, is_unordered
from nestor.problems.faults import FaultError
from nestor.problems.functions import FREE
from nestor.problems.own import LARGEST, adapt
from nestor.result import Result
from nestor.text import counted, format_score, format_seconds

CODES = "docs/concepts/codes.md"
SPEED = "docs/compiled.md"
MODEL = "docs/faq.md"
FORM = "docs/local-search.md"
BIAS = "docs/concepts/bias.md"
SCORES = "docs/slow-scores.md"
POLISH = "docs/polish.md"
NAMES = "docs/concepts/names.md"
"""The pages of the documentation that findings name."""

SHORT = 8
"""A game that uses less than one in this many of its first moves is oddly short."""

LONGER = 3
"""So is one if the best that was found is this many times as long."""

RARE = 0.05
"""If a smaller share of the chosen codes is chosen in other games too, codes are not seen again."""

ENOUGH = 30
"""With fewer games nobody knows: each code is rare where there are many."""

COPYING = 0.5
"""A `play` that takes this share of a deep copy of the state, or more, may be one."""

NOTICED = 0.25
"""The share of the time from which on a method is worth a look."""

SLOW = 10_000
"""Fewer playouts a second are few."""

COMPILED = 1.3e-7, 6.7e-9
"""Seconds that a compiled class takes for a move, and for each legal move beside it.

Those of the knapsack of docs/compiled.md with 7 things (2,070,000 playouts a second) and with 200
(12,800), on one core of an EPYC."""

WORKING = 4
"""How many times as long the rules take that work more for a move."""

BUSY = 5e-5, 2e-6
"""Seconds of a method for a move, and for each legal move beside it, that lists do not explain."""

UNCOSTED = ("cost_of", "guide", "item")
"""With one of these, a method `cost_of` is there, not allowed, or of less use."""

MOSTLY = 0.5
"""If `score` takes a larger share of the time, a `cost_of` that spares the moves gains little."""

SCORED = 0.8
"""If `score` takes a larger share of the time, what compiling gains depends on it alone."""

FEW = 8
"""If different games have no more scores than so many, most changes leave the score as it is."""

UNTOLD = 0.5
"""If this share of the games has an infinite score, a search learns little."""


@dataclass(frozen=True)
class Finding:
    """What should be looked at, and the page of the documentation that says what to do."""

    text: str
    page: str

    def __str__(self) -> str:
        return f"{self.text} ({self.page})"


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
    hurried : str
        What is said of parts for which there was no time; empty if there was time for all.
    stopped : bool
        Whether an interrupt ended it before everything was looked at.
    """

    name: str
    facts: dict[str, str]
    findings: tuple[Finding, ...]
    hurried: str = ""
    stopped: bool = False

    def __str__(self) -> str:
        width = max(map(len, self.facts))
        lines = [self.name, *(f"  {name:{width}}  {text}" for name, text in self.facts.items())]
        if self.stopped:
            lines.append("Stopped before the end.")
        if not self.findings:
            until = " until then" if self.stopped else self.hurried
            return "\n".join([*lines, f"Nothing to fix was found{until}."])
        return "\n".join([*lines, "To look at:", *(f"  - {each}" for each in self.findings)])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data."""
        return {
            "problem": self.name,
            "facts": self.facts,
            "findings": [{"text": each.text, "page": each.page} for each in self.findings],
            **({"stop_reason": "interrupted"} if self.stopped else {}),
        }


def diagnose(problem: Problem[Any, Any], checked: int, seed: int = 0, asked: int = 0) -> Diagnosis:
    """Play random games and short searches, and say what should be looked at.

    Parameters
    ----------
    problem : Problem
        One that keeps the contract.
    checked : int
        In how many games that was checked.
    seed : int
        Seed of the games and searches.
    asked : int
        In how many games it would have been checked if there had been the time.

    Raises
    ------
    FaultError
        If a search or one of the games beats the optimum of the problem.
    KeyboardInterrupt
        At an interrupt; its attribute `nestor_result` is what there is to say so far.
    """
    cut = bool(checked < asked)
    facts = {"contract": _kept(checked, f"no time for {asked} (--playouts sets how many)" * cut)}
    findings = list[Finding]()
    try:
        hurried = _look(problem, seed, facts, findings) or cut
    except KeyboardInterrupt as error:
        so_far = Diagnosis(_name_of(problem), facts, tuple(findings), stopped=True)
        attach(error, so_far)
        raise
    told = " in what there was time for" * hurried + f": --playouts {asked} checks more games" * cut
    return Diagnosis(_name_of(problem), facts, tuple(findings), told)


def stopped(problem: Problem[Any, Any], checked: int, asked: int) -> Diagnosis:
    """Return what there is to say if the contract was kept so far, and not checked any further."""
    facts = {"contract": _kept(checked, f"stopped before {asked}" * (checked < asked))}
    return Diagnosis(_name_of(problem), facts, (), stopped=True)


def _kept(checked: int, why: str) -> str:
    """Return in how many games the contract was kept, and why not in more."""
    return f"kept in {counted(checked, 'random game')}" + f"; {why}" * bool(why)


def _name_of(problem: Problem[Any, Any]) -> str:
    adapted = adapt(problem)
    return f"{adapted.known_as} {adapted.label}".rstrip()


def _look(
    problem: Problem[Any, Any], seed: int, facts: dict[str, str], findings: list[Finding]
) -> bool:
    """Add what there is to say; return whether there was no time to tell how good the search is."""
    adapted = adapt(problem)
    native, plain = isinstance(problem, InCore), adapted.objectives is None
    learns = adapted.change in ("none", "decisions")
    problem = adapted.bare.original
    games = Games.of(problem, seed)
    shown, scored = adapted.show_score, games.shares.get("score", 0)
    length, width = statistics.median(games.lengths), statistics.mean(games.widths or [0])
    middle = (statistics.median if plain else statistics.median_low)(games.scores)
    facts |= {
        "games": f"{min(games.lengths)} to {max(games.lengths)} moves, median {length:g}; "
        f"{width:.3g} legal moves on average",
        "scores": (
            _of_parts(games.parts, adapted.objectives)
            or f"{shown(min(games.scores))} to {shown(max(games.scores))}, median {shown(middle)}"
        )
        + f"; {adapted.better}",
    }
    match = Match.of(problem, games, seed)
    front = match.found.front
    if front is not None:
        learns = match.found.algorithm.plays
    if not learns:
        games.clocks.pop("code", None)
    of_move, of_legal = COMPILED
    compiled = float(f"{1 / max(length, 1) / (of_move + of_legal * width):.2g}")
    busy = "" if native else _busy(games, width)
    if busy and busy != _busy(Games.of(problem, seed), width):
        busy = ""  # It was something else that the machine did.
    if front is not None or native or games.waiting or busy:
        compiled = 0.0  # They gain nothing by it, or nobody knows how much.
    flat = front is None and _is_flat(games, match)
    if learns:  # Local search asks for no codes.
        facts["codes"] = (
            f"{len(games.offered):,} in {len(games.lengths)} games; {games.shared:.0%} of "
            "those chosen after the first move are chosen in other games, too"
        )
    if not native:  # What searches is another form of the methods.
        facts["time"] = ", ".join(f"{name} {share:.0%}" for name, share in games.shares.items())
    facts |= {
        "speed": f"{match.rate:,.0f} playouts/s of "
        f"{'sampling' if front is None else _name(match.found)} on one core"
        + (f" (compiled, {_compiled(compiled)})" if compiled and scored <= SCORED else "")
        + (f", {match.speed:,.0f} of {_name(match.found)}" if front is None and not learns else ""),
        "search": _told(match, shown, flat),
    }
    best = match.best
    findings += [Finding(each, NAMES) for each in adapted.slips]
    scores = (*games.scores, match.found.score, best.score, *match.scores.values())
    top = (max if adapted.sense == "max" else min)(scores)
    if wrong := adapted.fault_of_optimum(top):
        raise FaultError(wrong)
    if near := adapted.near_optimum(top):
        findings.append(Finding(near, MODEL))
    form = None if adapted.reference is None else fault_of_form(problem, games, seed)
    untold = [score for score in games.scores if math.isinf(score)]
    if not any(games.lengths):
        nothing = "games have no moves: initial() is a finished game"
        if is_unordered(adapted):
            nothing = "nothing can be chosen at the beginning: initial() is a finished game"
        findings.append(Finding(nothing, MODEL))
    elif adapted.change == "set" and min(games.lengths) == games.widths[0]:
        never = f"{called(problem, 'moves')} refuses nothing, so every game chooses all: {FREE}"
        findings.append(Finding(never, FORM))
    elif len(set(scores) if front is None else {*games.parts, *front.scores}) == 1:
        same = f"every game has the score {best.shown}: {called(problem, 'score')} tells none apart"
        same += getattr(problem, "_cause", "")
        if LARGEST < abs(best.score) < math.inf:
            same += (
                "; floats beyond 2**53 are too coarse for whole numbers, so leave a constant out"
            )
        if best.score == adapted.optimum:
            same = f"every game reaches the optimum, {best.shown}: there is nothing to search for"
        findings.append(Finding(same, MODEL))
    elif form is not None:
        findings.append(Finding(form, FORM))
    else:
        findings += _of_rivals(match, adapted.optimum, learns, flat)
        own = not native or isinstance(adapted, CompiledProblem)
        tried = adapted.change == "none" and own and front is None and not match.easy
        if tried and not games.repeated:  # Decisions are known by their codes.
            findings += _of_decisions(match, adapted.original)
    if doubt := getattr(problem, "_doubt", lambda _: None)(best.moves):
        findings.append(Finding(doubt, FORM))
    if len(untold) >= UNTOLD * len(games.scores):
        findings.append(
            Finding(
                f"{len(untold)} of {counted(len(games.scores), 'random game')} have the score "
                f"{shown(untold[0])}, which does not tell a near miss from a far one: let a finite "
                "score say by how much a solution is wrong",
                MODEL,
            )
        )
    if learns and form is None:
        findings += [*_of_codes(games, best), *_of_lengths(games, len(best.moves))]
    if not is_unordered(adapted) and form is None and hasattr(problem, "undo"):
        only = 'undo() has no effect: it is only for change = "set" and "cover"'
        findings.append(Finding(only, FORM))
    if not native:
        method = _missing(problem, games, length)
        findings += _of_speed(games, match, compiled, busy, method, learns)
    return match.open


def _is_flat(games: Games, match: Match) -> bool:
    """Whether different games have very few scores, and the search finds no better one."""
    different = len(set(map(repr, games.played)))
    scores = {*games.scores, match.best.score, match.scores["sampling"]}
    return different >= ENOUGH and len(scores) <= FEW and match.behind("sampling")


def _told(match: Match, shown: Callable[[float], str], flat: bool) -> str:
    """Return what a search and others found, in words."""
    found = match.found
    parts, every = [f"{_name(found)} {shown(found.score)}"], " each"
    if found.front is not None:
        ends = [show_scores(found.front[end].scores) for end in (0, -1)]
        many = counted(len(found.front), "solution")
        parts, every = [f"{_name(found)} {many}, {ends[0]} to {ends[1]}"], ""
    parts += [f"{name} {shown(score)}" for name, score in match.scores.items()]
    parts += [match.missing] * bool(match.missing)
    soon = ", for which there was time" if match.hurried else ""
    each = [f"{found.playouts:,} playouts{every}{soon}", f"seed {found.seed}"]
    if match.sampled < found.playouts:
        each[0] = f"{found.playouts:,} playouts, {match.sampled:,} of sampling{soon}"
    if match.longer is not None:
        each.append(f"with {match.longer.playouts:,} the search has {shown(match.longer.score)}")
    if match.best.score == adapt(found.problem).optimum:
        each.append("which is the optimum")
    elif match.open:
        each.append("too few to tell")
    elif match.easy and not flat:
        each.append("sampling found as much: only a larger instance or more time would tell more")
    return f"{', '.join(parts)} ({', '.join(each)})"


def _name(found: Result) -> str:
    return found.algorithm.name.rpartition(":")[2]


def _of_parts(parts: Sequence[tuple[float, ...]], objectives: Objectives | None) -> str:
    """Return the scores of games, objective by objective, in words."""
    columns = [*zip(*parts, strict=True)]
    names: Sequence[str] = () if objectives is None else objectives.names
    names = names or [f"objective {number + 1}" for number in range(len(columns))]
    told = [
        f"{name} {format_score(min(part))} to {format_score(max(part))}, "
        f"median {format_score(statistics.median(part))}"
        for name, part in zip(names, columns, strict=True)
    ]
    return "; ".join(told)


def _of_codes(games: Games, best: Result) -> Iterator[Finding]:
    """Yield what is wrong with the codes of the moves that were chosen."""
    if len(games.chosen) < 2 or not any(games.lengths):
        return
    if games.shared < RARE and len(games.chosen) >= ENOUGH:
        yield Finding(
            f"codes are hardly seen twice: {games.shared:.0%} of those that a game chooses are "
            "chosen in another, so a search learns nothing from one game for the next; leave out "
            "of the code what does not matter",
            CODES,
        )
    sets = [frozenset(codes) for codes in games.chosen]
    if len(set(sets)) == 1 and len(set(map(tuple, games.chosen))) > 1:
        yield Finding(
            f"every game chooses the same {counted(len(sets[0]), 'code')}, so codes do not "
            "tell a good game from a bad one; put the step in the code, or what came before",
            CODES,
        )
    if games.repeated:
        yield Finding(
            f"{games.repeated} of {len(games.chosen)} games choose a code more than once, and "
            "learning from them pulls its weight both ways: write a class Longer whose code also "
            f"says what is different the second time, and compare: {_comparison(best)}",
            CODES,
        )


def _comparison(best: Result) -> str:
    """Return the call that compares a problem with one of longer codes."""
    problems = f"{{'short': {adapt(best.problem).short_name}(), 'long': Longer()}}"
    reference = "" if best.front is None else f", reference={show_scores(best.front.worst)}"
    return f"nestor.compare({problems}, [nestor.Auto()], seeds=3, seconds=10{reference})"


def _of_lengths(games: Games, best: int) -> Iterator[Finding]:
    """Yield what is odd about the lengths of games."""
    median, first = statistics.median(games.lengths), games.widths[0] if games.widths else 0
    if median == 0:
        return
    if max(*games.lengths, best) == min(games.lengths):
        return  # All of one length, as a chain has it.
    if median * SHORT < first or median * LONGER <= best:
        yield Finding(
            f"games are oddly short: {median:g} moves, where the first state has {first} legal "
            f"moves and the best game found has {best}; perhaps a move rules out others that could "
            "still be played, as an order of the moves does that nobody needs; it is right if "
            "moves() ends a game as soon as nothing good can follow",
            MODEL,
        )


def _of_decisions(match: Match, original: Problem[Any, Any]) -> Iterator[Finding]:
    """Yield that more is found if single decisions may be changed."""
    if (found := match.with_decisions(original)) is not None:
        shown = adapt(original).show_score
        better, before = (shown(each.score) for each in found)
        yield Finding(
            f'with change = "decisions" the default finds {better} in place of {before} with '
            f"{found[0].playouts:,} playouts: try it",
            POLISH,
        )


def _of_rivals(match: Match, optimum: float | None, learns: bool, flat: bool) -> Iterator[Finding]:
    """Yield what it says that simpler ways found as much as the search."""
    best, scores = match.best, match.scores
    shown = adapt(best.problem).show_score
    found = f"what the search found with {best.playouts:,} playouts, {shown(best.score)}"
    if not scores or best.score == optimum:
        return
    if flat:
        yield Finding(
            f"all games have one of few scores, and sampling found the best, {shown(best.score)}, "
            f"too: if a better one is possible, let {called(best.problem, 'score')} also say how "
            "near a game is to it, by a fraction below the smallest difference; for bins, how full "
            "the emptiest is",
            MODEL,
        )
    if match.easy:
        return
    if match.telling and not flat and match.behind("sampling"):
        why, mend, page = "the codes teach little", "try others", CODES
        if not learns:
            why, page = "score() does not tell a near miss from a far one", MODEL
            mend = "let it say by how much a solution is wrong"
        yield Finding(
            f"sampling did as well as the search: {shown(scores['sampling'])}, and {found}; {why}: "
            f"{mend}",
            page,
        )
    elif "greedy" in scores and match.beaten("greedy"):
        longer = "; so may a longer search" * (not match.telling)
        mend, page = f"a bias for moves that look good helps{longer}", BIAS
        if adapt(best.problem).of_functions:  # There is no place for a bias.
            mend, page = "search longer, or begin with such a sequence (initial=)", MODEL
        yield Finding(
            f"a greedy game is better, {shown(scores['greedy'])}, than {found}: {mend}", page
        )


def _compiled(rate: float) -> str:
    """Return how many playouts a second a compiled class makes, in words."""
    return f"about {float(f'{rate / WORKING:.2g}'):,.0f} to {rate:,.0f}"


def _busy(games: Games, width: float) -> str:
    """Return the method beside `score` that works so hard that it takes most of the time, or ""."""
    of_move, of_legal = BUSY
    name, seconds = max(
        ((name, each) for name, each in games.seconds.items() if name != "score"),
        key=itemgetter(1),
    )
    hard = seconds > max(sum(games.lengths), 1) * (of_move + of_legal * width)
    return name if hard and games.shares[name] > MOSTLY else ""


def _missing(problem: Problem[Any, Any], games: Games, length: float) -> str:
    """Return the method, in words, that a problem lacks and that makes its local search faster."""
    adapted, shares = adapt(problem), games.shares
    if adapted.change == "order" and not any(map(partial(hasattr, problem), UNCOSTED)):
        costs = shares.get("score", 0) <= MOSTLY
        return "cost_of(order), the score of a list of all moves" if costs else ""
    if is_unordered(adapted) and not hasattr(problem, "undo"):
        # Without it each change plays the whole game again.
        replays = shares.get("play", 0) * length > shares["moves"]
        return "undo(state, move), the state without a move" if replays else ""
    return ""


def _of_speed(
    games: Games, match: Match, compiled: float, busy: str, method: str, learns: bool
) -> Iterator[Finding]:
    """Yield what makes playouts slow; those of local search are changes."""
    shares = games.shares
    rate, unit = (match.rate, "playouts") if learns else (match.speed, "changes")
    problem = match.best.problem
    score, adapted = called(problem, "score"), adapt(problem)
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
    if games.waiting:
        waited = format_seconds(games.seconds["score"] / len(games.scores))
        yield Finding(
            f"score() takes {waited}, in which the processor is idle: remember scores, and ask for "
            "several at once",
            SCORES,
        )
    elif shares.get("score", 0) > MOSTLY:
        mend, page = "keep what it needs in the state, and update it in play()", SPEED
        if adapted.of_functions:
            mend = "put functools.cache around a function of a tuple for what comes again, and "
            mend, page = f"{mend}write the rest with NumPy or Numba", FORM
        yield Finding(f"{score} takes {shares['score']:.0%} of the time: {mend}", page)
    if rate < SLOW and busy:
        took = games.seconds[busy] / max(sum(games.lengths), 1)
        yield Finding(
            f"{called(problem, busy)} takes {shares[busy]:.0%} of the time, {took * 1e6:,.0f} "
            "microseconds a move, far more than it takes to list moves: compute once, before the "
            "search, what it computes again and again; only then compile the class",
            MODEL,
        )
    if rate < SLOW and method:
        yield Finding(
            f"{rate:,.0f} {unit} a second are few; a method {method}, makes local search several "
            "times as fast",
            FORM,
        )
    if rate < SLOW and compiled > 5 * match.rate:
        does = f"would do {_compiled(compiled) if learns else 'many times as many'}"
        if (share := shares.get("score", 0)) > SCORED:
            does = f"would save at most {max(0.01, 1 - share):.0%} of the time beside {score}, "
            does += "which gains only if it computes in Python itself"
        lacks = "" if find_spec("numba") else f"; {missing_extra('that', 'compiled')}"
        what, page = "the class compiled", SPEED
        if adapted.of_functions:
            begun = f"`nestor new {adapted.change} NAME --compiled`"
            what, page = f"a compiled class of the same rules ({begun} begins one)", FORM
        yield Finding(f"{rate:,.0f} {unit} a second are few; {what} {does}{lacks}", page)
