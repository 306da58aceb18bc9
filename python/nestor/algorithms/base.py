"""What algorithms have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar, Self

from nestor.batch_bias import BatchBias
from nestor.biases import BiasSettings
from nestor.errors import InputError
from nestor.prior import Prior, shipped
from nestor.problems.base import BaseProblem
from nestor.settings import Integer, Positive, Settings, describe, setting, settings_of

LEVEL = Integer(1, 20)
"""The deepest nesting: with 2 iterations per level, level 20 is a million playouts."""
LARGEST_RATE = 1e30
"""The largest step of a weight: far beyond it sums of weights are no longer numbers."""


@dataclass(frozen=True)
class Algorithm(Settings):
    """What all algorithms have in common.

    A class has its settings as fields (see `nestor.settings`). All else is derived from them.
    """

    name: ClassVar[str]
    """Name on the command line and in results."""
    core_name: ClassVar[str] = ""
    """Name of the search in the core; empty if it is none of the core's."""
    example: ClassVar[str] = "morpion 5D"
    """A problem that it suits, as `nestor solve` takes it."""
    reference: ClassVar[str | None] = None
    """Module and name of a user's own algorithm, as the command line takes them."""
    plays: ClassVar[bool] = True
    """Whether each of its playouts is a game played from the first move."""
    resumable: ClassVar[bool] = True
    """Whether it has a state that can be saved."""
    keeps_fronts: ClassVar[bool] = False
    """Whether it looks for the front of several objectives."""
    chooses: ClassVar[bool] = False
    """Whether it only chooses the algorithm that searches."""
    alone: ClassVar[bool] = False
    """Whether one job on all threads does more than a job on each."""
    counts_together: ClassVar[bool] = False
    """Whether its jobs take turns, so that the time of each is that of all."""
    no_exchange: ClassVar[str] = ""
    """Why its jobs take nothing over from each other; empty if they do."""
    no_strength: ClassVar[str] = ""
    """Why nothing adapts to a sequence from outside; empty if something does."""

    def _check(self) -> None:
        super()._check()
        for level in self.levels():
            for name, each in settings_of(self).items():
                each.check_level(name, level)

    @property
    def bias_settings(self) -> BiasSettings:
        """How moves are biased."""
        return BiasSettings(bias="none")

    def levels(self) -> list[SimpleNamespace]:
        """Return the settings of each level, from level 1 upwards."""
        level = getattr(self, "level", 0)
        settings = {
            name: each.at_levels(name, getattr(self, name), level)
            for name, each in settings_of(self).items()
            if each.of
        }
        return [
            SimpleNamespace(**{name: values[number] for name, values in settings.items()})
            for number in range(level)
        ]

    def unreached(self, playouts: int) -> int | None:
        """Return the lowest level of which so many playouts of a job make no whole iteration.

        None if there is none, or if nobody knows: with `repetitions` levels end early.
        """
        needed = 1
        for number, level in enumerate(self.levels(), 1):
            if playouts < needed:
                return number
            if getattr(level, "repetitions", None) is not None:
                return None
            needed *= getattr(level, "iterations", 0)
        return None

    def core(self) -> dict[str, Any]:
        """Return the settings by name, as the core takes them."""
        levels = [vars(level) for level in self.levels()]
        settings: dict[str, Any] = {"name": self.core_name, "levels": levels}
        for name, each in settings_of(self).items():
            if each.core and not each.of:
                value = getattr(self, name)
                one = each.one_per and not isinstance(value, tuple)
                settings[name] = (value,) if one else value
        return settings

    @property
    def raced(self) -> Sequence[Algorithm] | None:
        """The algorithms that it races, each on each variant of the problem."""
        return None

    @property
    def raced_improver(self) -> Algorithm | None:
        """What improves the best sequence of those that it races."""
        return None

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that it goes with a problem that has these biases in force.

        Raises
        ------
        InputError
            If it does not.
        """

    @property
    def guides(self) -> list[BatchBias]:
        """The models that give its biases, or those of a race."""
        guide = self.bias_settings.guide
        raced = [guide for each in self.raced or () for guide in each.guides]
        return raced if guide is None else [guide, *raced]

    @property
    def isolated(self) -> bool:
        """Whether a model wants the search in a separate process."""
        return any(guide.isolated for guide in self.guides)

    @property
    def has_code(self) -> bool:
        """Whether it can search: a file may tell of an algorithm whose code is not here."""
        return all(guide.has_code for guide in self.guides)

    @property
    def prior_data(self) -> Any:
        """The prior as JSON-able data, or those of a race."""
        prior = self.bias_settings.prior
        return prior.to_dict() if isinstance(prior, Prior) else None

    @property
    def prior_digest(self) -> Any:
        """What tells its prior from others, or those of a race; None if its name says all.

        Raises
        ------
        InputError
            If its file cannot be read.
        """
        prior = self.bias_settings.prior
        if prior is None or prior in shipped():
            return None
        loaded = Prior.load(prior) if isinstance(prior, str) else prior
        try:
            return loaded.digest
        except InputError:  # Its codes have no JSON form.
            return None

    def same_priors(self, data: Any) -> bool:
        """Whether its priors have the counts of `prior_data`; those known by name have."""
        prior = self.bias_settings.prior
        if data is None or not isinstance(prior, Prior):
            return True
        return prior.digest == Prior.from_dict(data).digest

    def with_priors(self, data: Any) -> Self:
        """Return it with the priors of `prior_data`."""
        return self if data is None else replace(self, prior=Prior.from_dict(data))  # type: ignore[call-arg]

    def to_dict(self) -> dict[str, Any]:
        """Return name and settings as JSON-able data."""
        settings = {name: getattr(self, name) for name in settings_of(self)}
        if isinstance(settings.get("prior"), Prior):
            settings["prior"] = settings["prior"].name
        elif settings.get("prior", "") is None:
            for name in ("prior", "prior_temperature", "smoothing"):
                del settings[name]
        if isinstance(settings.get("bias"), BatchBias):
            settings["bias"] = settings["bias"].to_dict()
        return {"name": self.name, **settings}

    def describe(self) -> str:
        """Return name and settings in one line, without bias, prior and what has no effect.

        Examples
        --------
        >>> from nestor import NRPA
        >>> NRPA(level=2, iterations=(100, 50)).describe()
        'nrpa, level 2, iterations 100,50, alpha 1'
        """
        return ", ".join(filter(None, (self.name, describe(self))))


@dataclass(frozen=True)
class Adaptive(Algorithm):
    """What the algorithms that adapt a policy at each level have in common."""

    level: int = setting(
        3,
        LEVEL,
        "Levels of nesting. Level 0 is a playout (`Sampling`). One search has as many playouts as "
        "the product of all iterations.",
        core=False,
        basic=True,
    )
    iterations: int | tuple[int, ...] = setting(
        100,
        Integer(1, 10**15),
        "Iterations (N) of all levels, or of each level from level 1 upwards.",
        of="all levels",
        one_per="level",
        basic=True,
        source="nrpa-2011, figure 2",
    )
    alpha: float | tuple[float, ...] = setting(
        1.0,
        Positive(),
        "Learning rate of all levels, or of each level from level 1 upwards. It is the step of the "
        "gradient.",
        of="all levels",
        one_per="level",
        source="nrpa-2011, figure 2",
    )

    def _check(self) -> None:
        super()._check()
        temperature = getattr(self, "temperature", 1.0)
        for level in self.levels():
            rate(level.alpha, temperature)


@dataclass(frozen=True)
class Tempered(BiasSettings):
    """What the algorithms whose policy has a temperature and a bias have in common."""

    temperature: float = setting(
        1.0, Positive(), "Temperature of the policy (tau).", source="gnrpa-2020, section 4"
    )


def rate(alpha: float, temperature: float) -> float:
    """Return alpha / temperature^2, the step of the gradient: weights are divided by temperature.

    Raises
    ------
    InputError
        If the temperature is so small that weights would not be numbers.
    """
    square = temperature * temperature
    if square == 0 or alpha / square > LARGEST_RATE:
        raise InputError(f"temperature must not be as small as {temperature}")
    return alpha / square
