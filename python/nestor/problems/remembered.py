"""Scores that are remembered: that of a game that was played before is not asked again."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from nestor.arrays import np
from nestor.errors import InputError
from nestor.naming import module_of
from nestor.objectives import objectives_of
from nestor.problem import is_unordered, state_after

MOST = 200_000
"""The most scores kept in memory. The one that has not been used for longest goes first."""


Moves = Sequence[Any] | frozenset[Any] | None
"""The moves of a game, or those of a set, if they are known."""

Score = float | tuple[float, ...]
"""A score as it is kept; one of a problem with objectives is a tuple."""


class Memory:
    """The scores of the last games, in this process."""

    def __init__(self) -> None:
        self._scores: dict[Hashable, Score] = {}

    def get(self, game: Hashable) -> Score | None:
        """Return the score of a game, if it is known."""
        score = self._scores.pop(game, None)
        if score is not None:
            self._scores[game] = score
        return score

    def put(self, game: Hashable, score: Score) -> None:
        """Remember the score of a game."""
        self._scores[game] = score
        if len(self._scores) > MOST:
            del self._scores[next(iter(self._scores))]

    def __iter__(self) -> Iterator[tuple[Hashable, Score]]:
        return iter(self._scores.items())

    def other(self, game: object) -> Hashable:
        """Return what stands for a game that has no written form.

        Raises
        ------
        InputError
            If nothing does.
        """
        try:
            hash(game)
        except TypeError:
            raise InputError(
                "cache: scores are remembered by moves that are hashable, or by a method key(state)"
            ) from None
        return game

    def __getstate__(self) -> dict[str, Any]:
        return {"_scores": {}}


class Remembered:
    """What a search asks for scores: it asks the problem once for each game.

    Of threads that come to the same game at once, one asks, and the others wait for it.

    Parameters
    ----------
    problem : Problem
    store : Memory
        Where scores are kept.

    Attributes
    ----------
    together : bool
        Whether the problem wants the leaves of a batch in one call.
    hits : int
        Scores that were not asked.
    """

    def __init__(self, problem: Any, store: Memory) -> None:
        self.together = callable(getattr(problem, "score_batch", None))
        self.hits = 0
        self._problem, self._store = problem, store
        self._key: Callable[[Any], Any] | None = getattr(problem, "key", None)
        self._objectives = objectives_of(problem)
        self._free()

    def _free(self) -> None:
        self._lock = threading.Lock()
        self._asking: dict[Hashable, threading.Event] = {}
        self._told = 0

    def __getstate__(self) -> dict[str, Any]:
        left = ("_lock", "_asking", "_told")
        return {name: value for name, value in vars(self).items() if name not in left}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.hits = 0
        self._free()

    def __call__(self, states: list[Any], moves: list[list[Any] | None]) -> list[Any]:
        """Return the numbers that a search compares for terminal states; moves may be unknown."""
        if not self.together:
            given = zip(states, moves, strict=True)
            return [self._number(self.score(*each)) for each in given]
        games = [self._game(*each) for each in zip(states, moves, strict=True)]
        # Where nothing is known to stand for a game, its place does.
        names = [place if game is None else game for place, game in enumerate(games)]
        with self._lock:
            known = [None if game is None else self._store.get(game) for game in games]
        scores = dict[Hashable, Any](zip(names, known, strict=True))
        new = [name for name in scores if scores[name] is None]
        first = {name: place for place, name in reversed([*enumerate(names)])}
        places = [first[name] for name in new]
        told = _scored_together(self._problem, [states[place] for place in places])
        with self._lock:
            for name, place, score in zip(new, places, told, strict=True):
                scores[name] = score
                self._put(games[place], score)
            self.hits += len(games) - len(places)
        return [self._number(scores[name]) for name in names]

    def of_set(self, state: Any, moves: list[Any]) -> Any:
        """Return the number that a search compares for a state that moves in no order led to."""
        return self._number(self.score(state, frozenset(moves)))

    def of_order(self, order: list[Any]) -> Any:
        """Return the number that a search compares for an order."""
        return self._number(self.cost_of(order))

    def _number(self, score: Any) -> Any:
        """Return the number that a search compares for a score."""
        return score if self._objectives is None else self._objectives.number(score)

    def score(self, state: Any, moves: Moves = None) -> Any:
        """Return the score of a terminal state; without moves only a key can tell its game."""
        return self._once(self._game(state, moves), lambda: self._problem.score(state))

    def cost_of(self, order: list[Any]) -> Any:
        """Return what the problem says of an order, which is its score but for rounding."""
        return self._once(self._named(("cost_of", *order)), lambda: self._problem.cost_of(order))

    def known(self, state: Any, moves: list[Any]) -> float | None:
        """Return the number that a search compares for a game, if its score is remembered."""
        game = self._game(state, moves)
        with self._lock:
            score = None if game is None else self._store.get(game)
        return None if score is None else self._number(score)

    def new_hits(self) -> int:
        """Return the scores that were not asked since it was called last."""
        with self._lock:
            new, self._told = self.hits - self._told, self.hits
            return new

    def _game(self, state: Any, moves: Moves) -> Hashable | None:
        """Return what stands for a game; None if nothing is known to."""
        if self._key is not None:
            return self._named(self._key(state))
        return None if moves is None else self._named(moves)

    def _named(self, told: Any) -> Hashable:
        """Return what stands for moves, or for a key."""
        told = tuple(told) if isinstance(told, list) else told
        try:
            text = json.dumps(written(told))
        except (TypeError, RecursionError):  # Objects may hold each other.
            return self._store.other(told)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _once(self, game: Hashable | None, ask: Callable[[], Any]) -> Any:
        """Return the score of a game, which is asked if the game is new."""
        if game is None:
            return ask()
        while True:
            with self._lock:
                if (known := self._store.get(game)) is not None:
                    self.hits += 1
                    return known
                if (asking := self._asking.get(game)) is None:
                    self._asking[game] = threading.Event()
                    break
            asking.wait()
        try:
            score = ask()
            with self._lock:
                self._put(game, score)
            return score
        finally:
            with self._lock:
                self._asking.pop(game).set()

    def _put(self, game: Hashable | None, score: Any) -> None:
        """Remember a score, unless it is none: then the search will say so."""
        if self._objectives is not None:
            self._objectives.number(score)
        with suppress(TypeError, ValueError, OverflowError):
            if game is None or isinstance(score, str):
                return
            kept = float(score) if self._objectives is None else tuple(map(float, score))
            if not math.isnan(sum(kept) if isinstance(kept, tuple) else kept):
                self._store.put(game, kept)


class UntoldError(Exception):
    """Some games of a batch have no score yet.

    Attributes
    ----------
    games : dict of int to tuple
        State, moves and score or None of each game, by its place in the batch; of a game that is
        there twice only the first.
    """

    def __init__(self, games: dict[int, tuple[Any, list[Any], Any]]) -> None:
        super().__init__(f"{len(games)} games")
        self.games = games


class Told(Remembered):
    """What a search asks for scores that are told from outside: it stops at games without one.

    Attributes
    ----------
    restoring : bool
        Whether a saved state is being read, which plays its games again and needs no scores.
    """

    def __init__(self, problem: Any) -> None:
        super().__init__(problem, Memory())
        self.together, self.restoring = True, False
        self._objectives = None  # What is told are the numbers that a search compares.
        self._sets = is_unordered(problem)
        self._guesses: list[tuple[Any, list[Any], Any]] | None = None

    def __call__(self, states: list[Any], moves: list[list[Any] | None]) -> list[Any]:
        """Return the scores of terminal states.

        Raises
        ------
        UntoldError
            If a score was not told.
        """
        games = [self._game(*each) for each in zip(states, moves, strict=True)]
        places = {game: place for place, game in reversed(list(enumerate(games)))}
        scores = {game: self._store.get(game) for game in places}
        if None in scores.values() and self.restoring:
            return [0.0] * len(games)
        if None in scores.values():
            untold = {
                place: (states[place], moves[place] or [], scores[game])
                for game, place in sorted(places.items(), key=lambda each: each[1])
            }
            if self._guesses is None:
                raise UntoldError(untold)
            self._guesses += untold.values()
            return [self._worst if scores[game] is None else scores[game] for game in games]
        return [scores[game] for game in games]

    def of_set(self, state: Any, moves: list[Any]) -> Any:
        """Return the score of a state that a set of moves has led to."""
        return self([state], [moves])[0]

    def of_order(self, order: list[Any]) -> Any:
        """Return the score of an order."""
        return self([state_after(self._problem, order)], [order])[0]

    def _game(self, state: Any, moves: Moves) -> Hashable | None:
        return super()._game(state, frozenset(moves or ()) if self._sets else moves)

    def name_of(self, game: Any) -> Hashable:
        """Return what stands for a game, by its state and moves."""
        return self._game(game.state, list(game.moves))

    @contextmanager
    def guessing(self, worst: float) -> Iterator[list[tuple[Any, list[Any], Any]]]:
        """Give games without a score the worst one in this context, and list them."""
        self._worst, self._guesses = worst, []
        try:
            yield self._guesses
        finally:
            self._guesses = None

    def put(self, state: Any, moves: Sequence[Any], score: float) -> None:
        """Take the score of a game."""
        self._put(self._game(state, list(moves)), score)

    def scores(self) -> dict[str, Score]:
        """Return all scores by what stands for their games, as far as that has a JSON form."""
        return {game.hex(): score for game, score in self._store if isinstance(game, bytes)}

    def learn(self, scores: dict[str, float]) -> None:
        """Take scores that `scores` returned."""
        for game, score in scores.items():
            self._store.put(bytes.fromhex(game), float(score))


def _scored_together(problem: Any, states: list[Any]) -> Sequence[Any]:
    """Return the scores of states, which the problem gives in one call."""
    if not states:
        return []
    returned = problem.score_batch(states)
    try:
        returned = list(returned)
    except TypeError:
        kind = type(returned)
        raise TypeError(f"score_batch() must return a sequence, not {kind}") from None
    if len(returned) != len(states):
        raise ValueError(
            f"score_batch() must return a score for each of {len(states)} states, not "
            f"{len(returned)}"
        )
    return returned


def written(value: Any) -> Any:
    """Return a JSON form of a value that no other value has, unless they are equal.

    Raises
    ------
    TypeError
        If there is none.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, Enum):
        return {"enum": f"{module_of(type(value))}.{type(value).__qualname__}.{value.name}"}
    if isinstance(value, tuple | list):
        return [written(each) for each in value]
    if isinstance(value, np.generic | np.ndarray) and not value.dtype.hasobject:
        return written(value.tolist())
    if type(value) is float:
        return {"float": value.hex()}
    if type(value) is bytes:
        return {"bytes": value.hex()}
    if isinstance(value, frozenset):
        return {"set": sorted(json.dumps(written(each)) for each in value)}
    if is_dataclass(value) and not isinstance(value, type):
        kind = f"{module_of(type(value))}.{type(value).__qualname__}"
        return {kind: [written(getattr(value, each.name)) for each in fields(value)]}
    raise TypeError(f"a {type(value).__name__} has no written form")
