"""Search by counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nestor.algorithms.base import Algorithm
from nestor.biases import BiasSettings
from nestor.errors import InputError
from nestor.problems.base import BaseProblem
from nestor.settings import Integer, described, setting


@described
@dataclass(frozen=True)
class Counterexamples(Algorithm):
    """Search by counterexamples, for problems that can say why a sequence fails.

    A sequence that fails has a reason, which holds for other sequences as well. The search keeps
    these reasons. It changes a sequence until it contradicts none of them, and only then evaluates
    it; if it fails, there is one more reason. A playout is an evaluation of a whole sequence. There
    is no policy.

    That is RNA design: the reasons are misfolds (``docs/rna.md``), and bases are drawn as the
    default bias of the problem says. Older files also have it for Latin squares and Kakuro, where
    it is `LocalSearch` under another name.
    """

    name: ClassVar[str] = "counterexamples"
    plays: ClassVar[bool] = False
    no_strength: ClassVar[str] = "it has no policy"
    core_name: ClassVar[str] = "local_search"
    example: ClassVar[str] = "rna '((((....))))'"
    patience: int = setting(
        200,
        Integer(1, 10**9),
        "Evaluations in a row without a better sequence after which a new one is drawn.",
    )

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that the problem says why a sequence fails."""
        if not (problem.repairs or (problem.improver and problem.change == "decisions")):
            raise InputError(
                f"{self.name} is for problems that say why a sequence fails (RNA), not for "
                f"{problem.label or problem.name}"
            )

    @property
    def bias_settings(self) -> BiasSettings:
        """The default bias of the problem."""
        return BiasSettings()

    def core(self) -> dict[str, Any]:
        """Return the settings by name, as the core takes them."""
        settings = super().core()
        settings["evaluations"] = settings.pop("patience")
        return settings
