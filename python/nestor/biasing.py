"""How moves are biased."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nestor.errors import InputError
from nestor.prior import Prior
from nestor.problem import Problem, Rebiased
from nestor.problems.base import NativeProblem
from nestor.settings import Number, Positive, Settings, Text, setting


@dataclass(frozen=True)
class PriorOrName:
    """A prior, or its name or file."""

    type: ClassVar[str] = "Prior or str"
    range: ClassVar[str] = ""
    metavar: ClassVar[str] = "NAME|FILE"

    def check(self, name: str, value: Any) -> None:
        """Check the value."""
        if not isinstance(value, Prior | str):
            raise InputError(f"{name} must be a Prior, its name or file, not {value!r:.80}")

    def read(self, text: str) -> str:
        """Read a name or file."""
        return text


@dataclass(frozen=True, kw_only=True)
class Biasing(Settings):
    """How moves are biased: by one of the problem's biases or by a learned prior.

    If the weights of biases are learned, there may be several.
    """

    bias: str | tuple[str, ...] | None = setting(
        None,
        Text(),
        'Name of one of the problem\'s biases (beta), or "none". None for the default bias of the '
        "problem. If weights of biases are learned, there may be several names.",
        one_per="bias",
        optional=True,
        none="the problem's own",
        core=False,
        printed=False,
        basic=True,
    )
    prior: Prior | str | None = setting(
        None,
        PriorOrName(),
        "A learned prior in place of a bias. If weights of biases are learned, it may also stand "
        "beside the biases named.",
        optional=True,
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
        if isinstance(self.bias, tuple):
            if "none" in self.bias:
                raise InputError(
                    f"several biases must be names, 'none' not among them, not {self.bias!r:.80}"
                )
            if len(set(self.bias)) != len(self.bias) or len(self.bias) < 2:
                raise InputError(
                    f"several biases must be two or more, all different, not {self.bias!r:.80}"
                )
            if not self.learns_weights:
                raise InputError("several biases need bias_learning, which learns their weights")
        if self.prior is not None and self.bias not in (None, "none") and not self.learns_weights:
            raise InputError(f"prior takes the place of a bias: not both it and {self.bias!r}")

    @property
    def learns_weights(self) -> bool:
        """Whether the weights of biases are learned, so that there may be several."""
        return False

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


def bias_methods(problem: Problem[Any, Any]) -> tuple[str, ...]:
    """Return the names of a problem's methods that bias moves, the default one first.

    They are those in its attribute ``biases``, otherwise ``bias`` if there is such a method. A
    problem that comes with Nestor has that one, for the bias in force.
    """
    named = None if isinstance(problem, NativeProblem) else getattr(problem, "biases", None)
    if named is not None:
        return tuple(named)
    return ("bias",) if callable(getattr(problem, "bias", None)) else ()


def check_bias_methods(problem: object) -> None:
    """Check the attribute ``biases`` of a problem, if it has one.

    Raises
    ------
    InputError
        If it is no sequence of different names, or names what is no method.
    """
    named = getattr(problem, "biases", None)
    if named is None or isinstance(problem, NativeProblem):
        return
    names = tuple(named) if isinstance(named, tuple | list) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise InputError(f"biases of the problem must be a tuple of names, not {named!r:.80}")
    if len(set(names)) != len(names) or "none" in names:
        raise InputError(
            f"biases of the problem must be different names other than 'none', not {names!r:.80}"
        )
    missing = [name for name in names if not callable(getattr(problem, name, None))]
    if missing:
        raise InputError(
            f"biases of the problem must be names of its methods; {type(problem).__name__} has no "
            f"{', '.join(missing)}"
        )


@dataclass(frozen=True, eq=False)
class WithBiases(Rebiased):
    """A problem whose moves have several biases, with learned weights: any problem, in Python.

    The twin of what the core searches then.

    Attributes
    ----------
    problem : Problem
    betas : sequence of callable
        The methods that give the biases of a move, called with a state and a move.
    """

    betas: Sequence[Callable[[Any, Any], float]]


def betas_of(problem: Problem[Any, Any]) -> Sequence[Callable[[Any, Any], float]]:
    """Return what gives the biases in force of a move, called with a state and the move.

    It is one, the default bias, unless the problem is `WithBiases`.
    """
    if isinstance(problem, WithBiases):
        return problem.betas
    names = bias_methods(problem)
    return [getattr(problem, names[0]) if names else lambda state, move: 0.0]
