"""Problems written in Python: what a user's class needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import isclose
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from nestor.checks import as_finite, as_integer, shown
from nestor.errors import InputError
from nestor.objectives import objectives_of

State = TypeVar("State")
Move = TypeVar("Move")


@runtime_checkable
class Problem(Protocol[State, Move]):
    """A tree of states whose leaves have a score; higher is better unless `sense` says otherwise.

    Two more methods help a search. ``code(state, move)`` returns the policy's key of a move,
    which must be hashable; without it, the key is the move itself. ``bias(state, move)`` returns
    its beta, a float of at most 700, or -inf to forbid the move; without it, beta is 0.

    The other methods and attributes are optional, too. A class with several biases has a method
    like ``bias`` for each, and names them in an attribute, ``biases = ("near", "early")``. The
    first is the default. If the weights of biases are learned (the setting ``bias_learning`` of
    `nestor.GNRPA`), all are.

    An attribute ``sense = "min"`` says that a lower score is better: the search minimises what
    ``score`` returns, and results show it as it is. The default is "max".

    An attribute ``optimum`` is a score that no solution can beat: a search stops when it is
    reached.

    A score may be a tuple. With an attribute ``objectives = "lexicographic"`` its first part
    decides, then the second, and so on; `sense` may then be a tuple with one for each part, and
    ``ranges`` says what values the parts have. With ``objectives = ("min", "max")``, one for each
    part, or ``{"cost": "min", "range": "max"}``, the result is a front. See docs/objectives.md.

    An attribute ``change = "set"`` says that any subset of the moves of a finished sequence can be
    played, in any order: choices from a number of things, values of variables, assignments. A value
    is a move ``(variable, value)``, or with an attribute ``value_count`` the whole number
    variable * `value_count` + value. Moves are hashable, and the same wherever they are played.
    `nestor.LocalSearch`, which is then the default, takes some of them back and plays others. A
    method ``undo(state, move)`` makes it several times as fast: it returns the state as if a move
    had never been played. The search maximises or minimises, as `sense` says, what ``guide(state)``
    returns for a terminal state; without that method, the score. See docs/local-search.md.

    An attribute ``change = "cover"`` says that moves are chosen until it is enough, such as sets
    that together have all elements: any move that is legal at first can be played at any time,
    once, in any order, and more of them never make another one legal. ``moves`` lists those that
    still help. It is otherwise like a set, and may have the same methods.

    An attribute ``change = "order"`` says that any permutation of the moves of a finished sequence
    can be played; `nestor.LocalSearch` then improves a sequence by changes of its order. A move may
    need an identity for that, ``item(state, move)``, which is hashable and the same wherever the
    move is played; without it, that is the move itself. The local search maximises or minimises, as
    `sense` says, what ``guide(state)`` returns for a terminal state; without it, the score. A
    method ``cost_of(order)`` may return the score of a finished sequence from the list of its
    items, so that nothing need be replayed for it. If different moves may do the same, such as an
    operation on one machine or another, ``task(move)`` returns what a move does, which is hashable:
    then the tasks of a finished sequence can be done in any order, each by any of the moves that do
    it. Such moves are their own items. With ``change = "decisions"`` polish takes another move at
    one step and keeps the later ones, identified by their codes, as far as they are legal. See
    docs/local-search.md and docs/polish.md.

    A method ``shaped(state)`` may return a value that steers a search at the end of a game in place
    of the score. The score is still what is reported, and decides which game is best. Such a
    problem has no `change`, since polish uses the score.

    A method ``distance(moves, others)`` may return by how much two finished sequences of moves
    differ; `nestor.solve_many` finds solutions that are far enough apart.

    A method ``picture(moves)`` may draw a game or the beginning of one: it returns a
    `nestor.plot.Picture`, which ``plot``, replay pages and notebooks show in place of the moves as
    text.

    A method ``to_dict()`` may return the instance as JSON-able data, and a class method
    ``from_dict(data)`` build it again from that. Files then know instances apart, as they do those
    of frozen dataclasses, and those with an attribute ``digest``, a string.

    A method ``variants()`` may return a dict of problems by name that ask for the same answer in
    another way: with the same moves in the same order and the same scores, but other codes or
    biases. `nestor.Race` finds out which of them to search.

    A search works well if the moves of one state have different codes, if a chosen code does not
    come back later in the sequence, and if moves with the same code have similar value (nrpa-2011,
    section 2.4). All methods must be pure: the same arguments give the same answer, and no argument
    is changed.
    """

    def initial(self) -> State:
        """Return the root state."""
        ...

    def moves(self, state: State) -> Sequence[Move]:
        """Return the legal moves, always in the same order; empty if and only if terminal."""
        ...

    def play(self, state: State, move: Move) -> State:
        """Return the state after a legal move."""
        ...

    def score(self, state: State) -> Any:
        """Return the score of a terminal state, a number; with `objectives` a tuple. Never NaN.

        Nor infinitely good: a search would end there, as at a target.
        """
        ...


class InCore(ABC):
    """A problem whose rules are in the core, too. Its method `score` gives the engine's score."""

    @abstractmethod
    def core(self) -> Any:
        """Return the problem as `nestor._core` searches it."""

    @property
    def unpruned(self) -> Self:
        """The problem with the moves that its settings leave out, which a solution may have."""
        return self


def unpruned(problem: Any) -> Any:
    """Return the problem without pruning, as solutions may be; a user's own as it is."""
    return problem.unpruned if isinstance(problem, InCore) else problem


def is_unordered(problem: object) -> bool:
    """Whether the moves of a finished sequence are a set or a cover, which have no order."""
    return getattr(problem, "change", "none") in ("set", "cover")


def optimum_of(problem: object) -> float | None:
    """Return the attribute `optimum` of a problem; None if it has none.

    Raises
    ------
    InputError
        If it is not a finite number.
    """
    optimum = getattr(problem, "optimum", None)
    if optimum is None:
        return None
    if (objectives := objectives_of(problem)) is not None:
        return objectives.goal("optimum of the problem", optimum)
    return as_finite("optimum of the problem", optimum)


def agrees(claimed: float, found: float, rounding: float) -> bool:
    """Whether a number is the one that was found.

    Whole numbers are compared exactly, others up to a relative rounding.
    """
    return isclose(claimed, found, rel_tol=0.0 if found.is_integer() else rounding)


def beats(score: float, optimum: float) -> bool:
    """Whether a score is better than the optimum, both as the engine takes them.

    Whole numbers are compared exactly, others up to a rounding of 1e-9.
    """
    whole = float(score).is_integer() and float(optimum).is_integer()
    rounding = 0.0 if whole else 1e-9
    return score > optimum and not isclose(score, optimum, rel_tol=rounding, abs_tol=rounding)


def bias_methods_of(problem: object) -> tuple[str, ...]:
    """Return the names in the attribute ``biases``, or ``bias`` if there is such a method.

    Raises
    ------
    InputError
        If `biases` is not a sequence of different names of methods.
    """
    named = getattr(problem, "biases", None)
    if named is None:
        return ("bias",) if callable(getattr(problem, "bias", None)) else ()
    names = tuple(named) if isinstance(named, tuple | list) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise InputError(f"biases of the problem must be a tuple of names, not {shown(named)}")
    if len(set(names)) != len(names) or "none" in names:
        raise InputError(
            f"biases of the problem must be different names other than 'none', not {shown(names)}"
        )
    missing = [name for name in names if not callable(getattr(problem, name, None))]
    if missing:
        raise InputError(
            f"biases of the problem must be names of its methods; {type(problem).__name__} has no "
            f"{', '.join(missing)}"
        )
    return names


def value_count_of(problem: object) -> int:
    """Return how many values a variable may have, if moves of a set are variables with values.

    A move is then variable * `value_count` + value; 0 is for other moves.

    Raises
    ------
    InputError
        If it is no whole number from 0 to 2^62.
    """
    return as_integer("value_count of the problem", getattr(problem, "value_count", 0), 0, 1 << 62)


def score_of(problem: Problem[Any, Any], state: Any) -> float:
    """Return the score of a terminal state as one number: that which a search compares."""
    objectives, score = objectives_of(problem), problem.score(state)
    return score if objectives is None else objectives.number(score)


def engine_score(problem: Problem[Any, Any], state: Any) -> float:
    """Return the score of a terminal state as the engine takes it: higher is better."""
    score = score_of(problem, state)
    return -score if sense_of_scores(problem) == "min" else score


def steering_score(problem: Problem[Any, Any], state: Any, score: float) -> float:
    """Return what steers a search at a terminal state: its score, unless the problem shapes it."""
    if not hasattr(problem, "shaped"):
        return score
    objectives = objectives_of(problem)
    shaped = problem.shaped(state)
    shaped = float(shaped) if objectives is None else objectives.number(shaped, "shaped()")
    return -shaped if sense_of_scores(problem) == "min" else shaped


def sense_of_scores(problem: Problem[Any, Any]) -> Any:
    """Return what the method ``score`` gives: "min" if lower is better.

    The method of a problem whose rules are in the core gives the engine's score.
    """
    if isinstance(problem, InCore):
        return "max"
    objectives = objectives_of(problem)
    return getattr(problem, "sense", "max") if objectives is None else objectives.sense


def states_along(problem: Problem[Any, Any], moves: Iterable[Any]) -> Iterator[Any]:
    """Yield the first state of a game, and the one after each move; the moves are legal."""
    return accumulate(moves, problem.play, initial=problem.initial())


def state_after(problem: Problem[Any, Any], moves: Iterable[Any]) -> Any:
    """Return the state that moves lead to, which are legal."""
    return reduce(problem.play, moves, problem.initial())


def code_of(problem: Problem[Any, Any], state: Any, move: Any) -> Hashable:
    """Return the policy's key of a move."""
    code = getattr(problem, "code", None)
    return move if code is None else code(state, move)  # type: ignore[no-any-return]


def item_of(problem: Problem[Any, Any], state: Any, move: Any) -> Hashable:
    """Return what a move is wherever it is played."""
    item = getattr(problem, "item", None)
    return move if item is None else item(state, move)  # type: ignore[no-any-return]


def task_of(problem: Problem[Any, Any], move: Any) -> Hashable:
    """Return what a move does: moves that do the same stand for each other in an order."""
    task = getattr(problem, "task", None)
    return None if task is None else task(move)


def prior_code_of(problem: Problem[Any, Any], state: Any, move: Any) -> Hashable:
    """Return the code by which a prior counts a move: the policy's unless there is another."""
    prior_code = getattr(problem, "prior_code", None)
    return code_of(problem, state, move) if prior_code is None else prior_code(state, move)


def hashable(code: Any) -> Hashable:
    """Return a code or move that has been through JSON with tuples in place of lists."""
    return tuple(map(hashable, code)) if isinstance(code, list) else code


OPTIONAL = ("score_batch", "item", "task", "guide", "cost_of", "shaped", "undo", "choose")
"""Methods that only some problems have."""


@dataclass(frozen=True, eq=False)
class SameRules:
    """A problem with the rules of another one. Subclasses give its moves other biases.

    Attributes
    ----------
    problem : Problem
    """

    problem: Problem[Any, Any]

    @property
    def sense(self) -> str:
        """Whether a higher ("max") or a lower ("min") score is better."""
        return str(sense_of_scores(self.problem))

    @property
    def change(self) -> str:
        """What polish may change in a finished sequence."""
        return getattr(self.problem, "change", "none")

    def __getattr__(self, name: str) -> Any:
        """Return a method that only some problems have."""
        if name in OPTIONAL and "problem" in vars(self):
            return getattr(self.problem, name)
        raise AttributeError(name)

    def initial(self) -> Any:
        """Return the root state."""
        return self.problem.initial()

    def moves(self, state: Any) -> Sequence[Any]:
        """Return the legal moves."""
        return self.problem.moves(state)

    def play(self, state: Any, move: Any) -> Any:
        """Return the state after a move."""
        return self.problem.play(state, move)

    def score(self, state: Any) -> Any:
        """Return the score of a terminal state."""
        return self.problem.score(state)

    def code(self, state: Any, move: Any) -> Hashable:
        """Return the policy's key of a move."""
        return code_of(self.problem, state, move)
