"""Generalized NRPA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from nestor.algorithms.base import Tempered
from nestor.algorithms.nrpa import NRPA
from nestor.batch_bias import BatchBias
from nestor.biases import NAMED, BiasSettings, NameOrModel
from nestor.errors import InputError
from nestor.problems.base import BaseProblem
from nestor.settings import Number, Positive, described, setting, with_default


@described
@dataclass(frozen=True)
class GNRPA(Tempered, NRPA):
    """Generalized NRPA: a temperature and a bias (gnrpa-2020, algorithms 4 to 6).

    Move k is played with probability proportional to exp(w_k / temperature + beta_k), and
    w_k -= alpha / temperature * (p_k - delta_k). With temperature 1 and no bias it is NRPA. Beta is
    added: the greater it is, the likelier the move, so a cost enters with a minus sign.

    Notes
    -----
    With `bias_learning` the bias of a move is the sum of v_k * beta_k over the biases k, where
    beta_k comes from the problem or the prior and v_k is learned along with the policy (BLGNRPA).
    With each adapt of a level, v_k += bias_learning * (beta_k of the move played - sum of p_m *
    beta_k of m over the legal moves m), summed over the steps of the sequence, where p is the
    probability under the policy before it adapts. Each level has its own v, as it has its own
    policy, and returns none. It is a gradient: v_k may become 0, where the bias says nothing, and
    negative, where moves of less bias are preferred. It stays within -10^6 and 10^6. A move that
    one of the biases forbids (-inf) stays forbidden. A policy that children share adapts v, too, as
    `width_rate` says. By default all biases of a user's own problem are then in force.
    """

    name: ClassVar[str] = "gnrpa"
    asks_models: ClassVar[bool] = True
    _: KW_ONLY
    bias: str | tuple[str, ...] | BatchBias | None = with_default(
        BiasSettings,
        "bias",
        None,
        kind=NameOrModel(),
        help=f"{NAMED} A `BatchBias` is a model that gives the biases.",
    )
    bias_learning: float | None = setting(
        None,
        Positive(),
        "Learn the weights of the biases, with this learning rate, such as 0.01. None keeps the "
        "weight of the one bias at 1. See the notes.",
        optional=True,
        source="BLGNRPA, Sentuc et al., LION 2023",
    )
    bias_weight: float | tuple[float, ...] = setting(
        1.0,
        Number(-1000, 1000),
        "First weight of all biases, or of each bias in the order of `bias`, the prior last. Where "
        "a bias may mislead, begin with 0: with the biases of TSPTW (up to 10) learning rates of "
        "0.003 to 0.01 did well.",
        one_per="bias",
        needs="bias_learning",
    )

    def _check(self) -> None:
        super()._check()
        if self.bias_learning is not None:
            if self.bias == "none" and self.prior is None:
                raise InputError("bias_learning needs a bias or a prior, not the bias 'none'")
        elif self.bias_weight != 1:
            raise InputError("bias_weight is where bias_learning begins: give that, too")

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that there are biases whose weights can be learned, and as many as weights."""
        super().check_fits(problem, biases)
        if self.bias_learning is None:
            return
        if not biases:
            raise InputError(
                f"bias_learning needs a bias or a prior: {problem.name} has none by default"
            )
        weights = self.bias_weight
        if isinstance(weights, tuple) and len(weights) != len(biases):
            raise InputError(
                "bias_weight must be a number, or one for each of the biases "
                f"{', '.join(biases)}; it has {len(weights)}"
            )

    @property
    def learns_weights(self) -> bool:
        """Whether the weights of biases are learned, so that there may be several."""
        return self.bias_learning is not None

    @property
    def first_bias_weights(self) -> tuple[float, ...] | None:
        """The first weights of the biases, one for all or one for each; None if not learned."""
        if self.bias_learning is None:
            return None
        return self.bias_weight if isinstance(self.bias_weight, tuple) else (self.bias_weight,)
