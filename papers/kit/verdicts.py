"""What runs say of the sentences of a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from scipy.stats import binomtest, wilcoxon

from nestor.comparison.statistics import difference, holm

SIGNIFICANT = 0.05

Verdict = Literal[
    "holds", "fails", "not shown", "agrees", "differs", "too few runs to tell", "not comparable"
]
MARKS: dict[str, str] = {"holds": "✓", "agrees": "✓", "fails": "✗", "differs": "✗"}
"""What stands before a verdict; before the others, a question mark."""
PLURAL: dict[str, str] = {"holds": "hold", "fails": "fail", "agrees": "agree", "differs": "differ"}


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper with a direction: the first of two samples is the better one.

    Attributes
    ----------
    text : str
        The claim, as a sentence.
    better, worse : sequence of float
        Scores of runs.
    sense : {"max", "min"}
    paired : bool
        Whether the scores in one place are of the same instance.
    """

    text: str
    better: Sequence[float]
    worse: Sequence[float]
    sense: str = "max"
    paired: bool = False

    @property
    def p(self) -> float:
        """The two-sided p of Wilcoxon's signed-rank test for pairs, or else of the U test."""
        if not self.paired:
            return difference(self.better, self.worse)
        return 1.0 if list(self.better) == list(self.worse) else self._signed_rank("two-sided")

    @property
    def leads(self) -> bool:
        """Whether the first sample is the better one here, however little that means."""
        if self.paired:
            ahead = self._signed_rank("greater") < self._signed_rank("less")
        else:
            pairs = list(product(self.better, self.worse))
            ahead = sum(a > b for a, b in pairs) > sum(a < b for a, b in pairs)
        return ahead if self.sense == "max" else not ahead

    @property
    def shown(self) -> Verdict:
        """What a significant difference shows."""
        return "holds" if self.leads else "fails"

    def _signed_rank(self, alternative: str) -> float:
        # Equal differences are to be ties, however their scores were rounded.
        gains = [round(a - b, 9) for a, b in zip(self.better, self.worse, strict=True)]
        return float(wilcoxon(gains, alternative=alternative).pvalue)


class Alike(Claim):
    """A sentence of a paper that two samples are alike: tests can only show that they are not."""

    @property
    def shown(self) -> Verdict:
        """What a significant difference shows."""
        return "fails"


def words(claims: Sequence[Claim]) -> list[tuple[str, Verdict]]:
    """Return what comes of the claims of an item, all tested together by Holm's method.

    A claim holds if it is significant in its direction, fails if the opposite is, and is not shown
    otherwise.
    """
    judged: list[tuple[str, Verdict]] = []
    for claim, p in zip(claims, holm([claim.p for claim in claims]), strict=True):
        told = claim.shown if p < SIGNIFICANT else "not shown"
        shown = f"p = {p:.1g}" if p else "p < 1e-300"
        judged.append((f"{claim.text} ({shown})", told))
    return judged


def proportion(happened: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of Clopper and Pearson for how often something happens."""
    count = len(happened)
    found = binomtest(sum(map(bool, happened)), count).proportion_ci(0.95) if count else (0.0, 1.0)
    return float(found[0]), float(found[1])


def mostly(text: str, happened: Sequence[float]) -> tuple[str, Verdict]:
    """Return what comes of a sentence that something happens more often than not."""
    low, high = proportion(happened)
    told: Verdict = "holds" if low > 0.5 else "fails" if high < 0.5 else "not shown"
    return f"{text} ({sum(map(bool, happened))} of {len(happened)})", told


def counted(verdicts: Sequence[str]) -> str:
    """Return how many there are of each verdict: "2 hold, 1 not shown"."""
    counts = Counter(verdicts).most_common()
    told = [f"{count} {PLURAL.get(each, each) if count > 1 else each}" for each, count in counts]
    return ", ".join(told) or "none"
