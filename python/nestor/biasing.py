"""How moves are biased."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from nestor.checks import check_positive
from nestor.errors import InputError
from nestor.prior import Prior
from nestor.problem import Problem, Rebiased
from nestor.problems.base import NativeProblem


@dataclass(frozen=True, kw_only=True)
class Biasing:
    """How moves are biased: by one of the problem's biases or by a learned prior.

    Where the weights of biases are learned, by several of these.

    Parameters
    ----------
    bias : str, sequence of str or None, default None
        Name of one of the problem's biases (beta), "none" for no bias, None for its default; with
        learned weights of biases also the names of several.
    prior : Prior, str or None, default None
        A learned prior, or its name or file, in place of a bias (learned-prior-2024); with learned
        weights of biases also beside those named.
    prior_temperature : float, default 1.0
        beta = prior_temperature * ln(count / nb); positive.
    smoothing : float, default 0.0
        Laplace smoothing of the prior; see `Prior.betas`.

    Raises
    ------
    InputError
        If a setting is out of range, or more than one bias or prior is given and no weights are
        learned.
    """

    bias: str | tuple[str, ...] | None = None
    prior: Prior | str | None = None
    prior_temperature: float = 1.0
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        check_positive("prior_temperature", self.prior_temperature)
        if self.smoothing != 0:
            check_positive("smoothing", self.smoothing)
        if isinstance(self.bias, Sequence) and not isinstance(self.bias, str):
            object.__setattr__(self, "bias", tuple(self.bias))
            self._check_several()
        if self.prior is None:
            return
        if not isinstance(self.prior, Prior | str):
            raise InputError(f"prior must be a Prior, its name or file, not {self.prior!r:.80}")
        if self.bias not in (None, "none") and not self.learns_weights:
            raise InputError(f"prior takes the place of a bias: not both it and {self.bias!r}")

    def _check_several(self) -> None:
        names = self.bias
        assert isinstance(names, tuple)
        if not all(isinstance(name, str) for name in names) or "none" in names:
            raise InputError(
                f"several biases must be names, 'none' not among them, not {names!r:.80}"
            )
        if len(set(names)) != len(names) or len(names) < 2:
            raise InputError(
                f"several biases must be two or more, all different, not {names!r:.80}"
            )
        if not self.learns_weights:
            raise InputError("several biases need bias_learning, which learns their weights")

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
