"""Algorithms on a family of instances, paired by instance (extra ``compare``)."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import NamedTuple

import numpy as np

from nestor.comparison.row import Key
from nestor.comparison.statistics import CONFIDENCE, EXACT, RESAMPLES, scipy_stats, verdicts

Scores = Mapping[str, Mapping[str, Mapping[int, float]]]
"""Scores by instance, algorithm and seed; higher is better."""


class Ranked(NamedTuple):
    """How an algorithm does on a family of instances.

    A pair is an instance and a seed on which all algorithms have a score; other runs do not count.

    Attributes
    ----------
    algorithm : str
    instances, pairs : int
    missed : int
        How many of its runs miss constraints.
    gap : float or None
        Mean of the gaps of its other runs: how far, in percent, a score is from the best score that
        any run has found on the instance. None if a best score is 0 and another one is not.
    gap_interval : (float, float) or None
        95 % interval of the mean gap.
    rank : float
        Its mean rank: on an instance its mean place among the algorithms if one run of each is
        drawn, 1 for the best; equals share their places. That is 0.5 + (r - 0.5) / n, where r is
        its mean rank among all runs of all algorithms on the instance, and n the number of seeds.
    rank_interval : (float, float)
        95 % interval of the mean rank.
    p : float
        How likely differences this large from the algorithm of the best mean rank are if there is
        none: two-sided Wilcoxon signed-rank test of the ranks on the instances. For how p is
        corrected, and for a baseline, see `Summary`.
    leads : bool
        See `Summary`.
    tells : bool
        Whether there are enough instances for a p below 0.05.

    Notes
    -----
    Runs on one instance are not independent of each other. So each instance counts once, with the
    mean of its runs, in the mean rank, the mean gap, their intervals and the test. If there is one
    instance, its seeds take the place of the instances. For the intervals see `mean_interval`.
    """

    algorithm: str
    instances: int
    pairs: int
    missed: int
    gap: float | None
    gap_interval: tuple[float, float] | None
    rank: float
    rank_interval: tuple[float, float]
    p: float
    leads: bool
    tells: bool


def ranking(
    scores: Scores, baseline: str | None = None, missed: Container[Key] = ()
) -> list[Ranked]:
    """Return how the algorithms do on a family, the best mean rank first; empty without a pair."""
    stats = scipy_stats()
    names = list(dict.fromkeys(name for of in scores.values() for name in of if of[name]))
    places, gaps, met = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for instance, of in scores.items():
        found = [of.get(name, {}) for name in names]
        seeds = [seed for seed in (found[0] if found else ()) if all(seed in one for one in found)]
        if not seeds:
            continue
        table = np.array([[one[seed] for one in found] for seed in seeds], float)
        # Of a run, how many of the others' runs are better, and half of those that are equal.
        places.append(stats.rankdata(-table).reshape(table.shape) - stats.rankdata(-table, axis=0))
        gaps.append(_gaps(table, max(score for one in found for score in one.values())))
        late = [[(instance, name, seed) in missed for name in names] for seed in seeds]
        met.append(~np.array(late))
    if not places:
        return []
    n = np.array([len(place) for place in places])
    # Sums of ranks are exact, and divided once: equal differences are the same numbers.
    sums = np.array([place.sum(axis=0) for place in places]) if len(n) > 1 else places[0] * n
    columns = dict(zip(names, range(len(names)), strict=True))
    ranks = {name: 1 + sums[:, column] / n**2 for name, column in columns.items()}
    order = sorted(names, key=lambda name: ranks[name].mean())
    told = verdicts(
        order,
        lambda one, other: signed_rank((sums[:, columns[one]] - sums[:, columns[other]]) / n**2),
        lambda one, other: 2.0 ** (1 - len(sums)),
        baseline,
    )
    relative = not any(np.isnan(gap[fine]).any() for gap, fine in zip(gaps, met, strict=True))
    ranked = []
    for name in order:
        column = columns[name]
        own = [gap[fine[:, column], column] for gap, fine in zip(gaps, met, strict=True)]
        kept = own[0] if len(n) == 1 else np.array([each.mean() for each in own if len(each)])
        has_gap = relative and len(kept) > 0
        ranked.append(
            Ranked(
                algorithm=name,
                instances=len(n),
                pairs=int(n.sum()),
                missed=int(n.sum()) - sum(map(len, own)),
                gap=float(kept.mean()) if has_gap else None,
                gap_interval=mean_interval(kept) if has_gap else None,
                rank=float(ranks[name].mean()),
                rank_interval=mean_interval(ranks[name]),
                **told[name]._asdict(),
            )
        )
    return ranked


def _gaps(table: np.ndarray, best: float) -> np.ndarray:
    """Return how far scores are from the best one, in percent."""
    if best == 0:
        return np.where(table == 0, 0.0, math.nan)
    return 100.0 * (best - table) / abs(best)


def signed_rank(differences: np.ndarray) -> float:
    """Return p of the two-sided Wilcoxon signed-rank test; it is exact with few differences."""
    differences = differences[differences != 0]
    if len(differences) < 2:
        return 1.0
    stats = scipy_stats()
    few = 2 ** len(differences) <= EXACT
    method = stats.PermutationMethod(n_resamples=EXACT) if few else "auto"
    return float(stats.wilcoxon(differences, method=method).pvalue)


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean; that of one value is the value.

    It is the expanded percentile interval: of few values the plain one is too narrow. Its ends are
    the quantile at Phi(-sqrt(n / (n - 1)) t) of 9,999 samples, and that at 1 minus this, where t is
    the 0.975 quantile of Student's t with n - 1 degrees of freedom, and Phi the normal
    distribution function (T. Hesterberg, What teachers should know about the bootstrap, 2015).
    """
    n = len(values)
    if n == 1:
        return float(values[0]), float(values[0])
    stats = scipy_stats()
    t = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)
    tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * t)
    draws = np.random.default_rng(0).integers(0, n, (RESAMPLES, n))
    low, high = np.quantile(values[draws].mean(axis=1), (tail, 1 - tail))
    return float(low), float(high)
