"""Polish, as a setting of the algorithms that adapt a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nestor.algorithms.base import Adaptive
from nestor.errors import InputError
from nestor.problems.base import BaseProblem
from nestor.settings import Flag, Integer, Number, setting

RETIRED = "orders are improved by nestor.LocalSearch(), which has nothing to tune"


@dataclass(frozen=True, kw_only=True)
class Polished(Adaptive):
    """What the algorithms that can polish have in common."""

    retired: ClassVar[dict[str, str]] = dict.fromkeys(("candidates", "pool", "stretch"), RETIRED)

    polish: bool = setting(
        False,
        Flag(),
        "Improve every result of level 1 by local search before level 2 takes it: single decisions "
        "are changed again and again, and what is not worse is kept. It is for problems that say "
        "that decisions may be changed (see docs/polish.md).",
    )
    tries: int = setting(
        4,
        Integer(1, 1_000_000),
        "Polish: how long to go on without a gain, in hundreds of tries.",
        needs="polish",
    )
    kick: float = setting(
        0.5,
        Number(0, 1),
        "Polish: the share of polishes that start from the best sequence of level 2, changed three "
        "times at random, instead of the result of level 1.",
        needs="polish",
    )

    def _check(self) -> None:
        super()._check()
        if self.polish and self.level < 2:
            raise InputError(f"polish needs level 2 or higher, not level {self.level}")

    def check_fits(self, problem: BaseProblem, biases: Sequence[str]) -> None:
        """Check that polish may change decisions of the problem, if it is asked for."""
        super().check_fits(problem, biases)
        if not self.polish or problem.change == "decisions":
            return
        polish = "polish changes single decisions"
        if problem.change != "none":
            raise InputError(
                f"{polish}; {problem.name} is improved by nestor.LocalSearch() in place of it"
            )
        own = ' (see docs/polish.md): its class may have an attribute change = "decisions"'
        raise InputError(
            f"{polish}, which {problem.name} does not allow" + own * (problem.reference is not None)
        )

    def core(self) -> dict[str, Any]:
        """Return the settings by name, as the core takes them."""
        settings = super().core()
        polish = {name: settings.pop(name) for name in ("tries", "kick")}
        if not settings.pop("polish"):
            return settings
        return {"name": "polished", "nested": settings, **polish}
