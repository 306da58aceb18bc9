"""What `Search` asks for: the games that a search needs next, batch by batch or try by try."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from nestor import _core
from nestor.checks import as_count, as_list, as_number, in_json, shown
from nestor.errors import InputError
from nestor.problem import state_after
from nestor.problems.codes import CodeForms
from nestor.problems.faults import endless
from nestor.problems.remembered import Told, UntoldError
from nestor.runs.run import Run
from nestor.runs.session import AGES, Limits

IDLE = 10_000
"""Playouts without a new game after which there is nothing to ask."""

GUESSES = 100
"""Tries that are looked at for each one that may come next."""


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


class Wanted(ABC):
    """The games that a search needs next.

    Parameters
    ----------
    run : Run
        Its search has one job, which has not begun.
    told : Told
        What its problem asks for scores.

    Attributes
    ----------
    place : tuple or None
        The states and the codes of the jobs where the search can go back to.
    open : dict of int to Game
        Those that are still to be told.
    done : dict of int to tuple
        Those that were told and are not a part of the search yet, with their scores.
    asked : int
        A number above those of all games that are not open any more.
    over : bool
        Whether the optimum is reached.
    idle : bool
        Whether there was no new game when it went on last.
    """

    def __init__(self, run: Run, told: Told) -> None:
        self.run, self._told = run, told
        self.place: tuple[list[bytes], list[list[Any]]] | None = None
        self.open: dict[int, Game] = {}
        self.done: dict[int, tuple[Game, float]] = {}
        self.asked, self.over, self.idle = 0, False, False

    @abstractmethod
    def settle(self) -> None:
        """Take what was told into the search, as far as it can go on."""

    @abstractmethod
    def go_on(self) -> None:
        """Go on to the next games without a score."""

    def more(self, most: int) -> list[Game]:
        """Open more games, up to so many, and return them."""
        return []

    def take(self, number: int, score: float) -> None:
        """Take the score of an open game."""
        game = self.open.pop(number)
        self._told.put(game.state, game.moves, score)
        self.done[number] = game, score

    @abstractmethod
    def saved(self) -> dict[str, Any]:
        """Return what a file needs beside the search, as JSON-able data."""

    @abstractmethod
    def resume(self, saved: dict[str, Any]) -> None:
        """Take what `saved` returned, once the search is at its place.

        Raises
        ------
        LookupError, TypeError or ValueError
            If it is damaged.
        """

    def restored(self) -> Any:
        """Return the search anew at the place where it stands."""
        search = self.run.asked.search(1)
        if self.place is not None:
            self._told.restoring = True
            try:
                search.restore(*self.place)
            finally:
                self._told.restoring = False
        return search

    def _advance(self, search: Any, most: int) -> None:
        """Advance a search to so many playouts, and look whether it is at the optimum."""
        longest, problem = self.run.budget.longest, self.run.problem
        goal = None if problem.optimum is None else problem.natural(problem.optimum)
        try:
            status = search.advance(Limits(AGES, 1, most, goal, longest=longest))
        except _core.CutOffError as cut:
            raise endless(problem.name, cut.args[0]) from None
        self.over = status == "target"


class Batches(Wanted):
    """The games of nested search: a batch, and when all of it is told, the next one.

    The search stops at the first batch with games whose scores are not known. When all are told, it
    goes on from where it stood before that batch, plays it again (the same games, since random
    numbers come from the place in the search) and finds their scores among those that were told.
    """

    def __init__(self, run: Run, told: Told) -> None:
        super().__init__(run, told)
        self._known: dict[int, float] = {}

    def settle(self) -> None:
        """Go on to the next batch if all scores of this one are told."""
        if self.done and not self.open:
            self.go_on()

    def go_on(self) -> None:
        """Go on to the next batch that has games without a score."""
        search, found, known = self.restored(), dict[int, Game](), dict[int, float]()
        try:
            self._advance(search, search.playouts + IDLE)
        except UntoldError as batch:
            first = search.playouts
            for place, (state, moves, score) in batch.games.items():
                if score is None:
                    found[first + place] = Game(first + place, tuple(moves), state)
                else:
                    known[first + place] = score
        self.place, self.run = (search.save(), search.codes), replace(self.run, search=search)
        self.asked, self.open, self.done, self._known = search.playouts, found, {}, known
        self.idle = not found

    def saved(self) -> dict[str, Any]:
        """Return the scores of the batch."""
        told = {number: score for number, (_, score) in self.done.items()}
        return {"told": sorted({**self._known, **told}.items())}

    def resume(self, saved: dict[str, Any]) -> None:
        """Open the batch and take its scores; a checkpoint of a run has none."""
        self.go_on()
        for number, score in as_list("told", saved.get("told", [])):
            self.take(as_count("told", number), float(as_number("told", score)))


class Tries(Wanted):
    """The games of local search: its next try, and those that follow if it is given up.

    A try that is given up changes nothing. So those that come next if the ones before are given up
    can be asked for, too; what they are told waits until the search comes to them.
    """

    def __init__(self, run: Run, told: Told) -> None:
        super().__init__(run, told)
        self._news, self._forms = False, CodeForms(run.problem.original)

    def settle(self) -> None:
        """Go on if something was told."""
        if self._news:
            self.go_on()

    def go_on(self) -> None:
        """Go on to the next try without a score."""
        search = self.restored()
        most = search.playouts + IDLE
        try:
            while not self.over and search.playouts < most:
                self.place = search.save(), search.codes
                self._advance(search, search.playouts + 1)
            self.place = search.save(), search.codes
        except UntoldError as batch:
            search = self.restored()  # A try that was begun cannot be saved.
            self._opened(batch.games.values())
        self.run, self._news = replace(self.run, search=search), False
        self.idle = not self.open

    def more(self, most: int) -> list[Game]:
        """Open tries that come next if those that are open are given up."""
        search, found = self.restored(), list[Game]()
        if self.over or not search.playouts:
            return []
        end = search.playouts + GUESSES * most
        with self._told.guessing(self.run.problem.natural(-math.inf)) as guesses:
            while len(found) < most and search.playouts < end:
                self._advance(search, search.playouts + 1)
                found += self._opened(guesses)
                guesses.clear()
        return found

    def _opened(self, games: Iterable[tuple[Any, Sequence[Any], Any]]) -> list[Game]:
        """Open games, but for those that are open, and return them."""
        known, found = {self._told.name_of(each) for each in self.open.values()}, list[Game]()
        for state, moves, _ in games:
            game = Game(self.asked, tuple(moves), state)
            if self._told.name_of(game) not in known:
                self.open[game.id] = game
                self.asked += 1
                found.append(game)
        return found

    def take(self, number: int, score: float) -> None:
        """Take a score, and keep the best one: the search may not come to its game."""
        super().take(number, score)
        self._news = True
        natural = self.run.problem.natural
        best, told = max(self.done.items(), key=lambda each: natural(each[1][1]))
        self.done = {best: told}

    def saved(self) -> dict[str, Any]:
        """Return all scores, and the games that are open or the best so far."""
        games = [game for game, _ in self.done.values()] + [*self.open.values()]
        moves = [[each.id, list(map(self._written, each.moves))] for each in games]
        best = {number: score for number, (_, score) in self.done.items()}
        scores = self._told.scores()
        return {"tries": {"next": self.asked, "scores": scores, "games": moves, "best": best}}

    def _written(self, move: Any) -> Any:
        """Return the JSON form of a move, which may be of a kind that only `moves` tells again."""
        try:
            return self._forms.written(move)
        except TypeError:
            with suppress(TypeError):
                return in_json(move)
            raise InputError(
                "a saved local search needs moves of numbers, texts, tuples, enumerations and "
                f"frozen dataclasses, not {shown(move)}"
            ) from None

    def resume(self, saved: dict[str, Any]) -> None:
        """Open the games again."""
        if "tries" not in saved:
            raise InputError("no scores that were told: only a file of Search.save() has them")
        tries, problem = saved["tries"], self.run.problem
        self._told.learn(tries["scores"])
        best = {int(number): float(score) for number, score in tries["best"].items()}
        for number, told in tries["games"]:
            moves = tuple(problem.moves_from(list(map(self._forms.read, told))))
            game = Game(int(number), moves, state_after(problem.original, moves))
            if game.id in best:
                self.done[game.id] = game, best[game.id]
            else:
                self.open[game.id] = game
        self.asked = as_count("next", tries["next"])
