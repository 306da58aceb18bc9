"""What every problem that comes with Nestor offers beside the rules of its game."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from nestor.errors import InputError
from nestor.settings import Setting, Text, check_settings

if TYPE_CHECKING:
    from nestor.plot.picture import Picture

Sense = Literal["max", "min"]

Argument = TypeVar("Argument", contravariant=True)
Kept = TypeVar("Kept", covariant=True)


@dataclass(frozen=True)
class Checked(Generic[Kept]):
    """A value that has been checked already, as a reader of files does: it is kept as it is."""

    value: Kept


class Given(Generic[Argument, Kept]):
    """The type of a field that takes an argument in one form and keeps it in another.

    For type checkers alone: see `given`, which makes such a field.
    """

    def __get__(self, instance: object, owner: object = None) -> Kept:
        """Return the value."""
        raise NotImplementedError

    def __set__(self, instance: object, value: Argument | Checked[Kept]) -> None:
        """Take the argument."""


def given(check: Callable[[Any, Argument], Kept]) -> Given[Argument, Kept]:
    """Return a field, without a default, whose argument is checked and turned into its value.

    Parameters
    ----------
    check : callable
        Called with the problem, whose earlier fields and settings are in place, and the argument.
    """
    return field(metadata={"given": check})  # type: ignore[no-any-return]


def title(default: str = "") -> Any:
    """Return the field that names an instance."""
    described = Setting(
        Text(), "Name of the instance, for people; no part of the instance.", core=False
    )
    return field(default=default, compare=False, metadata={"setting": described})


class Solution(ABC):
    """A complete, decoded answer to an instance."""

    @property
    @abstractmethod
    def score(self) -> float:
        """The natural score (a tour's cost, a game's points)."""

    @property
    def solved(self) -> bool | None:
        """Whether every constraint is met (no late visit, a cleared board); None without any."""
        return None

    @abstractmethod
    def verify(self) -> None:
        """Check legality and score from the instance alone, with no code of the search.

        Raises
        ------
        VerificationError
            If the solution is not legal or its score is not what it claims.
        """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-able data, for people and other programs."""

    @abstractmethod
    def __str__(self) -> str:
        """Return a text picture that fits 80 columns where the instance does."""

    @abstractmethod
    def picture(self) -> Picture:
        """Return the drawing, as data."""

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the solution (extra ``plot``).

        Parameters
        ----------
        path : path, optional
            File to write (.svg, .png or .pdf). Without it the matplotlib figure is returned.
        """
        from nestor.plot.render import render

        return render(self.picture(), path)

    def _repr_svg_(self) -> str | None:
        from nestor.plot.render import svg_or_none

        return svg_or_none(self.picture())


@dataclass(frozen=True, eq=False)
class NativeProblem(ABC):
    """A problem whose rules run in the core, with a readable twin of them in Python.

    A subclass is a dataclass of its instance: fields that are `given` as arguments, settings
    (`nestor.settings.setting`), and one that names it (`title`), which is no part of it. Two
    problems are equal if they have the same instance, settings and bias.

    The twin (`initial`, `moves`, `play`, `score`, `code`, `bias`) is the oracle of the tests:
    same moves in the same order, equal codes exactly where the core's codes are equal, the same
    bias and the same engine score (higher is better) to the last bit. States are never changed by
    `play`, which returns the next one.
    """

    name: ClassVar[str]
    """Name on the command line and in results."""
    sense: ClassVar[Sense]
    """Whether a higher ("max") or a lower ("min") natural score is better."""
    biases: ClassVar[tuple[str, ...]] = ("none",)
    """Names of the biases `with_bias` accepts, "none" among them."""
    default_bias: ClassVar[str] = "none"
    """The bias GNRPA uses unless told otherwise."""
    optimum: ClassVar[float | None] = None
    """A natural score that no solution can beat, where one is known: a search stops at it."""

    policies: ClassVar[tuple[str, ...]] = ()
    """Names of the playout policies that the problem supplies (see `choose`)."""

    bias_name: str = field(default="none", kw_only=True)
    """The bias in force."""

    def __post_init__(self) -> None:
        check_settings(self)
        for entry in fields(self):
            if check := entry.metadata.get("given"):
                value = getattr(self, entry.name)
                kept = value.value if isinstance(value, Checked) else check(self, value)
                object.__setattr__(self, entry.name, kept)
        self._check_bias()

    def _check_bias(self) -> None:
        if self.bias_name not in self.biases:
            raise InputError(
                f"bias must be one of {', '.join(map(repr, self.biases))} for {self.name}, "
                f"not {self.bias_name!r}"
            )

    def with_bias(self, bias: str) -> Self:
        """Return this problem with another bias in force.

        Parameters
        ----------
        bias : str
            One of `biases`.

        Raises
        ------
        InputError
            If the problem has no such bias.
        """
        other = object.__new__(type(self))
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        vars(other).update(values, bias_name=bias)
        other._check_bias()
        return other

    biased = with_bias

    @property
    @abstractmethod
    def label(self) -> str:
        """A short name of the instance."""

    @classmethod
    def _keys(cls) -> dict[str, str]:
        """Return the key in `to_dict` of each field but the bias, the name of the instance first.

        That one is not compared and has the key "label".
        """
        entries = sorted(fields(cls), key=lambda entry: entry.compare)
        names = {entry.name: entry.name if entry.compare else "label" for entry in entries}
        del names["bias_name"]
        return names

    def to_dict(self) -> dict[str, Any]:
        """Return the whole instance and its settings (not the bias) as JSON-able data."""
        return {key: _plain(getattr(self, name)) for name, key in self._keys().items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild the problem from `to_dict`.

        Raises
        ------
        InputError
            If something is missing or malformed.
        """
        try:
            return cls(**{name: data[key] for name, key in cls._keys().items()})
        except (KeyError, TypeError) as error:
            raise InputError(f"not the data of {cls.__name__}: {error!r}") from None

    @cached_property
    def _identity(self) -> tuple[str, str, str]:
        return self.name, self.digest, self.bias_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NativeProblem):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of `to_dict` without the label, 64 hexadecimal digits."""
        data = {key: value for key, value in self.to_dict().items() if key != "label"}
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @abstractmethod
    def core(self) -> Any:
        """Return the native problem that `nestor._core` searches."""

    @abstractmethod
    def solution(self, moves: Sequence[Any]) -> Solution:
        """Decode a complete sequence of moves (as `moves` gives them, or their JSON form).

        Raises
        ------
        InputError
            If the moves have the wrong form for this problem.
        """

    def natural(self, score: float) -> float:
        """Return the natural score that belongs to an engine score, and the other way round."""
        return score if self.sense == "max" else -score

    def show_score(self, score: float) -> str:
        """Return a natural score as people write it."""
        from nestor.text import format_score

        return format_score(score)

    @abstractmethod
    def initial(self) -> Any:
        """Return the root state."""

    @abstractmethod
    def moves(self, state: Any) -> Sequence[Any]:
        """Return the legal moves in their fixed order; empty if and only if terminal."""

    @abstractmethod
    def play(self, state: Any, move: Any) -> Any:
        """Return the state after a legal move."""

    @abstractmethod
    def score(self, state: Any) -> float:
        """Return the engine score of a terminal state, higher is better."""

    @abstractmethod
    def code(self, state: Any, move: Any) -> Hashable:
        """Return the key of the move in the policy."""

    def prior_code(self, state: Any, move: Any) -> int:
        """Return the number under which a learned prior counts the move: the core's, exactly.

        It is the number of the policy's code, unless the problem has a more general code of its own
        for priors (learned-prior-2024, section 3).
        """
        return int(self.code(state, move))  # type: ignore[call-overload, no-any-return]

    def bias(self, state: Any, move: Any) -> float:
        """Return beta of the move under the bias in force."""
        return 0.0

    def choose(self, state: Any, random: Iterator[float]) -> Any:
        """Return the next move of a playout with the problem's own policy, from a state with moves.

        Raises
        ------
        NotImplementedError
            If the problem has no such policy: `policies` is empty.
        """
        raise NotImplementedError(f"{self.name} has no playout policy of its own")


def _plain(value: Any) -> Any:
    """Return the value of a field as JSON-able data."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value
