"""Algorithms on a family of instances, paired by instance (extra ``compare``)."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
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
        Mean of its ranks among the algorithms: 1 is the best of a pair, equals share their ranks.
    rank_interval : (float, float)
        95 % interval of the mean rank. Intervals are bootstrap intervals (percentile method, 9,999
        samples) of instances; of seeds if there is one instance.
    p : float
        How likely differences this large from the algorithm of the best mean rank are if there is
        none: two-sided Wilcoxon signed-rank test of the instances. Runs on one instance are not
        independent of each other; so an instance counts once, with the mean of its pairs: the
        difference of the ranks among all runs of the instance, by how many these are. If there is
        one instance, it is a test of its seeds. For how p is corrected, and for a baseline, see
        `Summary`.
    leads : bool
        See `Summary`.
    tells : bool
        Whether there are enough instances for a p below 0.05.
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
    places, groups, gaps, ranks, late = [], list[int](), [], [], list[list[bool]]()
    for number, (instance, of) in enumerate(scores.items()):
        found = [of.get(name, {}) for name in names]
        seeds = [seed for seed in (found[0] if found else ()) if all(seed in one for one in found)]
        if not seeds:
            continue
        table = np.array([[one[seed] for one in found] for seed in seeds], float)
        best = max(score for one in found for score in one.values())
        gaps.append(_gaps(table, best))
        ranks.append(stats.rankdata(-table, axis=1))
        places.append(stats.rankdata(-table).reshape(table.shape))
        groups += [number] * len(seeds)
        late += [[(instance, name, seed) in missed for name in names] for seed in seeds]
    if not groups:
        return []
    gap, rank = np.concatenate(gaps), np.concatenate(ranks)
    # Sums of ranks are exact, and divided once: equal differences are the same numbers.
    units = np.array([place.sum(axis=0) for place in places]) if len(places) > 1 else places[0]
    sizes = np.array([place.size * len(place) for place in places])
    columns = dict(zip(names, range(len(names)), strict=True))
    order = sorted(names, key=lambda name: rank[:, columns[name]].mean())
    told = verdicts(
        order,
        lambda one, other: signed_rank((units[:, columns[one]] - units[:, columns[other]]) / sizes),
        lambda one, other: 2.0 ** (1 - len(units)),
        baseline,
    )
    met = ~np.array(late)
    relative = not np.isnan(gap[met]).any()
    counted = {
        name: (gap[met[:, column], column], np.array(groups)[met[:, column]])
        for name, column in columns.items()
        if relative and met[:, column].any()
    }
    return [
        Ranked(
            algorithm=name,
            instances=len(places),
            pairs=len(groups),
            missed=int((~met[:, columns[name]]).sum()),
            gap=float(counted[name][0].mean()) if name in counted else None,
            gap_interval=mean_interval(*counted[name]) if name in counted else None,
            rank=float(rank[:, columns[name]].mean()),
            rank_interval=mean_interval(rank[:, columns[name]], groups),
            **told[name]._asdict(),
        )
        for name in order
    ]


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


def mean_interval(values: np.ndarray, groups: Sequence[int] | np.ndarray) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean; several groups are drawn whole."""
    of = np.asarray(groups)
    labels = np.unique(of)
    if len(labels) > 1:
        sums = np.array([values[of == label].sum() for label in labels])
        counts = np.array([(of == label).sum() for label in labels])
    else:
        sums, counts = values, np.ones(len(values))
    draws = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    low, high = np.quantile(means, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return float(low), float(high)
