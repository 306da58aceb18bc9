"""What runs say of the sentences of a paper, and of its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, stdev
from typing import Literal

from scipy.stats import t, wilcoxon

from nestor.comparison.statistics import difference, holm

SIGNIFICANT = 0.05

Verdict = Literal["holds", "fails", "not shown", "agrees", "differs", "too few runs to tell"]
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

    def _signed_rank(self, alternative: str) -> float:
        return float(wilcoxon(self.better, self.worse, alternative=alternative).pvalue)


@dataclass(frozen=True)
class Number:
    """A number of a paper beside the mean of runs with the same effort.

    Attributes
    ----------
    text : str
        What it is.
    ours : sequence of float
        Scores of runs.
    paper : float
    margin : float
        An interval that is wider says nothing; stated before the runs.
    """

    text: str
    ours: Sequence[float]
    paper: float
    margin: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, by Student's distribution; all numbers for one run."""
        count = len(self.ours)
        if count < 2:
            return float("-inf"), float("inf")
        half = float(t.ppf(0.975, count - 1)) * stdev(self.ours) / count**0.5
        return fmean(self.ours) - half, fmean(self.ours) + half

    @property
    def verdict(self) -> Verdict:
        """Whether the paper's number lies in an interval that is narrow enough."""
        low, high = self.interval
        if not low <= self.paper <= high:
            return "differs"
        return "agrees" if high - low <= self.margin else "too few runs to tell"


def words(claims: Sequence[Claim]) -> list[tuple[str, Verdict]]:
    """Return what comes of the claims of an item, all tested together by Holm's method.

    A claim holds if it is significant in its direction, fails if the opposite is, and is not shown
    otherwise.
    """
    judged: list[tuple[str, Verdict]] = []
    for claim, p in zip(claims, holm([claim.p for claim in claims]), strict=True):
        told: Verdict = "not shown"
        if p < SIGNIFICANT:
            told = "holds" if claim.leads else "fails"
        judged.append((f"{claim.text} (p = {p:.1g})", told))
    return judged


def figures(numbers: Sequence[Number]) -> list[tuple[str, Verdict]]:
    """Return what comes of the numbers of an item."""
    judged: list[tuple[str, Verdict]] = []
    for number in numbers:
        low, high = number.interval
        ours = f"ours {low:,.1f} to {high:,.1f}" if len(number.ours) > 1 else "ours from one run"
        said = f"{number.text}: {number.paper:,.10g}, {ours} (margin {number.margin:,.3g})"
        judged.append((said, number.verdict))
    return judged


def counted(verdicts: Sequence[str]) -> str:
    """Return how many there are of each verdict: "2 hold, 1 not shown"."""
    counts = Counter(verdicts).most_common()
    told = [f"{count} {PLURAL.get(each, each) if count > 1 else each}" for each, count in counts]
    return ", ".join(told) or "none"
