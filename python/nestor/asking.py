"""`Search`: scores that are told from outside, as games are asked for: ask and tell."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from nestor.algorithms import Algorithm
from nestor.checks import as_count, as_finite, as_integer, is_number, shown
from nestor.errors import InputError, VerificationError
from nestor.files import as_path, parsing
from nestor.problem import Problem
from nestor.problems.base import canonical, digest_of
from nestor.problems.faults import EDITED, ChangedError, legal_moves
from nestor.problems.own import adapt
from nestor.problems.remembered import written
from nestor.result import Result
from nestor.runs.checkpoint import WHAT, Checkpoint
from nestor.runs.elsewhere.segments import Setup
from nestor.runs.limits import Budget
from nestor.runs.machine import check_fits
from nestor.runs.run import Identity, Run
from nestor.runs.saved import algorithm_of
from nestor.wanted import Batches, Game, Tries


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
        self._told = adapted.await_scores()
        asked = Setup(adapted, algorithm, as_integer("seed", seed, 0, 2**64 - 1))
        budget = Budget(longest=longest)
        biases = asked.check()
        check_fits(1, asked.search)
        run = Run(asked, biases, 1, 1, budget, asked.search(1))
        self._wanted = (Batches if algorithm.plays else Tries)(run, self._told)
        self._handed: set[int] = set()
        self._count = 0

    @property
    def playouts(self) -> int:
        """Playouts of the batches that are complete, with games that came again."""
        self._wanted.settle()
        return self._wanted.run.search.playouts

    @property
    def told(self) -> int:
        """How many scores were told, also before the search was saved."""
        return self._count

    @property
    def waiting(self) -> list[Game]:
        """The games that were asked for since it was made or loaded, and are still to be told."""
        return [game for number, game in self._wanted.open.items() if number in self._handed]

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
        wanted = self._wanted
        wanted.settle()
        if not (wanted.open or wanted.over or wanted.idle):
            wanted.go_on()
        wanted.idle = False  # Who asks again lets it go on.
        waiting = [game for game in wanted.open.values() if game.id not in self._handed][:most]
        if most is not None and len(waiting) < most:
            waiting += wanted.more(most - len(waiting))
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
            (of the first part of a tuple) is better.

        Raises
        ------
        InputError
            If no such game is open, it was told before, or the score is no number, or is one that
            nothing could beat. The search is then as it was.
        """
        try:
            number = as_count("game", getattr(game, "id", game))
        except InputError:
            raise InputError(
                f"game must be one that ask() has given, or its id, not {shown(game)}"
            ) from None
        wanted = self._wanted
        game_of = wanted.open.get(number)
        if number in wanted.done or (number < wanted.asked and game_of is None):
            raise InputError(f"game {number} has been told already")
        if game_of is None or number not in self._handed:
            waiting = ", ".join(str(each.id) for each in self.waiting[:10]) or "none"
            raise InputError(
                f"game {number} was not asked since the search was made or loaded: call ask() "
                f"first; those that wait are {waiting}"
            )
        if isinstance(game, Game) and game.moves != game_of.moves:
            raise InputError(
                f"game {number} of this search has the moves {game_of.moves!r:.1000}, "
                f"not {game.moves!r:.1000}: it is a game of another search, or was changed"
            )
        problem = wanted.run.problem
        worst = problem.natural(-math.inf)
        if not (is_number(score) and score == worst):
            try:
                if problem.objectives is not None:
                    score = problem.objectives.number(score, "score")
                else:
                    score = as_finite("score", score)
            except InputError as error:
                raise InputError(f"{error}; {worst} is that of a game that has none") from None
        wanted.take(number, float(score))
        self._count += 1

    def result(self) -> Result:
        """Return the best of what was told, verified: the score of its game is asked once more.

        That of a set in a class of your own is asked twice: its moves are played in two orders.

        Playouts and improvements are those of the complete batches; a better game of the batch that
        is not complete counts as one playout after them.

        Raises
        ------
        InputError
            If no game has a score yet, or the moves of the best do not lead to where they did.
        VerificationError
            If the best is not legal or the problem gives it another score.
        """
        wanted = self._wanted
        wanted.settle()
        run, number = wanted.run, None
        told = self._count - sum(each >= run.search.playouts for each in wanted.done)
        self._told.hits = max(0, run.search.playouts - told)
        if wanted.done:
            natural = run.problem.natural
            best, score = max(wanted.done.values(), key=lambda each: natural(each[1]))
            if run.search.score is None or natural(score) > run.search.score:
                run = replace(run, search=wanted.restored())
                run.search.adopt(0, run.problem.core_moves(best.moves, "tell"), 1)
                number = best.id
        if run.search.score in (None, -math.inf):
            raise InputError("there is no result before the first score is told")
        try:
            return Result.of(run, "target" if wanted.over else "playouts")
        except ChangedError as error:
            said = f"{error.later}, or a wrong score was told"
            raise InputError(f"{run.problem.known_as}: {said}") from None
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
        self._wanted.settle()
        saved = self._wanted.run.checkpoint()
        saved.asked |= {"count": self._count, "games": self._games(), **self._wanted.saved()}
        saved.write(as_path("path", path))

    def _games(self) -> str:
        """Return a digest of its best game, of those that wait and of the first moves.

        It is empty if moves have no written form.
        """
        run, rules = self._wanted.run, self._wanted.run.problem.original
        first = legal_moves(rules, rules.initial())
        best = [] if run.search.score is None else run.problem.moves_of(run.search.moves)
        waiting = [[number, game.moves] for number, game in sorted(self._wanted.open.items())]
        try:
            told = written([first, best, waiting])
            return digest_of(canonical(told))
        except TypeError:
            return ""

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
            have no JSON form.

        Raises
        ------
        InputError
            If the file is missing, damaged, of another version, or of another problem or
            algorithm, if it needs the algorithm, or if the same moves lead to other games.
        """
        file = as_path("path", path)
        saved = Checkpoint.read(file)
        with parsing(file, WHAT):
            before = Identity.saved(saved.asked)
            algorithm = algorithm_of(saved.asked, algorithm, False)
            algorithm = algorithm.with_priors(saved.asked["prior"])
            longest = saved.asked["budget"]["longest"]
            told = saved.asked.get("told", [])
            count = as_count("count", saved.asked.get("count", len(told)))
        search = cls(problem, algorithm, seed=before.seed, longest=longest)
        wanted = search._wanted
        if differing := wanted.run.identity.differing(before):
            raise InputError(f"{file} is of another search: it differs in {', '.join(differing)}")
        with parsing(file, WHAT):
            codes = wanted.run.problem.unpack(saved.own, 1, trust)
            try:
                wanted.place = saved.jobs, codes
                restored, elapsed = wanted.restored(), saved.asked["elapsed"]
                wanted.run = replace(wanted.run, search=restored, before=elapsed)
            except ValueError as error:
                raise InputError(f"a damaged checkpoint: {error}") from None
            wanted.resume(saved.asked)
            try:
                same = saved.asked.get("games", "") in ("", search._games())
            except ChangedError:
                same = False
            if not same:
                raise InputError(f"its games are not those that it was saved with. {EDITED}")
        search._count = count
        return search
