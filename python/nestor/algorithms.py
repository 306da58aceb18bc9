"""The algorithms as values: frozen dataclasses with the papers' names and defaults."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from nestor.errors import InputError
from nestor.prior import Prior

MAX_LEVEL = 20
"""The deepest nesting: with 2 iterations a level it is a million playouts."""


@dataclass(frozen=True)
class Algorithm(ABC):
    """What all algorithms have in common."""

    name: ClassVar[str]
    """Name on the command line and in results."""

    @abstractmethod
    def levels(self) -> list[tuple[int, float]]:
        """Return (iterations, rate) of each level from 1 upwards.

        The rate is alpha / temperature^2, the gradient step of weights kept as w / temperature.
        """

    def core(self) -> tuple[Any, ...]:
        """Return kind and settings as the core takes them."""
        return "nested", self.levels()

    @property
    def biasing(self) -> Biasing:
        """How moves are biased."""
        return Biasing(bias="none")

    def to_dict(self) -> dict[str, Any]:
        """Return name and settings as JSON-able data."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(settings.get("prior"), Prior):
            settings["prior"] = settings["prior"].name
        elif settings.get("prior", "") is None:
            for name in ("prior", "prior_temperature", "smoothing"):
                del settings[name]
        return {"name": self.name, **settings}


@dataclass(frozen=True, kw_only=True)
class Biasing:
    """How moves are biased: by one of the problem's biases or by a learned prior.

    Parameters
    ----------
    bias : str or None, default None
        Name of one of the problem's biases (beta), "none" for no bias, None for its default.
    prior : Prior, str or None, default None
        A learned prior, or its name or file, in place of a bias (learned-prior-2024).
    prior_temperature : float, default 1.0
        beta = prior_temperature * ln(count / nb); positive.
    smoothing : float, default 0.0
        Laplace smoothing of the prior; see `Prior.betas`.

    Raises
    ------
    InputError
        If a setting is out of range, or both a bias and a prior are given.
    """

    bias: str | None = None
    prior: Prior | str | None = None
    prior_temperature: float = 1.0
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        _check_positive("prior_temperature", self.prior_temperature)
        if self.smoothing != 0:
            _check_positive("smoothing", self.smoothing)
        if self.prior is None:
            return
        if not isinstance(self.prior, Prior | str):
            raise InputError(f"prior must be a Prior, its name or file, not {self.prior!r:.80}")
        if self.bias not in (None, "none"):
            raise InputError(f"prior takes the place of a bias: not both it and {self.bias!r}")

    @property
    def biasing(self) -> Biasing:
        """These settings."""
        return self

    def betas(self, family: str) -> dict[Hashable, float]:
        """Return the bias that the prior gives to each prior code; empty without a prior.

        Raises
        ------
        InputError
            If there is no such prior, or it is of another problem family.
        """
        if self.prior is None:
            return {}
        prior = Prior.load(self.prior) if isinstance(self.prior, str) else self.prior
        if prior.problem != family:
            raise InputError(f"prior {prior.name!r} is of {prior.problem}, not of {family}")
        return prior.betas(self.prior_temperature, self.smoothing)


@dataclass(frozen=True)
class Sampling(Biasing, Algorithm):
    """Independent playouts: the level 0 of every nested search.

    Parameters
    ----------
    bias : str or None, default "none"
        As of `Biasing`; playouts are uniform without bias and prior.
    prior, prior_temperature, smoothing
        As of `Biasing`.
    """

    name: ClassVar[str] = "sampling"
    bias: str | None = field(default="none", kw_only=True)

    def levels(self) -> list[tuple[int, float]]:
        """Return no level."""
        return []


@dataclass(frozen=True)
class NRPA(Algorithm):
    """Nested rollout policy adaptation (nrpa-2011, figure 2).

    Parameters
    ----------
    level : int, default 3
        Levels of nesting, 1 to 20 (level 0 is `Sampling`). One search is the product of all
        iterations in playouts.
    iterations : int or sequence of int, default 100
        N, of all levels or of each level from level 1 upwards; at least 1.
    alpha : float or sequence of float, default 1.0
        Step of the gradient, of all levels or of each level from level 1 upwards; positive.

    Raises
    ------
    InputError
        If a setting is out of range.
    """

    name: ClassVar[str] = "nrpa"
    level: int = 3
    iterations: int | tuple[int, ...] = 100
    alpha: float | tuple[float, ...] = 1.0

    def __post_init__(self) -> None:
        _check_level(self.level)
        object.__setattr__(self, "iterations", _per_level("iterations", self.iterations))
        object.__setattr__(self, "alpha", _per_level("alpha", self.alpha))
        for n in self._each(self.iterations):
            _check_integer("iterations", n, least=1, most=10**15)
        for alpha in self._each(self.alpha):
            _check_positive("alpha", alpha)

    def levels(self) -> list[tuple[int, float]]:
        """Return (iterations, alpha) of each level from 1 upwards."""
        return list(zip(self._each(self.iterations), self._each(self.alpha), strict=True))

    def _each(self, setting: Any) -> list[Any]:
        """Return the setting of every level from 1 upwards."""
        if not isinstance(setting, tuple):
            return [setting] * self.level
        if len(setting) != self.level:
            raise InputError(
                f"a setting per level needs {self.level} values for level {self.level}, "
                f"from level 1 upwards, not {len(setting)}: {setting}"
            )
        return list(setting)


@dataclass(frozen=True)
class GNRPA(Biasing, NRPA):
    """Generalized NRPA: a temperature and a bias (gnrpa-2020, algorithms 4 to 6).

    Move k is played with probability proportional to exp(w_k / temperature + beta_k), and
    w_k -= alpha / temperature * (p_k - delta_k). With temperature 1 and no bias it is NRPA.

    Parameters
    ----------
    level, iterations, alpha
        As of NRPA.
    temperature : float, default 1.0
        tau, positive.
    bias, prior, prior_temperature, smoothing
        As of `Biasing`.

    Raises
    ------
    InputError
        If a setting is out of range.
    """

    name: ClassVar[str] = "gnrpa"
    temperature: float = 1.0

    def __post_init__(self) -> None:
        NRPA.__post_init__(self)
        Biasing.__post_init__(self)
        _check_positive("temperature", self.temperature)

    def levels(self) -> list[tuple[int, float]]:
        """Return (iterations, alpha / temperature^2) of each level from 1 upwards."""
        square = self.temperature * self.temperature
        return [(iterations, alpha / square) for iterations, alpha in super().levels()]


ALGORITHMS: dict[str, type[Algorithm]] = {a.name: a for a in (Sampling, NRPA, GNRPA)}


def from_dict(data: dict[str, Any]) -> Algorithm:
    """Rebuild an algorithm from `Algorithm.to_dict`.

    Raises
    ------
    InputError
        If the name or a setting is unknown.
    """
    settings = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    name = settings.pop("name", None)
    if name not in ALGORITHMS:
        raise InputError(f"algorithm must be one of {', '.join(ALGORITHMS)}, not {name!r}")
    try:
        return ALGORITHMS[name](**settings)
    except TypeError as error:
        raise InputError(f"settings of {name}: {error}") from None


def _per_level(name: str, setting: Any) -> Any:
    """Return a sequence of settings as a tuple and anything else as it is."""
    if isinstance(setting, Sequence) and not isinstance(setting, str):
        return tuple(setting)
    return setting


def _check_level(level: object) -> None:
    _check_integer("level", level, least=1, most=MAX_LEVEL)


def _check_integer(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be an integer, not {value!r}")
    if not least <= value <= most:
        raise InputError(f"{name} must be {least} to {most}, not {value}")


def _check_positive(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} must be a number, not {value!r}")
    if not (0 < value <= 1e6 and math.isfinite(value)):
        raise InputError(f"{name} must be positive (at most 1e6), not {value}")
