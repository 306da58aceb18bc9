"""`Search`: scores that are told from outside, as games are asked for: ask and tell.

A search stops at the first batch of games whose scores it does not know. When all are told, it goes
on from where it stood before that batch, plays it again (the same games, since random numbers come
from the place in the search) and finds their scores among those that were told.

A batch of local search is one game, its next try. As a try that is given up changes nothing, more
can be asked for: those that come next if the ones before are. They only add to what is known.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nestor import _core
from nestor.algorithms import Algorithm
from nestor.checks import as_integer, as_list, as_number, is_number, plain, shown
from nestor.errors import InputError, VerificationError
from nestor.files import as_path, parsing
from nestor.problem import Problem, state_after
from nestor.problems.own import adapt, unpack
from nestor.problems.remembered import UntoldError
from nestor.result import Result
from nestor.runs.checkpoint import WHAT, Checkpoint
from nestor.runs.elsewhere.segments import Assignment
from nestor.runs.limits import Budget
from nestor.runs.machine import check_fits
from nestor.runs.run import Identity, Run
from nestor.runs.saved import algorithm_of
from nestor.runs.session import AGES, Limits

MOST = sys.float_info.max
"""The greatest finite score."""

GUESSES = 100
"""Tries that are looked at for each one that may come next."""

IDLE = 10_000
"""Playouts without a new game after which there is nothing to ask."""


@dataclass(frozen=True)
class Game:
    """A game whose score is wanted.

    Attributes
    ----------
    id : int
        Its number, from 0 upwards: how many playouts were before it, or games of local search.
    moves : tuple
        Its moves, as the problem gives them.
    state : object
        The terminal state that they lead to.
    """

    id: int
    moves: tuple[Any, ...]
    state: Any


class Search:
    """A search that is told the scores of its games, in place of asking the problem for them.

    For scores that come from elsewhere: other machines, a laboratory, people. The class still needs
    its method `score`, which is called for the best, to verify the result.

    With the same scores it finds what `nestor.solve` finds with the same seed and as many playouts:
    scores wait until the whole batch has been told. A game whose score was told is not asked for
    again.

    Parameters
    ----------
    problem : Problem
        An object with the methods of `nestor.Problem` that asks for no front. It is not compiled
        or isolated.
    algorithm : Algorithm
        NRPA, GNRPA, BeamNRPA, NMCS, Sampling or LocalSearch. The width of level 1 of NRPA and
        GNRPA says how many games share a policy, and so how many can be asked for at once;
        without, it is one. Of local search any number can be.
    seed : int, default 0
    longest : int, default 10_000
        The most moves that a game may have.

    Raises
    ------
    InputError
        If the problem or the algorithm cannot be used this way, or an argument is out of range.

    Examples
    --------
    >>> import nestor
    >>> search = nestor.Search(problem, nestor.NRPA(level=2, width=8), seed=1)  # doctest: +SKIP
    >>> while search.told < 200 and (games := search.ask(4)):  # doctest: +SKIP
    ...     for game in games:
    ...         search.tell(game, measured(game.moves))
    """

    def __init__(
        self,
        problem: Problem[Any, Any],
        algorithm: Algorithm,
        *,
        seed: int = 0,
        longest: int = Budget().longest,
    ) -> None:
        adapted = adapt(problem)
        if not (isinstance(algorithm, Algorithm) and algorithm.core_name and not algorithm.raced):
            raise InputError(
                "algorithm must be one whose games can be asked for, such as NRPA(level=2, "
                f"width=8) or LocalSearch(), not {shown(algorithm)}"
            )
        if not algorithm.plays and hasattr(problem, "item") and hasattr(problem, "cost_of"):
            raise InputError(
                "cost_of of the problem gets items, not moves, and a game is asked for by its "
                "moves: leave out cost_of"
            )
        if not algorithm.plays and adapted.change == "cover":
            raise InputError(
                "local search of covers makes tries that no game ends with, which cannot be asked "
                "for: use another algorithm, such as NRPA(level=2, width=8)"
            )
        if adapted.isolated:
            raise InputError(f"isolated: the games of {adapted.name} are played in this process")
        self._told, self._changes = adapted.await_scores(), not algorithm.plays
        asked = Assignment(adapted, algorithm, as_integer("seed", seed, 0, 2**64 - 1))
        budget = Budget(longest=longest)
        biases = asked.check()
        check_fits(1, asked.search)
        self._run = Run(asked, biases, 1, 1, budget, asked.search(1))
        # The states and the codes of its jobs where it can go back to.
        self._place: tuple[list[bytes], list[list[Any]]] | None = None
        self._open: dict[int, Game] = {}
        self._done: dict[int, tuple[Game, float]] = {}
        self._known: dict[int, float] = {}
        self._handed: set[int] = set()
        self._over = self._news = False
        self._count = self._next = 0

    @property
    def playouts(self) -> int:
        """Playouts of the batches that are complete, with games that came again."""
        self._settle()
        return self._run.search.playouts

    @property
    def told(self) -> int:
        """How many scores were told, also before the search was saved."""
        return self._count

    @property
    def waiting(self) -> list[Game]:
        """The games that were asked for since it was made or loaded, and are still to be told."""
        return [game for number, game in self._open.items() if number in self._handed]

    def ask(self, n: int | None = None) -> list[Game]:
        """Return games whose scores are wanted, each once.

        Parameters
        ----------
        n : int, optional
            At most how many; by default all that the batch has left.

        Returns
        -------
        list of Game
            Fewer than `n` if the batch has no more, and none if the scores of all its games are
            still to be told: then tell some. Local search has no batch: with `n` there are more,
            once the first score is told. Once the optimum of the problem is reached, or if
            10,000 playouts in a row had no new game, there is nothing left to ask for.

        Raises
        ------
        InputError
            If `n` is not positive, or the search cannot be used this way.
        Exception
            An exception in a method of the problem. The search is then as it was.
        """
        most = None if n is None else as_integer("n", n, 1, 2**31)
        self._settle()
        if not self._open and not self._over:
            self._go_on()
        waiting = [game for game in self._open.values() if game.id not in self._handed][:most]
        if self._changes and most is not None and self._run.search.playouts and not self._over:
            waiting += self._guessed(most - len(waiting))
        self._handed.update(game.id for game in waiting)
        return waiting

    def tell(self, game: Game | int, score: float | tuple[float, ...]) -> None:
        """Tell the score of a game that was asked for, in any order.

        Parameters
        ----------
        game : Game or int
            The game or its id.
        score : float or tuple
            The natural score, as the method `score` of the problem returns it. The worst
            infinity is for a game that has none, such as a failed experiment: -inf, or inf if less
            is better.

        Raises
        ------
        InputError
            If no such game is open, it was told before, or the score is no number, or is one that
            nothing could beat. The search is then as it was.
        """
        try:
            number = as_integer("game", getattr(game, "id", game), 0, 2**63 - 1)
        except InputError:
            raise InputError(
                f"game must be one that ask() has given, or its id, not {shown(game)}"
            ) from None
        asked = self._next if self._changes else self._run.search.playouts
        if number in self._done or (number < asked and number not in self._open):
            raise InputError(f"game {number} has been told already")
        if number not in self._handed:
            waiting = ", ".join(map(str, sorted(self._handed - {*self._done})[:10])) or "none"
            raise InputError(
                f"game {number} was not asked since the search was made or loaded: call ask() "
                f"first; those that wait are {waiting}"
            )
        if isinstance(game, Game) and game.moves != self._open[number].moves:
            raise InputError(
                f"game {number} of this search has the moves {self._open[number].moves!r:.1000}, "
                f"not {game.moves!r:.1000}: it is a game of another search, or was changed"
            )
        problem = self._run.problem
        worst = math.inf if problem.sense == "min" else -math.inf
        if problem.objectives is not None:
            score = problem.objectives.number(score, "score")
        elif not (is_number(score) and score == worst):
            score = as_number("score", score, -MOST, MOST)
        self._take(number, float(score))

    def result(self) -> Result:
        """Return the best of what was told, verified: the score of its game is asked once more.

        Playouts and improvements are those of the complete batches; a better game of the batch that
        is not complete counts as one playout after them.

        Raises
        ------
        InputError
            If nothing was told.
        VerificationError
            If the best is not legal or the problem gives it another score.
        """
        self._settle()
        run, number = self._run, None
        in_batch = 0 if self._changes else len(self._done)
        self._told.hits = max(0, run.search.playouts - (self._count - in_batch))
        if self._done:
            sign = -1.0 if run.problem.sense == "min" else 1.0
            best, score = max(self._done.values(), key=lambda each: sign * each[1])
            if run.search.score is None or sign * score > run.search.score:
                run = replace(run, search=self._restored())
                run.search.adopt(0, run.problem.core_moves(best.moves, "tell"), 1)
                number = best.id
        if run.search.score is None:
            raise InputError("there is no result before the first score is told")
        try:
            return Result.of(run, "target" if self._over else "playouts")
        except VerificationError as error:
            number = run.search.improvements[0][-1]["playouts"] - 1 if number is None else number
            raise VerificationError(
                f"game {number} has the best of the scores that were told, but the problem says "
                f"otherwise: {error}"
            ) from None

    def save(self, path: Path | str | os.PathLike[str]) -> None:
        """Write the search to a file, with the scores told so far, for `load` to continue.

        Raises
        ------
        InputError
            If the file cannot be written, or codes of the problem have no JSON form and cannot be
            pickled.
        """
        self._settle()
        saved = self._run.checkpoint()
        told = {number: score for number, (_, score) in self._done.items()}
        saved.asked["count"] = self._count
        if not self._changes:
            saved.asked["told"] = sorted({**self._known, **told}.items())
        else:
            games = {game.id: game.moves for game, _ in self._done.values()}
            games |= {game.id: game.moves for game in self._open.values()}
            try:
                moves = json.loads(json.dumps([*games.items()], default=plain))
            except TypeError as error:
                raise InputError(
                    f"a saved local search needs moves of numbers, texts and tuples: {error}"
                ) from None
            tries = {
                "next": self._next,
                "scores": self._told.scores(),
                "games": moves,
                "best": told,
            }
            saved.asked["tries"] = tries
        saved.write(as_path("path", path))

    @classmethod
    def load(
        cls,
        path: Path | str | os.PathLike[str],
        problem: Problem[Any, Any],
        *,
        algorithm: Algorithm | None = None,
        trust: bool = False,
    ) -> Search:
        """Continue a search from a file that `save` wrote.

        Games that were asked for and not told are asked for again, under the same ids. So may be
        games that were told before the open batch.

        Parameters
        ----------
        path : path
        problem : Problem
            The problem of the search.
        algorithm : Algorithm, optional
            The algorithm of the search. One with a `nestor.BatchBias` is needed again: a file has
            only the name of a model.
        trust : bool, default False
            Whether the file may run code: load codes of the problem that are pickled, since they
            are not numbers, strings and tuples.

        Raises
        ------
        InputError
            If the file is missing, damaged, of another version, or of another problem or
            algorithm, or if it needs the algorithm.
        """
        file = as_path("path", path)
        saved = Checkpoint.read(file)
        with parsing(file, WHAT):
            before = Identity.saved(saved.asked)
            algorithm = algorithm_of(saved.asked, algorithm, False)
            algorithm = algorithm.with_priors(saved.asked["prior"])
            longest = saved.asked["budget"]["longest"]
            told = [
                (as_integer("told", number, 0, 2**63 - 1), float(as_number("told", score)))
                for number, score in as_list("told", saved.asked.get("told", []))
            ]
            count = as_integer("count", saved.asked.get("count", len(told)), 0, 2**63 - 1)
        search = cls(problem, algorithm, seed=before.seed, longest=longest)
        if differing := search._run.identity.differing(before):
            raise InputError(f"{file} is of another search: it differs in {', '.join(differing)}")
        with parsing(file, WHAT):
            _, codes = unpack(saved.own, 1, trust)
            try:
                search._place = saved.jobs, codes
                restored, before = search._restored(), saved.asked["elapsed"]
                search._run = replace(search._run, search=restored, before=before)
            except ValueError as error:
                raise InputError(f"a damaged checkpoint: {error}") from None
        if search._changes:
            if "tries" not in saved.asked:
                raise InputError(
                    f"{file} has no scores that were told: only a file of Search.save() has them"
                )
            with parsing(file, WHAT):
                search._resume(saved.asked["tries"])
        else:
            search._go_on()
        for number, score in told:
            if number not in search._open:
                raise InputError(f"{file}: a damaged checkpoint: game {number} is not open")
            search._take(number, score)
        search._count = count
        return search

    def _resume(self, tries: dict[str, Any]) -> None:
        """Take what `save` has written of local search."""
        problem = self._run.problem
        self._told.learn(tries["scores"])
        best = {int(number): float(score) for number, score in tries["best"].items()}
        for number, saved in tries["games"]:
            moves = tuple(problem.moves_from(saved))
            game = Game(int(number), moves, state_after(problem.original, moves))
            if game.id in best:
                self._done[game.id] = game, best[game.id]
            else:
                self._open[game.id] = game
        self._next = as_integer("next", tries["next"], 0, 2**63 - 1)

    def _go_on(self) -> None:
        """Go on to the next batch that has games without a score."""
        search = self._restored()
        most = search.playouts + IDLE
        found, known = dict[int, Game](), dict[int, float]()
        try:
            if self._changes:
                while not self._over and search.playouts < most:
                    self._place = search.save(), search.codes
                    self._over = self._advance(search, search.playouts + 1)
            else:
                self._over = self._advance(search, most)
            self._place = search.save(), search.codes
        except UntoldError as batch:
            if self._changes:  # What was begun is not to be saved.
                search = self._restored()
                self._opened(batch.games.values())
            else:
                self._place, first = (search.save(), search.codes), search.playouts
                for place, (state, moves, score) in batch.games.items():
                    if score is None:
                        found[first + place] = Game(first + place, tuple(moves), state)
                    else:
                        known[first + place] = score
        self._run, self._news = replace(self._run, search=search), False
        if not self._changes:
            self._open, self._done, self._known, self._handed = found, {}, known, set()

    def _advance(self, search: Any, most: int) -> bool:
        """Advance a search to so many playouts, and return whether it is at the optimum."""
        longest, problem = self._run.budget.longest, self._run.problem
        goal = None if problem.optimum is None else problem.natural(problem.optimum)
        try:
            return bool(search.advance(Limits(AGES, 1, most, goal, longest=longest)) == "target")
        except _core.CutOffError as cut:
            raise InputError(
                f"a game of {problem.name} did not end within {cut.args[0]} moves: it is "
                "endless, or longest is too small"
            ) from None

    def _opened(self, games: Iterable[tuple[Any, Sequence[Any], Any]]) -> list[Game]:
        """Open games of local search, but for those that are open, and return them."""
        known, found = {self._told.name_of(each) for each in self._open.values()}, list[Game]()
        for state, moves, _ in games:
            game = Game(self._next, tuple(moves), state)
            if self._told.name_of(game) not in known:
                self._open[game.id] = game
                self._next += 1
                found.append(game)
        return found

    def _guessed(self, most: int) -> list[Game]:
        """Open so many games that come next if those that are open are given up; return them."""
        search, found = self._restored(), list[Game]()
        end = search.playouts + GUESSES * most
        worst = math.inf if self._run.problem.sense == "min" else -math.inf
        with self._told.guessing(worst) as guesses:
            while len(found) < most and search.playouts < end:
                before = search.playouts
                self._advance(search, before + 1)
                found += self._opened(guesses)
                guesses.clear()
        return found

    def _take(self, number: int, score: float) -> None:
        """Take the score of an open game."""
        game = self._open.pop(number)
        self._told.put(game.state, game.moves, score)
        self._count += 1
        if self._changes:  # Only the best may be needed, if the search does not come to it.
            self._news, sign = True, -1.0 if self._run.problem.sense == "min" else 1.0
            if any(sign * score <= sign * other for _, other in self._done.values()):
                return
            self._done.clear()
        self._done[number] = game, score

    def _settle(self) -> None:
        """Take a batch of which all scores are told, and go on to the next."""
        if self._news or (self._done and not self._open and not self._changes):
            self._go_on()

    def _restored(self) -> Any:
        """Return the search anew at the place where it stands."""
        search = self._run.asked.search(1)
        if self._place is not None:
            self._told.restoring = True
            try:
                search.restore(*self._place)
            finally:
                self._told.restoring = False
        return search
