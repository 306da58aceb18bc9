"""Models that give the biases of a batch of playouts in one call."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nestor.arrays import np, npt
from nestor.checks import as_flag, as_integer, as_mapping, check_callable, check_text, shown
from nestor.errors import InputError, nearest
from nestor.naming import name_of
from nestor.problem import SameRules

MOST = 700.0
"""The largest bias: a larger one has no finite exponential."""

WIDEST = 1_000_000
"""The greatest width."""

calls: MutableSequence[int] = [0, 0]
"""How many calls of models have begun in this process, and how many of them have returned."""

_counting = threading.Lock()

Array = tuple[str, bool, str, tuple[int, ...], bytes]
"""What the core gives of an array; see `_core.Problem.guided`."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some states, and the legal moves of all of them, one state after the other.

    ``batch["time"]`` is an array by its name. Arrays cannot be written to.

    Attributes
    ----------
    offsets : ndarray of int64, shape (states + 1,)
        Where the moves of each state begin; the moves of state i are ``offsets[i]`` to
        ``offsets[i + 1]``.
    arrays : dict of str to ndarray
        The problem's arrays, with a row for each state or for each move. All problems except plain
        classes have "code" (uint64): the policy's code of each move.
    states, moves : list or None
        The states, and the moves of all of them, of a plain class.
    """

    offsets: npt.NDArray[np.int64]
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    states: Sequence[Any] | None = None
    moves: Sequence[Any] | None = None

    @cached_property
    def owner(self) -> npt.NDArray[np.int64]:
        """The number of the state of each move, from 0: int64, shape (moves,)."""
        counts = np.diff(self.offsets)
        return _read_only(np.repeat(np.arange(len(counts)), counts))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return an array by its name.

        Raises
        ------
        InputError
            If the problem has no such array.
        """
        found = self.arrays.get(name)
        if found is None:
            known = ", ".join(self.arrays)
            has = f"it has {known}" if known else "use batch.states and batch.moves"
            if [*self.arrays] == ["code"]:
                has += "; docs/slow-scores.md says what has more"
            raise InputError(f"the batch has no array {name!r}{nearest(name, self.arrays)}; {has}")
        return found


@dataclass
class Spent:
    """The wall time of the calls of a model in this process, in seconds.

    Attributes
    ----------
    total, last : float
        That of all calls, and of the last.
    """

    total: float = 0.0
    last: float = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Count a call and its time."""
        begun = time.monotonic()
        with _counting:
            calls[0] += 1
        try:
            yield
        finally:
            with _counting:
                calls[1] += 1
                self.last = time.monotonic() - begun
                self.total += self.last


def _offsets(counts: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return _read_only(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def _read_only(array: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class BatchBias:
    """A model that gives the biases of a whole batch of playouts in one call: a bias for `GNRPA`.

    The playouts of level 1 that share a policy run in lockstep, as many as the width, and at each
    step the model is called with those that are not over. The composition of a batch depends on the
    width and never on threads. Python runs here between the steps of a batch.

    Parameters
    ----------
    f : callable
        It is called with a `Batch` and returns an array with the bias of each move, in their order:
        numbers of at most 700, or -inf for a move that is forbidden. Files know it by its name, and
        by a text `digest` if it has such an attribute, as one of its weights.
    width : int, default 16
        How many playouts share a policy, 1 to 1,000,000: the width of level 1.
    isolated : bool, default False
        Search in a process of its own, so that a model that does not return, or kills its process,
        is a `RulesError` a few seconds after the time is up. The model and the problem are pickled.

    Raises
    ------
    InputError
        If an argument is of a wrong type or out of range.

    Notes
    -----
    With a width of 1, where `force_explore` plays a game again, and where a sequence is polished,
    resumed or taken over, the model is asked for one state at a time, with all its moves. So what
    it returns for a state must depend only on that state and its moves, neither on the rest of the
    batch nor on earlier calls. The arithmetic of a model may differ from machine to machine:
    `Result.reproducible` is false.

    Examples
    --------
    >>> import nestor
    >>> game = nestor.problems.SameGame(["0011", "0101", "2211"])
    >>> guided = nestor.GNRPA(level=2, bias=nestor.BatchBias(lambda batch: batch["size"] - 2))
    >>> nestor.solve(game, guided, playouts=100).reproducible
    False
    """

    f: Callable[[Batch], Any] | None
    width: int = 16
    isolated: bool = False
    name: str = field(default="", init=False)
    spent: Spent = field(default_factory=Spent, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_callable("f of a BatchBias", self.f)
        object.__setattr__(self, "width", as_integer("width", self.width, 1, WIDEST))
        object.__setattr__(self, "isolated", as_flag("isolated", self.isolated))
        kind = self.f if hasattr(self.f, "__qualname__") else type(self.f)
        name = name_of(kind)
        if isinstance(digest := getattr(self.f, "digest", None), str):
            name += f" {digest}"
        object.__setattr__(self, "name", name)

    @property
    def has_code(self) -> bool:
        """Whether there is something to call: a file has only its name."""
        return self.f is not None

    def __str__(self) -> str:
        # Of a hash as digest the beginning is enough to see which it is.
        name = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b", r"\1", self.name)
        return f"{name}, {self.width} at a time"

    def to_dict(self) -> dict[str, Any]:
        """Return its name and its width as JSON-able data."""
        return {"model": self.name, "width": self.width}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BatchBias:
        """Return what a file tells of it: everything but the function.

        Raises
        ------
        InputError
            If something is missing or malformed.
        """
        data = as_mapping("bias", data)
        if set(data) != {"model", "width"}:
            raise InputError(f"bias: a model has a name and a width, not {shown(dict(data))}")
        check_text("model", data["model"])
        told = object.__new__(cls)
        width = as_integer("width", data["width"], 1, WIDEST)
        vars(told).update(f=None, width=width, isolated=False, name=data["model"], spent=Spent())
        return told

    def of_core(self, counts: bytes, codes: bytes, arrays: Sequence[Array]) -> bytes:
        """Return the biases of moves of the core; see `_core.Problem.guided`."""
        offsets = _offsets(np.frombuffer(counts, np.int64))
        states, moves = len(offsets) - 1, int(offsets[-1])
        told = {"code": np.frombuffer(codes, np.uint64)}
        for name, by_move, letter, row, content in arrays:
            shape = (moves if by_move else states, *row)
            told[name] = np.frombuffer(content, letter).reshape(shape)
        return self.asked(Batch(offsets, told)).tobytes()

    def of_objects(self, states: Sequence[Any], moves: Sequence[Sequence[Any]]) -> list[float]:
        """Return the biases of the moves of a plain class."""
        flat = [move for legal in moves for move in legal]
        batch = Batch(_offsets([len(legal) for legal in moves]), {}, list(states), flat)
        return self.asked(batch).tolist()  # type: ignore[no-any-return]

    def asked(self, batch: Batch) -> npt.NDArray[np.float64]:
        """Return what the function gives for a batch, once it is checked.

        Raises
        ------
        InputError
            If it is not one bias for each move.
        """
        assert self.f is not None
        with self.spent.measured():
            returned = self.f(batch)
        try:
            betas = np.asarray(returned)
        except ValueError:
            betas = np.asarray(None)
        count = int(batch.offsets[-1])
        if betas.dtype.kind not in "fiu" or betas.shape != (count,):
            what = shown(returned)
            if isinstance(returned, np.ndarray):
                what = f"one of the shape {returned.shape} and the type {returned.dtype}"
            raise InputError(
                f"{self.name} must return an array of numbers of the shape ({count},), a bias for "
                f"each of the {count} moves of {len(batch.offsets) - 1} states, not {what}"
            )
        betas = betas.astype(np.float64)
        wrong = np.flatnonzero(~(betas <= MOST))
        if len(wrong):
            raise InputError(
                f"{self.name} must return biases of at most {MOST:g}, or -inf to forbid, "
                f"not {betas[wrong[0]]} for move {wrong[0]} of the batch"
            )
        return betas


def unbiased(batch: Batch) -> npt.NDArray[np.float64]:
    """Return no bias for each move: in place of a model that is not here and is not needed."""
    return np.zeros(int(batch.offsets[-1]))


@dataclass(frozen=True, eq=False)
class Guided(SameRules):
    """A plain class whose moves have the biases of a model.

    Attributes
    ----------
    problem : Problem
    guide : BatchBias
    """

    guide: BatchBias

    def bias_batch(self, states: Sequence[Any], moves: Sequence[Sequence[Any]]) -> list[float]:
        """Return the biases of all moves, those of the first state first."""
        return self.guide.of_objects(states, moves)
