"""How moves are biased."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nestor.batch_bias import BatchBias
from nestor.checks import shown
from nestor.errors import InputError
from nestor.prior import Prior, WithPrior
from nestor.problem import Problem, SameRules
from nestor.problems.base import BaseProblem
from nestor.problems.own import adapt
from nestor.settings import Kind, Number, Positive, Settings, Text, optional, setting


class PriorOrName(Kind):
    """A prior, or its name or file."""

    type, metavar = "Prior or str", "NAME|FILE"

    def check(self, name: str, value: Any) -> Prior | str:
        """Return the value."""
        if not isinstance(value, Prior | str):
            raise InputError(f"{name} must be a Prior, its name or file, not {shown(value)}")
        return value


class NameOfBias(Text):
    """The name of a bias. A model is refused later, with what it goes with."""

    def check(self, name: str, value: Any) -> Any:
        """Return the value."""
        if isinstance(value, Mapping):
            return BatchBias.from_dict(value)
        if callable(value) and not isinstance(value, BatchBias):
            raise InputError(
                f"{name} must be a string or a nestor.BatchBias, which takes a function such as "
                f"{shown(value)}"
            )
        return value if isinstance(value, BatchBias) else super().check(name, value)


class NameOrModel(NameOfBias):
    """The name of a bias, or a model."""

    type = "str or BatchBias"


NAMED = (
    'Name of one of the problem\'s biases (beta), or "none". None for the default bias of the '
    "problem. With `bias_learning` of GNRPA there may be several names."
)


@dataclass(frozen=True, kw_only=True)
class BiasSettings(Settings):
    """How moves are biased: by one of the problem's biases, by a learned prior or by a model.

    If the weights of biases are learned, there may be several.
    """

    asks_models: ClassVar[bool] = False
    """Whether a `BatchBias` may give the biases, unless their weights are learned."""

    bias: str | tuple[str, ...] | BatchBias | None = optional(
        NameOfBias(),
        NAMED,
        one_per="bias",
        none="the problem's own",
        core=False,
        printed=False,
    )
    prior: Prior | str | None = optional(
        PriorOrName(),
        "A learned prior in place of a bias. With `bias_learning` of GNRPA it may also stand "
        "beside the biases named.",
        core=False,
        printed=False,
        source="learned-prior-2024",
    )
    prior_temperature: float = setting(
        1.0,
        Positive(),
        "Weight of the prior. beta = prior_temperature * ln(count / nb).",
        needs="prior",
        core=False,
    )
    smoothing: float = setting(
        0.0,
        Number(0, 1_000_000),
        "Laplace smoothing of the prior. See `Prior.betas`.",
        needs="prior",
        core=False,
    )

    def _check(self) -> None:
        super()._check()
        if self.guide is not None and (self.learns_weights or not self.asks_models):
            raise InputError(
                "bias: a BatchBias guides playouts that share a policy: those of GNRPA, without "
                "bias_learning"
            )
        if isinstance(self.bias, tuple):
            if any(isinstance(each, BatchBias) for each in self.bias):
                raise InputError("bias: a BatchBias cannot be combined with other biases")
            if "none" in self.bias:
                raise InputError(
                    f"bias: several biases must be names other than 'none', not {self.bias!r:.80}"
                )
            if len(set(self.bias)) != len(self.bias) or len(self.bias) < 2:
                raise InputError(
                    "bias: several biases must be two or more, all different, "
                    f"not {self.bias!r:.80}"
                )
            if not self.learns_weights:
                raise InputError(
                    "bias: several biases need bias_learning of GNRPA, which learns their weights"
                )
        if self.prior is not None and self.bias not in (None, "none") and not self.learns_weights:
            raise InputError(f"prior takes the place of a bias: not both it and {self.bias!r:.80}")

    @property
    def guide(self) -> BatchBias | None:
        """The model that gives the biases, if one does."""
        return self.bias if isinstance(self.bias, BatchBias) else None

    @property
    def learns_weights(self) -> bool:
        """Whether the weights of biases are learned, so that there may be several."""
        return False

    @property
    def bias_settings(self) -> BiasSettings:
        """These settings."""
        return self

    @property
    def prior_name(self) -> str:
        """How results name the prior."""
        return f"prior {self.prior.name if isinstance(self.prior, Prior) else self.prior}"

    def betas(self, family: str) -> dict[Hashable, float]:
        """Return the bias that the prior gives to each prior code; empty without a prior.

        Raises
        ------
        InputError
            If there is no such prior, or it is for another problem family.
        """
        if self.prior is None:
            return {}
        prior = Prior.load(self.prior) if isinstance(self.prior, str) else self.prior
        if prior.problem != family:
            name = self.prior if isinstance(self.prior, str) else prior.name
            told = f"prior {name!r} is for {prior.problem}, not for {family}"
            if ":" in prior.problem and ":" in family:
                told += (
                    ": a prior is for one class; learn_prior([(problem, moves), ...]) also takes "
                    "solutions that another class found, with a problem of this one"
                )
            raise InputError(told)
        return prior.betas(self.prior_temperature, self.smoothing)


def in_force(
    problem: BaseProblem, settings: BiasSettings
) -> tuple[list[str], dict[Hashable, float]]:
    """Return the names of the problem's biases in force, and the bias by prior code.

    Both are empty if a model gives the biases.

    Raises
    ------
    InputError
        If the problem has no such bias, or there is no such prior for it.
    """
    betas = settings.betas(problem.name)
    bias = settings.bias
    if isinstance(bias, BatchBias):
        return [], {}
    if bias is not None:
        names = bias if isinstance(bias, tuple) else (bias,)
    else:
        names = () if betas else problem.default_biases(settings.learns_weights)
    for name in names:
        problem.check_bias(name)
    return [name for name in names if name != "none"], betas


@dataclass(frozen=True, eq=False)
class WithBiases(SameRules):
    """A problem whose moves have several biases, in Python: the twin of what the core searches.

    Attributes
    ----------
    problem : Problem
    betas : sequence of callable
        The methods that give the biases of a move, called with a state and a move.
    """

    betas: Sequence[Callable[[Any, Any], float]]


def in_python(
    problem: BaseProblem, names: Sequence[str], betas: Mapping[Hashable, float]
) -> WithBiases:
    """Return the twin of what the core searches; the arguments are those of `BaseProblem.cores`."""
    methods = [problem.beta(name) for name in names]
    if betas:
        methods.append(WithPrior(problem.original, betas).bias)
    return WithBiases(problem.original, methods or [lambda state, move: 0.0])


def betas_of(problem: Problem[Any, Any]) -> Sequence[Callable[[Any, Any], float]]:
    """Return the methods that give the biases in force, called with a state and a move.

    There is one, the default bias, unless the problem is `WithBiases`.
    """
    if isinstance(problem, WithBiases):
        return problem.betas
    names = adapt(problem).bias_methods
    return [getattr(problem, names[0]) if names else lambda state, move: 0.0]
