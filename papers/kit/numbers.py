"""Numbers of a paper, beside what runs with its effort found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import ClassVar, Protocol

from scipy.stats import binom, binomtest, t

from kit.verdicts import Verdict

COUNTED = 25.0
"""A margin in percent: two counts of 100 near one half have a wider interval."""


class Judged(Protocol):
    """A number of a paper, as a sentence, and what comes of it."""

    @property
    def said(self) -> str:
        """The paper's number and ours."""

    @property
    def verdict(self) -> Verdict:
        """What comes of it."""


@dataclass(frozen=True)
class Number(ABC):
    """A number of a paper beside runs with the same effort.

    Attributes
    ----------
    text : str
        What it is.
    ours : sequence of float
        Of each run.
    paper : float
    margin : float
        An interval that is wider says nothing; stated before the runs.
    show : callable
        Writes such a number.
    """

    text: str
    ours: Sequence[float]
    paper: float
    margin: float
    show: Callable[[float], str] = "{:,.1f}".format

    @property
    @abstractmethod
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; all numbers if there are too few runs for one."""

    @property
    def expected(self) -> float:
        """What the interval is to hold: the paper's number, which is taken as exact."""
        return self.paper

    @property
    def said(self) -> str:
        """The paper's number, our interval, and how wide that may be."""
        low, high = self.interval
        between = f"ours {self.show(low)} to {self.show(high)}"
        ours = between if high < float("inf") else f"ours from {len(self.ours)} runs"
        return f"{self.text}: {self.show(self.paper)}, {ours} (margin {self.show(self.margin)})"

    @property
    def verdict(self) -> Verdict:
        """Whether what is expected lies in an interval that is narrow enough."""
        low, high = self.interval
        if not low <= self.expected <= high:
            return "differs"
        return "agrees" if high - low <= self.margin else "too few runs to tell"


class Mean(Number):
    """A mean: its interval is by Student's distribution."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; all numbers for one run."""
        count = len(self.ours)
        if count < 2:
            return float("-inf"), float("inf")
        half = float(t.ppf(0.975, count - 1)) * stdev(self.ours) / count**0.5
        return fmean(self.ours) - half, fmean(self.ours) + half


class Median(Number):
    """A median: its interval lies between two of the runs, whatever their distribution."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; all numbers for fewer than six runs."""
        if not (place := int(binom.ppf(0.025, len(self.ours), 0.5))):
            return float("-inf"), float("inf")
        ordered = sorted(self.ours)
        return ordered[place - 1], ordered[-place]


@dataclass(frozen=True)
class Sampled(Number):
    """A number that the paper found in a sample of its own: the interval is of the difference.

    Attributes
    ----------
    of : int
        The runs of the paper.
    """

    of: int = 100
    unit: ClassVar[str] = ""

    @property
    def expected(self) -> float:
        """No difference."""
        return 0.0

    @property
    @abstractmethod
    def both(self) -> str:
        """What the paper found, and what we found."""

    @property
    def said(self) -> str:
        """Both numbers, the interval of their difference, and how wide that may be."""
        low, high = self.interval
        between = f"{low:+,.1f} to {high:+,.1f}{self.unit}" if high < float("inf") else "any"
        return f"{self.text}: {self.both}, difference {between} (margin {self.margin:,.1f})"


@dataclass(frozen=True)
class Means(Sampled):
    """Two means: the interval of their difference is Welch's.

    Attributes
    ----------
    half : float
        Half the 95 % interval of the paper, two of its standard errors.
    """

    half: float = 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of our mean less the paper's; all numbers for one run."""
        count = len(self.ours)
        if count < 2:
            return float("-inf"), float("inf")
        here, there = stdev(self.ours) ** 2 / count, (self.half / 2) ** 2
        apart = fmean(self.ours) - self.paper
        if not (error := here + there):
            return apart, apart
        freedom = error**2 / (here**2 / (count - 1) + there**2 / (self.of - 1))
        half = float(t.ppf(0.975, freedom)) * error**0.5
        return apart - half, apart + half

    @property
    def both(self) -> str:
        """Both means."""
        theirs = f"{self.show(self.paper)} ± {self.show(self.half)}"
        return f"{theirs}, ours {self.show(fmean(self.ours))}"


class Share(Sampled):
    """Two counts, ours of what is true: the interval of their difference is Newcombe's.

    The paper's count and the margin are in percent.
    """

    unit = " %"

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of our share less the paper's, in percent."""
        here, there = sum(map(bool, self.ours)), round(self.paper * self.of / 100)
        ours, least, most = wilson(here, len(self.ours))
        theirs, low, high = wilson(there, self.of)
        apart = ours - theirs
        below = ((ours - least) ** 2 + (high - theirs) ** 2) ** 0.5
        above = ((most - ours) ** 2 + (theirs - low) ** 2) ** 0.5
        return 100 * (apart - below), 100 * (apart + above)

    @property
    def both(self) -> str:
        """Both counts."""
        theirs = round(self.paper * self.of / 100)
        return f"{theirs} of {self.of}, ours {sum(map(bool, self.ours))} of {len(self.ours)}"


def wilson(happened: int, count: int) -> tuple[float, float, float]:
    """Return a share and the ends of its 95 % interval by Wilson's score."""
    found = binomtest(happened, count).proportion_ci(0.95, method="wilson")
    return happened / count, float(found[0]), float(found[1])


class Count(Number):
    """A number without chance: it is the same or another one."""

    @property
    def interval(self) -> tuple[float, float]:
        """The number itself."""
        return min(self.ours), max(self.ours)

    @property
    def said(self) -> str:
        """The paper's number and ours."""
        return f"{self.text}: {self.show(self.paper)}, ours {self.show(max(self.ours))}"


@dataclass(frozen=True)
class Incomparable:
    """A number of a paper that says nothing of ours.

    Attributes
    ----------
    text, paper, reason : str
    """

    text: str
    paper: str
    reason: str

    @property
    def said(self) -> str:
        """The paper's number, and why ours is another matter."""
        return f"{self.text}: {self.paper}; {self.reason}"

    @property
    def verdict(self) -> Verdict:
        """That it cannot be compared."""
        return "not comparable"
