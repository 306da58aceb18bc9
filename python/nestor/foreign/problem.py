"""Problems behind the C interface, as searches see them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from nestor import _core
from nestor.errors import InputError, RulesError, VerificationError
from nestor.foreign.twin import Listed, Twin
from nestor.picture import Picture
from nestor.problem import InCore, hashable
from nestor.problems.base import BaseProblem, Cores
from nestor.problems.core import numbered, replayed
from nestor.problems.importing import place_of
from nestor.problems.own import OwnSolution
from nestor.problems.remembered import Moves


class ForeignProblem(Listed, BaseProblem, InCore):
    """A problem whose rules are native code. Moves are whole numbers, and states are bytes.

    A subclass says where the code is (`_open`). The methods `initial`, `moves`, `play`, `score`,
    `code` and `bias` are those of a problem that comes with Nestor: `score` is the engine's, higher
    is better.
    """

    def __init__(self) -> None:
        self._opened: _core.Problem | None = None

    @abstractmethod
    def _open(self, biased: bool) -> _core.Problem:
        """Return a new problem of the core, with or without the bias of its moves."""

    def core(self) -> _core.Problem:
        """Return the problem as `nestor._core` searches it."""
        if self._opened is None:
            self._opened = self._open(True)
        return self._opened

    @cached_property
    def reference(self) -> str:
        """The name "module:name" of the object itself; its own name if it has none."""
        return place_of(self) or self.name

    def cores(self, biases: Sequence[str], betas: Mapping[Hashable, float]) -> Cores:
        """Return what the core searches."""
        return Cores(self._open(bool(biases)), [], numbered(betas))

    def initial(self) -> bytes:
        """Return the first state."""
        return self.core().initial()

    def _list(self, state: bytes) -> tuple[list[int], list[int], list[float]]:
        return self.core().moves(state)

    def play(self, state: bytes, move: int) -> bytes:
        """Return the state after a legal move."""
        return self.core().play(state, move)

    @property
    def undo(self) -> Callable[[bytes, int], bytes]:
        """What takes a move back, if the problem has such a function."""
        if not self.core().said["undoes"]:
            raise AttributeError(f"{self.name} has no function undo")
        return self.core().undo

    @property
    def task(self) -> Callable[[int], int]:
        """What a move does, if the problem has such a function."""
        if not self.core().said["tasks"]:
            raise AttributeError(f"{self.name} has no function task")
        return self.core().task

    def score(self, state: bytes) -> float:
        """Return the engine's score of a terminal state, higher is better."""
        return self.core().judge(state, False)

    def scores_at(self, state: bytes, moves: Moves = None) -> Any:
        """Return the natural score of a terminal state, a tuple if there are objectives."""
        number = self.natural(self.core().judge(state, False))
        return self.last_scores() if self.front else self.scores_of(number) or number

    def scores_after(self, order: Sequence[int]) -> tuple[float, ...]:
        """Return the score of an order of moves of a front."""
        self.core().replayed(list(order))
        return self.last_scores()

    def last_scores(self) -> tuple[float, ...]:
        """Return the score of a front that this thread has asked for last."""
        return tuple(self.core().last_parts())

    def solution(self, moves: Sequence[Any]) -> OwnSolution:
        """Return the moves as a solution."""
        return ForeignSolution(self, tuple(moves))

    def frames(self, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
        """Yield a picture of a solution on the way, for each number of moves."""
        return self.solution(moves).frames(counts)

    def pack(self, codes: list[list[Any]]) -> bytes:
        """Return what a checkpoint keeps besides `to_dict`: nothing, since codes are numbers."""
        return b'{"codes": []}'

    def count_codes(self, moves: Sequence[Any], where: str) -> list[tuple[Hashable, int, int]]:
        """Return how often each code was chosen by moves, and how often it was legal."""
        return replayed(self.name, self.core(), list(map(hashable, moves)), where)

    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return moves as the core takes them, once they are known to be legal."""
        self.count_codes(moves, where)
        return list(moves)


class Reporter:
    """Makes the errors for what native code does wrong.

    Parameters
    ----------
    name : str
        How they name the problem.
    twin : Twin, optional
        The same rules in Python, which tell the exception.
    kept : object
        What the native code needs in memory.
    """

    def __init__(self, name: str, twin: Twin | None, kept: object) -> None:
        self.name, self._twin, self._kept = name, twin, kept

    def __call__(self, function: str, said: str, moves: list[int], status: int) -> RulesError:
        """Return the error for a fault after some moves."""
        after = f", after the moves {moves!r:.1000}" if moves else ""
        raised, said = None, f"{said:.1000}"
        if self._twin is not None and status:
            raised = self._twin.exception(function, moves)
            said = f"{function}() failed in its compiled form and not as Python"
            if raised is not None:
                said = f"{function}() raised {type(raised).__name__}: {raised}"
        error = RulesError(f"{self.name}: {said}{after}", function, moves, status)
        error.__cause__ = raised
        return error


class ForeignSolution(OwnSolution):
    """The moves of a problem behind the C interface."""

    @property
    def score(self) -> float:
        """The natural score of the leaf that the moves lead to."""
        return self.problem.natural(self.problem.score(self._end))  # type: ignore[attr-defined, no-any-return]

    @property
    def scores(self) -> Any:
        """The same as the problem gives it: a tuple if there are objectives."""
        return self.problem.scores_at(self._end)  # type: ignore[attr-defined]

    def confirm(self, score: float) -> None:
        """Check the solution and its score; see `Solution.confirm`.

        A compiled class is its own judge as it was written: it is run by Python.

        Raises
        ------
        VerificationError
            If the solution is not legal, if it does not have the score, or if a method of a
            compiled class raises an exception.
        RulesError
            If a function of a library fails.
        """
        try:
            super().confirm(score)
        except (VerificationError, RulesError):
            raise
        except Exception as error:
            said = error if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            after = f"after the moves {self.moves!r:.1000}"
            raise VerificationError(f"replaying what was found failed: {said}, {after}") from error
