"""Polish, as a setting of the algorithms that adapt a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nestor.algorithms.base import Adaptive
from nestor.errors import InputError
from nestor.settings import Flag, Integer, Number, setting


@dataclass(frozen=True, kw_only=True)
class Polished(Adaptive):
    """What the algorithms that can polish have in common."""

    polish: bool = setting(
        False,
        Flag(),
        "Improve every result of level 1 by local search before level 2 takes it. The order of its "
        "moves, or one of them, is changed again and again, and what is not worse is kept. It is "
        "for problems that say what may be changed (see docs/polish.md). Levels of 5 and 50 "
        "iterations are a good beginning.",
    )
    candidates: int = setting(
        12,
        Integer(1, 1000),
        "Polish of an order: the moves that may well follow a move (K). They are those that do in "
        "the last local optima, then those that the policy favours.",
        needs="polish",
    )
    tries: int = setting(
        4,
        Integer(1, 1_000_000),
        "Polish: how long to go on without a gain. It ends after this many tries for each "
        "candidate of each move; where single decisions change, after a hundred times as many.",
        needs="polish",
    )
    kick: float = setting(
        0.5,
        Number(0, 1),
        "Polish: the share of polishes that begin with the best sequence of level 2, changed three "
        "times at random, in place of the result of level 1.",
        needs="polish",
    )
    pool: int = setting(
        10,
        Integer(0, 1000),
        "Polish of an order: how many of the last local optima of a search of level 2 give "
        "candidates.",
        needs="polish",
    )
    stretch: int = setting(
        50,
        Integer(0, 1000),
        "Polish of an order of more than twice as many moves: it goes on in rounds, each of which "
        "changes so many moves one after the other. 0 for no rounds.",
        needs="polish",
    )

    def _check(self) -> None:
        super()._check()
        if not self.polish:
            return
        if self.level < 2:
            raise InputError(f"polish needs level 2 or a higher one, not level {self.level}")
        if getattr(self, "policies", "shared") == "local":
            raise InputError("polish goes with policies='shared'")

    def core(self) -> dict[str, Any]:
        """Return the settings by name, as the core takes them."""
        settings = super().core()
        polish = {name: settings.pop(name) for name in Polished.__annotations__}
        return settings | {"polish": polish if polish.pop("polish") else None}
