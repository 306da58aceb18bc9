"""Sequences that jobs take over: the given one that they begin with, and each other's best.

Jobs meet whenever each has done a multiple of so many playouts. There every job looks at the best
sequence of all jobs, or of its neighbour on a ring. If that is better than anything that the job
has had, the job takes it over into its top level. It counts as a playout of that job, so a second
look at the same place changes nothing: a run may be saved and resumed there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from nestor.algorithms.auto import choose
from nestor.algorithms.base import Algorithm
from nestor.checks import as_count, as_list, as_mapping, check_text, plain, shown
from nestor.errors import InputError, errors_of, warn
from nestor.fast_json import parsed
from nestor.files import as_path, parse_json, parsing, read_text
from nestor.problems.base import BaseProblem, Solution, not_legal
from nestor.problems.faults import legal_moves, same_move
from nestor.problems.own import legal_like
from nestor.runs.limits import Budget, Resources
from nestor.runs.session import Session, share_of
from nestor.runs.stopping import Stop
from nestor.settings import Settings, with_default
from nestor.text import counted

STRENGTH = 1
"""How often the top level adapts to a sequence: as it does to what a child has found."""


@dataclass(frozen=True)
class Exchange(Settings):
    """When jobs meet, and whom they look at.

    Attributes
    ----------
    every : int
        Playouts of each job between meetings.
    topology : {"all", "ring"}
    """

    every: int
    topology: str = with_default(Resources, "topology", "all")

    def _check(self) -> None:
        super()._check()
        as_count("exchange", self.every, 1)

    @classmethod
    def of(
        cls, used: Resources, budget: Budget, stop: Stop | None, algorithm: Algorithm
    ) -> Exchange | None:
        """Return when the jobs of a run take over sequences of others, if they do.

        Raises
        ------
        InputError
            If there is one job, no limit, or an algorithm whose jobs take nothing over.
        """
        if used.exchange is None:
            return None
        if used.jobs == 1:
            raise InputError("exchange needs several jobs: give their number (jobs)")
        if not (budget.limited or (stop is not None and stop.limited)):
            raise InputError("exchange needs a budget: seconds, playouts, a target or a stop")
        if algorithm.no_exchange:
            raise InputError(f"exchange: {algorithm.no_exchange}")
        return cls(used.exchange, used.topology)

    def meet(self, jobs: Session, playouts: int | None) -> int:
        """Exchange if all jobs stand at a meeting; return how far each may go until the next one.

        Parameters
        ----------
        jobs : Session
        playouts : int or None
            The budget of all jobs together: jobs that have used up theirs take nothing over.
        """
        done = jobs.job_playouts
        least, count = min(done), len(done)
        if least == max(done) and least > 0 and least % self.every == 0:
            sources = sources_of(jobs.job_scores, self.topology)
            found = {s: jobs.job_moves(s) for s in sources if s is not None}
            for job, source in enumerate(sources):
                left = playouts is None or least < share_of(playouts, job, count)
                if source is not None and left:
                    jobs.adopt(job, found[source], STRENGTH)
        return (least // self.every + 1) * self.every


def sources_of(scores: Sequence[float | None], topology: str) -> list[int | None]:
    """Return for each job the one whose best sequence it takes over, if any.

    With "all" that is the first job with the best score, with "ring" the job before it; in both
    cases only if that score is better than the job's own.
    """
    known = [float("-inf") if score is None else score for score in scores]
    best = known.index(max(known))
    sources = [best if topology == "all" else job - 1 for job in range(len(known))]
    sources = [source % len(known) for source in sources]
    pairs = zip(sources, known, strict=True)
    return [source if known[source] > own else None for source, own in pairs]


WHAT = "a saved result, a JSON list of moves, or whole numbers between blanks"
"""How errors name a file."""

LIMIT = 128 << 20
"""The largest size of a file, in bytes."""


@dataclass(frozen=True)
class Beginning(Settings):
    """What files say of the sequence that the jobs of a run began with.

    Attributes
    ----------
    moves : str
        Its SHA-256.
    strength : int
        How often the top level adapted to it.
    """

    moves: str
    strength: int = with_default(Resources, "initial_strength", 1)

    def _check(self) -> None:
        super()._check()
        check_text("initial", self.moves)


@dataclass(frozen=True)
class Initial:
    """A complete sequence that all jobs begin with; for a front it may be several.

    Attributes
    ----------
    games : list
        Of each the moves, as the core has them.
    strength : int
        How often the top level adapts to it.
    where : str
        How errors name it: its file, if there is one.
    """

    games: list[list[Any]] = field(repr=False)
    strength: int
    where: str = "initial"

    @classmethod
    def of(
        cls, given: Any, strength: int | None, problem: BaseProblem, algorithm: Algorithm
    ) -> Initial | None:
        """Return a sequence of a problem, if one is given.

        Parameters
        ----------
        given : Result, Solution, sequence, path or None
            For an assignment also a dict of variable to value; for a front several results,
            solutions or points, or a front.
        strength : int or None
            None for once.
        problem : BaseProblem
        algorithm : Algorithm

        Raises
        ------
        InputError
            If it is none of these, if a move is not legal, or if nothing could adapt to it with
            this strength.
        """
        if strength is not None:
            _check_strength(given, problem, algorithm)
        if given is None:
            return None
        strength = 1 if strength is None else strength
        if isinstance(given, str | os.PathLike):
            path = as_path("initial", given)
            if path == type(path)():
                raise InputError("initial must be a sequence or a file, not empty or a folder")
            with parsing(path, WHAT):
                moves = problem.moves_in(path)
                games = _read(path, problem.front) if moves is None else [moves]
                return cls([_in_core(problem, each) for each in games], strength, str(path))
        each = [*map(_moves, _games(problem.beginning(given), problem.front))]
        if problem.change == "set":  # A dict of variable to value has the moves as its items.
            each = [moves.items() if isinstance(moves, dict) else moves for moves in each]
        return cls([_in_core(problem, as_list("initial", moves)) for moves in each], strength)

    def adopt(self, jobs: Session) -> None:
        """Make all jobs take it over: it is the first playout of each.

        Raises
        ------
        InputError
            If the game goes on after its last move.
        """
        with errors_of(self.where, ValueError):
            for job in range(len(jobs.job_playouts)):
                jobs.adopt(job, self.games[0], self.strength, *self.games[1:])

    def beginning(self) -> Beginning:
        """Return what a checkpoint and a result say about it."""
        told = self.games if len(self.games) > 1 else self.games[0]
        text = json.dumps(told, default=plain)
        return Beginning(hashlib.sha256(text.encode()).hexdigest(), self.strength)


def _games(given: Any, front: bool) -> Iterator[Any]:
    """Yield the games of what is given: one, or for a front all of its points, and of several."""
    points = getattr(given, "front", None) if front else None
    several = given if points is None else points
    if isinstance(several, Sequence) and several and all(map(_has_moves, several)):
        if not front:
            raise InputError("initial: a search for one score begins with one game: give the best")
        yield from chain.from_iterable(_games(each, front) for each in several)
    elif front and isinstance(several, list | tuple) and any(map(_has_moves, several)):
        raise InputError(
            "initial: a list has results, fronts and points, or the moves of one game, not both"
        )
    else:
        yield given


def _has_moves(given: Any) -> bool:
    return hasattr(given, "moves") or hasattr(given, "points")  # a front has points


def _moves(given: Any) -> Any:
    """Return the moves of a result, a solution or a point; moves as they are."""
    if not isinstance(given, Solution):
        return getattr(given, "moves", given)
    if given.played is None:
        raise InputError(
            f"initial: a {type(given).__name__} does not tell its moves; give the result or the "
            "moves"
        )
    return given.played


def _in_core(problem: BaseProblem, moves: Sequence[Any]) -> list[Any]:
    """Return moves as the core takes them; of a cover, only those that are legal in turn."""
    if problem.change == "cover":
        moves = _needed(problem.original, moves)
    return problem.core_moves(moves, "initial")


def _needed(rules: Any, moves: Sequence[Any]) -> list[Any]:
    """Return the moves of a cover that are legal when their turn comes; warn of the others."""
    state, needed, needless = rules.initial(), list[Any](), list[Any]()
    known = legal_moves(rules, state)
    for index, move in enumerate(moves):
        legal = legal_like(rules, state, move)
        if played := [each for each in legal if same_move(each, move)]:
            state = rules.play(state, played[0])
            needed.append(played[0])
        elif any(same_move(each, move) for each in known):
            needless.append(move)
        else:
            raise not_legal("initial", index, known, moves=moves)
    if needless:
        warn(
            f"initial: {len(needless)} of {counted(len(moves), 'move')} left out, which help no "
            f"more after those before: {', '.join(map(shown, needless)):.1000}"
        )
    return needed


def _check_strength(given: Any, problem: BaseProblem, algorithm: Algorithm) -> None:
    """Check that something can adapt to a sequence."""
    if given is None:
        raise InputError("initial_strength needs a sequence to begin with (initial)")
    if algorithm.chooses and not problem.front:
        algorithm = choose(problem).algorithm  # The budget decides only on its settings.
    if algorithm.no_strength:
        raise InputError(
            f"initial_strength has no effect on {algorithm.name}: {algorithm.no_strength}"
        )


def _read(path: str | os.PathLike[str], front: bool) -> list[list[Any]]:
    """Return the games of a file: one, or all points of a saved front."""
    text = read_text(path, WHAT, LIMIT)
    begin = text.lstrip()[:1]
    if begin == "{":
        data = parse_json(text.encode(), path, WHAT)
        if not (front and "front" in data):
            return [as_list("moves", data["moves"])]
        points = as_list("points of the front", as_mapping("front", data["front"])["points"])
        return [as_list("moves", as_mapping("a point", each)["moves"]) for each in points or [data]]
    moves = parsed(text.encode()) if begin == "[" else [int(w) for w in text.split()]
    return [as_list("moves", moves)]
