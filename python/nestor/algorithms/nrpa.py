"""Nested rollout policy adaptation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

from nestor.algorithms.polish import Polished
from nestor.errors import InputError
from nestor.settings import Choice, Flag, Integer, Positive, described, setting


@described
@dataclass(frozen=True)
class NRPA(Polished):
    """Nested rollout policy adaptation (nrpa-2011, figure 2)."""

    name: ClassVar[str] = "nrpa"
    core_name: ClassVar[str] = "nrpa"
    _: KW_ONLY
    width: int | tuple[int, ...] = setting(
        1,
        Integer(1, 1_000_000),
        "How many children of a level run side by side (M), at level 1 or at each level from "
        "level 1 upwards. A single number is for level 1. The width belongs to the algorithm: the "
        "same width gives the same result on any number of threads. The threads share the "
        "children of the widest level, the lowest one of several.",
        of="level 1",
        one_per="level",
        off=1,
    )
    policies: Literal["shared", "local"] = setting(
        "shared",
        Choice(("shared", "local")),
        "Whether children that run side by side share the policy of their level or have their "
        "own. Shared: the policy adapts once for all M children (algorithm 4). Local: M lanes "
        "have a policy each, run one child after the other, as many in all as the iterations, and "
        "adapt with alpha (algorithm 5). That needs one level wider than 1, of at most 256, and no "
        "`width_rate`, `repetitions`, `force_explore`, `warm_start`, `polish` or `BatchBias`.",
        off="shared",
        source="distributed-nrpa-samegame-2017",
    )
    share: bool = setting(
        True,
        Flag(),
        "Local policies adapt to the best sequence of all lanes. After every child the lanes whose "
        "best sequence is worse than the best of all take that one over. False (algorithm 5 as "
        "printed): lanes know only their own.",
        needs="policies",
        source="distributed-nrpa-samegame-2017",
    )
    inherit: bool = setting(
        False,
        Flag(),
        "The best local policy replaces the policy of the level above. It is that of the lane "
        "which is best at the end, the last one of equals, and counts if its sequence is accepted "
        'above ("if it has achieved a better score"; ties count, as with sequences). Otherwise a '
        "level leaves no policy behind, as in NRPA, which does far better with N = 100.",
        needs="policies",
        source="distributed-nrpa-samegame-2017, section 3.2",
    )
    width_rate: Literal["sum", "once"] = setting(
        "sum",
        Choice(("sum", "once")),
        "Whether a shared policy adapts with M alpha (sum) or with alpha (once). The paper has the "
        "sum (algorithm 4), stabilized NRPA (arXiv 2101.03563) has alpha. Stabilized NRPA of N "
        "iterations of P playouts each at level 1 is, at level 3, ``NRPA(3, (N * P, N, N), "
        'width=P, width_rate="once")``.',
        needs="width",
        off="sum",
        source="distributed-nrpa-samegame-2017",
    )
    repetitions: int | tuple[int, ...] | None = setting(
        None,
        Integer(1, 10**15),
        "End a level when its best sequence is found again this many times (R). A single number "
        "is for all levels. The level below returned the same choices, and so the same score, R "
        "times since the sequence became the best. Another sequence of the best score is not "
        "a repetition; it replaces the best, as always. A level with a width ends after the last "
        "of the children that share a policy. The iterations are then an upper limit, and may be "
        "set high.",
        of="all levels",
        one_per="level",
        optional=True,
        source="GNRPA with limited repetitions, arXiv 2401.10420",
    )
    force_explore: bool = setting(
        False,
        Flag(),
        "Change a playout that would repeat the sequence to which its level 1 last adapted. It is "
        "not scored: one of its steps with a choice is drawn, and there another move that is not "
        "forbidden, each with equal probability; the rest is played with the policy. The paper "
        "does so with a playout that ends where one has ended before; comparing with this one "
        "sequence is our interpretation. A level 1 then hardly repeats its best, and `repetitions` "
        "is for the levels above.",
        of="level 1",
        off=False,
        source="Dang et al., AAAI 2023",
    )
    warm_start: float | None = setting(
        None,
        Positive(),
        "Adapt a level only after a first result of good relative rank (c; 2.3 in the paper). The "
        "rank is good if R <= i c / (N + 1 - i), where i is the iteration, counted from 1 to N, "
        "and R is one more than the number of better results before it. From then on the level "
        "adapts to its best sequence as always. It needs iterations of at most 1,000,000.",
        of="all levels",
        most={"iterations": 1_000_000},
        optional=True,
        source="Dang et al., AAAI 2023",
    )

    def _check(self) -> None:
        for guide in self.guides:
            if self.width not in (1, guide.width):
                raise InputError("width: that of a BatchBias is the width of level 1, not both")
            object.__setattr__(self, "width", guide.width)
        super()._check()
        if self.policies == "shared":
            if self.inherit or not self.share:
                raise InputError("share and inherit require policies='local'")
            return
        wide = [each.width for each in self.levels() if each.width > 1]
        if len(wide) != 1 or wide[0] > 256:
            raise InputError(
                "local policies need one level of a width from 2 to 256, and no other one wider "
                f"than 1, not width {self.width!r:.80}"
            )
        others = (self.polish, self.repetitions, self.force_explore, self.warm_start, self.guides)
        if self.width_rate != "sum" or others != (False, None, False, None, []):
            raise InputError(
                "policies='local' cannot be combined with width_rate, repetitions, force_explore, "
                "warm_start, polish or a BatchBias"
            )
