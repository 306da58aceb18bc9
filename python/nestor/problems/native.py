"""What the problems that come with Nestor have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cached_property
from importlib import import_module
from typing import Any, Self

from nestor import _core
from nestor.batch_bias import BatchBias
from nestor.checks import as_mapping, check_text
from nestor.errors import InputError, errors_of
from nestor.picture import Picture
from nestor.problem import InCore, Problem, hashable
from nestor.problems.base import BaseProblem, Cores, canonical, digest_of
from nestor.problems.core import numbered, replayed
from nestor.problems.fields import Checked
from nestor.settings import check_settings
from nestor.text import clipped

SHORT = 100
"""The most letters of a problem's `repr`."""

RULES = ("initial", "moves", "play", "score", "code", "bias", "biases")
"""What a subclass of a user cannot change."""


@dataclass(frozen=True, eq=False, repr=False)
class NativeProblem(BaseProblem, InCore, Problem[Any, Any]):
    """A problem whose rules run in the core, with a readable twin of them in Python.

    A subclass is a dataclass of its instance: fields that are `given` as arguments, settings
    (`nestor.settings.setting`), and a `title`, which is not a part of the instance. Two
    problems are equal if they have the same instance, settings and bias.

    The twin (`initial`, `moves`, `play`, `score`, `code`, `bias`) is the oracle of the tests:
    the same moves in the same order, equal codes exactly where the core's codes are equal, and the
    same bias and engine score (higher is better) to the last bit. `play` never changes a state and
    returns the next one.
    """

    bias_methods = ("bias",)
    benchmarked = True
    default_bias = "none"
    """The bias that GNRPA uses by default."""

    bias_name: str = field(default="none", kw_only=True)
    """The bias in force."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = [name for name in RULES if name in vars(cls)]
        if own and not cls.__module__.startswith("nestor."):
            raise InputError(
                f"{cls.__name__}.{own[0]} would not be used: the core plays "
                f"{cls.__mro__[1].__name__} by its own rules. Write a class that is not derived "
                "from it; a bias alone can be a BatchBias, for GNRPA(bias=...)"
            )

    def __post_init__(self) -> None:
        check_settings(self)
        for entry in fields(self):
            if check := entry.metadata.get("given"):
                value = getattr(self, entry.name)
                kept = value.value if isinstance(value, Checked) else check(self, value)
                object.__setattr__(self, entry.name, kept)
        self._check_bias()

    def _check_bias(self) -> None:
        if isinstance(self.bias_name, BatchBias):
            raise InputError("bias must be a string: GNRPA(bias=...) takes a BatchBias")
        check_text("bias", self.bias_name)
        self.check_bias(self.bias_name)

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

    @classmethod
    def _keys(cls) -> dict[str, str]:
        """Return the key in `to_dict` of each field except the bias; the instance name is first.

        The name is not compared and has the key "label".
        """
        entries = sorted(fields(cls), key=lambda entry: entry.compare)
        names = {entry.name: entry.name if entry.compare else "label" for entry in entries}
        del names["bias_name"]
        return names

    def to_dict(self) -> dict[str, Any]:
        """Return the whole instance and its settings (not the bias) as JSON-able data."""
        return {
            key: value.tolist() if hasattr(value, "tolist") else value
            for key, value in self._kept().items()
        }

    def _kept(self) -> dict[str, Any]:
        """Return what `to_dict` tells, with arrays as they are."""
        left_out = {e.name for e in _extras(self) if _is_same(getattr(self, e.name), e.default)}
        return {
            key: _plain(getattr(self, name))
            for name, key in self._keys().items()
            if name not in left_out
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild the problem from `to_dict`.

        Raises
        ------
        InputError
            If something is missing or malformed.
        """
        data = as_mapping("data", data)
        left_out = {entry.name for entry in _extras(cls) if entry.name not in data}
        keys = {name: key for name, key in cls._keys().items() if name not in left_out}
        try:
            return cls(**{name: data[key] for name, key in keys.items()})
        except (KeyError, TypeError) as error:
            raise InputError(f"not the data of {cls.__name__}: {error!r}") from None

    @property
    def bias_in_force(self) -> tuple[str, ...]:
        """The name of the bias; empty for none."""
        return () if self.bias_name == "none" else (self.bias_name,)

    @property
    def identity(self) -> tuple[str, str, str]:
        """Name, digest and bias."""
        return self.name, self.digest, self.bias_name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BaseProblem):
            return NotImplemented
        return self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        kind, given = type(self).__name__, [e for e in fields(self) if not _is_default(self, e)]
        call = f"{kind}({', '.join(_argument(self, entry) for entry in given)})"
        if len(call) <= SHORT and "\n" not in call:
            return call
        settings = (_argument(self, e) for e in given if "setting" in e.metadata and e.compare)
        named = dict.fromkeys((self.label, self.extent))
        return f"<{clipped(f'{kind}: ' + ', '.join([*named, *settings]), 1, SHORT)}>"

    @property
    @abstractmethod
    def extent(self) -> str:
        """How large the instance is, in a few words."""

    @property
    def label(self) -> str:
        """A short name of the instance."""
        return getattr(self, "title", "") or self.extent

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of `to_dict` without the label, 64 hexadecimal digits."""
        kept = self._kept()
        kept.pop("label", None)
        return digest_of(canonical(kept))

    def to_json(self) -> Iterator[bytes]:
        """Yield the text of `to_dict` as JSON, part by part."""
        return canonical(self._kept())

    @property
    def core_name(self) -> str:
        """The name of its rules in the core."""
        return self.name

    def core(self) -> _core.Problem:
        """Return the problem as `nestor._core` searches it.

        Raises
        ------
        InputError
            If the core refuses what the checks of the fields let through.
        """
        with errors_of(f"{self.name} {self.label}", ValueError):
            return _core.Problem(self.core_name, self.core_settings())

    def core_settings(self) -> dict[str, Any]:
        """Return the settings by name from which the core makes the problem."""
        settings = {key: value for key, value in self.to_dict().items() if key != "label"}
        return settings | ({"bias": self.bias_name} if len(self.biases) > 1 else {})

    def default_biases(self, learned: bool) -> tuple[str, ...]:
        """Return the default bias."""
        return (self.default_bias,)

    def cores(self, biases: Sequence[str], betas: Mapping[Hashable, float]) -> Cores:
        """Return what the core searches."""
        first, *others = (self.with_bias(bias).core() for bias in biases or ["none"])
        return Cores(first, others, numbered(betas))

    def beta(self, bias: str) -> Callable[[Any, Any], float]:
        """Return the method that gives a bias."""
        return self.with_bias(bias).bias

    def count_codes(self, moves: Sequence[Any], where: str) -> list[tuple[Hashable, int, int]]:
        """Return how often each prior code was chosen by moves, and how often it was legal.

        All moves count as legal if one of these is left out by the settings.
        """
        read = list(map(hashable, moves))
        try:
            return replayed(self.name, self.core(), read, where)
        except InputError:
            if self.unpruned is self:
                raise
            return replayed(self.name, self.unpruned.core(), read, where)

    def core_moves(self, moves: Sequence[Any], where: str) -> list[Any]:
        """Return moves as the core takes them, once they are known to be legal."""
        # Moves from JSON are lists in place of tuples.
        moves = [hashable(move) for move in moves]
        replayed(self.name, self.unpruned.core(), moves, where, count=False)
        return moves

    def frames(self, moves: Sequence[Any], counts: Sequence[int]) -> Iterator[Picture]:
        """Yield the pictures of `frames` in the module ``draw`` of the problem, if it has that."""
        draw = getattr(self._draw, "frames", None)
        return super().frames(moves, counts) if draw is None else draw(self, moves, counts)

    def beside(self, best: Any, moves: Sequence[Any]) -> Picture:
        """Return the picture of `beside` in that module, if it has that."""
        draw = getattr(self._draw, "beside", None)
        return super().beside(best, moves) if draw is None else draw(best, moves)

    @property
    def _draw(self) -> Any:
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.draw")

    @abstractmethod
    def score(self, state: Any) -> float:
        """Return the engine score of a terminal state, higher is better."""

    def code(self, state: Any, move: Any) -> Hashable:
        """Return the key of the move in the policy; by default the move itself."""
        return move  # type: ignore[no-any-return]

    def prior_code(self, state: Any, move: Any) -> int:
        """Return the number by which a learned prior counts the move, the same as in the core.

        It is the number of the policy's code, unless the problem has a more general code for priors
        (learned-prior-2024, section 3).
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
        raise NotImplementedError(f"{self.name} has no playout policy")


def _extras(problem: Any) -> list[Field[Any]]:
    """Return the fields that belong to the instance only if they differ from their default."""
    return [entry for entry in fields(problem) if "extra" in entry.metadata]


def _is_default(problem: Any, entry: Field[Any]) -> bool:
    """Whether a keyword-only field has its default, so that it need not be told."""
    return entry.kw_only and _is_same(getattr(problem, entry.name), entry.default)


def _is_same(value: Any, default: Any) -> bool:
    """Whether a value is the default and of its type: 1 == True."""
    return type(value) is type(default) and bool(value == default)


def _argument(problem: Any, entry: Field[Any]) -> str:
    """Return a field as an argument of the class."""
    return f"{entry.name}={getattr(problem, entry.name)!r}"


def _plain(value: Any) -> Any:
    """Return the value of a field with lists in place of tuples."""
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
