"""The uncompiled twin: the methods of a class run by Python, on the same bytes.

What a method reads are Python's own numbers, as exact as they are, so that nothing is rounded or
wraps around unseen. What it writes must fit.
"""

from __future__ import annotations

import math
import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from nestor.errors import InputError
from nestor.objectives import objectives_of
from nestor.problem import Problem, sense_of_scores, state_after
from nestor.problems.faults import MOST_MOVES

WORD = 1 << 64


class Whole(np.ndarray):
    """An array whose numbers are read as numbers of Python."""

    def __getitem__(self, key: Any) -> Any:
        got = super().__getitem__(key)
        return got.item() if isinstance(got, np.generic) else got


class Record:
    """A state: its fields are attributes."""

    __slots__ = ("_record",)

    def __init__(self, state: bytearray, kind: np.dtype[Any]) -> None:
        object.__setattr__(self, "_record", np.frombuffer(state, kind)[0])

    def __getattr__(self, name: str) -> Any:
        record = self._record
        if name not in record.dtype.names:
            raise AttributeError(f"a state has no field {name!r}: it has {record.dtype.names}")
        value = record[name]
        return value.view(Whole) if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._record.dtype.names:
            raise AttributeError(f"a state has no field {name!r}: {self._record.dtype.names}")
        self._record[name] = value


class Listing:
    """What `moves` adds moves to.

    Parameters
    ----------
    code_count : int
        Codes are below this number; 0 for any codes.
    """

    def __init__(self, code_count: int) -> None:
        self._count = code_count
        self.moves: list[int] = []
        self.codes: list[int] = []
        self.biases: list[float] = []

    def add(self, move: int, code: int | None = None, bias: float = 0.0) -> None:
        """Add a legal move.

        Parameters
        ----------
        move : int
        code : int, optional
            The policy's key of the move; without it, that is the move.
        bias : float, default 0.0
            Its beta: at most 700, or -inf to forbid the move.

        Raises
        ------
        InputError
            If one of them is out of range.
        """
        move = operator.index(move)
        code = move if code is None else operator.index(code)
        if not -WORD // 2 <= move < WORD // 2 or not -WORD // 2 <= code < WORD:
            raise InputError(f"moves and codes are 64-bit numbers, not {move} and {code}")
        if self._count and not 0 <= code < self._count:
            raise InputError(f"codes are 0 to code_count - 1 = {self._count - 1}, not {code}")
        if not bias <= 700.0:
            raise InputError(f"a bias must be at most 700, or -inf to forbid, not {bias}")
        if len(self.moves) == MOST_MOVES:
            raise InputError(f"moves() must give at most {MOST_MOVES} moves")
        self.moves.append(move)
        self.codes.append(code % WORD)
        self.biases.append(float(bias))


class Listed:
    """The moves of a state with their codes and biases, kept for those who ask move by move."""

    _last: tuple[bytes, dict[int, tuple[int, float]]] | None = None

    @abstractmethod
    def _list(self, state: bytes) -> tuple[list[int], list[int], list[float]]:
        """Return the moves of a state, their codes and their biases (none without a bias)."""

    def moves(self, state: bytes) -> list[int]:
        """Return the legal moves in their order."""
        moves, codes, biases = self._list(state)
        told = zip(codes, biases or [0.0] * len(codes), strict=True)
        self._last = state, dict(zip(moves, told, strict=True))
        return moves

    def _told(self, state: bytes, move: int) -> tuple[int, float]:
        if self._last is None or self._last[0] != state:
            self.moves(state)
        assert self._last is not None
        return self._last[1][move]

    def code(self, state: bytes, move: int) -> int:
        """Return the policy's key of a move."""
        return self._told(state, move)[0]

    def bias(self, state: bytes, move: int) -> float:
        """Return beta of a move."""
        return self._told(state, move)[1]


class Twin(Listed, Problem[bytes, int]):
    """The rules of a compiled problem, run by Python; it can be searched like any problem.

    Parameters
    ----------
    rules : object
        The instance whose methods are the rules.
    state : dtype
        What a state is.
    change : {"none", "order", "set", "cover", "decisions"}
    code_count : int
        The number of codes; 0 for any codes.
    """

    def __init__(self, rules: Any, state: np.dtype[Any], change: str, code_count: int) -> None:
        self._rules, self._state, self._count = rules, state, code_count
        self.change = change
        for name in ("sense", "objectives", "ranges", "value_count"):
            if hasattr(rules, name):
                setattr(self, name, getattr(rules, name))
        self._objectives = objectives_of(rules)
        self.minimises = sense_of_scores(rules) == "min"

    def initial(self) -> bytes:
        """Return the first state."""
        state = bytearray(self._state.itemsize)
        self._rules.initial(Record(state, self._state))
        return bytes(state)

    def fields(self, state: bytes) -> dict[str, Any]:
        """Return the fields of a state, as Python has them."""
        record = np.frombuffer(state, self._state)[0]
        return {name: record[name].tolist() for name in self._state.names or ()}

    def listed(self, state: bytes) -> Listing:
        """Return the legal moves, their codes and their biases.

        Raises
        ------
        InputError
            If `moves` changes the state.
        """
        copy, out = bytearray(state), Listing(self._count)
        self._rules.moves(Record(copy, self._state), out)
        if copy != state:
            raise InputError("moves() must not change the state: only play() may")
        return out

    def _list(self, state: bytes) -> tuple[list[int], list[int], list[float]]:
        out = self.listed(state)
        return out.moves, out.codes, out.biases

    def play(self, state: bytes, move: int) -> bytes:
        """Return the state after a move."""
        return self._changed("play", state, move)

    def _changed(self, method: str, state: bytes, move: int) -> bytes:
        copy = bytearray(state)
        if getattr(self._rules, method)(Record(copy, self._state), move) is not None:
            raise InputError(f"{method}() must change the state in place, and return nothing")
        return bytes(copy)

    @property
    def undo(self) -> Callable[[bytes, int], bytes]:
        """What takes a move back, if the class has a method ``undo``."""
        if not hasattr(self._rules, "undo"):
            raise AttributeError(f"{type(self._rules).__qualname__} has no method undo")
        return partial(self._changed, "undo")

    @property
    def task(self) -> Callable[[int], int]:
        """What a move does, if the class has a method ``task``."""
        return self._rules.task  # type: ignore[no-any-return]

    def score(self, state: bytes) -> Any:
        """Return the score of a terminal state."""
        return self._judged("score", state)

    def number(self, score: Any) -> float:
        """Return the number that a search compares, for a score."""
        return float(score) if self._objectives is None else self._objectives.number(score)

    def shown(self, number: float) -> str:
        """Return such a number as people write the score."""
        return str(number) if self._objectives is None else self._objectives.show(number)

    def _judged(self, method: str, *states: bytes) -> Any:
        copies = [bytearray(state) for state in states]
        records = [Record(copy, self._state) for copy in copies]
        value = getattr(self._rules, method)(*records)
        if copies != list(states):
            raise InputError(f"{method}() must not change the state: only play() may")
        if self._objectives is not None:
            self._objectives.number(value, f"{method}()")  # which says what is wrong
            return tuple(map(float, value))
        value = float(value)
        if value != value:
            raise InputError(f"{method}() must not give NaN")
        if method in ("score", "guide") and value == self._unbeaten:
            raise InputError(f"{method}() must not give {value}, which nothing else could beat")
        return value

    @property
    def _unbeaten(self) -> float:
        """The score that nothing could beat, and the bound that is none."""
        return -math.inf if self.minimises else math.inf

    @property
    def guide(self) -> Callable[[bytes], Any]:
        """What guides polish at a terminal state; nothing does if a front is looked for."""
        if self._objectives is not None and self._objectives.front:
            raise AttributeError("no one number steers a search for a front")
        return partial(self._judged, "guide" if hasattr(self._rules, "guide") else "score")

    @property
    def distance(self) -> Any:
        """The method ``distance`` of the class, if it has one."""
        return self._rules.distance

    def replayed(self, order: Sequence[int]) -> tuple[Any, list[float], list[float]]:
        """Return what polish learns from an order of the moves of a game.

        Returns
        -------
        value : float or tuple
            What guides polish at its end, or the score there if a front is looked for.
        bounds, joined : list of float
            What the methods ``bound`` and ``joined`` say after each move; infinite without them.
        """
        step = "step" if hasattr(self._rules, "step") else "play"
        state, rest, states = self.initial(), bytes(self._state.itemsize), []
        for move in order:
            state = self._changed(step, state, move)
            states.append(state)
        bounds, joined = ([self._unbeaten] * len(order) for _ in range(2))
        if hasattr(self._rules, "bound"):
            bounds = [self.number(self._judged("bound", state)) for state in states]
        if hasattr(self._rules, "joined"):
            for place in reversed(range(len(order))):
                joined[place] = self.number(self._judged("joined", states[place], rest))
                rest = self._changed("before", rest, order[place])
        return getattr(self, "guide", self.score)(state), bounds, joined

    def exception(self, function: str, moves: Sequence[int]) -> Exception | None:
        """Return the exception of a method after some moves; the last is the one of `play`."""
        try:
            if function in ("step", "bound", "before", "joined"):
                self.replayed(moves)
                return None
            if function == "task":
                self.task(moves[-1])
                return None
            state = state_after(self, moves)
            if function == "undo":
                state = self.undo(state, moves[-1])
            if function == "moves":
                self.moves(state)
            elif function in ("score", "guide"):
                self._judged(function, state)
        except Exception as raised:
            return raised
        return None
