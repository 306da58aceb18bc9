"""How moves are biased."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from nestor.checks import check_positive
from nestor.errors import InputError
from nestor.prior import Prior


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
        check_positive("prior_temperature", self.prior_temperature)
        if self.smoothing != 0:
            check_positive("smoothing", self.smoothing)
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
