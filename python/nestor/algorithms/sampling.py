"""Sampling, and how algorithms that learn nothing play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from nestor.algorithms.base import Algorithm
from nestor.biases import BiasSettings
from nestor.errors import InputError
from nestor.problems import PROBLEMS
from nestor.problems.base import BaseProblem
from nestor.settings import Text, described, setting, with_default


@dataclass(frozen=True, kw_only=True)
class Unlearned(BiasSettings, Algorithm):
    """What the algorithms that learn no policy have in common: how they play."""

    core_name: ClassVar[str] = "nmcs"
    no_strength: ClassVar[str] = "it has no policy"
    playout_policy: str | None = setting(
        None,
        Text(),
        "Play with a policy of the problem's own, in place of bias and prior. Morpion Solitaire "
        'has one, "tuned" (nrpa-2011, figure 6).',
        optional=True,
        formerly="policy",
    )
    bias: str | tuple[str, ...] | None = with_default(BiasSettings, "bias", "none")

    def _check(self) -> None:
        super()._check()
        if self.playout_policy is not None and (self.bias != "none" or self.prior is not None):
            other = self.bias if self.prior is None else self.prior
            raise InputError(
                f"playout_policy takes the place of bias and prior: not both it and {other!r}"
            )

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that the problem supplies the playout policy."""
        super().check_fits(problem, biases)
        if self.playout_policy is None or self.playout_policy in problem.policies:
            return
        known = [f"{p!r} for {name}" for name, kind in PROBLEMS.items() for p in kind.policies]
        raise InputError(
            f"playout_policy must be {', '.join(known)}; {problem.name} has no "
            f"{self.playout_policy!r}"
        )


@described
@dataclass(frozen=True)
class Sampling(Unlearned):
    """Independent playouts: the level 0 of every nested search.

    Without policy, bias and prior all moves are equally likely.
    """

    name: ClassVar[str] = "sampling"
    no_exchange: ClassVar[str] = "sampling has no level that could take over a sequence"
