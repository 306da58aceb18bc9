"""Numbers of a paper, beside what runs with its effort found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Protocol

from scipy.stats import binom, t

from kit.verdicts import Verdict, proportion


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
    def said(self) -> str:
        """The paper's number, our interval, and how wide that may be."""
        low, high = self.interval
        between = f"ours {self.show(low)} to {self.show(high)}"
        ours = between if high < float("inf") else f"ours from {len(self.ours)} runs"
        return f"{self.text}: {self.show(self.paper)}, {ours} (margin {self.show(self.margin)})"

    @property
    def verdict(self) -> Verdict:
        """Whether the paper's number lies in an interval that is narrow enough."""
        low, high = self.interval
        if not low <= self.paper <= high:
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


class Share(Number):
    """How many of 100 have something, which ours have if true: the interval is Clopper's."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        low, high = proportion(self.ours)
        return 100 * low, 100 * high


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
