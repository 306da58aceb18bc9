"""Statistics of scores, with scipy (extra ``compare``): each says which test and interval it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from nestor.errors import extra_module, warn

SIGNIFICANT = 0.05
"""An algorithm is worse than another if the chance of such scores without a difference is lower."""

EXACT = 4000
"""The most ways to exchange runs for which a test looks at all of them."""

CONFIDENCE = 0.95
RESAMPLES = 9999
"""Samples of a bootstrap interval."""

Profile = dict[str, list[float]]
"""Ratios to the best, by algorithm."""


class Summary(NamedTuple):
    """The scores of an algorithm on a problem.

    Attributes
    ----------
    algorithm : str
    runs : int
    best, upper, median, lower, worst : float
        Best score, quartiles and worst score; all are scores of runs, from good to bad: if lower
        scores are better, `upper` is less than `lower`.
    interval : (float, float)
        95 % bootstrap interval of the median (percentile method, 9,999 samples).
    p : float
        How likely scores this far from those of the best algorithm are if there is no difference:
        two-sided Mann-Whitney U test. Which one is the best is known from the same scores; so all
        pairs of algorithms are tested, and corrected by Holm's method. With a baseline it is p
        against that, and Holm's method corrects for the pairs with it.
    leads : bool
        Whether it is not worse than the best algorithm: p is at least 0.05, and could be lower.
        With a baseline whether it is better than that: p is below 0.05.
    tells : bool
        Whether there are enough runs for a p below 0.05.
    """

    algorithm: str
    runs: int
    best: float
    upper: float
    median: float
    lower: float
    worst: float
    interval: tuple[float, float]
    p: float
    leads: bool
    tells: bool


def scipy_stats() -> Any:
    """Return `scipy.stats`.

    Raises
    ------
    MissingExtraError
        If scipy is not installed.
    """
    extra_module("scipy", "statistics", "compare")
    from scipy import stats

    return stats


def quantile(scores: Sequence[float], share: float) -> float:
    """Return a quantile that is one of the scores."""
    return float(np.quantile(scores, share, method="inverted_cdf"))


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the median; that of one score is the score."""
    if len(set(scores)) < 2:
        return scores[0], scores[0]
    found = scipy_stats().bootstrap(
        (np.asarray(scores, float),),
        lambda sample, axis: np.quantile(sample, 0.5, axis=axis, method="inverted_cdf"),
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    low, high = found.confidence_interval
    return float(low), float(high)


def summaries(
    scores: Mapping[str, Sequence[float]], sense: str, baseline: str | None = None
) -> list[Summary]:
    """Return a summary of each algorithm's scores on one problem, the best median first.

    Of equal medians the better mean is first. An algorithm without scores is left out.
    """
    sign = 1 if sense == "max" else -1
    found = {
        name: sorted(values, reverse=sense == "max") for name, values in scores.items() if values
    }
    order = sorted(
        found,
        key=lambda name: (sign * quantile(found[name], 0.5), sign * fmean(found[name])),
        reverse=True,
    )
    told = verdicts(
        order,
        lambda one, other: difference(found[one], found[other]),
        lambda one, other: 2 / math.comb(len(found[one]) + len(found[other]), len(found[one])),
        baseline,
    )
    return [
        Summary(
            algorithm=name,
            runs=len(found[name]),
            best=found[name][0],
            upper=quantile(found[name], 0.5 + sign / 4),
            median=quantile(found[name], 0.5),
            lower=quantile(found[name], 0.5 - sign / 4),
            worst=found[name][-1],
            interval=interval(found[name]),
            **told[name]._asdict(),
        )
        for name in order
    ]


class Verdict(NamedTuple):
    """What tests say of an algorithm; see `Summary`."""

    p: float
    leads: bool
    tells: bool


def verdicts(
    order: Sequence[str],
    chance: Callable[[str, str], float],
    least: Callable[[str, str], float],
    baseline: str | None = None,
) -> dict[str, Verdict]:
    """Return what is said of each algorithm against the first one, or against a baseline.

    The first one was picked as the best by the same runs. Any of the pairs could have become the
    comparison with the best, so p is corrected for all pairs. A baseline was picked before: then
    for the pairs with it. If it has no runs, nothing is told.

    Parameters
    ----------
    order : sequence of str
        The algorithms, the best first.
    chance, least : callable
        p of a pair, and the least p that its numbers of runs allow.
    baseline : str, optional
    """
    first = baseline or next(iter(order), "")
    if first not in order:
        return {name: Verdict(1.0, False, False) for name in order}
    pairs = [pair for pair in combinations(order, 2) if baseline in (None, *pair)]
    found = zip(
        pairs,
        holm([chance(*pair) for pair in pairs]),
        holm([least(*pair) for pair in pairs]),
        strict=True,
    )
    told = {first: Verdict(1.0, baseline is None, True)}
    for (better, worse), p, possible in found:
        if first in (better, worse):
            tells, differs = possible < SIGNIFICANT, p < SIGNIFICANT
            leads = tells and not differs if baseline is None else differs and worse == first
            told[worse if better == first else better] = Verdict(p, leads, tells)
    return told


def difference(scores: Sequence[float], others: Sequence[float]) -> float:
    """Return p of the two-sided Mann-Whitney U test: no difference between two algorithms.

    With few runs it is exact, also where scores are equal.
    """
    if len({*scores, *others}) == 1:
        return 1.0
    stats = scipy_stats()
    if math.comb(len(scores) + len(others), len(scores)) > EXACT:
        return float(stats.mannwhitneyu(scores, others).pvalue)
    ranks = stats.rankdata([*scores, *others])
    sums = np.array([sum(drawn) for drawn in combinations(ranks.tolist(), len(scores))])
    # The first of all ways to draw the runs of one algorithm is how they were.
    return min(1.0, 2 * float(min((sums <= sums[0]).mean(), (sums >= sums[0]).mean())))


def holm(chances: Sequence[float]) -> list[float]:
    """Return chances corrected by Holm's method for how many there are."""
    corrected, least = [0.0] * len(chances), 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, chances[index] * (len(chances) - rank)))
        corrected[index] = least
    return corrected


def profile(medians: Mapping[str, Mapping[str, float]], senses: Mapping[str, str]) -> Profile:
    """Return the performance profile: for each algorithm, its sorted ratios to the best.

    Parameters
    ----------
    medians : dict of str to dict of str to float
        Median scores by problem and algorithm.
    senses : dict of str to str
        "max" or "min" by problem.

    Returns
    -------
    dict of str to list of float
        By algorithm, one ratio for each problem, in order: 1 where its median is the best, 2 where
        it has twice the cost or half the points. Of negative scores it is the ratio without their
        signs: less points are a cost. Infinite where it has no score, or where scores that differ
        have no ratio (one is 0, or their signs differ), which a warning says. E. D. Dolan and J. J.
        More, Benchmarking optimization software with performance profiles, 2002.
    """
    names = dict.fromkeys(name for of in medians.values() for name in of)
    ratios: Profile = {name: [] for name in names}
    without = []
    for problem, of in medians.items():
        best = (max if senses[problem] == "max" else min)(of.values())
        for name in names:
            ratios[name].append(_ratio(of.get(name), best))
        if math.inf in (_ratio(score, best) for score in of.values()):
            without.append(problem)
    if without:
        warn(
            f"scores of {', '.join(without)} have no ratio to the best where one is 0, or only one "
            "is negative: the profile counts them as infinitely far; ranks and medians tell more"
        )
    return {name: sorted(each) for name, each in ratios.items()}


def _ratio(score: float | None, best: float) -> float:
    if score == best:
        return 1.0
    if score is None or not (score < 0 > best or score > 0 < best):
        return math.inf
    return max(score / best, best / score)
